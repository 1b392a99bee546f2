"""Defines in plain integers the operations of streams/p256.j2 on points of P-256 (SP 800-186, 3.2.1.3)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from .arithmetic import Arithmetic

P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1

# The largest limbs that numbers may have, by level: of X and Y, 1.2 p; of others, 3 p.
BOUNDS: Mapping[int, tuple[tuple[int, ...], ...]] = {
    4: ((2**64 - 1,) * 4,) * 2,
    5: ((*(2**52 - 1,) * 4, 2**48 + 2**45), (*(2**52 - 1,) * 4, 2**49 + 2**48)),
}
LEVELS = (0, 0, 1, 1, 1)
CHAIN_NUMBERS = len(LEVELS)  # X, Y, Z and two more
ENTRIES = 8
OWN_NUMBERS, COMMON_NUMBERS = 5, 2  # of a table's entry, in the lane's table and in that for all lanes
KEY_NUMBERS = OWN_NUMBERS * (1 + ENTRIES)
DIGITS = tuple((index, sign) for index in range(ENTRIES) for sign in (0, 1))

Product = Callable[[int, int], int]
PointOperation = Callable[[list[int], list[int], list[int], Product], list[int]]


def _on_points(operation: PointOperation, cases: tuple[tuple[int, ...], ...] = ()) -> Arithmetic:
    """Describes a step on a point; ``operation`` computes the first of the chain's numbers, which change, from these,
    the words and the key, with Montgomery's product of two numbers."""

    def step(numbers: list[int], words: list[int], key: list[int], scale: int) -> tuple[list[int], list[int]]:
        made = operation(numbers, words, key, lambda a, b: a * b * scale)
        return [number % P256 for number in (*made, *numbers[len(made) :])], words

    return Arithmetic(
        P256,
        CHAIN_NUMBERS,
        2,
        KEY_NUMBERS,
        step,
        LEVELS,
        ENTRIES * COMMON_NUMBERS,
        cases,
        montgomery=True,
        bounds=BOUNDS,
    )


def _double(numbers: list[int], words: list[int], key: list[int], product: Product) -> list[int]:
    x, y, z, *_ = numbers
    delta, gamma = product(z, z), product(y, y)
    beta, alpha = product(x, gamma), 3 * product(x - delta, x + delta)
    x3 = product(alpha, alpha) - 8 * beta
    return [x3, product(alpha, 4 * beta - x3) - 8 * product(gamma, gamma), 2 * product(y, z)]


def _sum(numbers: list[int], other: list[int], product: Product) -> list[int]:
    """Adds the point of which ``other`` holds X, Y, Z, Z^2 and Z^3."""
    x, y, z, *_ = numbers
    zz = product(z, z)
    u1, u2 = product(x, other[3]), product(other[0], zz)
    s1, s2 = product(y, other[4]), product(other[1], product(zz, z))
    h, r = u2 - u1, s2 - s1
    hh = product(h, h)
    hhh, v = product(h, hh), product(u1, hh)
    x3 = product(r, r) - hhh - 2 * v
    return [x3, product(r, v - x3) - product(s1, hhh), product(product(z, other[2]), h)]


def _chosen(words: list[int], of: list[int], per: int) -> list[int]:
    """The entry of a table that a digit chooses."""
    at = per * operator.index(words[0])
    entry = of[at : at + per]
    return [entry[0], entry[1] * (-1 if operator.index(words[1]) else 1), *entry[2:]]


def _add(numbers: list[int], words: list[int], key: list[int], product: Product) -> list[int]:
    return _sum(numbers, key, product)


def _of_affine(x: int, y: int, product: Product) -> list[int]:
    """The numbers of a point whose Z is 1: the number that leaves its factor as it is."""
    one = pow(product(1, 1), -1, P256)
    return [x, y, one, one, one]


def _add_mixed(numbers: list[int], words: list[int], key: list[int], product: Product) -> list[int]:
    return _sum(numbers, _of_affine(key[0], key[1], product), product)


def _add_own(numbers: list[int], words: list[int], key: list[int], product: Product) -> list[int]:
    return _sum(numbers, _chosen(words, key[OWN_NUMBERS:], OWN_NUMBERS), product)


def _add_common(numbers: list[int], words: list[int], key: list[int], product: Product) -> list[int]:
    x, y = _chosen(words, key[KEY_NUMBERS:], COMMON_NUMBERS)
    return _sum(numbers, _of_affine(x, y, product), product)


def _cached(numbers: list[int], words: list[int], key: list[int], product: Product) -> list[int]:
    x, y, z, *_ = numbers
    zz = product(z, z)
    return [x, y, z, zz, product(zz, z)]


P256_POINTS: Mapping[str, Arithmetic] = {
    "double": _on_points(_double),
    "add": _on_points(_add),
    "add_mixed": _on_points(_add_mixed),
    "add_own": _on_points(_add_own, DIGITS),
    "add_common": _on_points(_add_common, DIGITS),
    "cached": _on_points(_cached),
}
