# The same source and the same compiler give the same bytes, whichever folders they lie in. Not in a Debug build, whose
# debugger looks for the source by these names.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-ffile-prefix-map=a=b CST_HAS_PREFIX_MAP)

# cst_map_folder(FOLDER NAME): what is compiled hereafter calls FOLDER by this name.
function(cst_map_folder folder name)
    if(CST_HAS_PREFIX_MAP)
        add_compile_options("$<$<NOT:$<CONFIG:Debug>>:-ffile-prefix-map=${folder}=${name}>")
    endif()
endfunction()

# A later option comes before an earlier one, and the build's folder usually lies in the source's.
cst_map_folder("${PROJECT_SOURCE_DIR}" .)
cst_map_folder("${PROJECT_BINARY_DIR}" build)

# D: archives without times and users, whatever the default of `ar` is.
if(UNIX AND NOT APPLE)
    foreach(_language C CXX)
        set(CMAKE_${_language}_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
        set(CMAKE_${_language}_ARCHIVE_APPEND "<CMAKE_AR> qD <TARGET> <LINK_FLAGS> <OBJECTS>")
        set(CMAKE_${_language}_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")
    endforeach()
endif()
