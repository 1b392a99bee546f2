"""Figures that cannot be are not printed as ratios: what is measured, judged; and what is disturbed on purpose."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.analysis import study
from cryptostitch.analysis.study import Measured
from cryptostitch.cli import main
from cryptostitch.commands import common
from cryptostitch.core.names import stream_name
from cryptostitch.learning.host import OtherWork
from cryptostitch.model.bound import bound
from cryptostitch.model.table import table_of
from cryptostitch.pipeline import Generator
from cryptostitch.report.bound import bound_data, bound_text
from cryptostitch.report.pairings import heat, matrix_text
from cryptostitch.report.why import why, why_text
from cryptostitch.tuning.apart import Apart
from cryptostitch.tuning.matrix import Cell
from cryptostitch.tuning.measure import AGAIN, FEWEST, JOBS, NEAR_JOBS, NOISE, Cost, Laboratory, _cost, _Sample
from cryptostitch.tuning.trial import alone, impossible, trial

PAIR = [("md5_x4", "sse"), ("sha1_x4", "sse")]


class Steady:
    """The part of a setup that `_cost` asks for, with ten iterations between its two lengths."""

    iterations, few, loops = 11, 1, True


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


def test_a_bound_of_the_front_end_that_is_beaten_is_an_error_too() -> None:
    generator, table = Generator(), dataclasses.replace(table_of("zen4"), fetch=((1, 10.0),))
    found = bound(generator.kernel(generator.recipe("sha1_x1@scalar")), table)
    data = bound_data(found, Measured(Cost(0.9 * found.cycles, 0)))
    assert found.binds == "fetch" and data["measured"]["table_is_wrong"]


def test_a_loop_that_outgrows_a_cache_has_an_estimate_beside_its_bound() -> None:
    generator, table = Generator(), dataclasses.replace(table_of("zen4"), fetch=((1, 0.2), (10, 10.0)))
    found = bound(generator.kernel(generator.recipe("sha1_x1@scalar")), table)
    assert found.outgrown == pytest.approx(10 * (len(found.steps) + 1)) and found.cycles < found.outgrown
    assert "which is no bound for another loop" in bound_text(bound_data(found, Measured(why_not="for a reason")))


def test_why_has_no_bound_that_is_beaten(made: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    disturbed(monkeypatch, [[60, 50, 30]])
    found = tried(made)
    said = why(made, found, table_of("zen4"))  # no such kernel takes 60 cycles
    assert said and said["bound"] is None and "that table is wrong" in why_text(said)


def test_the_gain_is_over_the_fastest_kernels_of_both_algorithms(
    made: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rival that takes half of a part's cycles for the same bytes makes a loss of what seemed a gain."""
    names = [recipe.name for recipe in alone(made, made.stitch([(stream_name(name), isa) for name, isa in PAIR]))]
    monkeypatch.setattr(
        Apart, "_find", lambda self, laboratory, algorithm, name: names[0] if algorithm in names[0] else None
    )
    disturbed(monkeypatch, [[60, 50, 30, 25]])
    found = trial(made, made.stitch([(stream_name(name), isa) for name, isa in PAIR]), seconds=0.01, apart=Apart(made))
    assert found.speedup == pytest.approx(80 / 60) and found.gain == pytest.approx(55 / 60)
    assert found.data()["gain"] == pytest.approx(0.917, abs=0.001) and heat(Cell("a", "b", (found,))) == 0
    assert "0.92" in matrix_text([Cell("a", "b", (found,))])


def test_rivals_do_the_same_jobs(made: Generator, cpu: set[str]) -> None:
    """Of the same algorithm, with lanes that divide those of the part, from every instruction set."""
    if not {"aes", "avx2", "vaes"} <= cpu:
        pytest.skip("this CPU has no VAES")
    found = list(Apart(made)._kernels(Laboratory(), "aes128_cbc_enc", stream_name("aes128_cbc_enc_x8")))
    assert "aes128_cbc_enc_x8@avx2_vaes" in found and "aes128_cbc_enc_x4@sse_aesni" in found
    assert not any("x16" in str(kernel) or "1key" in str(kernel) or "aes256" in str(kernel) for kernel in found)


@pytest.mark.parametrize("busy, says", [(0, ""), (30, "other work kept 0.30 cores"), (200, "other work kept 2.00")])
def test_other_work_is_told(busy: int, says: str, tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n")
    other = OtherWork(stat)
    stat.write_text(f"cpu {busy} 0 0 {200 - busy} 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n")
    other._own = sum(os.times()[:4])
    assert says in other.note and bool(other.note) == bool(says)


def test_a_system_that_does_not_tell_is_idle(tmp_path: Path) -> None:
    assert not OtherWork(tmp_path / "stat").note


def test_a_command_that_times_says_so(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OtherWork, "cores", lambda self: 1.5)
    monkeypatch.setattr(study, "measured", lambda *_: Measured(why_not="for a reason"))
    assert "other work kept 1.50 cores" in CliRunner().invoke(main, ["bound", "md5_x1@scalar"]).stderr
    assert "other work" not in CliRunner().invoke(main, ["bound", "md5_x1@scalar", "--no-measure"]).stderr


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
