"""Three-operand form -> the form that the instruction set has.

Templates may give one operand more than a two-operand instruction takes (``paddd d, a, b``: d = a + b). This pass
inserts the register copy, exchanges commutative operands where that saves one, and keeps the names virtual, so that the
allocator can make most copies disappear.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

from ..core.accesses import accesses_of
from ..core.instructions import INSTRUCTIONS, Row
from ..core.ir import GENERAL, Code, Ins, Mem, Operand, Reg
from ..core.isa import ISAS, Isa
from ..core.liveness import around_loop, live_sets
from ..core.stream import Stream


def legalize(stream: Stream) -> Stream:
    isa = ISAS[stream.isa]
    fresh = (f"copy.{n}" for n in itertools.count())
    accesses = {name: accesses_of(code) for name, code in stream.code.sections()}
    head, behind = around_loop(accesses["body"], accesses["leave"])
    live_out = {"enter": head | behind, "body": head | behind, "leave": frozenset()}
    sections = {
        name: tuple(_section(code, live_sets(accesses[name], live_out[name])[1:], isa, fresh))
        for name, code in stream.code.sections()
    }
    return replace(stream, code=Code(**sections), claims=())


def _section(code: tuple[Ins, ...], live_after: list[frozenset], isa: Isa, fresh) -> Iterable[Ins]:
    tied = False
    for ins, live in zip(code, live_after):
        row = INSTRUCTIONS[ins.op]
        if len(ins.operands) == len(row.operands) + 1:
            yield from _two_operands(ins, row, live, isa, fresh, tied)
        else:
            yield ins
        tied = ins.glue


def _two_operands(ins: Ins, row: Row, live: frozenset, isa: Isa, fresh, tied: bool) -> Iterable[Ins]:
    target = ins.register(0)
    _, first, *rest = ins.operands
    second = rest[0] if rest else None
    if (
        row.swap == (0, 1)
        and isinstance(second, Reg)
        and not second.physical
        and _prefer_second(target, first, second, live)
    ):
        first, rest = second, [first, *rest[1:]]
    if isinstance(first, Reg) and first.key == target.key:
        yield replace(ins, operands=(target, *rest))
        return
    clobbers = any(isinstance(o, Reg) and o.key == target.key for o in rest) or any(
        isinstance(o, Mem) and target.key in {r.key for r in (o.base, o.index) if r} for o in rest
    )
    into = Reg(target.cls, next(fresh), target.bits) if clobbers else target
    yield _copy(into, first, isa, ins, ins.glue or tied)
    yield replace(ins, operands=(into, *rest))
    if clobbers:
        yield _copy(target, into, isa, ins, ins.glue)


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


def _copy(target: Reg, source: Operand, isa: Isa, ins: Ins, glue: bool) -> Ins:
    return Ins("mov" if target.cls == GENERAL else isa.move, (target, source), glue=glue, places=ins.places)
