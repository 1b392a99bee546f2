"""What cst-bench wrote, by cell: a row under one load, and what each implementation took for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cryptostitch.analysis.bench_results import OURS, cells_in


@dataclass(frozen=True)
class Load:
    """Bytes of a job ("imix": a mix), jobs in a burst, and whether each has its own key ("own") or all share one
    ("one")."""

    size: str
    jobs: int
    keys: str


@dataclass(frozen=True)
class Taken:
    """Core cycles per byte: the median, and the interquartile range over it."""

    impl: str
    variant: str
    cycles: float
    spread: float

    @property
    def low(self) -> float:
        return self.cycles * (1 - self.spread / 2)

    @property
    def high(self) -> float:
        return self.cycles * (1 + self.spread / 2)


@dataclass(frozen=True)
class Cell:
    row: str
    load: Load
    taken: dict[str, Taken]  # by implementation: its best variant

    @property
    def ours(self) -> Taken | None:
        return self.taken.get(OURS)

    @property
    def best_peer(self) -> Taken | None:
        return min((t for t in self.taken.values() if t.impl != OURS), key=lambda t: t.cycles, default=None)

    @property
    def key(self) -> str:
        return f"{self.row} {self.load.size} x{self.load.jobs} {self.load.keys}"


def cells_of(results: dict[str, Any]) -> dict[tuple[str, Load], Cell]:
    """The cells of a run, in its order."""
    cells: dict[tuple[str, Load], Cell] = {}
    for timed in cells_in(results):
        load = Load(timed.size, timed.jobs, timed.keys)
        cell = cells.setdefault((timed.row, load), Cell(timed.row, load, {}))
        taken = Taken(timed.implementation, timed.variant, timed.cycles_per_byte, timed.spread)
        if taken.impl not in cell.taken or taken.cycles < cell.taken[taken.impl].cycles:
            cell.taken[taken.impl] = taken
    return cells


def beyond_spread(slower: Taken, faster: Taken) -> bool:
    """Whether the middle halves of the samples lie apart, and in this order."""
    return slower.low > faster.high
