"""Message schedules of SHA-1 and SHA-256 (FIPS 180-4, 6.1.2 and 6.2.2) of blocks that are known in advance."""

from __future__ import annotations

from collections.abc import Sequence

WORD, ONES = 32, 0xFFFFFFFF


def padding_block(message_bytes: int) -> list[int]:
    """Returns the words of a block that is only padding: the last of a message of so many bytes, whole blocks."""
    return [1 << WORD - 1] + [0] * 13 + [8 * message_bytes >> WORD, 8 * message_bytes & ONES]


def sha1_schedule(block: Sequence[int]) -> tuple[int, ...]:
    words = list(block)
    while len(words) < 80:
        words.append(_rotl(words[-3] ^ words[-8] ^ words[-14] ^ words[-16], 1))
    return tuple(words)


def sha256_schedule(block: Sequence[int]) -> tuple[int, ...]:
    words = list(block)
    while len(words) < 64:
        x, y = words[-15], words[-2]
        small0 = _rotl(x, 25) ^ _rotl(x, 14) ^ x >> 3
        small1 = _rotl(y, 15) ^ _rotl(y, 13) ^ y >> 10
        words.append(small1 + words[-7] + small0 + words[-16] & ONES)
    return tuple(words)


def _rotl(x: int, n: int) -> int:
    return (x << n | x >> WORD - n) & ONES
