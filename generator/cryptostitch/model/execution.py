"""How a loop ran on the model: when each instruction waited for data, when for a unit, when it ran, and what its
iterations' cycles went on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .loop import Step

DATA, UNIT, RUN, FRONT_END = "data", "unit", "run", "front end"
DONE, STARTED, DISPATCHED = range(3)


@dataclass(frozen=True, slots=True)
class Event:
    """One instruction in one iteration: when it enters the window, has its operands, starts on its units and has its
    result, in core cycles from the start.

    What loads waits for its address and then for a load port, and has what it loads at ``loaded``; ``by_load``: this
    came last of its operands. The causes are numbers of the events whose results the address and the other operands
    waited for, None where they were there at dispatch. ``unit`` and ``port``: the resources that were waited for last,
    or "". ``held``: the start of which instruction made room in the schedulers, where dispatch waited for that.
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
    held: int | None = None

    def spans(self) -> list[tuple[str, int, int]]:
        """(DATA, UNIT or RUN, from, to), one after the other from dispatch to the result, without empty ones. Loading
        is running."""
        load = [
            (DATA, self.dispatched, self.addressed),
            (UNIT, self.addressed, self.loading),
            (RUN, self.loading, self.loaded),
        ]
        spans = [
            *(load if self.by_load else [(DATA, self.dispatched, self.ready)]),
            (UNIT, self.ready, self.started),
            (RUN, self.started, self.done),
        ]
        return [span for span in spans if span[2] > span[1]]


@dataclass(frozen=True)
class Run:
    """``events`` of ``iterations`` one after the other; the iterations from ``first`` on are steady. ``left``: when
    each instruction leaves the window, and whose result it waits for until then. ``taken``: of each resource, how much
    of each cycle."""

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
        """Returns the cycle in which the last instruction of an iteration leaves the window."""
        return self.left[(iteration + 1) * len(self.steps) - 1][0]

    def iteration(self, number: int) -> list[Event]:
        return self.events[number * len(self.steps) : (number + 1) * len(self.steps)]

    def waiting(self) -> list[dict[str, float]]:
        """Returns of each step the mean cycles in which it waits for data, waits for a unit, and runs."""
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
        """Returns what the cycles of an iteration are spent on, going back from the last result to what it waited for,
        and so on: (RUN, stream) while an instruction of the stream runs, (UNIT, resource) while one waits for it,
        (FRONT_END, None). The sum is ``cycles``."""
        spent: Counter = Counter()
        start, now = self.end(self.first - 1), self.end(self.iterations - 1)
        here, at = self.left[-1][1], DONE

        def back_to(time: int, kind: str, what: object) -> None:
            nonlocal now
            spent[kind, what] += max(now, start) - max(min(now, time), start)
            now = min(now, time)

        while now > start:
            event, stream = self.events[here], self.steps[here % len(self.steps)].stream
            if at != DISPATCHED:
                back_to(event.started, *((RUN, stream) if at == DONE else (FRONT_END, None)))
                back_to(event.ready, UNIT, event.unit)
                if event.by_load:
                    back_to(event.loading, RUN, stream)
                    back_to(event.addressed, UNIT, event.port)
                cause, at = event.address_cause if event.by_load else event.cause, DONE
                if cause is not None:
                    here = cause
                    back_to(self.events[here].done, RUN, self.steps[here % len(self.steps)].stream)
                else:
                    back_to(event.dispatched, RUN, stream)
                    at = DISPATCHED
            elif event.held is not None:
                here, at = event.held, STARTED
            elif here >= self.window and self.left[here - self.window][0] >= event.dispatched:
                here, at = self.left[here - self.window][1], DONE
            elif here:
                here -= 1
                back_to(self.events[here].dispatched, FRONT_END, None)
            else:
                break
        return {what: cycles / (self.iterations - self.first) for what, cycles in spent.items() if cycles}
