"""The field and the S-box of AES (FIPS 197, 4.2 and 5.1.1), from their definitions."""

from __future__ import annotations

import functools


@functools.cache
def sbox() -> bytes:
    """SubBytes (FIPS 197, 5.1.1): p runs through all units of GF(2^8), q through their inverses."""
    box, p, q = [0x63] * 256, 1, 1
    while True:
        p ^= (p << 1) & 0xFF ^ (0x1B if p & 0x80 else 0)
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        rotated = [(q << n | q >> (8 - n)) & 0xFF for n in range(5)]
        box[p] = rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63
        if p == 1:
            return bytes(box)


def times(a: int, b: int) -> int:
    """Multiplies in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2)."""
    product = 0
    while b:
        product ^= a * (b & 1)
        a, b = a << 1 ^ (0x11B if a & 0x80 else 0), b >> 1
    return product
