# cst_fetch_source(name PACKAGE sha256 repository TAG): sets <name>_SOURCE_DIR to the source of a library.
#
# The first that works: FETCHCONTENT_SOURCE_DIR_<NAME>; the source package PACKAGE of Debian trixie, whose upstream
# archive has that checksum; the Git repository at the same release.
include_guard(GLOBAL)
include(FetchContent)

macro(cst_fetch_source name package sha256 repository tag)
    string(TOUPPER ${name} _upper)
    if(NOT FETCHCONTENT_SOURCE_DIR_${_upper})
        set(_folder "${CMAKE_BINARY_DIR}/_deps/${name}-src")
        execute_process(COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/fetch_debian_source.sh" ${package} trixie ${sha256}
            "${_folder}" "${CMAKE_COMMAND}" RESULT_VARIABLE _failed ERROR_VARIABLE _why ERROR_STRIP_TRAILING_WHITESPACE)
        if(_failed)
            message(STATUS "Debian's source package ${package} is not to be had here (${_why}): cloning ${repository}. "
                           "-DFETCHCONTENT_SOURCE_DIR_${_upper}=<folder of release ${tag}> does without a network")
        else()
            set(FETCHCONTENT_SOURCE_DIR_${_upper} "${_folder}")
        endif()
    endif()
    # A folder that is not there keeps CMake from building the library by its own CMakeLists.txt.
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(${name})
    if(COMMAND cst_map_folder)
        cst_map_folder("${${name}_SOURCE_DIR}" ${name})
    endif()
endmacro()
