"""State blocks of raw kernels: what the caller of one fills, by the names of its fields."""

import ctypes

from cryptostitch.binding.runtime import RawKernel


class State:
    """The state block of one stream of a kernel."""

    def __init__(self, kernel: RawKernel, number: int = 0) -> None:
        self.stream = kernel.streams[number]
        align = max(64, self.stream.state_align)
        self.memory = ctypes.create_string_buffer(self.stream.state_bytes + align)
        self.address = -(-ctypes.addressof(self.memory) // align) * align

    def put(self, field: str, value: bytes, row: int = 0) -> None:
        ctypes.memmove(self.address + self.stream.entry(field, row), value, len(value))

    def put_rows(self, field: str, rows: list[bytes]) -> None:
        for row, value in enumerate(rows):
            self.put(field, value, row)

    def point(self, field: str, target: ctypes.Array) -> None:
        self.put(field, ctypes.addressof(target).to_bytes(8, "little"))

    def get(self, field: str) -> bytes:
        """16 bytes: a chaining value."""
        return ctypes.string_at(self.address + self.stream.entry(field), 16)

    def wipe(self) -> None:
        ctypes.memset(ctypes.addressof(self.memory), 0, len(self.memory))
