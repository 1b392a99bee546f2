"""What can run a kernel's bytes: this CPU, the instruction model, an emulator. All take their memory from a
``Memory``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Access:
    """One memory access. ``write``: stored to. Addresses that are only computed (lea, hints) are not accesses."""

    address: int
    size: int
    write: bool


@dataclass(frozen=True)
class Step:
    """One executed instruction: its offset from the kernel's first byte, and what it accessed."""

    offset: int
    accesses: tuple[Access, ...]


@dataclass(frozen=True)
class Outcome:
    """``fault``: why the run ended before the kernel returned, as a sentence; empty when it returned.
    ``trace`` is empty unless it was asked for."""

    fault: str = ""
    trace: tuple[Step, ...] = ()


class Machine(Protocol):
    """Blocks of memory, each apart from the others, and a way to run code on them.

    An access outside every block, or a store to a block that is not writable, ends the run with a fault. A machine is
    used for one scene after the other; ``reset`` frees all blocks.
    """

    def take(self, name: str, size: int, align: int, writable: bool) -> int:
        """Returns the address of a new block of zeros. The memory right before and right after it faults, as far as
        ``align`` allows."""

    def write(self, address: int, data: bytes) -> None: ...

    def read(self, address: int, size: int) -> bytes: ...

    def run(self, code: bytes, argument: int, trace: bool = False) -> Outcome:
        """Calls ``code`` (SysV) with ``argument`` in the first argument's register. The code's constants follow it
        inside ``code``."""

    def reset(self) -> None: ...
