"""Three-operand form -> the form that the instruction set has.

Templates may give one operand more than a two-operand instruction takes (``paddd d, a, b``: d = a + b). This pass inserts the
register copy, exchanges commutative operands where that saves one, and keeps the names virtual, so that the
allocator can make most copies disappear.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Iterable

from ..instructions import INSTRUCTIONS, Row
from ..ir import GENERAL, Code, Ins, Mem, Operand, Reg
from ..isa import ISAS, Isa
from ..stream import Stream


def legalize(stream: Stream) -> Stream:
    isa = ISAS[stream.isa]
    fresh = (f"copy.{n}" for n in itertools.count())
    leave_live = _live_in(stream.code.leave, frozenset())
    body_live = _live_in(stream.code.body, leave_live)
    body_live = _live_in(stream.code.body, leave_live | body_live)
    live_out = {"enter": body_live | leave_live, "body": body_live | leave_live, "leave": frozenset()}
    sections = {name: tuple(_section(code, live_out[name], isa, fresh)) for name, code in stream.code.sections()}
    return replace(stream, code=Code(**sections))


def operand_accesses(ins: Ins) -> list[tuple[int, str]]:
    """(operand index, access) of a *virtual* instruction, where the three-operand form writes without reading."""
    row = INSTRUCTIONS[ins.op]
    if len(ins.operands) == len(row.operands) + 1:
        return [(0, "w"), (1, "r"), *((i + 1, o.access) for i, o in enumerate(row.operands) if i)]
    return [(i, o.access) for i, o in enumerate(row.operands)]


def names_read(ins: Ins) -> set:
    reads = set()
    for index, access in operand_accesses(ins):
        operand = ins.operands[index]
        if isinstance(operand, Mem):
            reads.update(r.key for r in (operand.base, operand.index) if r is not None)
        elif isinstance(operand, Reg) and access in "rx":
            reads.add(operand.key)
    return reads


def names_written(ins: Ins) -> set:
    return {ins.operands[i].key for i, access in operand_accesses(ins)
            if access in "wx" and isinstance(ins.operands[i], Reg)}


def _live_in(code: Iterable[Ins], live_out: frozenset) -> frozenset:
    live = set(live_out)
    for ins in reversed(tuple(code)):
        live -= names_written(ins)
        live |= names_read(ins)
    return frozenset(live)


def _section(code: tuple[Ins, ...], live_out: frozenset, isa: Isa, fresh) -> Iterable[Ins]:
    live_after: list[frozenset] = []
    live = set(live_out)
    for ins in reversed(code):
        live_after.append(frozenset(live))
        live -= names_written(ins)
        live |= names_read(ins)
    for ins, live in zip(code, reversed(live_after)):
        row = INSTRUCTIONS[ins.op]
        if len(ins.operands) == len(row.operands) + 1:
            yield from _two_operands(ins, row, live, isa, fresh)
        else:
            yield ins


def _two_operands(ins: Ins, row: Row, live: frozenset, isa: Isa, fresh) -> Iterable[Ins]:
    target, first, *rest = ins.operands
    second = rest[0] if rest else None
    if row.swap == (0, 1) and isinstance(second, Reg) and not second.physical and _prefer_second(target, first, second, live):
        first, rest = second, [first, *rest[1:]]
    if isinstance(first, Reg) and first.key == target.key:
        yield replace(ins, operands=(target, *rest))
        return
    clobbers = any(isinstance(o, Reg) and o.key == target.key for o in rest) or any(
        isinstance(o, Mem) and target.key in {r.key for r in (o.base, o.index) if r} for o in rest)
    into = Reg(target.cls, next(fresh), target.bits) if clobbers else target
    yield _copy(into, first, isa, ins)
    yield replace(ins, operands=(into, *rest))
    if clobbers:
        yield _copy(target, into, isa, ins)


def _prefer_second(target: Reg, first: Operand, second: Reg, live: frozenset) -> bool:
    """Start from the operand whose register can be taken over: the target itself, else one that dies here."""
    if isinstance(first, Reg) and first.key == target.key:
        return False
    if second.key == target.key:
        return True
    if not isinstance(first, Reg):
        return True
    kept = str(second.id).startswith("keep ")
    return not kept and first.key in live and second.key not in live


def _copy(target: Reg, source: Operand, isa: Isa, ins: Ins) -> Ins:
    return Ins("mov" if target.cls == GENERAL else isa.move, (target, source), glue=ins.glue, places=ins.places)
