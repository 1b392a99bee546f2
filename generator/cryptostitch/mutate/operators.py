"""The operators: each picks a place at random and says what it did there. None: the text has no such place.

Kinds of fault that people make when they write kernels: an instruction forgotten, two in the wrong order, another
register, another constant, one too many, the neighbour's lane, the sister instruction.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from ..core.accesses import operand_accesses
from ..core.instructions import INSTRUCTIONS
from ..core.ir import Imm, Ins, Mem, Reg
from ..verify.text import describe, instruction_text
from .dependence import depend, free, loads, overlap, stores
from .text import KERNEL, Change, Text, memory_of, with_operand

Operator = Callable[[Text, random.Random], Change | None]

NEAR = 16  # how many instructions away a wrong register is taken from
WITHIN = 64  # how many instructions apart a store and a load may be that are exchanged

SISTERS = [
    ("paddd", "psubd", "pxor"),
    ("paddq", "psubq"),
    ("pand", "pandn", "por"),
    ("pslld", "psrld"),
    ("psllq", "psrlq"),
    ("punpckldq", "punpckhdq"),
    ("punpcklqdq", "punpckhqdq"),
    ("aesenc", "aesenclast", "aesdec"),
    ("aesdec", "aesdeclast"),
    ("sha1msg1", "sha1msg2"),
    ("sha256msg1", "sha256msg2"),
    ("vpaddd", "vpsubd", "vpxor"),
    ("vpand", "vpandn", "vpor"),
    ("vpslld", "vpsrld"),
    ("vpunpckldq", "vpunpckhdq"),
    ("vpunpcklqdq", "vpunpckhqdq"),
    ("vaesenc", "vaesenclast", "vaesdec"),
    ("vaesdec", "vaesdeclast"),
    ("vpxord", "vpandd", "vpord"),
    ("vpxorq", "vpandq", "vporq"),
    ("vprold", "vprord"),
    ("vprolq", "vprorq"),
    ("add", "xor", "or", "sub"),
    ("and", "or", "xor"),
    ("rol", "ror"),
    ("shl", "shr", "sar"),
]
LANE_OPS = frozenset("vinserti128 vextracti128 vinserti32x4 vextracti32x4 vinserti64x4 pinsrd pextrd".split())


def _places(text: Text, rnd: random.Random) -> Iterator[tuple[int, Ins]]:
    order = list(range(len(text.code)))
    rnd.shuffle(order)
    return ((i, ins) for i in order if (ins := text.code[i]) is not None)


def drop(text: Text, rnd: random.Random) -> Change | None:
    """An instruction is forgotten."""
    for i, ins in _places(text, rnd):
        return Change("drop", f"{describe(ins)} is dropped", i)
    return None


def wipe(text: Text, rnd: random.Random) -> Change | None:
    """A register is not wiped."""
    for i, ins in _places(text, rnd):
        if text.level == KERNEL and text.section == "wipe":
            return Change("wipe", f"the wipe {describe(ins)} is dropped", i)
    return None


def _exchange(operator: str, wanted: bool) -> Operator:
    def exchange(text: Text, rnd: random.Random) -> Change | None:
        for i, ins in _places(text, rnd):
            after = text.code[i + 1] if i + 1 < len(text.code) else None
            before = text.code[i - 1] if i > 0 else None
            tied = before is not None and before.glue
            if after is None or after == ins:
                continue
            behind = text.code[i + 2] if i + 2 < len(text.code) else None
            if (tied or depend(ins, after)) if wanted else (not tied and free(ins, after, behind)):
                return Change(operator, f"{describe(ins)} and the next, {describe(after)}, change places", i, i + 1)
        return None

    return exchange


def memory_order(text: Text, rnd: random.Random) -> Change | None:
    """A load and the store that it must follow, or two stores to one place, change places."""
    for i, ins in _places(text, rnd):
        memory = memory_of(ins)
        if not stores(ins) or memory is None:
            continue
        for j in range(i + 1, min(i + WITHIN, len(text.code))):
            other = text.code[j]
            if other is None:
                break
            if (
                (its := memory_of(other)) is not None
                and (loads(other) or stores(other))
                and text.streams[i] == text.streams[j]
                and other != ins
                and its[1].base == memory[1].base
                and overlap(ins, other)
            ):
                return Change(
                    "memory-order", f"{describe(ins)} and, {j - i} further on, {describe(other)} change places", i, j
                )
    return None


def _wrong_register(operator: str, accesses: str) -> Operator:
    def wrong(text: Text, rnd: random.Random) -> Change | None:
        for i, ins in _places(text, rnd):
            if ins.op not in INSTRUCTIONS:
                continue
            sites: list[tuple[int, Reg | Mem]] = [
                (index, operand)
                for index, access in operand_accesses(ins)
                if access in accesses
                and isinstance(operand := ins.operands[index], Reg)
                and (index == 0) == ("w" in accesses)
            ]
            addresses: list[tuple[int, Reg | Mem]] = [
                (index, operand)
                for index, operand in enumerate(ins.operands)
                if "w" not in accesses and isinstance(operand, Mem) and operand.base is not None
            ]
            if not sites + addresses:
                continue
            index, operand = rnd.choice(sites + addresses)
            reg = operand.base if isinstance(operand, Mem) else operand
            assert reg is not None
            near = {
                r
                for j in range(max(0, i - NEAR), min(len(text.code), i + NEAR))
                if (other := text.code[j]) is not None and text.streams[j] == text.streams[i]
                for r in other.registers()
                if r.cls == reg.cls and r.bits == reg.bits and r.key != reg.key and r.physical == reg.physical
            }
            near = {r for r in near if "w" not in accesses or not str(r.id).startswith("keep ")}
            if near:
                chosen = rnd.choice(sorted(near, key=lambda r: str(r.id)))
                new = with_operand(ins, index, replace(operand, base=chosen) if isinstance(operand, Mem) else chosen)
                return Change(operator, f"{describe(ins)} becomes `{instruction_text(new)}`", i, ins=new)
        return None

    return wrong


def wrong_constant(text: Text, rnd: random.Random) -> Change | None:
    """One bit of an immediate, or of a constant of the pool, is wrong."""
    if text.constants and rnd.random() < 0.5:
        constant = rnd.choice(text.constants)
        data, bit = bytearray(constant.data), rnd.randrange(8 * len(constant.data))
        data[bit // 8] ^= 1 << bit % 8
        return Change(
            "constant",
            f"bit {bit} of the constant {constant.name} of {len(data)} bytes is flipped",
            constant=replace(constant, data=bytes(data)),
        )
    for i, ins in _places(text, rnd):
        for index, operand in enumerate(ins.operands):
            if isinstance(operand, Imm):
                new = with_operand(
                    ins, index, Imm(operand.value ^ 1 << rnd.randrange(max(3, operand.value.bit_length())))
                )
                return Change("constant", f"{describe(ins)} becomes `{instruction_text(new)}`", i, ins=new)
    return None


def off_by_one(text: Text, rnd: random.Random) -> Change | None:
    """A count or a step is one more or less, a displacement one byte or one access."""
    for i, ins in _places(text, rnd):
        sign = rnd.choice((1, -1))
        memory = memory_of(ins)
        immediate = next((index for index, o in enumerate(ins.operands) if isinstance(o, Imm)), None)
        if (
            immediate is not None
            and (ins.op not in INSTRUCTIONS or INSTRUCTIONS[ins.op].kind in ("shift", "scalar"))
            and ins.op != "mov"
        ):
            new = with_operand(ins, immediate, Imm(ins.immediate(immediate) + sign))
        elif memory is not None:
            index, mem = memory
            new = with_operand(ins, index, replace(mem, disp=mem.disp + sign * rnd.choice((1, mem.bits // 8 or 1))))
        else:
            continue
        return Change("off-by-one", f"{describe(ins)} becomes `{instruction_text(new)}`", i, ins=new)
    return None


def mnemonic(text: Text, rnd: random.Random) -> Change | None:
    """The sister instruction, of the same shape."""
    for i, ins in _places(text, rnd):
        family = [
            other
            for names in SISTERS
            if ins.op in names
            for other in names
            if other != ins.op and _same_shape(ins, other)
        ]
        if family:
            new = replace(ins, op=rnd.choice(family))
            return Change("mnemonic", f"{describe(ins)} becomes `{instruction_text(new)}`", i, ins=new)
    return None


def _same_shape(ins: Ins, other: str) -> bool:
    row, sister = INSTRUCTIONS[ins.op], INSTRUCTIONS[other]
    broadcast = any(isinstance(o, Mem) and o.broadcast for o in ins.operands)
    return (
        row.operands == sister.operands
        and row.element >= sister.element
        and (not broadcast or row.element == sister.element)
        and all(
            r.bits in sister.widths
            for r in ins.registers()
            if isinstance(ins.operands[0], Reg) and r == ins.operands[0]
        )
    )


def lane(text: Text, rnd: random.Random) -> Change | None:
    """A pointer, word or block of the neighbouring lane."""
    for i, ins in _places(text, rnd):
        if ins.op in LANE_OPS:
            index = len(ins.operands) - 1
            new = with_operand(ins, index, Imm(ins.immediate(index) ^ 1))
            return Change("lane", f"{describe(ins)} becomes `{instruction_text(new)}`", i, ins=new)
        memory, state = memory_of(ins), text.states.get(text.streams[i])
        if memory is None or state is None or memory[1].base != state[0] or memory[1].index is not None:
            continue
        index, mem = memory
        for field in state[1]:
            steps = {b - a for a, b in zip(field.lane_offsets, field.lane_offsets[1:])}
            if (
                field.offset <= mem.disp < field.offset + field.size
                and len(steps) == 1
                and mem.bits // 8 <= next(iter(steps))
            ):
                step = next(iter(steps))
                disp = mem.disp + step if mem.disp - step < field.offset else mem.disp - step
                new = with_operand(ins, index, replace(mem, disp=disp))
                return Change("lane", f"{describe(ins)} becomes `{instruction_text(new)}`", i, ins=new)
    return None


OPERATORS: dict[str, Operator] = {
    "drop": drop,
    "swap": _exchange("swap", True),
    "source": _wrong_register("source", "rx"),
    "destination": _wrong_register("destination", "wx"),
    "constant": wrong_constant,
    "off-by-one": off_by_one,
    "memory-order": memory_order,
    "mnemonic": mnemonic,
    "lane": lane,
    "wipe": wipe,
    "swap-free": _exchange("swap-free", False),
}
CONTROL = "swap-free"
"""Two neighbours that do not depend on each other: every one of these has to be recognised as equivalent, and none
counts as killed or survived."""
