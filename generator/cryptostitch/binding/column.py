"""Digests of the items of a column (cst_digest_column)."""

from __future__ import annotations

from ctypes import byref
from typing import Any

from . import causes
from .base_key import BaseKey
from .capi import ERR_LENGTH, ERR_OVERLAP, ColumnStruct
from .values import place

_WHOLE = frozenset("iIlLqQ")


class Offsets:
    """A copy of the offsets of n items: the library checks them before it uses them, and another thread may write to
    the caller's meanwhile. ValueError for what is not whole numbers of 4 or 8 bytes, and where there are none."""

    def __init__(self, offsets: Any):
        view = memoryview(offsets)
        if view.format not in _WHOLE or view.ndim != 1 or not view.c_contiguous:
            raise ValueError("offsets are whole numbers of 4 or 8 bytes, one behind the other")
        self.width = view.itemsize
        self.bytes = view.tobytes()
        self.n = len(self.bytes) // self.width - 1
        if self.n < 0:
            raise ValueError("no offsets, where n items have n + 1 of them")

    def fault(self, data_bytes: int) -> str:
        """Says which item is the first that lies wrong; "" where none does."""
        numbers = memoryview(self.bytes).cast("I" if self.width == 4 else "Q")
        for at in range(self.n):
            start, end = numbers[at], numbers[at + 1]
            if not start <= end <= data_bytes:
                return f"item {at} is data[{start}:{end}], of {data_bytes} bytes"
        return ""


def digest_column(key: BaseKey, data: Any, offsets: Offsets, tags: Any, tag_len: int, stride: int) -> None:
    """See `Key.digest_column`."""
    t, t_len, keep_t = place(tags, write=True)
    if offsets.n and (offsets.n - 1) * (stride or tag_len) + tag_len > t_len:
        raise ValueError(f"{t_len} bytes have no room for {offsets.n} digests")
    d, d_len, keep_d = place(data)
    o, _, keep_o = place(offsets.bytes)
    column = ColumnStruct(data=d, data_bytes=d_len, offsets=o, offset_bytes=offsets.width, n=offsets.n)
    column.tags, column.tag_len, column.stride = t, tag_len, stride
    owned = key.live()
    column.key = owned.pointer
    code = owned.gate.call(key.lib.cst_digest_column, byref(column))
    del keep_t, keep_d, keep_o, owned
    wrong = offsets.fault(d_len) if code == ERR_LENGTH else ""
    key.check(code, wrong or (causes.of_digest(key.suite, 0, tag_len) if code and code != ERR_OVERLAP else ""))
