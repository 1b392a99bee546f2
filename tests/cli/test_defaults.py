"""Every command with nothing but what it must be given.

A command whose default is minutes of work keeps its arguments and gets less of it: fewer kernels, mutants,
instructions, pairings or cells, or less time to search (``less_work``). CRYPTOSTITCH_LONG=1 leaves it all pairings.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from cryptostitch.analysis import bench_run, regret
from cryptostitch.binding import runtime
from cryptostitch.cli import main
from cryptostitch.commands import benching
from cryptostitch.instruction_probe import measurement
from cryptostitch.ladder import climb
from cryptostitch.learning import budget, steps
from cryptostitch.model.forms import all_forms
from cryptostitch.mutate import campaign
from cryptostitch.tuning import matrix, tune
from jobs.samples import LONG

KERNEL = "md5_x1@scalar"
OWN_HASH = Path(__file__).resolve().parents[2] / "examples/own_hash/algorithms.py"
PAIR = ("aes128_cbc_enc_x1", "sha1_x1", "--isa", "sse:scalar")
DEFAULTS: dict[str, tuple[str, ...]] = {
    "list": (),
    "show": (KERNEL,),
    "stitch": PAIR,
    "matrix": (),
    "tune": PAIR,
    "emit": ("--assembly", "-", KERNEL),
    "verify": (),
    "mutate": (),
    "cpu": (),
    "calibrate": (),
    "regret": ("--cpu", "zen4"),
    "learn": ("--folder", "cpu", "--busy"),
    "probe": (),
    "bound": (KERNEL,),
    "predict": (),
    "report": (KERNEL,),
    "pack": (str(OWN_HASH), "-o", "own.pack", "--kernels", "*@scalar"),
    "bench": (),
    "openssl-config": ("--module", "cryptostitch.so"),
}
OF_THE_CPU = ("calibrate", "cpu", "probe", "stitch")  # and bound, predict, report: test_unknown_cpu.py
FORMS = ("add r64 r64", "mov r64 m64", "mov m64 r64", "paddd xmm xmm", "pslld xmm i")
CELLS = ("--sizes", "64", "--jobs", "1", "--own-key", "--peers", "none", "--min-ms", "0.01", "--repetitions", "3")


@pytest.fixture
def less_work(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks, kernels, probe = climb.tasks, runtime.Context.kernels, measurement.probe
    forms = [form for form in all_forms() if str(form) in FORMS]
    monkeypatch.setattr(climb, "tasks", lambda made, glob: tasks(made, KERNEL))
    monkeypatch.setattr(campaign, "SAMPLE", (KERNEL,))
    mutate = campaign.run
    monkeypatch.setattr(campaign, "run", lambda plan, *rest: mutate(dataclasses.replace(plan, count=6), *rest))
    monkeypatch.setattr(runtime.Context, "kernels", lambda self: kernels(self)[::100])
    monkeypatch.setattr(measurement, "probe", lambda progress: probe(progress, forms))
    search = tune.Search.run
    monkeypatch.setattr(tune.Search, "run", lambda self, seconds, tell: search(self, 1, tell))
    measured = benching.measured
    monkeypatch.setattr(
        benching, "measured", lambda path, options, rows, quiet: measured(path, (*options, *CELLS), rows, quiet)
    )
    bench = bench_run.measured
    monkeypatch.setattr(
        bench_run, "measured", lambda path, options, rows, quiet: bench(path, (*options, *CELLS), rows, quiet)
    )
    monkeypatch.setattr(steps, "pairs_that_run", lambda context: [])
    monkeypatch.setattr(steps, "LIBRARY_COSTS", 0.1)
    monkeypatch.setattr(budget, "PROBE_RUNS", 1)
    monkeypatch.setattr(regret, "LENGTHS", (64,))
    monkeypatch.setattr(regret, "JOBS", (1,))
    if not LONG:
        pairs_of = matrix.pairs_of
        monkeypatch.setattr(matrix, "pairs_of", lambda *wanted: pairs_of(*wanted)[:2])


@pytest.fixture
def typed(build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        result = CliRunner().invoke(main, list(arguments))
        assert result.exit_code == 0, f"{shlex.join(arguments)}: {result.output}{result.stderr}"
        return result

    return run


def features() -> set[str]:
    return set(runtime.Context().cpu()["features"])


def test_every_command_is_here() -> None:
    assert set(DEFAULTS) == set(main.commands)


@pytest.mark.parametrize("command", DEFAULTS)
def test_a_command_with_its_default_arguments(
    command: str, typed: Callable[..., Result], less_work: None, build: Path
) -> None:
    if command in ("stitch", "tune") and not {"aes", "bmi2"} <= features():
        pytest.skip("this CPU has no AES-NI or BMI2, which the pair needs")
    if command == "bench" and not (build / "cst-bench").exists():
        pytest.skip("cst-bench was not built (no libcrypto headers)")
    result = typed(command, *DEFAULTS[command])
    assert result.stdout or command == "bench", "cst-bench prints by itself"


@pytest.mark.parametrize("command", OF_THE_CPU)
def test_so_on_a_cpu_that_nobody_has_named(
    command: str, unknown_cpu: None, typed: Callable[..., Result], less_work: None
) -> None:
    if command == "stitch" and not {"aes", "bmi2"} <= features():
        pytest.skip("this CPU has no AES-NI or BMI2, which the pair needs")
    assert typed(command, *DEFAULTS[command]).stdout
