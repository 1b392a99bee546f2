"""The loop, by induction: which places hold which loop-carried values at the head of every iteration.

A *place* is a register, or a slot of a spill field, seen at some width. Optimistically all places that hold the same
term when ``enter`` has run are one class, and a class holds one arbitrary symbol at the head of the loop. The body is
run from there; places of a class that come out different are separated, and so on until nothing changes: the coarsest
partition that the loop preserves (B. Alpern, M. Wegman, F. Zadeck, 1988, with two programs in place of one). ``leave``
runs from the same head, since any number of iterations may have gone before.

With two sides, the stream as written and the program as allocated, this finds where the allocator keeps every value
without being told; with one side it finds the facts that bounds and taint need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..core.contract import SPILL, Field
from ..core.instructions import INSTRUCTIONS
from ..core.ir import GENERAL, STATE, Code, Ins, Mem, Reg
from ..core.program import Program
from ..core.stream import Stream
from .memory import CELL
from .symbolic import Block, Key, Machine, is_shared, key_of
from .terms import Term, Terms

Place = tuple  # ("reg", key, bytes) or ("slot", offset, bytes) or ("keep", name, bytes)


def is_spill(field: Field) -> bool:
    """Whether only the allocator uses the field."""
    return field.name.startswith(SPILL)


@dataclass
class Side:
    """One of the two codes that are compared, and the facts that were found about it."""

    name: str
    code: Code
    constants: Mapping[str, bytes]
    fields: tuple[Field, ...]
    state: Key
    keeps: Mapping[str, Mem]
    plans: dict = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    spill_cells: set[int] = field(default_factory=set)
    enter: Machine = field(init=False)
    body: Machine = field(init=False)
    leave: Machine = field(init=False)
    head: dict[Place, Term] = field(default_factory=dict)

    @staticmethod
    def of_stream(stream: Stream) -> Side:
        return Side(
            stream.name,
            stream.code,
            {c.name: c.data for c in stream.constants},
            stream.fields,
            (GENERAL, STATE),
            stream.keep,
        )

    @staticmethod
    def of_program(program: Program) -> Side:
        contract = program.contract
        constants = {c.name: c.data for c in contract.constants}
        side = Side(program.name, program.code, constants, contract.fields, (GENERAL, 0), {})
        for f in contract.fields:
            if is_spill(f):
                side.spill_cells |= set(range(f.offset // CELL, -(-(f.offset + f.size) // CELL)))
        return side

    def skip(self, cell: int) -> bool:
        return cell in self.spill_cells


@dataclass
class Induction:
    """The result: machines of both sides after each section, and per head symbol the terms that enter and body give
    it."""

    terms: Terms
    sides: tuple[Side, ...]
    symbols: dict[Term, tuple[Term | None, Term | None]] = field(default_factory=dict)
    # loop-carried values without a place in the other code: name, section
    lost: list[tuple[Key, str]] = field(default_factory=list)
    rounds: int = 0


def induct(*sides: Side, terms: Terms | None = None) -> Induction:
    """Runs all sections of all sides. The first side's names, when there are two, are what must be carried. ``terms``:
    another meaning of equal."""
    found = Induction(terms or Terms(), sides)
    terms = found.terms
    state = terms.make("state", 8, 0)
    for side in sides:
        side.enter = _machine(found, side, state, "enter")
        side.enter.run(side.code.enter)
        side.places = _places(side, keys=_carried(side) if len(sides) > 1 and side is sides[0] else None)
    _add_narrow_views(sides)
    written: set[int] = set()
    classes = _classes([{p: _value(side.enter, p) for p in side.places} for side in sides], None)
    found.lost = [(p[1], "enter") for p in _lost(classes)]
    while True:
        found.rounds += 1
        heads = _symbols(found, sides, classes, state, written)
        stored: set[int] = set()
        for i, side in enumerate(sides):
            side.head = heads[i]
            side.body = _at_head(found, side, heads[i], written, "body")
            side.body.run(side.code.body)
            stored |= {c for c in side.body.blocks[state].memory.stored if not side.skip(c)}
        if stored - written:
            written |= stored
            continue
        exits = [{p: _value(side.body, p) for p in heads[i]} for i, side in enumerate(sides)]
        refined = _classes(exits, [{p: c for p, c in classes[i].items() if p in heads[i]} for i in range(len(sides))])
        found.lost = found.lost or [(p[1], "body") for p in _lost(refined)]
        if found.lost or _shape(refined) == _shape(classes):
            break
        classes = refined
    for side in sides:
        for place, symbol in side.head.items():
            if terms.nodes[symbol][0] == "head":
                found.symbols[symbol] = (_value(side.enter, place), _value(side.body, place))
        side.leave = _at_head(found, side, side.head, written, "leave")
        side.leave.run(side.code.leave)
    return found


def _shape(classes: list[dict]) -> tuple[int, int]:
    """Classes only ever split and places only ever leave, so equal numbers mean the same partition."""
    return len({c for side in classes for c in side.values()}), sum(len(side) for side in classes)


def _lost(classes: list[dict[Place, int]]) -> list[Place]:
    """Loop-carried names of the first side whose class has no place on the second."""
    if len(classes) < 2:
        return []
    kept = set(classes[1].values())
    return [p for p, c in classes[0].items() if p[0] == "reg" and c not in kept]


def _machine(found: Induction, side: Side, state: Term, section: str) -> Machine:
    machine = Machine(found.terms, side.constants, side.keeps, side.plans, section)
    machine.blocks[state] = Block.of(found.terms, side.fields)
    machine.registers[side.state] = (8, state, 0)
    return machine


def _at_head(found: Induction, side: Side, head: dict[Place, Term], written: set[int], section: str) -> Machine:
    state = found.terms.make("state", 8, 0)
    machine = _machine(found, side, state, section)
    machine.registers.clear()
    memory = machine.blocks[state].memory = side.enter.blocks[state].memory.fork()
    memory.forget(written, "h")
    memory.forget(side.spill_cells, "s")
    for place, symbol in sorted(head.items(), key=lambda item: item[0][2]):  # the widest view of a register is set last
        if place[0] == "reg":
            machine.registers[place[1]] = (place[2], symbol, 0 if place[2] == 8 and place[1][0] == GENERAL else None)
        elif place[0] == "slot":
            memory.store(place[1], place[2], symbol)
    memory.stored.clear()
    return machine


def _value(machine: Machine, place: Place) -> Term | None:
    """What a place holds, or None when it holds nothing that is known."""
    kind, key, size = place
    if kind == "keep":
        return machine.terms.slice(machine.kept(key), 0, size)
    if kind == "slot":
        memory = next(iter(machine.blocks.values())).memory
        return memory.load(key, size)
    if key not in machine.registers:
        return None
    return machine.read(key, size)


def _names(ins: Ins) -> Iterable[tuple[Reg, bool, bool]]:
    """(register, read, written) for each register operand."""
    row = INSTRUCTIONS[ins.op]
    wide = len(ins.operands) == len(row.operands) + 1
    for index, operand in enumerate(ins.operands):
        slot = row.operands[max(0, index - wide)]
        if isinstance(operand, Reg):
            yield operand, slot.reads and not (wide and index == 0), slot.writes and not (wide and index)
        elif isinstance(operand, Mem):
            for reg in (operand.base, operand.index):
                if reg is not None:
                    yield reg, True, False
    if ins.mask is not None:
        yield ins.mask, True, False
    for reg in row.implicit:
        yield reg, True, False


def _carried(side: Side) -> set[Key]:
    """The names that body or leave read before they write them."""
    carried: set[Key] = set()
    for code in (side.code.body, side.code.leave):
        written: set[Key] = set()
        for ins in code:
            uses = list(_names(ins))
            carried |= {key_of(reg) for reg, read, _ in uses if read and key_of(reg) not in written}
            written |= {key_of(reg) for reg, _, writes in uses if writes}
    return {key for key in carried if key[1] not in side.keeps and not is_shared(key)}


def _places(side: Side, keys: set[Key] | None) -> list[Place]:
    """Returns every register that enter defines (of ``keys``), at its widest use; spill slots as they are accessed;
    kept operands."""
    widths: dict[Key, int] = {}
    slots: set[Place] = set()
    for _, code in side.code.sections():
        for ins in code:
            for reg, _, _ in _names(ins):
                widths[key_of(reg)] = max(widths.get(key_of(reg), 0), reg.bits // 8)
            for operand in ins.operands:
                if (
                    isinstance(operand, Mem)
                    and operand.base is not None
                    and key_of(operand.base) == side.state
                    and operand.index is None
                    and operand.disp // CELL in side.spill_cells
                ):
                    slots.add(("slot", operand.disp, operand.bits // 8))
    widths[side.state] = 8
    keeps = [("keep", name, mem.bits // 8 * max(1, mem.broadcast)) for name, mem in side.keeps.items()]
    registers = [
        ("reg", key, size)
        for key, size in widths.items()
        if key in side.enter.registers and not is_shared(key) and (keys is None or key in keys or key == side.state)
    ]
    return registers + sorted(slots) + keeps


def _add_narrow_views(sides: tuple[Side, ...]) -> None:
    """With two sides, adds the narrower widths that the first side has to the places of the second."""
    if len(sides) < 2:
        return
    widths: dict[str, set[int]] = {}
    for kind, key, size in sides[0].places:
        widths.setdefault(key[0] if kind == "reg" else "any", set()).add(size)
    general = widths.get("any", set())
    more = []
    for kind, key, size in sides[1].places:
        wanted = general | (widths.get(key[0], set()) if kind == "reg" else set().union(*widths.values(), ()))
        more += [(kind, key, w) for w in wanted if w < size]
    sides[1].places += [p for p in more if p not in set(sides[1].places)]


def _classes(values: list[dict[Place, Term | None]], old: list[dict[Place, int]] | None) -> list[dict[Place, int]]:
    """Class numbers: equal old class, width and value."""
    numbers: dict[tuple, int] = {}
    result = []
    for i, side in enumerate(values):
        mine = {}
        for place, value in side.items():
            if value is not None:
                key = (old[i][place] if old is not None else 0, place[2], value)
                mine[place] = numbers.setdefault(key, len(numbers))
        result.append(mine)
    if len(result) > 1:  # a class that the first side has no part in says nothing
        useful = set(result[0].values())
        result[1] = {p: c for p, c in result[1].items() if c in useful}
    return result


def _symbols(
    found: Induction, sides: tuple[Side, ...], classes: list[dict[Place, int]], state: Term, written: set[int]
) -> list[dict[Place, Term]]:
    """What each place holds at the head: a fresh symbol per class; the state pointer and kept operands hold
    themselves."""
    terms = found.terms
    symbols: dict[int, Term] = {}
    for i, side in enumerate(sides):
        probe = _at_head(found, side, {}, written, "body")
        for place, number in classes[i].items():
            if place[0] == "reg" and place[1] == side.state:
                symbols[number] = state
            elif place[0] == "keep":
                probe.registers[side.state] = (8, state, 0)
                symbols[number] = terms.slice(probe.kept(place[1]), 0, place[2])
    heads = []
    for numbers in classes:
        mine = {}
        for place, number in numbers.items():
            if number not in symbols:
                symbols[number] = terms.fresh("head", place[2])
            mine[place] = symbols[number]
        heads.append(mine)
    return heads
