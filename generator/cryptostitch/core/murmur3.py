"""MurmurHash3 for 64-bit processors with 128 bits of output (A. Appleby, in the public domain), in plain Python."""

from __future__ import annotations

import struct

MASK = (1 << 64) - 1
C1, C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
BLOCK = 16
State = tuple[int, int]


def _left(x: int, n: int) -> int:
    return (x << n | x >> 64 - n) & MASK


def _mixed(k1: int, k2: int) -> State:
    return _left(k1 * C1 & MASK, 31) * C2 & MASK, _left(k2 * C2 & MASK, 33) * C1 & MASK


def after(state: State, text: bytes) -> State:
    """The state after whole blocks."""
    h1, h2 = state
    for k1, k2 in struct.iter_unpack("<QQ", text):
        k1, k2 = _mixed(k1, k2)
        h1 = ((_left(h1 ^ k1, 27) + h2) * 5 + 0x52DCE729) & MASK
        h2 = ((_left(h2 ^ k2, 31) + h1) * 5 + 0x38495AB5) & MASK
    return h1, h2


def _scattered(h: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h = (h ^ h >> 33) * factor & MASK
    return h ^ h >> 33


def digest(text: bytes) -> bytes:
    """Returns the digest of a text with seed 0."""
    whole = len(text) // BLOCK * BLOCK
    h1, h2 = after((0, 0), text[:whole])
    k1, k2 = _mixed(*struct.unpack("<QQ", text[whole:].ljust(BLOCK, b"\0")))
    h1, h2 = h1 ^ k1 ^ len(text), h2 ^ k2 ^ len(text)
    h1 = (h1 + h2) & MASK
    h1, h2 = _scattered(h1), _scattered((h2 + h1) & MASK)
    h1 = (h1 + h2) & MASK
    return struct.pack("<QQ", h1, (h2 + h1) & MASK)
