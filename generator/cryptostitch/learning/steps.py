"""The steps of learning a CPU. Each leaves a whole part of the folder, and goes on where an interrupted run ended."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
from collections.abc import Callable
from dataclasses import dataclass

from ..analysis import bench_run
from ..analysis.bench_results import OURS, Results, read_results
from ..binding import runtime
from ..core.names import woven_for
from ..cpus.costs import rows_of, table_text
from ..cpus.folder import CpuFolder, Grade, Made, Part
from ..cpus.recipes import WeaveSettings, recipe_data
from ..instruction_probe import measurement
from ..listing import Catalogue
from ..model.table import median_table, read_table
from ..passes.verify import VerifyError
from ..tuning import measure
from .budget import LIBRARY_COSTS, Budget, Step
from .diary import Diary
from .host import Host
from .pairs import Outcome, Searches, pairs_that_run

KERNEL_COSTS = "kernel.costs"
BENCH_SIZES, BENCH_JOBS = ("64", "1024", "16384"), ("1", "8", "64")
RECIPES_HOW = (
    "`cryptostitch learn`: searches for the pairs that bursts run here; kept are weaves that were faster than the "
    "default one by more than 1 % in each of three laboratories"
)
QUICK_BENCH = 60.0  # seconds, below which the bench gets fewer cells and samples
SAVED_EVERY = 25  # kernels
MUCH = 1.1  # a choice whose cycles are more than this of the other's is told
Tell = Callable[[Step, float, str], None]
Progress = Callable[[float, float, str], None]


@dataclass(frozen=True)
class Work:
    """The state of a run. ``kernels``, ``rows``: globs, of kernels to measure and of suites to bench.
    ``circumstance``: what is to be said of the machine's other work. ``tell(step, how much of it is done, what comes
    next)``."""

    folder: CpuFolder
    host: Host
    diary: Diary
    budget: Budget
    kernels: str
    rows: str
    when: str
    commit: str
    circumstance: str
    tell: Tell

    def made(self, part: Part, how: str, adds: bool = False) -> None:
        """Says in about.json how the part was made. ``adds``: to what was there, of which the rest stays."""
        about = self.folder.about()
        assert about is not None  # written before the first step
        how += self.circumstance
        before = about.parts.get(part) if adds else None
        if before:
            how = before.how if how in before.how else f"{before.how}; since then, some: {how}"
        grade = max(Grade.MEASURED, before.grade if before else Grade.MEASURED, key=list(Grade).index)
        self.folder.write_about(about.with_part(part, Made(grade, how, self.when, self.commit)))

    def progress(self, step: Step, number: int, count: int) -> Progress:
        """Returns the progress function for piece ``number`` of ``count`` equal pieces of a step."""
        return lambda done, total, name: self.tell(step, (number + done / total) / count, name)

    def note(self, what: str, result: object) -> None:
        self.diary.note(what, result, self.budget.used)


def probe(work: Work) -> None:
    """The instruction table. What was not measured (`core`) stays as the folder has it."""
    runs = work.diary.done("runs") or work.budget.probe_runs
    work.note("runs", runs)
    tables = []
    for run in range(runs):
        path = work.diary.path(f"instruction_costs.{run}.json")
        if not path.exists():
            work.diary.write_text(path.name, measurement.probe(work.progress(Step.PROBE, run, runs)).text())
        tables.append(read_table(path))
    table = dataclasses.replace(median_table(tables), microarchitecture=work.host.name)
    before = work.folder.file(Part.INSTRUCTION_COSTS)
    if before.exists():
        table = dataclasses.replace(table, core=read_table(before).core)
    work.folder.write(Part.INSTRUCTION_COSTS.file, table.text())
    work.made(
        Part.INSTRUCTION_COSTS,
        f"`cryptostitch learn`: {f'the median of {runs} runs' if runs > 1 else 'one run'} of the probe",
    )


def calibrate(work: Work) -> None:
    """The cost table."""
    kept = "costs.json"
    rows: dict[str, list[float]] = work.diary.read(kept) or {}

    def tell(done: int, total: int, name: str) -> None:
        if done and done % SAVED_EVERY == 0:
            work.diary.write(kept, rows)
        work.tell(Step.CALIBRATE, done / total, name)

    count = len(runtime.Context(runtime.ALLOW_LEGACY).kernels())
    seconds = work.budget.row(count)
    try:
        table = measure.calibrate(work.kernels, tell, seconds, rows)
    finally:
        if rows:
            work.diary.write(kept, rows)
    how = f"`cryptostitch learn`: {seconds:.2f} s for each kernel"
    _write_costs(work, {**table, "microarchitecture": work.host.name}, how)
    some = work.kernels != "*"
    work.made(Part.COSTS, how + (f" that matches {work.kernels}" if some else ""), adds=some)


def _write_costs(work: Work, table: dict, how: str) -> None:
    """Rows that were not measured now stay, unless all were; those of recipes that the library has not yet stay too."""
    path = work.folder.file(Part.COSTS)
    before = rows_of(path) if path.exists() else {}
    head = {k: v for k, v in table.items() if k != "kernels"} | {"basis": how}
    if work.kernels == "*":
        own = {woven_for(recipe_data(recipe)["kernel"], work.host.name) for recipe in work.folder.recipes()}
        before = {name: row for name, row in before.items() if name in own}
    elif before:
        head = {k: v for k, v in json.loads(path.read_text(encoding="utf-8")).items() if k != "kernels"}
    kernels = dict(sorted((before | table["kernels"]).items()))
    work.folder.write(Part.COSTS.file, table_text({**head, "kernels": kernels}))


def library_costs(work: Work) -> runtime.Context:
    """A context of the library that chooses by what it has measured here; the figures are kept for cst-bench."""
    path = work.diary.path(KERNEL_COSTS)
    if not path.exists():
        context = runtime.Context(runtime.ALLOW_LEGACY)
        seconds = max(0.1, min(LIBRARY_COSTS, work.budget.left))
        path.parent.mkdir(parents=True, exist_ok=True)
        context.calibrate(
            None, seconds, lambda done, total, name: work.tell(Step.CALIBRATE, 1.0, f"for the library: {name}")
        )
        context.save_costs(path)
    return runtime.Context(runtime.ALLOW_LEGACY, costs=path)


def tune(work: Work, context: runtime.Context) -> None:
    """Recipes for the pairs that bursts would run here, the most often chosen first, as many as there is time for."""
    catalogue = Catalogue()
    chosen = [pair for pair in pairs_that_run(context) if fnmatch.fnmatchcase(pair, work.kernels)]
    searches = Searches(catalogue, work.diary.path("searches"))
    known: dict[str, WeaveSettings] = {}
    for pair in chosen:
        try:
            if start := searches.start(pair):
                known[pair] = start
        except VerifyError as error:
            work.note(pair, Outcome((), unproved=(error.problems[0],)).note())
    reserve = work.budget.bench
    for number, (pair, start) in enumerate(known.items()):
        if work.diary.done(pair) is not None:
            continue
        seconds = work.budget.pair(len(known) - number, reserve)
        if not seconds:
            break
        name = "+".join(start.streams)
        found = searches.run(
            pair,
            start,
            seconds,
            work.folder.file(Part.RECIPES) / f"{name}.json",
            work.progress(Step.TUNE, number, len(known)),
        )
        if found.recipe:
            work.folder.write(f"{Part.RECIPES.file}/{name}.json", json.dumps(found.recipe, indent=1) + "\n")
            _add_costs(work, {pair: found.default, woven_for(pair, work.host.name): found.tuned})
            work.made(Part.RECIPES, RECIPES_HOW, adds=True)
        work.note(pair, found.note())
    tried = {pair: note for pair in chosen if (note := work.diary.done(pair)) is not None}
    work.note("searched", {"tried": tried, "untried": [pair for pair in known if pair not in tried]})


def _add_costs(work: Work, rows: dict[str, list[float]]) -> None:
    """Adds the rows to the cost table, where there is one: a recipe runs only where it and the default weave were timed
    in the same way."""
    path = work.folder.file(Part.COSTS)
    if path.exists():
        table, kernels = json.loads(path.read_text(encoding="utf-8")), dict(sorted((rows_of(path) | rows).items()))
        work.folder.write(Part.COSTS.file, table_text({**table, "kernels": kernels}))


def bench(work: Work) -> None:
    """Runs cst-bench, with the kernels chosen by what the library measured here. BenchFailure."""
    seconds = min(work.budget.bench, max(work.budget.left, 1.0))
    effort = []
    if seconds < QUICK_BENCH:
        effort += ["--sizes", ",".join(BENCH_SIZES), "--jobs", ",".join(BENCH_JOBS), "--own-key"]
        effort += ["--min-ms", "0.1", "--repetitions", "5"]
    work.tell(Step.BENCH, 0.0, "cst-bench")
    path = bench_run.measured(
        work.diary.path("bench.json"), ["--costs", str(work.diary.path(KERNEL_COSTS)), *effort], work.rows, quiet=True
    )
    work.folder.write(Part.BENCH.file, path.read_text(encoding="utf-8"))
    work.tell(Step.BENCH, 0.8, "cst-bench, with the costs that the library brings")
    before = bench_run.measured(
        work.diary.path("bench.before.json"), ["--peers", "none", *effort], work.rows, quiet=True
    )
    work.note("worse", worse_choices(read_results(before), read_results(path)))
    work.made(
        Part.BENCH,
        "`cryptostitch learn`: cst-bench, kernels chosen by costs that the library measured before"
        + (", few cells and samples" if seconds < QUICK_BENCH else ""),
    )


def worse_choices(before: Results, after: Results) -> list[dict]:
    """The cells whose kernel the measured costs changed for one that takes more than MUCH of the cycles, the worst
    first. ``before``: by the costs that the library brings, ``after``: by those that were measured here. Both are
    timed, so that it is the choice that is judged, not the costs."""
    known = {(*cell.place, cell.bytes): cell for cell in before.cells if cell.implementation == OURS}
    found = []
    for cell in after.cells:
        other = known.get((*cell.place, cell.bytes))
        if cell.implementation != OURS or other is None or cell.variant == other.variant:
            continue
        ratio = cell.cycles_per_byte / other.cycles_per_byte
        if ratio > MUCH * (1 + cell.spread + other.spread):
            place = {"row": cell.row, "keys": cell.keys, "size": cell.size, "jobs": cell.jobs}
            found.append({**place, "kernel": cell.variant, "before": other.variant, "ratio": round(ratio, 3)})
    return sorted(found, key=lambda cell: -cell["ratio"])
