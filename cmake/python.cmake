# CST_PYTHON: the Python that runs the generator. Default: pip's while it builds a wheel, the checkout's .venv (made by
# `make venv`), or the system's.
if(NOT CST_PYTHON AND NOT CST_PREGENERATED)
    if(SKBUILD)
        set(_python "${Python3_EXECUTABLE}")
    elseif(EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
        set(_python "${PROJECT_SOURCE_DIR}/.venv/bin/python")
    else()
        find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
        set(_python "${Python3_EXECUTABLE}")
    endif()
    set(CST_PYTHON "${_python}" CACHE FILEPATH "Python that runs the generator")
endif()
# `python generator MODULE`: a module of this checkout's generator, installed or not. PYTHONPATH stays as it is, since
# by it pip hands over the packages that it has isolated.
set(CST_GENERATOR "${CST_PYTHON}" "${PROJECT_SOURCE_DIR}/generator")
