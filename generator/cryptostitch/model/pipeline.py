"""A loop run by a simple out-of-order core: when each instruction waits for data, when for a unit, and when it runs.

Instructions enter the window in order, as fast as the front end gives them, and leave it in order. In between, each starts as soon as its operands are
there and every resource that it uses is free, the oldest first. A resource is free in a cycle as long as less than that cycle of it is taken; what an
instruction uses beyond the cycle is taken from the next ones. So a loop takes at least as long as the bound says, and longer where waiting for data and
for units do not overlap within the window.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Sequence

from .dependence import Place, waits_of
from .loop import Step
from .table import Table

# Instructions between dispatch and retirement: AMD, Software Optimization Guide for the Zen 4 (57647) and the Zen 5 microarchitecture (58455), 2.8.
WINDOWS = {"zen4": 320, "zen5": 448}
USUAL_WINDOW = 224
DISPATCH = "dispatch"
DATA, UNIT, RUN, FRONT_END = "data", "unit", "run", "front end"
FULL = 0.999                    # of a cycle; figures of tables are rounded
INSTRUCTIONS = 8000             # that are run, more or less
LEAST_ITERATIONS, MOST_ITERATIONS = 6, 60


@dataclass(frozen=True, slots=True)
class Event:
    """One instruction in one iteration, in core cycles from the start: enters the window, has its operands, starts on its units, has its result.

    What loads waits for its address and then for a load port, and has what it loads at ``loaded``; ``by_load``: this came last of its operands.
    The causes are numbers of the events whose results the address and the other operands waited for, None where they were there at dispatch.
    ``unit`` and ``port``: the resources that were waited for last, or "".
    """

    dispatched: int
    addressed: int
    loading: int
    loaded: int
    ready: int
    started: int
    done: int
    by_load: bool
    cause: int | None
    address_cause: int | None
    unit: str
    port: str

    def spans(self) -> list[tuple[str, int, int]]:
        """(DATA, UNIT or RUN, from, to), one after the other from dispatch to the result, without empty ones. Loading is running."""
        load = [(DATA, self.dispatched, self.addressed), (UNIT, self.addressed, self.loading), (RUN, self.loading, self.loaded)]
        spans = [*(load if self.by_load else [(DATA, self.dispatched, self.ready)]), (UNIT, self.ready, self.started), (RUN, self.started, self.done)]
        return [span for span in spans if span[2] > span[1]]


@dataclass(frozen=True)
class Run:
    """``events`` of ``iterations`` one after the other; the iterations from ``first`` on are steady. ``left``: when each instruction leaves the
    window, and whose result it waits for until then. ``taken``: of each resource, how much of each cycle."""

    steps: Sequence[Step]
    events: list[Event]
    iterations: int
    window: int
    left: list[tuple[int, int]]
    taken: dict[str, list[float]]

    @property
    def first(self) -> int:
        return self.iterations // 2

    @property
    def cycles(self) -> float:
        """Per iteration, in the steady half."""
        return (self.end(self.iterations - 1) - self.end(self.first - 1)) / (self.iterations - self.first)

    def end(self, iteration: int) -> int:
        """When the last instruction of the iteration leaves the window."""
        return self.left[(iteration + 1) * len(self.steps) - 1][0]

    def iteration(self, number: int) -> list[Event]:
        return self.events[number * len(self.steps):(number + 1) * len(self.steps)]

    def waiting(self) -> list[dict[str, float]]:
        """Of each step, the mean cycles in which it waits for data, waits for a unit, runs."""
        steady = range(self.first, self.iterations)
        found = []
        for index in range(len(self.steps)):
            sums = Counter({DATA: 0, UNIT: 0, RUN: 0})
            for n in steady:
                for state, start, end in self.events[n * len(self.steps) + index].spans():
                    sums[state] += end - start
            found.append({state: cycles / len(steady) for state, cycles in sums.items()})
        return found

    def critical(self) -> dict[tuple[str, object], float]:
        """What the cycles of an iteration are spent on, going back from the last result to what it waited for, and so on: (RUN, stream) while an
        instruction of the stream runs, (UNIT, resource) while one waits for it, (FRONT_END, None). The sum is ``cycles``."""
        spent: Counter = Counter()
        start, now = self.end(self.first - 1), self.end(self.iterations - 1)
        here, done = self.left[-1][1], True

        def back_to(time: int, kind: str, what: object) -> None:
            nonlocal now
            spent[kind, what] += max(now, start) - max(min(now, time), start)
            now = min(now, time)

        while now > start:
            event, stream = self.events[here], self.steps[here % len(self.steps)].stream
            if done:
                back_to(event.started, RUN, stream)
                back_to(event.ready, UNIT, event.unit)
                if event.by_load:
                    back_to(event.loading, RUN, stream)
                    back_to(event.addressed, UNIT, event.port)
                cause = event.address_cause if event.by_load else event.cause
                if cause is not None:
                    here = cause
                    back_to(self.events[here].done, RUN, self.steps[here % len(self.steps)].stream)
                else:
                    back_to(event.dispatched, RUN, stream)
                    done = False
            elif here >= self.window and self.left[here - self.window][0] >= event.dispatched:
                here, done = self.left[here - self.window][1], True
            elif here:
                here -= 1
                back_to(self.events[here].dispatched, FRONT_END, None)
            else:
                break
        return {what: cycles / (self.iterations - self.first) for what, cycles in spent.items() if cycles}


class _Units:
    """What is taken of each resource in each cycle, and the next cycle with something left of it."""

    def __init__(self, names: Sequence[str]):
        self.taken: dict[str, list[float]] = {name: [] for name in names}
        self._next: dict[str, list[int]] = {name: [] for name in names}

    def _free(self, name: str, cycle: int) -> int:
        following = self._next[name]
        if cycle >= len(following):
            more = range(len(following), 2 * cycle + 64)
            following.extend(more)
            self.taken[name].extend(0.0 for _ in more)
        free = cycle
        while following[free] != free:
            free = following[free]
            if free >= len(following):
                return self._free(name, free)
        while following[cycle] != free and following[cycle] != cycle:
            following[cycle], cycle = free, following[cycle]
        return free

    def start(self, uses: Sequence[tuple[str, float]], cycle: int) -> tuple[int, str]:
        """The first cycle from ``cycle`` on in which all are free, now taken, and which was waited for last."""
        unit, found = "", -1
        while found != cycle:
            found = cycle
            for name, _ in uses:
                free = self._free(name, cycle)
                if free > cycle:
                    cycle, unit = free, name
        for name, use in uses:
            at = cycle
            while use > 1 - FULL:
                at = self._free(name, at)
                part = min(use, 1 - self.taken[name][at])
                self.taken[name][at] += part
                use -= part
                if self.taken[name][at] >= FULL:
                    self._next[name][at] = at + 1
        return cycle, unit


def pipeline(steps: Sequence[Step], table: Table, code_bytes: int, window: int = 0) -> Run:
    """Runs the loop until it is steady. ``code_bytes``: of the loop. ``window``: instructions (default: the microarchitecture's).

    Raises CryptostitchError for a form without a row."""
    window = window or WINDOWS.get(table.microarchitecture, USUAL_WINDOW)
    iterations = max(LEAST_ITERATIONS, min(MOST_ITERATIONS, INSTRUCTIONS // len(steps)))
    waits, rows = waits_of(steps, table), [table.row(step.form) for step in steps]
    fetch = table.fetching(len(steps) + 1, code_bytes) / len(steps)
    fronts = [max(fetch, row.uses.get(DISPATCH, 0)) for row in rows]
    loads = [[(name, use) for name, use in row.uses.items() if step.form.loads and "load" in name.split()] for step, row in zip(steps, rows)]
    others = [[(name, use) for name, use in row.uses.items() if name != DISPATCH and (name, use) not in ports] for row, ports in zip(rows, loads)]
    stores = {w.store for w in waits if w.store}
    overlapping = {place: [s for s in stores if s.overlaps(place)] for w in waits for place, _ in w.places}
    units = _Units([name for name in table.resources if name != DISPATCH])
    registers: dict[object, int] = {}
    memory: dict[Place, int] = {}
    events: list[Event] = []
    left: list[tuple[int, int]] = []
    front = 0.0
    for number in range(iterations * len(steps)):
        wait, ports, uses = waits[number % len(steps)], loads[number % len(steps)], others[number % len(steps)]
        front += fronts[number % len(steps)]
        if number >= window:
            front = max(front, left[number - window][0])
        dispatched = math.floor(front)

        def come(sources: list[tuple[int | None, float]]) -> tuple[int, int | None]:
            times = [(math.ceil(events[e].done + latency), e) for e, latency in sources if e is not None]
            time, cause = max(times, default=(0, None))
            return (time, cause) if time > dispatched else (dispatched, None)

        addressed = loading = loaded = dispatched
        address_cause, port = None, ""
        if ports:
            addressed, address_cause = come([(registers.get(key), latency - table.load - wait.execution) for key, latency in wait.addresses])
            loading, port = units.start(ports, addressed)
            loaded = loading + math.ceil(table.load)
        sources = [(registers.get(key), latency - wait.execution) for key, latency in wait.registers]
        sources += [(memory.get(store), latency - wait.execution) for place, latency in wait.places for store in overlapping[place]]
        ready, cause = come(sources)
        by_load = bool(ports) and loaded >= ready
        ready = max(ready, loaded)
        started, unit = units.start(uses, ready)
        done = started + math.ceil(wait.execution)
        events.append(Event(dispatched, addressed, loading, loaded, ready, started, done, by_load, cause, address_cause, unit, port))
        for key in wait.writes:
            registers[key] = number
        if wait.store:
            memory[wait.store] = number
        left.append(max((done, number), left[-1] if left else (0, 0)))
    return Run(steps, events, iterations, window, left, units.taken)
