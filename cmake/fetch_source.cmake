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
            "${_folder}" RESULT_VARIABLE _failed)
        if(NOT _failed)
            set(FETCHCONTENT_SOURCE_DIR_${_upper} "${_folder}")
        endif()
    endif()
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag})
    FetchContent_GetProperties(${name})
    if(NOT ${name}_POPULATED)
        FetchContent_Populate(${name})
    endif()
endmacro()
