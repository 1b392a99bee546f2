"""Runs a kernel's machine code in this process, without the runtime: LLVM MC's bytes on pages of our own."""

from __future__ import annotations

import ctypes
import mmap

from cryptostitch.contract import Field
from cryptostitch.emit.objects import machine_code
from cryptostitch.passes.frame import frame
from cryptostitch.program import Recipe


class _Args(ctypes.Structure):
    _fields_ = [("iterations", ctypes.c_uint64), ("state", ctypes.c_void_p * 4)]


class NativeKernel:
    """One kernel and a state block for each of its streams."""

    def __init__(self, recipe: Recipe, code: bytes | None = None):
        self.recipe = recipe
        code = code or machine_code([frame(recipe)])[recipe.name]
        self._pages = mmap.mmap(-1, len(code), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._pages.write(code)
        self._function = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Args))(ctypes.addressof(ctypes.c_char.from_buffer(self._pages)))
        self.states = []
        self._raw = []
        for part in recipe.parts:
            contract = part.program.contract
            raw = ctypes.create_string_buffer(contract.state_bytes + contract.state_align)
            base = -(-ctypes.addressof(raw) // contract.state_align) * contract.state_align
            self._raw.append(raw)
            self.states.append(base)
        for index, part in enumerate(recipe.parts):
            if part.program.contract.has("from"):
                producers = [i for i, p in enumerate(recipe.parts) if p.program.contract.has("hand")]
                consumers = [i for i, p in enumerate(recipe.parts) if p.program.contract.has("from")]
                producer = producers[consumers.index(index)]
                hand = recipe.parts[producer].program.contract.field("hand")
                self.put(index, "from", 0, 0, (self.states[producer] + hand.offset).to_bytes(8, "little"))

    def field(self, stream: int, name: str) -> Field:
        return self.recipe.parts[stream].program.contract.field(name)

    def _address(self, stream: int, name: str, row: int, lane: int) -> int:
        field = self.field(stream, name)
        return self.states[stream] + field.offset + row * field.row_bytes + field.lane_offsets[lane]

    def put(self, stream: int, name: str, row: int, lane: int, data: bytes) -> None:
        ctypes.memmove(self._address(stream, name, row, lane), data, len(data))

    def get(self, stream: int, name: str, row: int, lane: int) -> bytes:
        return ctypes.string_at(self._address(stream, name, row, lane), self.field(stream, name).entry_bytes)

    def run(self, iterations: int) -> None:
        args = _Args(iterations, (ctypes.c_void_p * 4)(*self.states))
        self._function(ctypes.byref(args))
