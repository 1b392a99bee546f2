"""Whether two instructions may change places: registers, flags and memory. Cautious about memory: two accesses are
apart only when that is plain."""

from __future__ import annotations

from ..core.accesses import operand_accesses
from ..core.instructions import INSTRUCTIONS
from ..core.ir import GENERAL, VECTOR, Ins, Mem, Reg
from ..core.registers import RSP

STACK = frozenset(("push", "pop", "ret"))
ZEROED = frozenset(("vzeroall", "vzeroupper"))
FLAGS = ("flags", "flags")


def reads_writes(ins: Ins) -> tuple[set, set]:
    """Names of registers, and FLAGS."""
    reads: set = set()
    writes: set = set()
    if ins.op not in INSTRUCTIONS:  # what only a frame has
        if ins.op in STACK:
            reads.add((GENERAL, RSP))
            writes.add((GENERAL, RSP))
        if ins.op == "jnz":
            reads.add(FLAGS)
        (writes if ins.op == "pop" else reads).update(r.key for r in ins.registers())
        if ins.op == "kxorq":
            writes.update(r.key for r in ins.registers())
        if ins.op in ZEROED:
            writes.update((VECTOR, n) for n in range(16))
        elif ins.op not in STACK:
            writes.update(r.key for r in ins.registers() if ins.operands and r == ins.operands[0])
        return reads, writes
    row = INSTRUCTIONS[ins.op]
    for index, access in operand_accesses(ins):
        operand = ins.operands[index]
        if isinstance(operand, Mem):
            reads.update(r.key for r in (operand.base, operand.index) if r is not None)
        elif isinstance(operand, Reg):
            if access in "rx":
                reads.add(operand.key)
            if access in "wx":
                writes.add(operand.key)
    if ins.mask is not None:
        reads.add(ins.mask.key)
    reads.update(reg.key for reg in row.implicit)
    if row.flags_read:
        reads.add(FLAGS)
    if row.flags_written:
        writes.add(FLAGS)
    return reads, writes


def stores(ins: Ins) -> bool:
    if ins.op not in INSTRUCTIONS:
        return ins.op == "push" or (ins.op in ("movups", "vmovups") and isinstance(ins.operands[0], Mem))
    return any(isinstance(ins.operands[i], Mem) and access in "wx" for i, access in operand_accesses(ins))


def loads(ins: Ins) -> bool:
    if ins.op not in INSTRUCTIONS:
        return ins.op == "pop" or (ins.op in ("movups", "vmovups") and isinstance(ins.operands[1], Mem))
    return INSTRUCTIONS[ins.op].accesses and any(
        isinstance(ins.operands[i], Mem) and access in "rx" for i, access in operand_accesses(ins)
    )


def overlap(a: Ins, b: Ins) -> bool:
    """Whether the two may access the same bytes of memory."""
    m, n = (next((o for o in ins.operands if isinstance(o, Mem)), None) for ins in (a, b))
    if m is None or n is None:
        return True
    if (m.symbol is None) != (n.symbol is None):
        return False
    if (m.base, m.index, m.scale, m.symbol) != (n.base, n.index, n.scale, n.symbol):
        return True
    return m.disp < n.disp + n.bits // 8 and n.disp < m.disp + m.bits // 8


def depend(first: Ins, second: Ins) -> bool:
    """Whether exchanging the two, which stand one after the other, may change anything. Flags count only where they are
    read."""
    r1, w1 = reads_writes(first)
    r2, w2 = reads_writes(second)
    if w1 & r2 or r1 & w2 or (w1 & w2) - {FLAGS}:
        return True
    if any(ins.op in ("jnz", "jz", "jmp", "ret", "endbr64") for ins in (first, second)) or first.glue or second.glue:
        return True
    touching = (stores(first) and (stores(second) or loads(second))) or (loads(first) and stores(second))
    return touching and overlap(first, second)


def free(first: Ins, second: Ins, behind: Ins | None) -> bool:
    """Whether exchanging the two changes nothing that a check could rightly call a fault: not the order of stores
    either, which checks compare one by one, nor whose flags a jump behind them reads."""
    jump = behind is not None and reads_writes(behind)[0] & reads_writes(first)[1] & reads_writes(second)[1] & {FLAGS}
    return not (depend(first, second) or (stores(first) and stores(second)) or jump)
