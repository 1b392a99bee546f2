"""The programs of examples/foreign: each compares what the library seals with its language's own AES-GCM."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PACKETS, ROUNDS = "50", "2"


@pytest.fixture(scope="module")
def prefix(example: Callable[[str], Path], build: Path, cpu: set[str]) -> Path:
    if "aes" not in cpu:
        pytest.skip("this CPU has no AES-NI")
    example("embed")  # installs it
    return build / "prefix"


def run(*command: str | Path, cwd: Path, **more: str) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env={**os.environ, **more}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(output: str) -> None:
    """Every packet was compared, and both ways were timed."""
    assert re.match(rf"{PACKETS} packets, \d+ bytes: all agree\n", output), output
    assert len(re.findall(r" +[\d.]+ ns a packet$", output, re.M)) >= 2, output


def test_go(root: Path, prefix: Path, tmp_path: Path) -> None:
    if not shutil.which("go") or not shutil.which("pkg-config"):
        pytest.skip("no Go with pkg-config here")
    pc = next(prefix.rglob("cryptostitch.pc")).parent
    program = tmp_path / "seal"
    folder = root / "examples/foreign/go"
    run("go", "build", "-o", program, ".", cwd=folder, PKG_CONFIG_PATH=str(pc), GOTOOLCHAIN="local", GOFLAGS="-p=2")
    check(run(program, PACKETS, ROUNDS, cwd=tmp_path, LD_LIBRARY_PATH=str(pc.parent)))
    assert subprocess.run([program, "none"], env={"LD_LIBRARY_PATH": str(pc.parent)}, capture_output=True).returncode


def test_node(root: Path, prefix: Path, tmp_path: Path) -> None:
    """With koffi where CRYPTOSTITCH_NODE_MODULES, or the example's folder, has it."""
    modules = os.environ.get("CRYPTOSTITCH_NODE_MODULES", str(root / "examples/foreign/node/node_modules"))
    if not shutil.which("node") or not Path(modules, "koffi").exists():
        pytest.skip("no Node with koffi here")
    library = str(next(prefix.rglob("libcryptostitch.so.0")))
    program = root / "examples/foreign/node/seal.js"
    check(run("node", program, PACKETS, ROUNDS, cwd=tmp_path, NODE_PATH=modules, CRYPTOSTITCH_LIBRARY=library))


def test_java(root: Path, prefix: Path, tmp_path: Path) -> None:
    """By a JDK of version 22 or later, which compiles the program itself."""
    java = shutil.which("java")
    version = subprocess.run([java, "--version"], capture_output=True, text=True).stdout if java else ""
    found = re.match(r"\w+ (\d+)", version)
    if not found or int(found[1]) < 22 or not shutil.which("javac"):
        pytest.skip("no Java 22 here")
    library = str(next(prefix.rglob("libcryptostitch.so.0")))
    program = root / "examples/foreign/java/Seal.java"
    check(
        run(
            *("java", "--enable-native-access=ALL-UNNAMED", program, PACKETS, ROUNDS),
            cwd=tmp_path,
            CRYPTOSTITCH_LIBRARY=library,
        )
    )


@pytest.mark.parametrize("program", ["node/seal.js", "java/Seal.java"])
def test_every_structure_is_the_header_s(root: Path, program: str) -> None:
    """Compares the fields and their order, where a program lays out the structure by itself."""
    header = (root / "include/cryptostitch/cryptostitch.h").read_text()
    struct = re.search(r"typedef struct cst_text_column \{(.*?)^\}", header, re.M | re.S)[1]
    struct = re.sub(r"/\*.*?\*/", "", struct, flags=re.S)
    fields = re.findall(r"(\w+)\s*[,;]", struct)
    text = (root / "examples/foreign" / program).read_text()
    pattern = {"node": r"(\w+): '", "java": r'withName\("(\w+)"\)'}[program.partition("/")[0]]
    begin = text.index("koffi.struct(") if program.startswith("node") else text.index("StructLayout COLUMN")
    end = text.index("});" if program.startswith("node") else ");\n", begin)
    assert re.findall(pattern, text[begin:end]) == fields
