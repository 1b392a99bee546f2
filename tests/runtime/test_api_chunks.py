"""cst_chunker: arguments, room for few chunks, several texts by one chunker. tests/binding/test_chunks.py has what is
cut."""

from __future__ import annotations

import ctypes
import hashlib
import random
from ctypes import byref, c_size_t, c_void_p
from typing import Any

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import ChunkerOptions, ChunkStruct
from cryptostitch.binding.runtime import Context
from fastcdc import lengths
from jobs.samples import LEVELS
from targets import context_for

SIZES = {"least_bytes": 64, "average_bytes": 256, "most_bytes": 1024, "normalization": 1}


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def made(context: Context, **options: Any) -> tuple[int, c_void_p]:
    chunker, its = c_void_p(), ChunkerOptions(**SIZES)
    for name, value in options.items():
        setattr(its, name, value)
    return context.lib.cst_chunker_new(context.handle, byref(its), byref(chunker)), chunker


@pytest.mark.parametrize("room", (1, 2, 7, 1000))
def test_room(context: Context, room: int) -> None:
    """Chunks that there is no room for come by the next call; another text follows."""
    key = context.suite("sha256").key()
    code, chunker = made(context, key=key.handle)
    assert code == runtime.OK
    rng, found = random.Random(room), (ChunkStruct * room)()
    n, used = c_size_t(), c_size_t()
    for length in (0, 5, 30_001, 20_000):
        data, chunks = rng.randbytes(length), []
        text, at = ctypes.create_string_buffer(data, max(length, 1)), 0
        while True:
            piece = min(rng.choice((1, 300, 9000)), length - at)
            last = at + piece == length
            code = context.lib.cst_chunker_feed(
                chunker, ctypes.addressof(text) + at, piece, last, found, room, byref(n), byref(used)
            )
            assert code == runtime.OK and used.value <= piece and (used.value == piece or n.value == room)
            chunks += [(chunk.offset, chunk.bytes, bytes(chunk.digest[:32])) for chunk in found[: n.value]]
            at += used.value
            if last and n.value < room:
                break
        assert [bytes_ for _, bytes_, _ in chunks] == lengths(data, 64, 256, 1024, 1)
        for offset, bytes_, digest in chunks:
            assert digest == hashlib.sha256(data[offset : offset + bytes_]).digest()
    context.lib.cst_chunker_free(chunker)
    context.lib.cst_chunker_free(None)


def test_errors(shared_context: Context) -> None:
    lib, cipher = shared_context.lib, shared_context.suite("aes-128-ctr").key(bytes(16))
    foreign = Context(library=lib._name)
    foreign_key = foreign.suite("sha256").key()
    for error, wrong in (
        (runtime.ERR_ARGUMENT, {"size": 8}),
        (runtime.ERR_ARGUMENT, {"flags": 1}),
        (runtime.ERR_ARGUMENT, {"key": cipher.handle}),
        (runtime.ERR_ARGUMENT, {"key": foreign_key.handle}),
        (runtime.ERR_LENGTH, {"least_bytes": 63}),
        (runtime.ERR_LENGTH, {"least_bytes": 65}),
        (runtime.ERR_LENGTH, {"least_bytes": 258}),
        (runtime.ERR_LENGTH, {"average_bytes": 254}),
        (runtime.ERR_LENGTH, {"average_bytes": (1 << 64) - 2}),
        (runtime.ERR_LENGTH, {"most_bytes": 1022}),
        (runtime.ERR_LENGTH, {"normalization": 4}),
    ):
        assert made(shared_context, **wrong)[0] == error, wrong
    options, out = ChunkerOptions(**SIZES), c_void_p()
    assert lib.cst_chunker_new(None, byref(options), byref(out)) == runtime.ERR_ARGUMENT
    assert lib.cst_chunker_new(shared_context.handle, None, byref(out)) == runtime.ERR_ARGUMENT
    assert lib.cst_chunker_new(shared_context.handle, byref(options), None) == runtime.ERR_ARGUMENT
    chunker = made(shared_context)[1]
    found, n, used = (ChunkStruct * 4)(), c_size_t(77), c_size_t(77)
    text = ctypes.create_string_buffer(bytes(100), 100)
    right = [chunker, text, 100, 0, found, 4, byref(n), byref(used)]
    for error, place, value in (
        (runtime.ERR_ARGUMENT, 0, None),
        (runtime.ERR_ARGUMENT, 1, None),
        (runtime.ERR_ARGUMENT, 3, 2),
        (runtime.ERR_ARGUMENT, 4, None),
        (runtime.ERR_ARGUMENT, 5, 0),
        (runtime.ERR_ARGUMENT, 6, None),
        (runtime.ERR_ARGUMENT, 7, None),
        (runtime.ERR_LENGTH, 2, (1 << 64) - 1),
        (runtime.ERR_LENGTH, 5, (1 << 64) - 1),
        (runtime.ERR_OVERLAP, 1, ctypes.addressof(found) + 300),
    ):
        arguments = list(right)
        arguments[place] = value
        assert lib.cst_chunker_feed(*arguments) == error, (place, value)
        assert (n.value, used.value) == (77, 77)
    assert lib.cst_chunker_feed(*right) == runtime.OK and (n.value, used.value) == (0, 100)
    lib.cst_chunker_free(chunker)
