"""Poly1305 (RFC 8439, 2.5.1) over whole blocks, in plain Python, and the forms of its key that texts want."""

from __future__ import annotations

P = (1 << 130) - 5
CLAMP = 0x0FFFFFFC_0FFFFFFC_0FFFFFFC_0FFFFFFF
CHAIN_BYTES = 24
LIMBS = {"limbs_26": (26, 4), "limbs_44": (44, 8)}
"""By the form of the key: bits of a limb, lanes."""
WORD_BLOCKS = 8


def chain(secret: bytes) -> bytes:
    """Any accumulator: below 2^131."""
    return (int.from_bytes(secret, "little") % (1 << 131)).to_bytes(CHAIN_BYTES, "little")


def after(key: bytes, chain: bytes, text: bytes) -> bytes:
    """The accumulator modulo 2^130 - 5."""
    r, accumulator = int.from_bytes(key, "little") & CLAMP, int.from_bytes(chain, "little")
    for at in range(0, len(text), 16):
        accumulator = (accumulator + int.from_bytes(text[at : at + 16], "little") + (1 << 128)) * r % P
    return accumulator.to_bytes(CHAIN_BYTES, "little")


def rows(key: bytes, form: str, n: int) -> list[bytes]:
    """Returns the n rows of a key in that form (KEY_FORMS of core/contract.py)."""
    r = int.from_bytes(key, "little") & CLAMP
    if form == "r":
        return [r.to_bytes(16, "little")]
    if form == "words":
        return _word_rows(r)
    bits, lanes = LIMBS[form]
    limbs = -(-128 // bits)
    powers = [pow(r, lanes - (lane // 2 + lane % 2 * (lanes // 2)), P) for lane in range(lanes)]
    low = [[power >> bits * i & (1 << bits) - 1 for power in powers] for i in range(limbs)]
    again = [[x * 5 << bits * limbs >> 130 for x in row] for row in low[1:]]
    return _cut(b"".join(x.to_bytes(8, "little") for row in low + again for x in row).ljust(16 * n, b"\0"))


def _word_rows(r: int) -> list[bytes]:
    powers = [pow(r, n, P) for n in range(WORD_BLOCKS, 0, -1)]
    factors = [power << 64 * word for power in powers for word in range(2)] + [powers[0] << 128, sum(powers[1:]) << 128]
    return _cut(
        b"".join((factor % P >> 44 * i & (1 << 44) - 1).to_bytes(8, "little") for factor in factors for i in range(3))
    )


def _cut(data: bytes) -> list[bytes]:
    return [data[at : at + 16] for at in range(0, len(data), 16)]
