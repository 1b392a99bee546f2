"""The order of lanes in the fields of a state block."""

from __future__ import annotations

import pytest
from cryptostitch.core.isa import ISAS
from cryptostitch.frontend.layout import Layout


@pytest.mark.parametrize(
    "isa, lanes, word",
    [
        ("sse", 4, 32),
        ("sse", 2, 64),
        ("avx2", 8, 32),
        ("avx2", 8, 64),
        ("avx512", 16, 32),
        ("avx512", 8, 64),
        ("avx512", 16, 64),
    ],
)
def test_unpacking_blocks_gives_words_in_the_order_of_words(isa: str, lanes: int, word: int) -> None:
    """Word p of what `transpose_words` makes of the vectors from first on is of the lane in slot p // per of the vector
    first + p % per, with per words in a block."""
    layout = Layout(ISAS[isa], lanes, word)
    layout.blocks("key", 1)
    layout.words("chain", 3)
    fields = {field.name: field for field in layout.fields()}
    vector, size, per = ISAS[isa].vector_bytes, word // 8, 128 // word
    unpacked = {}
    for lane, offset in enumerate(fields["key"].lane_offsets):
        group, slot = offset // vector, offset % vector // 16
        unpacked[vector * (group // per) + size * (slot * per + group % per)] = lane
    assert {offset: lane for lane, offset in enumerate(fields["chain"].lane_offsets)} == unpacked
    assert sorted(unpacked) == list(range(0, size * lanes, size))
