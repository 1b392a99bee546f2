"""The form of an instruction: its mnemonic and what kind of thing each operand is. Instruction tables have one row per
form.

    vpaddd zmm zmm m512      rol r32 i      vpternlogd ymm ymm b32 i      vinserti32x4 zmm zmm m128 i

``m`` is memory with its bits (none: only the address counts), ``b`` one element that is repeated, ``i`` an immediate.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from ..core.instructions import INSTRUCTIONS, Row, memory_bits
from ..core.ir import GENERAL, VECTOR, Imm, Ins, Operand

VECTOR_NAMES = {128: "xmm", 256: "ymm", 512: "zmm"}
REGISTER_BITS = {"xmm": 128, "ymm": 256, "zmm": 512, "r32": 32, "r64": 64}


@dataclass(frozen=True, order=True)
class Form:
    """``bits`` is the width that CPUID features depend on: of the widest vector operand, 0 without one."""

    op: str
    operands: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.op, *self.operands))

    @property
    def row(self) -> Row:
        return INSTRUCTIONS[self.op]

    @property
    def bits(self) -> int:
        return max((REGISTER_BITS[o] for o in self.operands if o in VECTOR_NAMES.values()), default=0)

    @property
    def memory(self) -> int | None:
        """Returns the index of the operand that accesses memory."""
        return (
            next((i for i, o in enumerate(self.operands) if o[0] in "mb" and len(o) > 1), None)
            if self.row.accesses
            else None
        )

    @property
    def loads(self) -> int:
        return int(self.memory is not None and self.row.operands[self.memory].reads)

    @property
    def stores(self) -> int:
        return int(self.memory is not None and self.row.operands[self.memory].writes)

    def in_registers(self) -> Form | None:
        """The form with a register for its memory operand, when there is one."""
        if self.memory is None:
            return None
        slot = self.row.operands[self.memory]
        if not set("vxyg") & set(slot.kinds):
            return None
        own = next(
            (
                o
                for o, s in zip(self.operands, self.row.operands)
                if (o in REGISTER_BITS and "v" in s.kinds) or o in ("r32", "r64")
            ),
            None,
        )
        name = {"x": "xmm", "y": "ymm"}.get(slot.kinds[0], own)
        return (
            Form(self.op, tuple(name if i == self.memory else o for i, o in enumerate(self.operands))) if name else None
        )


def form_of(ins: Ins) -> Form:
    """The form of a legalized instruction, in any stage of the compiler."""
    return Form(ins.op, tuple(_operand(o) for o in ins.operands))


def _operand(operand: Operand) -> str:
    if isinstance(operand, Imm):
        return "i"
    if hasattr(operand, "cls"):
        return (
            VECTOR_NAMES[operand.bits]
            if operand.cls == VECTOR
            else f"r{operand.bits}"
            if operand.cls == GENERAL
            else "k"
        )
    return f"b{operand.bits}" if operand.broadcast else f"m{operand.bits}" if operand.bits else "m"


def all_forms() -> list[Form]:
    """Every form that the instruction rows allow, sorted."""
    return sorted(set(itertools.chain.from_iterable(_forms(row) for row in INSTRUCTIONS.values())))


def _forms(row: Row) -> Iterator[Form]:
    for bits in row.widths:
        choices = [_choices(row, i, bits) for i in range(len(row.operands))]
        for operands in itertools.product(*choices):
            if sum(o[0] in "mb" for o in operands) <= 1:
                yield Form(row.name, operands)


def _choices(row: Row, index: int, bits: int) -> list[str]:
    kinds = row.operands[index].kinds
    found = []
    for kind in kinds:
        if kind == "v":
            found.append(VECTOR_NAMES[bits])
        elif kind in "xy":
            found.append({"x": "xmm", "y": "ymm"}[kind])
        elif kind == "g":
            found.append(f"r{row.general_bits(bits)}")
        elif kind == "i":
            found.append("i")
        elif kind in "ma":
            size = memory_bits(row, index, bits)
            found.append(f"m{size}" if size else "m")
            if row.broadcasts(bits):
                found.append(f"b{row.element}")
    return found
