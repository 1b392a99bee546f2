"""Cost files, which a context reads, on the command line; and cost tables, of which the library is built."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from cryptostitch.cli import main

HASTE = ("--seconds", "0.01")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def rows(path: Path) -> set[str]:
    return {line.split()[1] for line in path.read_text().splitlines() if line.startswith("kernel ")}


@pytest.fixture(scope="module")
def costs(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("costs") / "kernel.costs"
    done = run("calibrate", "--costs", path, "--kernels", "sha1_*", *HASTE)
    assert done.exit_code == 0 and not done.stdout and str(path) in done.stderr and "calibrated" in done.stderr, (
        done.output
    )
    return path


def test_a_file_keeps_its_other_rows(costs: Path, tmp_path: Path) -> None:
    path = tmp_path / "costs"
    path.write_bytes(costs.read_bytes())
    assert run("calibrate", "--costs", path, "--kernels", "sha256_*", *HASTE).exit_code == 0
    assert rows(path) > rows(costs) and {name.partition("_")[0] for name in rows(path)} == {"sha1", "sha256"}


def test_what_the_choice_is_made_by(costs: Path) -> None:
    found = json.loads(run("cpu", "--costs", costs, "--suite", "sha*", "--format", "json").stdout)
    assert found["cpu"]["microarchitecture"].endswith("calibrated")
    assert {row["jobs"] for row in found["choices"]} == {1, 8, 64}
    for row in found["choices"]:
        assert ("as calibrated on this machine" in row["why"]) == ("sha1" in row["suite"].split("+")), row
    assert "calibrated on this machine" in run("cpu", "--costs", costs, "--suite", "sha1").stdout


def test_a_file_that_is_left_aside(costs: Path) -> None:
    """Other features are another CPU."""
    done = run("cpu", "--costs", costs, "--suite", "sha1", "--target", "host-popcnt")
    assert done.exit_code == 0 and "left aside" in done.stderr and "calibrated" not in done.stdout
    assert "left aside" not in run("cpu", "--costs", costs, "--suite", "sha1").stderr


TABLE = Path(__file__).resolve().parents[2] / "generator/cryptostitch/cpus/zen4/costs.json"


@pytest.mark.parametrize("command", [["cpu"], ["calibrate"], ["cst-bench", "--rows", "md5"]], ids=" ".join)
def test_a_table_is_not_a_cost_file(command: list[str], build: Path, tmp_path: Path) -> None:
    """And what is said makes one of it, by which the same command runs."""
    table, path = tmp_path / "costs.json", tmp_path / "zen4.costs"
    table.write_bytes(TABLE.read_bytes())
    told = f"cryptostitch calibrate --cost-table {table} --costs "
    if command[0] == "cst-bench":
        if not (build / "cst-bench").exists():
            pytest.skip("cst-bench was not built")
        haste = ("--sizes", "64", "--jobs", "1", "--min-ms", "0.01", "--repetitions", "1", "--own-key")
        tool = [build / "cst-bench", *command[1:], *haste]
        done = subprocess.run([*tool, "--costs", table], capture_output=True, text=True)
        assert done.returncode != 0 and "is a cost table" in done.stderr and told in done.stderr, done.stderr
        assert run(*shlex.split(told)[1:], path).exit_code == 0
        assert subprocess.run([*tool, "--costs", path], capture_output=True).returncode == 0
        return
    done = run(*command, "--costs", table)
    assert (
        done.exit_code == 1
        and "is a cost table" in done.stderr
        and told in done.stderr
        and done.stderr.count("\n") == 1
    )
    assert table.read_bytes() == TABLE.read_bytes()
    assert run(*shlex.split(told)[1:], path).exit_code == 0
    assert "zen4" in run("cpu", "--costs", path).stdout


def test_a_cost_file_is_not_a_table(costs: Path) -> None:
    done = run("predict", "md5_x1@scalar", "--cost-table", costs)
    assert done.exit_code == 1 and "is a cost file" in done.stderr and "cryptostitch calibrate -o" in done.stderr


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["calibrate", "--costs", "{folder}/absent/costs", *HASTE], "no folder"),
        (["calibrate", "--costs", "{folder}/costs", "--kernels", "zz*"], "cryptostitch list"),
        (["calibrate", "--costs", "{folder}/costs", "-o", "{folder}/zen9.json"], "belong to a table"),
        (["calibrate", "--seconds", "1"], "--seconds goes with --costs"),
        (["calibrate", "--cost-table", "{folder}/damaged"], "goes with --costs"),
        (["calibrate", "--cost-table", "{folder}/damaged", "--costs", "{folder}/costs"], "is a cost file"),
        (["calibrate", "--costs", "{folder}/damaged", *HASTE], "damaged"),
        (["cpu", "--costs", "{folder}/damaged"], "damaged"),
        (["cpu", "--costs", "{folder}/absent"], "absent"),
    ],
)
def test_wrong_input_gets_one_line(arguments: list[str], says: str, build: Path, tmp_path: Path) -> None:
    (tmp_path / "damaged").write_text("cryptostitch costs 1\n")
    done = run(*[a.replace("{folder}", str(tmp_path)) for a in arguments])
    assert (
        done.exit_code in (1, 2)
        and says in done.stderr
        and done.stderr.startswith("Error: ")
        and done.stderr.count("\n") == 1
    ), done.output
    assert [p.name for p in tmp_path.iterdir()] == ["damaged"]
