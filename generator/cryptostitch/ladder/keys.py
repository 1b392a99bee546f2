"""AES key expansion for state blocks (FIPS 197, 5.2 and 5.3.5), independent of the runtime's."""

from __future__ import annotations

import functools

from ..semantics.rijndael import sbox, times


def expanded(key: bytes) -> list[bytes]:
    """The round keys for encryption, 16 bytes each."""
    box = sbox()
    words = [key[i : i + 4] for i in range(0, len(key), 4)]
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
    return [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]


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
