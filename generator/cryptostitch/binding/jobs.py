"""The jobs of a burst: where their buffers lie, for C."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char, c_size_t, c_void_p
from typing import Any, Protocol

from .capi import NOT_RUN, SEAL, JobStruct, PieceStruct
from .readonly import place_of


class KeyOfJob(Protocol):
    """What a job needs of its key."""

    lib: ctypes.CDLL
    handle: c_void_p

    def check(self, code: int) -> None:
        """Raises RuntimeFailure unless the code is OK."""


def address_of(buffer: Any, write: bool) -> tuple[int | None, int, Any]:
    """Address, length, and what must be kept alive, of None, an (address, length) pair, or a buffer."""
    if buffer is None:
        return None, 0, None
    if isinstance(buffer, tuple):
        return buffer[0], buffer[1], None
    if isinstance(buffer, bytes) and not write:
        return ctypes.cast(ctypes.c_char_p(buffer), c_void_p).value, len(buffer), buffer
    view = memoryview(buffer).cast("B")
    if view.readonly:
        if write:
            raise TypeError("an output must be writable")
        return place_of(view)
    if not len(view):
        return None, 0, None
    array = (c_char * len(view)).from_buffer(view)
    return ctypes.addressof(array), len(view), array


class Job:
    """One buffer of a burst. `out` may be the same bytearray as `data`. A list of buffers is a scattered one."""

    def __init__(
        self,
        key: KeyOfJob,
        direction: int = SEAL,
        *,
        iv: Any = None,
        aad: Any = None,
        data: Any = None,
        out: Any = None,
        tag: Any = None,
    ):
        self.key, self.direction = key, direction
        self.iv, self.aad, self.data, self.out, self.tag = iv, aad, data, out, tag
        self.status, self.out_len = NOT_RUN, 0
        self._keep: list[Any] = []

    def fill(self, struct: Any) -> None:
        """Writes the C struct; the job keeps the buffers alive."""
        struct.__init__()
        struct.key, struct.direction = self.key.handle, self.direction
        self._keep = []
        writes = {"out": True, "tag": self.direction == SEAL}
        for name, buffer, length in (
            ("iv", self.iv, "iv_len"),
            ("aad", self.aad, "aad_len"),
            ("in", self.data, "in_len"),
            ("out", self.out, "out_cap"),
            ("tag", self.tag, "tag_len"),
        ):
            if isinstance(buffer, list) and name in ("in", "out"):
                size = self._scatter(struct, name, buffer, writes.get(name, False))
            else:
                address, size, keep = address_of(buffer, writes.get(name, False))
                setattr(struct, name, address)
                self._keep.append(keep)
            setattr(struct, length, size)

    def _scatter(self, struct: Any, name: str, buffers: list[Any], write: bool) -> int:
        """The pieces of `in` or `out`; returns their bytes."""
        pieces = (PieceStruct * len(buffers))()
        for piece, buffer in zip(pieces, buffers):
            piece.data, piece.bytes, keep = address_of(buffer, write)
            self._keep.append(keep)
        self._keep.append(pieces)
        setattr(struct, f"{name}_pieces", ctypes.addressof(pieces))
        setattr(struct, f"n_{name}_pieces", len(buffers))
        return sum(piece.bytes for piece in pieces)

    def run_alone(self) -> None:
        """cst_seal or cst_open, which take no scattered buffers. Raises RuntimeFailure."""
        struct = JobStruct()
        self.fill(struct)
        length = c_size_t()
        function = self.key.lib.cst_seal if self.direction == SEAL else self.key.lib.cst_open
        code = function(
            struct.key,
            struct.iv,
            struct.iv_len,
            struct.aad,
            struct.aad_len,
            getattr(struct, "in"),
            struct.in_len,
            struct.out,
            struct.out_cap,
            byref(length),
            struct.tag,
            struct.tag_len,
        )
        self.status, self.out_len = code, length.value
        self._keep = []
        self.key.check(code)
