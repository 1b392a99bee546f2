"""Defines in plain integers what a stream of kind ``arithmetic`` computes, and in which rows its numbers' limbs lie."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .montgomery import LIMB_BITS, MODULUS_BITS

P25519 = 2**255 - 19  # RFC 7748, 4.1

# Where the limbs of a number stand, by how many there are (streams/limbs_64.j2, limbs_52.j2, field_25.j2,
# montgomery.j2).
LIMBS: Mapping[int, tuple[int, ...]] = {
    4: tuple(range(0, 256, 64)),
    5: tuple(range(0, 260, 52)),
    10: tuple((51 * i + 1) // 2 for i in range(10)),
    **{limbs: tuple(range(0, LIMB_BITS * limbs, LIMB_BITS)) for limbs in MODULUS_BITS},
}

# The largest limbs that numbers may have, by level: products; sums and differences of products; those of these.
BOUNDS: Mapping[int, tuple[tuple[int, ...], ...]] = {
    4: ((2**64 - 1,) * 4,) * 3,
    5: tuple((*(2**52 - 1,) * 4, last) for last in (2**47 + 2**10, 2**49 + 2**48, 2**49 + 2**48 + 2**47)),
    10: tuple((most, most // 2) * 5 for most in (2**26 + 2**16, 2**27 + 2**26 + 2**17, 2**28 + 2**26 + 2**17)),
}


@dataclass(frozen=True)
class Arithmetic:
    """``chain`` and ``key``: how many numbers the fields have; ``words``: how many rows of one word the chain has
    behind them. ``step(numbers, words, key)`` is what an iteration makes of the chain's numbers and words.

    ``levels``: of the chain's numbers, for kernels that take what others left: how many sums or differences stand, at
    most, between a number and products, before and after an iteration (BOUNDS); the key's have one at most. Without
    it the chain begins with limbs of numbers below the prime, and the key has such. ``table``: how many numbers the
    field of that name has, for all lanes; ``step`` gets them behind the key's. ``cases``: all that the chain's words
    may be, where they are few; else the first one is a bit, and the others are any. ``montgomery``: a b 2^-k stands
    for the product of a and b, where k are the bits that the limbs of a number have; ``step`` gets the factor 2^-k, or
    1. ``bounds``: the largest limbs by their number and level."""

    prime: int
    chain: int
    words: int
    key: int
    step: Callable[[list[int], list[int], list[int], int], tuple[list[int], list[int]]]
    levels: tuple[int, ...] = ()
    table: int = 0
    cases: tuple[tuple[int, ...], ...] = ()
    montgomery: bool = False
    bounds: Mapping[int, tuple[tuple[int, ...], ...]] = field(default_factory=lambda: BOUNDS)

    def scale(self, limbs: int) -> int:
        """Returns the factor that ``step`` multiplies products by, where numbers have so many limbs."""
        starts = LIMBS[limbs]
        return pow(2, -(starts[-1] + starts[1]), self.prime) if self.montgomery else 1


def limbs_of(number: int, limbs: int) -> list[int]:
    """The rows of a number; the last one has all that is left."""
    starts = (*LIMBS[limbs], 1 << 14)
    return [(number >> low) & ((1 << high - low) - 1) for low, high in itertools.pairwise(starts)]


def number_of(rows: list[int]) -> int:
    """The number whose limbs, of any size, are in ``rows``."""
    return sum(row << start for row, start in zip(rows, LIMBS[len(rows)]))


def ladder_step(numbers: list[int], words: list[int], key: list[int], scale: int = 1) -> tuple[list[int], list[int]]:
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


# RFC 8032, 5.1
D25519 = -121665 * pow(121666, -1, P25519) % P25519
POINT_LEVELS = (2, 1, 1, 1, 1)

MULTIPLES = 9  # 0 to 8 times a point
OWN_NUMBERS, COMMON_NUMBERS = 4, 3  # of a multiple, in the lane's table and in that for all lanes
OTHER_NUMBERS = 5  # of the key, before the lane's table
KEY_NUMBERS = OTHER_NUMBERS + MULTIPLES * OWN_NUMBERS
DIGITS = tuple((size, sign) for size in range(MULTIPLES) for sign in (0, 1))

PointOperation = Callable[[int, int, int, int, list[int], list[int]], list[int]]


def _on_points(operation: PointOperation, cases: tuple[tuple[int, ...], ...] = ()) -> Arithmetic:
    """Describes a step on a point (streams/edwards25519.j2): ``operation`` computes the new E, F, G and H from X, Y,
    Z, T, the words and the key."""

    def step(numbers: list[int], words: list[int], key: list[int], scale: int = 1) -> tuple[list[int], list[int]]:
        e, f, g, h, n = numbers
        made = operation(e * f, g * h, f * g, e * h, words, key)
        return [number % P25519 for number in (*made, n)], words

    return Arithmetic(P25519, 5, 2, KEY_NUMBERS, step, POINT_LEVELS, MULTIPLES * COMMON_NUMBERS, cases)


def _on_number(operation: Callable[[int, list[int]], int]) -> Arithmetic:
    """Describes a step on the number behind a point: ``operation`` computes the new one from it and the key."""

    def step(numbers: list[int], words: list[int], key: list[int], scale: int = 1) -> tuple[list[int], list[int]]:
        return [*numbers[:4], operation(numbers[4], key) % P25519], words

    return Arithmetic(P25519, 5, 2, KEY_NUMBERS, step, POINT_LEVELS, MULTIPLES * COMMON_NUMBERS)


def _double(x: int, y: int, z: int, t: int, words: list[int], key: list[int]) -> list[int]:
    """Hisil and others, 2008, 3.3, with all four negated."""
    a, b = x * x, y * y
    return [a + b - (x + y) ** 2, a - b + 2 * z * z, a - b, a + b]


def _sum(x: int, y: int, z: int, t: int, other: list[int]) -> list[int]:
    """Hisil and others, 2008, 3.1: of the other point y + x, y - x, 2 z and 2 d t."""
    a, b, c, d = (y - x) * other[1], (y + x) * other[0], t * other[3], z * other[2]
    return [b - a, d - c, d + c, b + a]


def _negative(other: list[int]) -> list[int]:
    return [other[1], other[0], other[2], other[3] * -1]


def _add(x: int, y: int, z: int, t: int, words: list[int], key: list[int]) -> list[int]:
    return _sum(x, y, z, t, key[:4])


def _add_mixed(x: int, y: int, z: int, t: int, words: list[int], key: list[int]) -> list[int]:
    """The halves of y + x, y - x, and of 2 and 2 d t, because z is 1."""
    return _sum(x, y, z, t, [key[0], key[1], 1, key[3]])


def _add_own(x: int, y: int, z: int, t: int, words: list[int], key: list[int]) -> list[int]:
    at = OTHER_NUMBERS + OWN_NUMBERS * operator.index(words[0])
    other = key[at : at + OWN_NUMBERS]
    return _sum(x, y, z, t, _negative(other) if operator.index(words[1]) else other)


def _add_common(x: int, y: int, z: int, t: int, words: list[int], key: list[int]) -> list[int]:
    """Halves, as for ``_add_mixed``."""
    at = KEY_NUMBERS + COMMON_NUMBERS * operator.index(words[0])
    sum_, difference, product = key[at : at + COMMON_NUMBERS]
    other = [sum_, difference, 1, product]
    return _sum(x, y, z, t, _negative(other) if operator.index(words[1]) else other)


def _cached(x: int, y: int, z: int, t: int, words: list[int], key: list[int]) -> list[int]:
    return [y + x, y - x, z + z, t * key[4]]


ED25519: Mapping[str, Arithmetic] = {
    "double": _on_points(_double),
    "add": _on_points(_add),
    "add_mixed": _on_points(_add_mixed),
    "add_own": _on_points(_add_own, DIGITS),
    "add_common": _on_points(_add_common, DIGITS),
    "cached": _on_points(_cached),
    "square": _on_number(lambda n, key: n * n),
    "multiply": _on_number(lambda n, key: n * key[0]),
}
