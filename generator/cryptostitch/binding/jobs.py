"""The jobs of a burst: where their buffers lie, for C."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t
from typing import Any

from .capi import ERR_ARGUMENT, NOT_RUN, OPEN, SEAL, JobStruct, PieceStruct
from .keys import Key
from .library import wanted
from .values import number, place


class Job:
    """One buffer of a burst. `out` may be the same bytearray as `data`. A list of buffers is a scattered one. A burst
    or a manager takes the job as it is then: what is changed later counts for the next. As in C the tag's buffer says
    how long the tag is: of one that is opened, that must not be the sender's choice."""

    def __init__(
        self,
        key: Key,
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

    def fill(self, struct: Any) -> list[Any]:
        """Writes the C struct, which is right for as long as what is returned lives: buffers, pieces, the key."""
        owned = wanted(Key, self.key, "the key of a job").live()
        direction = number(self.direction, "a direction", 31)
        struct.__init__()
        struct.key, struct.direction = owned.pointer, direction
        kept: list[Any] = [owned]
        for name, buffer, length, write in (
            ("iv", self.iv, "iv_len", False),
            ("aad", self.aad, "aad_len", False),
            ("in", self.data, "in_len", False),
            ("out", self.out, "out_cap", True),
            ("tag", self.tag, "tag_len", direction == SEAL),
        ):
            if buffer is None:
                continue
            if isinstance(buffer, list) and name in ("in", "out"):
                size = _scatter(struct, name, buffer, write, kept)
            else:
                address, size, keep = place(buffer, write)
                setattr(struct, name, address)
                kept.append(keep)
            setattr(struct, length, size)
        return kept

    def run_alone(self) -> None:
        """cst_seal or cst_open, which take no scattered buffers. Raises RuntimeFailure."""
        key, struct, length = wanted(Key, self.key, "the key of a job"), JobStruct(), c_size_t()
        kept = self.fill(struct)
        if struct.in_pieces or struct.out_pieces:
            raise ValueError("scattered buffers want a burst")
        if struct.direction not in (SEAL, OPEN):
            key.check_job(ERR_ARGUMENT, struct)
        function = key.lib.cst_seal if struct.direction == SEAL else key.lib.cst_open
        self.status = key.call(
            function,
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
        self.out_len = length.value
        del kept
        key.check_job(self.status, struct)


def filled(job: Any, struct: Any, lib: ctypes.CDLL) -> list[Any]:
    """Fills a struct as `Job.fill`, for that copy of the library; the first element of the result is the key's."""
    kept = wanted(Job, job, "a job").fill(struct)
    if kept[0].gate.lib is not lib:
        raise ValueError("the key is of another copy of the library")
    return kept


def _scatter(struct: Any, name: str, buffers: list[Any], write: bool, kept: list[Any]) -> int:
    """The pieces of `in` or `out`; returns their bytes."""
    places = [place(buffer, write) for buffer in list(buffers)]
    pieces = (PieceStruct * len(places))(*(PieceStruct(address, size) for address, size, _ in places))
    kept += [pieces, places]
    setattr(struct, f"{name}_pieces", ctypes.addressof(pieces))
    setattr(struct, f"n_{name}_pieces", len(places))
    return number(sum(size for _, size, _ in places), "the sum of the pieces")
