"""No lane reads or writes beyond the buffers of live jobs: bursts between pages without access, in a process that would
die of it (edges.py)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cryptostitch.binding.runtime import Context
from jobs.samples import LONG, TARGETS

PROGRAM = Path(__file__).with_name("edges.py")
SHARES = 8
"""`test_with_every_kernel` divides the kernels into so many groups. One process runs each group, and forces its kernels
one after the other."""


def child(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROGRAM.parents[1]), *sys.path])}
    return subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True)


def check(placement: str, every: int, target: str, *kernels: str) -> int:
    """Number of jobs."""
    done = child(PROGRAM, placement, str(every), target, *kernels)
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    assert done.returncode != -signal.SIGSEGV, f"a byte beyond a buffer was touched: {last}"
    assert done.returncode == 0, f"{done.stderr[-3000:]}\n{last}"
    return int(re.fullmatch(r"done: \d+ bursts, (\d+) jobs", last)[1])


@pytest.mark.parametrize(
    "placement,target",
    [(p, t) for t in TARGETS for p in ("start", "end")]
    if LONG
    else [("start", "host"), ("end", "host"), ("end", "host-no_avx512")],
)
def test_only_live_memory_is_touched(library: str, placement: str, target: str) -> None:
    assert check(placement, 5 if LONG else 18, target) > 5000


@pytest.mark.skipif(not LONG, reason="every kernel in turn: CRYPTOSTITCH_LONG=1")
@pytest.mark.parametrize("placement", ["start", "end"])
@pytest.mark.parametrize("share", range(SHARES))
def test_with_every_kernel(library: str, placement: str, share: int) -> None:
    kernels = Context(library=library).kernels()[share::SHARES]
    assert check(placement, 120, "host", *kernels) > 100 * len(kernels)


@pytest.mark.parametrize(
    "placement,touch",
    [
        ("end", "ctypes.string_at(address, 17)"),
        ("start", "ctypes.string_at(address - 1, 16)"),
        ("end", "ctypes.memset(address, 0, 1)"),
        ("end", "ctypes.memset(memory.put(bytes(16)), 0, 17)"),
    ],
)
def test_the_pages_are_guarded(placement: str, touch: str) -> None:
    """The check can fail: a byte before, a byte behind, and a write to an input are fatal."""
    script = f"""
import ctypes
from jobs.memory import Guarded
memory = Guarded(slots=4, pages=1, at_end={placement == "end"})
address = memory.put(b"0123456789abcdef", writable=False)
assert ctypes.string_at(address, 16) == b"0123456789abcdef" and not memory.problem()
ctypes.memset(memory.put(bytes(16)), 0, 16)
print("ready", flush=True)
{touch}
"""
    done = child("-c", script)
    assert done.stdout == "ready\n", done.stderr
    assert done.returncode == -signal.SIGSEGV


def test_a_changed_byte_is_found() -> None:
    """So can the other: memory beside outputs."""
    from jobs.memory import Arena

    arena = Arena(1 << 16)
    address = arena.put(b"abc", 5)
    assert address % 64 == 5 and not arena.problem() and arena.right(address, 3)
    arena.raw[arena.offset(address) + 3] ^= 1
    assert arena.right(address, 3) and arena.problem()
    arena.clear()
    assert not arena.problem()
