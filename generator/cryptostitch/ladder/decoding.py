"""Machine code to the instructions of the table: iced-x86 reads, and every operand must be one that the row allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from iced_x86 import Decoder, Instruction, MemorySizeExt, OpKind, Register

from ..core.instructions import INSTRUCTIONS, Row, memory_bits
from ..core.ir import GENERAL, MASK, VECTOR, Imm, Ins, Mem, Operand, Reg
from ..semantics import CONTROL, FRAME, JUMPS
from .blocks import Fault
from .decoder import IMMEDIATES, mnemonic

ROWS: dict[str, Row] = INSTRUCTIONS | FRAME
_REGISTERS: dict[int, Reg] = {}
for _size, _first in ((128, Register.XMM0), (256, Register.YMM0), (512, Register.ZMM0)):
    _REGISTERS |= {_first + n: Reg(VECTOR, n, _size, True) for n in range(32)}
for _size, _first in ((32, Register.EAX), (64, Register.RAX)):
    _REGISTERS |= {_first + n: Reg(GENERAL, n, _size, True) for n in range(16)}
_REGISTERS |= {Register.K0 + n: Reg(MASK, n, 64, True) for n in range(8)}
_KINDS = {(VECTOR, 128): "x", (VECTOR, 256): "y", (GENERAL, 32): "g", (GENERAL, 64): "g", (MASK, 64): "k"}


@dataclass(frozen=True)
class Decoded:
    """An instruction of the table. ``row`` is None for one of CONTROL, whose operand is then ``number``: a general
    register's, or a jump's target. ``bits`` is the instruction's width. A memory operand without base is at the
    absolute address ``disp``."""

    address: int
    size: int
    ins: Ins
    row: Row | None = None
    bits: int = 0
    number: int = 0

    @property
    def its_row(self) -> Row:
        """Returns the row of an instruction that is not of CONTROL."""
        assert self.row is not None
        return self.row

    @property
    def ends(self) -> bool:
        return self.ins.op == "ret" or self.ins.op in JUMPS


def decode(code: bytes, offset: int, base: int) -> Iterator[Decoded]:
    """Decodes from ``offset`` on; ``base`` is the address of the first byte. Fault for what is not in the table."""
    for instruction in Decoder(64, code[offset:], ip=base + offset):
        yield _decoded(instruction)


def _decoded(instruction: Instruction) -> Decoded:
    if instruction.is_invalid:
        raise Fault("is no instruction")
    name = mnemonic(instruction)
    if (
        instruction.has_lock_prefix
        or instruction.has_rep_prefix
        or instruction.has_repne_prefix
        or instruction.segment_prefix != Register.NONE
    ):
        raise Fault(f"{instruction} has a prefix without a meaning")
    if name in CONTROL:
        return Decoded(instruction.ip, instruction.len, Ins(name), number=_control(instruction, name))
    row = ROWS.get(name)
    if row is None:
        raise Fault(f"{instruction} has no meaning in the model")
    count = len(row.operands)
    if instruction.op_count not in (count, count + len(row.implicit)):
        raise Fault(f"{instruction} has no meaning in the model with {instruction.op_count} operands")
    operands = [_operand(instruction, i) for i in range(count)]
    bits = _width(row, operands, instruction)
    allowed: list[Operand] = []
    for i, operand in enumerate(operands):
        if operand is None or not _allowed(row, i, operand, bits):
            raise Fault(f"{instruction} has no meaning in the model: operand {i + 1} is not one of its row")
        allowed.append(operand)
    mask = None if instruction.op_mask == Register.NONE else _REGISTERS[instruction.op_mask]
    if bits not in row.widths or (mask is not None and row.encoding != "evex"):
        raise Fault(f"{instruction} has no meaning in the model in this form")
    return Decoded(
        instruction.ip, instruction.len, Ins(name, tuple(allowed), mask, instruction.zeroing_masking), row, bits
    )


def _control(instruction: Instruction, name: str) -> int:
    kinds = [instruction.op_kind(i) for i in range(instruction.op_count)]
    if name in ("push", "pop"):
        register = _REGISTERS.get(instruction.op_register(0)) if kinds == [OpKind.REGISTER] else None
        if register is not None and register.bits == 64:
            return register.number
    elif name in JUMPS:
        if kinds == [OpKind.NEAR_BRANCH64]:
            return instruction.near_branch_target
    elif not kinds:
        return 0
    raise Fault(f"{instruction} has no meaning in the model")


def _operand(instruction: Instruction, i: int) -> Operand | None:
    kind = instruction.op_kind(i)
    if kind == OpKind.REGISTER:
        return _REGISTERS.get(instruction.op_register(i))
    if kind != OpKind.MEMORY:
        return Imm(instruction.immediate(i)) if kind in IMMEDIATES else None
    bits = 8 * MemorySizeExt.size(instruction.memory_size)
    if instruction.is_ip_rel_memory_operand:
        operand = Mem(None, instruction.ip_rel_memory_address, bits)
    else:
        base, index = (
            None if r == Register.NONE else _REGISTERS.get(r)
            for r in (instruction.memory_base, instruction.memory_index)
        )
        if base is None or base.bits != 64 or (index is not None and (index.cls, index.bits) != (GENERAL, 64)):
            return None
        signed = (instruction.memory_displacement ^ 1 << 63) - (1 << 63)
        operand = Mem(base, signed, bits, index, instruction.memory_index_scale)
    return replace(operand, broadcast=-1) if instruction.is_broadcast else operand


def _width(row: Row, operands: list[Operand | None], instruction: Instruction) -> int:
    """The widest register that is not a mask or an index; without one the memory operand's bits."""
    if row.only == (16,) or row.kind == "hint":
        return row.only[0]
    sizes = [o.bits for o in operands if isinstance(o, Reg)]
    return max(sizes) if sizes else max((o.bits for o in operands if isinstance(o, Mem)), default=0)


def _allowed(row: Row, i: int, operand: Operand, bits: int) -> bool:
    kinds = row.operands[i].kinds
    if isinstance(operand, Imm):
        return "i" in kinds
    if isinstance(operand, Reg):
        if operand.cls == MASK:
            return "k" in kinds
        if operand.cls == GENERAL:
            return "g" in kinds and operand.bits == row.general_bits(bits)
        return ("v" in kinds and operand.bits == bits) or _KINDS.get((VECTOR, operand.bits), "-") in kinds
    if not isinstance(operand, Mem) or not row.operands[i].memory:
        return False
    if operand.broadcast:
        return row.broadcasts(bits) and operand.bits == row.element
    return not row.accesses or operand.bits == memory_bits(row, i, bits)
