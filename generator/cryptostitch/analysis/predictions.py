"""The model held against what was measured: every kernel of the default pack, by a CPU's instruction table and its cost
table."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from ..core.errors import DoesNotFit
from ..emit.objects import machine_code
from ..ladder.climb import Task, batches
from ..model.bound import bound
from ..model.pipeline import pipeline
from ..model.table import NoRow, Table
from ..passes.frame import frame
from ..pipeline import Generator, Given

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Prediction:
    """Core cycles per iteration. ``measured``: of a cost table; None where it has no row."""

    kernel: str
    binds: str
    bound: float
    predicted: float
    measured: float | None

    @property
    def of_measured(self) -> float | None:
        return self.measured and self.predicted / self.measured


@dataclass(frozen=True)
class Predictions:
    """``lacking``: kernels of which nothing can be said, with the form of an instruction that the table lacks."""

    found: list[Prediction]
    lacking: dict[str, str]


@dataclass(frozen=True)
class Band:
    """Predicted over measured (or bound over measured) of many kernels: the median, and between which figures half and
    nine tenths of them lie."""

    median: float
    half: tuple[float, float]
    most: tuple[float, float]


def band(ratios: Sequence[float]) -> Band | None:
    """Returns how the ratios are spread; None where there are none."""
    found = sorted(ratios)
    if not found:
        return None

    def at(share: float) -> float:
        return found[round(share * (len(found) - 1))]

    return Band(statistics.median(found), (at(0.25), at(0.75)), (at(0.05), at(0.95)))


def predict(generator: Generator, work: Sequence[Task], table: Table, measured: Mapping[str, float]) -> Predictions:
    """Predicts the kernels that fit their registers. ``measured``: cycles per iteration by kernel."""
    kernels = []
    for task in work:
        try:
            kernels.append(frame(generator.default_recipe(task.parts, tuned=task.name)))
        except DoesNotFit:
            continue
    codes = machine_code(kernels) if kernels else {}
    found, lacking = [], {}
    for kernel in kernels:
        try:
            least = bound(kernel, table, codes[kernel.name])
        except NoRow as missing:
            lacking[kernel.name] = missing.form
            continue
        found.append(
            Prediction(
                kernel.name,
                least.binds,
                least.cycles,
                pipeline(least.steps, table, least.code_bytes).cycles,
                measured.get(kernel.name),
            )
        )
    return Predictions(found, lacking)


def _predict(given: Given, work: Sequence[Task], table: Table, measured: Mapping[str, float]) -> Predictions:
    return predict(Generator(*given, proves=False), work, table, measured)


def predictions(
    given: Given,
    work: Sequence[Task],
    table: Table,
    measured: Mapping[str, float],
    processes: int,
    progress: Progress = lambda *_: None,
    each: Callable[[Prediction], None] = lambda _: None,
) -> Predictions:
    """Predicts as `predict`, in several processes; the result is sorted by name. ``given``: as Generator takes it.
    ``progress(done, total, name)``. ``each`` gets every prediction when its batch is done."""
    found: list[Prediction] = []
    lacking: dict[str, str] = {}
    done = 0
    with ProcessPoolExecutor(processes) as pool:
        futures = {pool.submit(_predict, given, batch, table, measured): batch for batch in batches(work)}
        for future in as_completed(futures):
            part = future.result()
            found += part.found
            for prediction in part.found:
                each(prediction)
            lacking |= part.lacking
            done += len(futures[future])
            progress(done, len(work), futures[future][-1].name)
    return Predictions(sorted(found, key=lambda p: p.kernel), dict(sorted(lacking.items())))
