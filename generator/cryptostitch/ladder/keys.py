"""AES key expansion for state blocks (FIPS 197, 5.2 and 5.3.5), independent of the runtime's."""

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


def expanded(key: bytes) -> list[bytes]:
    """The round keys for encryption, 16 bytes each."""
    box = sbox()
    words = [key[i:i + 4] for i in range(0, len(key), 4)]
    n, constant = len(words), 1
    for i in range(n, 4 * (n + 7)):
        word = words[-1]
        if i % n == 0:
            word = bytes(box[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = constant << 1 ^ (0x11B if constant & 0x80 else 0)
        elif n > 6 and i % n == 4:
            word = bytes(box[b] for b in word)
        words.append(bytes(a ^ b for a, b in zip(words[i - n], word)))
    return [b"".join(words[i:i + 4]) for i in range(0, len(words), 4)]


def times(a: int, b: int) -> int:
    """In GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2)."""
    product = 0
    while b:
        product ^= a * (b & 1)
        a, b = a << 1 ^ (0x11B if a & 0x80 else 0), b >> 1
    return product


def _inverse_mix_columns(block: bytes) -> bytes:
    rows = ((14, 11, 13, 9), (9, 14, 11, 13), (13, 9, 14, 11), (11, 13, 9, 14))
    out = bytearray()
    for column in range(0, 16, 4):
        for row in rows:
            out.append(functools.reduce(lambda x, y: x ^ y, (times(block[column + i], row[i]) for i in range(4))))
    return bytes(out)


def inverse_expanded(key: bytes) -> list[bytes]:
    """The round keys of the equivalent inverse cipher, in the order in which decryption takes them."""
    forward = expanded(key)
    return [forward[-1], *(_inverse_mix_columns(k) for k in reversed(forward[1:-1])), forward[0]]
