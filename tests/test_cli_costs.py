"""Files of costs on the command line: `cryptostitch calibrate --costs`, `cryptostitch cpu --costs`."""

from __future__ import annotations

import json
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
    found = json.loads(run("cpu", "--costs", costs, "--suites", "sha*", "--format", "json").stdout)
    assert found["cpu"]["microarchitecture"].endswith("calibrated")
    assert {row["jobs"] for row in found["choices"]} == {1, 4, 16, 64}
    for row in found["choices"]:
        assert ("as calibrated on this machine" in row["why"]) == (row["suite"] == "sha1"), row
    assert "calibrated on this machine" in run("cpu", "--costs", costs, "--suites", "sha1").stdout


def test_a_file_that_is_left_aside(costs: Path) -> None:
    """Other features are another CPU."""
    done = run("cpu", "--costs", costs, "--suites", "sha1", "--target", "host-popcnt")
    assert done.exit_code == 0 and "left aside" in done.stderr and "calibrated" not in done.stdout
    assert "left aside" not in run("cpu", "--costs", costs, "--suites", "sha1").stderr


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["calibrate", "--costs", "{folder}/absent/costs", *HASTE], "no folder"),
        (["calibrate", "--costs", "{folder}/costs", "--kernels", "zz*"], "cryptostitch list"),
        (["calibrate", "--costs", "{folder}/costs", "-o", "{folder}/zen9.json"], "belong to a table"),
        (["calibrate", "--seconds", "1"], "--seconds goes with --costs"),
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
