"""DES in CBC mode, and its round keys as `streams/des.j2` wants them: made from FIPS 46-3 as it is written, bit by bit,
independent of the template's and the runtime's tables."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes

KEY_BYTES = 24
PC1 = (
    57,
    49,
    41,
    33,
    25,
    17,
    9,
    1,
    58,
    50,
    42,
    34,
    26,
    18,
    10,
    2,
    59,
    51,
    43,
    35,
    27,
    19,
    11,
    3,
    60,
    52,
    44,
    36,
    63,
    55,
    47,
    39,
    31,
    23,
    15,
    7,
    62,
    54,
    46,
    38,
    30,
    22,
    14,
    6,
    61,
    53,
    45,
    37,
    29,
    21,
    13,
    5,
    28,
    20,
    12,
    4,
)
PC2 = (
    14,
    17,
    11,
    24,
    1,
    5,
    3,
    28,
    15,
    6,
    21,
    10,
    23,
    19,
    12,
    4,
    26,
    8,
    16,
    7,
    27,
    20,
    13,
    2,
    41,
    52,
    31,
    37,
    47,
    55,
    30,
    40,
    51,
    45,
    33,
    48,
    44,
    49,
    39,
    56,
    34,
    53,
    46,
    42,
    50,
    36,
    29,
    32,
)
SHIFTS = (1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1)
P = (
    16,
    7,
    20,
    21,
    29,
    12,
    28,
    17,
    1,
    15,
    23,
    26,
    5,
    18,
    31,
    10,
    2,
    8,
    24,
    14,
    32,
    27,
    3,
    9,
    19,
    13,
    30,
    6,
    22,
    11,
    4,
    25,
)
SLICED_PLACES = (7, 0, 4, 5, 1, 2, 6, 3)
"""The bit of an index of `streams/des_sliced.j2`, by the numbers of the S-boxes that it goes to and comes from, added
without carries."""
PLACES = (0b010111, 0b101110, 32, 16, 8, 4, 2, 1)
"""What a bit that S-box i puts out adds to an index."""


def encrypted(key: bytes, chain: bytes, text: bytes) -> bytes:
    return Cipher(TripleDES(key), modes.CBC(chain[8:])).encryptor().update(text)


def decrypted(key: bytes, chain: bytes, text: bytes) -> bytes:
    return Cipher(TripleDES(key), modes.CBC(chain[8:])).decryptor().update(text)


def schedule(key: bytes) -> list[list[int]]:
    """The 16 round keys of eight bytes, as 48 bits each."""
    bits = [key[(n - 1) // 8] >> 7 - (n - 1) % 8 & 1 for n in PC1]
    c, d, found = bits[:28], bits[28:], []
    for n in SHIFTS:
        c, d = c[n:] + c[:n], d[n:] + d[:n]
        found.append([(c + d)[n - 1] for n in PC2])
    return found


def indices(bits: list[int]) -> bytes:
    """The stream's form of a round key: the indices of all S-boxes, transposed; bit 6 of one says whether its S-box's
    number is odd."""
    found = bytearray(8)
    for j in range(8):
        index = 64 * (j % 2)
        for u in range(6):
            index ^= bits[6 * j + u] * PLACES[(P[(4 * j - 1 + u) % 32] - 1) // 4]
        for n in range(8):
            found[7 - n] |= (index >> n & 1) << 7 - j
    return bytes(found)


def sliced(bits: list[int]) -> bytes:
    """The form of a round key that the byte-sliced stream takes: the indices of all S-boxes."""
    found = bytearray(8)
    for j in range(8):
        for u in range(6):
            found[j] |= bits[6 * j + u] << SLICED_PLACES[j ^ (P[(4 * j - 1 + u) % 32] - 1) // 4]
    return bytes(found)


def rows(key: bytes, form: Callable[[list[int]], bytes] = indices) -> list[bytes]:
    """Returns the key rows of three keys: encryption, decryption, encryption (SP 800-67, 3.1)."""
    first, second, third = (schedule(key[at : at + 8]) for at in (0, 8, 16))
    ordered = [form(bits) for bits in (*first, *reversed(second), *third)]
    return [ordered[i] + ordered[i + 1] for i in range(0, len(ordered), 2)]


def inverse_rows(key: bytes, form: Callable[[list[int]], bytes] = indices) -> list[bytes]:
    return [row[8:] + row[:8] for row in reversed(rows(key, form))]


def sliced_rows(key: bytes) -> list[bytes]:
    return rows(key, sliced)


def inverse_sliced_rows(key: bytes) -> list[bytes]:
    return inverse_rows(key, sliced)
