"""Loop bodies of copies of an instruction, in registers of a window: chains, where each copy waits for the one before,
and mixtures, where none does."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..core.contract import Contract, Field
from ..core.instructions import features_of
from ..core.ir import GENERAL, VECTOR, Code, Imm, Ins, Mem, Operand, Reg, Window
from ..core.program import HASH, Algorithm, Part, Program, Recipe
from ..model.forms import REGISTER_BITS, Form

ALGORITHM = Algorithm("probe", "probe", HASH, 64, 4, 1, 4, False, 8, initial=(0,))
SOURCES = {VECTOR: (0, 1), GENERAL: (1, 2)}
"""Registers that nothing writes in a body. Two, because an instruction with one register twice may be a zero idiom."""
TARGETS = {VECTOR: range(2, 15), GENERAL: range(3, 13)}
STATE = Reg(GENERAL, 0, 64)
LINES = 8
WORDS = 8  # of a chain of loads
LOADED = Field("table", 0, LINES, 64, 64, align=64)
STORED = Field("scratch", 64 * LINES, LINES, 64, 64, align=64)
IMMEDIATE = 1


def register_class(kind: str) -> str:
    return GENERAL if kind.startswith("r") else VECTOR


def turns(targets: Mapping[str, Sequence[int]] = TARGETS) -> dict[str, Iterator[int]]:
    return {cls: itertools.cycle(numbers) for cls, numbers in targets.items()}


class Copies:
    """Independent copies of a form. Targets and lines of memory take turns, so that no copy waits for another one
    before all have had theirs."""

    def __init__(self, form: Form, targets: dict[str, Iterator[int]] | None = None):
        self.form, self._turn = form, itertools.count()
        self._targets = targets or turns()

    def next(self) -> Ins:
        line = next(self._turn) % LINES
        sources = {cls: itertools.cycle(numbers) for cls, numbers in SOURCES.items()}
        operands: list[Operand] = []
        for kind, slot in zip(self.form.operands, self.form.row.operands):
            if kind in REGISTER_BITS:
                cls = register_class(kind)
                operands.append(
                    Reg(cls, next(self._targets[cls] if slot.writes else sources[cls]), REGISTER_BITS[kind])
                )
            else:
                operands.append(immediate_or_memory(self.form, kind, slot.writes, line))
        return Ins(self.form.op, tuple(operands))


def immediate_or_memory(form: Form, kind: str, writes: bool, line: int) -> Operand:
    if kind == "i":
        return Imm(IMMEDIATE)
    bits = int(kind[1:] or 0)
    # neighbours in other lines and in other banks
    disp = (STORED if writes else LOADED).offset + 64 * line + line * bits // 8 % 64
    return Mem(STATE, disp, bits, broadcast=form.bits // bits if kind[0] == "b" else 0)


def chain(form: Form, operand: int, count: int) -> list[Ins]:
    """Copies of which each reads, as this operand, what the one before has written as operand 0."""
    cls = register_class(form.operands[0])
    numbers = list(TARGETS[cls])[:6]
    copies, made = Copies(form), []
    for n in range(count):
        ins = copies.next()
        operands = list(ins.operands)
        target, source = (numbers[0],) * 2 if operand == 0 else (numbers[n % 6], numbers[(n - 1) % 6])
        operands[0] = replace(ins.register(0), id=target)
        operands[operand] = replace(ins.register(operand), id=source)
        made.append(Ins(form.op, tuple(operands)))
    return made


def round_trip(there: Form, back: Form, operand: int, count: int) -> list[Ins]:
    """Pairs in turn, each waiting for the one before: ``there`` reads ``operand`` from ``back``'s class of registers;
    ``back`` reads operand 1."""
    a, b = (TARGETS[register_class(form.operands[0])][0] for form in (there, back))
    out, home = Copies(there).next(), Copies(back).next()
    first, second = list(out.operands), list(home.operands)
    first[0], first[operand] = replace(out.register(0), id=a), replace(out.register(operand), id=b)
    second[0], second[1] = replace(home.register(0), id=b), replace(home.register(1), id=a)
    return [Ins(there.op, tuple(first)), Ins(back.op, tuple(second))] * count


def through_memory(store: Form, load: Form, count: int) -> list[Ins]:
    """A store and a load of what it stored, in turn."""
    register = Reg(
        register_class(load.operands[0]), TARGETS[register_class(load.operands[0])][0], REGISTER_BITS[load.operands[0]]
    )
    place = Mem(STATE, STORED.offset, register.bits)
    return [Ins(store.op, (place, register)), Ins(load.op, (register, place))] * count


def load_chain(count: int) -> tuple[list[Ins], list[Ins]]:
    """(what goes before the loop, body): loads of which each gives the next one's address. Between two are an AND and
    an addition, by which the runtime sees that the address lies in the table.

    ``count`` and the number of words have no common factor, so that an instruction meets another address and another
    value in each iteration: a core that predicts values, such as Golden Cove, would wait for nothing."""
    if math.gcd(count, WORDS) != 1:
        raise ValueError(f"{count} loads fall into step with {WORDS} words")
    register, table = Reg(GENERAL, TARGETS[GENERAL][0], 64), LOADED.offset
    enter = []
    for word in range(WORDS):
        enter.append(Ins("xor", (replace(register, bits=32),) * 2))
        enter.append(Ins("add", (register, Imm(8 * ((word + 3) % WORDS)))))
        enter.append(Ins("mov", (Mem(STATE, table + 8 * word, 64), register)))
    step = [
        Ins("and", (register, Imm(8 * (WORDS - 1)))),
        Ins("add", (register, STATE)),
        Ins("mov", (register, Mem(register, table, 64))),
    ]
    return enter, step * count


def mixture(forms: Iterable[tuple[Form, int]]) -> list[Ins]:
    """Independent copies of several forms, each spread evenly over the body, in registers of their own."""
    forms = list(forms)
    split = {cls: [list(numbers)[i :: len(forms)] for i in range(len(forms))] for cls, numbers in TARGETS.items()}
    placed = []
    for i, (form, count) in enumerate(forms):
        copies = Copies(form, turns({cls: parts[i] for cls, parts in split.items()}))
        placed += [((2 * n + 1) / (2 * count), i, copies.next()) for n in range(count)]
    return [ins for *_, ins in sorted(placed, key=lambda p: p[:2])]


def independent(forms: Sequence[Form]) -> list[Ins]:
    """Instructions of these forms in this order, of which none waits for another one nearby."""
    wide = {**TARGETS, VECTOR: range(2, 31)}
    targets = turns(wide if all(form.bits in (0, 512) for form in forms) else TARGETS)
    copies = {form: Copies(form, targets) for form in dict.fromkeys(forms)}
    return [copies[form].next() for form in forms]


def recipe(name: str, body: Sequence[Ins], forms: Iterable[Form], enter: Sequence[Ins] = ()) -> Recipe:
    """A kernel of this body, whose sources are zero. It need compute nothing, so it is built without template and
    allocator."""
    body = list(body)
    shared = sorted({reg for form in forms for reg in form.row.implicit}, key=lambda reg: reg.cls)
    for reg in shared:  # ours only within a glued run
        body.insert(
            0, Ins("movdqa" if reg.cls == VECTOR else "mov", (reg, Reg(reg.cls, SOURCES[reg.cls][0], reg.bits)))
        )
    carries = any(form.row.flags_read for form in forms)
    if carries:
        body.insert(0, Ins("add", (Reg(GENERAL, TARGETS[GENERAL][0], 64), Reg(GENERAL, SOURCES[GENERAL][0], 64))))
    if shared or carries:
        body = [*(replace(ins, glue=True) for ins in body[:-1]), body[-1]]
    features = frozenset().union(*(features_of(form.row, form.bits) for form in forms))
    state = STORED.offset + STORED.size
    contract = Contract(1, 64, (LOADED, STORED), state, 64, reads_input=False, features=features)
    used = [r for ins in (*enter, *body) for r in ins.registers() if not r.physical]
    window = Window(max((r.number + 1 for r in used if r.cls == VECTOR), default=0), 13)
    program = Program(
        name, name, "probe", "avx512", Code((*(_zeroes(used)), *enter), tuple(body), ()), window, contract
    )
    return Recipe(name, "avx512", (Part(program),))


def _zeroes(used: list[Reg]) -> list[Ins]:
    """Clears general registers; vector registers are left by the caller as any number, which no timing of ours depends
    on."""
    return [
        Ins("xor", (Reg(GENERAL, n, 32), Reg(GENERAL, n, 32)))
        for n in sorted({r.id for r in used if r.cls == GENERAL} - {0})
    ]
