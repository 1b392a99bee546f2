"""The intermediate representation: plain, immutable data with no behaviour of its own.

One instruction type serves every stage. A register is *virtual* (``Reg.id`` is a name, as the template wrote it),
*window-relative* (``Reg.id`` is an index into the stream's window) or *physical* (``Reg.id`` is the number that the
instruction encoding uses, and ``Reg.physical`` is true).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

VECTOR, GENERAL, MASK = "v", "g", "k"

STATE = "state"
"""The virtual general register that holds the address of the stream's state block. Its window index is always 0."""


@dataclass(frozen=True, slots=True)
class Reg:
    """One register operand. ``bits`` is the width of this use: 128/256/512, 32/64, or 64 for a mask."""

    cls: str
    id: str | int
    bits: int
    physical: bool = False

    @property
    def key(self) -> tuple[str, str | int]:
        """The register itself, whatever the width of the use."""
        return (self.cls, self.id)

    @property
    def number(self) -> int:
        """The id of a register that is not virtual."""
        assert isinstance(self.id, int)
        return self.id


XMM0, RDX = Reg(VECTOR, 0, 128, physical=True), Reg(GENERAL, 2, 64, physical=True)
SHARED = {"xmm0": XMM0, "rdx": RDX}
"""What sha256rnds2 and mulx read without naming it. Streams share these registers outside their windows: they hold a
value only within a glued run."""


@dataclass(frozen=True, slots=True)
class Mem:
    """A memory operand.

    ``base`` is a general register, or None when ``symbol`` names an entry of the stream's constant pool (then the
    address is RIP-relative). ``bits`` is the number of bits that are accessed in memory (0: only the address counts, as
    for lea); for an embedded broadcast ``broadcast`` is the number of copies (``{1to16}``) and ``bits`` is the width of
    one element.
    """

    base: Reg | None
    disp: int = 0
    bits: int = 0
    index: Reg | None = None
    scale: int = 1
    broadcast: int = 0
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Imm:
    value: int


Operand = Reg | Mem | Imm


@dataclass(frozen=True, slots=True)
class Place:
    """The source lines of an instruction: ``places[0]`` is the algorithm's line, ``places[-1]`` the vocabulary's."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Ins:
    """One instruction. ``glue`` means: the weave must not put anything between this and the next instruction."""

    op: str
    operands: tuple[Operand, ...] = ()
    mask: Reg | None = None
    zeroing: bool = False
    glue: bool = False
    places: tuple[Place, ...] = field(default=(), compare=False)

    def register(self, index: int) -> Reg:
        """The operand, which is a register."""
        operand = self.operands[index]
        assert isinstance(operand, Reg)
        return operand

    def memory(self, index: int) -> Mem:
        """The operand, which is in memory."""
        operand = self.operands[index]
        assert isinstance(operand, Mem)
        return operand

    def immediate(self, index: int) -> int:
        """The operand's value, which is immediate."""
        operand = self.operands[index]
        assert isinstance(operand, Imm)
        return operand.value

    def registers(self) -> Iterator[Reg]:
        """Yields every register of the operands, also those of addresses."""
        for operand in self.operands:
            if isinstance(operand, Reg):
                yield operand
            elif isinstance(operand, Mem):
                if operand.base is not None:
                    yield operand.base
                if operand.index is not None:
                    yield operand.index
        if self.mask is not None:
            yield self.mask

    def rename(self, to: Callable[[Reg], Reg]) -> Ins:
        """Returns the instruction with ``to`` applied to every register."""

        def operand(o: Operand) -> Operand:
            if isinstance(o, Reg):
                return to(o)
            if isinstance(o, Mem):
                base = to(o.base) if o.base is not None else None
                index = to(o.index) if o.index is not None else None
                return o if (base is o.base and index is o.index) else replace(o, base=base, index=index)
            return o

        mask = to(self.mask) if self.mask is not None else None
        return Ins(self.op, tuple(operand(o) for o in self.operands), mask, self.zeroing, self.glue, self.places)


@dataclass(frozen=True, slots=True)
class Constant:
    """An entry of the constant pool: read-only bytes that follow the code, aligned to their own size (at most 64)."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Window:
    """How many registers of each class a stream occupies. General register 0 is the state pointer."""

    vectors: int = 0
    generals: int = 0
    masks: int = 0


@dataclass(frozen=True)
class Code:
    """The three parts of a stream. ``enter`` runs once, ``body`` once per iteration, ``leave`` once."""

    enter: tuple[Ins, ...]
    body: tuple[Ins, ...]
    leave: tuple[Ins, ...]

    def sections(self) -> tuple[tuple[str, tuple[Ins, ...]], ...]:
        return (("enter", self.enter), ("body", self.body), ("leave", self.leave))
