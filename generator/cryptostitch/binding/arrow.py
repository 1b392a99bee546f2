"""Columns that lie in memory of Arrow, by its C interface (the PyCapsule protocol): arrays of pyarrow, nanoarrow and
others by ``__arrow_c_array__``, chunked arrays, and columns of polars and pandas, by ``__arrow_c_stream__``. Nothing is
copied but offsets. All that an array says of itself is checked: its numbers, and views against the lengths of its
buffers. The interface does not say how long the buffers of offsets and data are: these are believed."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterator
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, cast, py_object
from dataclasses import dataclass
from itertools import accumulate, repeat
from typing import Any, Literal

from .column import Offsets
from .values import Address

BINARY: dict[bytes, Literal["i", "q"]] = {b"z": "i", b"u": "i", b"Z": "q", b"U": "q"}
"""Formats of binary and text, and the type of their offsets."""
VIEWS = (b"vz", b"vu")
FIXED = b"w:"
VIEW_BYTES, INLINE_BYTES = 16, 12
"""A view is its length (32 bits), then up to 12 bytes, or 4 of them with a buffer's number and an offset in it."""


class _Schema(Structure):
    _fields_ = [
        ("format", c_char_p),
        ("name", c_char_p),
        ("metadata", c_void_p),
        ("flags", c_int64),
        ("n_children", c_int64),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private", c_void_p),
    ]


class _Array(Structure):
    _fields_ = [
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
        ("buffers", POINTER(c_void_p)),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private", c_void_p),
    ]


class _Stream(Structure):
    _fields_ = [(name, c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private")]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [py_object, c_char_p]
_GET = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)


@dataclass
class Items:
    """Items data[offsets[i] : offsets[i + 1]] of one array. ``kept`` keeps the memory alive."""

    data: Address
    offsets: Offsets
    kept: Any


@dataclass
class Apart:
    """Items that lie anywhere: their addresses and lengths."""

    addresses: array[int]
    lengths: array[int]
    kept: Any


def is_arrow(data: Any) -> bool:
    """Whether it is an array or a stream of arrays of Arrow."""
    return hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__")


def arrays(data: Any) -> Iterator[Items | Apart]:
    """The items of each array. TypeError for items that are not text or binary."""
    if not hasattr(data, "__arrow_c_stream__"):
        yield _of_one(data)
        return
    capsule = data.__arrow_c_stream__()
    stream = _Stream.from_address(_pointer(capsule, b"arrow_array_stream"))
    with _Owned(stream, capsule, _Schema, stream.get_schema) as schema:
        while True:
            with _Owned(stream, capsule, _Array, stream.get_next) as part:
                if not part.release:
                    return
                yield _items(schema, part, part)


def column(data: Any) -> Items:
    """The items of one array, which lie one behind the other. TypeError for others."""
    if not hasattr(data, "__arrow_c_array__"):
        raise TypeError("one array of Arrow is wanted, not a stream of them: take its chunks one by one")
    found = _of_one(data)
    if isinstance(found, Apart):
        raise TypeError("views of Arrow do not lie one behind the other: cast them to large_binary or large_string")
    return found


def _of_one(data: Any) -> Items | Apart:
    kept = data.__arrow_c_array__()
    schema = _Schema.from_address(_pointer(kept[0], b"arrow_schema"))
    return _items(schema, _Array.from_address(_pointer(kept[1], b"arrow_array")), kept)


class _Owned:
    """A structure that a stream fills in, and that is released behind its use."""

    def __init__(self, stream: _Stream, kept: Any, kind: Any, get: int):
        self._stream, self._kept, self._made = stream, kept, kind()
        at = ctypes.addressof(self._made)
        if _GET(get)(ctypes.addressof(stream), at):
            raise ValueError(f"the stream of Arrow has an error: {self._error()}")

    def _error(self) -> str:
        get = ctypes.CFUNCTYPE(c_char_p, c_void_p)(self._stream.get_last_error)
        return (get(ctypes.addressof(self._stream)) or b"").decode(errors="replace")

    def __enter__(self) -> Any:
        return self._made

    def __exit__(self, *_: object) -> None:
        if self._made.release:
            _RELEASE(self._made.release)(ctypes.addressof(self._made))


def _items(schema: _Schema, part: _Array, kept: Any) -> Items | Apart:
    if not part.release:
        raise ValueError("the array of Arrow has been released, or belongs to another consumer")
    form, n, first = schema.format or b"", part.length, part.offset
    plain = form in BINARY or form in VIEWS or form.startswith(FIXED)
    if schema.dictionary or not plain:
        told = "a dictionary" if schema.dictionary else f"the format '{form.decode(errors='replace')}'"
        raise TypeError(f"an array of Arrow with {told}, where binary or text is wanted: cast it")
    if n < 0 or first < 0:
        raise ValueError(f"an array of Arrow with {n} items from item {first} on")
    if not n:  # there may be no buffers
        return Items(Address(None, 0), Offsets(array("q", [0])), kept)
    wanted = 2 if form.startswith(FIXED) else 3
    if part.n_buffers < wanted or not part.buffers or not part.buffers[1]:
        raise ValueError(f"an array of Arrow with {part.n_buffers} buffers, where {wanted} are wanted")
    if form in VIEWS:
        return _apart(part, kept)
    if form.startswith(FIXED):
        size = int(form.removeprefix(FIXED))
        if size < 0:
            raise ValueError(f"items of Arrow of {size} bytes each")
        offsets = array("q", accumulate(repeat(size, n), initial=first * size))
        return Items(Address(part.buffers[1], (first + n) * size), Offsets(offsets), kept)
    kind = BINARY[form]
    numbers = _memory(part.buffers[1] + first * array(kind).itemsize, n + 1, kind)
    return Items(Address(part.buffers[2], max(numbers[n], 0)), Offsets(numbers), kept)


def _memory(address: int, n: int, kind: Literal["i", "q"]) -> memoryview:
    whole = ctypes.c_char * (n * array(kind).itemsize)
    return memoryview(whole.from_address(address)).cast("B").cast(kind)


def _apart(part: _Array, kept: Any) -> Apart:
    """Views; behind them and the data comes a buffer with the lengths of those of the data. A null is an empty item:
    its view may be anything."""
    n, first = part.length, part.offset
    lengths, addresses = array("Q", bytes(8 * n)), array("Q", bytes(8 * n))
    start = part.buffers[1] + first * VIEW_BYTES
    words = _memory(start, n * VIEW_BYTES // 4, "i")
    bits = cast(part.buffers[0], POINTER(ctypes.c_uint8)) if part.buffers[0] and part.null_count else None
    buffers = part.n_buffers - 3
    sizes = _memory(part.buffers[2 + buffers], buffers, "q") if buffers else ()
    for i in range(n):
        at = first + i
        if bits is not None and not bits[at >> 3] >> (at & 7) & 1:
            continue
        length, _, number, offset = words[4 * i : 4 * i + 4]
        inline = 0 <= length <= INLINE_BYTES
        if not inline and not (0 <= number < buffers and offset >= 0 and 0 < length <= sizes[number] - offset):
            raise ValueError(f"view {i} of Arrow is not inside a buffer of its array")
        lengths[i] = length
        addresses[i] = start + i * VIEW_BYTES + 4 if inline else part.buffers[2 + number] + offset
    return Apart(addresses, lengths, kept)
