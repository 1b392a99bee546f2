"""Value numbering of a whole kernel: what `kernel.py` shows by comparing instructions, shown again by their values.

Slower, and it needs no register map to be right: the physical code runs on one register file with the state blocks of
all streams, and each stream must come out with the stores, registers and fields that its program alone gives. Once from
the entry with lag + 1 iterations, and once around the loop from an arbitrary state.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.ir import GENERAL, MASK, VECTOR
from ..core.kernel import Item, Kernel
from .symbolic import Block, Key, Machine
from .terms import Term, Terms
from .text import describe


def woven_problems(kernel: Kernel, meaning: type[Terms] = Terms) -> list[str]:
    items = [item for item in kernel.items if item.stream is not None]
    problems = _compare(kernel, items, "all", False, meaning())
    return problems or _compare(kernel, [item for item in items if item.section == "loop"], "loop", True, meaning())


def _compare(kernel: Kernel, items: Sequence[Item], what: str, arbitrary: bool, terms: Terms) -> list[str]:
    parts = kernel.recipe.parts
    woven = Machine(terms, {entry.label: entry.data for entry in kernel.pool}, section=what, bound=True)
    alone = []
    for i, part in enumerate(parts):
        state = terms.make("state", 8, i)
        constants = {c.name: c.data for c in part.program.contract.constants}
        machine = Machine(terms, constants, section=what)
        machine.owner = i
        for m in (woven, machine):
            m.blocks[state] = Block.of(terms, part.program.contract.fields, f"{i}:")
        for key, physical in _registers(kernel, i):
            value = state if key == (GENERAL, 0) else terms.fresh("head", 8 if key[0] != VECTOR else 64, i, key)
            if arbitrary or key == (GENERAL, 0):
                machine.registers[key] = woven.registers[physical] = (terms.size(value), value, 0)
        code = part.program.code
        lag = kernel.recipe.lag
        machine.run(
            code.body * part.ratio if arbitrary else code.enter + code.body * part.ratio * (lag + 1) + code.leave
        )
        alone.append(machine)
    for item in items:
        assert item.stream is not None and item.ins is not None
        woven.owner = item.stream
        woven.run((item.ins,))
    problems: list[str] = []
    for i, (part, machine) in enumerate(zip(parts, alone)):
        problems += _difference(kernel, i, part.program.name, what, woven, machine)
    return problems


def _registers(kernel: Kernel, stream: int) -> list[tuple[Key, Key]]:
    """(window register, physical register) pairs."""
    tables = ((VECTOR, kernel.binding.vectors), (GENERAL, kernel.binding.generals), (MASK, kernel.binding.masks))
    return [((cls, index), (cls, f"%{number}")) for cls, table in tables for index, number in enumerate(table[stream])]


def _difference(kernel: Kernel, i: int, name: str, what: str, woven: Machine, machine: Machine) -> list[str]:
    state: Term = machine.terms.make("state", 8, i)
    stores = sorted((s for s in woven.stores if s.owner == i), key=lambda s: s.table)
    for mine, theirs in zip(sorted(machine.stores, key=lambda s: s.table), stores):
        if (mine.address, mine.size, mine.value) != (theirs.address, theirs.size, theirs.value):
            return [
                f"{kernel.name}: {what}: stream {i}, {name}: {describe(theirs.ins)} does not store what "
                f"{describe(mine.ins)} does"
            ]
    if len(stores) != len(machine.stores):
        return [f"{kernel.name}: {what}: stream {i}, {name}, stores {len(stores)} times, not {len(machine.stores)}"]
    for key, physical in _registers(kernel, i):
        if machine.registers.get(key) != woven.registers.get(physical):
            return [
                f"{kernel.name}: {what}: stream {i}, {name}, ends with another value in {physical[0]}{physical[1]} "
                f"({key[0]}{key[1]} of its window)"
            ]
    offsets = machine.blocks[state].memory.difference(woven.blocks[state].memory, lambda cell: False)
    if offsets:
        return [
            f"{kernel.name}: {what}: stream {i}, {name}, ends with another value at byte {offsets[0]} of its state "
            "block"
        ]
    return []
