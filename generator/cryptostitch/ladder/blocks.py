"""Blocks of memory at made-up addresses, far from each other; every access is checked."""

from __future__ import annotations

from dataclasses import dataclass

SPACING = 1 << 32
"""From one block's slot to the next: no displacement reaches from one into another."""

FIRST_SLOT = 16
"""The slots before it are for code and stack."""


class Fault(Exception):
    """Ends a run; the message is a sentence."""


@dataclass
class Block:
    name: str
    address: int
    data: bytearray
    writable: bool

    @property
    def end(self) -> int:
        return self.address + len(self.data)


class Blocks:
    """Addresses depend on the order, sizes and alignments of the blocks only. A block that is to be aligned to n bytes
    is not aligned to 2n."""

    def __init__(self) -> None:
        self._slots: dict[int, Block] = {}
        self._next = FIRST_SLOT

    def take(self, name: str, data: bytearray, align: int, writable: bool) -> Block:
        """A new block in a slot of its own."""
        self._next += 1
        return self.place(Block(name, self._next * SPACING + (1 << 20) + align, data, writable))

    def place(self, block: Block) -> Block:
        """Puts a block at its own address, in place of what was in that slot."""
        self._slots[block.address // SPACING] = block
        return block

    def all(self) -> list[Block]:
        return list(self._slots.values())

    def reset(self) -> None:
        self._slots.clear()
        self._next = FIRST_SLOT

    def find(self, address: int, size: int, write: bool = False) -> Block:
        """The block that holds these bytes. Raises Fault when none does, or when it may not be written."""
        block = self._slots.get(address // SPACING)
        if block is None or address < block.address or address + size > block.end:
            raise Fault(f"{'stores' if write else 'loads'} {size} bytes {self._where(address, block)}")
        if write and not block.writable:
            raise Fault(f"stores {size} bytes {self._where(address, block)}, which may only be read")
        return block

    @staticmethod
    def _where(address: int, block: Block | None) -> str:
        if block is None:
            return f"at {address:#x}, where nothing is"
        return f"at byte {address - block.address} of '{block.name}' ({len(block.data)} bytes)"
