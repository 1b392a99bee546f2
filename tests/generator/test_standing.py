"""Where this library stands against its peers, and what is said of the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptostitch.analysis.bench_results import OURS, Cell, Results
from cryptostitch.analysis.standing import Loop, Standing, Verdict, extremes, loops, reason, standings
from cryptostitch.cpus.costs import shipped_costs
from cryptostitch.model.table import table_of
from cryptostitch.pipeline import Generator


def cell(who: str, cycles: float, spread: float = 0.0, row: str = "sha1", jobs: int = 16) -> Cell:
    return Cell(row, who, "k", "own", "1024", 1024, jobs, cycles, spread)


@pytest.mark.parametrize(
    "ours, peer, verdict",
    [
        (cell(OURS, 1.0), cell("a", 1.04), Verdict.WON),
        (cell(OURS, 1.04), cell("a", 1.0), Verdict.LOST),
        (cell(OURS, 1.0, 0.02), cell("a", 1.04, 0.02), Verdict.WON),
        (cell(OURS, 1.0, 0.1), cell("a", 1.04, 0.1), Verdict.LEVEL),
        (cell(OURS, 1.0), cell("a", 1.0), Verdict.LEVEL),
    ],
)
def test_a_verdict(ours: Cell, peer: Cell, verdict: Verdict) -> None:
    assert Standing(ours, peer).verdict is verdict


def test_the_best_variant_against_the_best_peer_worst_first() -> None:
    cells = [cell(OURS, 3.0), cell(OURS, 2.0), cell("a", 5.0), cell("b", 4.0), cell("a", 9.0)]
    cells += [cell(OURS, 2.0, row="md5"), cell("a", 1.0, row="md5"), cell(OURS, 1.0, row="alone")]
    found = standings(Results(Path("x"), {}, tuple(cells)))
    assert [(s.ours.row, s.ratio, s.peer.implementation) for s in found] == [("md5", 2.0, "a"), ("sha1", 0.5, "b")]


@pytest.mark.parametrize(
    "loop, jobs, said",
    [
        (Loop(16, 0.5, 0.45, "aes"), 16, "50 % of the cycles are outside the kernel's loop"),
        (Loop(16, 0.9, 0.85, "aes"), 16, "the loop is at its bound (aes)"),
        (Loop(16, 0.9, 0.45, "aes"), 16, "the loop takes 2.00 times its bound (aes): another order"),
        (Loop(16, 0.9), 16, "90 % of the cycles are the kernel's loop"),
        (Loop(16, 0.45, 0.45, "aes"), 8, "8 of 16 lanes have a job; the loop is at its bound"),
        (None, 16, ""),
    ],
)
def test_a_reason(loop: Loop | None, jobs: int, said: str) -> None:
    why = reason(cell(OURS, 1.0, jobs=jobs), loop)
    assert why.startswith(said) and bool(why) == bool(said)


def test_a_part_that_runs_apart_is_named() -> None:
    loop = Loop(16, 0.5, 0.45, "aes")
    assert "the other part, which runs apart" in reason(cell(OURS, 1.0, row="aes-128-gcm"), loop)
    woven = Cell("aes-128-gcm", OURS, "a+b", "own", "1024", 1024, 16, 1.0, 0.0)
    assert "calls, keys" in reason(woven, loop) and "apart" not in reason(woven, loop)


def test_extremes_are_the_worst_and_the_best() -> None:
    found = [Standing(cell(OURS, ours), cell("a", 1.0)) for ours in (3.0, 2.0, 1.0, 0.5, 0.25)]
    assert [standing.ratio for standing in extremes(found, 1)] == [3.0, 0.25]
    assert [standing.ratio for standing in extremes(found, 9)] == [3.0, 2.0, 0.25, 0.5]


def test_loops_of_kernels_that_the_table_has() -> None:
    costs = shipped_costs("zen4")
    name = "sha1_x16@avx512"
    found = loops(Generator(), [name, "EVP", name], costs | {"no_such_x1@sse": 1.0}, table_of("zen4"))
    assert set(found) == {name} and found[name].lanes == 16
    assert found[name].cycles == pytest.approx(costs[name] / 1024)
    assert found[name].bound and 0.5 * found[name].cycles < found[name].bound < 1.03 * found[name].cycles
    assert loops(Generator(), [name], costs, None)[name].bound is None
