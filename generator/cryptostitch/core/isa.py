"""Instruction set levels: what a vocabulary can assume, and the few moves that the allocator itself emits."""

from __future__ import annotations

from dataclasses import dataclass

from .ir import GENERAL, VECTOR


@dataclass(frozen=True)
class Isa:
    """One instruction set level.

    ``words`` is the register class that holds an algorithm's words. ``broadcast`` says whether an arithmetic
    instruction can repeat one element of memory over the vector, ``masks`` whether loads and stores can leave out
    bytes. ``move``, ``load``, ``store`` are the full-width
    register copy and the aligned moves used for spills, state fields and constants.
    """

    name: str
    level: int
    vector_bits: int
    vectors: int
    words: str
    move: str
    load: str
    store: str
    broadcast: bool = False
    masks: bool = False
    load_broadcast: tuple[tuple[int, str], ...] = ()

    @property
    def vector_bytes(self) -> int:
        return self.vector_bits // 8


ISAS = {
    isa.name: isa
    for isa in (
        Isa("scalar", 0, 0, 0, GENERAL, "mov", "mov", "mov"),
        Isa("sse", 1, 128, 16, VECTOR, "movdqa", "movdqa", "movdqa"),
        Isa("avx2", 2, 256, 16, VECTOR, "vmovdqa", "vmovdqa", "vmovdqa"),
        Isa(
            "avx512",
            3,
            512,
            32,
            VECTOR,
            "vmovdqa64",
            "vmovdqa64",
            "vmovdqa64",
            True,
            True,
            ((32, "vpbroadcastd"), (64, "vpbroadcastq")),
        ),
    )
}

GENERALS = 15
"""General registers that streams and the loop counter share: all but the stack pointer."""
