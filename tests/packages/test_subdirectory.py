"""A project that adds the checkout as a folder: its targets and CMake commands are there."""

from __future__ import annotations

from pathlib import Path

from packages.consumer import ABC, run

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C CXX ASM)
set(CST_TESTS OFF)
set(CST_BENCH OFF)
add_subdirectory({root} cryptostitch EXCLUDE_FROM_ALL)
if(NOT TARGET cryptostitch::cryptostitch OR NOT TARGET cryptostitch::static)
    message(FATAL_ERROR "a target is missing")
endif()
cryptostitch_add_columns(TARGET hashes HASHES sha256 TARGETS sse)
add_executable(user main.c)
target_link_libraries(user PRIVATE hashes)
"""
SOURCE = r"""
#include <cryptostitch_columns.h>
#include <stdio.h>
int main(void) {
    const uint32_t offsets[] = {0, 3};
    unsigned char digest[32];
    if (cst_column_sha256("abc", offsets, 4, 1, digest)) return 1;
    for (int i = 0; i < 32; i++) printf("%02x", digest[i]);
    return 0;
}
"""


def test_columns(root: Path, build: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(root=root))
    (tmp_path / "main.c").write_text(SOURCE)
    sources = [f"-DFETCHCONTENT_SOURCE_DIR_{n.upper()}={build}/_deps/{n}-src" for n in ("asmjit", "sodium", "zstd")]
    run("cmake", "-S", tmp_path, "-B", tmp_path / "b", "-G", "Ninja", *sources)
    run("cmake", "--build", tmp_path / "b")
    assert run(tmp_path / "b/user") == ABC
