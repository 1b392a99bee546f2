"""Runs a stream's code, before or after allocation, with the meanings of the instruction model: what it leaves in
memory.

Nothing is shared with value numbering. What no instruction has written is an error to read; so is xmm0 outside the
glued run that wrote it, since another stream may have written it there. Every address can be accessed: what was never
stored is made up from the address.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping

from cryptostitch.core.instructions import INSTRUCTIONS
from cryptostitch.core.ir import GENERAL, STATE, VECTOR, Code, Imm, Ins, Mem, Operand, Reg
from cryptostitch.core.program import Program
from cryptostitch.core.stream import Stream
from cryptostitch.semantics import MEANING, Flagged, Form
from cryptostitch.verify.induct import is_spill

BLOCK = 1 << 32
"""The address of the state block."""
SHARED = Reg(VECTOR, 0, 128, physical=True)
LINE = 64

Memory = dict[int, int]


def meant(stream: Stream, iterations: int) -> Memory:
    """The bytes that the stream stores, as it is written."""
    return Run(STATE, {c.name: c.data for c in stream.constants}, stream.keep).loop(stream.code, iterations)


def done(program: Program, iterations: int) -> Memory:
    """The bytes that the program stores, those that it spills apart."""
    memory = Run(0, {c.name: c.data for c in program.contract.constants}, {}).loop(program.code, iterations)
    spilled = {BLOCK + f.offset + n for f in program.contract.fields if is_spill(f) for n in range(f.size)}
    return {at: byte for at, byte in memory.items() if at not in spilled}


class Run:
    """``state``: the register that holds the state block's address."""

    def __init__(self, state: object, constants: Mapping[str, bytes], keep: Mapping[str, Mem]) -> None:
        self.constants, self.keep = constants, keep
        self.registers: dict[object, int] = {(GENERAL, state): BLOCK}
        self.memory: Memory = {}

    def loop(self, code: Code, iterations: int) -> Memory:
        for section in (code.enter, *[code.body] * iterations, code.leave):
            for ins in section:
                self.step(ins)
        return self.memory

    def step(self, ins: Ins) -> None:
        row = INSTRUCTIONS[ins.op]
        listed = list(zip(ins.operands[len(ins.operands) - len(row.operands) :], row.operands))
        bits = row.only[0] if len(row.only) == 1 else max(o.bits for o in ins.operands if isinstance(o, Reg))
        immediate = next((o.value & 0xFF for o, slot in listed if slot.kinds == "i"), 0)
        values = [
            self.value(o, bits, row.accesses, "a" in slot.kinds)
            for o, slot in listed
            if slot.reads and slot.kinds != "i"
        ]
        values += [self.value(reg, reg.bits) for reg in row.implicit]
        meaning = MEANING[ins.op](Form(bits, immediate))
        result = meaning.apply(*values)[0] if isinstance(meaning, Flagged) else meaning(*values)
        self.write(ins.operands[0], result, "a" in row.operands[0].kinds)
        if not ins.glue:
            self.registers.pop(SHARED, None)

    def write(self, target: Operand, result: int, aligned: bool) -> None:
        if isinstance(target, Reg):
            self.registers[key(target)] = result
            return
        start = self.address(target, aligned)
        self.memory |= {
            start + n & (1 << 64) - 1: byte for n, byte in enumerate(result.to_bytes(target.bits // 8, "little"))
        }

    def value(self, operand: Operand, bits: int, accesses: bool = True, aligned: bool = False) -> int:
        if isinstance(operand, Imm):
            return operand.value & (1 << bits) - 1
        if isinstance(operand, Mem):
            return self.load(operand, aligned) if accesses else self.address(operand)
        kept = self.keep.get(operand.id)
        return (self.load(kept) if kept else self.registers[key(operand)]) & (1 << operand.bits) - 1

    def address(self, mem: Mem, aligned: bool = False) -> int:
        base, index = (0 if reg is None else self.registers[key(reg)] for reg in (mem.base, mem.index))
        at = base + index * mem.scale + mem.disp & (1 << 64) - 1
        assert not aligned or mem.broadcast or at % (mem.bits // 8) == 0, f"{mem} is not aligned"
        return at

    def load(self, mem: Mem, aligned: bool = False) -> int:
        size = mem.bits // 8
        if mem.symbol is not None:
            data = self.constants[mem.symbol][mem.disp : mem.disp + size]
        else:
            start = self.address(mem, aligned)
            data = bytes(self.byte(start + n & (1 << 64) - 1) for n in range(size))
        return int.from_bytes(data * max(1, mem.broadcast), "little")

    def byte(self, at: int) -> int:
        return self.memory[at] if at in self.memory else made_up(at // LINE)[at % LINE]


def key(reg: Reg) -> object:
    return reg if reg.physical else reg.key


@functools.lru_cache(1 << 12)
def made_up(line: int) -> bytes:
    return hashlib.blake2b(line.to_bytes(8, "little"), digest_size=LINE).digest()
