"""Maps the windows of a kernel's streams to physical registers. Twin of runtime/code/bind.cpp.

Vector windows lie one after the other from register 0: first the streams without AVX-512, whose encodings reach only
registers 0 to 15, then the others, each group in stream order. Streams that name xmm0 itself, as sha256rnds2 needs it,
share it outside their windows, which then begin at register 1: it holds a value only within a glued run, so the weave
cannot mix two streams' uses. Mask windows lie likewise from k1, because k0 cannot mask. General windows follow the
order of the calling convention, and the counter takes the next one; of a list the jobs and the strides take others;
rdx, which mulx needs, comes first and is shared like xmm0 where a stream names it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.accesses import shared_by
from ..core.ir import RDX as SHARED_RDX
from ..core.ir import XMM0
from ..core.program import Part
from ..core.registers import RDX, SYSV, Abi, BindError, Binding


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
        generals.append(order[n_generals : n_generals + p.window.generals])
        masks.append(tuple(range(n_masks + 1, n_masks + 1 + p.window.masks)))
        n_generals += p.window.generals
        n_masks += p.window.masks
    counters = 1 + sum(1 + (p.contract.text_head > 0) for p in programs if p.contract.is_listed)
    if n_generals + counters > len(order):
        raise BindError(f"the kernel needs {n_generals + counters} general registers, there are {len(order)}")
    if n_masks > 7:
        raise BindError(f"the kernel needs {n_masks} mask registers, there are 7")
    return Binding(
        tuple(map(tuple, vectors)),
        tuple(generals),
        tuple(masks),
        order[n_generals],
        tuple(range(total)),
        order[: n_generals + counters],
        tuple(range(1, n_masks + 1)),
        *order[n_generals + 1 : n_generals + counters],
    )
