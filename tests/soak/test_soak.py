"""cst-soak for a quarter of a minute, or longer (CRYPTOSTITCH_LONG; CRYPTOSTITCH_SOAK_SECONDS: for each run); under
sanitizers (ThreadSanitizer where it is the commit's turn); whether it notices a wrong library."""

from __future__ import annotations

import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from sanitized import LONG, ROOT, run, sanitized

LONG_SECONDS = int(os.environ.get("CRYPTOSTITCH_SOAK_SECONDS", "200"))
TSAN_OPTIONS = "halt_on_error=1:second_deadlock_stack=1"


def soak(program: Path, *arguments: str | int, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(program), *map(str, arguments)]
    print(*command)
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})})
    print(done.stdout, done.stderr[-6000:])
    return done


@pytest.fixture(scope="module")
def program(build: Path) -> Path:
    path = build / "cst-soak"
    if not path.exists():
        pytest.skip("cst-soak was not built: no libcrypto headers")
    return path


def passes(program: Path, seconds: int, threads: int, long: int = LONG_SECONDS) -> None:
    """Runs cst-soak with a new seed. It is printed, and what fails prints how to come back to it."""
    seed = random.SystemRandom().randrange(1 << 32)
    arguments = ("--seed", seed, "--threads", threads, "--seconds", long if LONG else seconds)
    done = soak(program, *arguments, env={"TSAN_OPTIONS": TSAN_OPTIONS})
    assert done.returncode == 0 and "all right" in done.stdout, done.stdout + done.stderr[-6000:]


@pytest.mark.slow
@pytest.mark.parametrize("seconds, threads", [(10, 1), (5, 4)])
def test_soak(program: Path, seconds: int, threads: int) -> None:
    passes(program, seconds, threads)


@pytest.mark.slow
@pytest.mark.parametrize("sanitizer, threads", [("address", 4), ("thread", 4)])
def test_soak_sanitized(program: Path, sanitizer: str, threads: int) -> None:
    passes(sanitized(sanitizer) / "cst-soak", 5, threads, LONG_SECONDS * (1 + (sanitizer == "thread")))


@pytest.fixture(scope="module")
def spoiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library to be loaded before the real one."""
    library = tmp_path_factory.mktemp("spoil") / "spoil.so"
    run(["cc", "-shared", "-fPIC", "-O1", "-I", ROOT / "include", ROOT / "tests/soak/spoil.c", "-ldl", "-o", library])
    return library


SPOILED = {
    "output": "the output is wrong",
    "tag": "the tag is wrong",
    "stale": "the tag is wrong",
    "status": "status 0 instead of -5",
    "beside": "bytes beside a buffer|signal 11",
    "input": "which is only read, is wrong",
    "forgery": "the output is wrong",
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_wrong_library_is_noticed(program: Path, spoiler: Path, what: str) -> None:
    """And what it prints comes back to the same burst."""
    env = {"LD_PRELOAD": str(spoiler), "SPOIL": what}
    first = soak(program, "--seed", 7, "--seconds", 60, "--target", "host", env=env)
    assert first.returncode != 0 and re.search(SPOILED[what], first.stderr), first.stderr
    again = re.search(r"again: cst-soak (.*)", first.stderr)
    assert again
    second = soak(program, *again[1].split(), env=env)
    assert second.returncode == first.returncode
    assert second.stderr == first.stderr


def test_the_command_line(program: Path) -> None:
    assert soak(program, "--help").returncode == 0
    for wrong in (["--seconds", "0"], ["--threads", "0"], ["--bursts", "5:5"], ["--seed", "x"], ["more"], ["--none"]):
        assert soak(program, *wrong).returncode == 2
    done = soak(program, "--suite", "no-such-suite", "--seconds", "1")
    assert done.returncode == 2 and "no-such-suite" in done.stderr
    done = soak(program, "--suite", "aes-*-ccm", "--target", "sse_aesni", "--seconds", "1", "--seed", "1")
    assert done.returncode == 0 and "2 of 2 suites on 1 of 1 targets" in done.stdout


def test_only_some_bursts(program: Path) -> None:
    done = soak(program, "--bursts", "96:200", "--seed", "1")
    assert done.returncode == 0 and "all right: 104 bursts" in done.stdout
