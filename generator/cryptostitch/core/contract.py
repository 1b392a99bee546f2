"""What a stream promises: its state block, the memory that it touches, the features that it needs."""

from __future__ import annotations

from dataclasses import dataclass

from .ir import Constant

# What a field of the state block is for. The names are the ones that the runtime looks for.
IN = "in"  # one pointer per lane: `bytes` are read from it per iteration
OUT = "out"  # one pointer per lane: `bytes` are written to it per iteration
CHAIN = "chain"  # the chaining value: hash state, or last ciphertext block
KEY = "key"  # round keys; `shared` when every entry holds the same key
HAND = "hand"  # two buffers in which the producer leaves its blocks for the next stream
FROM_HAND = "from"  # one pointer: the producer's HAND field
SPILL = "spill"  # slots of the register allocator
SCRATCH = "scratch"  # working memory of the stream
TABLE = "table"  # the only field whose entries may be addressed by a computed index


@dataclass(frozen=True)
class Field:
    """One field of the state block: `rows` rows of `row_bytes`; entry (row, lane) of `entry_bytes` bytes lies at
    ``offset + row * row_bytes + lane_offsets[lane]``. Fields without lanes (spill, hand) have no lane_offsets.

    ``secret`` says whether the contents may depend on keys or data; pointers are public.
    """

    name: str
    offset: int
    rows: int
    row_bytes: int
    entry_bytes: int
    lane_offsets: tuple[int, ...] = ()
    secret: bool = True
    shared: bool = False
    align: int = 8

    @property
    def size(self) -> int:
        """Bytes from the first entry to the end of the last; lanes may lie side by side in a row, or one behind the
        other."""
        return max(
            self.rows * self.row_bytes,
            (self.rows - 1) * self.row_bytes + max(self.lane_offsets, default=0) + self.entry_bytes,
        )


@dataclass(frozen=True)
class Contract:
    """Everything that a caller of the stream, and the verifier, must know about it."""

    lanes: int
    bytes: int  # bytes per lane and iteration
    fields: tuple[Field, ...]
    state_bytes: int  # a multiple of state_align
    state_align: int
    reads_input: bool = True  # reads `bytes` at IN[lane] + position each iteration (or from FROM_HAND)
    constants: tuple[Constant, ...] = ()
    features: frozenset[str] = frozenset()

    def field(self, name: str) -> Field:
        for f in self.fields:
            if f.name == name:
                return f
        raise KeyError(name)

    def has(self, name: str) -> bool:
        return any(f.name == name for f in self.fields)
