"""Digests and HMACs of many buffers by one call: `hash_many`, `hmac_many`, `hash_column`.

Buffers are not copied (but for read-only views of others than bytes), and the interpreter's lock is released while the
library works. All may be called from several threads. Errors are ``RuntimeFailure`` (capi.py has the codes),
``TypeError`` for what is not a buffer, and ``ValueError`` for offsets that are not such.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Iterator
from ctypes import addressof, c_char
from functools import lru_cache
from itertools import islice
from typing import Any

from .capi import SEAL, JobStruct
from .jobs import address_of
from .runtime import Context, Key

_AT_ONCE = 4096
"""Buffers of a burst: what their jobs take does not grow with the number of buffers."""
_WORDS = {name: getattr(JobStruct, name).offset // 8 for name in ("size", "key", "in", "in_len", "tag", "tag_len")}
_STRIDE = JobStruct().size // 8
_IN_BYTES = bytes.__basicsize__ - 1 if sys.implementation.name == "cpython" else None
"""Where the bytes of a bytes object lie, from its address on."""


@lru_cache(maxsize=1)
def _context() -> Context:
    return Context()


@lru_cache(maxsize=32)
def _digest_key(name: str) -> Key:
    return _context().suite(name).key()


def _addresses(buffers: list[Any]) -> tuple[Iterable[int], Any]:
    """Of each, and what must be kept alive. Those of bytes objects are made without a call for each."""
    if _IN_BYTES is not None and set(map(type, buffers)) == {bytes}:
        first = address_of(buffers[0], False)[0]
        if first == id(buffers[0]) + _IN_BYTES:
            return map(_IN_BYTES.__add__, map(id, buffers)), buffers
    if any(buffer is None or isinstance(buffer, tuple) for buffer in buffers):
        raise TypeError("a bytes-like object is required")
    found = [address_of(buffer, False) for buffer in buffers]
    return [address or 0 for address, _, _ in found], found


def _digests(key: Key, buffers: list[Any], length: int) -> Iterator[bytes]:
    n = len(buffers)
    tags = bytearray(n * length)
    first_tag = addressof(c_char.from_buffer(tags))
    model = [0] * _STRIDE
    model[_WORDS["size"]], model[_WORDS["key"]] = JobStruct().size, key.handle.value or 0
    model[_WORDS["tag_len"]] = length
    assert SEAL == 0, "the direction is one of the zeros"
    jobs = array("Q", model) * n
    addresses, kept = _addresses(buffers)
    jobs[_WORDS["in"] :: _STRIDE] = array("Q", addresses)
    sizes = map(len, buffers) if kept is buffers else (size for _, size, _ in kept)
    jobs[_WORDS["in_len"] :: _STRIDE] = array("Q", sizes)
    jobs[_WORDS["tag"] :: _STRIDE] = array("Q", range(first_tag, first_tag + n * length, length))
    context = key.suite.context
    key.check(context.lib.cst_burst(context.handle, jobs.buffer_info()[0], n))
    del kept
    return (digest for (digest,) in struct.iter_unpack(f"{length}s", tags))


def _many(key: Key, buffers: Iterable[Any]) -> list[bytes]:
    found: list[bytes] = []
    rest = iter(buffers)
    while some := list(islice(rest, _AT_ONCE)):
        found.extend(_digests(key, some, key.suite.tag_max))
    return found


def hash_many(name: str, buffers: Iterable[Any]) -> list[bytes]:
    """The digest of each buffer. ``name``: "sha256", "md5", ... (`Context.suites`). Buffers are bytes, bytearrays,
    memoryviews, arrays: anything with the buffer protocol; they must not change meanwhile. RuntimeFailure where there
    is no such hash."""
    return _many(_digest_key(_hash(name)), buffers)


def hmac_many(name: str, key: Any, buffers: Iterable[Any]) -> list[bytes]:
    """The HMAC of each buffer under one key, by the hash of that name."""
    return _many(_context().suite(f"hmac-{_hash(name)}").key(None, key), buffers)


def hash_column(name: str, data: Any, offsets: Any, key: Any = None) -> bytes:
    """The digests, or with ``key`` the HMACs, of the items data[offsets[i] : offsets[i + 1]], one behind the other.
    ``offsets``: a buffer of whole numbers of 4 or 8 bytes, one more than items, as in Arrow's binary arrays (NumPy's
    arrays and array.array are such). ValueError where they are something else; RuntimeFailure (ERR_LENGTH) where they
    fall or lie beyond the data."""
    name = _hash(name)
    used = _digest_key(name) if key is None else _context().suite(f"hmac-{name}").key(None, key)
    tags = bytearray(max(len(memoryview(offsets)) - 1, 0) * used.suite.tag_max)
    used.digest_column(data, offsets, tags)
    return bytes(tags)


def _hash(name: str) -> str:
    if "-" in name or "+" in name:
        raise ValueError(f"{name} is not a hash")
    return name
