# cryptostitch_add_columns(TARGET name HASHES hash... [TARGETS avx512|avx2|sse...] [ABI sysv|win64] [PREFIX prefix])
#
# Makes the static library `name`: for each of the hashes a function that digests all items of a column (`md5`, `sha1`,
# `sha224`, `sha256`, `sha384`, `sha512`, `sha512_256`, `sm3`), in C and generated kernels with lanes on the TARGETS, by
# default all, of which the CPU's are taken at run time. It needs nothing but memcpy and memset; the header
# <cryptostitch_columns.h> is on its include path. PREFIX begins the functions' names, by default `cst_column_`. It is
# built by GCC or Clang; the generator is that of cryptostitch_add_kernels.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/cryptostitch_add_kernels.cmake")

function(cryptostitch_add_columns)
    cmake_parse_arguments(PARSE_ARGV 0 ARG "" "TARGET;ABI;PREFIX" "HASHES;TARGETS")
    if(NOT ARG_TARGET OR NOT ARG_HASHES OR ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "usage: cryptostitch_add_columns(TARGET name HASHES hash... [TARGETS avx512|avx2|sse...] "
                            "[ABI sysv|win64] [PREFIX prefix])")
    endif()
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT "C" IN_LIST languages)
        message(FATAL_ERROR "cryptostitch_add_columns compiles C: project(... LANGUAGES C), or enable_language(C)")
    endif()
    _cst_abi(ARG_ABI "${ARG_ABI}")
    _cst_generator(cryptostitch_add_columns generator)
    _cst_generator_sources(dependencies)

    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${ARG_TARGET}.columns")
    set(emit ${generator} emit --columns "${folder}" --abi ${ARG_ABI})
    set(sources "${folder}/column_kernels.o")
    list(REMOVE_DUPLICATES ARG_HASHES)
    foreach(hash IN LISTS ARG_HASHES)
        list(APPEND emit --hash ${hash})
        list(APPEND sources "${folder}/column_${hash}.c")
    endforeach()
    if(ARG_TARGETS)
        list(JOIN ARG_TARGETS "," targets)
        list(APPEND emit --targets ${targets})
    endif()
    if(ARG_PREFIX)
        list(APPEND emit --prefix ${ARG_PREFIX})
    endif()
    add_custom_command(
        OUTPUT ${sources} "${folder}/cryptostitch_columns.h"
        COMMAND ${emit}
        DEPENDS ${dependencies}
        COMMENT "Generating the columns of ${ARG_TARGET}"
        VERBATIM)
    set_source_files_properties("${folder}/column_kernels.o" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    add_library(${ARG_TARGET} STATIC ${sources} "${folder}/cryptostitch_columns.h")
    target_include_directories(${ARG_TARGET} PUBLIC "${folder}")
    target_compile_options(${ARG_TARGET} PRIVATE -O3) # in every configuration: it is for speed, and nobody debugs it
    set_target_properties(${ARG_TARGET} PROPERTIES C_STANDARD 99 POSITION_INDEPENDENT_CODE ON)
endfunction()
