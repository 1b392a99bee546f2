"""The check `stale`: what a call leaves does not depend on what was there before: in the fields of a state block that
are no inputs, where it writes, in registers and below the stack pointer.

A caller clears nothing between messages, so that a kernel finds there what others left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..core.catalog import Algorithm
from ..core.contract import CHAIN, TABLE
from ..core.program import Recipe
from . import probe_library
from .guards import ends_of
from .kept import may_change
from .native import NativeMachine, filled_registers, random_registers
from .result import Effort, Result
from .scene import Background, Scene, noise, random_secrets
from .subject import Subject


def check(subject: Subject, effort: Effort) -> Result:
    problems, runs = explore(subject.recipe, subject.rows, subject.assembled().code, effort)
    return Result.of(problems, f"{runs} runs over zeros, ones, noise, and what others left", runs)


@dataclass(frozen=True)
class Stale:
    """``memory``: what it holds where nothing was written; ``registers`` makes those before a call."""

    what: str
    memory: Background
    registers: Callable[[], probe_library.Registers]
    stack_fill: int


def explore(recipe: Recipe, rows: list[Algorithm], code: bytes, effort: Effort) -> tuple[list[str], int]:
    """(problems, runs). Every scene runs with the same secrets over each of the contents."""
    problems: list[str] = []
    runs, left = 0, [bytes(part.program.contract.state_bytes) for part in recipe.parts]
    counts = recipe.counts(2, 1)
    for end in ends_of(recipe, effort):
        scene = Scene(recipe, rows, NativeMachine(), sum(counts), end)
        found: set[bytes] = set()
        for stale in _contents(recipe, left, effort):
            where = f"an end of {end} bytes, over {stale.what}: " if recipe.ends else f"over {stale.what}: "
            runs += 1
            said, result = _run(scene, counts, code, stale, (effort.seed, recipe.name, end))
            found.add(result)
            problems += [where + problem for problem in said]
            if said:
                break
        else:
            if len(found) > 1:
                problems.append("results are right, and other bytes over other contents")
        left = scene.blocks()
    return problems, runs


def _contents(recipe: Recipe, left: list[bytes], effort: Effort) -> Iterator[Stale]:
    def of(byte: int) -> Background:
        return lambda stream, size: bytes([byte]) * size

    def random(n: int) -> Callable[[], probe_library.Registers]:
        return lambda: random_registers((effort.seed, recipe.name, n))

    yield Stale("zeros", of(0), lambda: filled_registers(0), 0)
    yield Stale("ones", of(0xFF), lambda: filled_registers(0xFF), 0xFF)
    yield Stale("what other lengths left", lambda stream, size: left[stream].ljust(size)[:size], random(-1), 0xA5)
    for n in range(8 if effort.long else 2):
        yield Stale(f"noise {n}", noise((effort.seed, recipe.name, n)), random(n), 0x5A)


def _run(scene: Scene, counts: tuple[int, ...], code: bytes, stale: Stale, seed: object) -> tuple[list[str], bytes]:
    """(problems, the bytes of the results)."""
    machine = scene.machine
    assert isinstance(machine, NativeMachine)
    machine.before, machine.stack_fill = stale.registers, stale.stack_fill
    scene.background = stale.memory
    expected = scene.fill(random_secrets(seed))
    for n, (outcome, changes) in enumerate(scene.calls(code, counts), 1):
        if outcome.fault or changes:
            return [outcome.fault] if outcome.fault else changes, b""
        if n < len(counts):
            _spoil(scene, stale)
    return scene.problems(expected), b"".join(e.read(machine) for e in expected)


def _spoil(scene: Scene, stale: Stale) -> None:
    """Gives the fields that a call may change and the next one does not read other contents."""
    for i, (state, block) in enumerate(zip(scene.states, scene.blocks())):
        contract = scene.contract(i)
        allowed, before = may_change(contract), stale.memory(i, len(block))
        for field in contract.fields:
            if field.name in (CHAIN, TABLE):
                allowed[field.offset : field.offset + field.size] = bytes(field.size)
        scene.machine.write(state, bytes(b if may else a for a, b, may in zip(block, before, allowed)))
