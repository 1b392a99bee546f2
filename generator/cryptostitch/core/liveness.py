"""What is alive where, and which registers may point into the state block. For virtual code, legalized or not."""

from __future__ import annotations

from collections.abc import Iterable

from .accesses import Accesses, Key, names_written, operand_accesses
from .instructions import INSTRUCTIONS
from .ir import GENERAL, STATE, Code, Ins, Mem, Reg


def live_sets(accesses: Accesses, live_out: Iterable[Key]) -> list[frozenset[Key]]:
    """Returns the registers that are live before each instruction of a section, and after its last."""
    live = set(live_out)
    sets = [frozenset(live)]
    for reads, writes in reversed(accesses):
        live -= writes
        live |= reads
        sets.append(frozenset(live))
    return sets[::-1]


def around_loop(body: Accesses, leave: Accesses) -> tuple[frozenset[Key], frozenset[Key]]:
    """Returns what is alive at the head of the loop, and after it."""
    behind = live_sets(leave, ())[0]
    head = live_sets(body, behind)[0]
    return live_sets(body, behind | head)[0], behind


def state_pointers(code: Code) -> frozenset[Key]:
    """The general registers that may hold an address in the state block: the one that is given, and what is computed
    from any of them. What is loaded from the state block points elsewhere."""
    steps = [
        (written, set(_computed_from(ins)))
        for _, section in code.sections()
        for ins in section
        if (written := {key for key in names_written(ins) if key[0] == GENERAL})
    ]
    found: set[Key] = {(GENERAL, STATE)}
    while more := {key for written, sources in steps if sources & found for key in written} - found:
        found |= more
    return frozenset(found)


def _computed_from(ins: Ins) -> Iterable[Key]:
    """The registers that the result is computed from; those of an address only where the address itself is the
    operand."""
    for index, access in operand_accesses(ins):
        operand = ins.operands[index]
        if isinstance(operand, Reg) and access in "rx":
            yield operand.key
        elif isinstance(operand, Mem) and not INSTRUCTIONS[ins.op].accesses:
            yield from (r.key for r in (operand.base, operand.index) if r is not None)
