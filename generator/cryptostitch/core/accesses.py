"""Which names an instruction reads and which it writes. For virtual code, legalized or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .instructions import INSTRUCTIONS
from .ir import SHARED, Code, Ins, Mem, Reg

Key = tuple[str, str | int]
SHARED_KEYS: set[Key] = {reg.key for reg in SHARED.values()}
"""The physical registers that streams share outside their windows: they are alive only within a glued run, so they are
left out here."""

Accesses = Sequence[tuple[set[Key], set[Key]]]
"""(read, written) of each instruction of a section."""


def operand_accesses(ins: Ins) -> list[tuple[int, str]]:
    """(operand index, access) of a *virtual* instruction, where the three-operand form writes without reading."""
    row = INSTRUCTIONS[ins.op]
    if len(ins.operands) == len(row.operands) + 1:
        return [(0, "w"), (1, "r"), *((i + 1, o.access) for i, o in enumerate(row.operands) if i)]
    return [(i, o.access) for i, o in enumerate(row.operands)]


def names_read(ins: Ins) -> set[Key]:
    reads: set[Key] = set()
    for index, access in operand_accesses(ins):
        operand = ins.operands[index]
        if isinstance(operand, Mem):
            reads.update(r.key for r in (operand.base, operand.index) if r is not None)
        elif isinstance(operand, Reg) and access in "rx":
            reads.add(operand.key)
    if ins.mask is not None:
        reads.add(ins.mask.key)
    return reads - SHARED_KEYS


def names_written(ins: Ins) -> set[Key]:
    written: set[Key] = set()
    for index, access in operand_accesses(ins):
        operand = ins.operands[index]
        if access in "wx" and isinstance(operand, Reg):
            written.add(operand.key)
    return written - SHARED_KEYS


def accesses_of(code: Iterable[Ins]) -> Accesses:
    return [(names_read(ins), names_written(ins)) for ins in code]


def shared_by(code: Code) -> frozenset[Reg]:
    """Returns the registers of SHARED that the code names."""
    return frozenset(
        reg for _, section in code.sections() for ins in section for reg in ins.registers() if reg.physical
    )
