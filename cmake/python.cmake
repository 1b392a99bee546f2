# CST_PYTHON: the Python that runs the generator. Default: pip's while it builds a wheel, the checkout's .venv (made by
# `make venv`), or the system's. It is not cached, so that what is installed after a configuration that failed is found.
if(NOT CST_PYTHON AND NOT CST_PREGENERATED)
    if(SKBUILD)
        set(CST_PYTHON "${Python3_EXECUTABLE}")
    elseif(EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
        set(CST_PYTHON "${PROJECT_SOURCE_DIR}/.venv/bin/python")
    else()
        find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
        set(CST_PYTHON "${Python3_EXECUTABLE}")
    endif()
endif()
# `python generator MODULE`: a module of this checkout's generator, installed or not. PYTHONPATH stays as it is, since
# by it pip hands over the packages that it has isolated.
set(CST_GENERATOR "${CST_PYTHON}" "${PROJECT_SOURCE_DIR}/generator")

# Looks for the generator's packages now, because without them the build would fail minutes later.
if(NOT CST_PREGENERATED)
    set(_needs "import sys; assert sys.version_info >= (3, 11), f'it is Python {sys.version}'; \
import click, elftools, iced_x86, jinja2, llvmlite, rich, zstandard")
    set(_failed "no Python 3.11 or newer was found")
    set(_why "")
    if(CST_PYTHON)
        execute_process(COMMAND "${CST_PYTHON}" -c "${_needs}" RESULT_VARIABLE _failed ERROR_VARIABLE _why)
    endif()
    if(_failed)
        string(REGEX MATCH "[^\n]+\n*$" _why "${_why}") # the last line of a traceback
        string(STRIP "${_why}" _why)
        if(_why)
            set(_failed "${_why}")
        endif()
        message(FATAL_ERROR
            "Python generates the kernels, and '${CST_PYTHON}' cannot: ${_failed}.  Any of these helps:\n"
            "  - `make` in ${PROJECT_SOURCE_DIR}, which makes an environment and builds with it\n"
            "  - an environment of your own:\n"
            "      python3 -m venv /tmp/generator\n"
            "      /tmp/generator/bin/pip install -r ${PROJECT_SOURCE_DIR}/requirements.txt\n"
            "    and -DCST_PYTHON=/tmp/generator/bin/python\n"
            "  - kernels that a finished build of this version has generated, which need no Python:\n"
            "      -DCST_PREGENERATED=<its folder build/generated>\n")
    endif()
endif()
