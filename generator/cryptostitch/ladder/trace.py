"""The check `trace`: single-stepped on this CPU, the kernel executes the same instructions on the same addresses for
structured secrets."""

from __future__ import annotations

from dataclasses import replace

from ..core.catalog import Algorithm
from ..core.program import Recipe
from .model import difference
from .native import NativeMachine
from .result import Effort, Result
from .scene import Scene
from .secrets import structured
from .subject import Subject


def check(subject: Subject, effort: Effort) -> Result:
    problems, steps, runs = explore(subject.recipe, subject.rows, subject.assembled().code, effort)
    return Result.of(problems, f"{steps} instructions in {runs} runs", runs).waived(subject.vartime)


def explore(recipe: Recipe, rows: list[Algorithm], code: bytes, effort: Effort) -> tuple[list[str], int, int]:
    """(problems, instructions executed, runs). Hashes of the traces are compared; whole traces only where they
    differ."""
    machine, public = NativeMachine(), all(part.program.contract.public for part in recipe.parts)
    scene = Scene(recipe, rows, machine, sum(recipe.counts(3 if effort.long else 1)))
    secrets = structured(effort.seed, effort.long)
    problems: list[str] = []
    executed, first = 0, None
    for name, contents in secrets:
        expected = scene.fill(contents)
        called = machine.call(code, scene.arguments, trace="hash")
        executed += called.steps
        if called.fault:
            return [*problems, f"secrets {name}: {called.fault}"], executed, len(secrets)
        problems += [f"secrets {name}: {problem}" for problem in scene.problems(expected)]
        first = first or (called.steps, called.hash)
        if (called.steps, called.hash) != first and not public:
            scene.fill(secrets[0][1])
            one = machine.run(code, scene.arguments, trace=True)
            scene.fill(contents)
            one, other = (
                replace(o, trace=scene.public_trace(o.trace))
                for o in (one, machine.run(code, scene.arguments, trace=True))
            )
            if one.trace != other.trace or "vartime" not in recipe.name:
                problems.append(f"secrets {name}: {difference(one, other)}")
    return problems, executed, len(secrets)
