"""The mutants of one kernel: made, put on the quick ladder, and judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..core.errors import CryptostitchError
from ..emit.objects import AssemblyError, machine_code
from ..ladder.climb import Task
from ..pipeline import Generator
from .checks import ASSEMBLER, CHECKS, COMPILE, Seen, Stage, renamed, run, static
from .equivalence import confirmed, reason
from .operators import CONTROL
from .sampling import Mutant, Original, mutants
from .text import LEVELS

KILLED, EQUIVALENT, SURVIVED = "killed", "equivalent", "survived"


@dataclass(frozen=True)
class Plan:
    """``given``: the user's own algorithms and template folders, as Generator takes them. ``without``: checks that are
    left out. ``thorough``: all checks see every mutant, not only those that the checks before let through."""

    given: tuple[tuple, tuple] = ((), ())
    count: int = 40
    seed: int = 1
    levels: tuple[str, ...] = LEVELS
    operators: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    thorough: bool = False

    @property
    def wanted(self) -> tuple[str, ...]:
        return tuple(c for c in CHECKS if c not in self.without)


@dataclass(frozen=True)
class Fate:
    """The outcome of a mutant. ``by``: each check that found it, with what it said. ``why``: the proof that it is no
    fault."""

    kernel: str
    level: str
    operator: str
    sentence: str
    verdict: str
    by: dict[str, str] = field(default_factory=dict)
    why: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is one of those that the ladder has to kill."""
        return self.verdict != EQUIVALENT


def fates(plan: Plan, generator: Generator, task: Task) -> list[Fate]:
    """Judges all mutants of a kernel. Raises DoesNotFit when the kernel does not exist, CryptostitchError when the
    original is not right."""
    original = Original(generator, generator.default_recipe(task.parts, tuned=task.name))
    rows = [generator.algorithms[p.program.algorithm] for p in original.recipe.parts]
    made = mutants(original, plan.count, plan.seed, plan.levels, plan.operators)
    wanted = plan.wanted
    found = [{COMPILE: m.refusal} if m.refusal else static(original, m, wanted, plan.thorough) for m in made]
    waiting = [
        (m, by)
        for m, by in zip(made, found)
        if m.kernel is not None and (plan.thorough or not by or m.operator == CONTROL)
    ]
    stage = Stage(original.recipe, rows, plan.seed)
    right = stage.see(machine_code([original.kernel])[original.recipe.name], original.recipe)
    if not confirmed(right, right):
        raise CryptostitchError(
            f"{task.name}, unchanged, fails on the instruction model: "
            f"{right.fault or right.wrong or right.traces or right.residue}"
        )
    stage.machine.limit = 2 * stage.steps + 1000
    seen: dict[str, Seen] = {}
    for mutant, code in _assembled([m for m, _ in waiting]):
        by = next(by for m, by in waiting if m is mutant)
        if isinstance(code, str):
            by[ASSEMBLER] = code
        else:
            assert mutant.recipe is not None
            killed, seen[mutant.name] = run(stage, code, mutant.recipe, wanted)
            by |= killed
    return [_judged(original, right, m, by, seen.get(m.name)) for m, by in zip(made, found)]


def _judged(original: Original, right: Seen, mutant: Mutant, by: dict[str, str], seen: Seen | None) -> Fate:
    why = ""
    if seen is not None and confirmed(right, seen):
        why = reason(original, mutant)
    verdict = EQUIVALENT if why else KILLED if by else SURVIVED
    return Fate(original.recipe.name, mutant.level, mutant.operator, mutant.sentence, verdict, by, why)


def _assembled(waiting: Sequence[Mutant]) -> Iterator[tuple[Mutant, bytes | str]]:
    """The bytes of each, or why LLVM MC refuses; one call for all when there is nothing to refuse."""
    if not waiting:
        return
    try:
        codes: dict = machine_code([renamed(m) for m in waiting])
    except (AssemblyError, ValueError, KeyError):
        codes = {}
        for mutant in waiting:
            try:
                codes |= machine_code([renamed(mutant)])
            except (AssemblyError, ValueError, KeyError) as error:
                codes[mutant.name] = f"{type(error).__name__}: {error}"
    for mutant in waiting:
        yield mutant, codes[mutant.name]
