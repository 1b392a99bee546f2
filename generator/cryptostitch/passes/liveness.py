"""Which names an instruction reads and writes, which are alive where, which may point into the state block. For virtual code, legalized or not."""

from __future__ import annotations

from typing import Iterable, Sequence

from ..instructions import INSTRUCTIONS
from ..ir import GENERAL, SHARED, STATE, Code, Ins, Mem, Reg

Key = tuple[str, object]
SHARED_KEYS: set[Key] = {reg.key for reg in SHARED.values()}
"""The physical registers that streams share outside their windows: they are alive only within a glued run, so they are left out here."""

Accesses = Sequence[tuple[set[Key], set[Key]]]
"""(read, written) of each instruction of a section."""


def operand_accesses(ins: Ins) -> list[tuple[int, str]]:
    """(operand index, access) of a *virtual* instruction, where the three-operand form writes without reading."""
    row = INSTRUCTIONS[ins.op]
    if len(ins.operands) == len(row.operands) + 1:
        return [(0, "w"), (1, "r"), *((i + 1, o.access) for i, o in enumerate(row.operands) if i)]
    return [(i, o.access) for i, o in enumerate(row.operands)]


def names_read(ins: Ins) -> set[Key]:
    reads = set()
    for index, access in operand_accesses(ins):
        operand = ins.operands[index]
        if isinstance(operand, Mem):
            reads.update(r.key for r in (operand.base, operand.index) if r is not None)
        elif isinstance(operand, Reg) and access in "rx":
            reads.add(operand.key)
    return reads - SHARED_KEYS


def names_written(ins: Ins) -> set[Key]:
    return {ins.operands[i].key for i, access in operand_accesses(ins)
            if access in "wx" and isinstance(ins.operands[i], Reg)} - SHARED_KEYS


def accesses_of(code: Iterable[Ins]) -> Accesses:
    return [(names_read(ins), names_written(ins)) for ins in code]


def shared_by(code: Code) -> frozenset[Reg]:
    """Which of SHARED the code names."""
    return frozenset(reg for _, section in code.sections() for ins in section for reg in ins.registers() if reg.physical)


def live_sets(accesses: Accesses, live_out: Iterable[Key]) -> list[frozenset[Key]]:
    """What is alive before each instruction of a section, and after its last."""
    live = set(live_out)
    sets = [frozenset(live)]
    for reads, writes in reversed(accesses):
        live -= writes
        live |= reads
        sets.append(frozenset(live))
    return sets[::-1]


def around_loop(body: Accesses, leave: Accesses) -> tuple[frozenset[Key], frozenset[Key]]:
    """What is alive at the head of the loop, and behind it."""
    behind = live_sets(leave, ())[0]
    head = live_sets(body, behind)[0]
    return live_sets(body, behind | head)[0], behind


def state_pointers(code: Code) -> frozenset[Key]:
    """The general registers that may hold an address in the state block: the one that is given, and what is computed from any of them.
    What is loaded from the state block points elsewhere."""
    steps = [(written, set(_computed_from(ins))) for _, section in code.sections() for ins in section
             if (written := {key for key in names_written(ins) if key[0] == GENERAL})]
    found = {(GENERAL, STATE)}
    while more := {key for written, sources in steps if sources & found for key in written} - found:
        found |= more
    return frozenset(found)


def _computed_from(ins: Ins) -> Iterable[Key]:
    """The registers that the result is computed from; those of an address only where the address itself is the operand."""
    for index, access in operand_accesses(ins):
        operand = ins.operands[index]
        if isinstance(operand, Reg) and access in "rx":
            yield operand.key
        elif isinstance(operand, Mem) and not INSTRUCTIONS[ins.op].accesses:
            yield from (r.key for r in (operand.base, operand.index) if r is not None)
