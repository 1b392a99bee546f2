"""TurboSHAKE128 and TurboSHAKE256 (RFC 9861, 2), and the trees over them, KT128 and KT256 (3). All four run on the
kernels of the first row."""

from pathlib import Path

from cryptostitch import WORDS_64, Algorithm, Form, Tree, read_answers

HERE = Path(__file__).resolve().parent
ROUNDS, MASK = 12, 2**64 - 1
PTN = bytes(i % 251 for i in range(8192))
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


def turboshake(text: bytes, rate: int, domain: int, output: int) -> bytes:
    """RFC 9861, 2.2, in plain Python: what `cryptostitch verify` compares with."""
    padded = bytearray(text + bytes([domain]) + bytes(-(len(text) + 1) % rate))
    padded[-1] ^= 0x80
    state = [0] * 25
    for at in range(0, len(padded), rate):
        for i in range(rate // 8):
            state[i] ^= int.from_bytes(padded[at + 8 * i : at + 8 * i + 8], "little")
        state = permuted(state)
    found = b""
    while True:
        found += b"".join(word.to_bytes(8, "little") for word in state[: rate // 8])
        if len(found) >= output:
            return found[:output]
        state = permuted(state)


def length_encode(number: int) -> bytes:
    """RFC 9861, 3.3: big-endian without leading zeros, and how many bytes that are."""
    encoded = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return encoded + bytes([len(encoded)])


def kangaroo(digest_bytes: int, customization: bytes = b"") -> Tree:
    """RFC 9861, 3.2 and 3.3. What a program customizes with is a part of its row."""
    return Tree(
        leaf_bytes=8192,
        digest_bytes=digest_bytes,
        leaf_domain=0x0B,
        node_domain=0x06,
        behind=customization + length_encode(len(customization)),
        marker=b"\x03" + bytes(7),
        end=b"\xff\xff",
    )


def row(
    name: str, rate: int, digest_bytes: int, tree: Tree | None = None, leaves: str = "", base: str = "turboshake128"
) -> Algorithm:
    """``leaves``: what a tree makes of the 8192 bytes ptn(8192), which are two leaves: RFC 9861, 5."""
    domain = 0x07 if tree else 0x1F

    def sponge(text: bytes, domain: int, output: int) -> bytes:
        return turboshake(text, rate, domain, output)

    def reference(text: bytes) -> bytes:
        return tree.digest(text, domain, sponge, digest_bytes) if tree else sponge(text, domain, digest_bytes)

    return Algorithm(
        name.replace("-", "_"),
        suite=name,
        kind="hash",
        forms=() if base else (Form("turboshake", "streams/keccak.j2", WORDS_64, (1,), paired=False),),
        parameters={"word": 64, "big_endian": False, "rounds": ROUNDS},
        base=base,
        bytes=256,  # what an iteration reads: the rate, and zeros up to a power of two
        block_bytes=rate,
        padding="sponge",
        domain=domain,
        tree=tree,
        extendable=True,
        hmac=False,
        word_bytes=8,
        words=25,
        digest_bytes=digest_bytes,
        big_endian=False,
        length_bytes=0,
        initial=(0,) * 25,
        reference=reference,
        answers=read_answers(HERE / f"{name}.txt") + (((PTN, bytes.fromhex(leaves)),) if leaves else ()),
    )


ALGORITHMS = [
    row("turboshake128", 168, 32, base=""),
    row("turboshake256", 136, 64),
    row("kt128", 168, 32, kangaroo(32), "48f256f6772f9edfb6a8b661ec92dc93b95ebd05a08a17b39ae3490870c926c3"),
    row(
        "kt256",
        136,
        64,
        kangaroo(64),
        "c6ee8e2ad3200c018ac87aaa031cdac22121b412d07dc6e0dccbb53423747e9a"
        "1c18834d99df596cf0cf4b8dfafb7bf02d139d0c9035725adc1a01b7230a41fa",
    ),
]
