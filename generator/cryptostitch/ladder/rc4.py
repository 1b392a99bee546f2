"""RC4 from any state, in plain Python; from the state that a key gives it agrees with the package `cryptography`
(tests/ladder/test_rc4.py)."""

from __future__ import annotations

import functools
import struct


@functools.lru_cache(maxsize=64)
def schedule(key: bytes) -> bytes:
    """The table that a key gives: each of 256 numbers once, 32 bits each as the stream keeps them."""
    table, j = list(range(256)), 0
    for i in range(256):
        j = (j + table[i] + key[i % len(key)]) % 256
        table[i], table[j] = table[j], table[i]
    return struct.pack("<256I", *table)


@functools.lru_cache(maxsize=256)
def _run(key: bytes, chain: bytes, n: int) -> tuple[bytes, bytes, bytes]:
    """n bytes of the stream from (i, j) on, with the key's table; what (i, j) and the table are then."""
    table = list(struct.unpack("<256I", schedule(key)))
    i, j = struct.unpack("<II8x", chain)
    out = bytearray()
    for _ in range(n):
        i = (i + 1) % 256
        j = (j + table[i]) % 256
        table[i], table[j] = table[j], table[i]
        out.append(table[(table[i] + table[j]) % 256])
    return bytes(out), struct.pack("<II", i, j) + chain[8:], struct.pack("<256I", *table)


def run(key: bytes, chain: bytes, text: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(text, _run(key, chain, len(text))[0]))


def chain_after(key: bytes, chain: bytes, n: int) -> bytes:
    return _run(key, chain, n)[1]


def table_after(key: bytes, chain: bytes, n: int) -> bytes:
    return _run(key, chain, n)[2]


def chain(secret: bytes) -> bytes:
    """i is a multiple of 16, at or near its end in every second scene; both are less than 256."""
    return struct.pack("<II8x", secret[0] & 0xF0 if secret[0] & 1 else 0xF0, secret[1])
