"""GHASH (SP 800-38D, 6.3 and 6.4) on whole numbers, bit by bit, and the form in which streams want the powers of H."""

from __future__ import annotations

R = 0xE1 << 120  # 6.3: the reduction, bit 0 of the block first


def times(x: int, y: int) -> int:
    """6.3, Algorithm 1; the most significant bit of a number is bit 0 of the block."""
    z, v = 0, y
    for i in range(127, -1, -1):
        z ^= v * (x >> i & 1)
        v = v >> 1 ^ R * (v & 1)
    return z


def ghash(key: bytes, chain: bytes, text: bytes) -> bytes:
    """Returns Y after the whole blocks of ``text``, from Y = ``chain`` on."""
    h, y = int.from_bytes(key, "big"), int.from_bytes(chain, "big")
    for at in range(0, len(text), 16):
        y = times(y ^ int.from_bytes(text[at : at + 16], "big"), h)
    return y.to_bytes(16, "big")


def power_rows(key: bytes, n: int) -> list[bytes]:
    """H^n .. H^1, each divided by x: the product of two bit-reflected polynomials is one bit too low, and the division
    makes up for it (see templates/streams/ghash.j2). In memory the reflected polynomial is a little-endian number."""
    h = int.from_bytes(key, "big")
    powers = [h]
    for _ in range(n - 1):
        powers.append(times(powers[-1], h))
    return [divided(p).to_bytes(16, "little") for p in reversed(powers)]


def divided(p: int) -> int:
    """Returns p divided by x: one bit to the left; 1/x = x^127 + x^6 + x + 1."""
    return (p << 1 & (1 << 128) - 1) ^ (0xC2 << 120 | 1) * (p >> 127)
