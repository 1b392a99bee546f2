"""A whole kernel in physical registers: what `passes/frame.py` makes and `emit`, `verify` and `show` read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .ir import Ins
from .program import Recipe
from .registers import Binding

SECTIONS = ("entry", "enter", "ramp", "loop", "drain", "leave", "wipe", "exit")


class Item(NamedTuple):
    """One line of a kernel.

    ``stream`` is None for what the frame adds. ``ins`` is None for a label, which ``label`` then defines; on a jump
    ``label`` is the target. ``section`` says which part of the kernel the line belongs to.
    """

    stream: int | None
    ins: Ins | None
    label: str | None = None
    section: str = ""


@dataclass(frozen=True)
class PoolEntry:
    """Constant bytes at ``offset`` from the start of the pool; ``label`` is what ``Mem.symbol`` says in the kernel."""

    label: str
    offset: int
    data: bytes


@dataclass(frozen=True)
class Kernel:
    name: str
    abi: str  # 'sysv' or 'win64'
    recipe: Recipe
    binding: Binding
    items: tuple[Item, ...]
    pool: tuple[PoolEntry, ...]  # follows the code at the next multiple of 64

    @property
    def pool_bytes(self) -> bytes:
        return b"".join(entry.data for entry in self.pool)

    @property
    def loop(self) -> list[int]:
        """The numbers of the items that are repeated: the loop; of a list of messages without one, what is done for
        each."""
        sections = ("loop",) if any(item.section == "loop" for item in self.items) else ("enter", "leave")
        return [i for i, item in enumerate(self.items) if item.section in sections]

    def instructions(self) -> list[Ins]:
        return [item.ins for item in self.items if item.ins is not None]
