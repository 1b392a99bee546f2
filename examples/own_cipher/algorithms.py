"""ARIA-128 (RFC 5794) in counter mode: a cipher that the project does not have, as a row of a catalogue; and the same
in plain Python, for `cryptostitch verify` and for the key schedule."""

from functools import reduce
from operator import xor
from pathlib import Path

from cryptostitch import Algorithm, BlockCipher, Form, known_answers

ROUNDS = 12
MASK = 2**128 - 1
CK = (0x517CC1B727220A94FE13ABE8FA9A6EE0, 0x6DB14ACC9E21C820FF28B1D5EF5DE2B0, 0xDB92371D2126E9700324977504E8C90E)
TURNS = (19, 31, 128 - 61, 128 - 31)  # 2.2: of the round keys, four by four, to the right
# 2.4.3: the bytes whose exclusive-or is byte i
DIFFUSION = (
    (3, 4, 6, 8, 9, 13, 14),
    (2, 5, 7, 8, 9, 12, 15),
    (1, 4, 6, 10, 11, 12, 15),
    (0, 5, 7, 10, 11, 13, 14),
    (0, 2, 5, 8, 11, 14, 15),
    (1, 3, 4, 9, 10, 14, 15),
    (0, 2, 7, 9, 10, 12, 13),
    (1, 3, 6, 8, 11, 12, 13),
    (0, 1, 4, 7, 10, 13, 15),
    (0, 1, 5, 6, 11, 12, 14),
    (2, 3, 5, 6, 8, 13, 15),
    (2, 3, 4, 7, 9, 12, 14),
    (1, 2, 6, 7, 9, 11, 12),
    (0, 3, 6, 7, 8, 10, 13),
    (0, 3, 4, 5, 9, 11, 14),
    (1, 2, 4, 5, 8, 10, 15),
)
# the rows of S2's matrix, for the bits of the result from the lowest on; a row's highest bit is that of bit 0
S2_MATRIX = (0b01011110, 0b00111101, 0b11010111, 0b10011101, 0b00101100, 0b10000001, 0b01011101, 0b11010011)
S1_MATRIX = (0b10001111, 0b11000111, 0b11100011, 0b11110001, 0b11111000, 0b01111100, 0b00111110, 0b00011111)


def product(a: int, b: int) -> int:
    """In GF(2^8) modulo x^8 + x^4 + x^3 + x + 1."""
    found = 0
    while b:
        found ^= a * (b & 1)
        a, b = a << 1 ^ 0x11B * (a >> 7), b >> 1
    return found


def power(x: int, n: int) -> int:
    found = 1
    for _ in range(n):
        found = product(found, x)
    return found


def applied(matrix: tuple[int, ...], x: int) -> int:
    backwards = int(f"{x:08b}"[::-1], 2)
    return sum((row & backwards).bit_count() % 2 << i for i, row in enumerate(matrix))


S1 = bytes(applied(S1_MATRIX, power(x, 254)) ^ 0x63 for x in range(256))
S2 = bytes(applied(S2_MATRIX, power(x, 247)) ^ 0xE2 for x in range(256))
S3, S4 = (bytes(box.index(x) for x in range(256)) for box in (S1, S2))
# S2 is an affine map of S1, because x^247 is x^254 squared three times
AFTER_S1 = bytes(S2[S3[x]] for x in range(256))


def substituted(block: bytes, even: bool) -> bytes:
    boxes = (S3, S4, S1, S2) if even else (S1, S2, S3, S4)
    return bytes(boxes[i % 4][x] for i, x in enumerate(block))


def diffused(block: bytes) -> bytes:
    return bytes(reduce(xor, (block[i] for i in row)) for row in DIFFUSION)


def exclusive_or(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b))


def rounded(block: bytes, key: bytes, even: bool) -> bytes:
    return diffused(substituted(exclusive_or(block, key), even))


def round_keys(key: bytes) -> list[bytes]:
    """2.2, of a key of 16 bytes: 13 of them."""
    w = [key]
    w.append(rounded(w[0], CK[0].to_bytes(16, "big"), False))
    w.append(exclusive_or(rounded(w[1], CK[1].to_bytes(16, "big"), True), w[0]))
    w.append(exclusive_or(rounded(w[2], CK[2].to_bytes(16, "big"), False), w[1]))
    numbers = [int.from_bytes(word, "big") for word in w]
    found = []
    for turn in TURNS:
        for i in range(4):
            number = numbers[(i + 1) % 4]
            a, b = (numbers[i], number) if i < 3 else (numbers[3], numbers[0])
            found.append((a ^ (b >> turn | b << 128 - turn) & MASK).to_bytes(16, "big"))
    return found[:13]


def enciphered(keys: list[bytes], block: bytes) -> bytes:
    """2.3."""
    for i, key in enumerate(keys[:-2]):
        block = rounded(block, key, i % 2 == 1)
    return exclusive_or(substituted(exclusive_or(block, keys[-2]), True), keys[-1])


BEFORE_S3 = bytes(AFTER_S1.index(x) for x in range(256))


def nibbles(name: str, affine: bytes) -> dict[str, list[int]]:
    """An affine map of bytes as two tables, for its low and its high nibbles; the first has the constant."""
    return {
        f"{name}_low": [affine[x] for x in range(16)],
        f"{name}_high": [affine[16 * x] ^ affine[0] for x in range(16)],
    }


COMMON = {"block_bytes": 16, "key_bytes": 16, "rounds": ROUNDS, "block_cipher": "aria-128"}
CIPHER = BlockCipher(round_keys, enciphered)
ROUND = {
    "word": 32,
    "rounds": ROUNDS,
    "diffusion": [list(order) for order in zip(*DIFFUSION)],
    "maps": nibbles("after", AFTER_S1) | nibbles("before", BEFORE_S3),
}

ALGORITHMS = [
    Algorithm(
        "aria128_schedule",
        suite="aria-128-schedule",
        kind="schedule",
        forms=(Form("aria128_schedule", "streams/aria_schedule.j2", {"sse": (1,)}, groups=(1,)),),
        parameters=ROUND | {"constants": [list(ck.to_bytes(16, "big")) for ck in CK], "turns": TURNS},
        bytes=16,
        cipher=CIPHER,
        **COMMON,
    ),
    Algorithm(
        "aria128_ctr",
        suite="aria-128-ctr",
        kind="counter",
        forms=(
            Form(
                "aria128_ctr",
                "streams/aria_ctr.j2",
                {"sse": (1,), "avx2": (1,), "avx512": (1,)},
                groups=(1,),
                by={("sse", 1): (4, 1), ("avx2", 1): (8,), ("avx512", 1): (16,)},
            ),
        ),
        parameters=ROUND,
        iv_bytes=16,
        cipher=CIPHER,
        suite_answers=known_answers(Path(__file__).with_name("aria-128.txt")),
        **COMMON,
    ),
]
