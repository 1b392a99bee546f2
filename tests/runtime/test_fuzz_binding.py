"""Random calls of the Python interface (fuzz/fuzz_binding.py), in a process of its own: a crash is a failure, and the
seed is told. Seconds: CRYPTOSTITCH_FUZZ_SECONDS, else 6, in the long form 300 for each library, with new seeds."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from sanitized import LONG, ROOT, runtime_of, sanitized

SECONDS = int(os.environ.get("CRYPTOSTITCH_FUZZ_SECONDS", "300" if LONG else "6"))
SEED = int(time.time()) if LONG else 1
BUGS = ("frees_at_once", "forgets_buffers", "cuts_numbers")


def fuzz(seconds: int, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    program = ROOT / "tests/runtime/fuzz/fuzz_binding.py"
    command = [sys.executable, program, "--seconds", f"{seconds}", "--seed", f"{SEED}", *arguments]
    return subprocess.run(
        command, env={**os.environ, **env}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def check(done: subprocess.CompletedProcess[str]) -> None:
    rounds = [line for line in done.stdout.splitlines() if line.startswith("round ")]
    where = f"in {rounds[-1]} (fuzz_binding.py --rounds 1 --seed N), status {done.returncode}" if rounds else ""
    assert done.returncode == 0, f"{where}\n{done.stdout[-8000:]}"
    print(f"{len(rounds)} rounds from seed {SEED}: {done.stdout.splitlines()[-1]}")


@pytest.mark.slow
def test_random_calls(library: str) -> None:
    check(fuzz(SECONDS, CRYPTOSTITCH_LIBRARY=library))


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="the Python interface under AddressSanitizer: CRYPTOSTITCH_LONG=1")
def test_random_calls_under_address_sanitizer() -> None:
    env = {
        "LD_PRELOAD": f"{runtime_of('libasan.so')} {runtime_of('libstdc++.so')}",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",  # sizes that cannot be had are asked for
        "PYTHONMALLOC": "malloc",  # so that Python's buffers are watched too
        "CRYPTOSTITCH_LIBRARY": str(sanitized("address") / "libcryptostitch.so"),
    }
    check(fuzz(SECONDS, **env))


@pytest.mark.parametrize("bug", BUGS)
def test_a_seeded_bug_is_found(library: str, bug: str) -> None:
    done = fuzz(20, "--bug", bug, CRYPTOSTITCH_LIBRARY=library)
    assert done.returncode not in (0, 2), done.stdout
