"""A loop run by an out-of-order core: when each instruction waits for data, when for a unit, and when it runs.

Instructions enter the window in order, as fast as the front end gives them, and leave it in order. In between, each
starts as soon as its operands are there and every resource that it uses is free, the oldest first. Of a resource, a
cycle is free as long as less than that cycle of it is taken; what an instruction uses beyond the cycle is taken from
the next ones. So a loop takes at least as long as the bound says, and longer where waiting for data and for units do
not overlap within the window.

Where the table knows the vector unit (core.py), that is run as it is: from a queue, in order, each micro-operation is
bound to the emptier of the schedulers that can serve it, where it waits for its operands and then for a pipe. A free
pipe takes the oldest that is ready. What is lost so is what makes a kernel slower than its bound: a scheduler that is
full of what waits for one of its pipes, while others have nothing.
"""

from __future__ import annotations

import dataclasses
import heapq
import math
from collections import deque
from collections.abc import Sequence

from .core import Core, MicroOp, micro_ops
from .dependence import Place, waits_of
from .execution import Event, Run
from .loop import Step
from .table import Table
from .units import Units, Waiting

DISPATCH = "dispatch"
SCHEDULER = "scheduler"
VECTOR_RESULTS = ("xmm", "ymm", "zmm")
INSTRUCTIONS = 8000  # that are run, more or less
LEAST_ITERATIONS, MOST_ITERATIONS = 6, 60


class _VectorUnit:
    """The queue, the schedulers and the pipes. ``held``: whose start made room last."""

    def __init__(self, core: Core):
        self.core = core
        self.room = [s.entries for s in core.schedulers]
        self.queue: deque[tuple[int, list[MicroOp]]] = deque()
        self.parked: dict[int, list[tuple[MicroOp, tuple[int, ...]]]] = {}
        self.ready: dict[tuple[int, ...], list[tuple[int, int, int, str]]] = {}
        self.free = dict.fromkeys(core.all_pipes, 0)
        self.scheduler = {p: i for i, s in enumerate(core.schedulers) for p in s.pipes}
        self.left: dict[int, int] = {}
        self.taken: dict[str, list[float]] = {f"pipe {p}": [] for p in core.all_pipes}
        self.held: int | None = None

    def full(self) -> bool:
        return len(self.queue) >= self.core.queue

    def enter(self, operands_there: Sequence[bool]) -> list[int]:
        """Fills the schedulers, and returns who entered."""
        entered = []
        while self.queue:
            number, ops = self.queue[0]
            room, bound = list(self.room), []
            for op in ops:
                at = max({self.scheduler[p] for p in op.pipes}, key=lambda s: (room[s], -s))
                room[at] -= 1
                bound.append((op, tuple(p for p in op.pipes if self.scheduler[p] == at)))
            if min(room) < 0:
                break
            self.room = room
            self.queue.popleft()
            self.left[number] = len(ops)
            self.parked[number] = bound
            entered.append(number)
            if operands_there[number]:
                self.wake(number)
        return entered

    def wake(self, number: int) -> None:
        """The operands of one are there."""
        for i, (op, pipes) in enumerate(self.parked.pop(number, ())):
            heapq.heappush(self.ready.setdefault(pipes, []), (number, i, op.cycles, op.resource))

    def issue(self, cycle: int) -> list[tuple[int, str]]:
        """Who has started with all its micro-operations, and what the last one waited for."""
        complete = []
        for pipe, free in self.free.items():
            if free > cycle:
                continue
            waiting = [ops for pipes, ops in self.ready.items() if ops and pipe in pipes]
            if not waiting:
                continue
            number, _, cycles, resource = heapq.heappop(min(waiting))
            self.free[pipe] = cycle + cycles
            self.room[self.scheduler[pipe]] += 1
            taken = self.taken[f"pipe {pipe}"]
            taken.extend([0.0] * (cycle - len(taken)) + [1.0] * cycles)
            self.held = number
            self.left[number] -= 1
            if not self.left[number]:
                complete.append((number, resource))
        return complete


class _Core:
    """The state of a run; arrays are by the number of an instruction, counted through all iterations."""

    def __init__(self, steps: Sequence[Step], table: Table, code_bytes: int, core: Core):
        self.table, self.core, self.size = table, core, len(steps)
        self.iterations = max(LEAST_ITERATIONS, min(MOST_ITERATIONS, INSTRUCTIONS // len(steps)))
        self.total = self.iterations * len(steps)
        self.waits, rows = waits_of(steps, table), [table.row(step.form) for step in steps]
        fetch = table.fetching(len(steps) + 1, code_bytes) / len(steps)
        self.fronts = [max(fetch, row.uses.get(DISPATCH, 0)) for row in rows]
        self.ports = [
            tuple((name, use) for name, use in row.uses.items() if step.form.loads and "load" in name.split())
            for step, row in zip(steps, rows)
        ]
        self.ops = [micro_ops(step.form, row.uses, core) for step, row in zip(steps, rows)]
        shared = {"vector", *core.pipes}
        inside = {name for name in table.resources if set(name.split(" or ")) <= shared} if core.schedulers else set()
        self.others = [
            tuple(
                (name, use)
                for name, use in row.uses.items()
                if name != DISPATCH and name not in inside and (name, use) not in ports
            )
            for row, ports in zip(rows, self.ports)
        ]
        self.named = [step.form.operands[0] in VECTOR_RESULTS if step.form.operands else False for step in steps]
        stores = {w.store for w in self.waits if w.store}
        self.overlapping = {
            place: [s for s in stores if s.overlaps(place)] for w in self.waits for place, _ in w.places
        }
        self.units = Units([name for name in table.resources if name != DISPATCH])
        self.loads, self.rest = Waiting(self.units), Waiting(self.units)
        self.vector = _VectorUnit(core)
        self.registers: dict[object, int] = {}
        self.memory: dict[Place, int] = {}
        zeros = [0] * self.total
        self.dispatched, self.addressed, self.loading, self.loaded, self.operands, self.ready, self.started = (
            list(zeros) for _ in range(7)
        )
        self.done: list[int | None] = [None] * self.total
        nobody: list[int | None] = [None] * self.total
        self.cause, self.address_cause, self.held = (list(nobody) for _ in range(3))
        self.unit, self.port = [""] * self.total, [""] * self.total
        self.there = [False] * self.total  # all operands
        self.missing, self.no_address = list(zeros), list(zeros)  # how many are not known yet
        self.consumers: list[list[tuple[int, bool, float]]] = [[] for _ in range(self.total)]
        self.addresses: list[tuple[int, int]] = []  # (cycle, number): what happens then
        self.complete: list[tuple[int, int]] = []
        self.left: list[tuple[int, int]] = []
        self.next, self.front, self.results = 0, 0.0, 0

    # ---- data

    def _wait(self, number: int, sources: list[tuple[int | None, float]], address: bool) -> None:
        for source, latency in sources:
            if source is None:
                continue
            done = self.done[source]
            if done is None:
                self.consumers[source].append((number, address, latency))
                (self.no_address if address else self.missing)[number] += 1
            else:
                self._comes(number, address, math.ceil(done + latency), source)

    def _comes(self, number: int, address: bool, cycle: int, source: int) -> None:
        times, causes = (self.addressed, self.address_cause) if address else (self.operands, self.cause)
        if cycle > times[number]:
            times[number], causes[number] = cycle, source

    def _known(self, number: int, address: bool) -> None:
        if address:
            if not self.no_address[number]:
                heapq.heappush(self.addresses, (self.addressed[number], number))
        elif not self.missing[number]:
            self.ready[number] = max(self.operands[number], self.loaded[number])
            heapq.heappush(self.complete, (self.ready[number], number))

    def _finish(self, number: int, started: int, unit: str) -> None:
        self.started[number], self.unit[number] = started, unit
        done = self.done[number] = started + math.ceil(self.waits[number % self.size].execution)
        for consumer, address, latency in self.consumers[number]:
            self._comes(consumer, address, math.ceil(done + latency), number)
            (self.no_address if address else self.missing)[consumer] -= 1
            self._known(consumer, address)
        self.consumers[number] = []

    # ---- what happens in a cycle

    def _dispatch(self, cycle: int) -> None:
        self.front = max(self.front, cycle)
        while self.next < self.total and self.front < cycle + 0.999:
            number, step = self.next, self.next % self.size
            crowded = self.ops[step] and self.vector.full()
            if number - len(self.left) >= self.core.window or (
                self.core.registers and self.named[step] and self.results >= self.core.registers
            ):
                return
            if crowded:
                self.held[number] = -1
                return
            if self.held[number] == -1:
                self.held[number] = self.vector.held
            self.next += 1
            self.front += self.fronts[step]
            self.results += self.named[step]
            wait = self.waits[step]
            for times in (self.dispatched, self.addressed, self.loading, self.loaded, self.operands):
                times[number] = cycle
            if self.ports[step]:
                self.missing[number] += 1
                self._wait(
                    number,
                    [
                        (self.registers.get(key), latency - self.table.load - wait.execution)
                        for key, latency in wait.addresses
                    ],
                    True,
                )
                self._known(number, True)
            sources = [(self.registers.get(key), latency - wait.execution) for key, latency in wait.registers]
            sources += [
                (self.memory.get(store), latency - wait.execution)
                for place, latency in wait.places
                for store in self.overlapping[place]
            ]
            self._wait(number, sources, False)
            if self.ops[step]:
                self.vector.queue.append((number, self.ops[step]))
            self._known(number, False)
            for key in wait.writes:
                self.registers[key] = number
            if wait.store:
                self.memory[wait.store] = number

    def _ready(self, cycle: int) -> None:
        """Addresses, and operands, that are there by now."""
        while self.addresses and self.addresses[0][0] <= cycle:
            number = heapq.heappop(self.addresses)[1]
            self.loads.add(number, self.ports[number % self.size])
        while self.complete and self.complete[0][0] <= cycle:
            number = heapq.heappop(self.complete)[1]
            self.there[number] = True
            if self.ops[number % self.size]:
                self.vector.wake(number)
            else:
                self.rest.add(number, self.others[number % self.size])

    def _issue(self, cycle: int) -> None:
        self._ready(cycle)
        for number in self.vector.enter(self.there):
            if self.there[number] and cycle > self.ready[number]:
                self.unit[number] = SCHEDULER
        for number, resource in self.vector.issue(cycle):
            if not self.unit[number] and cycle > self.ready[number]:
                self.unit[number] = resource
            self.rest.add(number, self.others[number % self.size])
        for number, port in self.loads.start(cycle):
            self.loading[number], self.port[number] = cycle, port if cycle > self.addressed[number] else ""
            self.loaded[number] = cycle + math.ceil(self.table.load)
            self.missing[number] -= 1
            self._known(number, False)
        for number, unit in self.rest.start(cycle):
            self._finish(number, cycle, self.unit[number] or (unit if cycle > self.ready[number] else ""))
            self._ready(cycle)  # what is only renamed has its result at once

    def run(self) -> None:
        cycle = 0
        while len(self.left) < self.total:
            while len(self.left) < self.next and (done := self.done[len(self.left)]) is not None and done <= cycle:
                number = len(self.left)
                self.results -= self.named[number % self.size]
                self.left.append(max((done, number), self.left[-1] if self.left else (0, 0)))
            self._dispatch(cycle)
            self._issue(cycle)
            cycle += 1

    def events(self) -> list[Event]:
        by_load = [bool(self.ports[n % self.size]) and self.loaded[n] >= self.operands[n] for n in range(self.total)]
        columns = (
            self.dispatched,
            self.addressed,
            self.loading,
            self.loaded,
            self.ready,
            self.started,
            self.done,
            by_load,
            self.cause,
            self.address_cause,
            self.unit,
            self.port,
            [None if held == -1 else held for held in self.held],
        )
        return [Event(*fields) for fields in zip(*columns)]


def pipeline(steps: Sequence[Step], table: Table, code_bytes: int, window: int = 0) -> Run:
    """Runs the loop until it is steady. ``code_bytes``: of the loop. ``window``: instructions (default: the
    microarchitecture's).

    Raises CryptostitchError for a form without a row."""
    core = dataclasses.replace(table.core, window=window or table.core.window)
    state = _Core(steps, table, code_bytes, core)
    state.run()
    return Run(steps, state.events(), state.iterations, core.window, state.left, state.units.taken | state.vector.taken)
