"""The catalogue's rows of this folder: `cryptostitch --templates` and pair.py add them to the project's own."""

import struct

from cryptostitch import WORDS_32, Algorithm, Form


def fletcher(data: bytes) -> bytes:
    """In plain Python, padded as hashes of this kind are: what `cryptostitch verify` compares with."""
    padded = data + b"\x80" + bytes(-(len(data) + 9) % 64) + (8 * len(data)).to_bytes(8, "little")
    a = b = 0
    for (word,) in struct.iter_unpack("<I", padded):
        a = (a + word) % 2**32
        b = (b + a) % 2**32
    return struct.pack("<II", a, b)


FLETCHER = Algorithm(
    "fletcher",
    suite="fletcher",
    kind="hash",
    forms=(Form("fletcher", "streams/fletcher.j2", WORDS_32),),
    parameters={"word": 32, "big_endian": False},
    word_bytes=4,
    words=2,
    digest_bytes=8,
    big_endian=False,
    initial=(0, 0),
    reference=fletcher,
    pairs=("aes128_cbc_enc",),
)

ALGORITHMS = [FLETCHER]
