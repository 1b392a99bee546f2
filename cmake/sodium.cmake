# libsodium (ISC licence), only its verification of Ed25519 signatures: an object library `cst_sodium` that is linked
# into both libraries.
include("${CMAKE_CURRENT_LIST_DIR}/fetch_source.cmake")
set(CST_SODIUM_TAG 1.0.18-RELEASE)
cst_fetch_source(sodium libsodium d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4
    https://github.com/jedisct1/libsodium.git ${CST_SODIUM_TAG})

set(_sodium "${sodium_SOURCE_DIR}/src/libsodium")
set(_sources "${_sodium}/crypto_sign/ed25519/ref10/open.c" "${_sodium}/crypto_core/ed25519/ref10/ed25519_ref10.c"
    "${_sodium}/crypto_hash/sha512/cp/hash_sha512_cp.c" "${_sodium}/crypto_verify/sodium/verify.c")
foreach(_source IN LISTS _sources)
    if(NOT EXISTS "${_source}")
        message(FATAL_ERROR "no libsodium source ${_source}: point FETCHCONTENT_SOURCE_DIR_SODIUM at a checkout of "
                            "${CST_SODIUM_TAG}")
    endif()
endforeach()
get_filename_component(_code "${CMAKE_CURRENT_LIST_DIR}/../runtime/code" ABSOLUTE)
add_library(cst_sodium OBJECT ${_sources} "${_code}/sodium_glue.c")
target_include_directories(cst_sodium SYSTEM PRIVATE "${_sodium}/include" "${_sodium}/include/sodium"
    "${_sodium}/crypto_sign/ed25519/ref10")
target_compile_definitions(cst_sodium PRIVATE NATIVE_LITTLE_ENDIAN=1 HAVE_TI_MODE=1)
target_compile_options(cst_sodium PRIVATE -w -include "${_code}/sodium_names.h")
