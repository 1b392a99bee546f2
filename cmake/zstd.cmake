# Zstandard (BSD licence), only its decompressor: an object library `cst_zstd` that is linked into both libraries.
include("${CMAKE_CURRENT_LIST_DIR}/fetch_source.cmake")
set(CST_ZSTD_TAG v1.5.7)
cst_fetch_source(zstd libzstd 0c092ef267edce57ba7f3f2645c861f72eaf5e76273c6c3632869423464b90a5
    https://github.com/facebook/zstd.git ${CST_ZSTD_TAG})

set(_decoder "${zstd_SOURCE_DIR}/build/single_file_libs/zstddeclib-in.c")
if(NOT EXISTS "${_decoder}")
    message(FATAL_ERROR "no Zstandard source ${_decoder}: point FETCHCONTENT_SOURCE_DIR_ZSTD at a checkout of "
                        "${CST_ZSTD_TAG}")
endif()
get_filename_component(_code "${CMAKE_CURRENT_LIST_DIR}/../runtime/code" ABSOLUTE)
add_library(cst_zstd OBJECT "${_decoder}")
target_include_directories(cst_zstd SYSTEM PUBLIC "${zstd_SOURCE_DIR}/lib")
# One decoder of each kind, the small one; nothing that asks the CPU.
target_compile_definitions(cst_zstd PRIVATE HUF_FORCE_DECOMPRESS_X1=1 ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT=1
    DYNAMIC_BMI2=0)
target_compile_options(cst_zstd PRIVATE -w -Os -include "${_code}/zstd_names.h")
