# What a Python wheel holds beside the generator's modules: component `python`, which no other installation has, with
# the package's folder as prefix.
#
# CST_PREBUILT: a finished build folder; its library and programs go into the wheel, and nothing is built. The generator
# beside them must run and be of the same source: it makes a kernel, and the instruction table once more.
install(DIRECTORY templates DESTINATION . COMPONENT python EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.j2")
if(CST_PREBUILT)
    include(cmake/python.cmake)
    add_custom_target(cst_same_source
        COMMAND ${CST_GENERATOR} cryptostitch.cli emit --object one.o md5_x1@scalar
        COMMAND ${CST_GENERATOR} cryptostitch.emit.instruction_table instruction_table.inc
        COMMAND "${CMAKE_COMMAND}" -E compare_files instruction_table.inc
            "${CST_PREBUILT}/generated/instruction_table.inc"
        COMMENT "Comparing this generator with that of ${CST_PREBUILT}"
        VERBATIM)
    foreach(_target cryptostitch cst-sum cst_python) # pyproject.toml names them
        add_custom_target(${_target} DEPENDS cst_same_source)
    endforeach()
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --install \"${CST_PREBUILT}\" --component python --strip
        --prefix \"\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT python)
    return()
endif()

# A wheel has no symbolic links, so one name; `install(TARGETS)` would make three.
install(PROGRAMS $<TARGET_FILE:cryptostitch> DESTINATION lib RENAME libcryptostitch.so.0 COMPONENT python
    EXCLUDE_FROM_ALL)
install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" \"\${CMAKE_INSTALL_PREFIX}/lib/libcryptostitch.so.0\"
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS cst-sum RUNTIME DESTINATION bin COMPONENT python EXCLUDE_FROM_ALL)
foreach(_part asmjit/LICENSE.md sodium/LICENSE zstd/LICENSE)
    get_filename_component(_name ${_part} DIRECTORY)
    get_filename_component(_file ${_part} NAME)
    install(FILES "${${_name}_SOURCE_DIR}/${_file}" DESTINATION licenses RENAME "LICENSE.${_name}" COMPONENT python
        EXCLUDE_FROM_ALL)
endforeach()
