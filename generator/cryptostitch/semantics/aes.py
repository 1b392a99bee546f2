"""AES rounds (FIPS 197, 5.1 and 5.3; Intel SDM, AESENC ...), on each 128 bits of a vector.

A table for each row of the state holds the column that SubBytes and MixColumns make of one byte.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from .forms import LANE, Form, Meaning
from .rijndael import sbox, times

FORWARD = ((2, 1, 1, 3), (3, 2, 1, 1), (1, 3, 2, 1), (1, 1, 3, 2))  # the column that a byte of row 0, 1, 2, 3 makes
INVERSE = ((14, 9, 13, 11), (11, 14, 9, 13), (13, 11, 14, 9), (9, 13, 11, 14))


def _order(inverse: bool) -> list[int]:
    """Returns where each byte of the shifted state comes from: row r moves by r columns."""
    return [(4 * column + (-3 if inverse else 5) * row) % 16 for column in range(4) for row in range(4)]


@functools.cache
def _box(inverse: bool) -> bytes:
    return bytes(sbox().index(i) for i in range(256)) if inverse else sbox()


@functools.cache
def _tables(inverse: bool) -> list[list[int]]:
    box = _box(inverse)
    return [
        [sum(times(box[i], factor) << 8 * row for row, factor in enumerate(factors)) for i in range(256)]
        for factors in (INVERSE if inverse else FORWARD)
    ]


def _round(inverse: bool) -> Callable[[int], int]:
    tables, order = _tables(inverse), _order(inverse)
    steps = [(tables[i & 3], source, 32 * (i >> 2)) for i, source in enumerate(order)]

    def of(state: int) -> int:
        s, value = state.to_bytes(16, "little"), 0
        for table, source, at in steps:
            value ^= table[s[source]] << at
        return value

    return of


def _last(inverse: bool) -> Callable[[int], int]:
    box, order = _box(inverse), _order(inverse)

    def of(state: int) -> int:
        s = state.to_bytes(16, "little")
        return int.from_bytes(bytes(box[s[source]] for source in order), "little")

    return of


def _lanes(make: Callable[[bool], Callable[[int], int]], inverse: bool) -> Meaning:
    def meaning(form: Form) -> Callable[[int, int], int]:
        of = make(inverse)
        if form.bits == 128:
            return lambda state, key: of(state) ^ key
        places = range(0, form.bits, 128)
        return lambda state, key: sum(of(state >> at & LANE) << at for at in places) ^ key

    return meaning


MEANING: dict[str, Meaning] = {}
for _prefix in ("", "v"):
    MEANING |= {
        f"{_prefix}aesenc": _lanes(_round, False),
        f"{_prefix}aesdec": _lanes(_round, True),
        f"{_prefix}aesenclast": _lanes(_last, False),
        f"{_prefix}aesdeclast": _lanes(_last, True),
    }
