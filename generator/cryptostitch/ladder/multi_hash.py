"""Multi-hash SHA-1 and SHA-256 (mh_sha1 and mh_sha256 of isa-l_crypto) by their definition, in plain Python.

The message, padded as the hash pads to whole blocks of 1,024 bytes, is dealt to 16 segments word by word; each is
hashed without padding, and the digest is the hash of their chaining values, whose words are stored little-endian, as
isa-l_crypto stores them on x86.

The segments are hashed side by side: an integer holds a word of each, in 64 bits, of which the upper 32 are room for
what sums and rotations carry over. One operation of Python's does 16 segments then.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence

from ..core.catalog import SHA256

HASHES = {"mh-sha1": "sha1", "mh-sha256": "sha256"}
"""By suite: the hash."""
SEGMENTS, BLOCK = 16, 1024
MASK = (1 << 32) - 1
EACH = sum(1 << 64 * segment for segment in range(SEGMENTS))
"""Times a word: that word in every segment."""
ALL = MASK * EACH
Words = Sequence[int]
Lanes = list[int]
"""Words of all segments."""


def _cube_root(n: int) -> int:
    """Rounded down."""
    root = 1 << -(-n.bit_length() // 3)
    while root**3 > n:
        root = (2 * root + n // root**2) // 3
    return root


_PRIMES = [n for n in range(2, 312) if all(n % p for p in range(2, n))]
SHA256_K = [_cube_root(p << 96) & MASK for p in _PRIMES]
"""FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes."""


def _left(x: int, n: int) -> int:
    return (x << n | x >> 32 - n) & ALL


def _right(x: int, n: int) -> int:
    return _left(x, 32 - n)


def _sha1(state: Lanes, block: Lanes) -> Lanes:
    """FIPS 180-4, 6.1.2: the next chaining values."""
    w = list(block)
    for t in range(16, 80):
        w.append(_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
    a, b, c, d, e = state
    for t in range(80):
        f = b & c ^ (b ^ ALL) & d if t < 20 else b & c ^ b & d ^ c & d if 40 <= t < 60 else b ^ c ^ d
        k = (0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6)[t // 20]
        a, b, c, d, e = (_left(a, 5) + f + e + k * EACH + w[t]) & ALL, a, _left(b, 30), c, d
    return [(x + y) & ALL for x, y in zip(state, (a, b, c, d, e))]


def _sha256(state: Lanes, block: Lanes) -> Lanes:
    """FIPS 180-4, 6.2.2: the next chaining values."""
    w = list(block)
    for t in range(16, 64):
        s0 = _right(w[t - 15], 7) ^ _right(w[t - 15], 18) ^ w[t - 15] >> 3 & ALL
        s1 = _right(w[t - 2], 17) ^ _right(w[t - 2], 19) ^ w[t - 2] >> 10 & ALL
        w.append((w[t - 16] + s0 + w[t - 7] + s1) & ALL)
    a, b, c, d, e, f, g, h = state
    for t in range(64):
        t1 = h + (_right(e, 6) ^ _right(e, 11) ^ _right(e, 25)) + (e & f ^ (e ^ ALL) & g) + SHA256_K[t] * EACH + w[t]
        t2 = (_right(a, 2) ^ _right(a, 13) ^ _right(a, 22)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (t1 + t2) & ALL, a, b, c, (d + t1) & ALL, e, f, g
    return [(x + y) & ALL for x, y in zip(state, (a, b, c, d, e, f, g, h))]


COMPRESS: dict[str, tuple[Words, Callable[[Lanes, Lanes], Lanes]]] = {
    "sha1": ((0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0), _sha1),
    "sha256": (SHA256, _sha256),
}


def _lanes(row: bytes) -> int:
    """The next word of each segment."""
    return int.from_bytes(struct.pack(f"<{SEGMENTS}Q", *struct.unpack(f">{SEGMENTS}I", row)), "little")


def _words(lanes: int) -> Words:
    return struct.unpack(f"<{SEGMENTS}Q", lanes.to_bytes(8 * SEGMENTS, "little"))


def digest(suite: str, text: bytes) -> bytes:
    """Returns the multi-hash of a text."""
    start, compress = COMPRESS[HASHES[suite]]
    padded = text + b"\x80" + bytes(-(len(text) + 9) % BLOCK) + struct.pack(">Q", 8 * len(text))
    rows = [_lanes(padded[at : at + 4 * SEGMENTS]) for at in range(0, len(padded), 4 * SEGMENTS)]
    chains = [word * EACH for word in start]
    for at in range(0, len(rows), 16):
        chains = compress(chains, rows[at : at + 16])
    words = [word for chain in chains for word in _words(chain)]
    whole = hashlib.new(HASHES[suite], struct.pack(f"<{len(words)}I", *words)).digest()
    return struct.pack(f"<{len(whole) // 4}I", *struct.unpack(f">{len(whole) // 4}I", whole))
