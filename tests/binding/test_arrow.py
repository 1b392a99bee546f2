"""Columns of Arrow, by its PyCapsule interface: nanoarrow's arrays, slices, streams, nulls; and views, which nanoarrow
0.9 cannot export, of a producer in ctypes."""

from __future__ import annotations

import hashlib
import hmac
import struct
import weakref
from ctypes import CFUNCTYPE, POINTER, addressof, c_char, c_char_p, c_void_p, cast, py_object, pythonapi
from itertools import pairwise
from typing import Any

import nanoarrow
import pytest
from cryptostitch import hash_column, hmac_column, suite
from cryptostitch.binding.arrow import _Array, _Schema

RELEASE = CFUNCTYPE(None, c_void_p)(lambda _: None)
ITEMS = [b"", b"a", b"twelve bytes", b"thirteen byte", b"x" * 300, b"", "\u00e9t\u00e9".encode(), bytes(5000)]
TYPES = ("binary", "large_binary", "string", "large_string", "binary_view", "string_view")
PLAIN = TYPES[:4]


class Views:
    """An array of views over two buffers of data, of which each second long item is in the second. It keeps what its
    capsules point to, so that its release does nothing."""

    def __init__(self, items: list[bytes | None], kind: str, first: int = 0, end: int | None = None):
        data, views = [bytearray(b"front"), bytearray()], bytearray()
        for at, item in enumerate(items):
            text = b"\xff" * 40 if item is None else item  # the view of a null may be anything
            views += struct.pack("<i", -1 if item is None else len(text))
            if len(text) <= 12:
                views += text.ljust(12, b"\0")
                continue
            views += text[:4] + struct.pack("<ii", at % 2, len(data[at % 2]) if item is not None else 1 << 30)
            data[at % 2] += text
        valid = bytearray(-(-len(items) // 8) + 1)
        for at, item in enumerate(items):
            valid[at >> 3] |= (item is not None) << (at & 7)
        sizes = bytearray(struct.pack("<qq", *map(len, data)))
        self.buffers = [(c_char * len(one)).from_buffer(one) if one else None for one in (valid, views, *data, sizes)]
        addresses = [None if one is None else addressof(one) for one in self.buffers]
        self.pointers = (c_void_p * 5)(*addresses)
        nulls, n = sum(item is None for item in items), (len(items) if end is None else end) - first
        self.array = _Array(n, -1 if nulls else 0, first, 5, 0, cast(self.pointers, POINTER(c_void_p)))
        self.array.release = cast(RELEASE, c_void_p)
        self.views = views
        self.schema = _Schema({"binary_view": b"vz", "string_view": b"vu"}[kind], b"", None, 2)

    def __getitem__(self, part: slice) -> Views:
        self.array.offset, self.array.length = part.start, part.stop - part.start
        return self

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        new = pythonapi.PyCapsule_New
        new.restype, new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
        return new(addressof(self.schema), b"arrow_schema", None), new(addressof(self.array), b"arrow_array", None)


def array_of(items: list[bytes | None], kind: str) -> Any:
    if kind.endswith("view"):
        return Views(items, kind)
    values = [None if item is None else item.decode() for item in items] if "string" in kind else items
    return nanoarrow.c_array(values, getattr(nanoarrow, kind)())


def digests(items: list[bytes]) -> bytes:
    return b"".join(hashlib.sha256(item).digest() for item in items)


@pytest.mark.parametrize("kind", TYPES)
def test_an_array(kind: str) -> None:
    assert hash_column("sha256", array_of(list(ITEMS), kind)) == digests(ITEMS)
    macs = b"".join(hmac.digest(b"key", item, "sha256") for item in ITEMS)
    assert hmac_column("sha256", b"key", array_of(list(ITEMS), kind)) == macs


@pytest.mark.parametrize("kind", TYPES)
def test_no_items(kind: str) -> None:
    assert hash_column("sha256", array_of([], kind)) == b""


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("first, end", [(0, 3), (2, 5), (4, 8), (8, 8), (3, 3)])
def test_a_slice(kind: str, first: int, end: int) -> None:
    assert hash_column("sha256", array_of(list(ITEMS), kind)[first:end]) == digests(ITEMS[first:end])


@pytest.mark.parametrize("length, number, offset", [
    (64, 0, 2000), (64, 1000, 0), (64, 2, 0), (64, -1, 0), (64, 0, -1), (2**31 - 1, 0, 0), (-1, 0, 0), (13, 0, 6),
])  # fmt: skip
def test_a_view_outside_of_its_buffers(length: int, number: int, offset: int) -> None:
    """Whoever reads a stream of bytes gets such views unchecked."""
    array = Views([b"short", b"more than twelve bytes"], "binary_view")
    array.views[16:] = struct.pack("<i4sii", length, b"more", number, offset)
    with pytest.raises(ValueError, match="view 1 of Arrow is not inside a buffer"):
        hash_column("sha256", array)


@pytest.mark.parametrize("field, value, told", [
    ("release", None, "released"), ("length", -1, "-1 items"), ("offset", -1, "from item -1"),
    ("n_buffers", 2, "2 buffers"), ("n_buffers", 0, "0 buffers"),
])  # fmt: skip
def test_numbers_that_no_array_has(field: str, value: int | None, told: str) -> None:
    array = Views([b"a", b"b"], "binary_view")
    setattr(array.array, field, value)
    with pytest.raises(ValueError, match=told):
        hash_column("sha256", array)


def test_items_of_one_length() -> None:
    items = [bytes([i] * 5) for i in range(9)]
    array = nanoarrow.c_array(items, nanoarrow.fixed_size_binary(5))
    assert hash_column("sha256", array) == digests(items)
    assert hash_column("sha256", array[2:7]) == digests(items[2:7])


@pytest.mark.parametrize("kind", PLAIN)
def test_a_stream_of_arrays(kind: str) -> None:
    parts = [array_of(list(ITEMS), kind), array_of([], kind), array_of(ITEMS[::-1], kind)]
    stream = nanoarrow.Array.from_chunks(parts)
    assert hash_column("sha256", stream) == digests(ITEMS + ITEMS[::-1])


@pytest.mark.parametrize("kind", TYPES)
def test_nulls_are_items(kind: str) -> None:
    items = [b"a", None, b"more than twelve bytes", None]
    assert hash_column("sha256", array_of(items, kind)) == digests([item or b"" for item in items])


@pytest.mark.parametrize("kind", ["int32", "float64", "bool_"])
def test_other_types_are_refused(kind: str) -> None:
    with pytest.raises(TypeError, match="binary or text is wanted"):
        hash_column("sha256", nanoarrow.c_array([1, 0], getattr(nanoarrow, kind)()))


def test_what_is_no_array_of_arrow() -> None:
    with pytest.raises(TypeError, match="offsets are wanted with bytes"):
        hash_column("sha256", b"abc")


def test_a_stream_that_fails() -> None:
    def chunks() -> Any:
        yield array_of([b"a"], "binary")
        raise OSError("torn")

    schema = nanoarrow.c_schema(nanoarrow.binary())
    with pytest.raises(Exception, match="torn|error"):
        hash_column("sha256", nanoarrow.c_array_stream(chunks(), schema))


def test_memory_is_given_back() -> None:
    """Of arrays, and of those that a stream hands over."""

    class Kept(bytearray):
        pass

    for wrap in (lambda array: array), (lambda array: nanoarrow.Array.from_chunks([array])):
        kept = Kept(b"abcdef")
        gone = weakref.ref(kept)
        array = nanoarrow.c_array_from_buffers(
            nanoarrow.binary(), 2, [None, memoryview(bytearray(b"\0\0\0\0\3\0\0\0\6\0\0\0")).cast("i"), kept]
        )
        assert hash_column("sha256", wrap(array)) == digests([b"abc", b"def"])
        del array, kept
        assert gone() is None


@pytest.mark.parametrize("kind", ["binary", "large_string"])
def test_texts_are_sealed_where_they_lie(kind: str) -> None:
    key, n = suite("aes-128-gcm").key(bytes(16)), len(ITEMS)
    ivs = b"".join(bytes([i] * 12) for i in range(n))
    out, tags = key.seal_column(array_of(list(ITEMS), kind), ivs=ivs)
    offsets = [0]
    for item in ITEMS:
        offsets.append(offsets[-1] + len(item))
    for i, (start, end) in enumerate(pairwise(offsets)):
        assert (bytes(out[start:end]), tags[16 * i :][:16]) == key.seal(ITEMS[i], iv=ivs[12 * i :][:12])
    with pytest.raises(TypeError, match="views"):
        key.seal_column(array_of(list(ITEMS), "string_view"), ivs=ivs)
    with pytest.raises(TypeError, match="chunks one by one"):
        key.seal_column(nanoarrow.c_array_stream(array_of(list(ITEMS), kind)), ivs=ivs)
