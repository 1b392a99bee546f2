"""Erasure codes by the words of the header: factors and parities, byte by byte."""

from __future__ import annotations

import random

from cryptostitch.ladder.field import multiply, products, sum_of_products

MATRICES = ("cauchy", "vandermonde")
SHAPES = ((1, 1), (2, 2), (4, 2), (10, 4), (16, 2), (6, 3), (17, 5), (40, 9))


def inverse(a: int) -> int:
    return products(a).index(1)


def power(a: int, n: int) -> int:
    result = 1
    for _ in range(n):
        result = multiply(result, a)
    return result


def factors(matrix: str, data: int, parity: int) -> list[list[int]]:
    """Returns the factors of the parities, as the header defines them."""
    if matrix == "cauchy":
        return [[inverse((data + i) ^ j) for j in range(data)] for i in range(parity)]
    return [[power(power(2, i), j) for j in range(data)] for i in range(parity)]


def encoded(matrix: str, parity: int, data: list[bytes]) -> list[bytes]:
    return [sum_of_products(row, data) for row in factors(matrix, len(data), parity)]


def random_blocks(rng: random.Random, count: int, size: int) -> list[bytes]:
    return [rng.randbytes(size) for _ in range(count)]
