"""vcpkg's port, without vcpkg (which downloads itself): what it is made of is there, and its steps, each replaced by
CMake's own, lead to a package that a program is built against."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jobs.samples import LONG
from packages.consumer import run, with_cmake

# What vcpkg's functions do, as far as this port asks.
STAND_INS = """
function(vcpkg_cmake_configure)
    cmake_parse_arguments(arg "" "SOURCE_PATH" "OPTIONS" ${ARGN})
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "unknown: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    foreach(option IN LISTS arg_OPTIONS)
        string(REGEX REPLACE "^-D[A-Z_]+=" "" value "${option}")
        if(IS_ABSOLUTE "${value}" AND NOT EXISTS "${value}")
            message(FATAL_ERROR "no ${value}")
        endif()
    endforeach()
    if(COMPILES)
        execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK} -G Ninja ${arg_OPTIONS}
            -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release --log-level=ERROR COMMAND_ERROR_IS_FATAL ANY)
    endif()
endfunction()
function(vcpkg_cmake_install)
    if(COMPILES)
        execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
        set(from ${WORK})
    else()
        set(from ${FINISHED})
    endif()
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${from} --prefix ${CURRENT_PACKAGES_DIR}
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(arg "" "CONFIG_PATH" "" ${ARGN})
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/cryptostitch-config.cmake)
        message(FATAL_ERROR "no configuration in ${arg_CONFIG_PATH}")
    endif()
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_copy_tools)
    cmake_parse_arguments(arg "AUTO_CLEAN" "" "TOOL_NAMES" ${ARGN})
    foreach(name IN LISTS arg_TOOL_NAMES)
        file(INSTALL ${CURRENT_PACKAGES_DIR}/bin/${name} DESTINATION ${CURRENT_PACKAGES_DIR}/tools/${PORT})
    endforeach()
endfunction()
function(vcpkg_install_copyright)
    cmake_parse_arguments(arg "" "" "FILE_LIST" ${ARGN})
    file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
endfunction()
"""


@pytest.mark.parametrize("compiles", [False, pytest.param(True, marks=pytest.mark.skipif(not LONG, reason="minutes"))])
def test_the_steps(root: Path, build: Path, tmp_path: Path, compiles: bool) -> None:
    """In the quick form, what is installed is of this build."""
    port = root / "packaging/vcpkg/cryptostitch"
    (tmp_path / "port.cmake").write_text(f"{STAND_INS}\ninclude({port}/portfile.cmake)\n")
    prefix = tmp_path / "prefix"
    names = {
        "PORT": "cryptostitch",
        "CURRENT_PACKAGES_DIR": prefix,
        "WORK": tmp_path / "work",
        "FINISHED": build,
        "COMPILES": "ON" if compiles else "OFF",
    }
    run("cmake", *(f"-D{name}={value}" for name, value in names.items()), "-P", tmp_path / "port.cmake")
    assert {path.name for path in (prefix / "share/cryptostitch").iterdir()} == {"LICENSE", "LICENSE.md", "usage"}
    assert (prefix / "tools/cryptostitch/cst-sum").exists()
    with_cmake(prefix, tmp_path)


def test_the_manifest(root: Path) -> None:
    manifest = json.loads((root / "packaging/vcpkg/cryptostitch/vcpkg.json").read_text())
    assert manifest["name"] == "cryptostitch"
    assert {need["name"] for need in manifest["dependencies"]} == {"vcpkg-cmake", "vcpkg-cmake-config"}
    assert (root / "LICENSE").read_text().lstrip().startswith("Apache License") and manifest["license"] == "Apache-2.0"
