"""Hostile calls, made from a right one and the table."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from api_table.frame import Cell, Frame, count_of
from api_table.roles import (
    ANSWER,
    BOTH,
    EMPTY,
    EVERYWHERE,
    GIVEN,
    MOST_BYTES,
    NEVER,
    READ,
    TOP,
    Buffer,
    Callback,
    Choice,
    Flags,
    Handle,
    Length,
    Made,
    Number,
    Pointers,
    Reported,
    Stride,
    StructPointers,
    Structs,
    Text,
    Without,
)
from api_table.rows import LAYOUTS
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_AUTH, ERR_LENGTH, ERR_OVERLAP

SIZE_MAX = TOP - 1
ROUND = [each + by for each in (1 << 16, 1 << 31, 1 << 32, 1 << 61, 1 << 62, 1 << 63) for by in (-1, 0, 1)]
NEAR_TOP = [SIZE_MAX - by for by in range(65)]


class Ok(Enum):
    """Whether a call may return CST_OK. SAME: it must, and write what the right call does."""

    NEVER = 1
    MAYBE = 2
    SAME = 3


@dataclass(frozen=True)
class Trial:
    """``sets``: other values of cells. ``writes``: what lies elsewhere beforehand. ``errors``: those that fit.
    ``alike``: values with which the call must return and write the same."""

    kind: str
    path: str
    what: str
    sets: tuple[tuple[str, Any], ...]
    errors: frozenset[int]
    ok: Ok = Ok.NEVER
    writes: tuple[tuple[int, bytes], ...] = ()
    alike: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.path} {self.what}"


Accepts = Mapping[str, Callable[[int], bool]]
"""By the name of a number: whether the algorithm of a case takes it."""
BAD = frozenset((ERR_ARGUMENT, ERR_LENGTH, ERR_OVERLAP))


def pointers(frame: Frame) -> list[Cell]:
    kinds = (Buffer, Pointers, StructPointers, Structs, Text, Made)
    return [cell for cell in frame.cells.values() if isinstance(cell.role, kinds) and cell.name != "size"]


def measured(frame: Frame, number: Cell) -> list[tuple[Cell, int]]:
    """The buffers whose length a number says, and the bytes of an element of each."""
    found = []
    for cell in frame.cells.values():
        if cell.group != number.group or cell is number:
            continue
        length = getattr(cell.role, "length", None)
        if isinstance(length, str) and count_of(length) == number.name:
            match cell.role:
                case Structs():
                    unit = ctypes.sizeof(LAYOUTS[cell.role.name])
                case Pointers() | StructPointers():
                    unit = 8
                case _ if length == number.name:
                    unit = cell.role.unit
                case _:
                    unit = max(cell.size // max(number.value, 1), cell.role.unit)
            found.append((cell, unit))
        if isinstance(cell.role, Pointers) and cell.role.each.length == number.name:
            found += [(its, 1) for its in frame.blocks(cell)]
    return found


def others(cell: Cell, value: Any) -> str:
    return f"= {value:#x}" if isinstance(value, int) and abs(value) > 4096 else f"= {value}"


class Hostile:
    def __init__(self, frame: Frame, accepts: Accepts, forgeable: frozenset[str]):
        self.frame, self.accepts, self.forgeable = frame, accepts, forgeable
        self.promised = frozenset((*frame.entry.errors, *EVERYWHERE))

    def _takes(self, cell: Cell, value: int) -> bool:
        accepts = self.accepts.get(cell.name)
        return accepts(value) if accepts else value <= MOST_BYTES or not isinstance(cell.role, Length)

    def lengths(self) -> Iterator[Trial]:
        for cell in list(self.frame.cells.values()):
            match cell.role:
                case Length():
                    yield from self._length(cell)
                case Stride():
                    yield from self._stride(cell)
                case Number() if not isinstance(cell.role, Reported | Choice | Flags):
                    yield from self._number(cell)

    def _wrong(self, cell: Cell) -> frozenset[int]:
        errors = {cell.role.wrong, ERR_LENGTH} if isinstance(cell.role, Number) else {ERR_LENGTH}
        return frozenset(errors | ({ERR_AUTH} if cell.name in self.forgeable else set()))

    def _length(self, cell: Cell) -> Iterator[Trial]:
        right, buffers = cell.value, measured(self.frame, cell)
        edges = {right + by for by in (-64, -16, -2, -1, 1, 2, 16)} | {0, 1, *ROUND, *NEAR_TOP}
        edges |= {TOP // unit + by for _, unit in buffers for by in (-1, 0, 1)}
        for value in sorted(edge for edge in edges if 0 <= edge < TOP and edge != right):
            beyond = any(value * unit > MOST_BYTES or its.value + value * unit >= TOP for its, unit in buffers)
            accepted, capacity = self._takes(cell, value), getattr(cell.role, "capacity", False)
            room = capacity or getattr(cell.role, "room", False)
            if not right and cell.name not in self.accepts:
                never, errors = False, self.promised  # of a buffer that the algorithm does not take
            elif room:
                never = not accepted if cell.name in self.accepts else value < right
                errors = self._wrong(cell) | {ERR_OVERLAP}
            else:
                never, errors = beyond or not accepted, self._wrong(cell)
                if not never and value > right:
                    continue  # a caller who lies: the library cannot know
            errors |= {ERR_ARGUMENT} if any(not its.value for its, _ in buffers) else frozenset()
            if not never:
                errors |= self.promised
            same = capacity and right and value > right and not never
            yield Trial(
                "lengths",
                cell.path,
                others(cell, value),
                ((cell.path, value),),
                errors,
                Ok.NEVER if never else Ok.SAME if same else Ok.MAYBE,
            )

    def _stride(self, cell: Cell) -> Iterator[Trial]:
        role = cell.role
        assert isinstance(role, Stride)
        group = f"{cell.group}." if cell.group else ""
        of = self.frame.cells[group + role.of]
        each, n = self.frame.cells[group + role.each].value, self.frame.cells[group + role.count].value
        if not of.size:
            return
        for value in (1, each - 1, *ROUND, *NEAR_TOP[::7], TOP // n, TOP // n + 1, TOP // (n - 1), TOP // (n - 1) + 1):
            end = (n - 1) * value + each
            never = value < each or end > MOST_BYTES or of.value + end >= TOP
            if value in (0, cell.value) or not never:
                continue
            yield Trial("lengths", cell.path, others(cell, value), ((cell.path, value),), frozenset({ERR_LENGTH}))

    def _number(self, cell: Cell) -> Iterator[Trial]:
        if cell.kind is ctypes.c_double:
            for value in (-1.0, float("nan"), float("inf"), 1e300, 3600.5):
                yield Trial("lengths", cell.path, others(cell, value), ((cell.path, value),), self.promised)
            return
        bits = 8 * ctypes.sizeof(cell.kind)
        signed = cell.kind in (ctypes.c_int, ctypes.c_int32)
        for value in {0, 1, 2, cell.value - 1, cell.value + 1, *ROUND, *NEAR_TOP[:9], (1 << 31) - 1, (1 << 32) - 1}:
            if not 0 <= value < 1 << bits or value == cell.value:
                continue
            passed = value - (1 << bits) if signed and value >> (bits - 1) else value
            takes = self.accepts.get(cell.name)
            ok = Ok.MAYBE if takes is None or takes(passed) else Ok.NEVER
            if ok is Ok.MAYBE and cell.role.lengthens and passed > cell.value:
                continue  # a caller who lies: the library cannot know
            errors = self.promised if ok is Ok.MAYBE else self._wrong(cell)
            if cell.role.lengthens:
                errors |= {ERR_ARGUMENT}  # of a buffer that is absent
            yield Trial("lengths", cell.path, others(cell, passed), ((cell.path, passed),), errors, ok)

    def absent(self, opens: bool) -> Iterator[Trial]:
        """NULL with 0, NULL with a length, an address with 0. An opening without its tag is never right."""
        for cell in list(self.frame.cells.values()):
            is_tag = opens and cell.name == "tag"
            match cell.role:
                case Handle() | Text() | Callback() | Made() if cell.value:
                    absent = getattr(cell.role, "absent", NEVER)
                    ok = Ok.NEVER if absent is NEVER else Ok.MAYBE
                    errors = frozenset({ERR_ARGUMENT}) if absent is NEVER else self.promised
                    yield Trial("absent", cell.path, "NULL", ((cell.path, 0),), errors, ok)
                case Buffer() | Structs() | StructPointers() | Pointers() if cell.name != "size":
                    yield from self._without(cell, is_tag)

    def _without(self, cell: Cell, is_tag: bool) -> Iterator[Trial]:
        role: Any = cell.role
        path = f"{cell.group}." if cell.group else ""
        count = count_of(role.length or "") if isinstance(role.length, str | None) else ""
        number = self.frame.cells.get(path + count) if count else None
        argument = frozenset({ERR_ARGUMENT})
        if cell.size and not isinstance(role.absent, Without):
            errors = argument | ({ERR_LENGTH} if role.absent is EMPTY else set())
            yield Trial("absent", cell.path, "NULL with a length", ((cell.path, 0),), errors)
        elif cell.size:
            yield Trial("absent", cell.path, "NULL", ((cell.path, 0),), self.promised, Ok.MAYBE)
        if number is None or not isinstance(number.role, Length) or number.name != role.length:
            return
        accepted = self._takes(number, 0)
        ok = Ok.NEVER if is_tag or not accepted else Ok.MAYBE
        if cell.size:
            nothing, empty = ((cell.path, 0), (number.path, 0)), ((number.path, 0),)
            # No pointer is wrong then, but a length may be.
            pointer_is_right = role.absent is EMPTY and number.role.wrong != ERR_ARGUMENT
            errors = self.promised - argument if pointer_is_right else self.promised
            if role.absent is GIVEN:
                yield Trial("absent", cell.path, "NULL with 0", nothing, argument)
            else:
                alike = empty if role.absent is EMPTY else ()
                yield Trial("absent", cell.path, "NULL with 0", nothing, errors, ok, alike=alike)
            yield Trial("absent", cell.path, "an address with 0", empty, self.promised, ok)
        else:
            ignored = number.name not in self.accepts
            for value in (1, 16, MOST_BYTES):
                sets, ok = ((number.path, value),), Ok.MAYBE if ignored else Ok.NEVER
                yield Trial("absent", cell.path, f"NULL with a length of {value}", sets, BAD, ok)

    def places(self, shifted: Callable[[Cell], int]) -> Iterator[Trial]:
        """Buffers that overlap, and misaligned ones. ``shifted``: an address of the same content, 4 bytes beside an
        alignment."""
        found = [cell for cell in pointers(self.frame) if cell.size and not isinstance(cell.role, Text)]
        apart = {frozenset(pair) for pair in self.frame.entry.apart}
        for a, b in itertools.permutations(found, 2):
            if not a.use.written or a.value == b.value or self._never_meet(a, b):
                continue
            if frozenset((a.name.partition("[")[0], b.name.partition("[")[0])) in apart:
                continue
            # what is read, too, has another content there, and that may be wrong
            reads = a.use is BOTH or isinstance(a.role, Structs)
            errors = self.promised if reads else frozenset({ERR_OVERLAP})
            for what, place in (
                ("begins where another does", b.value),
                ("ends in another's first byte", b.value - a.size + 1),
                ("begins in another's last byte", b.value + b.size - 1),
            ):
                may = what == "begins where another does" and self._in_place(a, b)
                if not may and place % a.align == 0:
                    yield Trial("places", a.path, f"{what} ({b.path})", ((a.path, place),), errors)
        for cell in found:
            for name in getattr(cell.role, "in_place", ()) if cell.use.written else ():
                other = self.frame.cells[f"{cell.group}.{name}".lstrip(".")]
                if 0 < other.size <= cell.size:
                    content = ((cell.value, ctypes.string_at(other.value, other.size)),)
                    sets = ((other.path, cell.value),)
                    yield Trial(
                        "places", other.path, f"begins where {cell.name} does", sets, frozenset(), Ok.SAME, content
                    )
            if cell.align > 1:
                sets = ((cell.path, shifted(cell)),)
                yield Trial("places", cell.path, "is misaligned", sets, frozenset({ERR_ARGUMENT}))

    def _in_place(self, a: Cell, b: Cell) -> bool:
        allowed = (getattr(a.role, "in_place", ()), getattr(b.role, "in_place", ()))
        return a.group == b.group and (b.name in allowed[0] or a.name in allowed[1])

    def _never_meet(self, a: Cell, b: Cell) -> bool:
        """Structs that the call sets members of, new objects: nobody compares them. Buffers of different jobs."""
        if isinstance(a.role, Made) or isinstance(b.role, Made):
            return True
        if a.group and b.group and a.group != b.group:
            return True
        return any(isinstance(x.role, Structs) and x.role.use is not READ and x.role.use is not ANSWER for x in (a, b))

    def sizes(self) -> Iterator[Trial]:
        """Sizes of structs, values of enumerations, flags."""
        argument = frozenset({ERR_ARGUMENT})
        for cell in list(self.frame.cells.values()):
            match cell.role:
                case Structs() if cell.name == "size":
                    layout = LAYOUTS[cell.role.name]
                    taken = {getattr(layout, member).offset for member in cell.role.older}
                    for value in (0, 1, 8, cell.value - 8, cell.value - 1, cell.value + 1, cell.value + 8, SIZE_MAX):
                        if value not in taken:
                            yield Trial("sizes", cell.path, others(cell, value), ((cell.path, value),), argument)
                case Choice():
                    top = (1 << 8 * ctypes.sizeof(cell.kind)) - 1
                    for value in {*range(-1, 6), 255, 256, top, top >> 1, -(top >> 1) - 1}:
                        if value not in cell.role.values:
                            yield Trial(
                                "sizes", cell.path, others(cell, value), ((cell.path, value),), self._choice(cell)
                            )
                case Flags():
                    for bit in range(32):
                        if not cell.role.bits >> bit & 1:
                            yield Trial("sizes", cell.path, f"= 1 << {bit}", ((cell.path, 1 << bit),), argument)

    def _choice(self, cell: Cell) -> frozenset[int]:
        return frozenset({ERR_ARGUMENT, cell.role.wrong}) if isinstance(cell.role, Number) else frozenset()
