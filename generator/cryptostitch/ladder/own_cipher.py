"""Suites of a cipher of one's own, whose row brings it in plain Python (BlockCipher): its modes, for the oracle."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from ..core.catalog import Algorithm, BlockCipher
from .ghash import ghash

CIPHERS: dict[str, Algorithm] = {}
"""The row of each cipher's counter mode, by the cipher's name."""
MODES = {"ctr": "counter", "gcm": "gcm"}
"""The ends of the suites' names, with the kinds that oracle.py knows."""
KINDS = ("counter",)
"""The kinds of rows of which the library makes suites."""
REMEMBERED = 1 << 16
"""Cached blocks: plain Python takes a millisecond for one, and many texts of a check have the same beginning."""


def refer(rows: Iterable[Algorithm]) -> None:
    """Makes the ciphers of a catalogue known."""
    enciphered.cache_clear()
    CIPHERS.update((row.block_cipher, row) for row in rows if row.cipher and row.block_cipher and row.kind in KINDS)


def suite_of(suite: str) -> tuple[str, str] | None:
    """(the cipher's name, the mode) of a suite, or of the cipher that a suite begins with; None where it is of the
    project's own."""
    cipher, _, mode = suite.rpartition("-")
    return (cipher, mode) if cipher in CIPHERS and mode in MODES else None


def block_cipher(name: str) -> BlockCipher:
    cipher = CIPHERS[name].cipher
    assert cipher is not None
    return cipher


@functools.lru_cache(1 << 10)
def round_keys(cipher: BlockCipher, key: bytes) -> list[bytes]:
    return cipher.round_keys(key)


@functools.lru_cache(REMEMBERED)
def enciphered(cipher: BlockCipher, key: bytes, block: bytes) -> bytes:
    return cipher.enciphered(round_keys(cipher, key), block)


def counter_mode(cipher: BlockCipher, key: bytes, iv: bytes, data: bytes, bits: int = 128) -> bytes:
    """SP 800-38A, 6.5; the last ``bits`` count."""
    first = int.from_bytes(iv, "big")
    fixed, at = first >> bits << bits, first % (1 << bits)
    blocks = (fixed | (at + i) % (1 << bits) for i in range(-(-len(data) // 16)))
    stream = b"".join(enciphered(cipher, key, block.to_bytes(16, "big")) for block in blocks)
    return _added(data, stream)


def gcm(cipher: BlockCipher, key: bytes, iv: bytes, aad: bytes, data: bytes) -> tuple[bytes, bytes]:
    """SP 800-38D, 7.1: ciphertext and tag."""
    hash_key = enciphered(cipher, key, bytes(16))
    if len(iv) == 12:
        counter = iv + b"\0\0\0\1"
    else:
        counter = ghash(hash_key, bytes(16), _filled(iv) + bytes(8) + (8 * len(iv)).to_bytes(8, "big"))
    second = counter[:12] + ((int.from_bytes(counter[12:], "big") + 1) % (1 << 32)).to_bytes(4, "big")
    out = counter_mode(cipher, key, second, data, 32)
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(out)).to_bytes(8, "big")
    hashed = ghash(hash_key, bytes(16), _filled(aad) + _filled(out) + lengths)
    return out, _added(hashed, enciphered(cipher, key, counter))


def _filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % 16)


def _added(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b))
