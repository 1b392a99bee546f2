"""Digests and HMACs of many buffers by one call: `hash_many`, `hmac_many`, `hash_column`; and `suite`.

Buffers are not copied, and the interpreter's lock is released while the library works. All may be called from several
threads. Errors are ``RuntimeFailure`` (capi.py has the codes), ``TypeError`` for what is not a buffer, and
``ValueError`` for offsets that are not such.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

from .alike import AT_ONCE, Alike, Buffer
from .capi import DIGEST, SEAL
from .runtime import Context, Key, Suite


@lru_cache(maxsize=1)
def shared_context() -> Context:
    """That of all functions here."""
    return Context()


@lru_cache(maxsize=32)
def _digest_key(name: str) -> Key:
    return shared_context().suite(name).key()


def _many(key: Key, buffers: Iterable[Any], length: int | None = None) -> list[bytes]:
    context, rest = key.suite.context, iter(buffers)
    length = key.suite.tag_max if length is None else length
    found: list[bytes] = []
    some = tuple(islice(rest, AT_ONCE))
    jobs = Alike(key, SEAL, len(some))
    tags = jobs.tags(length)
    while some:
        jobs.only(len(some))
        jobs.read("in", "in_len", some)
        key.check(jobs.run(context))
        found.extend(_cutter(len(some), length).unpack_from(tags))
        some = tuple(islice(rest, AT_ONCE))
    return found


@lru_cache(maxsize=8)
def _cutter(n: int, length: int) -> struct.Struct:
    return struct.Struct(f"{length}s" * n)


def suite(name: str) -> Suite:
    """The suite of that name ("aes-256-gcm"), in a context that all callers share. RuntimeFailure if it is not one."""
    return shared_context().suite(name)


def hash_many(name: str, buffers: Iterable[Buffer], length: int | None = None) -> list[bytes]:
    """The digest of each buffer. ``name``: "sha256", "sha3-256", ... (`Context.suites`). Buffers are bytes, bytearrays,
    memoryviews, arrays: anything with the buffer protocol; they must not change meanwhile. ``length``: bytes of each
    digest, of "shake128" and "shake256" any number from 1 on; None: the usual. RuntimeFailure where there is no such
    hash, or it has no digests of that length."""
    return _many(_digest_key(_hash(name)), buffers, length)


def hmac_many(name: str, key: Buffer, buffers: Iterable[Buffer]) -> list[bytes]:
    """The HMAC of each buffer under one key, by the hash of that name."""
    return _many(shared_context().suite(f"hmac-{_hash(name)}").key(None, key), buffers)


def hash_column(name: str, data: Buffer, offsets: Buffer, key: Buffer | None = None) -> bytes:
    """The digests, or with ``key`` the HMACs, of the items data[offsets[i] : offsets[i + 1]], one behind the other.
    ``offsets``: a buffer of whole numbers of 4 or 8 bytes, one more than items, as in Arrow's binary arrays (NumPy's
    arrays and array.array are such). ValueError where they are something else; RuntimeFailure (ERR_LENGTH) where they
    fall or lie beyond the data."""
    name = _hash(name)
    used = _digest_key(name) if key is None else shared_context().suite(f"hmac-{name}").key(None, key)
    tags = bytearray(max(len(memoryview(offsets)) - 1, 0) * used.suite.tag_max)
    used.digest_column(data, offsets, tags)
    return bytes(tags)


def _hash(name: str) -> str:
    if shared_context().suite(name).kind != DIGEST:
        raise ValueError(f"{name} is not a hash")
    return name
