"""The whole library under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer.

Kernels are not instrumented: what they read and write is the ladder's (guards, emulated). asmjit is not either, so
races inside it would go unseen. Left out under AddressSanitizer: forks while other threads allocate (code_test, forks).
GCC 12's allocator does not release its locks in the child, which then waits for ever in
SizeClassAllocator64::GetFromAllocator; the library holds no lock there. test_hardening forks without the sanitizer.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sanitized import LONG, ROOT, runtime_of, sanitized

QUICK = [
    "runtime/test_plan_mixed",
    "runtime/test_plan_entries",
    "runtime/test_api_process",
    "engine/test_tls_write",
    "api_table/test_neighbours",
]
WIDEST = "not no_avx512 and not sse_aesni"
"""Every construction through bursts, single calls and managers; cst_tls_seal; bad jobs among good ones; with the widest
vectors. Heads, counters, all lengths and lesser targets are drawn by cst-soak, which runs under the sanitizers, too."""
LONGER = [
    "api_table/test_hostile",
    "runtime/test_plan_counters",
    "runtime/test_plan_heads",
    "runtime/test_plan_lengths",
    "runtime/test_plan_numbers",
    "runtime/test_api_errors",
    "runtime/test_api_choice",
    "runtime/test_api_vectors",
]


def under_address(names: list[str]) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "LD_PRELOAD": f"{runtime_of('libasan.so')} {runtime_of('libstdc++.so')}",
        "ASAN_OPTIONS": "detect_leaks=0",  # Python's; test_api_memory counts the library's own blocks
        "CRYPTOSTITCH_LIBRARY": str(sanitized("address") / "libcryptostitch.so"),
        "CRYPTOSTITCH_LONG": "",  # more files, in their quick form: the long forms are parts of their own
    }
    files = [f"tests/{name}.py" for name in names]
    some = [] if LONG else ["-k", WIDEST]
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", *some, *files]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=1500)


@pytest.mark.slow
@pytest.mark.parametrize("names", [[name] for name in QUICK + LONGER] if LONG else [QUICK], ids=" ".join)
def test_the_library_under_address_and_undefined(names: list[str]) -> None:
    done = under_address(names)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout[-4000:] + done.stderr[-4000:]
    print(done.stdout[-200:])


@pytest.mark.parametrize("bug, report", [("address", "heap-buffer-overflow"), ("undefined", "signed integer overflow")])
def test_sanitizers_see_a_seeded_bug(bug: str, report: str) -> None:
    done = subprocess.run([sanitized("address") / "cst-overflow", bug], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and report in done.stderr


def parallel(*arguments: str) -> subprocess.CompletedProcess[str]:
    program: Path = sanitized("thread") / "cst-parallel"
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=600)


def test_threads_share_a_context_without_a_race() -> None:
    for _ in range(20 if LONG else 4):
        done = parallel()
        assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


def test_a_seeded_race_is_seen() -> None:
    done = parallel("race")
    assert done.returncode != 0 and "data race" in done.stderr
