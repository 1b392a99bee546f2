"""Where a rolling hash of a window cuts a text (cst_rolling): `rolling_cuts`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ctypes import byref, c_int, c_size_t
from typing import Any

from .capi import ERR_LENGTH
from .chunks import File, pieces_of
from .handles import Handle, make
from .many import shared_context
from .values import Buffer, number, place


class _Rolling(Handle):
    _what = "rolling hash"

    def __init__(self, window: int, before: Buffer):
        self._context = shared_context()
        self.lib = self._context.lib
        self.window = number(window, "window", 64)
        code, self._owned = make(self.lib.cst_rolling_new, self.lib.cst_rolling_free, self._context.live(), self.window)
        self.check(code, f"a window of {window} bytes: 1 to 48")
        address, length, keep = place(before)
        code = self.call(self.lib.cst_rolling_reset, address, length)
        self.check(code, f"{length} bytes before a text, and a window of {window}: as many, or none")
        del keep

    def check(self, code: int, cause: str = "") -> None:
        self._context.check(code, cause=cause if code == ERR_LENGTH else "")

    def cuts(self, piece: Buffer, mask: int, trigger: int) -> Iterator[int]:
        """Bytes to each cut, and at the end those behind the last one, negative."""
        address, length, keep = place(piece)
        used, hit = c_size_t(), c_int()
        while length:
            self.check(self.call(self.lib.cst_rolling_run, address, length, mask, trigger, byref(used), byref(hit)))
            yield used.value if hit.value else -used.value
            address, length = (address or 0) + used.value, length - used.value
        del keep


def rolling_cuts(
    source: Buffer | File | Iterable[Buffer], mask: int, trigger: int = 0, window: int = 32, before: Buffer = b""
) -> Iterator[int]:
    """The offsets behind which ``hash & mask == trigger``, of a buffer, of what a file has from its position on, or of
    buffers one after the other, where the hash is that of the last ``window`` bytes: isa-l_crypto's rolling_hash2.
    ``before``: as many bytes in front of the text; none: zeros. RuntimeFailure for a window that is not of 1 to 48
    bytes."""
    rolling = _Rolling(window, before)
    return _found(rolling, source, number(mask, "mask", 64), number(trigger, "trigger", 64))


def _found(rolling: _Rolling, source: Any, mask: int, trigger: int) -> Iterator[int]:
    at = 0
    for piece in pieces_of(source):
        for some in rolling.cuts(piece, mask, trigger):
            at += abs(some)
            if some > 0:
                yield at
