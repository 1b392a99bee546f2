"""ChaCha20-Poly1305 kernels that hash in vectors: whatever key, nonce, AAD and text are, no factor of a product has
more than the 52 bits that vpmadd52 multiplies, and no sum of limbs has more than 64.

Every vector is known by the largest value of its 64-bit elements. Their program begins with r, which is clamped, and
iterations are run until nothing grows any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from built import kernel_names
from cryptostitch.core.ir import VECTOR, Imm, Ins, Mem, Reg
from cryptostitch.core.program import Program
from cryptostitch.pipeline import Generator

GENERATOR = Generator(proves=False)
KERNELS = [name for name in kernel_names() if name.startswith("chacha_poly_") and "_limbs" in name]
TOP = (1 << 64) - 1
FACTOR = (1 << 52) - 1
MOST_SUM = (1 << 60) - 1
"""The bound of the limbs that general registers join in the end: they add two of them."""
MOST_COUNT = 64
"""The bound of what the kernel adds to its numbers of blocks, which are no limbs."""
MOST_ITERATIONS = 8
AAD_HASH = 32
"""The offset of the hash of the AAD in the scratch memory: three words."""
MOVES = ("vmovdqa64", "vmovdqu32", "vmovdqu64")
BETWEEN_ELEMENTS = (
    "vpbroadcastq",
    "vshufi32x4",
    "vpunpcklqdq",
    "vpunpckhqdq",
    "vextracti32x4",
    "vextracti64x4",
    "vmovq",
)
"""Instructions that only move elements, or make others 0."""


def ones(number: int) -> int:
    """The largest number of as many bits."""
    return (1 << number.bit_length()) - 1


def ternary(table: int, values: Sequence[int]) -> int:
    """The largest result of a function of three bits, where bits above the largest values are 0."""
    for bit in range(63, -1, -1):
        for chosen in range(8):
            given = [chosen >> (2 - n) & 1 for n in range(3)]
            if table >> chosen & 1 and all(not g or v >> bit for g, v in zip(given, values)):
                return (2 << bit) - 1
    return 0


class Bounds:
    def __init__(self, program: Program):
        self.program = program
        self.constants = {c.name: c.data for c in program.contract.constants}
        self.state = program.homes["state"]
        self.registers: dict[object, int] = {}
        self.memory: dict[int, int] = {}
        self.problems: list[str] = []
        # what general registers leave of the AAD's hash above 128 bits (streams/poly1305_words.j2)
        self.memory_of_generals = {program.contract.field("scratch").offset + AAD_HASH + 16: 7}

    def run(self) -> list[str]:
        code = self.program.code
        self._section(code.enter)
        for _ in range(MOST_ITERATIONS):
            before, stored = dict(self.registers), dict(self.memory)
            self._section(code.body)
            for known, now in ((before, self.registers), (stored, self.memory)):
                now.update({key: max(value, now[key]) for key, value in known.items() if key in now})
            if (before, stored) == (self.registers, self.memory):
                break
        else:
            return ["limbs grow from iteration to iteration"]
        self._section(code.leave)
        return self.problems

    def _section(self, code: Sequence[Ins]) -> None:
        for ins in code:
            self._step(ins)

    def _value(self, operand: object) -> int:
        if isinstance(operand, Reg):
            return self.registers.get(operand.key, TOP)
        assert isinstance(operand, Mem)
        if operand.symbol:
            data = self.constants[operand.symbol]
            return max(int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8))
        known = self.memory | self.memory_of_generals
        return known.get(operand.disp, TOP) if self._is_field(operand) else TOP

    def _is_field(self, operand: Mem) -> bool:
        return operand.base is not None and operand.base.key == self.state and operand.index is None

    def _step(self, ins: Ins) -> None:
        target = ins.operands[0]
        if isinstance(target, Mem) and self._is_field(target):
            size = target.bits // 8
            for at in [at for at in self.memory if target.disp - 63 <= at < target.disp + size]:
                del self.memory[at]
        if ins.op.startswith("vextract") and isinstance(target, Mem) and self._value(ins.operands[1]) > MOST_SUM:
            self.problems.append(f"{ins.places[0]}: a sum of limbs is too large")
        if isinstance(target, Mem):
            if ins.op in MOVES and not ins.mask and self._is_field(target):
                self.memory[target.disp] = self._value(ins.operands[1])
        elif isinstance(target, Reg) and target.cls == VECTOR:
            self.registers[target.key] = TOP if ins.mask else self._result(ins)

    def _result(self, ins: Ins) -> int:
        values = [self._value(operand) for operand in ins.operands if not isinstance(operand, Imm)]
        number = next((operand.value for operand in ins.operands if isinstance(operand, Imm)), 0)
        sources = values[1:]
        match ins.op:
            case "vpsrlq":
                return sources[0] >> number
            case "vpsllq":
                return sources[0] << number if sources[0] << number <= TOP else TOP
            case "vpaddq":
                if sum(sources) > TOP and min(sources) > MOST_COUNT:
                    self.problems.append(f"{ins.places[0]}: a sum of limbs may have more than 64 bits")
                return min(sum(sources), TOP)
            case "vpandq":
                return min(sources)
            case "vpxorq" if ins.operands[1] == ins.operands[2]:
                return 0
            case "vporq" | "vpxorq":
                return ones(max(sources))
            case "vpternlogq":
                return ternary(number, values)
            case "vpmadd52luq" | "vpmadd52huq":
                return self._product(ins, *values)
        if ins.op in MOVES or ins.op in BETWEEN_ELEMENTS:
            return max(sources)
        return TOP

    def _product(self, ins: Ins, before: int, a: int, b: int) -> int:
        if max(a, b) > FACTOR:
            self.problems.append(f"{ins.places[0]}: a factor may be {max(a, b):#x}")
        after = before + (min(a * b, FACTOR) if ins.op == "vpmadd52luq" else a * b >> 52)
        if after > TOP:
            self.problems.append(f"{ins.places[0]}: a sum may be {after:#x}")
        return min(after, TOP)


def program_of(name: str) -> Program:
    return GENERATOR.recipe(name).parts[0].program


@pytest.mark.parametrize("name", KERNELS)
def test_factors_and_sums(name: str) -> None:
    program = program_of(name)
    code = (*program.code.enter, *program.code.body, *program.code.leave)
    assert sum(ins.op.startswith("vpmadd52") for ins in code) > 100
    assert Bounds(program).run() == []


def test_there_are_kernels() -> None:
    assert len(KERNELS) >= 8


@pytest.mark.parametrize("op", ["vpandq", "vpsrlq", "vpsllq"])
def test_seeded(op: str) -> None:
    """Behind a product one limb keeps what it gives to the next, or gives it too much; or all is shifted too far."""
    program = program_of(next(name for name in KERNELS if "enc_limbs_x1" in name))
    body = list(program.code.body)
    first = next(n for n, ins in enumerate(body) if ins.op.startswith("vpmadd52"))
    at = next(n for n in range(first, len(body)) if body[n].op == op)
    ins = body[at]
    if op == "vpandq":
        body[at] = replace(ins, op="vmovdqa64", operands=ins.operands[:2])
    else:
        body[at] = replace(ins, operands=(*ins.operands[:2], Imm(1 if op == "vpsrlq" else 40)))
    wrong = replace(program, code=replace(program.code, body=tuple(body)))
    assert Bounds(wrong).run()
