"""Which mutants are made of a kernel: evenly over levels and operators, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..core.contract import Field
from ..core.errors import DoesNotFit
from ..core.ir import GENERAL, STATE, Constant, Reg
from ..core.kernel import SECTIONS, Kernel
from ..core.names import stream_name
from ..core.program import Program, Recipe
from ..core.registers import BindError
from ..core.stream import Stream
from ..passes.allocate import allocate
from ..passes.frame import frame
from ..passes.legalize import legalize
from ..passes.order import ordered
from ..pipeline import Generator
from .operators import OPERATORS
from .text import KERNEL, LEVELS, TEMPLATE, Text

TRIES = 30
LAG = "lag"
PARTS = ("enter", "body", "leave")


@dataclass
class Original:
    """A kernel that is right, as the ladder would see it."""

    generator: Generator
    recipe: Recipe
    kernel: Kernel = field(init=False)
    programs: list[Program] = field(init=False)

    def __post_init__(self) -> None:
        self.kernel = frame(self.recipe)
        self.programs = list({id(p.program): p.program for p in self.recipe.parts}.values())

    def stream(self, program: Program) -> Stream:
        return self.generator.virtual(stream_name(program.stream), program.isa)


@dataclass
class Mutant:
    """``program`` and ``stream`` are those with the fault, or None; ``of`` is the program of the original that they
    stand for. ``kernel`` is None when the generator itself refused, with ``refusal``."""

    name: str
    level: str
    operator: str
    sentence: str
    of: Program | None = None
    stream: Stream | None = None
    program: Program | None = None
    recipe: Recipe | None = None
    kernel: Kernel | None = None
    refusal: str = ""


def mutants(
    original: Original, count: int, seed: int, levels: Sequence[str] = LEVELS, operators: Sequence[str] = ()
) -> list[Mutant]:
    """Returns at most ``count`` different mutants. ``operators``: empty for all."""
    rnd = random.Random(f"{seed} {original.recipe.name}")
    cells = [(level, operator) for operator in operators or (*OPERATORS, LAG) for level in LEVELS if level in levels]
    cells = [c for c in cells if not (c[0] != KERNEL and c[1] in (LAG, "wipe"))]
    rnd.shuffle(cells)
    made: list[Mutant] = []
    seen: set[str] = set()
    while cells and len(made) < count:
        for level, operator in list(cells):
            if len(made) == count:
                break
            mutant = next(
                (
                    m
                    for m in (_make(original, level, operator, rnd) for _ in range(TRIES))
                    if m and m.sentence not in seen
                ),
                None,
            )
            if mutant is None:
                cells.remove((level, operator))
            else:
                seen.add(mutant.sentence)
                mutant.name = f"{original.recipe.name}~{len(made)}"
                made.append(mutant)
    return made


def _make(original: Original, level: str, operator: str, rnd: random.Random) -> Mutant | None:
    if operator == LAG:
        return _lagging(original, rnd)
    if level == KERNEL:
        return _kernel(original, operator, rnd)
    program = rnd.choice(original.programs)
    stream = original.stream(program)
    code, constants, state = (
        (stream.code, stream.constants, Reg(GENERAL, STATE, 64))
        if level == TEMPLATE
        else (program.code, program.contract.constants, Reg(GENERAL, 0, 64))
    )
    section = rnd.choices(PARTS, [min(len(getattr(code, s)), 400) for s in PARTS])[0]
    lines = getattr(code, section)
    text = Text(level, section, lines, (0,) * len(lines), {0: (state, program.contract.fields)}, constants)
    change = OPERATORS[operator](text, rnd)
    if change is None:
        return None
    changed = replace(code, **{section: change.applied(lines)})
    constants = tuple(change.constant if change.constant and c.name == change.constant.name else c for c in constants)
    if changed == code and change.constant is None:
        return None
    mutant = Mutant("", level, operator, f"{stream.name} {section}: {change.sentence}", program)
    try:
        if level == TEMPLATE:
            mutant.stream = replace(stream, code=changed, constants=constants)
            mutant.program = _compiled(mutant.stream, program)
        else:
            mutant.program = replace(program, code=changed, contract=replace(program.contract, constants=constants))
        parts = tuple(replace(p, program=mutant.program) if p.program is program else p for p in original.recipe.parts)
        mutant.recipe = replace(original.recipe, parts=parts)
        mutant.kernel = frame(mutant.recipe)
    except DoesNotFit:
        return None
    except BindError as error:
        if level == TEMPLATE:
            return None
        mutant.refusal = str(error)
    except Exception as error:  # whatever a pass stumbles over in faulty code, no kernel comes of it
        mutant.refusal = f"{type(error).__name__}: {error}"
    return mutant


def _compiled(stream: Stream, like: Program) -> Program:
    budget, _, order = like.name.partition("#")[2].partition("~")
    return allocate(legalize(ordered(stream, int(order or 0))), int(budget) if budget.isdigit() else None)


def _kernel(original: Original, operator: str, rnd: random.Random) -> Mutant | None:
    kernel = original.kernel
    there = [s for s in SECTIONS if any(item.section == s for item in kernel.items)]
    section = "wipe" if operator == "wipe" else rnd.choice(there)
    first = next(i for i, item in enumerate(kernel.items) if item.section == section)
    items = [item for item in kernel.items if item.section == section]
    states: dict[int | None, tuple[Reg, tuple[Field, ...]]] = {
        i: (Reg(GENERAL, kernel.binding.generals[i][0], 64, True), part.program.contract.fields)
        for i, part in enumerate(kernel.recipe.parts)
    }
    pool = tuple(Constant(entry.label, entry.data) for entry in kernel.pool)
    text = Text(KERNEL, section, tuple(item.ins for item in items), tuple(item.stream for item in items), states, pool)
    change = OPERATORS[operator](text, rnd)
    if change is None:
        return None
    changed = (*kernel.items[:first], *change.applied_to_items(items), *kernel.items[first + len(items) :])
    entries = tuple(
        replace(e, data=change.constant.data) if change.constant and e.label == change.constant.name else e
        for e in kernel.pool
    )
    if changed == kernel.items and entries == kernel.pool:
        return None
    streams = "" if change.at is None or items[change.at].stream is None else f"stream {items[change.at].stream}, "
    return Mutant(
        "",
        KERNEL,
        operator,
        f"{streams}{section}: {change.sentence}",
        recipe=original.recipe,
        kernel=replace(kernel, items=changed, pool=entries),
    )


def _lagging(original: Original, rnd: random.Random) -> Mutant | None:
    """A stream that runs one iteration more or less behind, or twice per iteration: the frame is consistent with the
    wrong recipe."""
    parts = list(original.recipe.parts)
    if len(parts) < 2:
        return None
    at = rnd.randrange(len(parts))
    part = parts[at]
    if rnd.random() < 0.25:
        parts[at], what = replace(part, ratio=part.ratio + 1), f"ratio {part.ratio} becomes {part.ratio + 1}"
    else:
        lag = part.lag + rnd.choice((1, -1))
        if lag < 0:
            return None
        parts[at], what = replace(part, lag=lag), f"lag {part.lag} becomes {lag}"
    recipe = replace(original.recipe, parts=tuple(parts))
    if min(p.lag for p in parts) != 0:
        return None
    return Mutant("", KERNEL, LAG, f"stream {at}, {part.program.stream}: {what}", recipe=recipe, kernel=frame(recipe))
