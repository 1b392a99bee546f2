# Headers and libraries of the system that may be installed after the first configuration. CMake looks again for what it
# did not find whenever it configures; the globs make it configure when one of the files comes or goes.
include_guard(GLOBAL)

# Watches files of the include and library folders where CMake looks.
function(_cst_watch)
    foreach(_prefix IN LISTS CMAKE_PREFIX_PATH CMAKE_SYSTEM_PREFIX_PATH)
        foreach(_file IN LISTS ARGN)
            foreach(_folder IN ITEMS include lib "include/${CMAKE_LIBRARY_ARCHITECTURE}"
                    "lib/${CMAKE_LIBRARY_ARCHITECTURE}")
                list(APPEND _files "${_prefix}/${_folder}/${_file}")
            endforeach()
        endforeach()
    endforeach()
    file(GLOB _now CONFIGURE_DEPENDS ${_files})
endfunction()

# find_path(VARIABLE HEADER), again when the header was installed, or removed.
function(cst_find_header variable header)
    _cst_watch("${header}")
    if(${variable} AND NOT EXISTS "${${variable}}/${header}")
        unset(${variable} CACHE)
    endif()
    find_path(${variable} "${header}")
endfunction()

# find_library(VARIABLE NAME), likewise.
function(cst_find_library variable name)
    _cst_watch("lib${name}.so" "lib${name}.a")
    if(${variable} AND NOT EXISTS "${${variable}}")
        unset(${variable} CACHE)
    endif()
    find_library(${variable} "${name}")
endfunction()

# find_package(PACKAGE ...), which looks for the header, likewise.
macro(cst_find_package header package)
    _cst_watch("${header}")
    find_package(${package} ${ARGN})
endmacro()
