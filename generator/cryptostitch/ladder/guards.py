"""The check `guards`: the kernel on this CPU, every block of memory beside a page that cannot be accessed; inputs can
only be read."""

from __future__ import annotations

import itertools

from ..core.contract import OUT, TEXT_BYTES
from ..core.program import Recipe
from .native import NativeMachine
from .result import Effort, Result
from .scene import Expected, Scene, random_secrets
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
        where = f"blocks at the {placement} of their pages" + (f", an end of {end} bytes" if recipe.ends else "")
        counts = recipe.counts(more, more)
        with NativeMachine(placement) as machine:
            scene = Scene(recipe, rows, machine, sum(counts), end)
            expected = scene.fill(random_secrets((effort.seed, recipe.name, more)))
            said, calls, faults = _run(scene, counts, code, expected)
        runs += calls
        problems += [f"{len(counts)} calls of {counts[0]} iterations, {where}: {problem}" for problem in said]
        if faults:
            break  # each may take as long as a kernel that never ends
    return problems, runs


def _run(scene: Scene, counts: tuple[int, ...], code: bytes, expected: list[Expected]) -> tuple[list[str], int, bool]:
    """(problems, runs, whether the last one faults), up to the first call that faults or changes what it may not."""
    runs = 0
    for outcome, changes in scene.calls(code, counts):
        runs += 1
        if outcome.fault or changes:
            return [outcome.fault] if outcome.fault else changes, runs, bool(outcome.fault)
    return scene.problems(expected), runs, False


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
