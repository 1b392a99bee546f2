"""The check `guards`: the kernel on this CPU, every block of memory beside a page that cannot be accessed; inputs can
only be read."""

from __future__ import annotations

import itertools

from ..core.contract import OUT, TEXT_BYTES
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
    for placement, more, end in itertools.product(
        ("end", "start"), (1, 2, 5, 33) if effort.long else (1, 3), ends_of(recipe, effort)
    ):
        machine = NativeMachine(placement)
        counts = recipe.counts(more, more)
        scene = Scene(recipe, rows, machine, sum(counts), end)
        where = f"{len(counts)} calls of {counts[0]} iterations, blocks at the {placement} of their pages"
        where += f", an end of {end} bytes" if recipe.ends else ""
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


def ends_of(recipe: Recipe, effort: Effort) -> tuple[int, ...]:
    """Bytes of a message's end: all numbers, or those where something begins."""
    if not recipe.ends:
        return (0,)
    contract = next((p.program.contract for p in recipe.parts if p.program.contract.has(OUT)), None)
    contract = contract or recipe.parts[0].program.contract
    if recipe.is_listed and not contract.has(TEXT_BYTES):
        return (contract.bytes,)
    ends = range(contract.bytes + 1) if effort.long else (0, 1, 15, 16, 17, contract.bytes - 1, contract.bytes)
    return tuple(ends if contract.has(OUT) else ends[1:])  # a MAC has a byte at least (streams/ghash_whole.j2)
