"""What is mapped after every way to code; forks; the tests again where memory may not become executable
(hardening/)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sanitized import LONG, ROOT, compiled, run

UNAVAILABLE = 77
QUICK = {"mdwe": ["test_plan_mixed", "test_api_process"], "noexec": ["test_api_process"]}
"""Without a JIT (noexec) every suite gives the same answers: test_api_choice asks that unconfined."""
ALL = QUICK["mdwe"]
# Not test_code: it wants the unconfined way first, and confines its own children.
LONGER = ["test_api_vectors", "test_api_choice", "test_api_errors", "test_plan_lengths", "test_cpu", "test_api_residue"]


@pytest.fixture(scope="module")
def confine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("confine") / "cst-confine"
    run(
        [
            "cc",
            "-std=c99",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            ROOT / "tests/runtime/hardening/confine.c",
            "-o",
            program,
        ]
    )
    return program


@pytest.fixture(scope="module")
def programs(library: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("hardening")
    return {name: compiled(f"hardening/{name}.cpp", library, folder) for name in ("pages", "forks")}


def confined(confine: Path, how: str, *command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [confine, how, *command], cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, timeout=1800
    )
    if done.returncode == UNAVAILABLE:
        pytest.skip(f"the kernel refuses to confine: {done.stderr.strip()}")
    return done


@pytest.mark.parametrize("way", ["anonymous", "sealed", "static"])
def test_no_page_is_writable_and_executable(way: str, programs: dict[str, Path]) -> None:
    done = subprocess.run([programs["pages"], way], capture_output=True, text=True, timeout=300)
    if done.returncode == UNAVAILABLE:
        pytest.skip("no PR_SET_MDWE before Linux 6.3")
    assert done.returncode == 0, done.stdout
    print(done.stdout)


SEEN = {"rwx": "writable and executable", "alias": "a writable alias", "descriptor": "an open descriptor"}


@pytest.mark.parametrize("seed", SEEN)
def test_a_seeded_mapping_is_seen(seed: str, programs: dict[str, Path]) -> None:
    done = subprocess.run([programs["pages"], "anonymous", seed], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and SEEN[seed] in done.stdout


def test_forks_before_during_and_after_use(programs: dict[str, Path]) -> None:
    done = subprocess.run([programs["forks"], "200" if LONG else "15"], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout


def test_a_lock_held_at_the_fork_is_seen(programs: dict[str, Path]) -> None:
    done = subprocess.run([programs["forks"], "1", "lock"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "child: status" in done.stdout


PROBE = """
import ctypes, mmap
page = mmap.mmap(-1, 4096)
address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print(ctypes.CDLL(None).mprotect(address, 4096, mmap.PROT_READ | mmap.PROT_EXEC))
try:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    print("mapped")
except PermissionError:
    print("refused")
from cryptostitch.binding.runtime import Context
context = Context()
print(context.cpu()["jit"], len(context.suites()))
print({context.kernel(name).origin for name in ("sha1_x4@sse", "sha256_x4@sse")})
"""
EXPECTED = {
    "none": ["0", "mapped", 1, "{'jit'}"],
    "mdwe": ["-1", "mapped", 1, "{'jit'}"],
    "noexec": ["-1", "refused", 0, "{'static'}"],
}


@pytest.mark.parametrize("how", EXPECTED)
def test_what_takes_over(how: str, confine: Path, library: str) -> None:
    """ "none" shows that the confinement, and nothing else, is what refuses; every suite is there in all three."""
    done = confined(
        confine, how, sys.executable, "-c", PROBE, CRYPTOSTITCH_LIBRARY=library, PYTHONPATH=os.pathsep.join(sys.path)
    )
    assert done.returncode == 0, done.stderr
    protect, mapped, jit, origins = EXPECTED[how]
    lines = done.stdout.splitlines()
    free = confined(
        confine, "none", sys.executable, "-c", PROBE, CRYPTOSTITCH_LIBRARY=library, PYTHONPATH=os.pathsep.join(sys.path)
    )
    suites = free.stdout.splitlines()[2].split()[1]
    assert lines == [
        protect,
        mapped,
        f"{int(jit)} {suites}" if lines[2][0].isdigit() else f"{bool(jit)} {suites}",
        origins,
    ]


@pytest.mark.parametrize("how", ["mdwe", "noexec"])
def test_forks_confined(how: str, confine: Path, programs: dict[str, Path]) -> None:
    done = confined(confine, how, programs["forks"], "200" if LONG else "15")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("how", QUICK)
def test_the_same_tests_confined(how: str, confine: Path, library: str) -> None:
    """Their quick forms: the long ones, unconfined, are parts of their own."""
    files = [f"tests/runtime/{name}.py" for name in (ALL + LONGER if LONG else QUICK[how])]
    # Without executable anonymous memory libffi keeps the callbacks of ctypes in a file that parent and child share,
    # and each overwrites the other's: Python crashes after a fork, with or without this library. test_forks_confined
    # forks in C++.
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "-k", "not test_fork", *files]
    done = confined(confine, how, *command, CRYPTOSTITCH_LIBRARY=library, CRYPTOSTITCH_LONG="")
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout[-4000:] + done.stderr[-2000:]
    print(done.stdout[-400:])
