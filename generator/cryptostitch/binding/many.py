"""Digests and HMACs of many buffers by one call: `hash_many`, `hmac_many`, `hash_column`,
`hmac_column`; and `suite`.

Buffers are not copied, and the interpreter's lock is released while the library works. All may be called from several
threads. Errors are ``RuntimeFailure`` (capi.py has the codes), ``TypeError`` for what is not a buffer, and
``ValueError`` for offsets that are not such.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from ctypes import c_int, c_size_t, c_void_p
from functools import lru_cache
from itertools import islice
from typing import Any

from . import causes
from .alike import inputs
from .arrow import Apart, arrays, is_arrow
from .capi import DIGEST, file_of
from .column import Offsets, digest_column
from .library import wanted
from .runtime import Context, Key, Suite
from .turns import Turns
from .values import ArrowArray, ArrowStream, Buffer, place, several

AT_ONCE = 4096
"""Buffers of a call: what addresses, lengths and digests take does not grow with the number of buffers."""

MOST_OF_BYTES, NOT_BYTES = 64, 1
"""digests.c makes digests of at most MOST_OF_BYTES bytes, and returns NOT_BYTES where a buffer is no bytes object."""

_shared: list[Context] = []
_making = Turns()


def shared_context() -> Context:
    """Returns the context that all functions here share; a new one after a caller has closed it."""
    for context in _shared:
        if not context.closed:
            return context
    with _making:
        if not _shared or _shared[0].closed:
            _digest_key.cache_clear()
            _shared[:] = [Context()]
        return _shared[0]


def _new_key(context: Context, name: str) -> Key:
    """The key of a hash, which has no secret."""
    found = context.suite(name)
    if found.kind != DIGEST:
        raise ValueError(f"{name} is not a hash")
    return found.key()


_digest_key = lru_cache(maxsize=32)(_new_key)


def _many(key: Key, buffers: Iterable[Any], length: int | None = None) -> list[bytes]:
    rest, length = iter(several(buffers)), key.tag_bytes(length)
    found: list[bytes] = []
    tags = bytearray()
    of_bytes = _of_bytes(key.lib) if length <= MOST_OF_BYTES else None
    while some := tuple(islice(rest, AT_ONCE)):
        if of_bytes is not None:
            made: list[Any] = [None] * len(some)
            code = key.call(of_bytes, key.lib.cst_digest_many, some, length, made)
            if code != NOT_BYTES:
                key.check(code, causes.of_digest(key.suite, max(map(len, some)), length) if code else "")
                found += made
                continue
        addresses, sizes, kept = inputs(some)
        tags = tags or bytearray(len(some) * length)
        to, _, keep = place(tags, write=True)
        code = key.call(
            key.lib.cst_digest_many, len(some), addresses.buffer_info()[0], sizes.buffer_info()[0], to, length, 0
        )
        del kept, keep
        key.check(code, causes.of_digest(key.suite, max(sizes), length) if code else "")
        found.extend(_cutter(len(some), length).unpack_from(tags))
    return found


@lru_cache(maxsize=4)
def _of_bytes(library: ctypes.CDLL) -> Callable[..., int] | None:
    """cst_python_digests (digests.c), which is beside the library; None: it is not, or does not fit this Python."""
    whole = file_of(library)
    path = whole and whole.with_name("libcst-python.so")
    try:
        function = ctypes.PyDLL(str(path)).cst_python_digests if path and path.exists() else None
    except (OSError, AttributeError):
        return None
    if function is not None:
        function.restype = c_int
        function.argtypes = [c_void_p, c_void_p, ctypes.py_object, c_size_t, ctypes.py_object]
    return function


@lru_cache(maxsize=8)
def _cutter(n: int, length: int) -> struct.Struct:
    return struct.Struct(f"{length}s" * n)


def suite(name: str) -> Suite:
    """The suite of that name ("aes-256-gcm"), in a context that all callers share. RuntimeFailure if it is not one."""
    return shared_context().suite(name)


def hash_many(
    name: str, buffers: Iterable[Buffer], length: int | None = None, context: Context | None = None
) -> list[bytes]:
    """The digest of each buffer. ``name``: "sha256", "sha3-256", ... (`Context.suites`). Buffers are bytes, bytearrays,
    memoryviews, arrays: anything with the buffer protocol; they must not change meanwhile. ``length``: bytes of each
    digest, of "shake128" and "shake256" any number from 1 on; None: the usual. RuntimeFailure where there is no such
    hash, or it has no digests of that length. ``context``: whose hashes are meant, as of a pack that it has loaded;
    None: the library's own."""
    return _many(hash_key(name, context), buffers, length)


def hmac_many(name: str, key: Buffer, buffers: Iterable[Buffer]) -> list[bytes]:
    """The HMAC of each buffer under one key, by the hash of that name."""
    return _many(_hmac(name, key), buffers)


def hash_column(name: str, data: Buffer | ArrowArray | ArrowStream, offsets: Buffer | None = None) -> bytes:
    """The digests of the items data[offsets[i] : offsets[i + 1]], one behind the other.
    ``offsets``: a buffer of whole numbers of 4 or 8 bytes, one more than items, as in Arrow's binary arrays (NumPy's
    arrays and array.array are such). ValueError where they are something else; RuntimeFailure (ERR_LENGTH) where they
    fall or lie beyond the data.

    Or ``data`` is an array or a column of Arrow (pyarrow, nanoarrow, polars, pandas: what has ``__arrow_c_array__`` or
    ``__arrow_c_stream__``) of binary or text, and there are no offsets. A null has a digest too, of the bytes that lie
    in its place, usually none: the array's own bitmap says which digests are of nulls. TypeError for other types."""
    return _tags_of(_hash(name), data, offsets)


def hmac_column(
    name: str, key: Buffer, data: Buffer | ArrowArray | ArrowStream, offsets: Buffer | None = None
) -> bytes:
    """The HMACs under one key of such items, as `hash_column` takes them, by the hash of that name."""
    return _tags_of(_hmac(name, key), data, offsets)


def _tags_of(key: Key, data: Buffer | ArrowArray | ArrowStream, offsets: Buffer | None) -> bytes:
    if offsets is not None:
        return _column(key, data, Offsets(offsets))
    if not is_arrow(data):
        raise TypeError(f"offsets are wanted with {type(data).__name__}, which is no array of Arrow")
    parts: list[bytes] = []
    for each in arrays(data):
        parts.append(_apart(key, each) if isinstance(each, Apart) else _column(key, each.data, each.offsets))
    return b"".join(parts)


def _column(key: Key, data: Any, offsets: Offsets) -> bytes:
    length = key.suite.tag_max
    tags = bytearray(offsets.n * length)
    digest_column(key, data, offsets, tags, length, 0)
    return bytes(tags)


def _apart(key: Key, items: Apart) -> bytes:
    length, n = key.suite.tag_max, len(items.lengths)
    tags = bytearray(n * length)
    to, _, keep = place(tags, write=True)
    places = items.addresses.buffer_info()[0], items.lengths.buffer_info()[0]
    code = key.call(key.lib.cst_digest_many, n, *places, to, length, 0)
    del keep
    key.check(code, causes.of_digest(key.suite, max(items.lengths, default=0), length) if code else "")
    return bytes(tags)


def hash_key(name: str, context: Context | None) -> Key:
    """The key of a hash of that context; None: of the one that all callers share."""
    return _hash(name) if context is None else _new_key(wanted(Context, context, "the context"), name)


def _hash(name: str) -> Key:
    return _digest_key(shared_context(), name)


def _hmac(name: str, key: Buffer) -> Key:
    return Suite(_hash(name).suite.context, f"hmac-{name}").key(None, key)
