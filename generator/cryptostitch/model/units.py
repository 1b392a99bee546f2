"""Resources of which nothing more is known than how long instructions keep them busy."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

FULL = 0.999  # of a cycle; figures of tables are rounded
Uses = tuple[tuple[str, float], ...]


class Units:
    """How much of each resource is taken in each cycle."""

    def __init__(self, names: Sequence[str]):
        self.taken: dict[str, list[float]] = {name: [] for name in names}

    def busy(self, uses: Uses, cycle: int) -> str:
        """A resource of which nothing is left in the cycle, or ""."""
        for name, _ in uses:
            taken = self.taken[name]
            if cycle < len(taken) and taken[cycle] >= FULL:
                return name
        return ""

    def take(self, uses: Uses, cycle: int) -> None:
        """Takes the uses from a cycle; what exceeds its capacity is taken from the next ones."""
        for name, use in uses:
            taken, at = self.taken[name], cycle
            while use > 1 - FULL:
                if at >= len(taken):
                    taken.extend([0.0] * (at + 1 - len(taken)))
                part = min(use, max(0.0, 1 - taken[at]))
                taken[at] += part
                use -= part
                at += 1


class Waiting:
    """Instructions that have all but their units."""

    def __init__(self, units: Units):
        self.units = units
        self.classes: dict[Uses, list[int]] = {}
        self.why: dict[Uses, str] = {}  # what each class waited for last

    def add(self, number: int, uses: Uses) -> None:
        heapq.heappush(self.classes.setdefault(uses, []), number)

    def start(self, cycle: int) -> Iterator[tuple[int, str]]:
        """Yields the instructions that start in this cycle, the oldest first, with what they may have waited for. More
        may be added meanwhile."""
        blocked: set[Uses] = set()
        while True:
            uses = min(
                (u for u, numbers in self.classes.items() if numbers and u not in blocked),
                key=lambda u: self.classes[u][0],
                default=None,
            )
            if uses is None:
                return
            if busy := self.units.busy(uses, cycle):
                self.why[uses] = busy
                blocked.add(uses)
                continue
            self.units.take(uses, cycle)
            yield heapq.heappop(self.classes[uses]), self.why.get(uses, "")
