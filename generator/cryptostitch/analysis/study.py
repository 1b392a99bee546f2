"""Everything that is known of one kernel on one CPU: its bound, how its loop runs on a simple core, what it and its
parts cost, what others need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..core.kernel import Kernel
from ..core.names import kernel_name
from ..core.program import Recipe
from ..instruction_probe.measurement import without_dependences
from ..model.bound import Bound, bound
from ..model.execution import Run
from ..model.pipeline import pipeline
from ..model.table import Table
from ..pipeline import Generator
from ..tuning.measure import Cost, Laboratory, MeasureError, pinned
from ..tuning.trial import Trial, alone, streams_of_parts, trial
from . import bench_results
from .bench_results import Cell, Results

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Measured:
    """``parts``: of each part alone, cycles for what it does in one iteration of the kernel. ``independent``: of the
    kernel's instructions without their dependences. ``why_not``: where there is no ``cost``. ``doubt``: why the cost is
    not to be compared; empty where it is."""

    cost: Cost | None = None
    parts: tuple[float, ...] = ()
    independent: float | None = None
    why_not: str = ""
    doubt: str = ""


def of_trial(tried: Trial) -> Measured:
    """Returns the figures that a trial has measured already."""
    return Measured(tried.woven, tuple(cycles for _, cycles in tried.parts), doubt=tried.doubt)


def measured(generator: Generator, recipe: Recipe, found: Bound, seconds: float, parts: bool = False) -> Measured:
    """Times the kernel, and with ``parts`` its parts beside it."""
    try:
        if parts:
            tried = trial(generator, recipe, seconds=seconds)
            cost, alones, doubt = tried.woven, tuple(cycles for _, cycles in tried.parts), tried.doubt
        else:
            with pinned():
                laboratory = Laboratory()
                (cost,) = laboratory.measure([laboratory.add(generator, recipe)], seconds)
            alones, doubt = (), cost.doubt
        return Measured(cost, alones, without_dependences([step.form for step in found.steps]), doubt=doubt)
    except MeasureError as error:
        return Measured(why_not=str(error))


@dataclass(frozen=True)
class Loop:
    """A loop on the model: what it takes at least, and how it runs. ``ratio``: how often it runs in one iteration of
    the whole kernel."""

    name: str
    bound: Bound
    run: Run
    ratio: int = 1


@dataclass(frozen=True)
class Study:
    """``parts``: each part alone, where there are several. ``beside``: cst-bench's cell for such work, from
    ``results``. ``stand_in``: what is to be said of a table that is not this CPU's."""

    kernel: Kernel
    whole: Loop
    parts: tuple[Loop, ...]
    measured: Measured
    beside: tuple[Cell, ...]
    results: Results | None
    stand_in: str = ""


def loop(kernel: Kernel, table: Table, ratio: int = 1, share: float = 1) -> Loop:
    """``share``: see Generator.message_share. Raises CryptostitchError when the table lacks a form of the loop."""
    found = bound(kernel, table, share=share)
    return Loop(kernel.name, found, pipeline(found.steps, table, found.code_bytes), ratio)


def study(
    generator: Generator,
    recipe: Recipe,
    table: Table,
    results: Results | None,
    seconds: float,
    why_not: str = "",
    stand_in: str = "",
    progress: Progress = lambda *_: None,
    timed: Measured | None = None,
) -> Study:
    """``seconds``: how long to measure; not at all where ``why_not`` gives a reason. ``timed``: what was measured
    already."""
    progress(0, 4, "compiling")
    kernel = generator.kernel(recipe)
    progress(1, 4, "running the model")
    named = streams_of_parts(recipe)
    singles = alone(generator, recipe) if len(named) > 1 else []
    parts = tuple(
        loop(generator.kernel(single), table, streams[0].ratio, generator.message_share(single))
        for single, (_, streams) in zip(singles, named)
    )
    whole = loop(kernel, table, share=generator.message_share(recipe))
    progress(2, 4, "measuring")
    if timed is None and not why_not:
        timed = measured(generator, recipe, whole.bound, seconds, bool(parts))
    costs = timed or Measured(why_not=why_not)
    beside: list[Cell] = []
    if results:
        names = kernel_name(recipe.name)[0]
        rows = bench_results.rows_of([generator.form(name)[0] for name in names])
        beside = bench_results.beside(results, recipe.name, rows, names[0].lanes, names[0].one_key)
    return Study(kernel, whole, parts, costs, tuple(beside), results, stand_in)
