"""Ascon-AEAD128 (NIST SP 800-232), an AEAD that the project does not have, as rows of a catalogue: what its messages
begin with, what each block of AAD and text does, and what they end with."""

import struct
from pathlib import Path
from typing import Any

from cryptostitch import WORDS_64, Algorithm, Form, known_answers

RATE, MASK = 16, 2**64 - 1
INITIAL = 0x00001000808C0001
SEPARATION = 1 << 63


def turned(word: int, n: int) -> int:
    return (word >> n | word << 64 - n) & MASK


def permuted(state: list[int], rounds: int) -> list[int]:
    """Ascon-p of so many rounds: SP 800-232, 3."""
    a, b, c, d, e = state
    for i in range(12 - rounds, 12):
        c ^= 0xF0 - 0x0F * i
        a, c, e = a ^ e, c ^ b, e ^ d
        a, b, c, d, e = a ^ ~b & c, b ^ ~c & d, c ^ ~d & e, d ^ ~e & a, e ^ ~a & b
        a, b, c, d = a ^ e, b ^ a, ~c & MASK, d ^ c
        a ^= turned(a, 19) ^ turned(a, 28)
        b ^= turned(b, 61) ^ turned(b, 39)
        c ^= turned(c, 1) ^ turned(c, 6)
        d ^= turned(d, 10) ^ turned(d, 17)
        e ^= turned(e, 7) ^ turned(e, 41)
    return [a, b, c, d, e]


def words(state: bytes) -> list[int]:
    return list(struct.unpack("<5Q", state))


def started(state: bytes, read: bytes) -> bytes:
    """4.1, steps 1 to 3, of key and nonce."""
    k0, k1, n0, n1 = struct.unpack("<4Q", read[:32])
    a, b, c, d, e = words(state)
    a, b, c, d, e = permuted([a, b ^ k0, c ^ k1, d ^ n0, e ^ n1], 12)
    return struct.pack("<5Q", a, b, c, d ^ k0, e ^ k1)


def crossed(state: bytes, read: bytes) -> tuple[bytes, bytes]:
    """A block of AAD or text: what follows it, and what is written."""
    w0, w1, m0, m1, first, last = struct.unpack("<6Q", read[:48])
    a, b, c, d, e = words(state)
    out = struct.pack("<2Q", a ^ w0, b ^ w1)
    after = [a ^ w0 ^ a & m0, b ^ w1 ^ b & m1, c, d, e ^ first & SEPARATION]
    moved = permuted(after, 8)
    return struct.pack("<5Q", *(new & ~last | old & last for new, old in zip(moved, after))), out


def finished(state: bytes, read: bytes) -> bytes:
    """4.1, steps 9 and 10, of the key: the tag stands in the first two words."""
    k0, k1 = struct.unpack("<2Q", read[:16])
    a, b, c, d, e = words(state)
    a, b, c, d, e = permuted([a, b, c ^ k0, d ^ k1, e], 12)
    return struct.pack("<5Q", d ^ k0, e ^ k1, c, d, e)


def blocks(data: bytes) -> list[tuple[int, int]]:
    """The words of the blocks of AAD or text, of which the last has a byte 01 behind what it holds (2.1)."""
    padded = data + b"\x01" + bytes(-(len(data) + 1) % RATE)
    return list(struct.iter_unpack("<2Q", padded))


def sealed(key: bytes, nonce: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
    """4.1, algorithm 3, as it stands: ciphertext and tag. What `cryptostitch verify` compares suites with."""
    k0, k1 = struct.unpack("<2Q", key)
    state = permuted([INITIAL, k0, k1, *struct.unpack("<2Q", nonce)], 12)
    state[3] ^= k0
    state[4] ^= k1
    for w0, w1 in blocks(aad) if aad else ():
        state = permuted([state[0] ^ w0, state[1] ^ w1, *state[2:]], 8)
    state[4] ^= SEPARATION
    out = b""
    for n, (w0, w1) in enumerate(blocks(text)):
        state = permuted(state, 8) if n else state
        state[0] ^= w0
        state[1] ^= w1
        out += struct.pack("<2Q", state[0], state[1])
    state[2] ^= k0
    state[3] ^= k1
    state = permuted(state, 12)
    return out[: len(text)], struct.pack("<2Q", state[3] ^ k0, state[4] ^ k1)


def row(name: str, **more: Any) -> Algorithm:
    """One of the three; all have one suite's name, key and state."""
    return Algorithm(
        name,
        suite="ascon-aead128",
        forms=(Form(name, f"streams/{name}.j2", WORDS_64, (1,), paired=False),),
        parameters={"word": 64, "big_endian": False},
        key_bytes=16,
        word_bytes=8,
        words=5,
        big_endian=False,
        **more,
    )


ALGORITHMS = [
    row(
        "ascon_duplex",
        kind="duplex",
        bytes=64,
        block_bytes=RATE,
        domain=0x01,
        iv_bytes=16,
        digest_bytes=16,
        initial=(INITIAL,),
        iteration=crossed,
        aead_reference=sealed,
        suite_answers=known_answers(Path(__file__).with_name("ascon-aead128.txt")),
    ),
    row("ascon_start", kind="start", bytes=32, iv_bytes=16, iteration=started),
    row("ascon_finish", kind="finish", bytes=32, iteration=finished),
]
