"""GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11D), the field of RAID-6 (H. P. Anvin, The mathematics of RAID-6) and of
ISA-L's erasure codes, and the forms in which streams know a factor. Plain Python."""

from __future__ import annotations

import functools
from collections.abc import Sequence

POLYNOMIAL = 0x11D


def multiply(a: int, b: int) -> int:
    product = 0
    while b:
        product ^= a * (b & 1)
        a <<= 1
        a ^= POLYNOMIAL * (a >> 8)
        b >>= 1
    return product


@functools.cache
def products(factor: int) -> bytes:
    """Returns the factor's product with every byte."""
    return bytes(multiply(factor, byte) for byte in range(256))


def sum_of_products(factors: Sequence[int], texts: Sequence[bytes]) -> bytes:
    """Byte by byte; the texts are equally long."""
    total = 0
    for factor, text in zip(factors, texts, strict=True):
        total ^= int.from_bytes(text.translate(products(factor)), "little")
    return total.to_bytes(len(texts[0]), "little")


def bit_matrix(factor: int) -> bytes:
    """Multiplication by a factor as v.multiply_bits wants it: bit j of byte 7 - i is bit i of the factor times x^j."""
    columns = [multiply(factor, 1 << j) for j in range(8)]
    return bytes(sum((columns[j] >> i & 1) << j for j in range(8)) for i in reversed(range(8)))


def nibble_products(factor: int) -> bytes:
    """Returns the factor's products with 0 to 15, and with 0 to 15 times x^4."""
    return products(factor)[:16] + products(factor)[::16]


def factor_rows(factors: Sequence[int], by_matrix: bool) -> bytes:
    """An input's factors as its lane of a codec's key has them, whole blocks of 16 bytes."""
    rows = b"".join(map(bit_matrix if by_matrix else nibble_products, factors))
    return rows + bytes(-len(rows) % 16)
