"""Interleaves the bodies of streams into one sequence. Twin of runtime/code/weave.cpp; a test compares their bytes.

The proportional strategy spreads every sequence evenly over one iteration: instruction j of n sits at (2j+1)/2n, in
units of 2^-20, minus the stream's lead; the sequences are merged by that key. Each stream keeps its own order and no
register is shared, so no weave can change what a stream computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.ir import Ins
from ..core.merge import merged
from ..core.program import Part

STRATEGIES = ("proportional", "sequential")  # the index is the number in a pack


def weave(
    parts: Sequence[Part], strategy: str = "proportional", only: Iterable[int] | None = None
) -> list[tuple[int, Ins]]:
    """Returns one iteration of the loop as (stream index, instruction). ``only``: of these streams alone, with their
    own indices.

    Raises ValueError for an unknown strategy.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"unknown weave strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
    streams = range(len(parts)) if only is None else sorted(only)
    sequences = {i: parts[i].program.code.body * parts[i].ratio for i in streams}
    if strategy == "sequential":
        return [(i, ins) for i in streams for ins in sequences[i]]
    return merged(sequences, {i: parts[i].lead for i in streams})
