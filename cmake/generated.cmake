# The default pack and the static kernels, made by the generator in build/generated in one run.
set(CST_GENERATED "${PROJECT_BINARY_DIR}/generated")
set(_static "${CST_GENERATED}/static")
set(CST_STATIC_KERNELS default CACHE STRING
    "Kernels linked in as objects, for programs that may not assemble at run time: none, default or all")
set_property(CACHE CST_STATIC_KERNELS PROPERTY STRINGS none default all)
if(NOT CST_STATIC_KERNELS MATCHES "^(none|default|all)$")
    message(FATAL_ERROR "CST_STATIC_KERNELS is '${CST_STATIC_KERNELS}'; say -DCST_STATIC_KERNELS=none, default or all")
endif()
file(MAKE_DIRECTORY "${CST_GENERATED}")
set_source_files_properties("${CST_GENERATED}/static_kernels.o" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
set_source_files_properties("${PROJECT_SOURCE_DIR}/cmake/default_pack.S" PROPERTIES
    OBJECT_DEPENDS "${CST_GENERATED}/default.pack")
set_source_files_properties("${PROJECT_SOURCE_DIR}/runtime/code/form.cpp" PROPERTIES
    OBJECT_DEPENDS "${CST_GENERATED}/instruction_table.inc")
set_source_files_properties("${PROJECT_SOURCE_DIR}/runtime/code/pack.cpp" PROPERTIES
    OBJECT_DEPENDS "${CST_GENERATED}/row_rules.inc")

# CST_PREGENERATED: this folder of another build of the same source; neither Python nor the generator is needed then.
if(CST_PREGENERATED)
    foreach(_file default.pack static_kernels.o static_kernels.c cryptostitch_kernels.h instruction_table.inc
            row_rules.inc)
        configure_file("${CST_PREGENERATED}/${_file}" "${CST_GENERATED}/${_file}" COPYONLY)
    endforeach()
    return()
endif()

file(GLOB_RECURSE _generator CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/generator/*.py"
     "${PROJECT_SOURCE_DIR}/generator/*.json" "${PROJECT_SOURCE_DIR}/templates/*.j2")
# what these print, bind, measure or check does not change a kernel
set(_rooms "analysis|binding|instruction_probe|ladder|learning|model|mutate|report|semantics|tuning")
set(_commands "benching|calibrating|configuring|learning|looking|matrix|model|mutating|pairing|picturing|regretting")
string(APPEND _commands "|trusting|tuning")
list(FILTER _generator EXCLUDE REGEX
     "/cryptostitch/((${_rooms})/.*|cli|__main__|listing|emit/signature|commands/(${_commands}))\\.py$")
list(FILTER _generator EXCLUDE REGEX
     "/cpus/[^/]+/((about|bench|instruction_costs)[^/]*\\.json$|[.]learning/)")

# static_kernels.o: one relocatable object of all static kernels, because their number is known only to the generator.
add_custom_command(
    OUTPUT "${CST_GENERATED}/default.pack" "${CST_GENERATED}/static_kernels.o" "${CST_GENERATED}/static_kernels.c"
        "${CST_GENERATED}/cryptostitch_kernels.h"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${_static}"
    COMMAND ${CST_GENERATOR} cryptostitch.cli emit --default-pack "${CST_GENERATED}/default.pack" --static "${_static}"
        --static-kernels ${CST_STATIC_KERNELS}
    COMMAND sh "${PROJECT_SOURCE_DIR}/cmake/join_objects.sh" "${CMAKE_LINKER}" "${CST_GENERATED}/static_kernels.o"
        "${_static}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${_static}/static_kernels.c" "${_static}/cryptostitch_kernels.h"
        "${CST_GENERATED}"
    DEPENDS ${_generator} "${PROJECT_SOURCE_DIR}/cmake/join_objects.sh"
    COMMENT "Generating the default pack and the static kernels"
    USES_TERMINAL
    VERBATIM)

# The allow-list by which the runtime judges packs of the application.
add_custom_command(
    OUTPUT "${CST_GENERATED}/instruction_table.inc"
    COMMAND ${CST_GENERATOR} cryptostitch.emit.instruction_table "${CST_GENERATED}/instruction_table.inc"
    DEPENDS "${PROJECT_SOURCE_DIR}/generator/cryptostitch/core/instructions.py"
        "${PROJECT_SOURCE_DIR}/generator/cryptostitch/emit/instruction_table.py"
    COMMENT "Generating the instruction table of the runtime"
    VERBATIM)

# The rules by which the runtime judges the records of such packs.
add_custom_command(
    OUTPUT "${CST_GENERATED}/row_rules.inc"
    COMMAND ${CST_GENERATOR} cryptostitch.emit.row_rules "${CST_GENERATED}/row_rules.inc"
    DEPENDS "${PROJECT_SOURCE_DIR}/generator/cryptostitch/core/row_rules.py"
        "${PROJECT_SOURCE_DIR}/generator/cryptostitch/emit/row_rules.py"
    COMMENT "Generating the rules for records of algorithms"
    VERBATIM)
