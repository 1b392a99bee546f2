# The runtime once more, under a sanitizer. Everything else comes from the ordinary build folder: the generated files,
# asmjit's object files (an encoder over memory that it was given: what it overruns is seen by the allocator all the
# same, what it races on is not).
#
#   CST_SANITIZE   what goes behind -fsanitize= for the runtime: "address,undefined", "thread",
#                  "fuzzer-no-link,address,undefined"
#   CST_BUILD      the ordinary build folder
#   CST_GENERATED  its generated files
set(CST_SANITIZE "address,undefined" CACHE STRING "Sanitizers of the runtime")
set(CST_BUILD "${CMAKE_CURRENT_LIST_DIR}/../build" CACHE PATH "The ordinary build folder")
set(CST_GENERATED "${CST_BUILD}/generated" CACHE PATH "default.pack, static_kernels.{c,o}, *.inc")
get_filename_component(CST_ROOT "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

file(GLOB_RECURSE _asmjit CONFIGURE_DEPENDS "${CST_BUILD}/CMakeFiles/cst_asmjit.dir/*.o")
if(NOT _asmjit)
    message(FATAL_ERROR "no object files of asmjit in ${CST_BUILD}: run make first")
endif()
file(STRINGS "${CST_BUILD}/CMakeCache.txt" _source REGEX "^FETCHCONTENT_SOURCE_DIR_ASMJIT:[A-Z]+=.")
string(REGEX REPLACE "^[^=]*=" "" _source "${_source}")
if(NOT _source)
    set(_source "${CST_BUILD}/_deps/asmjit-src")
endif()

if(NOT FETCHCONTENT_SOURCE_DIR_SODIUM AND EXISTS "${CST_BUILD}/_deps/sodium-src/src")
    set(FETCHCONTENT_SOURCE_DIR_SODIUM "${CST_BUILD}/_deps/sodium-src")
endif()
if(NOT FETCHCONTENT_SOURCE_DIR_ZSTD AND EXISTS "${CST_BUILD}/_deps/zstd-src/lib")
    set(FETCHCONTENT_SOURCE_DIR_ZSTD "${CST_BUILD}/_deps/zstd-src")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/sodium.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/zstd.cmake")

add_library(cst_sanitized INTERFACE)
target_compile_options(cst_sanitized INTERFACE $<$<NOT:$<COMPILE_LANGUAGE:ASM>>:-fsanitize=${CST_SANITIZE}>)
string(REPLACE "fuzzer-no-link," "" _link "${CST_SANITIZE}")
target_link_options(cst_sanitized INTERFACE "-fsanitize=${_link}")
if(CST_SANITIZE MATCHES "undefined")
    # asmjit is built without type information, so the check that needs it is off
    target_compile_options(cst_sanitized INTERFACE
        $<$<NOT:$<COMPILE_LANGUAGE:ASM>>:-fno-sanitize=vptr -fno-sanitize-recover=undefined>)
    # Before a function clang 17 and later look for its type, which generated code has not.
    target_compile_options(cst_sanitized INTERFACE $<$<COMPILE_LANG_AND_ID:C,Clang>:-fno-sanitize=function>
        $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function>)
endif()

file(GLOB _runtime CONFIGURE_DEPENDS "${CST_ROOT}/runtime/*/*.cpp" "${CST_ROOT}/runtime/*/*/*.cpp")
add_library(cst_runtime OBJECT ${_runtime} "${CST_GENERATED}/static_kernels.c" "${CST_ROOT}/cmake/default_pack.S")
target_include_directories(cst_runtime PUBLIC "${CST_ROOT}/include" "${CST_ROOT}/runtime" "${CST_GENERATED}")
target_include_directories(cst_runtime SYSTEM PUBLIC "${_source}/src"
    $<TARGET_PROPERTY:cst_zstd,INTERFACE_SYSTEM_INCLUDE_DIRECTORIES>)
include("${CMAKE_CURRENT_LIST_DIR}/asmjit_definitions.cmake")
target_compile_definitions(cst_runtime PUBLIC ${CST_ASMJIT_DEFINITIONS}
                           PRIVATE $<$<COMPILE_LANGUAGE:ASM>:CST_DEFAULT_PACK="${CST_GENERATED}/default.pack">)
# Without optimization a file compiles in three fifths of the time, and what is undefined stays in the code. A fuzzer
# wants speed.
string(REGEX MATCH "fuzzer" _fuzzer "${CST_SANITIZE}")
target_compile_options(cst_runtime PUBLIC $<IF:$<BOOL:${_fuzzer}>,-O1,-O0> -g1 -fno-omit-frame-pointer
                       $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
target_link_libraries(cst_runtime PUBLIC cst_sanitized)
set_source_files_properties("${CST_ROOT}/cmake/default_pack.S" PROPERTIES
    OBJECT_DEPENDS "${CST_GENERATED}/default.pack")
target_link_libraries(cst_sodium PRIVATE cst_sanitized)
target_link_libraries(cst_zstd PRIVATE cst_sanitized)
set(CST_OBJECTS $<TARGET_OBJECTS:cst_runtime> $<TARGET_OBJECTS:cst_sodium> $<TARGET_OBJECTS:cst_zstd> ${_asmjit}
    "${CST_GENERATED}/static_kernels.o")
set_source_files_properties(${_asmjit} "${CST_GENERATED}/static_kernels.o" PROPERTIES EXTERNAL_OBJECT TRUE)
