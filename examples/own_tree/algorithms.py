"""TurboSHAKE128 (RFC 9861, 2), and what KT128 makes of it (3): the hash of a short message, of a leaf, and of the node
over all leaves. They differ in the byte behind the message, so that one kernel serves all."""

from pathlib import Path

from cryptostitch import WORDS_64, Algorithm, Form, read_answers

HERE = Path(__file__).resolve().parent
RATE, ROUNDS, MASK = 168, 12, 2**64 - 1
ROTATIONS = (0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14)


def constants() -> list[int]:
    """Returns the constants of the last 12 of Keccak-f's 24 rounds (FIPS 202, 3.2.5)."""
    found, bit = [], 1
    for _ in range(24):
        word = 0
        for j in range(7):
            word |= (bit & 1) << 2**j - 1
            bit = bit << 1 ^ 0x171 * (bit >> 7)
        found.append(word)
    return found[-ROUNDS:]


def rotated(word: int, n: int) -> int:
    return (word << n | word >> 64 - n) & MASK


def permuted(a: list[int]) -> list[int]:
    """Keccak-p[1600, 12]: FIPS 202, 3.2."""
    for constant in CONSTANTS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[x - 1] ^ rotated(c[(x + 1) % 5], 1) for x in range(5)]
        b = [0] * 25
        for y in range(5):
            for x in range(5):
                b[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(a[x + 5 * y] ^ d[x], ROTATIONS[x + 5 * y])
        a = [b[i] ^ ~b[i - i % 5 + (i + 1) % 5] & b[i - i % 5 + (i + 2) % 5] for i in range(25)]
        a[0] ^= constant
    return a


CONSTANTS = constants()


def turboshake128(text: bytes, domain: int, output: int) -> bytes:
    """RFC 9861, 2.2, in plain Python: what `cryptostitch verify` compares with."""
    padded = bytearray(text + bytes([domain]) + bytes(-(len(text) + 1) % RATE))
    padded[-1] ^= 0x80
    state = [0] * 25
    for at in range(0, len(padded), RATE):
        for i in range(RATE // 8):
            state[i] ^= int.from_bytes(padded[at + 8 * i : at + 8 * i + 8], "little")
        state = permuted(state)
    found = b""
    while True:
        found += b"".join(word.to_bytes(8, "little") for word in state[: RATE // 8])
        if len(found) >= output:
            return found[:output]
        state = permuted(state)


def row(name: str, domain: int, base: str = "") -> Algorithm:
    return Algorithm(
        name.replace("-", "_"),
        suite=name,
        kind="hash",
        forms=() if base else (Form("turboshake", "streams/keccak.j2", WORDS_64, (1,), paired=False),),
        parameters={"word": 64, "big_endian": False, "rounds": ROUNDS},
        base=base,
        bytes=256,  # what an iteration reads: the rate, and zeros up to a power of two
        block_bytes=RATE,
        padding="sponge",
        domain=domain,
        extendable=True,
        hmac=False,
        word_bytes=8,
        words=25,
        digest_bytes=32,
        big_endian=False,
        length_bytes=0,
        initial=(0,) * 25,
        reference=lambda text: turboshake128(text, domain, 32),
        answers=read_answers(HERE / f"{name}.txt"),
    )


ALGORITHMS = [
    row("turboshake128", 0x1F),
    row("kt128-one", 0x07, base="turboshake128"),
    row("kt128-leaf", 0x0B, base="turboshake128"),
    row("kt128-node", 0x06, base="turboshake128"),
]
