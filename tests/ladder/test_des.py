"""The forms in which DES is computed: what `templates/streams/des.j2`, the key schedule of the runtime and
`ladder/des.py` have in common."""

from __future__ import annotations

import random

from cryptostitch.ladder import des

COLUMNS = [[1, 1, 1, 0, 1, 0], [0, 1, 1, 1, 0, 1], *([int(r == 7 - i) for r in range(6)] for i in range(2, 8))]
"""Of the template."""


def sources(j: int) -> list[int]:
    """The S-boxes whose output E gives S-box j, bit by bit (FIPS 46-3)."""
    return [(des.P[(4 * j - 1 + u) % 32] - 1) // 4 for u in range(6)]


def test_the_columns_are_the_same_everywhere() -> None:
    assert [sum(bit << r for r, bit in enumerate(column)) for column in COLUMNS] == list(des.PLACES)


def test_an_index_tells_all_inputs_apart() -> None:
    """No S-box is fed by itself, nor twice by another; and the six columns of each are independent."""
    for j in range(8):
        assert len(set(sources(j))) == 6 and j not in sources(j)
        found = set()
        for inputs in range(64):
            index = 0
            for u in range(6):
                index ^= (inputs >> u & 1) * des.PLACES[sources(j)[u]]
            found.add(index)
        assert len(found) == 64


def test_a_sliced_index_has_a_bit_for_each_input_and_none_in_bit_7() -> None:
    for j in range(8):
        places = {des.SLICED_PLACES[j ^ source] for source in sources(j)}
        assert len(places) == 6 and 7 not in places
        assert list(des.sliced([int(n // 6 == j) for n in range(48)])) == [
            sum(1 << place for place in places) if i == j else 0 for i in range(8)
        ]


def test_decryption_takes_the_keys_backwards() -> None:
    key = random.Random(1).randbytes(24)
    forward, backward = b"".join(des.rows(key)), b"".join(des.inverse_rows(key))
    assert [forward[i : i + 8] for i in range(0, 384, 8)] == [backward[i : i + 8] for i in range(376, -8, -8)]


def test_three_equal_keys_are_one() -> None:
    """SP 800-67, 3.1: what encryption by the first does, decryption by the second undoes."""
    key, text = bytes(range(1, 9)), bytes(range(64))
    rows = des.rows(3 * key)
    assert rows[:8] == rows[16:] and rows[8:16] == [row[8:] + row[:8] for row in reversed(rows[:8])]
    chain = bytes(8) + bytes(range(8))
    assert des.decrypted(3 * key, chain, des.encrypted(3 * key, chain, text)) == text
