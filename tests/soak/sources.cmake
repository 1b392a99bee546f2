# The sources of cst-soak, here and in the sanitized builds (tests/runtime/sanitize).
set(CST_SOAK_SOURCES "")
foreach(_name main options where tally worker habits draw entries records job guarded subject meaning model evp)
    list(APPEND CST_SOAK_SOURCES "${CMAKE_CURRENT_LIST_DIR}/${_name}.cpp")
endforeach()
