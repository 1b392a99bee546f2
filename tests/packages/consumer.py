"""A C program as a user's, and what it must print."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

SOURCE = r"""
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>
int main(void) {
    cst_ctx *ctx;
    const cst_suite *suite;
    cst_key *key;
    unsigned char digest[32];
    if (cst_ctx_new(&ctx, NULL) || cst_suite_get(ctx, "sha256", &suite)) return 1;
    if (cst_key_new(suite, NULL, 0, NULL, 0, &key) || cst_digest(key, "abc", 3, digest, 32)) return 1;
    for (int i = 0; i < 32; i++) printf("%02x", digest[i]);
    cst_key_free(key);
    cst_ctx_free(ctx);
    return 0;
}
"""
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C)
find_package(cryptostitch 0.1 REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE cryptostitch::{target})
"""


def run(*command: str | Path, cwd: Path | None = None, **env: str) -> str:
    """Standard output; the project's own tools are found before the system's."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PATH": path, **env},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-5000:]}{done.stderr[-5000:]}"
    return done.stdout


def with_pkg_config(prefix: Path, folder: Path) -> None:
    """Compiles, links and runs a program by what the .pc file below the prefix says."""
    (folder / "main.c").write_text(SOURCE)
    pc = next(prefix.rglob("cryptostitch.pc"))
    flags = run("pkg-config", "--cflags", "--libs", "cryptostitch", PKG_CONFIG_PATH=str(pc.parent)).split()
    assert all(str(prefix) in flag for flag in flags if flag[:2] in ("-I", "-L")), flags
    run("cc", folder / "main.c", "-o", folder / "by_pc", *flags)
    assert run(folder / "by_pc", LD_LIBRARY_PATH=str(pc.parents[1])) == ABC


def with_cmake(prefix: Path, folder: Path) -> None:
    """Builds and runs the program through find_package, shared and static."""
    (folder / "main.c").write_text(SOURCE)
    for target in ("cryptostitch", "static"):
        (folder / "CMakeLists.txt").write_text(CMAKE.format(target=target))
        build = folder / target
        run("cmake", "-S", folder, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", "--log-level=ERROR")
        run("cmake", "--build", build)
        assert run(build / "consumer") == ABC


def make_once(build: Path, kind: str, test_run: str, make: Callable[[], object]) -> Path:
    """Has packages of a kind made unless this test run has made them, of whose processes one makes them at a time.
    Returns their folder."""
    folder = build / "packages"
    folder.mkdir(exist_ok=True)
    with open(folder / f"{kind}.run", "a+") as made_by:
        fcntl.flock(made_by, fcntl.LOCK_EX)
        made_by.seek(0)
        if made_by.read() != test_run:
            make()
            made_by.truncate(0)
            made_by.write(test_run)
    return folder
