"""`cryptostitch bench`: it reads and runs cst-bench, compares, and draws the same plot twice."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptostitch.analysis.bench_results import OURS, read_results, shipped
from cryptostitch.cli import main
from cryptostitch.report.overview import Load, times_as_fast
from cryptostitch.report.plots import compared, fullest, lines, panels

RESULTS = shipped("zen4")
ROWS = "sha1,aes-128-cbc+hmac-sha1-etm"


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(main, ["bench", *map(str, arguments)])
    assert result.exit_code == code, result.output + result.stderr
    return result


def test_panels_hold_what_the_file_says() -> None:
    results = read_results(RESULTS)
    drawn = panels(results, ROWS.split(","), "own")
    assert [title.split("\n")[0] for title, *_ in drawn] == [row for row in ROWS.split(",") for _ in range(2)]
    for title, axis, each in drawn:
        row, at = title.split("\n")
        number = int(at.removeprefix("jobs of ").split()[0].replace(",", ""))
        assert next(iter(each)) == OURS and len(each) > 1
        for name, points in each.items():
            assert len(points) > 1
            for x, speed in points:
                size, jobs = (x, number) if axis == "bytes of a job" else (number, x)
                cells = [
                    c.cycles_per_byte
                    for c in results.cells
                    if (c.row, c.keys, c.bytes, c.jobs, c.implementation) == (row, "own", size, jobs, name)
                    and c.size.isdigit()
                ]
                assert speed == pytest.approx(1 / min(cells))


def test_the_fullest_line_is_drawn() -> None:
    cells = [c for c in read_results(RESULTS).cells if c.row == "sha256" and c.size.isdigit()]
    chosen = fullest(cells, lambda c: c.bytes, lambda c: c.jobs)
    counts = {size: len({c.jobs for c in cells if c.bytes == size}) for size in {c.bytes for c in cells}}
    assert counts[chosen[0].bytes] == max(counts.values()) and {c.bytes for c in chosen} == {chosen[0].bytes}
    assert {len(points) for points in lines(chosen, lambda c: c.jobs).values()} == {max(counts.values())}


def test_comparison_takes_the_best_peer() -> None:
    results = read_results(RESULTS)
    cells = compared(results, ["sha1"])
    assert {(c["size"], c["jobs"]) for c in cells} == {(c.size, c.jobs) for c in results.cells if c.row == "sha1"}
    for cell in cells:
        there = [c for c in results.cells if c.place == (cell["row"], cell["keys"], cell["size"], cell["jobs"])]
        peers = {c.implementation: c.cycles_per_byte for c in there if c.implementation != OURS}
        assert cell["peer_cycles_per_byte"] == min(peers.values()) == peers[cell["peer"]]
        assert cell["times_as_fast"] == pytest.approx(cell["peer_cycles_per_byte"] / cell["cycles_per_byte"], abs=1e-3)


def test_a_plot_is_the_same_every_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    for name in ("a", "b"):
        run(
            "--results", RESULTS, "--rows", ROWS, "--plot", tmp_path / f"{name}.svg", "--plot", tmp_path / f"{name}.png"
        )
    for kind in ("svg", "png"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    text = (tmp_path / "a.svg").read_text()
    assert "<dc:date>" not in text and "aes-128-cbc+hmac-sha1-etm" in text and "ipsec-mb" in text
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_several_cpus_side_by_side(tmp_path: Path) -> None:
    """Each CPU's cells against its own best peer; the same bytes every time; light and dark differ in ink alone."""
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    other = RESULTS.parents[1] / "sapphire_rapids/bench.json"
    for name, more in (("a", ()), ("b", ()), ("dark", ("--dark",))):
        run("--results", RESULTS, "--results", other, "--plot", tmp_path / f"{name}.svg", *more)
    light, again, dark = ((tmp_path / f"{name}.svg").read_text() for name in ("a", "b", "dark"))
    assert light == again != dark and set(re.findall(">([^<]+)</text>", light)) == set(
        re.findall(">([^<]+)</text>", dark)
    )
    load = Load("aes-128-cbc+hmac-sha1-etm", 64, 64)
    for path in (RESULTS, other):
        found = times_as_fast(read_results(path), load)
        cells = [c for c in read_results(path).cells if c.place == (load.row, "own", "64", 64)]
        ours = min(c.cycles_per_byte for c in cells if c.implementation == OURS)
        assert found == min(c.cycles_per_byte for c in cells if c.implementation != OURS) / ours
        assert f">{found:.2f}<" in light
    assert f">{load.label}<" in light


def test_several_results_want_a_plot() -> None:
    result = CliRunner().invoke(main, ["bench", "--results", str(RESULTS), "--results", str(RESULTS)])
    assert result.exit_code == 2 and "--plot" in result.stderr


def test_table_and_json() -> None:
    text = run("--results", RESULTS, "--rows", "sha1").stdout
    assert "times as fast" in text and "sha256" not in text
    data = json.loads(run("--results", RESULTS, "--rows", "sha1", "--format", "json").stdout)
    assert data["machine"]["microarchitecture"] == "zen4" and all(c["row"] == "sha1" for c in data["cells"])


def test_it_measures(build: Path, tmp_path: Path) -> None:
    if not (build / "cst-bench").exists():
        pytest.skip("cst-bench was not built (no libcrypto headers)")
    file = tmp_path / "kept.json"
    data = json.loads(
        run(
            "--rows",
            "sha1",
            "--sizes",
            "64,1024",
            "--jobs",
            "1",
            "--min-ms",
            "0.01",
            "--repetitions",
            "3",
            "--peers",
            "openssl",
            "-o",
            file,
            "--format",
            "json",
        ).stdout
    )
    assert [(c["row"], c["size"], c["peer"]) for c in data["cells"]] == [
        ("sha1", "64", "openssl"),
        ("sha1", "1024", "openssl"),
    ]
    assert {c.implementation for c in read_results(file).cells} == {OURS, "openssl"}
    assert "status 2" in run("--jobs", "x", code=1).stderr


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert (
        "pip install matplotlib"
        in run("--results", RESULTS, "--rows", "sha1", "--plot", tmp_path / "x.svg", code=1).stderr
    )


@pytest.mark.parametrize(
    "arguments, code, says",
    [
        (("--results", "nowhere.json"), 1, "make bench"),
        (("--results", RESULTS, "--rows", "rot13"), 2, "sha256"),
        (("--results", RESULTS, "--sizes", "64"), 2, "leave it out to measure"),
        (("--results", RESULTS, "--plot", "x.pdf"), 1, "--plot x.svg"),
        (("--results", RESULTS, "--rows", "sha1", "--keys", "one", "--plot", "x.svg"), 1, "`--keys`"),
    ],
)
def test_errors_say_what_to_type(arguments: tuple, code: int, says: str) -> None:
    error = run(*arguments, code=code).stderr
    assert says in error and len(error.strip().splitlines()) == 1
