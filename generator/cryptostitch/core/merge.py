"""Merges sequences of instructions into one, each evenly spread: the proportional strategy of passes/weave.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .ir import Ins


def merged(sequences: Mapping[int, Sequence[Ins]], leads: Mapping[int, int]) -> list[tuple[int, Ins]]:
    """Returns the sequences in one, by the proportional strategy, each instruction with the key of its sequence."""
    position = {i: 0 for i in sequences if sequences[i]}

    def key(i: int) -> tuple[int, int]:
        return ((2 * position[i] + 1) << 20) // (2 * len(sequences[i])) - leads[i] * 1024, i

    woven: list[tuple[int, Ins]] = []
    while position:
        i = min(position, key=key)
        glued = True
        while glued:  # an atom is a maximal run that is joined by glue
            ins = sequences[i][position[i]]
            woven.append((i, ins))
            position[i] += 1
            glued = ins.glue and position[i] < len(sequences[i])
        if position[i] == len(sequences[i]):
            del position[i]
    return woven
