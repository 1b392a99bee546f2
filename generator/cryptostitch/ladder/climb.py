"""Runs the ladder over many kernels, in several processes. A check that ends its process has failed; the rest goes
on."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

from ..binding import runtime
from ..core.errors import DoesNotFit, UnknownName
from ..core.names import StreamName
from ..core.program import Recipe
from ..listing import Catalogue
from ..pipeline import Generator
from .oracle import refer
from .result import FAIL, Effort, Evidence, Result
from .steps import rungs
from .subject import Subject

Progress = Callable[[int, int, str], None]
BATCH = 6  # kernels that one process takes at a time: neighbours share compiled programs


@dataclass(frozen=True)
class Task:
    """A kernel by its parts; ``name`` is the name that it gets."""

    name: str
    parts: tuple[tuple[StreamName, str], ...]


@dataclass(frozen=True)
class Plan:
    """``given``: the user's own algorithms and template folders, as Generator takes them. ``checks``: names; empty: the
    whole ladder."""

    given: tuple[tuple, tuple] = ((), ())
    checks: tuple[str, ...] = ()
    effort: Effort = Effort()


def tasks(catalogue: Catalogue, glob: str = "*") -> list[Task]:
    """The kernels of the catalogue's default pack whose names match. UnknownName when there is none."""
    found = [Task(name, tuple(parts)) for name, _, _, parts, _ in catalogue.default_kernels(glob)]
    if not found:
        raise UnknownName("kernel", glob, catalogue.kernel_names())
    return found


class Climber:
    """The generator and the library of one process."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.generator = Generator(*plan.given, proves=False)
        refer(self.generator.algorithms.values())
        self.library: runtime.Context | None = None
        with contextlib.suppress(FileNotFoundError):
            self.library = runtime.Context(runtime.ALLOW_PACKS | runtime.ALLOW_LEGACY)

    def climb(self, task: Task, checks: Sequence[str] | None = None) -> Evidence | None:
        """The evidence for one kernel, compiled from its templates; None when its registers do not fit, so that it does
        not exist. ``checks``: those of the plan without them."""
        try:
            recipe = self.generator.default_recipe(task.parts, tuned=task.name)
        except DoesNotFit:
            return None
        return self.examine(recipe, self.plan.checks if checks is None else checks)

    def examine(self, recipe: Recipe, checks: Sequence[str]) -> Evidence:
        """The evidence for one kernel, a pack's too, of which only checks through the C API know enough."""
        subject = Subject(self.generator, recipe, self.library)
        return Evidence(subject.name, {rung.name: rung.run(subject, self.plan.effort) for rung in rungs(tuple(checks))})


_climber: Climber


def _begin(plan: Plan) -> None:
    global _climber
    _climber = Climber(plan)


def _climb(batch: Sequence[Task]) -> list[Evidence]:
    return [found for task in batch if (found := _climber.climb(task))]


def climb(plan: Plan, work: Sequence[Task], processes: int = 1, progress: Progress = lambda *_: None) -> list[Evidence]:
    """The evidence for these kernels, sorted by name; those that do not fit are left out. ``progress(done, total,
    name)``."""
    found: list[Evidence] = []
    broken: list[Task] = []
    done = 0
    with ProcessPoolExecutor(processes, initializer=_begin, initargs=(plan,)) as pool:
        futures = {pool.submit(_climb, batch): batch for batch in batches(work)}
        for future in as_completed(futures):
            try:
                found += future.result()
            except BrokenProcessPool:
                broken += futures[future]
                continue
            done += len(futures[future])
            progress(done, len(work), futures[future][-1].name)
    for task in broken:
        found += _one_by_one(plan, task)
        done += 1
        progress(done, len(work), task.name)
    return sorted(found, key=lambda e: e.kernel)


def batches(work: Sequence[Task]) -> list[list[Task]]:
    """Tasks that share most of their programs go together."""
    groups = collections.defaultdict(list)
    for task in work:
        groups[task.parts[-1][0].form, task.parts[-1][1]].append(task)
    return [
        group[i : i + BATCH]
        for group in sorted(groups.values(), key=len, reverse=True)
        for i in range(0, len(group), BATCH)
    ]


def _one_by_one(plan: Plan, task: Task) -> list[Evidence]:
    """Runs each check in a process of its own, to find the check that ends the process."""
    whole = Evidence(task.name)
    for rung in rungs(plan.checks):
        with ProcessPoolExecutor(1, initializer=_begin, initargs=(replace(plan, checks=(rung.name,)),)) as pool:
            try:
                found = pool.submit(_climb, [task]).result()
            except BrokenProcessPool:
                whole.checks[rung.name] = Result(FAIL, problems=("the check ended its process: a crash",))
                continue
        if not found:
            return []
        whole.checks |= found[0].checks
    return [whole]
