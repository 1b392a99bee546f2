"""The check `guards`: the kernel on this CPU, every block of memory beside a page that cannot be accessed; inputs can only be read."""

from __future__ import annotations

from ..contract import CHAIN, HAND, SCRATCH, Contract
from ..program import Recipe
from .native import NativeMachine
from .result import Effort, Result
from .scene import Scene, random_secrets
from .subject import Subject

CHANGED_FIELDS = (CHAIN, HAND, SCRATCH)


def check(subject: Subject, effort: Effort) -> Result:
    code = subject.assembled().code
    problems, runs = explore(subject.recipe, subject.rows, code, effort)
    return Result.of(problems, f"{runs} runs, blocks at either end of their pages", runs)


def explore(recipe: Recipe, rows: list, code: bytes, effort: Effort) -> tuple[list[str], int]:
    """(problems, runs)."""
    problems, runs = [], 0
    for placement in ("end", "start"):
        for more in (1, 2, 5, 33) if effort.long else (1, 3):
            machine = NativeMachine(placement)
            scene = Scene(recipe, rows, machine, recipe.lag + more)
            where = f"{scene.iterations} iterations, blocks at the {placement} of their pages"
            expected = scene.fill(random_secrets((effort.seed, recipe.name, more)))
            before = [machine.read(state, recipe.parts[i].program.contract.state_bytes) for i, state in enumerate(scene.states)]
            outcome = machine.run(code, scene.arguments)
            runs += 1
            if outcome.fault:
                return [*problems, f"{where}: {outcome.fault}"], runs
            problems += [f"{where}: {problem}" for problem in scene.problems(expected)]
            for i, was in enumerate(before):
                contract = recipe.parts[i].program.contract
                problems += [f"{where}: {problem}" for problem in changed(i, contract, was, machine.read(scene.states[i], contract.state_bytes))]
    return problems, runs


def may_change(contract: Contract) -> bytearray:
    """One byte for each of the state block: 1 where the stream may leave something else."""
    allowed = bytearray(contract.state_bytes)
    for field in contract.fields:
        if field.name in CHANGED_FIELDS or field.name.startswith("spill"):
            places = [field.offset + row * field.row_bytes + at for row in range(field.rows) for at in field.lane_offsets] if field.lane_offsets else None
            for start, size in [(p, field.entry_bytes) for p in places] if places else [(field.offset, field.size)]:
                allowed[start:start + size] = b"\1" * size
    return allowed


def changed(stream: int, contract: Contract, was: bytes, is_: bytes) -> list[str]:
    """Fields that changed and may not, and bytes between fields."""
    allowed = may_change(contract)
    wrong = [n for n in range(len(was)) if was[n] != is_[n] and not allowed[n]]
    names = {next((f.name for f in contract.fields if f.offset <= n < f.offset + f.size), "no field") for n in wrong}
    return [f"the state block of stream {stream} was changed in '{name}'" for name in sorted(names)]
