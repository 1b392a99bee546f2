"""The state block and the constant pool as a template declares them. An instance is what templates call ``s``."""

from __future__ import annotations

import copy
from dataclasses import replace

from ..core import contract
from ..core.contract import Field
from ..core.ir import Constant
from ..core.isa import Isa


class Layout:
    """Collects fields and constants while a template renders; the operands it returns are text for the parser.

    ``word`` is the algorithm's word in bits. Rows of words are lane-interleaved: word i of all lanes is one vector, or
    several. Rows of blocks hold 16 bytes per lane, in the order in which the lanes sit in the vectors: with G vectors
    of q blocks, slot k of vector g is lane k * G + g, the order that the 4x4 transposition of a hash wants.
    """

    def __init__(self, isa: Isa, lanes: int, word: int):
        self.isa, self.lanes, self.word, self._own_word = isa, lanes, word, word
        self._fields: dict[str, Field] = {}
        self._constants: dict[str, bytes] = {}
        self._steps: dict[str, int] = {}
        self.reads_input = False

    def of_words(self, word: int) -> Layout:
        """Returns a view of this layout whose operands have words of ``word`` bits; fields and constants are shared. A
        text that computes with words of two lengths uses both."""
        other = copy.copy(self)
        other.word = word
        return other

    def need(self, condition: bool, what: str) -> str:
        """ValueError unless the condition holds, which ``what`` says in words."""
        if not condition:
            raise ValueError(f"needs {what}")
        return ""

    # ---- fields

    def _add(self, field: Field) -> str:
        if field.name in self._fields:
            raise ValueError(f"field '{field.name}' is declared twice")
        self._fields[field.name] = field
        return ""

    def pointers(self, name: str) -> str:
        """One 8-byte pointer per lane."""
        self.reads_input |= name == contract.IN
        return self._add(
            Field(name, 0, 1, 8 * self.lanes, 8, tuple(8 * lane for lane in range(self.lanes)), secret=False)
        )

    def pointer_to(self, name: str, size: int, align: int = 1, written: bool = False) -> str:
        """A pointer to ``size`` bytes of a single lane, which any section may read, or write."""
        return self._add(
            Field(name, 0, 1, 8, 8, (0,), secret=False, reach=size, reach_align=align, reach_written=written)
        )

    def job_pointer(self, name: str, size: int, align: int = 1, written: bool = False) -> str:
        """A pointer of a job, of a kernel that takes a list of them: to ``size`` bytes, or to as many of these as
        there are (contract.COUNTED)."""
        return self._add(
            Field(name, 0, 1, 8, 8, (0,), secret=False, reach=size, reach_align=align, reach_written=written)
        )

    def job_word(self, name: str) -> str:
        """A number of a job, of 64 bits."""
        return self._add(Field(name, 0, 1, 8, 8, (0,), secret=False))

    def job_block(self, name: str) -> str:
        """16 bytes in a job that the kernel writes."""
        return self._add(Field(name, 0, 1, 16, 16, (0,)))

    def part(self, names: tuple[str, ...], size: int, written: tuple[str, ...] = (), hashed: bool = False) -> str:
        """Pointers to up to ``size`` bytes, and, where the level masks bytes or what is behind them must be taken away
        (``hashed``), which bytes there are."""
        for name in names:
            self.pointer_to(name, size, written=name in written)
        rows, row = size // self.isa.vector_bytes, 8 if self.isa.masks else self.isa.vector_bytes
        if self.isa.masks or hashed:
            self._add(Field(contract.mask_field(names[0]), 0, rows, row, row, (0,), secret=False, align=row))
        return ""

    def words(self, name: str, rows: int) -> str:
        """``rows`` words per lane, lane-interleaved; where that is several vectors, as unpacking the words of
        ``blocks`` leaves them."""
        size = self.word // 8
        row = size * self.lanes
        of_block = 16 // size
        groups = max(of_block, self.lanes // max(1, self.isa.vector_bytes // 16))
        offsets = tuple(
            self.isa.vector_bytes * (lane % groups // of_block) + size * (lane // groups * of_block + lane % of_block)
            for lane in range(self.lanes)
        )
        return self._add(Field(name, 0, rows, row, size, offsets, align=max(16, min(64, row))))

    def columns(self, name: str, rows: int) -> str:
        """``rows`` rows of a single lane, as long as a vector (scalar: as a word): row i is word i of segments whose
        words lie side by side in the lane's text."""
        size = self.isa.vector_bytes or self.word // 8
        return self._add(Field(name, 0, rows, size, size, (0,), align=max(16, size)))

    def words_of_lane(self, name: str, rows: int) -> str:
        """``rows`` words per lane, each lane's words together and aligned to 16 bytes."""
        size = self.word // 8
        stride = -(-rows * size // 16) * 16
        return self._add(Field(name, 0, rows, size, size, tuple(range(0, self.lanes * stride, stride)), align=16))

    def blocks(self, name: str, rows: int, shared: bool = False, form: str = "") -> str:
        """``rows`` blocks of 16 bytes per lane; ``shared``: one vector of copies of the same block per row."""
        q = max(1, self.isa.vector_bytes // 16)
        entries = q if shared else self.lanes
        groups = max(1, entries // q)
        offsets = tuple(16 * ((lane % groups) * q + lane // groups) for lane in range(entries))
        align = 16 * min(q, entries)
        return self._add(Field(name, 0, rows, 16 * entries, 16, offsets, shared=shared, align=align, form=form))

    def blocks_of_lane(self, name: str, rows: int, form: str = "") -> str:
        """``rows`` blocks of 16 bytes per lane, each lane's together; of several lanes each aligned to 32, so that
        pairs of rows lie in a cache line."""
        stride = -(-rows // 2) * 32
        offsets, align = tuple(range(0, self.lanes * stride, stride)), 32 if self.lanes > 1 else 16
        return self._add(Field(name, 0, rows, 16, 16, offsets, align=align, form=form))

    def consecutive(self, name: str, rows: int, form: str = "") -> str:
        """``rows`` blocks of 16 bytes of a single lane, so that a vector holds rows that follow one another."""
        align = max(16, min(self.isa.vector_bytes, 16 * rows))
        return self._add(Field(name, 0, rows, 16, 16, (0,), align=align, form=form))

    def hand(self, bytes_per_lane: int) -> str:
        """The hand-over buffer: two halves, aligned so that a toggle of one address bit changes the half."""
        half = bytes_per_lane * self.lanes
        return self._add(Field(contract.HAND, 0, 2, half, half, align=2 * half))

    def from_hand(self) -> str:
        return self._add(Field(contract.FROM_HAND, 0, 1, 8, 8, (0,), secret=False))

    def table(self, rows: int) -> str:
        """``rows`` words of a single lane that may be addressed by a computed index."""
        size = self.word // 8
        return self._add(Field(contract.TABLE, 0, rows, size, size, (0,), align=64))

    def scratch(self, size: int) -> str:
        return self._add(Field(contract.SCRATCH, 0, 1, size, size, align=64))

    def ciphertexts(self, size: int) -> str:
        """Working memory for a ciphertext, which is no secret: the runtime does not wipe it."""
        return self._add(Field(contract.SCRATCH_TEXT, 0, 1, size, size, align=64))

    def repeated(self, name: str, count: int, step: int) -> str:
        """Room for copies of ``count`` words of field ``name`` that lie ``step`` bytes apart, a vector for each, where
        an operand cannot repeat a word itself."""
        self._steps[name] = step
        size = self.isa.vector_bytes
        return (
            ""
            if self.isa.broadcast
            else self._add(Field(f"{contract.SCRATCH}_{name}", 0, count, size, size, align=size))
        )

    # ---- operands

    def ciphertext(self, at: int) -> str:
        """The memory operand of what stands ``at`` bytes into the memory for a ciphertext."""
        return f"[state.{contract.SCRATCH_TEXT}+{at}]"

    def row(self, name: str, row: int, vector: int = 0) -> str:
        """The memory operand of one vector of a row."""
        field = self._fields[name]
        offset = row * field.row_bytes + (0 if field.shared else vector * self.isa.vector_bytes)
        return f"[state.{name}+{offset}]"

    def entry(self, index: str, ahead: int = 0) -> str:
        """The memory operand of one word of the table: that of a register's number, and ``ahead`` farther."""
        size = self.word // 8
        return f"[state.{contract.TABLE}+{index}*{size}+{ahead * size}]"

    def lane_row(self, name: str, lane: int, word: int) -> str:
        """The memory operand that begins at one row of a lane."""
        field = self._fields[name]
        return f"[state.{name}+{field.lane_offsets[lane] + word * field.row_bytes}]"

    def repeated_word(self, name: str, n: int) -> str:
        """The operand that has one of the words of ``repeated`` in every word of a vector."""
        if self.isa.broadcast:
            return f"keep[state.{name}+{n * self._steps[name]}]{{1to{self.isa.vector_bits // self.word}}}"
        return f"[state.{contract.SCRATCH}_{name}+{n * self.isa.vector_bytes}]"

    def key(self, row: int, vector: int = 0) -> str:
        return "keep" + self.row(contract.KEY, row, vector)

    def pointer(self, name: str, lane: int) -> str:
        return f"[state.{name}+{8 * lane}]"

    # ---- constants

    def constant(self, value: int) -> str:
        """A word constant as an operand: an immediate, a broadcast, or a vector of copies."""
        data = value.to_bytes(self.word // 8, "little")
        if self.isa.words == "g":
            signed = value - (1 << self.word) if value >> (self.word - 1) else value
            return str(signed) if -(1 << 31) <= signed < 1 << 31 else f"keep[@{self._constant(f'w{value:x}', data)}]"
        if self.isa.broadcast:
            name = f"w{value:x}" if self.word == self._own_word else f"w{value:x}_{self.word}"
            return f"keep[@{self._constant(name, data)}]{{1to{self.isa.vector_bits // self.word}}}"
        return f"keep[@{self._constant(f'w{value:x}', data * (self.isa.vector_bytes // len(data)))}]"

    def pattern(self, name: str, data: list[int]) -> str:
        """A byte pattern repeated over the vector, as a kept operand (shuffle controls)."""
        raw = bytes(data)
        return f"keep[@{self._constant(name, raw * (self.isa.vector_bytes // len(raw)))}]"

    def vector(self, name: str, words: list[int]) -> str:
        """Words in memory order, repeated over the vector, as a kept operand."""
        raw = b"".join(w.to_bytes(self.word // 8, "little") for w in words)
        return f"keep[@{self._constant(name, raw * (self.isa.vector_bytes // len(raw)))}]"

    def _constant(self, name: str, data: bytes) -> str:
        if self._constants.setdefault(name, data) != data:
            raise ValueError(f"constant '{name}' has two values")
        return name

    # ---- results

    def fields(self) -> tuple[Field, ...]:
        """The fields with their offsets: largest alignment first, so that nothing is wasted between them."""
        if any(name in self._fields for name in contract.LISTED_TEXTS):
            return tuple(replace(field, offset=contract.JOB[name]) for name, field in self._fields.items())
        placed, offset = [], 0
        for field in sorted(self._fields.values(), key=lambda f: -f.align):
            offset = -(-offset // field.align) * field.align
            placed.append(replace(field, offset=offset))
            offset += field.size
        return tuple(placed)

    def constants(self) -> tuple[Constant, ...]:
        return tuple(Constant(name, data) for name, data in self._constants.items())
