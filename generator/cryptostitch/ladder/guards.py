"""The check `guards`: the kernel on this CPU, every block of memory beside a page that cannot be accessed; inputs can
only be read."""

from __future__ import annotations

from ..core.program import Recipe
from .native import NativeMachine
from .result import Effort, Result
from .scene import Scene, random_secrets
from .subject import Subject


def check(subject: Subject, effort: Effort) -> Result:
    code = subject.assembled().code
    problems, runs = explore(subject.recipe, subject.rows, code, effort)
    return Result.of(problems, f"{runs} runs, blocks at either end of their pages", runs)


def explore(recipe: Recipe, rows: list, code: bytes, effort: Effort) -> tuple[list[str], int]:
    """(problems, runs). Each scene takes two equal calls: the first begins where its buffers begin, the second ends
    where they end."""
    problems: list[str] = []
    runs = 0
    for placement in ("end", "start"):
        for more in (1, 2, 5, 33) if effort.long else (1, 3):
            machine = NativeMachine(placement)
            counts = (recipe.lag + more,) * 2
            scene = Scene(recipe, rows, machine, sum(counts))
            where = f"two calls of {counts[0]} iterations, blocks at the {placement} of their pages"
            expected = scene.fill(random_secrets((effort.seed, recipe.name, more)))
            for outcome, changes in scene.calls(code, counts):
                runs += 1
                if outcome.fault:
                    return [*problems, f"{where}: {outcome.fault}"], runs
                problems += [f"{where}: {problem}" for problem in changes]
                if changes:
                    break
            else:
                problems += [f"{where}: {problem}" for problem in scene.problems(expected)]
    return problems, runs
