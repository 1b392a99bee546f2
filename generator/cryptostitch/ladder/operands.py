"""What each instruction of some code accesses in memory, as iced-x86 decodes it: the table by which libcst-probe
computes addresses."""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from typing import Any

from iced_x86 import (
    Decoder,
    Instruction,
    InstructionInfoFactory,
    MemorySizeExt,
    OpAccess,
    Register,
    Register_,
    RegisterExt,
    UsedMemory,
)

from . import probe_library
from .decoder import decoded
from .machine import Access, Step
from .result import Skip

_GENERALS = "RAX RCX RDX RBX RSP RBP RSI RDI R8 R9 R10 R11 R12 R13 R14 R15".split()
_NUMBER = {getattr(Register, name): n for n, name in enumerate(_GENERALS)} | {Register.NONE: probe_library.BASE_NONE}
_STORES = frozenset((OpAccess.WRITE, OpAccess.COND_WRITE, OpAccess.READ_WRITE, OpAccess.READ_COND_WRITE))
_LOADS = frozenset((OpAccess.READ, OpAccess.COND_READ))


@dataclass(frozen=True)
class Table:
    """``first`` and ``operands`` are cst_probe_trace's; ``kinds``: (size, write) of the same operands, by the
    instruction's offset."""

    first: Any
    operands: Any
    kinds: dict[int, tuple[tuple[int, bool], ...]]

    def steps(self, log: list[int]) -> tuple[Step, ...]:
        """Returns the steps that libcst-probe has logged."""
        found, at = [], 0
        while at < len(log):
            kinds = self.kinds.get(log[at], ())
            found.append(
                Step(
                    log[at],
                    tuple(
                        Access(address, size, write)
                        for address, (size, write) in zip(log[at + 1 : at + 1 + len(kinds)], kinds)
                    ),
                )
            )
            at += 1 + len(kinds)
        return tuple(found)


def _number(register: Register_) -> int | None:
    """Returns the number of a general register; None for a vector register, the index of a gather or scatter."""
    return _NUMBER.get(RegisterExt.full_register(register))


def _operand(instruction: Instruction, memory: UsedMemory) -> probe_library.Operand | None:
    """Returns an operand of the probe; None where its addresses cannot be computed from general registers."""
    signed = (memory.displacement ^ 1 << 63) - (1 << 63)
    if instruction.is_ip_rel_memory_operand and memory.base in (Register.NONE, Register.RIP, Register.EIP):
        return probe_library.Operand(signed, probe_library.BASE_CODE, probe_library.BASE_NONE, 1)
    base, index = _number(memory.base), _number(memory.index)
    return None if base is None or index is None else probe_library.Operand(signed, base, index, memory.scale)


@functools.lru_cache(maxsize=4)
def table(code: bytes) -> Table:
    """Constants are decoded too, which does no harm: they are not executed. Raises Skip for code with gathers."""
    end = decoded(code)[-1].next_ip
    factory, operands, kinds = InstructionInfoFactory(), [], {}
    first = (ctypes.c_uint32 * (len(code) + 1))()
    for instruction in Decoder(64, code, ip=0):
        here = []
        for memory in () if instruction.is_invalid else factory.info(instruction).used_memory():
            if memory.access not in _STORES and memory.access not in _LOADS:
                continue
            operand = _operand(instruction, memory)
            if operand is None:
                if instruction.ip < end:
                    raise Skip(f"the addresses of {instruction} are not in general registers")
                continue
            operands.append(operand)
            here.append((MemorySizeExt.size(memory.memory_size), memory.access in _STORES))
        if here:
            kinds[instruction.ip] = tuple(here)
    count = 0
    for offset in range(len(code)):
        first[offset] = count
        count += len(kinds.get(offset, ()))
    first[len(code)] = count
    return Table(first, (probe_library.Operand * max(1, count))(*operands), kinds)


def text(code: bytes, offset: int) -> str:
    """The instruction at an offset in words."""
    return str(Decoder(64, code[offset:], ip=offset).decode()) if 0 <= offset < len(code) else "outside the code"
