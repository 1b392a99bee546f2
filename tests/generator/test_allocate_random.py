"""The allocator on random streams, each within a random budget: value numbering proves the code, and runs leave the
memory that the stream would."""

from __future__ import annotations

import os

import pytest
from cryptostitch.core.errors import DoesNotFit
from cryptostitch.core.program import Program
from cryptostitch.core.stream import Stream
from cryptostitch.passes.allocate import allocate
from cryptostitch.passes.legalize import legalize
from cryptostitch.passes.verify import check_allocation, check_forms
from stream_runs import done, meant
from written_streams import Drawn

SEEDS = 2000 if os.environ.get("CRYPTOSTITCH_LONG") else 60
BUDGETS = (2, 3, 4, 5, 6, 7, 8, None)


def fitting(stream: Stream, first: int) -> Program:
    """Within the first budget that is not too small."""
    legal = legalize(stream)
    for budget in BUDGETS[first:]:
        try:
            return allocate(legal, budget)
        except DoesNotFit:
            assert budget is not None
    raise AssertionError("fits no budget")


@pytest.mark.parametrize("isa", ("scalar", "sse", "avx2", "avx512"))
def test_random_streams_keep_their_meaning(isa: str) -> None:
    for seed in range(SEEDS):
        drawn = Drawn(isa, seed)
        program = fitting(drawn.drawn, drawn.r.randrange(len(BUDGETS)))
        assert check_forms(program) == [], seed
        assert check_allocation(drawn.drawn, program) == [], seed
        for iterations in (1, 3):
            assert done(program, iterations) == meant(drawn.drawn, iterations), f"seed {seed}, {program.name}"
