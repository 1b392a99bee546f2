"""Maps the windows of a kernel's streams to physical registers. Twin of runtime/code/bind.cpp.

Vector windows lie one after the other from register 0: first the streams without AVX-512, whose encodings reach only registers 0 to
15, then the others, each group in stream order. Streams that name xmm0 itself, as sha256rnds2 needs it, share it outside their windows, which
then begin at register 1: it holds a value only within a glued run, so the weave cannot mix two streams' uses. Mask windows lie likewise from
k1, because k0 cannot mask. General windows follow the order of the calling convention, and the loop counter takes the next one; rdx, which mulx
needs, comes first and is shared like xmm0 where a stream names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from ..ir import GENERAL, MASK, RDX as SHARED_RDX, VECTOR, XMM0, Ins, Reg
from ..program import Part
from .liveness import shared_by

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


SYSV = Abi("sysv", (RAX, RCX, RDX, RSI, 8, 9, 10, 11, RDI, RBX, RBP, 12, 13, 14, 15), RDI,
           frozenset((RBX, RBP, 12, 13, 14, 15)), range(0))
WIN64 = Abi("win64", (RAX, RDX, 8, 9, 10, 11, RCX, RBX, RBP, RDI, RSI, 12, 13, 14, 15), RCX,
            frozenset((RBX, RBP, RDI, RSI, 12, 13, 14, 15)), range(6, 16))
ABIS = {abi.name: abi for abi in (SYSV, WIN64)}


@dataclass(frozen=True)
class Binding:
    """Register numbers by [stream][window index], the counter, and the registers that the kernel uses, in order."""

    vectors: tuple[tuple[int, ...], ...]
    generals: tuple[tuple[int, ...], ...]
    masks: tuple[tuple[int, ...], ...]
    counter: int
    used_vectors: tuple[int, ...]
    used_generals: tuple[int, ...]
    used_masks: tuple[int, ...]

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


def bind(parts: Sequence[Part], abi: Abi = SYSV) -> Binding:
    """Raises BindError when the windows do not fit."""
    programs = [part.program for part in parts]
    wide = ["avx512f" in p.contract.features for p in programs]
    vectors: list[list[int]] = [[] for _ in programs]
    shared = frozenset().union(*(shared_by(p.code) for p in programs))
    total = 1 if XMM0 in shared else 0
    for i in sorted(range(len(programs)), key=lambda i: wide[i]):
        vectors[i] = list(range(total, total + programs[i].window.vectors))
        total += programs[i].window.vectors
    for i, window in enumerate(vectors):
        if window and max(window) >= (32 if wide[i] else 16):
            raise BindError(f"{programs[i].name}: the kernel needs vector register {max(window)}, which this ISA lacks")
    generals, masks = [], []
    order, n_generals, n_masks = abi.order, 0, 0
    if SHARED_RDX in shared:
        order, n_generals = (RDX, *(r for r in abi.order if r != RDX)), 1
    for p in programs:
        generals.append(order[n_generals:n_generals + p.window.generals])
        masks.append(tuple(range(n_masks + 1, n_masks + 1 + p.window.masks)))
        n_generals += p.window.generals
        n_masks += p.window.masks
    if n_generals + 1 > len(order):
        raise BindError(f"the kernel needs {n_generals + 1} general registers, there are {len(order)}")
    if n_masks > 7:
        raise BindError(f"the kernel needs {n_masks} mask registers, there are 7")
    return Binding(
        tuple(map(tuple, vectors)), tuple(generals), tuple(masks), order[n_generals],
        tuple(range(total)), order[:n_generals + 1], tuple(range(1, n_masks + 1)),
    )
