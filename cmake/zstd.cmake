# Zstandard (BSD licence), only its decompressor: an object library `cst_zstd` that is linked into both libraries.
#
# Source, first that works: FETCHCONTENT_SOURCE_DIR_ZSTD; Debian trixie's source package; GitHub at the same release.
include(FetchContent)
set(CST_ZSTD_TAG v1.5.7)
set(CST_ZSTD_SHA256 0c092ef267edce57ba7f3f2645c861f72eaf5e76273c6c3632869423464b90a5)

if(NOT FETCHCONTENT_SOURCE_DIR_ZSTD)
    set(_zstd "${CMAKE_BINARY_DIR}/_deps/zstd-src")
    execute_process(COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/fetch_debian_source.sh" libzstd trixie ${CST_ZSTD_SHA256} "${_zstd}"
                    RESULT_VARIABLE _failed)
    if(NOT _failed)
        set(FETCHCONTENT_SOURCE_DIR_ZSTD "${_zstd}")
    endif()
endif()
FetchContent_Declare(zstd GIT_REPOSITORY https://github.com/facebook/zstd.git GIT_TAG ${CST_ZSTD_TAG})
FetchContent_GetProperties(zstd)
if(NOT zstd_POPULATED)
    FetchContent_Populate(zstd)
endif()

set(_source "${zstd_SOURCE_DIR}/build/single_file_libs/zstddeclib-in.c")
if(NOT EXISTS "${_source}")
    message(FATAL_ERROR "no Zstandard source ${_source}: point FETCHCONTENT_SOURCE_DIR_ZSTD at a checkout of ${CST_ZSTD_TAG}")
endif()
get_filename_component(_code "${CMAKE_CURRENT_LIST_DIR}/../runtime/code" ABSOLUTE)
add_library(cst_zstd OBJECT "${_source}")
target_include_directories(cst_zstd SYSTEM PUBLIC "${zstd_SOURCE_DIR}/lib")
# One decoder of each kind, the small one; nothing that asks the CPU.
target_compile_definitions(cst_zstd PRIVATE HUF_FORCE_DECOMPRESS_X1=1 ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT=1 DYNAMIC_BMI2=0)
target_compile_options(cst_zstd PRIVATE -w -include "${_code}/zstd_names.h")
