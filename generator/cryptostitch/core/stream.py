"""A stream before allocation: what parsing a rendered template yields."""

from __future__ import annotations

from dataclasses import dataclass, field

from .contract import Field
from .ir import Code, Constant, Mem


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
