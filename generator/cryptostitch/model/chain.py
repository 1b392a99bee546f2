"""The loop-carried chain: how long an iteration takes when units are never busy and the window is endless.

The loop is run as a data flow, iteration after iteration: a result is there when each operand has been there for the
instruction's latency from it. After some iterations the time per iteration is that of the slowest cycle of dependences,
however many iterations that cycle spans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .dependence import Place, waits_of
from .loop import Step
from .table import Table

ITERATIONS = 24  # of the data flow; the first half is not counted


@dataclass(frozen=True)
class Chain:
    """``cycles`` per iteration; ``steps``: the instructions of one iteration that the slowest cycle of dependences goes
    through."""

    cycles: float
    steps: tuple[Step, ...]

    @property
    def counts(self) -> Counter[str]:
        """How often each mnemonic is on the chain."""
        return Counter(step.ins.op for step in self.steps)


@dataclass(frozen=True, eq=False)
class _Event:
    time: float
    cause: _Event | None
    iteration: int
    index: int


def chains(steps: Sequence[Step], table: Table) -> dict[int | None, Chain]:
    """The chain of each stream, and of the loop counter (None). Streams share no registers, so each waits only for
    itself."""
    return {
        stream: chain([s for s in steps if s.stream == stream], table)
        for stream in dict.fromkeys(s.stream for s in steps)
    }


def chain(steps: Sequence[Step], table: Table) -> Chain:
    """The chain of these instructions as a loop of their own. Raises CryptostitchError for a form without a row."""
    latest = _flow(steps, table)
    half = ITERATIONS // 2
    cycles = (latest[-1].time - latest[half - 1].time) / (ITERATIONS - half)
    on_it, event = [], latest[-1] if cycles else None
    while event:
        if event.iteration == ITERATIONS - 2:
            on_it.append(steps[event.index])
        event = event.cause
    return Chain(cycles, tuple(reversed(on_it)))


def _flow(steps: Sequence[Step], table: Table) -> list[_Event]:
    """The last result of every iteration."""
    waits = waits_of(steps, table)
    stores = {w.store for w in waits if w.store}
    overlapping = {place: [s for s in stores if s.overlaps(place)] for w in waits for place, _ in w.places}
    registers: dict[object, _Event] = {}
    memory: dict[Place, _Event] = {}
    latest = []
    for iteration in range(ITERATIONS):
        last = _Event(0.0, None, iteration, 0)
        for index, wait in enumerate(waits):
            sources = [(registers.get(key), latency) for key, latency in (*wait.registers, *wait.addresses)]
            sources += [(memory.get(store), latency) for place, latency in wait.places for store in overlapping[place]]
            time, cause = max(
                ((e.time + latency, e) for e, latency in sources if e), key=lambda s: s[0], default=(0.0, None)
            )
            event = _Event(time, cause, iteration, index)
            for key in wait.writes:
                registers[key] = event
            if wait.store:
                memory[wait.store] = event
            if time >= last.time:
                last = event
        latest.append(last)
    return latest
