"""Bursts of jobs that are alike, written a field at a time: what a job costs in Python would be more than what the
library needs for a short one."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from ctypes import addressof, c_char, string_at
from functools import lru_cache
from typing import Any

from .base_key import BaseKey
from .capi import ERR_ARGUMENT, NOT_RUN, OK, JobStruct
from .failures import RuntimeFailure
from .library import Library
from .values import IN_BYTES, KNOWS_BYTES, place

AT_ONCE = 1024
"""Buffers of a burst: what their jobs take does not grow with the number of buffers, and what Python has touched of
them is still in a cache when the library comes to it."""
_FIELDS = ("size", "key", "direction", "iv", "iv_len", "aad", "aad_len", "in", "in_len", "out", "out_cap", "out_len")
_WORDS = {name: getattr(JobStruct, name).offset // 8 for name in (*_FIELDS, "tag", "tag_len")}
_STRIDE = JobStruct().size // 8
_IN_TUPLE = tuple.__basicsize__
"""Where the addresses of a tuple's objects lie."""


def _addresses_of_bytes(buffers: tuple[bytes, ...]) -> array[int] | None:
    """Reads the addresses from the layout of CPython's objects, without a call for each; None where the layout
    differs."""
    n, found = len(buffers), array("Q")
    found.frombytes(string_at(id(buffers) + _IN_TUPLE, 8 * n))
    if (found[0], found[-1]) != (id(buffers[0]), id(buffers[-1])):
        return None
    # one sum of long numbers: every word of it is an address
    total = int.from_bytes(found, sys.byteorder) + IN_BYTES * _ones(n)
    return array("Q", total.to_bytes(8 * n, sys.byteorder))


@lru_cache(maxsize=4)
def _ones(n: int) -> int:
    return int.from_bytes(array("Q", [1]) * n, sys.byteorder)


def inputs(buffers: Sequence[Any]) -> tuple[array[int], array[int], Any]:
    """Addresses, lengths, and what must be kept alive. TypeError for what is not a buffer."""
    if KNOWS_BYTES and set(map(type, buffers)) == {bytes}:
        kept = tuple(buffers)
        addresses = _addresses_of_bytes(kept)
        if addresses is not None:
            return addresses, array("Q", map(len, kept)), kept
    found = [place(buffer) for buffer in buffers]
    return array("Q", (at or 0 for at, _, _ in found)), array("Q", (size for _, size, _ in found)), found


class Alike:
    """n jobs of one key and direction. The buffers of a field are kept alive until `run` returns."""

    def __init__(self, key: BaseKey, direction: int, n: int):
        self.key, self.n, self._pointer = key, n, key.live().pointer
        model = [0] * _STRIDE
        model[_WORDS["size"]], model[_WORDS["key"]] = JobStruct().size, self._pointer
        model[_WORDS["direction"]] = direction  # the lower half of a word; the status is the other
        self.jobs = array("Q", model) * n
        self._kept: list[Any] = []
        self._room: Any = None

    def _set(self, field: str, values: Iterable[int]) -> None:
        column = values if isinstance(values, array) else array("Q", values)
        self.jobs[_WORDS[field] : self.n * _STRIDE : _STRIDE] = column

    def read(self, field: str, length: str, buffers: Sequence[Any]) -> array[int]:
        """Inputs: one buffer for each job. Returns their lengths."""
        addresses, sizes, kept = inputs(buffers)
        self._set(field, addresses)
        self._set(length, sizes)
        self._kept.append(kept)
        return sizes

    def write(self, buffers: Sequence[bytearray]) -> None:
        """Outputs: one for each job."""
        views = [c_char.from_buffer(buffer) if buffer else None for buffer in buffers]
        self._set("out", (addressof(view) if view is not None else 0 for view in views))
        self._set("out_cap", map(len, buffers))
        self._kept.append(views)

    def tags(self, length: int) -> bytearray:
        """Room for the tags of all jobs, one behind the other."""
        tags = bytearray(self.n * length)
        if tags:
            view = c_char.from_buffer(tags)
            first = addressof(view)
            self._set("tag", range(first, first + len(tags), length))
            self._room = view
        self._set("tag_len", [length] * self.n)
        return tags

    def run(self, context: Library) -> int:
        """cst_burst: its code."""
        key = self.key.live()
        if key.pointer != self._pointer:
            raise RuntimeFailure(ERR_ARGUMENT, "the key was made anew meanwhile")
        code: int = context.call(context.lib.cst_burst, self.jobs.buffer_info()[0], self.n)
        self._kept = []
        return code

    def check(self, code: int, first: int = 0) -> None:
        """Raises RuntimeFailure unless the code is OK: what is wrong with the first job that was refused.
        ``first``: the number of the first of these jobs among the caller's."""
        if code == OK:
            return
        at = next((at for at, status in enumerate(self.statuses()) if status not in (OK, NOT_RUN)), 0)
        self.key.check_job(code, JobStruct.from_buffer(self.jobs, at * 8 * _STRIDE), f"buffer {first + at}")

    def statuses(self) -> list[int]:
        """Returns the status of each job, after `run`."""
        words = self.jobs[_WORDS["direction"] : self.n * _STRIDE : _STRIDE]
        return [(word >> 32) - (word >> 63 << 32) for word in words]

    def lengths(self) -> Sequence[int]:
        """How many bytes each job wrote."""
        return self.jobs[_WORDS["out_len"] : self.n * _STRIDE : _STRIDE]
