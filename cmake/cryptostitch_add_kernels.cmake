# cryptostitch_add_kernels(TARGET name KERNELS kernel... [ABI sysv|win64])
#
# Makes the library target `name` of the named kernels (`cryptostitch list` shows them), generated at build time:
# objects without JIT, without C++ and without the runtime, and the header <cryptostitch_kernels.h> on its include path.
# The generator is the Python package `cryptostitch`: the one beside this file in a checkout, else the one that
# CST_PYTHON can import.
include_guard(GLOBAL)

# `command`: the one that wants it.
function(_cst_generator command result)
    get_filename_component(checkout "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." ABSOLUTE)
    set(python "${CST_PYTHON}")
    set(from -m)
    if(EXISTS "${checkout}/generator/cryptostitch/cli.py")
        set(from "${checkout}/generator") # runs modules of the checkout, see its __main__.py
        if(NOT python AND EXISTS "${checkout}/.venv/bin/python")
            set(python "${checkout}/.venv/bin/python")
        endif()
    endif()
    if(NOT python)
        find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
        set(python "${Python3_EXECUTABLE}")
    endif()
    execute_process(COMMAND "${python}" "${from}" cryptostitch.cli --version RESULT_VARIABLE failed OUTPUT_QUIET
        ERROR_VARIABLE why)
    if(failed)
        message(FATAL_ERROR "${command} needs the generator, which an installed library does not contain, and "
            "'${python}' cannot import it. Install the wheel (`make wheel` in a checkout builds it):\n"
            "  python3 -m venv generator && generator/bin/pip install \"$(ls cryptostitch-*.whl)[generator]\"\n"
            "and configure with -DCST_PYTHON=<absolute path>/generator/bin/python.\n${why}")
    endif()
    set(${result} "${python}" "${from}" cryptostitch.cli PARENT_SCOPE)
endfunction()

# What generated files depend on: in a checkout the generator and the templates, else nothing.
function(_cst_generator_sources result)
    get_filename_component(checkout "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." ABSOLUTE)
    set(sources "")
    if(EXISTS "${checkout}/generator/cryptostitch/cli.py")
        file(GLOB_RECURSE sources "${checkout}/generator/*.py" "${checkout}/generator/*.h"
            "${checkout}/generator/cryptostitch/core/*.txt"
            "${checkout}/generator/cryptostitch/cpus/*.json" "${checkout}/templates/*.j2")
    endif()
    set(${result} ${sources} PARENT_SCOPE)
endfunction()

# The calling convention that was asked for, or the platform's.
function(_cst_abi result asked)
    if(NOT asked)
        set(asked sysv)
        if(WIN32)
            set(asked win64)
        endif()
    endif()
    set(${result} ${asked} PARENT_SCOPE)
endfunction()

function(cryptostitch_add_kernels)
    cmake_parse_arguments(PARSE_ARGV 0 ARG "" "TARGET;ABI" "KERNELS")
    if(NOT ARG_TARGET OR NOT ARG_KERNELS OR ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "usage: cryptostitch_add_kernels(TARGET name KERNELS kernel... [ABI sysv|win64])")
    endif()
    _cst_abi(ARG_ABI "${ARG_ABI}")
    _cst_generator(cryptostitch_add_kernels generator)
    _cst_generator_sources(sources)

    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${ARG_TARGET}.kernels")
    set(archive "${folder}/${CMAKE_STATIC_LIBRARY_PREFIX}${ARG_TARGET}${CMAKE_STATIC_LIBRARY_SUFFIX}")
    set(emit ${generator} emit --static "${folder}" --abi ${ARG_ABI} ${ARG_KERNELS})
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
        OUTPUT "${archive}" "${folder}/cryptostitch_kernels.h"
        COMMAND "${CMAKE_COMMAND}" -E rm -rf "${folder}"
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
        COMMAND ${emit}
        COMMAND "${CMAKE_COMMAND}" "-DAR=${CMAKE_AR}" "-DARCHIVE=${archive}" "-DFOLDER=${folder}"
            -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cryptostitch_archive.cmake"
        DEPENDS ${sources}
        COMMENT "Generating the kernels of ${ARG_TARGET}"
        VERBATIM)
    add_custom_target(${ARG_TARGET}_kernels DEPENDS "${archive}" "${folder}/cryptostitch_kernels.h")
    add_library(${ARG_TARGET} STATIC IMPORTED GLOBAL)
    set_target_properties(${ARG_TARGET} PROPERTIES IMPORTED_LOCATION "${archive}"
        INTERFACE_INCLUDE_DIRECTORIES "${folder}")
    add_dependencies(${ARG_TARGET} ${ARG_TARGET}_kernels)
endfunction()
