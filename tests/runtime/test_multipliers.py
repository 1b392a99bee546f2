"""Digits of multipliers, entries of tables and inverses of public-key operations in C++, of numbers at all edges, by
plain integers: `cst-multipliers`."""

from __future__ import annotations

import itertools
import random
import subprocess

import pytest
from cryptostitch.core.arithmetic import P25519
from cryptostitch.core.p256 import P256
from edwards import L
from handmade import tool

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def edges(below: int) -> list[int]:
    """Numbers from 1 on: small ones, large ones, digits of any width that are all zeros, ones, the smallest, the
    largest; and random ones."""
    rng = random.Random(below)
    some = [*range(1, 300), *(below - i for i in range(1, 300)), below // 2, below // 2 + 1]
    some += [2**i + d for i in range(1, 256) for d in (-1, 0, 1)]
    for bits in range(2, 10):
        some += [sum(digit << bits * i for i in range(256 // bits)) for digit in range(1, 1 << bits)]
    some += [rng.getrandbits(256) for _ in range(2000)]
    return sorted({n for n in some if 0 < n < below})


def answers(lines: list[str]) -> list[list[int]]:
    done = subprocess.run([tool("cst-multipliers")], input="\n".join(lines), capture_output=True, text=True, check=True)
    return [[int(number, 0) for number in line.split()] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("modulus", (P25519, P256, ORDER))
def test_inverses(modulus: int) -> None:
    numbers = [0, *edges(modulus)]
    wanted = [[pow(n, -1, modulus) if n else 0] for n in numbers]
    assert answers([f"inverse {modulus:x} {n:x}" for n in numbers]) == wanted


@pytest.mark.parametrize("bits", (4, 5, 8))
def test_digits_below_the_order(bits: int) -> None:
    numbers = [0, *edges(L)]
    for n, digits in zip(numbers, answers([f"order {bits} {n:x}" for n in numbers]), strict=True):
        assert sum(digit << bits * i for i, digit in enumerate(digits)) == n
        assert all(-(1 << bits - 1) <= digit < 1 << bits - 1 for digit in digits)


@pytest.mark.parametrize("width", range(2, 9))
def test_sparse_digits(width: int) -> None:
    """Digits are odd or 0, of any in a row as many as the width one is not 0, and the highest is not."""
    numbers = [0, *edges(2**256)]
    for n, digits in zip(numbers, answers([f"sparse {width} {n:x}" for n in numbers]), strict=True):
        assert sum(digit << i for i, digit in enumerate(digits)) == n
        there = [i for i, digit in enumerate(digits) if digit]
        assert all(digits[i] % 2 and abs(digits[i]) < 1 << width - 1 for i in there)
        assert all(j - i >= width for i, j in itertools.pairwise(there))
        assert not digits or digits[-1]


@pytest.mark.parametrize("bits", (4, 5, 6))
def test_odd_digits(bits: int) -> None:
    """Their sum is the number, for an even one by digits of the order less it, whose signs are the other ones."""
    numbers = edges(ORDER)
    for n, digits in zip(numbers, answers([f"odd {bits} {n:x}" for n in numbers]), strict=True):
        assert sum(digit << bits * i for i, digit in enumerate(digits)) == (n if n % 2 else n - ORDER)
        assert all(digit % 2 and abs(digit) < 1 << bits for digit in digits)


def test_entries_of_tables() -> None:
    cases = [(words, n, i) for words in (8, 12, 20) for n in (1, 16, 17, 32) for i in range(n)]
    assert answers([f"entry {words} {n} {i}" for words, n, i in cases]) == [[1]] * len(cases)
