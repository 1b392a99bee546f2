"""Erasure codes (cst_code): `ErasureCode`. Blocks are not copied, and the interpreter's lock is released while the
library works; one code may be used by several threads."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_int, c_uint8, c_void_p
from typing import Any

from .capi import CODE_CAUCHY, CODE_VANDERMONDE, CodeShape
from .jobs import address_of
from .many import shared_context
from .runtime import Context

MATRICES = {"cauchy": CODE_CAUCHY, "vandermonde": CODE_VANDERMONDE}


class ErasureCode:
    """``data`` blocks of data and ``parity`` of parity, at most 255 together; with "cauchy" any ``parity`` of them may
    be lost; "vandermonde" is RAID-6's P and Q. RuntimeFailure for what is not a code; ValueError for another matrix,
    and everywhere for blocks that are not as many, or not all of one length.
    """

    def __init__(
        self, data: int, parity: int, matrix: str = "cauchy", context: Context | None = None, kernel: str | None = None
    ):
        if matrix not in MATRICES:
            raise ValueError(f"no matrix {matrix!r}: {' or '.join(MATRICES)}")
        self.data, self.parity = data, parity
        self._context = context or shared_context()
        self._handle = c_void_p()
        shape = CodeShape(data=data, parity=parity, matrix=MATRICES[matrix], kernel=kernel and kernel.encode())
        code = self._context.lib.cst_code_new(self._context.handle, byref(shape), byref(self._handle))
        self._context.check(code, kernel or "")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._context.lib.cst_code_free(self._handle)

    def encode(self, data: Sequence[Any]) -> list[bytearray]:
        """The parities."""
        size, blocks, keep = self._blocks(data, self.data)
        parity = [bytearray(size) for _ in range(self.parity)]
        out = self._blocks(parity, self.parity, written=True)
        self._context.check(self._context.lib.cst_code_encode(self._handle, size, blocks, out[1]))
        del keep
        return parity

    def update(self, index: int, change: Any, parity: Sequence[Any]) -> None:
        """Block ``index`` of data has changed: ``change`` is the exclusive-or of what it was and is. Changes the
        parities, which are writable buffers."""
        size, blocks, keep = self._blocks(parity, self.parity, written=True)
        address, length, kept = address_of(change, False)
        if length != size:
            raise ValueError(f"a change of {length} bytes, of blocks of {size}")
        self._context.check(self._context.lib.cst_code_update(self._handle, size, index, address, blocks))
        del keep, kept

    def decode(self, blocks: Sequence[Any]) -> list[Any]:
        """All blocks, data and then parity; None is one that is lost, in whose place a new one comes."""
        if len(blocks) != self.data + self.parity:
            raise ValueError(f"{len(blocks)} blocks, not {self.data + self.parity}")
        size = next((memoryview(b).nbytes for b in blocks if b is not None), 0)
        whole = [bytearray(size) if b is None else b for b in blocks]
        size, addresses, keep = self._blocks(whole, len(whole))
        lost = (c_uint8 * len(blocks))(*(b is None for b in blocks))
        self._context.check(self._context.lib.cst_code_decode(self._handle, size, addresses, lost))
        del keep
        return whole

    def check(self, blocks: Sequence[Any]) -> bool:
        """Whether all parities are those of the data."""
        size, addresses, keep = self._blocks(blocks, self.data + self.parity)
        right = c_int()
        self._context.check(self._context.lib.cst_code_check(self._handle, size, addresses, byref(right)))
        del keep
        return bool(right.value)

    @staticmethod
    def _blocks(buffers: Sequence[Any], count: int, written: bool = False) -> tuple[int, Any, list[Any]]:
        """Bytes of each; an array of pointers; what must live as long."""
        if len(buffers) != count:
            raise ValueError(f"{len(buffers)} blocks, not {count}")
        found = [address_of(buffer, written) for buffer in buffers]
        sizes = {size for _, size, _ in found}
        if len(sizes) != 1:
            raise ValueError(f"blocks of {min(sizes)} and of {max(sizes)} bytes")
        # An empty one has no address, and every block must have one.
        addresses = [address or ctypes.addressof(_EMPTY) for address, _, _ in found]
        return sizes.pop(), (c_void_p * count)(*addresses), [keep for _, _, keep in found]


_EMPTY = (c_uint8 * 1)()
