# libcst-python: what the Python binding does for many objects at once, beside the library. The functions of Python that
# it calls are those of the interpreter that loads it.
set(_source "${PROJECT_SOURCE_DIR}/generator/cryptostitch/binding/digests.c")
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT EXISTS "${_source}")
    message(STATUS "libcst-python is not built: hash_many takes longer without it")
    add_custom_target(cst_python)
    return()
endif()
add_library(cst_python MODULE "${_source}")
set_target_properties(cst_python PROPERTIES OUTPUT_NAME cst-python C_STANDARD 99 C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_compile_options(cst_python PRIVATE -Wall -Wextra)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_C_FLAGS)
    target_compile_options(cst_python PRIVATE -Werror=frame-larger-than=6144)
endif()
target_link_options(cst_python PRIVATE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
install(TARGETS cst_python LIBRARY DESTINATION lib COMPONENT python EXCLUDE_FROM_ALL)
