"""AEGIS-128L (draft-irtf-cfrg-aegis-aead), an AEAD that the project does not have, as rows of a catalogue; with tags of
16 bytes."""

import struct
from pathlib import Path
from typing import Any

from cryptostitch import Algorithm, Form, known_answers

RATE = 32
C0 = bytes.fromhex("000101020305080d1522375990e97962")
C1 = bytes.fromhex("db3d18556dc22ff12011314273b528dd")
FIRST = (bytes(16), C1, C0, C1, bytes(16), C0, C1, C0)
Blocks = list[int]  # eight numbers of 128 bits, little-endian


def product(a: int, b: int) -> int:
    """In GF(2^8) modulo x^8 + x^4 + x^3 + x + 1."""
    found = 0
    while b:
        found ^= a * (b & 1)
        a, b = a << 1 ^ 0x11B * (a >> 7), b >> 1
    return found


def affine(x: int) -> int:
    """Returns the affine transformation of AES's S-box (FIPS 197, 5.1.1), which the S-box applies to an inverse."""
    found = 0x63 ^ x
    for n in range(1, 5):
        found ^= (x << n | x >> 8 - n) & 0xFF
    return found


BOX = [affine(next((y for y in range(256) if product(x, y) == 1), 0)) for x in range(256)]
# of a byte in row r of a column, what the column becomes
MIXED = [
    [sum(product(BOX[x], (2, 3, 1, 1)[(r - out) % 4]) << 8 * out for out in range(4)) for x in range(256)]
    for r in range(4)
]


def aes_round(block: int, key: int) -> int:
    """A round of AES (FIPS 197, 5.1), with ShiftRows and MixColumns as look-ups."""
    data, found = block.to_bytes(16, "little"), 0
    for column in range(4):
        word = 0
        for r in range(4):
            word ^= MIXED[r][data[4 * ((column + r) % 4) + r]]
        found |= word << 32 * column
    return found ^ key


def updated(s: Blocks, m0: int, m1: int) -> Blocks:
    """The draft's Update."""
    keys = [s[0] ^ m0, *s[1:4], s[4] ^ m1, *s[5:]]
    return [aes_round(s[i - 1], keys[i]) for i in range(8)]


def number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def blocks(state: bytes) -> Blocks:
    return [number(state[at : at + 16]) for at in range(0, 128, 16)]


def state_of(s: Blocks) -> bytes:
    return b"".join(block.to_bytes(16, "little") for block in s)


def started(state: bytes, read: bytes) -> bytes:
    """Init, of key and nonce."""
    key, nonce = number(read[:16]), number(read[16:32])
    s = [block ^ added for block, added in zip(blocks(state), (key ^ nonce, 0, 0, 0, key ^ nonce, key, key, key))]
    for _ in range(10):
        s = updated(s, nonce, key)
    return state_of(s)


def key_stream(s: Blocks) -> tuple[int, int]:
    return s[6] ^ s[1] ^ s[2] & s[3], s[2] ^ s[5] ^ s[6] & s[7]


def crossed(state: bytes, read: bytes) -> tuple[bytes, bytes]:
    """A block of AAD or text: what follows it, and what is written."""
    w0, w1, m0, m1 = (number(read[at : at + 16]) for at in range(0, 64, 16))
    s = blocks(state)
    z0, z1 = key_stream(s)
    out = b"".join(block.to_bytes(16, "little") for block in (w0 ^ z0, w1 ^ z1))
    return state_of(updated(s, w0 ^ z0 & m0, w1 ^ z1 & m1)), out


def finished(state: bytes, read: bytes) -> bytes:
    """Finalize, of the lengths in bytes: the tag stands in the first block."""
    aad, text = struct.unpack("<2Q", read[16:32])
    s = blocks(state)
    t = s[2] ^ number(struct.pack("<2Q", 8 * aad % 2**64, 8 * text % 2**64))
    for _ in range(7):
        s = updated(s, t, t)
    tag = 0
    for block in s[:7]:
        tag ^= block
    return state_of([tag, *s[1:]])


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % RATE)


def sealed(key: bytes, nonce: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
    """The draft's Encrypt: ciphertext and tag. What `cryptostitch verify` compares suites with."""
    s = blocks(started(b"".join(FIRST), key + nonce))
    halves = [number(padded(aad)[at : at + 16]) for at in range(0, len(padded(aad)), 16)]
    for m0, m1 in zip(halves[::2], halves[1::2]):
        s = updated(s, m0, m1)
    out = b""
    for at in range(0, len(padded(text)), RATE):
        block = padded(text)[at : at + RATE]
        t0, t1 = number(block[:16]), number(block[16:])
        z0, z1 = key_stream(s)
        out += (t0 ^ z0).to_bytes(16, "little") + (t1 ^ z1).to_bytes(16, "little")
        s = updated(s, t0, t1)
    return out[: len(text)], finished(state_of(s), bytes(16) + struct.pack("<2Q", len(aad), len(text)))[:16]


def row(name: str, **more: Any) -> Algorithm:
    """One of the three; all have one suite's name, key and state."""
    return Algorithm(
        name,
        suite="aegis-128l",
        forms=(Form(name, f"streams/{name}.j2", {"sse": (1,)}, (1,), paired=False),),
        parameters={"word": 64, "big_endian": False},
        key_bytes=16,
        word_bytes=8,
        words=16,
        big_endian=False,
        **more,
    )


ALGORITHMS = [
    row(
        "aegis_duplex",
        kind="duplex",
        bytes=128,
        block_bytes=RATE,
        domain=0,
        iv_bytes=16,
        digest_bytes=16,
        initial=struct.unpack("<16Q", b"".join(FIRST)),
        iteration=crossed,
        aead_reference=sealed,
        suite_answers=known_answers(Path(__file__).with_name("aegis-128l.txt")),
    ),
    row("aegis_start", kind="start", bytes=32, iv_bytes=16, iteration=started),
    row("aegis_finish", kind="finish", bytes=32, iteration=finished),
]
