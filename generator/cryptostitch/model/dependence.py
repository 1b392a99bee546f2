"""What each instruction of a loop waits for, and for how long: registers, and memory whose address is certain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..core.instructions import INSTRUCTIONS
from ..core.ir import Ins, Mem, Reg
from .forms import VECTOR_NAMES
from .loop import Step
from .table import Row, Table

ZERO_IDIOMS = frozenset("xor sub pxor vpxor vpxord vpxorq pandn vpandn psubd psubq vpsubd vpsubq".split())
ADDRESS = 1  # cycles of an instruction whose memory operand is only an address


@dataclass(frozen=True)
class Place:
    """Memory at the same address in every iteration: a base register that the loop does not change, no index."""

    base: object
    start: int
    end: int

    def overlaps(self, other: Place) -> bool:
        return self.base == other.base and self.start < other.end and other.start < self.end


@dataclass
class Waits:
    """The cycles from each register, each register of an address that is loaded from, and each place that is read,
    until the result is there.

    ``execution``: how many of these cycles are spent in the execution unit, once what is loaded is there."""

    registers: list[tuple[object, float]] = field(default_factory=list)
    addresses: list[tuple[object, float]] = field(default_factory=list)
    places: list[tuple[Place, float]] = field(default_factory=list)
    writes: list = field(default_factory=list)
    store: Place | None = None
    execution: float = 0


def waits_of(steps: Iterable[Step], table: Table) -> list[Waits]:
    """Raises CryptostitchError for a form without a row."""
    steps = list(steps)
    changed = {
        operand.key
        for step in steps
        for operand, slot in _operands(step.ins)
        if slot.writes and isinstance(operand, Reg)
    }
    return [_waits(step, table, changed) for step in steps]


def is_zero(ins: Ins) -> bool:
    """Whether the result is zero whatever the operands hold."""
    *_, a, b = ins.operands if len(ins.operands) > 1 else (None, None)
    return ins.op in ZERO_IDIOMS and isinstance(a, Reg) and a == b


def _operands(ins: Ins):
    return zip(ins.operands, INSTRUCTIONS[ins.op].operands)


def _waits(step: Step, table: Table, changed: set) -> Waits:
    ins, row, found = step.ins, table.row(step.form), Waits()
    in_registers = step.form.in_registers()
    # what happens to a value that is loaded, or before it is stored
    moved = table.row(in_registers) if in_registers else None
    stores = any(isinstance(operand, Mem) and slot.writes for operand, slot in _operands(ins))
    found.execution = (
        ADDRESS
        if any(isinstance(o, Mem) and not o.bits for o in ins.operands)
        else _latency(moved if moved or step.form.memory is not None else row, -1)
    )
    for i, (operand, slot) in enumerate(_operands(ins)):
        if isinstance(operand, Reg):
            if slot.writes:
                found.writes.append(operand.key)
            if slot.reads and not is_zero(ins):
                found.registers.append((operand.key, _latency(moved if stores else row, i)))
        elif isinstance(operand, Mem):
            _memory(found, operand, slot, _latency(moved, i), table, changed)
    for reg in INSTRUCTIONS[ins.op].implicit:
        found.registers.append((reg.key, _latency(row, -1)))
    return found


def _memory(found: Waits, operand: Mem, slot, latency: float, table: Table, changed: set) -> None:
    address = [r.key for r in (operand.base, operand.index) if r is not None]
    if not operand.bits:
        found.registers += [(key, ADDRESS) for key in address]
        return
    place = None
    if operand.base is not None and operand.index is None and operand.base.key not in changed:
        place = Place(operand.base.key, operand.disp, operand.disp + operand.bits // 8)
    if slot.writes:
        found.store = place
    else:
        found.addresses += [(key, table.load + latency) for key in address]
        if place:
            found.places.append((place, forwarding(table, operand.bits) + latency))


def _latency(row: Row | None, operand: int) -> float:
    """Returns the latency from an operand to the result; the greatest one, where the table has none for this
    operand."""
    known = [cycles for cycles in row.latency if cycles is not None] if row else []
    own = row.latency[operand] if row and 0 <= operand < len(row.latency) else None
    return own if own is not None else max(known, default=0)


def forwarding(table: Table, bits: int) -> float:
    """Cycles from data that is stored to their load."""
    return table.forward.get({32: "r32", 64: "r64", **VECTOR_NAMES}.get(bits, ""), table.load)
