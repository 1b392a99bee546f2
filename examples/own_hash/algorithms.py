"""Ascon-Hash256 and Ascon-XOF128 (NIST SP 800-232): two hashes that the project does not have, as rows of a
catalogue."""

from pathlib import Path

from cryptostitch import WORDS_64, Algorithm, Form, read_answers

HERE = Path(__file__).resolve().parent
RATE, MASK = 8, 2**64 - 1


def rotated(word: int, n: int) -> int:
    return (word >> n | word << 64 - n) & MASK


def permuted(state: tuple[int, ...]) -> tuple[int, ...]:
    """Ascon-p[12]: SP 800-232, 3."""
    a, b, c, d, e = state
    for constant in range(0xF0, 0x4A, -0x0F):
        c ^= constant
        a, c, e = a ^ e, c ^ b, e ^ d
        a, b, c, d, e = a ^ ~b & c, b ^ ~c & d, c ^ ~d & e, d ^ ~e & a, e ^ ~a & b
        a, b, c, d = a ^ e, b ^ a, ~c & MASK, d ^ c
        a ^= rotated(a, 19) ^ rotated(a, 28)
        b ^= rotated(b, 61) ^ rotated(b, 39)
        c ^= rotated(c, 1) ^ rotated(c, 6)
        d ^= rotated(d, 10) ^ rotated(d, 17)
        e ^= rotated(e, 7) ^ rotated(e, 41)
    return a, b, c, d, e


def started(number: int) -> tuple[int, ...]:
    """The state before the first block, of the initial value of 64 bits."""
    return permuted((number, 0, 0, 0, 0))


def sponge(state: tuple[int, ...], text: bytes, output: int) -> bytes:
    """SP 800-232, 5.1 and 5.2: in plain Python, what `cryptostitch verify` compares with."""
    padded = text + b"\x01" + bytes(-(len(text) + 1) % RATE)
    for at in range(0, len(padded), RATE):
        state = permuted((state[0] ^ int.from_bytes(padded[at : at + RATE], "little"), *state[1:]))
    found = state[0].to_bytes(RATE, "little")
    while len(found) < output:
        state = permuted(state)
        found += state[0].to_bytes(RATE, "little")
    return found[:output]


def row(name: str, number: int, extendable: bool, base: str = "") -> Algorithm:
    """A hash whose kernels read 16 bytes for each block of 8."""
    initial = started(number)
    return Algorithm(
        name.replace("-", "_"),
        suite=name,
        kind="hash",
        forms=() if base else (Form("ascon", "streams/ascon.j2", WORDS_64, (1, 2), paired=False),),
        parameters={"word": 64, "big_endian": False},
        base=base,
        bytes=16,
        block_bytes=RATE,
        padding="sponge",
        domain=0x01,
        last=0x00,
        extendable=extendable,
        hmac=False,
        word_bytes=8,
        words=5,
        digest_bytes=32,
        big_endian=False,
        length_bytes=0,
        initial=initial,
        reference=lambda text: sponge(initial, text, 32),
        answers=read_answers(HERE / f"{name}.txt"),
    )


ALGORITHMS = [
    row("ascon-hash256", 0x0000080100CC0002, extendable=False),
    row("ascon-xof128", 0x0000080000CC0003, extendable=True, base="ascon_hash256"),
]
