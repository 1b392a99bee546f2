"""The instruction table as C++: the allow-list by which the runtime judges packs that an application loads
(runtime/code/form.cpp).

One line per mnemonic and width, with everything resolved: which registers, immediates and memory sizes each operand
takes, and the CPUID features. Sorted, so that the same table gives the same bytes on every machine. Run as a module it
writes the file that it is given.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..core.instructions import INSTRUCTIONS, Operand, Row, features_of, memory_bits
from ..core.ir import RDX, XMM0

# numbers of runtime/code/program.hpp, Width
REGISTERS = {("v", 128): 0, ("v", 256): 1, ("v", 512): 2, ("g", 32): 3, ("g", 64): 4, ("k", 64): 5}
MEANINGS = ("mov", "add", "sub", "xor", "and", "lea")
IMMEDIATE_NONE, IMMEDIATE_BYTE, IMMEDIATE_WORD, IMMEDIATE_SIGNED, IMMEDIATE_ANY = range(5)
ADDRESS = 0xFF
SHARED = {XMM0: 1, RDX: 2}  # numbers of runtime/code/form.hpp, Shared
FLAGS = 4


def table_text() -> str:
    """The lines FEATURE(name) and FORM(name, meaning, hint, maskable, needs, sets, features, operand count,
    operands...). needs, sets: bits of SHARED."""
    features = sorted({f for row in INSTRUCTIONS.values() for bits in row.widths for f in _features(row, bits)})
    if len(features) > 32:
        raise ValueError("more than 32 features")
    lines = ["// Made by cryptostitch.emit.instruction_table from instructions.py."]
    lines += [f'FEATURE("{name}")' for name in features]
    for name in sorted(INSTRUCTIONS):
        row = INSTRUCTIONS[name]
        for bits in row.widths:
            needed = sum(1 << features.index(f) for f in _features(row, bits))
            slots = ", ".join(_slot(row, i, o, bits) for i, o in enumerate(row.operands))
            meaning = {"xor": "xor_", "and": "and_"}.get(name, name) if name in MEANINGS else "other"
            marks = ", ".join("01"[mark] for mark in (row.kind == "hint", row.encoding == "evex"))
            marks += f", {_needs(row)}, {_sets(row)}"
            lines.append(f'FORM("{name}", {meaning}, {marks}, 0x{needed:x}, {len(row.operands)}, {slots})')
    return "\n".join(lines) + "\n"


def _needs(row: Row) -> int:
    return sum(bit for reg, bit in SHARED.items() if reg in row.implicit) | FLAGS * row.flags_read


def _sets(row: Row) -> int:
    """Shifts and rotations by 0 leave the flags as they were."""
    return FLAGS * (row.flags_written and row.operands[-1].kinds != "i")


def _vector(row: Row) -> bool:
    return any(k in o.kinds for o in row.operands for k in "vxy")


def _features(row: Row, bits: int) -> frozenset[str]:
    return features_of(row, bits if _vector(row) else 0)


def _slot(row: Row, index: int, operand: Operand, bits: int) -> str:
    registers = 0
    for kind in operand.kinds:
        if kind in "vxy":
            registers |= 1 << REGISTERS["v", {"x": 128, "y": 256}.get(kind, bits)]
        elif kind == "g":
            registers |= 1 << REGISTERS["g", row.general_bits(bits)]
        elif kind == "k":
            registers |= 1 << REGISTERS["k", 64]
    memory = element = copies = 0
    if operand.memory:
        memory = (memory_bits(row, index, bits) // 8).bit_length() if row.accesses else ADDRESS
        if row.broadcasts(bits):
            element, copies = (row.element // 8).bit_length(), (bits // row.element).bit_length() - 1
    access = operand.reads | operand.writes << 1
    return (
        f"{{{access}, {registers}, {_immediate(row, operand, bits)}, {memory}, {int('a' in operand.kinds)}, {element}, "
        f"{copies}}}"
    )


def _immediate(row: Row, operand: Operand, bits: int) -> int:
    if "i" not in operand.kinds:
        return IMMEDIATE_NONE
    if operand.kinds == "i" or _vector(row):
        return IMMEDIATE_BYTE
    if bits == 32:
        return IMMEDIATE_WORD
    return IMMEDIATE_ANY if row.name == "mov" else IMMEDIATE_SIGNED


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(table_text(), encoding="utf-8")
