"""`cryptostitch regret`: what choices cost on a CPU that was measured, over the least. Nothing is timed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from cryptostitch.analysis import regret as analysis
from cryptostitch.analysis.regret import Cell, Judged, Regret, Rows, regret
from cryptostitch.binding import library, runtime
from cryptostitch.cli import main
from cryptostitch.cpus.costs import measured_rows
from drawn_cpu import CPU
from targets import runs

SUITE = "aes-128-cbc+hmac-sha1-etm"
ANYWHERE = "chacha20-poly1305"  # any CPU runs it
FEW = ("--cpu", "zen4", "--suite", ANYWHERE)


def run(*arguments: str, code: int = 0) -> Any:
    result = CliRunner().invoke(main, ["regret", *arguments])
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture(autouse=True)
def few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "LENGTHS", (64, 1024, 16384))
    monkeypatch.setattr(analysis, "JOBS", (1, 8, 64))


FOUR, EIGHT = "sha1_x4@sse", "sha1_x8@sse"  # any CPU with SSSE3 runs them
MEASURED = {FOUR: [400.0, 0.0], EIGHT: [500.0, 0.0]}


def chosen_by(**figures: float) -> dict[str, list[float]]:
    """A table by which no other kernel of SHA-1 is taken."""
    dear = {name: [99999.0, 0.0] for name in runtime.Context().kernels() if name.startswith("sha1_")}
    return dear | {FOUR: [figures["four"], 0.0], EIGHT: [figures["eight"], 0.0]}


def complete(rows: Rows) -> Rows:
    """The table, by which no kernel is chosen that it lacks: kernels may be newer than the CPU's figures."""
    return {name: [99999.0, 0.0] for name in runtime.Context().kernels()} | dict(rows)


def cells_by_place(found: Regret) -> dict[tuple[int, int], Judged]:
    return {(judged.cell.size, judged.cell.jobs): judged for judged in found.judged}


def test_the_cost_of_a_choice() -> None:
    """Judged by figures that make eight lanes faster, if they are full."""
    found = cells_by_place(regret("zen4", MEASURED, chosen_by(four=400, eight=500), suites="sha1"))
    assert found[1024, 1].chosen == (FOUR,) and found[1024, 64].chosen == (EIGHT,)
    assert found[1024, 1].cost == 16 * 400 and found[1024, 64].cost == 16 * 8 * 500
    assert all(judged.regret == 1 for judged in found.values())


def test_what_a_wrong_table_costs() -> None:
    found = cells_by_place(regret("zen4", MEASURED, chosen_by(four=400, eight=2000), suites="sha1"))
    assert found[1024, 64].chosen == (FOUR,) and found[1024, 64].best == (EIGHT,)
    assert found[1024, 64].regret == 16 * 400 / (8 * 500) and found[1024, 1].regret == 1


def test_steps_cost_what_is_kept_between_them() -> None:
    """Where a kernel could take whole messages."""
    rows = measured_rows()["zen4"]
    context = runtime.Context()
    if not any(name.startswith("chacha_poly_enc") and runs(context, name) for name in context.kernels()):
        pytest.skip("this CPU has no kernel of whole ChaCha20-Poly1305 messages")
    kept = 1e5
    free, dear = (
        cells_by_place(regret("zen4", rows, complete(rows), suites=ANYWHERE, messages=(message, kept)))
        for message in (0.0, kept)
    )
    assert dear[64, 64].chosen == dear[64, 64].best and len(dear[64, 64].best) == 1, "whole"
    assert dear[64, 64].cost == free[64, 64].cost
    assert dear[16384, 64].cost == free[16384, 64].cost, "no kernel takes so much: it makes no difference"
    assert free[64, 64].least < free[64, 64].cost, "judged as if steps were free, they are better"


def test_what_nobody_measured_is_counted_apart() -> None:
    found = regret("zen4", {FOUR: MEASURED[FOUR]}, chosen_by(four=9999, eight=1), suites="sha1")
    assert found.unmeasured == 9 and not found.judged and found.mean == 1


def test_a_derived_table_decides_together_with_estimates() -> None:
    """By these figures eight lanes are a little better, by instruction counts a little worse."""
    near = chosen_by(four=400, eight=770)
    alone, together = (
        cells_by_place(regret("zen4", MEASURED, near, derived, "sha1"))[1024, 64].chosen for derived in (False, True)
    )
    assert alone == (EIGHT,) and together == (FOUR,)


def test_pairs_are_judged_with_what_is_around_them() -> None:
    if "sha" not in runtime.Context().cpu()["features"]:
        pytest.skip("this CPU has no SHA extensions")
    rows = measured_rows()["zen4"]
    found = regret("zen4", rows, rows, suites=SUITE)
    plans = {judged.chosen for judged in found.judged}
    assert any(len(plan) == 1 and "+" in plan[0] for plan in plans), "stitched"
    assert any(len(plan) == 2 for plan in plans), "one after the other"
    assert all(judged.regret >= 1 for judged in found.judged)
    assert 1 <= found.mean < 1.1, "choices by the table that judges"


def test_the_command() -> None:
    own = json.loads(run(*FEW, "--format", "json").stdout)
    assert own["cpu"] == "zen4" and own["chosen_by"] == "its own table"
    assert own["cells"] + own["unmeasured"] == 18 and own["cells"] > 9
    worst = own["worst_cells"]
    assert 1 <= own["mean"] <= own["worst"] == (worst[0]["regret"] if worst else 1), "no cell where all is chosen right"
    estimated = json.loads(run(*FEW, "--no-table", "--format", "json").stdout)
    assert estimated["worst"] == estimated["worst_cells"][0]["regret"] > 1
    for cell in (*worst, *estimated["worst_cells"]):
        assert set(cell) == {"suite", "direction", "bytes", "jobs", "regret", "chosen", "best"}
    text = run(*FEW, "--no-table").stdout
    assert "chosen by estimates" in text and "geometric mean" in text and ANYWHERE in text
    left_out = json.loads(run(*FEW, "--left-out", "--format", "json").stdout)
    assert left_out["chosen_by"] == "the table derived from sapphire_rapids" and left_out["mean"] >= 1


def test_kernels_that_do_not_fit_are_no_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each of them names that may have been meant were looked for: nine tenths of the time."""

    def nearest(self: object, *_: object) -> str:
        raise AssertionError("a name was looked for")

    monkeypatch.setattr(library.Library, "nearest", nearest)
    assert regret("zen4", MEASURED, MEASURED, suites="sha1").judged


def test_bad_input() -> None:
    error = run("--cpu", "zen44", code=1).stderr
    assert "no measured CPU named 'zen44'" in error and "zen4" in error and error.count("\n") == 1
    assert "no measured CPU named 'zen3'" in run("--cpu", "zen3", code=1).stderr, "its table is derived"
    assert "give one" in run("--left-out", "--no-table", code=2).stderr
    assert "no suite matches" in run("--cpu", "zen4", "--suite", "rot13", code=2).stderr


def test_what_cannot_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CPU, "nehalem")
    assert "this CPU cannot run any suite that matches 'aes-*-gcm'" in run(*FEW[:3], "aes-*-gcm", code=1).stderr


def test_on_an_unknown_cpu(unknown_cpu: None) -> None:
    assert "give --cpu sapphire_rapids or --cpu zen2 or --cpu zen4" in run(code=2).stderr
    found = json.loads(run(*FEW, "--format", "json").stdout)
    assert found["cells"] + found["unmeasured"] == 18 and found["cells"] > 9


def test_mean_and_worst() -> None:
    cell = Cell("sha1", runtime.SEAL, 64, 1)
    found = Regret(tuple(Judged(cell, ("a",), ("b",), cost, 1.0) for cost in (1.0, 4.0, 2.0)), 0)
    assert found.mean == pytest.approx(2) and [judged.regret for judged in found.worst(2)] == [4, 2]
