# cst_fetch_source(<name> <Debian package> <SHA-256> <repository> <tag>): the source of a library, in <name>_SOURCE_DIR of the caller.
#
# First that works: FETCHCONTENT_SOURCE_DIR_<NAME>; the source package of Debian trixie with this checksum; the repository at the tag.
include_guard()
include(FetchContent)
set(CST_FETCH_DEBIAN_SOURCE "${CMAKE_CURRENT_LIST_DIR}/fetch_debian_source.sh")

function(cst_fetch_source name package sha256 repository tag)
    string(TOUPPER ${name} upper)
    if(NOT FETCHCONTENT_SOURCE_DIR_${upper})
        set(source "${CMAKE_BINARY_DIR}/_deps/${name}-src")
        execute_process(COMMAND sh "${CST_FETCH_DEBIAN_SOURCE}" ${package} trixie ${sha256} "${source}" RESULT_VARIABLE failed)
        if(NOT failed)
            set(FETCHCONTENT_SOURCE_DIR_${upper} "${source}")
        endif()
    endif()
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag})
    FetchContent_GetProperties(${name})
    if(NOT ${name}_POPULATED)
        FetchContent_Populate(${name})
    endif()
    set(${name}_SOURCE_DIR "${${name}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()
