"""Every row of the instruction table against iced-x86: LLVM MC encodes a sample of each operand form, iced decodes
it."""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass

import pytest
from cryptostitch.core.instructions import INSTRUCTIONS, Row, features_of, memory_bits
from cryptostitch.emit.objects import assemble_text
from cryptostitch.ladder.decoder import features_of as features_needed
from cryptostitch.ladder.decoder import iced_register, mnemonic
from elftools.elf.elffile import ELFFile
from iced_x86 import (
    Decoder,
    EncodingKind,
    Instruction,
    InstructionInfoFactory,
    MemorySizeExt,
    OpAccess,
    OpKind,
    Register,
    RegisterExt,
)

GENERAL_NAMES = {32: ("ecx", "esi", "r9d", "r10d"), 64: ("rcx", "rsi", "r9", "r10")}
VECTOR_PREFIX = {128: "xmm", 256: "ymm", 512: "zmm"}
MEMORY_NAME = {32: "dword", 64: "qword", 128: "xmmword", 256: "ymmword", 512: "zmmword"}
READS = {OpAccess.READ, OpAccess.READ_WRITE, OpAccess.READ_COND_WRITE}
WRITES = {OpAccess.WRITE, OpAccess.READ_WRITE}


@dataclass(frozen=True)
class Sample:
    """One operand form: ``forms`` is, per operand, one of v x y g k m a i, or b for an embedded broadcast."""

    row: Row
    bits: int
    forms: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{self.row.name} " + ", ".join(self._operand(i, f) for i, f in enumerate(self.forms))

    def _operand(self, i: int, form: str) -> str:
        if form in "vxy":
            bits = {"v": self.bits, "x": 128, "y": 256}[form]
            return f"{VECTOR_PREFIX[bits]}{(17 if self.row.encoding == 'evex' else 1) + i}"
        if form == "g":
            return GENERAL_NAMES[self.row.general_bits(self.bits)][i]
        if form == "k":
            return f"k{1 + i}"
        if form == "i":
            return "5"
        if form == "b":
            return f"{MEMORY_NAME[self.row.element]} ptr [r15+64]{{1to{self.bits // self.row.element}}}"
        size = MEMORY_NAME.get(memory_bits(self.row, i, self.bits))
        return f"{size} ptr [r15+64]" if size else "[r15+64]"

    def __str__(self) -> str:
        return self.text


def samples() -> list[Sample]:
    found = []
    for row in INSTRUCTIONS.values():
        for bits in row.widths:
            for forms in itertools.product(*(o.kinds for o in row.operands)):
                memory = sum(f in "ma" for f in forms)
                if memory > 1 or (row.kind != "scalar" and row.move and "i" in forms):
                    continue
                found.append(Sample(row, bits, forms))
                if memory and row.broadcasts(bits):
                    found.append(Sample(row, bits, tuple("b" if f in "ma" else f for f in forms)))
    return found


SAMPLES = samples()


@pytest.fixture(scope="module")
def decoded() -> dict[Sample, Instruction]:
    text = ".intel_syntax noprefix\n.text\n" + "\n".join(s.text for s in SAMPLES) + "\n"
    code = ELFFile(io.BytesIO(assemble_text(text))).get_section_by_name(".text").data()
    instructions = list(Decoder(64, code))
    assert len(instructions) == len(SAMPLES)
    return dict(zip(SAMPLES, instructions))


FACTORY = InstructionInfoFactory()


def full(register: int) -> int:
    return RegisterExt.full_register(register)


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_row(sample: Sample, decoded: dict[Sample, Instruction]) -> None:
    row, instruction = sample.row, decoded[sample]
    info = FACTORY.info(instruction)
    assert mnemonic(instruction) == row.name
    assert instruction.op_count == len(row.operands) or row.implicit
    named = set()
    for i, (operand, form) in enumerate(zip(row.operands, sample.forms)):
        kind = instruction.op_kind(i)
        if form in "iI":
            assert kind not in (OpKind.REGISTER, OpKind.MEMORY)
            continue
        access = info.op_access(i)
        if form in "mab":
            assert kind == OpKind.MEMORY
            assert instruction.is_broadcast == (form == "b")
            if not row.accesses:
                assert access == OpAccess.NO_MEM_ACCESS
                continue
            bits = row.element if form == "b" else memory_bits(row, i, sample.bits)
            assert 8 * MemorySizeExt.size(instruction.memory_size) == bits
            must_align = (
                instruction.encoding == EncodingKind.LEGACY and bits == 128 and row.name != "movdqu"
            ) or "movdqa" in row.name
            assert (form == "a") == must_align
        else:
            assert kind == OpKind.REGISTER
            named.add(full(instruction.op_register(i)))
            width = {"v": sample.bits, "x": 128, "y": 256, "k": 64}.get(form)
            if width is None:
                width = row.general_bits(sample.bits)
            assert 8 * RegisterExt.size(instruction.op_register(i)) == width
        assert (access in READS) == operand.reads
        assert (access in WRITES) == operand.writes
    implicit = {full(r.register) for r in info.used_registers()} - named - {Register.R15}
    assert implicit == {full(iced_register(reg)) for reg in row.implicit}
    written = instruction.rflags_modified
    assert bool(written) == row.flags_written
    assert bool(instruction.rflags_read) == row.flags_read
    assert features_needed(instruction) == features_of(row, sample.bits), instruction


def test_swaps_are_symmetric() -> None:
    """Operands that may be exchanged: both read, of the same width; and only sums, products and symmetric logic."""
    symmetric = ("add", "adc", "xor", "and", "or", "mul", "imul", "clmul", "madd", "sadbw")
    for row in INSTRUCTIONS.values():
        if row.swap:
            first, second = (row.operands[i] for i in row.swap)
            assert first.reads and second.reads
            assert row.name.removeprefix("v").removeprefix("p").startswith(symmetric) and "andn" not in row.name


def test_moves_copy() -> None:
    for row in INSTRUCTIONS.values():
        if row.move:
            assert row.name in ("mov", "kmovq") or "movdq" in row.name
            assert [o.access for o in row.operands] == ["w", "r"]


def test_every_row_is_constant_time_or_marked() -> None:
    """The instruction classes that x86 documents as data independent; anything else must carry `vartime`."""
    allowed = {
        "logic",
        "shift",
        "shuffle",
        "aes",
        "sha",
        "clmul",
        "galois",
        "multiply",
        "move",
        "mask",
        "scalar",
        "hint",
    }
    assert all(row.vartime or row.kind in allowed for row in INSTRUCTIONS.values())
    assert not any(
        row.name.startswith(("div", "idiv", "vpgather", "vpscatter", "bsf", "rep"))
        for row in INSTRUCTIONS.values()
        if not row.vartime
    )
