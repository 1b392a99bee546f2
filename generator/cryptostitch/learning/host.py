"""The machine at hand: what the runtime calls its CPU, and whether it has other work."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from ..binding import runtime
from ..core.errors import CryptostitchError
from ..cpus.folder import UNNAMED

MOST_BUSY = 0.15  # cores with other work, beside which figures can still be believed
STAT = Path("/proc/stat")
TARGET = "CRYPTOSTITCH_TARGET"


class Busy(CryptostitchError):
    """The machine has other work."""


@dataclass(frozen=True)
class Host:
    """``name``: of the folder, by which the runtime looks for a table here. ``detected``: whether the runtime knows the
    microarchitecture, rather than the model alone."""

    name: str
    brand: str
    detected: bool


def host() -> Host:
    """Raises CryptostitchError where the environment hides a part of the CPU."""
    if os.environ.get(TARGET):
        raise CryptostitchError(
            f"{TARGET}={os.environ[TARGET]} hides a part of this CPU; a folder is made of the whole: unset {TARGET}"
        )
    cpu = runtime.Context().cpu()
    return Host(cpu["name"], cpu["brand"].strip(), UNNAMED not in cpu["name"])


def _times(stat: Path) -> tuple[int, int, int]:
    """(busy, all, cores) of all cores since the system started, in the kernel's ticks."""
    lines = [line.split() for line in stat.read_text(encoding="utf-8").splitlines() if line.startswith("cpu")]
    ticks = [int(n) for n in lines[0][1:9]]  # user nice system idle iowait irq softirq steal
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks), len(lines) - 1


def busy_cores(seconds: float = 1.0, stat: Path = STAT) -> float:
    """How many cores do other work, while this process sleeps for so long."""
    before = _times(stat)
    time.sleep(seconds)
    after = _times(stat)
    return after[2] * (after[0] - before[0]) / max(1, after[1] - before[1])


class OtherWork:
    """How many cores did other work than this process and its children that have ended, from its making on; none where
    the system does not tell."""

    def __init__(self, stat: Path = STAT) -> None:
        self._stat = stat if stat.is_file() else None
        self._before, self._own = (_times(stat) if self._stat else (0, 0, 1)), _own_seconds()

    def cores(self) -> float:
        if not self._stat:
            return 0.0
        after, own = _times(self._stat), _own_seconds()
        share = (after[0] - self._before[0]) / max(1, after[1] - self._before[1])
        seconds = (after[1] - self._before[1]) / after[2] / os.sysconf("SC_CLK_TCK")
        return max(0.0, after[2] * share - (own - self._own) / seconds) if seconds else 0.0

    @property
    def note(self) -> str:
        """Says that figures that were measured meanwhile may be wrong; empty where the machine was idle."""
        cores = self.cores()
        if cores <= MOST_BUSY:
            return ""
        return (
            f"this machine was busy: other work kept {cores:.2f} cores, and what was measured beside it may be wrong; "
            "measure again when it is idle"
        )


def _own_seconds() -> float:
    return sum(os.times()[:4])


def check_idle(allowed: bool) -> float:
    """The load, in cores. Raises Busy above MOST_BUSY, unless that is allowed."""
    load = busy_cores()
    if load > MOST_BUSY and not allowed:
        raise Busy(
            f"this machine is busy: other work keeps {load:.2f} cores (at most {MOST_BUSY} here), and what is measured "
            "beside it is wrong; wait, or take the figures as they come with --busy"
        )
    return load
