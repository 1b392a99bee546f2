"""Instruction forms: every operand is one that its row allows, so that widths and accesses are what the other checks
take them for."""

from __future__ import annotations

from ..core.instructions import INSTRUCTIONS, Row, features_of, memory_bits
from ..core.ir import GENERAL, MASK, SHARED, VECTOR, Imm, Ins, Mem, Reg
from ..core.program import Program
from .text import describe

_CLASS = {"v": VECTOR, "x": VECTOR, "y": VECTOR, "g": GENERAL, "k": MASK}


def form_problems(program: Program) -> list[str]:
    """Malformed instructions, registers outside the window, features that the contract does not declare."""
    limits = {VECTOR: program.window.vectors, GENERAL: program.window.generals, MASK: program.window.masks}
    problems: list[str] = []
    known: dict[tuple, str | None] = {}
    for section, code in program.code.sections():
        for ins in code:
            shape = (ins.op, tuple(map(_shape, ins.operands)), ins.mask is None, ins.zeroing)
            if shape not in known:
                known[shape] = _problem(ins, program.contract.features)
            wrong = known[shape] or next(
                (
                    f"register {r.cls}{r.id} is outside the window"
                    for r in ins.registers()
                    if r not in SHARED.values() and not (isinstance(r.id, int) and 0 <= r.id < limits[r.cls])
                ),
                None,
            )
            if wrong:
                problems.append(f"{program.name}: {section}: {describe(ins)}: {wrong}")
        if code and code[-1].glue:
            problems.append(f"{program.name}: {section}: {describe(code[-1])} is glued to nothing: it ends the section")
    return problems


def _shape(operand) -> tuple:
    if isinstance(operand, Reg):
        return (operand.cls, operand.bits)
    if isinstance(operand, Imm):
        return ("i", -(1 << 31) <= operand.value < 1 << 32)
    return (
        "m",
        operand.bits,
        operand.broadcast,
        operand.scale,
        operand.base is None,
        operand.index is None,
        operand.symbol is None,
    )


def width_of(row: Row, ins: Ins) -> int:
    """The width that the row's features and memory sizes depend on: of the operands of kind v, else y and x, else g."""
    for kinds in ("v", "yx", "g"):
        found = [
            o.bits
            for o, slot in zip(ins.operands, row.operands)
            if isinstance(o, Reg) and o.cls != MASK and any(k in slot.kinds for k in kinds)
        ]
        if found:
            return max(found)
    return max((o.bits for o in ins.operands if isinstance(o, Mem)), default=0)


def _problem(ins: Ins, features: frozenset[str]) -> str | None:
    row = INSTRUCTIONS.get(ins.op)
    if row is None:
        return "is not in the instruction table"
    if len(ins.operands) != len(row.operands):
        return f"has {len(ins.operands)} operands, not {len(row.operands)}"
    bits = width_of(row, ins)
    vector = any(k in o.kinds for o in row.operands for k in "vxy")
    sized = row.kind == "scalar" or any("v" in o.kinds for o in row.operands)
    if sized and bits not in row.widths:
        return f"has no form of {bits} bits"
    if sum(isinstance(o, Mem) for o in ins.operands) > 1:
        return "has two memory operands"
    for index, (operand, slot) in enumerate(zip(ins.operands, row.operands)):
        if isinstance(operand, Imm):
            if "i" not in slot.kinds:
                return f"takes no immediate as operand {index + 1}"
            if vector and not -128 <= operand.value <= 255:
                return f"takes an immediate of 8 bits, not {operand.value}"
        elif isinstance(operand, Reg):
            kind = next((k for k in slot.kinds if _CLASS.get(k) == operand.cls), None)
            if kind is None:
                return f"takes no {operand.cls} register as operand {index + 1}"
            width = {"x": 128, "y": 256, "k": 64, "v": bits}.get(kind, row.general_bits(bits))
            if operand.bits != width:
                return f"operand {index + 1} has {operand.bits} bits, not {width}"
        else:
            if not slot.memory:
                return f"takes no memory as operand {index + 1}"
            if operand.broadcast:
                if not row.broadcasts(bits) or operand.bits != row.element or operand.bits * operand.broadcast != bits:
                    return f"has no broadcast of {operand.bits} bits {{1to{operand.broadcast}}}"
            elif row.accesses and operand.bits != memory_bits(row, index, bits):
                return f"accesses {memory_bits(row, index, bits)} bits of memory, not {operand.bits}"
            if operand.scale not in (1, 2, 4, 8) or (operand.symbol is not None and (operand.base or operand.index)):
                return "has an address that cannot be encoded"
    if ins.mask is not None and row.encoding != "evex":
        return "takes no mask"
    missing = features_of(row, bits if vector else 0) - features
    return f"needs {', '.join(sorted(missing))}, which the contract does not declare" if missing else None
