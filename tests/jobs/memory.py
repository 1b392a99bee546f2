"""Where the buffers of jobs lie: in one arena at any alignment with gaps between them, or each at the edge of its own
pages between pages without access.

Both keep a copy of what must be there: ``expect`` says what a call may change, ``problem`` finds everything else.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random

PAGE = 4096
GAP = 64
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PROT_NONE = 0


class Memory:
    """``raw``: all bytes; ``used``: how many of them, from the first on, buffers lie in."""

    def __init__(self, raw: bytearray | mmap.mmap):
        self.raw, self.wanted, self.used = raw, bytearray(raw[:]), 0

    def put(self, content: bytes, shift: int = 0, writable: bool = True) -> int:
        """The address of a new buffer. ``shift``: its address modulo 64, where that can be chosen."""
        offset = self.place(len(content), shift)
        self.raw[offset : offset + len(content)] = content
        self.wanted[offset : offset + len(content)] = content
        return self.address(offset, writable)

    def expect(self, address: int, content: bytes) -> None:
        offset = self.offset(address)
        self.wanted[offset : offset + len(content)] = content

    def right(self, address: int, size: int) -> bool:
        """Whether these bytes are as expected."""
        offset = self.offset(address)
        return self.raw[offset : offset + size] == self.wanted[offset : offset + size]

    def problem(self) -> str:
        """Says where the first unexpected byte is; empty when there is none."""
        if self.raw[: self.used] == self.wanted[: self.used]:
            return ""
        at = next(i for i in range(self.used) if self.raw[i] != self.wanted[i])
        return f"byte {at} of the memory is {self.raw[at]:#04x}, not {self.wanted[at]:#04x}"

    def clear(self) -> None:
        """Forgets all buffers."""
        self.wanted[: self.used] = self.raw[: self.used]
        self.used = 0

    def place(self, size: int, shift: int) -> int:
        raise NotImplementedError

    def address(self, offset: int, writable: bool) -> int:
        raise NotImplementedError

    def offset(self, address: int) -> int:
        raise NotImplementedError


class Arena(Memory):
    """Random bytes; buffers have GAP of them on either side."""

    def __init__(self, size: int = 8 << 20):
        self.bytes = bytearray(random.Random(size).randbytes(size))
        array = (ctypes.c_char * size).from_buffer(self.bytes)
        self.base = ctypes.addressof(array)
        self._keep = array
        super().__init__(self.bytes)

    def place(self, size: int, shift: int) -> int:
        start = self.base + self.used + GAP
        offset = self.used + GAP + (shift - start) % 64
        if offset + size + GAP > len(self.bytes):
            raise MemoryError(f"the arena has {len(self.bytes)} bytes")
        self.used = offset + size + GAP
        return offset

    def address(self, offset: int, writable: bool) -> int:
        return self.base + offset

    def offset(self, address: int) -> int:
        return address - self.base


class Guarded(Memory):
    """Slots of a few pages with a page without access before and behind each; a buffer begins or ends where its slot
    does. The same file is mapped twice: inputs get addresses where nothing can be written."""

    def __init__(self, slots: int, pages: int, at_end: bool):
        self.slots, self.pages, self.at_end = slots, pages, at_end
        self.stride = (pages + 1) * PAGE
        self.size = slots * self.stride + PAGE
        file = os.memfd_create("buffers")
        os.ftruncate(file, self.size)
        self.map = mmap.mmap(file, self.size)
        self.read_only = self._guarded(file, mmap.PROT_READ)
        self.writable = self._guarded(file, mmap.PROT_READ | mmap.PROT_WRITE)
        os.close(file)
        super().__init__(self.map)

    def _guarded(self, file: int, protection: int) -> int:
        base = LIBC.mmap(None, self.size, protection, mmap.MAP_SHARED, file, 0)
        if base in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), "mmap")
        for guard in range(0, self.size, self.stride):
            if LIBC.mprotect(base + guard, PAGE, PROT_NONE):
                raise OSError(ctypes.get_errno(), "mprotect")
        return base

    def place(self, size: int, shift: int) -> int:
        slot = self.used // self.stride
        if slot == self.slots or size > self.pages * PAGE:
            raise MemoryError(f"{self.slots} slots of {self.pages} pages")
        self.used = (slot + 1) * self.stride
        first = slot * self.stride + PAGE
        return first + self.pages * PAGE - size if self.at_end else first

    def address(self, offset: int, writable: bool) -> int:
        return (self.writable if writable else self.read_only) + offset

    def offset(self, address: int) -> int:
        base = next(base for base in (self.read_only, self.writable) if base <= address < base + self.size)
        return address - base
