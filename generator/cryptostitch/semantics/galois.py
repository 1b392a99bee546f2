"""Matrices of bits, and bytes looked up and cut out by their bits (Intel SDM, VGF2P8AFFINEQB, VPERMI2B,
VPMULTISHIFTQB)."""

from __future__ import annotations

from collections.abc import Callable

from .forms import Form, Meaning


def _affine(form: Form) -> Callable[[int, int], int]:
    """Works in each 64-bit word: bit i of the result is the parity of the byte and'ed with byte 7 - i of the matrix,
    exclusive-or bit i of the immediate."""

    def one(a: int, rows: bytes) -> int:
        return sum(((a & row).bit_count() & 1) << 7 - n for n, row in enumerate(rows)) ^ form.immediate

    def meaning(a: int, matrix: int) -> int:
        size = form.bits // 8
        data, rows = a.to_bytes(size, "little"), matrix.to_bytes(size, "little")
        return int.from_bytes(bytes(one(byte, rows[at & ~7 : (at & ~7) + 8]) for at, byte in enumerate(data)), "little")

    return meaning


def _permute_two(form: Form) -> Callable[[int, int, int], int]:
    """Selects bytes: each byte of the first operand is an index into the second operand followed by the third. Higher
    bits do not count."""
    size = form.bits // 8

    def meaning(indices: int, low: int, high: int) -> int:
        table = low.to_bytes(size, "little") + high.to_bytes(size, "little")
        return int.from_bytes(bytes(table[i & 2 * size - 1] for i in indices.to_bytes(size, "little")), "little")

    return meaning


def _multishift(form: Form) -> Callable[[int, int], int]:
    """Selects bits: each byte of the first operand says where, cyclically, its eight bits begin in the second's word at
    the same place."""

    def meaning(starts: int, data: int) -> int:
        found = bytearray()
        for at, start in enumerate(starts.to_bytes(form.bits // 8, "little")):
            word = data >> 64 * (at // 8) & (1 << 64) - 1
            found.append((word << 64 | word) >> (start & 63) & 0xFF)
        return int.from_bytes(found, "little")

    return meaning


MEANING: dict[str, Meaning] = {"vgf2p8affineqb": _affine, "vpermi2b": _permute_two, "vpmultishiftqb": _multishift}
