"""Where this library stands against the best peer, cell by cell, and what its kernels say of the reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ..core.errors import CryptostitchError
from ..model.bound import bound
from ..model.table import Table
from ..passes.frame import frame
from ..pipeline import Generator
from .bench_results import OURS, Cell, Results

AT_BOUND = 0.9  # of what was measured
IN_LOOP = 0.75  # of a cell's cycles
COMPOSED = ("+", "-gcm", "-ccm", "chacha20-poly1305")  # in the names of rows that two algorithms work for


class Verdict(Enum):
    """LEVEL: the middle halves of the samples overlap."""

    WON = "won"
    LEVEL = "level"
    LOST = "lost"


@dataclass(frozen=True)
class Standing:
    """A cell of cst-bench that both this library and a peer have."""

    ours: Cell
    peer: Cell

    @property
    def ratio(self) -> float:
        """Our cycles over the best peer's: below 1 is faster."""
        return self.ours.cycles_per_byte / self.peer.cycles_per_byte

    @property
    def verdict(self) -> Verdict:
        low, high = (
            [cell.cycles_per_byte * (1 + sign * cell.spread / 2) for cell in (self.ours, self.peer)] for sign in (-1, 1)
        )
        return Verdict.LOST if low[0] > high[1] else Verdict.WON if high[0] < low[1] else Verdict.LEVEL


def standings(results: Results) -> list[Standing]:
    """Returns every cell in which a peer was timed too, the worst first."""
    places: dict[tuple, dict[str, Cell]] = defaultdict(dict)
    for cell in results.cells:
        best = places[cell.place].get(cell.implementation)
        if best is None or cell.cycles_per_byte < best.cycles_per_byte:
            places[cell.place][cell.implementation] = cell
    found = []
    for there in places.values():
        ours, peers = there.get(OURS), [cell for name, cell in there.items() if name != OURS]
        if ours and peers:
            found.append(Standing(ours, min(peers, key=lambda cell: cell.cycles_per_byte)))
    return sorted(found, key=lambda standing: -standing.ratio)


def extremes(found: Sequence[Standing], count: int) -> list[Standing]:
    """Returns at most ``count`` lost cells, the worst first, then at most ``count`` won ones, the best first. ``found``
    is sorted, the worst first."""
    return [
        *[standing for standing in found if standing.verdict is Verdict.LOST][:count],
        *[standing for standing in reversed(found) if standing.verdict is Verdict.WON][:count],
    ]


@dataclass(frozen=True)
class Loop:
    """A kernel's loop, in core cycles per byte where all its lanes are full. ``bound``: the least that the units of
    this CPU allow, None where the instruction table lacks a form; ``binds``: what."""

    lanes: int
    cycles: float
    bound: float | None = None
    binds: str = ""


def loops(
    generator: Generator,
    kernels: Iterable[str],
    costs: Mapping[str, float],
    table: Table | None,
    progress: Callable[[int, int, str], None] = lambda *_: None,
) -> dict[str, Loop]:
    """Returns the loops of the kernels that have a row in the cost table. ``costs``: cycles per iteration."""
    found = {}
    known = [name for name in dict.fromkeys(kernels) if name in costs]
    for done, name in enumerate(known):
        progress(done, len(known), name)
        try:
            recipe = generator.recipe(name)
        except CryptostitchError:  # a variant of cst-bench that is not one kernel
            continue
        first = recipe.parts[0]
        groups = [part for part in recipe.parts if part.program is first.program]
        lanes = len(groups) * first.program.contract.lanes
        size = lanes * first.program.contract.bytes * first.ratio
        least, binds = None, ""
        if table:
            try:
                limit = bound(frame(recipe), table)
                least, binds = limit.cycles_per_byte, limit.binds
            except CryptostitchError:  # a form that the table lacks
                pass
        found[name] = Loop(lanes, costs[name] / size, least, binds)
    return found


def reason(cell: Cell, loop: Loop | None) -> str:
    """Returns the known reason why a cell takes long; "" when none is known."""
    if loop is None:
        return ""
    full = min(cell.jobs, loop.lanes)
    cycles = loop.cycles * loop.lanes / full
    share = min(1.0, cycles / cell.cycles_per_byte)
    lanes = f"{full} of {loop.lanes} lanes have a job; " if full < loop.lanes else ""
    if share < IN_LOOP:
        apart = "+" not in cell.variant and any(part in cell.row for part in COMPOSED)
        return (
            f"{lanes}{100 * (1 - share):.0f} % of the cycles are outside the kernel's loop: "
            f"{'the other part, which runs apart; ' if apart else ''}calls, keys, ends of messages"
        )
    if loop.bound is None:
        return f"{lanes}{100 * share:.0f} % of the cycles are the kernel's loop"
    if loop.bound >= AT_BOUND * loop.cycles:
        return f"{lanes}the loop is at its bound ({loop.binds}): only fewer instructions help"
    return (
        f"{lanes}the loop takes {loop.cycles / loop.bound:.2f} times its bound ({loop.binds}): another order may help"
    )
