"""The check `model`: the instruction model runs the kernel. Right results, the contract's memory only, equal traces; on
any host."""

from __future__ import annotations

from dataclasses import replace

from .interpreter import ModelMachine
from .machine import Machine, Outcome
from .result import Effort, Result
from .scene import Scene
from .secrets import structured
from .subject import Subject


def check(subject: Subject, effort: Effort) -> Result:
    machine = ModelMachine()
    problems, steps, runs = explore(subject, effort, machine)
    return Result.of(problems, f"{steps} instructions in {runs} runs", runs).waived(subject.vartime)


def explore(subject: Subject, effort: Effort, machine: Machine) -> tuple[list[str], int, int]:
    """(problems, instructions executed, runs): the kernel on one scene with structured secrets, two calls for each. The
    second begins with lanes that differ, and has the fewest iterations that a kernel allows."""
    counts = subject.recipe.counts(4 if effort.long else 2, 1)
    scene = Scene(subject.recipe, subject.rows, machine, sum(counts))
    problems: list[str] = []
    first: list[Outcome] = []
    executed = runs = 0
    secrets = structured(effort.seed, effort.long)
    for name, contents in secrets:
        expected = scene.fill(contents)
        outcomes: list[Outcome] = []
        for outcome, changes in scene.calls(subject.code, counts, trace=True):
            runs += 1
            executed += len(outcome.trace)
            if outcome.fault:
                return [*problems, f"secrets {name}: {outcome.fault}"], executed, runs
            if changes:
                return [*problems, *(f"secrets {name}: {problem}" for problem in changes)], executed, runs
            outcomes.append(outcome)
        problems += [f"secrets {name}: {problem}" for problem in scene.problems(expected)]
        outcomes = [replace(outcome, trace=scene.public_trace(outcome.trace)) for outcome in outcomes]
        first = first or outcomes
        problems += [
            f"secrets {name}: {difference(one, other)}"
            for one, other in zip(first, outcomes)
            if one.trace != other.trace
        ]
    return problems, executed, runs


def difference(one: Outcome, other: Outcome) -> str:
    """Says in a sentence where two traces differ."""
    for n, (a, b) in enumerate(zip(one.trace, other.trace)):
        if a.offset != b.offset:
            return f"instruction {n} is the one at byte {b.offset}, with other secrets the one at byte {a.offset}"
        if a != b:
            return f"the instruction at byte {a.offset} accesses other addresses than with other secrets"
    return f"{len(other.trace)} instructions, with other secrets {len(one.trace)}"
