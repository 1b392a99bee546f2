"""Figures that cannot be are not printed as ratios: what is measured, judged; and what is disturbed on purpose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.analysis import study
from cryptostitch.analysis.study import Measured
from cryptostitch.cli import main
from cryptostitch.commands import common
from cryptostitch.model.bound import bound
from cryptostitch.model.table import table_of
from cryptostitch.pipeline import Generator
from cryptostitch.report.bound import bound_data, bound_text
from cryptostitch.report.pairings import matrix_text
from cryptostitch.tuning.matrix import Cell
from cryptostitch.tuning.measure import AGAIN, FEWEST, JOBS, NEAR_JOBS, NOISE, Cost, Laboratory, _cost, _Sample
from cryptostitch.tuning.trial import impossible, trial

PAIR = [("md5_x4", "sse"), ("sha1_x4", "sse")]


class Steady:
    """The part of a setup that `_cost` asks for, with ten iterations between its two lengths."""

    iterations = 11

    class kernel:
        lag = 0


def cost(cycles: list[float], steady: bool = True) -> Cost:
    return _cost(Steady(), [_Sample(100 + 11 * c, 100 + c, steady) for c in cycles])  # type: ignore[arg-type]


def test_samples_that_agree_are_believed() -> None:
    found = cost([10.0] * 9)
    assert found.per_iteration == pytest.approx(10) and not found.doubt and found.noise == pytest.approx(NOISE)


def test_a_slow_phase_as_long_as_half_of_the_measurement_is_seen() -> None:
    """The spread alone does not see it."""
    found = cost([10.0] * 9 + [13.0] * 8)
    assert found.drift > 0.2 and "differ by" in found.doubt


def test_few_samples_have_no_spread_and_are_not_believed() -> None:
    found = cost([50.0, 50.0], steady=False)
    assert found.spread == 0 and found.doubt == "only 0 samples were not interrupted"
    assert not cost([10.0] * FEWEST).doubt


def test_interrupted_samples_do_not_count_where_there_are_others() -> None:
    samples = [_Sample(210, 110, True)] * FEWEST + [_Sample(810, 110, False)] * 9
    assert _cost(Steady(), samples).per_iteration == pytest.approx(10)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "woven, hand, says",
    [
        (60, False, ""),
        (49, False, "less than its larger part alone (50.0)"),
        (45, True, ""),
        (30, True, "less than its larger part"),
        (85, False, "more than its parts one after the other (80.0)"),
        (80.5, False, ""),
    ],
)
def test_what_a_woven_kernel_can_take(woven: float, hand: bool, says: str) -> None:
    found = impossible(woven, [50, 30], 0.01, hand)
    assert says in found and bool(found) == bool(says)


def disturbed(monkeypatch: pytest.MonkeyPatch, cycles: list[list[float]]) -> list[int]:
    """The laboratory's measurements are these, one list after another."""
    taken: list[int] = []

    def measure(self: object, setups: list, *_: object) -> list[Cost]:
        taken.append(len(setups))
        return [Cost(c, 0.0) for c in cycles[min(len(taken), len(cycles)) - 1]]

    monkeypatch.setattr("cryptostitch.tuning.measure.Laboratory.measure", measure)
    monkeypatch.setattr("cryptostitch.tuning.measure.Laboratory.ghz", lambda self: 3.0)
    return taken


@pytest.fixture
def made(build: Path) -> Generator:
    return Generator()


def tried(made: Generator):
    from cryptostitch.core.names import stream_name

    return trial(made, made.stitch([(stream_name(name), isa) for name, isa in PAIR]), seconds=0.01)


def test_an_impossible_ratio_is_measured_again(made: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = disturbed(monkeypatch, [[20, 50, 30], [60, 50, 30]])
    found = tried(made)
    assert not found.doubt and found.speedup == pytest.approx(80 / 60) and len(taken) == 2


def test_an_impossible_ratio_is_not_told(made: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = disturbed(monkeypatch, [[20, 50, 30]])
    found = tried(made)
    assert "less than its larger part" in found.doubt and found.data()["speedup"] is None and len(taken) == 3
    text = matrix_text([Cell("md5", "sha1", (found,))])
    assert AGAIN in text and "4.00" not in text and "disturbed" in text


def test_a_loss_that_repeats_is_believed(made: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = disturbed(monkeypatch, [[100, 50, 30]])
    found = tried(made)
    assert not found.doubt and found.speedup == pytest.approx(0.8) and len(taken) == 2


def test_a_bound_that_is_beaten_names_the_rows_to_probe() -> None:
    generator, table = Generator(), table_of("zen4")
    found = bound(generator.kernel(generator.recipe("sha1_ni_x1@sse_shani")), table)
    data = bound_data(found, Measured(Cost(0.9 * found.cycles, 0)))
    assert found.binds == "chain" and data["measured"]["table_is_wrong"][0] in {str(s.form) for s in found.chain.steps}
    assert "the instruction table of zen4 is wrong" in bound_text(data) and "cryptostitch probe" in bound_text(data)
    assert all(row in table.rows for row in found.rows)
    for near in (0.98, 2.0):
        assert bound_data(found, Measured(Cost(near * found.cycles, 0)))["measured"]["table_is_wrong"] is None


def test_a_disturbed_bound_has_no_ratio() -> None:
    generator = Generator()
    found = bound(generator.kernel(generator.recipe("sha1_x8@avx2")), table_of("zen4"))
    data = bound_data(found, Measured(Cost(5 * found.cycles, 0, steady=1), doubt="only 1 samples were not interrupted"))
    assert data["measured"]["of_bound"] is None and f"{AGAIN} (only 1 samples" in bound_text(data)


def test_a_beaten_bound_is_an_exit_status(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of("zen4")
    chosen = common.ChosenTable(table, "zen4", True)
    monkeypatch.setattr("cryptostitch.commands.model.chosen_table", lambda name: chosen)
    monkeypatch.setattr(study, "measured", lambda *_: Measured(Cost(1.0, 0)))
    result = CliRunner().invoke(main, ["bound", "sha1_x8@avx2", "--format", "json"])
    assert result.exit_code == 1 and json.loads(result.stdout)["measured"]["table_is_wrong"]


def test_a_sponge_counts_the_bytes_of_the_message() -> None:
    generator = Generator()
    recipe = generator.recipe("keccak_x4@avx2")
    assert bound(generator.kernel(recipe), table_of("zen4"), share=generator.message_share(recipe)).bytes == 4 * 136
    recipe = generator.recipe("sha1_x4@sse")
    assert generator.message_share(recipe) == 1


@pytest.mark.parametrize(("kernel", "lanes"), [("sha1_x1@scalar", 1), ("sha1_x4@sse", 4)])
def test_calls_of_a_sample(build: Path, cpu: set[str], kernel: str, lanes: int) -> None:
    """Whole buffers are those of NEAR_JOBS jobs; the cost of a call is that of all jobs' sets of lanes."""
    if not {"bmi2", "ssse3"} <= cpu:
        pytest.skip("this CPU has no BMI2 or SSSE3")
    setup = Laboratory().open(kernel)
    calls: list[int] = []
    setup._function = calls.append  # type: ignore[assignment]
    setup.seconds(setup.iterations, setup.near)
    assert len(calls) == len(set(calls)) == NEAR_JOBS // lanes
    calls.clear()
    setup.seconds(1)
    assert len(calls) == len(set(calls)) == JOBS // lanes
