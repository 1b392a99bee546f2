"""How the time that the user gives is shared among the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

PROBE_RUN = 15.0  # seconds of one run, about
PROBE_RUNS = 5
CALIBRATE_ROW = 0.12  # seconds
LEAST_ROW = 0.01
WHOLE_BENCH = 150.0  # seconds of cst-bench's default cells with all peers
LEAST_PAIR, MOST_PAIR = 20.0, 90.0  # seconds of a search, its confirmation included
LIBRARY_COSTS = 3.0  # seconds


class Step(Enum):
    """The steps, in their order. The value is the name that progress is told."""

    PROBE = "instructions"
    CALIBRATE = "kernels"
    TUNE = "weaves"
    BENCH = "peers"


SHARES = {Step.PROBE: 0.15, Step.CALIBRATE: 0.2, Step.BENCH: 0.2}  # at most; searching for weaves takes the rest
PLANNED = SHARES | {Step.TUNE: 1 - sum(SHARES.values())}  # of the time, for progress


@dataclass(frozen=True)
class Budget:
    """``seconds``: all of it. ``spent``: by earlier runs that were interrupted. ``clock``: seconds from any start."""

    seconds: float
    clock: Callable[[], float]
    begin: float
    spent: float = 0.0

    @property
    def used(self) -> float:
        return self.spent + self.clock() - self.begin

    @property
    def left(self) -> float:
        return max(0.0, self.seconds - self.used)

    def share(self, step: Step) -> float:
        return self.seconds * SHARES[step]

    @property
    def probe_runs(self) -> int:
        return max(1, min(PROBE_RUNS, int(self.share(Step.PROBE) / PROBE_RUN)))

    def row(self, kernels: int) -> float:
        """Returns the seconds for each of ``kernels`` kernels."""
        return max(LEAST_ROW, min(CALIBRATE_ROW, self.share(Step.CALIBRATE) / max(1, kernels)))

    @property
    def bench(self) -> float:
        return min(WHOLE_BENCH, self.share(Step.BENCH))

    def pair(self, waiting: int, reserve: float) -> float:
        """Returns the seconds for the next of ``waiting`` searches, ``reserve`` being kept for later steps; 0 when
        there is no time for another."""
        left = self.left - reserve
        return min(MOST_PAIR, max(LEAST_PAIR, left / max(1, waiting))) if left >= LEAST_PAIR else 0.0
