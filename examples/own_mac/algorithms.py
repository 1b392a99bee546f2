"""SipHash-2-4 (Aumasson and Bernstein, 2012), a MAC that the project does not have, as rows of a catalogue: what its
messages begin with, what each word of a message does, and what they end with."""

import struct
from pathlib import Path
from typing import Any

from cryptostitch import WORDS_64, Algorithm, Form, known_answers

COMPRESSIONS, FINALIZATIONS = 2, 4
INITIAL = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
MASK = 2**64 - 1


def turned(word: int, n: int) -> int:
    return (word << n | word >> 64 - n) & MASK


def rounds(state: list[int], n: int) -> list[int]:
    """SipRound: figure 2.1 of the paper."""
    a, b, c, d = state
    for _ in range(n):
        a, c = (a + b) & MASK, (c + d) & MASK
        b, d, a = turned(b, 13) ^ a, turned(d, 16) ^ c, turned(a, 32)
        a, c = (a + d) & MASK, (c + b) & MASK
        d, b, c = turned(d, 21) ^ a, turned(b, 17) ^ c, turned(c, 32)
    return [a, b, c, d]


def words(state: bytes) -> list[int]:
    return list(struct.unpack("<4Q", state))


def started(state: bytes, key: bytes) -> bytes:
    """2.1: of the constants the state with which messages begin."""
    k = struct.unpack("<2Q", key)
    return struct.pack("<4Q", *(word ^ k[i % 2] for i, word in enumerate(words(state))))


def compressed(state: bytes, block: bytes) -> bytes:
    """2.2, of the eight bytes that a block begins with."""
    (m,) = struct.unpack("<Q", block[:8])
    a, b, c, d = words(state)
    a, b, c, d = rounds([a, b, c, d ^ m], COMPRESSIONS)
    return struct.pack("<4Q", a ^ m, b, c, d)


def finished(state: bytes, _: bytes) -> bytes:
    """2.3: the tag stands in the first word."""
    a, b, c, d = words(state)
    a, b, c, d = rounds([a, b, c ^ 0xFF, d], FINALIZATIONS)
    return struct.pack("<4Q", a ^ b ^ c ^ d, b, c, d)


def siphash(key: bytes, text: bytes) -> bytes:
    """The whole MAC: what `cryptostitch verify` compares suites with."""
    state = started(struct.pack("<4Q", *INITIAL), key)
    padded = text + bytes(7 - len(text) % 8) + bytes([len(text) % 256])
    for at in range(0, len(padded), 8):
        state = compressed(state, padded[at : at + 8])
    return finished(state, b"")[:8]


def row(name: str, **more: Any) -> Algorithm:
    """One of the three; all have one suite's name, key and state."""
    return Algorithm(
        name,
        suite="siphash-2-4",
        forms=(Form(name, f"streams/{name}.j2", WORDS_64, (1,), paired=False),),
        parameters={
            "word": 64,
            "big_endian": False,
            "compressions": COMPRESSIONS,
            "finalizations": FINALIZATIONS,
        },
        key_bytes=16,
        word_bytes=8,
        words=4,
        big_endian=False,
        **more,
    )


ALGORITHMS = [
    row(
        "siphash",
        kind="hash",
        bytes=16,
        block_bytes=8,
        padding="low_length",
        hmac=False,
        digest_bytes=8,
        length_bytes=0,
        initial=INITIAL,
        iteration=compressed,
        keyed_reference=siphash,
        suite_answers=known_answers(Path(__file__).with_name("siphash-2-4.txt")),
    ),
    row("siphash_start", kind="start", bytes=16, iteration=started),
    row("siphash_finish", kind="finish", bytes=32, iteration=finished),
]
