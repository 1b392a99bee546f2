"""The physical registers: their numbers, the calling conventions, and the map of a kernel's windows onto them."""

from __future__ import annotations

from dataclasses import dataclass

from .ir import GENERAL, MASK, VECTOR, XMM0, Ins, Reg
from .ir import RDX as SHARED_RDX

RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI = range(8)


class BindError(ValueError):
    """The windows of a kernel do not fit the register file."""


@dataclass(frozen=True)
class Abi:
    """A calling convention: general registers in the order of use, the argument, what a callee must preserve."""

    name: str
    order: tuple[int, ...]
    args: int
    saved_generals: frozenset[int]
    saved_vectors: range


SYSV = Abi(
    "sysv",
    (RAX, RCX, RDX, RSI, 8, 9, 10, 11, RDI, RBX, RBP, 12, 13, 14, 15),
    RDI,
    frozenset((RBX, RBP, 12, 13, 14, 15)),
    range(0),
)
WIN64 = Abi(
    "win64",
    (RAX, RDX, 8, 9, 10, 11, RCX, RBX, RBP, RDI, RSI, 12, 13, 14, 15),
    RCX,
    frozenset((RBX, RBP, RDI, RSI, 12, 13, 14, 15)),
    range(6, 16),
)
ABIS = {abi.name: abi for abi in (SYSV, WIN64)}


@dataclass(frozen=True)
class Binding:
    """Register numbers by [stream][window index], the counter, and the registers that the kernel uses, in order.
    ``jobs``: of a list, the pointer to the pointer to the next; ``strides``: how often the loop runs for a message."""

    vectors: tuple[tuple[int, ...], ...]
    generals: tuple[tuple[int, ...], ...]
    masks: tuple[tuple[int, ...], ...]
    counter: int
    used_vectors: tuple[int, ...]
    used_generals: tuple[int, ...]
    used_masks: tuple[int, ...]
    jobs: int = -1
    strides: int = -1

    def apply(self, stream: int, ins: Ins) -> Ins:
        """The instruction with physical registers."""
        tables = {VECTOR: self.vectors[stream], GENERAL: self.generals[stream], MASK: self.masks[stream]}

        def physical(reg: Reg) -> Reg:
            table = tables[reg.cls]
            if reg in (XMM0, SHARED_RDX):
                return reg
            if reg.physical or not isinstance(reg.id, int) or not 0 <= reg.id < len(table):
                raise BindError(f"{ins.op}: register {reg.cls}{reg.id} is outside the window of stream {stream}")
            return Reg(reg.cls, table[reg.id], reg.bits, True)

        return ins.rename(physical)
