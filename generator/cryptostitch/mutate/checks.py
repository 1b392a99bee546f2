"""The quick ladder for one mutant, each check on its own. A check answers with the first thing that it finds wrong, or
with nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..core.catalog import Algorithm
from ..core.contract import FROM_HAND, IN, OUT
from ..core.kernel import Kernel
from ..core.program import Recipe
from ..ladder.interpreter import ModelMachine
from ..ladder.machine import Outcome
from ..ladder.model import difference
from ..ladder.scene import Scene, random_secrets
from ..passes.verify import check_bounds, check_forms, check_kernel, check_taint
from ..verify.allocation import allocation_problems, compare, contract_problems
from ..verify.induct import is_spill
from .sampling import Mutant, Original

COMPILE, ASSEMBLER = "compile", "assembler"
STATIC = ("forms", "values", "bounds", "taint", "weave")
RUN = ("model", "trace", "residue")
CHECKS = (*STATIC, *RUN)
SHOWS = {
    COMPILE: "a pass cannot go on",
    "forms": "instructions that the table allows",
    "values": "the allocated code computes what the template does",
    "bounds": "accesses inside the contract",
    "taint": "no secret in an address",
    "weave": "the kernel runs its programs and wipes",
    ASSEMBLER: "LLVM MC refuses it",
    "model": "known answers inside the contract, on the instruction model",
    "trace": "equal traces for two secrets",
    "residue": "registers after the return do not depend on secrets",
}


def static(original: Original, mutant: Mutant, wanted: Sequence[str], thorough: bool) -> dict[str, str]:
    """Runs the wanted static checks, and returns their findings; the first only, unless ``thorough``."""
    found: dict[str, str] = {}

    def says(check: str, problems: list[str]) -> bool:
        """Whether it is over."""
        if problems and check in wanted:
            found[check] = problems[0]
        return bool(found) and not thorough

    if mutant.program is not None:
        assert mutant.of is not None
        stream = mutant.stream or original.stream(mutant.of)
        forms = check_forms(mutant.program) + contract_problems(stream, mutant.program)
        if says("forms", forms):
            return found
        if not forms:
            induction = compare(stream, mutant.program)
            if (
                says("values", allocation_problems(induction))
                or says("bounds", check_bounds(mutant.program, induction))
                or says("taint", check_taint(mutant.program, induction))
            ):
                return found
    if mutant.kernel is not None:
        says("weave", check_kernel(mutant.kernel))
    return found


@dataclass
class Seen:
    """Collects what the runs show outside of the kernel: faults, wrong contents, secrets in traces, in registers, and
    in memory afterwards (the allocator's own fields are left out)."""

    fault: str = ""
    wrong: str = ""
    traces: str = ""
    residue: str = ""
    state: dict = field(default_factory=dict)


class Stage:
    """Runs one kernel and its mutants on the instruction model with two random secrets, each in two calls, of lag + 2
    and of lag + 1 iterations, as the check `model` does."""

    SECRETS = ("one", "two")

    def __init__(self, recipe: Recipe, rows: list[Algorithm], seed: int):
        self.recipe, self.rows, self.seed = recipe, rows, seed
        self.machine = ModelMachine()
        self.steps = 0

    def see(self, code: bytes, recipe: Recipe) -> Seen:
        """``recipe``: whose contracts lay out the memory; lags and ratios are the original's, since the caller knows no
        others."""
        parts = tuple(
            replace(part, lag=right.lag, ratio=right.ratio) for part, right in zip(recipe.parts, self.recipe.parts)
        )
        counts, contract = self.recipe.counts(2, 1), self.recipe.parts[0].program.contract
        seen = Seen()
        for end in (-1, contract.bytes) if contract.is_message else (-1,):
            self.machine.reset()
            scene = Scene(replace(recipe, parts=parts), self.rows, self.machine, sum(counts), end)
            if not self._run(code, scene, counts, seen):
                break
        return seen

    def _run(self, code: bytes, scene: Scene, counts: Sequence[int], seen: Seen) -> bool:
        """False: it ended in a fault."""
        first: list[tuple[Outcome, dict]] = []
        for secret in self.SECRETS:
            expected = scene.fill(random_secrets((self.seed, secret)))
            outcomes = []
            for outcome, changes in scene.calls(code, counts, trace=True):
                seen.fault = outcome.fault
                if seen.fault:
                    return False
                seen.wrong = seen.wrong or next(iter(changes), "")
                outcomes.append((replace(outcome, trace=scene.public_trace(outcome.trace)), self._registers()))
                self.steps = max(self.steps, self.machine.executed)
            seen.wrong = seen.wrong or next(iter(scene.problems(expected)), "")
            seen.state |= {(secret, scene.end, what): data for what, data in self._memory(scene).items()}
            for (one, before), (other, after) in zip(first, outcomes):
                if one.trace != other.trace:
                    seen.traces = seen.traces or difference(one, other)
                if before != after:
                    seen.residue = (
                        seen.residue
                        or f"{next(n for n in after if after[n] != before[n])} depends on secrets after the return"
                    )
            first = first or outcomes
        return True

    def _registers(self) -> dict[str, object]:
        machine = self.machine
        return {
            f"{kind} register {n}": value
            for kind, row in (("vector", machine.vectors), ("general", machine.generals), ("mask", machine.masks))
            for n, value in enumerate(row)
        }

    def _memory(self, scene: Scene) -> dict[str, bytes]:
        fields = {
            f"field {f.name} of stream {i}": self.machine.read(scene.states[i] + f.offset, f.size)
            for i, part in enumerate(scene.recipe.parts)
            for f in part.program.contract.fields
            if not is_spill(f) and f.name not in (IN, OUT, FROM_HAND)
        }
        return fields | {
            f"{name} of stream {i}, lane {lane}": self.machine.all_of(address)
            for (i, name, lane), address in scene.buffers.items()
        }


def run(stage: Stage, code: bytes, recipe: Recipe, wanted: Sequence[str]) -> tuple[dict[str, str], Seen]:
    """Runs the code; returns the findings of the wanted checks, and what was seen."""
    seen = stage.see(code, recipe)
    found = {"model": seen.fault or seen.wrong, "trace": seen.traces, "residue": seen.residue}
    return {check: problem for check, problem in found.items() if problem and check in wanted}, seen


def renamed(mutant: Mutant) -> Kernel:
    assert mutant.kernel is not None
    return replace(mutant.kernel, name=mutant.name)
