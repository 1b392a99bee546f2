"""The library and cst-sum with Clang, libc++ and musl (`zig c++`), static, as containers have them: the self-test, jobs
of every kind on a thread of musl's (a stack of 128 KiB), and cst-sum on several threads."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest
from lesser import PARTS, SEALS, answers, wrong
from packages.consumer import run

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(musl LANGUAGES C CXX ASM)
set(CMAKE_C_STANDARD 11)
set(CST_TESTS OFF)
set(CST_BENCH OFF)
add_subdirectory("{root}" cryptostitch EXCLUDE_FROM_ALL)
file(GLOB cst_sum "{root}/tools/cst-sum/*.cpp")
add_executable(sum ${{cst_sum}})
add_executable(jobs "{root}/tests/runtime/lesser_machine.c")
set_target_properties(jobs PROPERTIES LINKER_LANGUAGE CXX)
foreach(program sum jobs)
    target_link_libraries(${{program}} PRIVATE cryptostitch::static)
    target_link_options(${{program}} PRIVATE -static)
endforeach()
"""
NEEDS_AES = frozenset((*SEALS[:3], "crc32c"))
"""What this CPU may lack."""
TOOLS = {"C_COMPILER": "cc", "CXX_COMPILER": "c++", "AR": "ar", "RANLIB": "ranlib"}


def tool(folder: Path, name: str) -> Path:
    """A program that runs a tool of zig's."""
    target = "-target x86_64-linux-musl" if name.startswith("c") else ""
    path = folder / f"zig-{name}"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {name} {target} "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def programs(root: Path, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs."""
    if not os.environ.get("CRYPTOSTITCH_LONG"):
        pytest.skip("compiles the library once more: CRYPTOSTITCH_LONG=1")
    folder = tmp_path_factory.mktemp("musl")
    (folder / "CMakeLists.txt").write_text(PROJECT.format(root=root))
    options = [f"-DCMAKE_{variable}={tool(folder, name)}" for variable, name in TOOLS.items()]
    options += [f"-DFETCHCONTENT_SOURCE_DIR_{n.upper()}={build}/_deps/{n}-src" for n in ("asmjit", "sodium", "zstd")]
    cache = {f"ZIG_{which}_CACHE_DIR": str(folder / "cache") for which in ("GLOBAL", "LOCAL")}
    generated = f"-DCST_PREGENERATED={build}/generated"
    run(
        "cmake",
        "-S",
        folder,
        "-B",
        folder / "b",
        "-G",
        "Ninja",
        "-DCMAKE_BUILD_TYPE=Release",
        generated,
        *options,
        **cache,
    )
    run("cmake", "--build", folder / "b", **cache)
    return folder / "b"


def test_they_are_of_musl(programs: Path) -> None:
    """Static, with musl's loader messages and without glibc's version strings."""
    for name in ("sum", "jobs"):
        data = (programs / name).read_bytes()
        assert data[:4] == b"\x7fELF" and b"GLIBC_2." not in data and b"/lib/ld-" not in data


@pytest.mark.parametrize("part", PARTS)
def test_jobs(programs: Path, part: str) -> None:
    assert not wrong(part, answers([programs / "jobs", part], programs), NEEDS_AES)


def test_cst_sum(programs: Path, tmp_path: Path) -> None:
    texts = [bytes([i]) * (i * 100_003 % 1_000_000) for i in range(40)]
    files = [tmp_path / f"{i}.bin" for i in range(len(texts))]
    for file, text in zip(files, texts):
        file.write_bytes(text)
    said = run(programs / "sum", "-a", "sha256", "-j", "8", *files)
    assert said.splitlines() == [f"{hashlib.sha256(t).hexdigest()}  {f}" for t, f in zip(texts, files)]
