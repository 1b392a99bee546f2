# cryptostitch (shared) and cryptostitch_static: the runtime, asmjit, the default pack and the static kernels.
file(GLOB _runtime CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/runtime/*/*.cpp"
     "${PROJECT_SOURCE_DIR}/runtime/*/*/*.cpp")
find_package(Threads REQUIRED)
include(CheckCXXCompilerFlag)

add_library(cst_runtime OBJECT ${_runtime} "${CST_GENERATED}/static_kernels.c" "${CST_GENERATED}/instruction_table.inc"
    "${CST_GENERATED}/row_rules.inc" cmake/default_pack.S)
target_include_directories(cst_runtime PUBLIC include PRIVATE runtime "${CST_GENERATED}")
target_compile_definitions(cst_runtime PRIVATE
                           $<$<COMPILE_LANGUAGE:ASM>:CST_DEFAULT_PACK="${CST_GENERATED}/default.pack">
                           $<TARGET_PROPERTY:cst_asmjit,INTERFACE_COMPILE_DEFINITIONS>)
target_include_directories(cst_runtime SYSTEM PRIVATE $<TARGET_PROPERTY:cst_asmjit,INTERFACE_SYSTEM_INCLUDE_DIRECTORIES>
                           $<TARGET_PROPERTY:cst_zstd,INTERFACE_SYSTEM_INCLUDE_DIRECTORIES>)
target_compile_options(cst_runtime PRIVATE -Wall -Wextra $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
# No call needs more than 16 KiB of its caller's stack (the header promises it, tests/runtime/test_api_stack.py measures
# it). Larger objects belong into memory: runtime/executors/slot.hpp. Other compilers and options make other frames.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CXX_FLAGS)
    target_compile_options(cst_runtime PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror=frame-larger-than=12288>)
    # clear_below clears what public keys use, by a frame of that size.
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/runtime/suite/registers.cpp" APPEND PROPERTY COMPILE_OPTIONS
        -Wno-frame-larger-than)
endif()
# `rep stos`, with which GCC clears a few hundred bytes otherwise, takes some 35 cycles to start, several times per
# burst.
check_cxx_compiler_flag(-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign CST_HAS_MEMSET_STRATEGY)
if(CST_HAS_MEMSET_STRATEGY)
    target_compile_options(cst_runtime PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign>)
endif()
# What runs once for a context or when somebody asks: small rather than fast.
foreach(_cold api/context api/kernels code/announce code/check code/check_kernel code/check_layout code/check_program
    code/check_value code/assemble code/bind code/cache code/form code/frame code/pack code/weave run/explain
    run/kinds run/plan_class selftest/selftest keys/tree_key select/calibrate select/cost_file select/cpu
    select/engine select/features select/lesser_cpu select/nearest select/saved_costs select/target select/variant
    suite/crc suite/galois suite/suite suite/suite_kernels)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/runtime/${_cold}.cpp" PROPERTIES COMPILE_OPTIONS -Os)
endforeach()

# Exactly the functions that the header marks with CST_API leave the shared library.
set(_header "${PROJECT_SOURCE_DIR}/include/cryptostitch/cryptostitch.h")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_header}")
file(STRINGS "${_header}" _declarations REGEX "^CST_API ")
set(_names "")
foreach(_declaration IN LISTS _declarations)
    string(REGEX MATCH "cst_[a-z_0-9]+\\(" _name "${_declaration}")
    string(REPLACE "(" ";" _name "${_name}")
    string(APPEND _names "${_name}")
endforeach()
# and what gdb looks for, in a stripped library too: runtime/code/announce.cpp
string(APPEND _names "__jit_debug_descriptor;__jit_debug_register_code;")
string(REPLACE ";" "; " _names "${_names}")
# The node is that of cryptostitch.h's promise: another second number is another interface.
set(_node "CRYPTOSTITCH_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
file(CONFIGURE OUTPUT "${CST_GENERATED}/exports.map" CONTENT "@_node@ { global: @_names@ local: *; };\n" @ONLY)

set(_objects $<TARGET_OBJECTS:cst_runtime> $<TARGET_OBJECTS:cst_asmjit> $<TARGET_OBJECTS:cst_sodium>
    $<TARGET_OBJECTS:cst_zstd> "${CST_GENERATED}/static_kernels.o")
add_library(cryptostitch SHARED ${_objects})
# Without the start files: .init_array needs none of them, and distributions whose start files lack the IBT and SHSTK
# marks would unmark it.
target_link_options(cryptostitch PRIVATE -nostartfiles "LINKER:--version-script=${CST_GENERATED}/exports.map"
                    LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack LINKER:--no-undefined LINKER:--gc-sections)
set_target_properties(cryptostitch PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
    LINK_DEPENDS "${CST_GENERATED}/exports.map")

add_library(cryptostitch_static STATIC ${_objects})
set_target_properties(cryptostitch_static PROPERTIES OUTPUT_NAME cryptostitch)

foreach(_library cryptostitch cryptostitch_static)
    set_target_properties(${_library} PROPERTIES LINKER_LANGUAGE CXX ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                          LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    target_include_directories(${_library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${_library} PRIVATE Threads::Threads)
    add_dependencies(${_library} cst_runtime)
endforeach()
set_target_properties(cryptostitch_static PROPERTIES EXPORT_NAME static)
# So that a C project links it too.
target_link_libraries(cryptostitch_static INTERFACE stdc++ m)
add_library(cryptostitch::cryptostitch ALIAS cryptostitch)
add_library(cryptostitch::static ALIAS cryptostitch_static)
