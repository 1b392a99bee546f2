"""Content-defined chunks of a text and their digests (cst_chunker): `chunks`."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from ctypes import byref, c_size_t
from typing import Any, NamedTuple, Protocol

from .capi import ERR_LENGTH, ChunkerOptions, ChunkStruct
from .handles import Handle, make
from .many import hash_key
from .runtime import Context
from .values import Buffer, place

ROOM = 128
"""Chunks of one call."""
READ = 1 << 19
"""Bytes that are read from a file at a time."""


class Chunk(NamedTuple):
    """A chunk: where it begins in the text, its length in bytes, its digest (b"" without a hash)."""

    offset: int
    length: int
    digest: bytes


class File(Protocol):
    """A file that was opened for reading bytes."""

    def read(self, size: int, /) -> bytes | None: ...


class _Chunker(Handle):
    _what = "chunker"

    def __init__(self, hash_: str | None, context: Context | None, **sizes: int):
        options: Any = ChunkerOptions(**sizes)
        key = hash_key("sha256" if hash_ is None else hash_, context)
        self.lib, self.tag_bytes = key.lib, 0 if hash_ is None else key.suite.tag_max
        owned = key.live()
        if hash_ is not None:
            options.key = owned.pointer
        of = key.suite.context.live()
        code, self._owned = make(self.lib.cst_chunker_new, self.lib.cst_chunker_free, owned, of.pointer, byref(options))
        told = f"{options.least_bytes or 'a quarter'}, {options.average_bytes}, {options.most_bytes or 'eight times'}"
        cause = f"chunks of {told} bytes (least, average, most), normalization {options.normalization}"
        key.suite.context.check(code, cause=f"{cause}: see cst_chunker_options" if code == ERR_LENGTH else "")
        self.check = key.suite.context.check

    def feed(self, piece: Buffer, last: bool) -> Iterator[Chunk]:
        address, length, keep = place(piece)
        found, n, used = (ChunkStruct * ROOM)(), c_size_t(ROOM), c_size_t()
        while n.value == ROOM or length:
            code = self.call(
                self.lib.cst_chunker_feed, address, length, last, byref(found), ROOM, byref(n), byref(used)
            )
            self.check(code)
            for chunk in found[: n.value]:
                yield Chunk(chunk.offset, chunk.bytes, bytes(chunk.digest[: self.tag_bytes]))
            address, length = (address or 0) + used.value, length - used.value
            if not length and not last:
                break
        del keep


def pieces_of(source: Buffer | File | Iterable[Buffer]) -> Iterator[Any]:
    """BlockingIOError where a file that does not block has nothing to read yet (`read` returns None)."""
    read = getattr(source, "read", None)
    if read is not None:
        while True:
            piece = read(READ)
            if piece is None:
                raise BlockingIOError(errno.EAGAIN, "the file does not block, and has nothing to read yet")
            if not memoryview(piece).nbytes:
                return
            yield piece
    try:
        memoryview(source)  # type: ignore[arg-type]
    except TypeError:
        yield from source  # type: ignore[misc]
    else:
        yield source


def chunks(
    source: Buffer | File | Iterable[Buffer],
    hash: str | None = "sha256",
    average: int = 8192,
    least: int = 0,
    most: int = 0,
    normalization: int = 1,
    context: Context | None = None,
) -> Iterator[Chunk]:
    """The chunks of a buffer, of what a file has from its position on, or of buffers one after the other, by FastCDC
    (as the crate ``fastcdc`` cuts, v2020), each with its digest (``hash``; None: without). ``average``, ``least`` (0: a
    quarter of that) and ``most`` (0: eight times) are bytes, and even. What is held of the text is bounded.
    RuntimeFailure for lengths that cannot be, or a hash that there is not; BlockingIOError for a file that does
    not block and has nothing to read yet."""
    chunker = _Chunker(
        hash, context, average_bytes=average, least_bytes=least, most_bytes=most, normalization=normalization
    )
    return _found(chunker, source)


def _found(chunker: _Chunker, source: Any) -> Iterator[Chunk]:
    for piece in pieces_of(source):
        yield from chunker.feed(piece, False)
    yield from chunker.feed(b"", True)
