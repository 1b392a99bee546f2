"""Where every number of a pack lies, by the layouts of emit/pack.py; and the pack with one of them at an extreme, its
CRC mended."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cryptostitch.core.program import FLAGS
from cryptostitch.emit.pack import (
    ALGORITHM,
    ANSWER,
    FIELD,
    HEADER,
    KERNEL,
    LEAVES,
    MEMORY_TAG,
    PROGRAM,
    SECTIONS,
    STREAM,
)

IMMEDIATE_BYTES = {16: 1, 17: 4, 18: 8}


@dataclass(frozen=True)
class Number:
    """``name`` is <record kind>.<index of the number in it>."""

    name: str
    offset: int
    bytes: int


class _Cursor:
    def __init__(self, pack: bytes, at: int) -> None:
        self.pack, self.at = pack, at

    def take(self, kind: str, layout: str) -> Iterator[Number]:
        for i, code in enumerate(layout):
            size = struct.calcsize(f"<{code}")
            yield Number(f"{kind}.{i}", self.at, size)
            self.at += size

    def value(self, n: Number) -> int:
        return int.from_bytes(self.pack[n.offset : n.offset + n.bytes], "little")


def _flat(layout: struct.Struct) -> str:
    out, count = "", ""
    for c in layout.format.lstrip("<"):
        if c.isdigit():
            count += c
        else:
            out, count = out + c * int(count or 1), ""
    return out


def _instruction(cursor: _Cursor) -> Iterator[Number]:
    head = list(cursor.take("instruction", "HB"))
    yield from head
    flags = cursor.value(head[1])
    if flags & 1 << 6:
        yield from cursor.take("mask", "B")
    for _ in range(flags & 15):
        (tag,) = cursor.take("operand", "B")
        yield tag
        kind = cursor.value(tag)
        if kind == MEMORY_TAG:
            yield from cursor.take("memory", "BBBBBBi")
        elif kind in IMMEDIATE_BYTES:
            yield from cursor.take("immediate", {1: "b", 4: "i", 8: "q"}[IMMEDIATE_BYTES[kind]])
        elif kind < 8:
            yield from cursor.take("register", "B")


def _program(cursor: _Cursor) -> Iterator[Number]:
    head = list(cursor.take("program", _flat(PROGRAM)))
    yield from head
    n_fields, n_constants, *sections = (cursor.value(n) for n in head[13:18])
    yield from cursor.take("field number", "H" * n_fields)
    yield from cursor.take("constant number", "H" * n_constants)
    cursor.at += -cursor.at % 4
    for _ in range(sum(sections)):
        yield from _instruction(cursor)


def _field(cursor: _Cursor) -> Iterator[Number]:
    head = list(cursor.take("field", _flat(FIELD)))
    yield from head
    yield from cursor.take("lane", "H" * cursor.value(head[7]))


def _kernel(cursor: _Cursor) -> Iterator[Number]:
    head = list(cursor.take("kernel", _flat(KERNEL)))
    yield from head
    for _ in range(cursor.value(head[5])):
        yield from cursor.take("stream", _flat(STREAM))


def _algorithm(cursor: _Cursor) -> Iterator[Number]:
    head = list(cursor.take("algorithm", _flat(ALGORITHM)))
    yield from head
    words, flags = cursor.value(head[5]), cursor.value(head[7])
    yield from cursor.take("initial word", "Q" * words)
    if flags & FLAGS["leaves"]:
        yield from cursor.take("leaves", _flat(LEAVES))


RECORDS: dict[str, Callable[[_Cursor], Iterator[Number]]] = {
    "algorithms": _algorithm,
    "fields": _field,
    "constants": lambda cursor: cursor.take("constant", "I"),
    "programs": _program,
    "kernels": _kernel,
    "answers": lambda cursor: cursor.take("answer", _flat(ANSWER)),
}


def numbers(pack: bytes) -> list[Number]:
    """Returns the numbers of a sound pack without cost tables, in the order of the sections."""
    header = _Cursor(pack, 8)
    found = list(header.take("header", "I" * (4 + 2 * len(SECTIONS))))
    sections = {
        name: (header.value(found[4 + 2 * i]), header.value(found[5 + 2 * i])) for i, name in enumerate(SECTIONS)
    }
    found += _Cursor(pack, sections["mnemonics"][0]).take("mnemonic", "I" * sections["mnemonics"][1])
    for name, of_record in RECORDS.items():
        start, count = sections[name]
        index = _Cursor(pack, start)
        for n in list(index.take(f"{name} index", "I" * count)):
            found.append(n)
            found += of_record(_Cursor(pack, index.value(n)))
    return found


def extremes(pack: bytes, number: Number) -> Iterator[int]:
    bits = 8 * number.bytes
    value = int.from_bytes(pack[number.offset : number.offset + number.bytes], "little")
    top = 1 << bits
    yield from sorted(
        {0, 1, top - 1, top - 2, top >> 1, (top >> 1) - 1, (value + 1) % top, (value - 1) % top} - {value}
    )


def mended(pack: bytes | bytearray) -> bytes:
    """Returns the pack with the right CRC."""
    return bytes(pack[:16]) + struct.pack("<I", zlib.crc32(pack[24:])) + bytes(pack[20:])


def changed(pack: bytes, number: Number, value: int) -> bytes:
    new = bytearray(pack)
    new[number.offset : number.offset + number.bytes] = value.to_bytes(number.bytes, "little")
    return mended(new)


assert HEADER.size == 96
