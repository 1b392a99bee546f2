"""Regret: what the kernels that are chosen cost, over the least that any kernels of the suite cost, on a CPU where all
of them were measured.

The library itself chooses, by a table that it is given (`binding/cost_file.py`): that CPU's own, one that was derived
without it, or none. What a choice costs is then read off the CPU's measured table. Numbers of jobs and lengths are
powers of two, as lanes and bytes of an iteration are: so rounds and iterations are full, or there is only one, and a
kernel stands for all that runs.
"""

from __future__ import annotations

import fnmatch
import itertools
import math
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..binding import runtime
from ..binding.cost_file import write_table
from ..core.names import kernel_name
from ..core.program import DERIVED_MARK

LENGTHS = tuple(1 << n for n in range(4, 17))
JOBS = tuple(1 << n for n in range(7))
WORST = 10  # cells that are shown

Rows = Mapping[str, Sequence[float]]  # kernel -> cycles per iteration, per call
Plan = tuple[str, ...]  # one kernel, or cipher and hash one after the other
Progress = Callable[[int, int, str], object]


@dataclass(frozen=True)
class Cell:
    """A number of equal jobs, each with its own key if there are several."""

    suite: str
    direction: int
    size: int
    jobs: int


@dataclass(frozen=True)
class Judged:
    """``cost`` of what was chosen and of the ``best`` in core cycles."""

    cell: Cell
    chosen: Plan
    best: Plan
    cost: float
    least: float

    @property
    def regret(self) -> float:
        return self.cost / self.least


@dataclass(frozen=True)
class Regret:
    """``unmeasured``: cells whose choice the measured table lacks."""

    judged: tuple[Judged, ...]
    unmeasured: int

    @property
    def mean(self) -> float:
        """Geometric."""
        return math.exp(sum(math.log(j.regret) for j in self.judged) / len(self.judged)) if self.judged else 1.0

    def worst(self, count: int = WORST) -> list[Judged]:
        return sorted(self.judged, key=lambda j: -j.regret)[:count]


@dataclass(frozen=True)
class _Shape:
    """A kernel: bytes per lane and iteration; what it does with a text."""

    lanes: int
    step: int
    writes: bool
    hashes: bool
    whole: bool  # messages with their ends, which are no iterations

    @property
    def stitched(self) -> bool:
        return self.writes and self.hashes and not self.whole


class _Measured:
    """The measured table, and the shapes of its kernels."""

    def __init__(self, context: runtime.Context, rows: Rows, message: float) -> None:
        self.context, self.rows, self.message = context, rows, message
        self.shapes: dict[str, _Shape] = {}

    def shape(self, kernel: str) -> _Shape:
        if kernel not in self.shapes:
            streams = self.context.kernel(kernel).streams
            writes = [s.field("out") is not None for s in streams]
            whole = streams[0].field("lengths") is not None
            lanes = kernel_name(kernel)[0][0].lanes
            self.shapes[kernel] = _Shape(lanes, streams[0].bytes, any(writes), whole or not all(writes), whole)
        return self.shapes[kernel]

    def has(self, plan: Plan) -> bool:
        return all(kernel in self.rows for kernel in plan)

    def cycles(self, kernel: str, jobs: int, size: int, block: int) -> float:
        """Returns the cycles of all jobs. Pads the end of a text to an iteration. The end of a message that is hashed
        is padded to a block: what is left of an iteration has a call of a kernel of fewer blocks, or was in the
        head."""
        shape, (iteration, call) = self.shape(kernel), self.rows[kernel]
        unit = shape.step if shape.writes else block
        iterations = math.ceil(size / unit) * unit / shape.step - shape.whole
        return math.ceil(jobs / shape.lanes) * (call + iteration * iterations)

    def costs(self, plans: Sequence[Plan], jobs: int, size: int) -> dict[Plan, float]:
        """Returns the cost of each plan. Before and after the stitched middle, cipher and hash have a call of one block
        each, on the cheapest kernel. Where a kernel could process whole messages, the steps also cost what is kept of a
        message between them, as in `choose_pair` and `choose_message` of runtime/plan/lineup.cpp."""
        kernels = {kernel for plan in plans for kernel in plan if kernel in self.rows}
        hashing = [k for k in kernels if not self.shape(k).writes]
        ciphers = [k for plan in plans if len(plan) > 1 for k in plan if k in kernels and self.shape(k).writes]
        block = min((self.shape(k).step for k in hashing), default=1)
        around = sum(
            min((self.cycles(k, jobs, block, block) for k in side), default=0.0) for side in (hashing, ciphers)
        )
        beside = self.message * jobs if any(self.shape(k).whole for k in kernels) else 0.0
        return {
            plan: beside * (not self.shape(plan[0]).whole)
            + sum(self.cycles(kernel, jobs, size, block) + around * self.shape(kernel).stitched for kernel in plan)
            for plan in plans
            if self.has(plan)
        }


def cells_of(suite: runtime.Suite) -> list[Cell]:
    """Returns the cells of a suite: each direction, each length that it takes, each number of jobs."""
    directions = (runtime.SEAL, runtime.OPEN) if suite.kind >= runtime.CIPHER else (runtime.SEAL,)
    sizes = [n for n in LENGTHS if suite.min_bytes <= n <= suite.max_bytes]
    return [Cell(suite.name, *rest) for rest in itertools.product(directions, sizes, JOBS)]


def _plan(suite: runtime.Suite, cell: Cell) -> Plan:
    choice = suite.choice(cell.jobs, cell.size, cell.jobs == 1, cell.direction)
    other = re.search(r"; together with ([^, ]+),", choice.why)
    return (choice.kernel, *([other[1]] if other else []))


def _forced(context: runtime.Context, suite: runtime.Suite, kernels: Sequence[str]) -> Iterator[str]:
    """Forces every kernel in turn that the suite could use."""
    try:
        yield from (kernel for kernel in kernels if context.try_force(suite.name, kernel))
    finally:
        context.force(suite.name, None)


def _plans(context: runtime.Context, suite: runtime.Suite, cells: Sequence[Cell], kernels: Sequence[str]):
    """Returns the choices that can run the jobs of each cell: the library says what runs with each kernel forced."""
    found: dict[Cell, set[Plan]] = {cell: {_plan(suite, cell)} for cell in cells}
    for kernel in _forced(context, suite, kernels):
        for cell in cells:
            plan = _plan(suite, cell)
            if plan[0] == kernel:
                found[cell].add(plan)
    return found


def _context(table: str, rows: Rows, message: float) -> runtime.Context:
    """Returns a context that chooses by the table."""
    with tempfile.TemporaryDirectory() as folder:
        return runtime.Context(costs=write_table(Path(folder, "table"), table, rows, message))


def regret(
    microarchitecture: str,
    measured: Rows,
    chosen_by: Rows,
    derived: bool = False,
    suites: str = "*",
    progress: Progress | None = None,
    messages: tuple[float, float] = (0.0, 0.0),
) -> Regret:
    """Returns the regret of the suites that match, when the table ``chosen_by`` decides (empty: estimates; ``derived``:
    estimates and the table) and ``measured`` tells the true costs. ``messages``: the cost of a message in steps besides
    its calls, as measured and as the chooser knows it; 0: not known. Kernels that this CPU cannot run are left out."""
    judge = _context(microarchitecture, measured, messages[0])
    chooser = _context(DERIVED_MARK * derived + microarchitecture, chosen_by, messages[1])
    table = _Measured(judge, measured, messages[0])
    kernels = [name for name in judge.kernels() if name in measured]
    names = [name for name in judge.suites() if fnmatch.fnmatchcase(name, suites)]
    judged: list[Judged] = []
    unmeasured = 0
    for done, name in enumerate(names):
        if progress:
            progress(done, len(names), name)
        try:
            suite, choosing = judge.suite(name), chooser.suite(name)
        except runtime.RuntimeFailure as failure:
            if failure.code != runtime.ERR_UNSUPPORTED:
                raise
            continue
        for cell, plans in _plans(judge, suite, cells_of(suite), kernels).items():
            chosen = _plan(choosing, cell)
            costs = table.costs([*plans, chosen], cell.jobs, cell.size)
            if chosen not in costs:
                unmeasured += 1
                continue
            best = min(costs, key=lambda plan: costs[plan])
            judged.append(Judged(cell, chosen, best, costs[chosen], costs[best]))
    return Regret(tuple(judged), unmeasured)
