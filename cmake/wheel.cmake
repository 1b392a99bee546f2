# What a Python wheel holds beside the generator's modules: component `python`, which no other installation has, with
# the package's folder as prefix.
#
# CST_PREBUILT: a finished build folder; its library and programs go into the wheel, and nothing is built.
install(DIRECTORY templates DESTINATION . COMPONENT python EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.j2")
if(CST_PREBUILT)
    foreach(_target cryptostitch cst-sum) # pyproject.toml names them
        add_custom_target(${_target})
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
