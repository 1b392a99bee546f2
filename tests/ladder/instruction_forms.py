"""Every row of the table as assembly text: widths x operand forms x immediates, aliased registers, masks, addresses;
and the frame's instructions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from cryptostitch.core.instructions import INSTRUCTIONS, Row, memory_bits
from cryptostitch.ladder.interpreter import mask_element
from cryptostitch.semantics import FRAME

SIZES = {8: "byte", 16: "word", 32: "dword", 64: "qword", 128: "xmmword", 256: "ymmword", 512: "zmmword"}
PREFIX = {128: "xmm", 256: "ymm", 512: "zmm"}
GENERALS = {32: ("ecx", "esi", "r9d", "eax"), 64: ("rcx", "rsi", "r9", "rax")}
ADDRESSES = ("rdx + 64", "rdx + 4*r11 + 32")
"""rdx points to the memory block, r11 is 8."""

HINTS = ("prefetcht0 [rdx + 64]", "prefetcht0 [rdx + 4*r11 + 32]")
FRAME_FORMS = (
    "endbr64",
    "vzeroall",
    "vzeroupper",
    "push rcx\npop rsi",
    "push r12\npush r9\npop r12\npop rax",
    "sub rsp, 40\nadd rsp, 40\nxor ecx, ecx",
    "sub ecx, 1\njnz 1f\nmov eax, 7\n1: mov esi, 9",
    "xor ecx, ecx\njnz 1f\nmov eax, 7\n1: mov esi, 9",
    "jnz 1f\nmov eax, 7\n1: mov esi, 9",
    "sub ecx, ecx\njz 1f\nmov eax, 7\n1: mov esi, 9",
    "sub ecx, 1\njz 1f\nmov eax, 7\n1: mov esi, 9",
    "mov ecx, 5\n1: add rax, rcx\nsub rcx, 1\njnz 1b",
    "jmp 1f\n1: mov esi, 9",
    "jmp 1f\nmov eax, 7\n1: mov esi, 9",
)
LEA = (
    "lea {r}, [rcx + 64]",
    "lea {r}, [rcx + rsi*4]",
    "lea {r}, [rcx + r9*8 - 0x70e44324]",
    "lea {r}, [r12 + rcx + 0x5a827999]",
    "lea {r}, [rsi + rsi*2]",
)


def immediates(row: Row, bits: int) -> tuple[int, ...]:
    if row.kind == "shift" or row.name in ("rol", "ror", "shl", "shr", "sar", "rorx"):
        width = bits if row.kind == "scalar" else 64 if row.name.endswith("q") else 32
        return (0, 1, 2, 5, 8, width // 2, width - 1, width, width + 1, 255)
    if row.kind == "scalar":
        return (0, 1, -1, 5, 127, -128, 0x7FFFFFFF, -0x80000000)
    if row.name.startswith("vpternlog"):
        return (0, 0x96, 0xCA, 0xE8, 0x1B, 0x80, 0x01, 0xFF, 0x6A)
    return (0, 1, 2, 3, 4, 5, 8, 0x0F, 0x10, 0x1B, 0x20, 0x31, 0x4E, 0x88, 0x99, 0xDD, 0xFF)


def operand(row: Row, bits: int, i: int, form: str, number: int, address: str, immediate: int) -> str:
    if form in "vxy":
        return f"{PREFIX[{'v': bits, 'x': 128, 'y': 256}[form]]}{number}"
    if form == "g":
        return GENERALS[row.general_bits(bits)][i]
    if form == "k":
        return f"k{1 + number % 7}"
    if form == "i":
        return str(immediate)
    if form == "b":
        return f"{SIZES[row.element]} ptr [{address}]{{1to{bits // row.element}}}"
    return f"{SIZES[memory_bits(row, i, bits)]} ptr [{address}]"


def operand_forms(row: Row, bits: int) -> Iterator[tuple[str, ...]]:
    for forms in itertools.product(*(o.kinds for o in row.operands)):
        if sum(f in "ma" for f in forms) > 1 or (row.kind != "scalar" and row.move and "i" in forms):
            continue
        yield forms
        if row.broadcasts(bits) and any(f in "ma" for f in forms):
            yield tuple("b" if f in "ma" else f for f in forms)


def masks(row: Row, bits: int, forms: tuple[str, ...]) -> tuple[str, ...]:
    """Broadcasts by load take no mask in the model."""
    if row.encoding != "evex" or not mask_element(row) or "k" in forms:
        return ("",)
    if row.kind == "move" and any(f == "m" and memory_bits(row, i, bits) != bits for i, f in enumerate(forms)):
        return ("",)
    return ("", " {k3}") if forms[0] in "ma" else ("", " {k3}", " {k5} {z}")


def row_forms(row: Row) -> Iterator[str]:
    if not row.accesses:
        yield from HINTS if row.kind == "hint" else (line.format(r=r) for line in LEA for r in ("esi", "rsi"))
        return
    for bits in row.widths:
        for forms in operand_forms(row, bits):
            # with registers 16 to 31 where there are such; with one register in all places; with registers that VEX and
            # legacy SSE reach
            first = (18, 19, 20, 21) if row.encoding == "evex" else (1, 9, 12, 3)
            numberings = (first,) if row.kind == "scalar" else (first, (2, 2, 2, 2), (5, 5, 6, 6), (8, 1, 8, 1))
            if bits == 512 and row.encoding != "evex":
                numberings += ((18, 19, 20, 21),)
            for n, numbers in enumerate(numberings):
                for address in ADDRESSES if n == 0 and any(f in "mab" for f in forms) else ADDRESSES[:1]:
                    for immediate in (
                        (immediates(row, bits) if n == 0 else immediates(row, bits)[3:5]) if "i" in forms else (0,)
                    ):
                        for mask in masks(row, bits, forms):
                            texts = [
                                operand(row, bits, i, f, numbers[i], address, immediate) for i, f in enumerate(forms)
                            ]
                            texts[0] += mask
                            yield f"{row.name} " + ", ".join(texts)


def every_form() -> list[str]:
    found = [line for row in (*INSTRUCTIONS.values(), *FRAME.values()) for line in row_forms(row)]
    found += [f"{name} {a}, {a}" for name in ("add", "sub", "xor", "and", "or", "mov") for a in ("ecx", "rcx")]
    return list(dict.fromkeys([*found, *FRAME_FORMS]))
