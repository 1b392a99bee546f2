"""A stream before allocation: what parsing a rendered template yields."""

from __future__ import annotations

from dataclasses import dataclass, field

from .contract import Field
from .ir import Code, Constant, Mem, Place


@dataclass(frozen=True)
class Claim:
    """A template claims what the instructions before this place compute: the number in the registers ``result`` is
    ``operation`` (product, square, sum, difference, add_multiple, combination) of the numbers in ``operands``, modulo
    the prime of the algorithm. Registers hold limbs, the lowest first. verify/arithmetic.py proves it. Or a product in
    two claims: exact_product or exact_square, of twice as many limbs and not modulo the prime, and its reduction.

    The claim stands before instruction ``at`` of ``section``. ``factors``: of add_multiple, which is
    operands[0] + factors[0] * operands[1]; of combination, for each operand one.
    """

    section: str
    at: int
    operation: str
    result: tuple[str, ...]
    operands: tuple[tuple[str, ...], ...]
    factors: tuple[int, ...] = ()
    place: Place | None = None


@dataclass(frozen=True)
class Stream:
    """Virtual-register code in three-operand form.

    ``keep`` names loop-invariant memory operands: a pseudo-register of that name stands for the memory's value, and the
    allocator decides whether it lives in a register (loaded in ``enter``) or is used from memory. For a broadcast
    operand the value is the repeated element.
    """

    name: str
    algorithm: str
    isa: str
    lanes: int
    bytes: int
    code: Code
    fields: tuple[Field, ...]
    constants: tuple[Constant, ...]
    keep: dict[str, Mem] = field(default_factory=dict)
    reads_input: bool = True
    features: frozenset[str] = frozenset()
    public: bool = False  # of the contract
    claims: tuple[Claim, ...] = ()  # of the code as it was parsed; passes that change the code drop them
