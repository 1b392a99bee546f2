"""The sanitized builds (sanitize/CMakeLists.txt), made when a test first wants them, of which the commit's hash draws
some; and programs of one file against
the shared library."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commit_draw import is_drawn

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LONG = bool(os.environ.get("CRYPTOSTITCH_LONG"))
SANITIZERS = {"address": "address,undefined", "thread": "thread", "fuzzer": "fuzzer-no-link,address,undefined"}
DRAWN = {"thread": 8, "fuzzer": 8}
"""Builds that one commit in so many makes, and each long form: each takes the compiler 90 CPU seconds."""


def sanitized(name: str) -> Path:
    """The folder of the build "address", "thread" or "fuzzer"; skips the test where the compiler cannot do it,
    or where it is not the commit's turn."""
    if name in DRAWN and not LONG and not is_drawn(f"sanitizer {name}", DRAWN[name]):
        pytest.skip(f"one commit in {DRAWN[name]} makes the build {name}, and CRYPTOSTITCH_LONG=1")
    compiler = "clang++" if name == "fuzzer" else "c++"
    with_fuzzer = SANITIZERS[name].replace("fuzzer-no-link", "fuzzer")
    if not compiles(compiler, with_fuzzer):
        pytest.skip(f"{compiler} has no -fsanitize={with_fuzzer}")
    folder = BUILD / "sanitize" / name
    folder.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "PATH": f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"}
    if name == "fuzzer":
        env |= {"CC": "clang", "CXX": "clang++"}
    with open(folder / "lock", "w") as lock:  # one at a time: pytest may run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "build.ninja").exists():
            definitions = [
                f"-DCST_SANITIZE={SANITIZERS[name]}",
                f"-DCST_BUILD={BUILD}",
                f"-DCST_GENERATED={generated()}",
                *launchers(),
            ]
            run(["cmake", "-S", ROOT / "tests/runtime/sanitize", "-B", folder, "-G", "Ninja", *definitions], env)
        run(["cmake", "--build", folder, "-j", "2"], env)
    return folder


def launchers() -> list[str]:
    """The definitions of the ordinary build that name a compiler's launcher, such as ccache."""
    lines = (BUILD / "CMakeCache.txt").read_text().splitlines()
    return [f"-D{line}" for line in lines if re.match(r"CMAKE_C(XX)?_COMPILER_LAUNCHER:\w+=.", line)]


def runtime_of(name: str) -> str:
    """Returns the path of a sanitizer's library, which a program that was not built with it preloads."""
    command = ["c++", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def generated() -> Path:
    return BUILD / "generated"


def compiles(compiler: str, sanitizers: str) -> bool:
    if not shutil.which(compiler):
        return False
    body = (
        "int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }"
        if "fuzzer" in sanitizers
        else "int main() { return 0; }"
    )
    source = f'#include <vector>\nextern "C" {body}\n'
    flags = [f"-fsanitize={sanitizers}", "-x", "c++", "-", "-o", os.devnull]
    return subprocess.run([compiler, *flags], input=source, text=True, capture_output=True).returncode == 0


def run(command: list[str | Path], env: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout[-6000:]


def compiled(source: str, library: str, folder: Path) -> Path:
    """A program of tests/runtime made of one C++ file and the shared library."""
    program, where = folder / Path(source).stem, Path(library).resolve()
    flags = ["-std=c++17", "-O1", "-Wall", "-I", ROOT / "include", f"-Wl,-rpath,{where.parent}"]
    run(["c++", *flags, ROOT / "tests/runtime" / source, where, "-ldl", "-lpthread", "-o", program])
    return program
