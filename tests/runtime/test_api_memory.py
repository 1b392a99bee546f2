"""Every request to the system is refused once (faults.cpp), or all for executable memory (denied_code.cpp)."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack
from sanitized import compiled

FOREIGN = ("aes128_cbc_enc_x1_by1@sse_aesni", "aes128_cbc_dec_x1_by1@sse_aesni")


@pytest.fixture(scope="module")
def program(library: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("faults.cpp", library, tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def pack(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pack = read_pack((build / "generated" / "default.pack").read_bytes())
    recipes = [replace(r, name=f"{r.name}~again") for r in pack.recipes if r.name in FOREIGN]
    path = tmp_path_factory.mktemp("pack") / "foreign.pack"
    path.write_bytes(write_pack(pack.algorithms, recipes))
    return path


def faults(program: Path, scenario: str, pack: Path, *seed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, scenario, pack, *seed], capture_output=True, text=True, timeout=1200)


@pytest.mark.parametrize(
    "scenario, kinds",
    [
        ("anonymous", ("malloc", "mmap", "mprotect")),
        ("kernels", ("malloc", "mmap", "mprotect")),
        ("pack", ("malloc", "mmap", "mprotect")),
        ("sealed", ("malloc", "mmap", "mprotect", "memfd_create", "write", "ftruncate", "fcntl")),
    ],
)
def test_every_request_fails_once(scenario: str, kinds: tuple[str, ...], program: Path, pack: Path) -> None:
    done = faults(program, scenario, pack)
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in kinds:
        assert f", {kind}: " in done.stdout, f"{kind} was never asked for"
    print(done.stdout)


@pytest.mark.parametrize("seed", ["leak", "write"])
def test_a_seeded_bug_is_seen(seed: str, program: Path, pack: Path) -> None:
    done = faults(program, "anonymous", pack, seed)
    assert done.returncode == 1 and ("blocks" if seed == "leak" else "out[i][j]") in done.stdout


@pytest.fixture(scope="module")
def denied(library: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("denied_code.cpp", library, tmp_path_factory.mktemp("denied"))


def test_no_suite_is_wrong_where_the_system_gives_no_executable_memory(denied: Path) -> None:
    done = subprocess.run([denied], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)


def test_a_wrong_byte_is_seen_then(denied: Path) -> None:
    done = subprocess.run([denied, "wrong", "aes-128-gcm"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1 and "sealed wrongly" in done.stdout
