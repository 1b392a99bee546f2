"""The weave: order, spread, ratio, lead, lag, glue."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from cryptostitch.passes.weave import weave
from handmade import Part, program


def body(n: int, glue: tuple[int, ...] = ()) -> str:
    return "\n".join(f"add g1d, {i}" + ("~" if i in glue else "") for i in range(n))


def part(n: int, glue: tuple[int, ...] = (), **kwargs: int) -> Part:
    return Part(program(f"p{n}@scalar#0", body(n, glue)), **kwargs)


def shape(woven: list) -> str:
    return "".join("abcd"[i] for i, _ in woven)


def test_spreads_evenly() -> None:
    assert shape(weave([part(4), part(4)])) == "abababab"
    assert shape(weave([part(6), part(2)])) == "aabaaaba"
    assert shape(weave([part(2), part(6)])) == "babbbabb"
    assert shape(weave([part(1), part(1), part(1), part(1)])) == "abcd"


def test_ratio_repeats_the_body() -> None:
    woven = weave([part(2, ratio=3), part(3)])
    assert [ins.operands[1].value for i, ins in woven if i == 0] == [0, 1] * 3
    assert shape(woven) == "abaabaaba"


def test_lead_moves_a_stream_forward() -> None:
    assert shape(weave([part(4), part(4, lead=1024)])) == "bbbbaaaa"
    assert shape(weave([part(4), part(4, lead=-1024)])) == "aaaabbbb"


def test_glue_is_not_split() -> None:
    woven = weave([part(4, glue=(0, 1)), part(4)])
    assert shape(woven) == "aaabbbab"
    assert shape(weave([part(2, glue=(0, 1), ratio=2), part(2)])) == "aaaabb"  # glue joins repetitions too


def test_only_some_streams_keep_their_index() -> None:
    assert shape(weave([part(2), part(2), part(1)], only=[2, 1])) == "bcb"
    assert weave([part(2)], only=[]) == []


def test_sequential_and_unknown() -> None:
    assert shape(weave([part(2), part(3)], "sequential")) == "aabbb"
    with pytest.raises(ValueError, match="proportional"):
        weave([part(2)], "random")


def test_against_the_definition() -> None:
    """Random shapes: own order kept, nothing lost, and atoms in the order of their exact keys."""
    rng = random.Random(1)
    for _ in range(60):
        parts = []
        for _ in range(rng.randint(1, 4)):
            n = rng.randint(1, 40)
            glue = tuple(i for i in range(n) if rng.random() < 0.2)
            parts.append(part(n, glue, ratio=rng.randint(1, 3), lead=rng.randint(-700, 700)))
        woven = weave(parts)
        sequences = [p.program.code.body * p.ratio for p in parts]
        assert [[ins for i, ins in woven if i == s] for s in range(len(parts))] == [list(q) for q in sequences]
        position, atoms, previous = [0] * len(parts), [], None
        for i, ins in woven:
            if previous is None or not previous[1].glue or previous[0] != i:
                assert previous is None or not previous[1].glue or position[previous[0]] == len(sequences[previous[0]])
                j, n = position[i], len(sequences[i])
                atoms.append((i, Fraction((2 * j + 1) << 20, 2 * n).__floor__() - parts[i].lead * 1024))
            position[i] += 1
            previous = (i, ins)
        # A merge of sorted sequences by key is the sorted sequence.
        assert atoms == sorted(atoms, key=lambda atom: (atom[1], atom[0]))
