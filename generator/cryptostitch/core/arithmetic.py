"""Defines in plain integers what a stream of kind ``arithmetic`` computes, and in which rows its numbers' limbs lie."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

P25519 = 2**255 - 19  # RFC 7748, 4.1

# Where the limbs of a number stand, by how many there are (streams/field_64.j2, field_52.j2, field_25.j2).
LIMBS: Mapping[int, tuple[int, ...]] = {
    4: tuple(range(0, 256, 64)),
    5: tuple(range(0, 260, 52)),
    10: tuple((51 * i + 1) // 2 for i in range(10)),
}


@dataclass(frozen=True)
class Arithmetic:
    """``chain`` and ``key``: how many numbers the fields have; ``words``: how many rows of one word the chain has
    behind them. ``step(numbers, words, key)`` is what an iteration makes of the chain's numbers and words."""

    prime: int
    chain: int
    words: int
    key: int
    step: Callable[[list[int], list[int], list[int]], tuple[list[int], list[int]]]


def limbs_of(number: int, limbs: int) -> list[int]:
    """The rows of a number below 2^256."""
    starts = (*LIMBS[limbs], 512)
    return [(number >> low) & ((1 << high - low) - 1) for low, high in itertools.pairwise(starts)]


def number_of(rows: list[int]) -> int:
    """The number whose limbs, of any size, are in ``rows``."""
    return sum(row << start for row, start in zip(rows, LIMBS[len(rows)]))


def ladder_step(numbers: list[int], words: list[int], key: list[int]) -> tuple[list[int], list[int]]:
    """RFC 7748, 5: x2, z2, x3, z3; the bit before, and bits of the scalar, the highest first; ``key``: x1."""
    before, bits = words
    bit = bits >> 63
    x2, z2, x3, z3 = numbers if bit == before else (numbers[2], numbers[3], numbers[0], numbers[1])
    a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
    aa, bb, da, cb = a * a, b * b, d * a, c * b
    e = aa - bb
    made = aa * bb, e * (aa + 121665 * e), (da + cb) ** 2, key[0] * (da - cb) ** 2
    return [n % P25519 for n in made], [bit, bits << 1 & (1 << 64) - 1]


X25519_LADDER = Arithmetic(P25519, 4, 2, 1, ladder_step)
