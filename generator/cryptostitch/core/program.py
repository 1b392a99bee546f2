"""What the passes hand to one another: a compiled stream, the recipe that says which streams make a kernel, and what a
pack says about algorithms and costs. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from .contract import Contract
from .ir import Code, Window
from .kinds import KINDS
from .tree import Tree


@dataclass(frozen=True)
class Program:
    """A stream after allocation. ``code`` is window-relative, so any place in the register file will do.

    ``homes`` says where each loop-carried value (and each kept memory operand that got a register) lives at the head of
    the loop: virtual name -> (register class, window index). It is for the verifier; packs do not hold it.
    """

    name: str  # <stream>@<isa>#<vector budget>
    stream: str  # e.g. sha1_x16
    algorithm: str  # e.g. sha1; the name of the pack's algorithm record
    isa: str
    code: Code
    window: Window
    contract: Contract
    homes: dict[str, tuple[str, int]] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Part:
    """One stream of a kernel.

    ``ratio``: bodies per iteration of the kernel. ``lead``: how far ahead of the others the stream runs inside one
    iteration, in 1/1024 of an iteration. ``lag``: how many iterations the stream runs behind.
    """

    program: Program
    ratio: int = 1
    lead: int = 0
    lag: int = 0


@dataclass(frozen=True)
class Recipe:
    """A kernel before it is woven. ``static``: also shipped as an object that needs no assembler at run time."""

    name: str
    target: str
    parts: tuple[Part, ...]
    strategy: str = "proportional"
    static: bool = False

    @property
    def features(self) -> frozenset[str]:
        return frozenset().union(*(part.program.contract.features for part in self.parts))

    @property
    def lag(self) -> int:
        return max(part.lag for part in self.parts)

    @property
    def skips(self) -> bool:
        """Whether a call may have no iterations: there is work behind the loop, a text's end."""
        return not self.lag and self.ends and not self.is_listed

    @property
    def is_listed(self) -> bool:
        """Whether a call takes a list of messages (Contract.is_listed), whose number is what else counts iterations."""
        return self.parts[0].program.contract.is_listed

    @property
    def ends(self) -> bool:
        """Whether a call is a whole message, whose end is no iteration."""
        return any(part.program.contract.is_message or part.program.contract.is_listed for part in self.parts)

    def counts(self, *more: int) -> tuple[int, ...]:
        """Returns the iterations of consecutive calls: each of ``more``, plus the lag. A message, or a list of them,
        is a single call, and a short message has no iterations."""
        contract = self.parts[0].program.contract
        if contract.is_message:
            return (0 if contract.is_short else self.lag + sum(more),)
        if contract.is_listed:
            return (sum(more),)
        return tuple(self.lag + n for n in more)


FLAGS = {"big_endian": 1, "extendable": 2, "hmac": 4, "leaves": 8}
"""The flags of an algorithm's record, each with its bit in the pack."""
DERIVED_MARK = "~"
HASH, CIPHER_ENC, CIPHER_DEC = (KINDS[kind].number for kind in ("hash", "cipher_enc", "cipher_dec"))


@dataclass(frozen=True)
class Algorithm:
    """What the runtime must know to pad, key and chain an algorithm; the fields are those of the pack's record."""

    name: str
    suite: str
    kind: int
    block_bytes: int
    word_bytes: int = 0
    words: int = 0
    digest_bytes: int = 0
    big_endian: bool = False
    length_bytes: int = 0
    key_bytes: int = 0
    iv_bytes: int = 0
    rounds: int = 0
    initial: tuple[int, ...] = ()
    base: str = ""
    """The hash whose kernels it runs, with another initial value and digest length."""
    padding: int = 0
    """Of a hash: catalog.PADDINGS."""
    input_bytes: int = 0
    """Of a hash: what its kernels read for a block; 0: the block."""
    domain: int = 0
    extendable: bool = False
    hmac: bool = True
    last: int = 0
    """Of a sponge: what is added to the last byte of the last block."""
    squeeze_bytes: int = 0
    """Of a sponge: output between two permutations."""
    block_cipher: str = ""
    """The name of the block cipher whose round keys the kernel takes or makes; empty: of none."""
    tree: Tree | None = None
    """Says how a sponge hashes long messages in leaves; None: as it hashes short ones."""

    @property
    def flags(self) -> int:
        """Returns the bits of FLAGS."""
        said = {"big_endian": self.big_endian, "extendable": self.extendable, "hmac": self.hmac}
        said["leaves"] = self.tree is not None
        return sum(FLAGS[name] for name, yes in said.items() if yes)


@dataclass(frozen=True)
class CostTable:
    """Kernel name -> (centicycles per iteration, centicycles per call), in core cycles * 100 of one
    microarchitecture. ``derived``: not measured on it; the name of the table then bears a mark. ``message``:
    centicycles of a message that is done in steps, beside the calls; 0 where they are not known."""

    microarchitecture: str
    costs: dict[str, tuple[int, int]] = field(default_factory=dict)
    derived: bool = False
    message: int = 0

    @property
    def name(self) -> str:
        return f"{DERIVED_MARK * self.derived}{self.microarchitecture}"
