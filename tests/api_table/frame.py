"""A call laid out in guarded memory: every buffer, string and struct alone on pages between pages without access, what
the call only reads where nothing can be written.

A cell is a place that holds one number, address or object: an argument, or a member of a struct, with its path
("jobs[3].in_len"). A hostile call is a right one in which some cells hold something else.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from api_table import header
from api_table.roles import (
    ANSWER,
    BOTH,
    EITHER,
    NEVER,
    READ,
    WRITE,
    Buffer,
    Callback,
    Entry,
    Handle,
    Length,
    Made,
    Number,
    Pointers,
    Reported,
    Role,
    StructPointers,
    Structs,
    Text,
    Use,
)
from api_table.rows import ENTRIES, LAYOUTS, STRUCTS
from jobs.memory import Memory

FILL = 0xA5


@dataclass(frozen=True)
class Room:
    """A buffer for so many bytes of output."""

    bytes: int


@dataclass(frozen=True)
class Same:
    """The address of another buffer of the same struct or call."""

    name: str


@dataclass
class Cell:
    """``value``: what is right, ``passed``: what an argument is instead. ``size``: bytes of the buffer that it leads
    to. ``at``: where it lies, None of an argument. ``group``: the path of the struct that it is a member of."""

    path: str
    role: Any
    kind: Any
    group: str
    value: Any = 0
    size: int = 0
    use: Use = READ
    align: int = 1
    at: int | None = None
    passed: Any = None

    @property
    def name(self) -> str:
        return self.path.removeprefix(self.group).lstrip(".")


def use_of(role: Buffer, value: bytes | Room) -> Use:
    return (WRITE if isinstance(value, Room) else READ) if role.use is EITHER else role.use


def count_of(length: str | int) -> str:
    """The name of the number that a buffer's length is computed from."""
    return length.split(" ")[0] if isinstance(length, str) else ""


def offset_of(struct: str, member: str) -> Any:
    layout = LAYOUTS[struct]
    return getattr(layout, member if hasattr(layout, member) else f"{member}_")


def role_of(entry: Entry, parameter: header.Declared) -> Role | None:
    if parameter.name in entry.roles:
        return entry.roles[parameter.name]
    return Handle() if parameter.stars == 1 and parameter.type.startswith("cst_") else None


@functools.cache
def plain(path: str) -> ctypes.CDLL:
    return ctypes.CDLL(path)


@functools.cache
def function(path: str, name: str) -> Any:
    """The library's function, which takes all arguments as numbers."""
    declared = header.functions()[name]
    made = plain(path)[name]
    made.argtypes = [parameter.number for parameter in declared.parameters]
    result = declared.result
    made.restype = None if (result.type, result.stars) == ("void", 0) else result.number
    return made


class Frame:
    """``values``: by the names of parameters and members: numbers and handles, bytes of inputs, Room of outputs, dicts
    of structs, lists of them and of blocks. What is left out is derived (lengths), or is absent."""

    def __init__(self, memory: Memory, name: str, values: Mapping[str, Any]):
        self.memory, self.name, self.values = memory, name, values
        self.entry = ENTRIES[name]
        self.cells: dict[str, Cell] = {}
        memory.clear()
        self.parameters = header.functions()[name].parameters
        arguments = [(p, role) for p in self.parameters if (role := role_of(self.entry, p))]
        self._group(arguments, values, "")

    # ---- layout

    def _group(self, members: Iterable[tuple[header.Declared, Role]], values: Mapping[str, Any], group: str) -> None:
        members = list(members)
        cells = [self._cell(declared, role, values.get(declared.name), group) for declared, role in members]
        for cell in cells:
            if isinstance(value := values.get(cell.name), Same):
                other = self.cells[f"{group}.{value.name}".lstrip(".")]
                cell.value, cell.size = other.value, other.size
        for cell in cells:
            if isinstance(cell.role, Number) and values.get(cell.name) is None:
                cell.value = self._derived(cell, cells, values)

    def _cell(self, declared: header.Declared, role: Role, value: Any, group: str) -> Cell:
        path = f"{group}.{declared.name}".lstrip(".")
        cell = self.cells[path] = Cell(path, role, declared.number, group)
        match role:
            case Handle() | Number() | Callback():
                cell.value = value or 0
            case Text() if value is not None:
                cell.value, cell.size = self.memory.put(value + b"\0", writable=False), len(value) + 1
            case Made():
                cell.use, cell.align = WRITE, 8
                cell.value, cell.size = self._put(Room(8), WRITE), 8
            case Buffer() if value is not None and not isinstance(value, Same):
                cell.use, cell.align = use_of(role, value), role.align
                cell.value = self._put(value, cell.use)
                cell.size = value.bytes if isinstance(value, Room) else len(value)
            case Buffer():
                cell.use, cell.align = role.use, role.align
            case Pointers() if value is not None:
                cell.align = 8
                places = []
                for i, block in enumerate(value):
                    its = self.cells[f"{path}[{i}]"] = Cell(f"{path}[{i}]", role.each, ctypes.c_uint64, group)
                    if role.each.use is EITHER and isinstance(block, bytes):  # it must be there
                        its.role = replace(role.each, use=READ, absent=NEVER)
                    if block is not None:
                        its.use = use_of(its.role, block)
                        its.value = self._put(block, its.use)
                        its.size = block.bytes if isinstance(block, Room) else len(block)
                    places.append(its)
                cell.size = 8 * len(places)
                cell.value = self.memory.put(
                    b"".join(its.value.to_bytes(8, "little") for its in places), writable=False
                )
                for i, its in enumerate(places):
                    its.at = cell.value + 8 * i
            case StructPointers() if value is not None:
                cell.align, cell.size = 8, 8 * len(value)
                places = [
                    Cell(f"{path}[{i}]", Structs(role.name, use=BOTH), ctypes.c_uint64, group)
                    for i in range(len(value))
                ]
                for its, one in zip(places, value):
                    self.cells[its.path] = its
                    self._structs(its, its.role, [one])
                content = b"".join(its.value.to_bytes(8, "little") for its in places)
                cell.value = self.memory.put(content, writable=False)
                for i, its in enumerate(places):
                    its.at = cell.value + 8 * i
            case Structs() if value is not None:
                self._structs(cell, role, value if isinstance(value, list) else [value])
        return cell

    def _put(self, value: bytes | Room, use: Use) -> int:
        content = bytes([FILL]) * value.bytes if isinstance(value, Room) else value
        return self.memory.put(content, writable=use.written)

    def _structs(self, cell: Cell, role: Structs, values: list[Any]) -> None:
        layout = LAYOUTS[role.name]
        one = ctypes.sizeof(layout)
        cell.use, cell.align, cell.size = role.use, ctypes.alignment(layout), one * len(values)
        if role.use in (WRITE, ANSWER):  # filled by the call
            content = bytearray([FILL]) * cell.size
            if role.sized:
                content[:8] = one.to_bytes(8, "little")
            cell.value = self.memory.put(bytes(content))
            if role.sized:
                self.cells[f"{cell.path}.size"] = Cell(f"{cell.path}.size", role, ctypes.c_size_t, cell.path, one)
                self.cells[f"{cell.path}.size"].at = cell.value
            return
        members = [(d, STRUCTS[role.name][d.name]) for d in header.structs()[role.name] if d.name in STRUCTS[role.name]]
        groups = [f"{cell.path}[{i}]" if isinstance(role.length, str) else cell.path for i in range(len(values))]
        for group, value in zip(groups, values):
            self._group(members, value, group)
        cell.value = self.memory.put(bytes(cell.size), writable=role.use is BOTH)
        for i, group in enumerate(groups):
            start = cell.value + one * i
            if role.sized:
                self.cells[f"{group}.size"] = Cell(f"{group}.size", role, ctypes.c_size_t, group, one)
                self.cells[f"{group}.size"].at = start
                self.set(f"{group}.size", one)
            for declared, _ in members:
                its = self.cells[f"{group}.{declared.name}"]
                its.at = start + offset_of(role.name, declared.name).offset
                self.set(its.path, its.value)

    def _derived(self, cell: Cell, cells: list[Cell], values: Mapping[str, Any]) -> int:
        """A length from the buffers that name it."""
        if isinstance(cell.role, Length):
            for other in cells:
                length = getattr(other.role, "length", None)
                if isinstance(length, str) and count_of(length) == cell.name and other.value:
                    if isinstance(other.role, Structs | StructPointers):
                        return len(values[other.name])
                    if length == cell.name:
                        return other.size // (8 if isinstance(other.role, Pointers) else other.role.unit)
                if isinstance(other.role, Pointers) and other.role.each.length == cell.name:
                    return max((its.size for its in self.blocks(other)), default=0)
        return 0

    def blocks(self, cell: Cell) -> list[Cell]:
        """The buffers that an array of pointers leads to."""
        return [its for path, its in self.cells.items() if path.startswith(f"{cell.path}[") and path.endswith("]")]

    # ---- the call

    def set(self, path: str, value: Any) -> None:
        cell = self.cells[path]
        if cell.at is None:
            cell.passed = value
        else:
            size = ctypes.sizeof(cell.kind)
            self.write(cell.at, (int(value) % (1 << 8 * size)).to_bytes(size, "little"))

    def write(self, address: int, content: bytes) -> None:
        """Changes memory before the call."""
        offset = self.memory.offset(address)
        self.memory.raw[offset : offset + len(content)] = content
        self.memory.expect(address, content)

    def arguments(self) -> list[Any]:
        cells = [self.cells.get(parameter.name) for parameter in self.parameters]
        return [
            self.values.get(p.name, 0) if not cell else cell.value if cell.passed is None else cell.passed
            for p, cell in zip(self.parameters, cells)
        ]

    def call(self, library: str) -> Any:
        return function(library, self.name)(*self.arguments())

    # ---- what it did

    def writable(self, answers_alone: bool) -> Iterable[tuple[Cell, int, int]]:
        """The places that the call may have written: cell, address, bytes."""
        for cell in list(self.cells.values()):
            if isinstance(cell.role, Reported) and cell.at:
                yield cell, cell.at, ctypes.sizeof(cell.kind)
            elif isinstance(cell.role, Structs) and cell.use is BOTH:
                continue  # its members have cells
            elif cell.size and (cell.use is ANSWER or (cell.use.written and not answers_alone)):
                yield cell, cell.value, cell.size

    def problem(self, failed: bool) -> str:
        """Says what the call has changed that it may not change; empty when nothing."""
        for _, address, size in self.writable(failed):
            self.memory.expect(address, ctypes.string_at(address, size))
        return self.memory.problem()

    def outputs(self) -> dict[str, bytes]:
        """Returns what the call has written, by path; addresses of new objects are left out."""
        return {
            cell.path: ctypes.string_at(address, size)
            for cell, address, size in self.writable(False)
            if not isinstance(cell.role, Made)
        }

    def new_object(self, cell: Cell) -> int:
        return int.from_bytes(ctypes.string_at(cell.value, 8), "little")
