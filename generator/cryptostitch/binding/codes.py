"""Erasure codes (cst_code): `ErasureCode`. Blocks are not copied, and the interpreter's lock is released while the
library works; one code may be used by several threads."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from ctypes import byref, c_int, c_uint8, c_uint64, c_void_p
from typing import Any

from .base_key import BaseKey
from .capi import CODE_CAUCHY, CODE_VANDERMONDE, ERR_ARGUMENT, NAME_KERNEL, CodeShape
from .handles import Handle, make
from .library import Library, wanted
from .many import shared_context
from .values import Buffer, name, number, place, several

_NO_CHECKSUM = "the key is not one of a checksum, or a checksum has more bits than it"
MATRICES = {"cauchy": CODE_CAUCHY, "vandermonde": CODE_VANDERMONDE}


class ErasureCode(Handle):
    """``data`` blocks of data and ``parity`` of parity, at most 255 together; with "cauchy" any ``parity`` of them may
    be lost; "vandermonde" is RAID-6's P and Q. RuntimeFailure for what is not a code; ValueError for another matrix,
    and everywhere for blocks that are not as many, or not all of one length.
    """

    _what = "code"

    def __init__(
        self, data: int, parity: int, matrix: str = "cauchy", context: Library | None = None, kernel: str | None = None
    ):
        if matrix not in MATRICES:
            raise ValueError(f"no matrix {matrix!r}: {' or '.join(MATRICES)}")
        self._context = shared_context() if context is None else wanted(Library, context, "the context")
        self.lib = self._context.lib
        forced = None if kernel is None else name(kernel, "the name of a kernel")
        shape = CodeShape(data=data, parity=parity, matrix=MATRICES[matrix], kernel=forced)
        self.data, self.parity = shape.data, shape.parity
        of = self._context.live()
        code, self._owned = make(self.lib.cst_code_new, self.lib.cst_code_free, of, of.pointer, byref(shape))
        cause = f"{data} blocks of data and {parity} of parity: each at least 1, together at most 255"
        self._context.check(code, kernel or "", NAME_KERNEL, cause if code == ERR_ARGUMENT else "")

    def encode(self, data: Sequence[Buffer]) -> list[bytearray]:
        """The parities."""
        size, blocks, keep = self._blocks(data, self.data)
        parity = [bytearray(size) for _ in range(self.parity)]
        out = self._blocks(parity, self.parity, written=True)
        code = self.call(self.lib.cst_code_encode, size, blocks, out[1])
        del keep
        self._context.check(code)
        return parity

    def update(self, index: int, change: Buffer, parity: Sequence[Buffer]) -> None:
        """Block ``index`` of data has changed: ``change`` is the exclusive-or of what it was and is. Changes the
        parities, which are writable buffers. IndexError where there is no such block."""
        size, address, blocks, keep = self._change(index, change, parity)
        code = self.call(self.lib.cst_code_update, size, index, address, blocks)
        del keep
        self._context.check(code)

    def decode(self, blocks: Sequence[Buffer | None]) -> list[Any]:
        """Restores lost blocks. ``blocks``: all of them, data, then parity; None for each that is lost. Returns all
        blocks."""
        whole = list(several(blocks))
        there = [block for block in whole if block is not None]
        size = self._blocks(there, len(there))[0] if there else 0
        lost = (c_uint8 * len(whole))(*(block is None for block in whole))
        whole = [bytearray(size) if block is None else block for block in whole]
        size, addresses, keep = self._blocks(whole, self.data + self.parity)
        code = self.call(self.lib.cst_code_decode, size, addresses, lost)
        del keep
        self._context.check(code)
        return whole

    def check(self, blocks: Sequence[Buffer]) -> bool:
        """Whether all parities are those of the data."""
        size, addresses, keep = self._blocks(blocks, self.data + self.parity)
        right = c_int()
        code = self.call(self.lib.cst_code_check, size, addresses, byref(right))
        del keep
        self._context.check(code)
        return bool(right.value)

    def encode_checked(self, data: Sequence[Buffer], key: BaseKey) -> tuple[list[bytearray], list[int]]:
        """The parities, and a checksum of every block, of all data, then of all parity, in one pass over memory
        (cst_code_encode_checked). ``key``: of a checksum (`Key`, `CrcKey`)."""
        size, blocks, keep = self._blocks(data, self.data)
        parity = [bytearray(size) for _ in range(self.parity)]
        out = self._blocks(parity, self.parity, written=True)
        sums = (c_uint64 * (self.data + self.parity))()
        self._checked(self.lib.cst_code_encode_checked, key, size, blocks, out[1], sums)
        del keep
        return parity, list(sums)

    def update_checked(
        self, index: int, change: Buffer, parity: Sequence[Buffer], checksums: Sequence[int], key: BaseKey
    ) -> list[int]:
        """Updates parities as `update` does, and returns the new checksums of all blocks (cst_code_update_checked)."""
        size, address, blocks, keep = self._change(index, change, parity)
        sums = self._checksums(checksums)
        self._checked(self.lib.cst_code_update_checked, key, size, index, address, blocks, sums)
        del keep
        return list(sums)

    def check_blocks(self, blocks: Sequence[Buffer], checksums: Sequence[int], key: BaseKey) -> tuple[list[int], bool]:
        """The numbers of the blocks whose checksums are others (those to pass to `decode` as None), and whether there
        are none and all parities are those of the data (cst_code_check_blocks)."""
        size, addresses, keep = self._blocks(blocks, self.data + self.parity)
        bad, right = (c_uint8 * (self.data + self.parity))(), c_int()
        self._checked(
            self.lib.cst_code_check_blocks, key, size, addresses, self._checksums(checksums), bad, byref(right)
        )
        del keep
        return [i for i, wrong in enumerate(bad) if wrong], bool(right.value)

    def _change(self, index: int, change: Buffer, parity: Sequence[Buffer]) -> tuple[int, int, Any, list[Any]]:
        """Bytes of a block; the address of the change of block ``index``; an array of pointers to the parities; what
        must live as long."""
        if number(index, "the number of a block", 32) >= self.data:
            raise IndexError(f"no block {index} of data: there are {self.data}")
        size, blocks, keep = self._blocks(parity, self.parity, written=True)
        address, length, kept = place(change)
        if length != size:
            raise ValueError(f"a change of {length} bytes, of blocks of {size}")
        return size, address or _NOWHERE, blocks, [*keep, kept]

    def _checked(self, function: Any, key: BaseKey, *arguments: Any) -> None:
        of = wanted(BaseKey, key, "the key").live()
        code: int = self.call(function, of.pointer, *arguments)
        self._context.check(code, cause=_NO_CHECKSUM if code == ERR_ARGUMENT else "")

    def _checksums(self, checksums: Sequence[int]) -> Any:
        found = [number(value, "a checksum") for value in several(checksums)]
        if len(found) != self.data + self.parity:
            raise ValueError(f"{len(found)} checksums, not {self.data + self.parity}")
        return (c_uint64 * len(found))(*found)

    @staticmethod
    def _blocks(buffers: Iterable[Any], count: int, written: bool = False) -> tuple[int, Any, list[Any]]:
        """Bytes of each; an array of pointers; what must live as long."""
        found = [place(buffer, written) for buffer in several(buffers)]
        if len(found) != count:
            raise ValueError(f"{len(found)} blocks, not {count}")
        sizes = {size for _, size, _ in found}
        if len(sizes) != 1:
            raise ValueError(f"blocks of {min(sizes)} and of {max(sizes)} bytes")
        # An empty one has no address, and every block must have one.
        addresses = [address or _NOWHERE for address, _, _ in found]
        return sizes.pop(), (c_void_p * count)(*addresses), [keep for _, _, keep in found]


_EMPTY = (c_uint8 * 1)()
_NOWHERE = ctypes.addressof(_EMPTY)
