"""Where Python's values become C's: buffers, whole numbers, names. What C cannot be given is refused here.

Buffers are bytes, bytearrays, memoryviews, arrays: what has the buffer protocol, in one contiguous run in C's order.
Their length is in bytes, whatever their items are. Numbers that C's type does not hold are an OverflowError.
"""

from __future__ import annotations

import ctypes
import operator
import os
import re
import sys
from ctypes import addressof, c_char, c_char_p, c_void_p
from typing import Any, NamedTuple, Protocol

from .readonly import place_of


class Buffer(Protocol):
    """An object that supports the buffer protocol: bytes, bytearrays, memoryviews, arrays."""

    def __buffer__(self, flags: int, /) -> memoryview: ...


class ArrowArray(Protocol):
    """An array that supports Arrow's PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...


class ArrowStream(Protocol):
    """A column in several arrays that supports Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class Address(NamedTuple):
    """Memory by its address, in the place of a buffer, for those who manage memory themselves. Nothing is checked, and
    nothing keeps the memory alive: a wrong one crashes the process."""

    address: int | None
    length: int


Place = tuple[int | None, int, Any]
"""Address (None: of nothing), length in bytes, and what must be kept alive meanwhile."""

_PROBE = b"where CPython keeps the bytes of bytes"
IN_BYTES = bytes.__basicsize__ - 1
"""Where the bytes of a bytes object lie, from its address on, if KNOWS_BYTES."""
KNOWS_BYTES = (
    sys.implementation.name == "cpython" and ctypes.cast(c_char_p(_PROBE), c_void_p).value == id(_PROBE) + IN_BYTES
)
_EMPTY = c_char()
_PLAIN = frozenset(("B", "b", "c"))
_FIELD_NAMES = re.compile(r":[^:]*:")


def place(buffer: Any, write: bool = False) -> Place:
    """Returns address and length of a buffer or an Address. TypeError for anything else, for a read-only buffer that is
    to be written, and for references to Python objects; BufferError where the bytes are not contiguous."""
    if type(buffer) is bytes and not write:
        address = id(buffer) + IN_BYTES if KNOWS_BYTES else ctypes.cast(c_char_p(buffer), c_void_p).value
        return address, len(buffer), buffer
    if isinstance(buffer, Address):
        address, length = buffer
        return None if address is None else number(address, "an address"), number(length, "a length"), None
    view = memoryview(buffer)
    if view.format not in _PLAIN and "O" in _FIELD_NAMES.sub("", view.format):
        raise TypeError("references to Python's objects are not bytes")
    if not view.c_contiguous:
        raise BufferError("the bytes of a buffer must lie one behind the other, in C's order")
    if view.readonly:
        if write:
            raise TypeError("an output must be writable")
        return place_of(view)
    if not view.nbytes:
        return None, 0, None
    first = c_char.from_buffer(view)
    return addressof(first), view.nbytes, first


def optional(buffer: Any) -> Place:
    """Returns the place of a buffer; None stands for no bytes."""
    return (None, 0, None) if buffer is None else place(buffer)


def given(buffer: Any) -> Place:
    """Returns the place of a buffer; None is not given, and has the address None. An empty buffer has another one."""
    if buffer is None or isinstance(buffer, Address):
        return optional(buffer)
    address, length, kept = place(buffer)
    return addressof(_EMPTY) if address is None else address, length, kept


def several(buffers: Any) -> Any:
    """TypeError for one buffer, or a text, where an iterable of buffers is wanted."""
    if isinstance(buffers, (bytes, bytearray, memoryview, str)):
        raise TypeError(f"an iterable of buffers is wanted, not one {type(buffers).__name__}")
    return buffers


def number(value: Any, what: str, bits: int = 64) -> int:
    """Returns the value as an unsigned int of ``bits`` bits. TypeError for what is not a whole number, OverflowError
    for one out of range."""
    if type(value) is not int:
        try:
            value = int.__add__(operator.index(value), 0)  # the int itself, whatever a class derived from it says
        except TypeError:
            raise TypeError(f"{what} is a whole number, not {type(value).__name__}") from None
    if value < 0 or value >> bits:
        raise OverflowError(f"{what} is a number of {bits} bits without a sign, not {value:#x}")
    return value


def name(text: Any, what: str) -> bytes:
    """A name for C. TypeError for what is not a str, ValueError where it is empty, or a NUL character would end it."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    return _ended(str.encode(text), what)


def path(of: str | os.PathLike[str]) -> bytes:
    """The name of a file. ValueError where it is empty, or a NUL character would end it."""
    return _ended(os.fsencode(of), "the name of a file")


def _ended(text: bytes, what: str) -> bytes:
    if not text:
        raise ValueError(f"{what} is empty")
    if b"\0" in text:
        raise ValueError(f"{what} has no NUL characters")
    return text
