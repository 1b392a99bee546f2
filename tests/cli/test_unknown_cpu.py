"""Commands on a CPU without an instruction table: the nearest one stands in, which is said, and what can be measured is
shown."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptostitch.binding import runtime
from cryptostitch.cli import main
from cryptostitch.model import nearest
from cryptostitch.model.nearest import forms_of, nearest_table
from cryptostitch.model.table import Table, table_of, tables

KERNEL = "sha1_x4@sse"
NOT_ITS = "not this CPU's figures: there is no instruction table of it (generic, "
QUICK = ("--seconds", "0.05")


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, result.output + result.stderr
    return result


# ---- which table is the nearest


def with_tables(folder: Path, monkeypatch: pytest.MonkeyPatch, **made: Table) -> None:
    for name, table in made.items():
        (folder / f"{name}.json").write_text(dataclasses.replace(table, microarchitecture=name).text())
    monkeypatch.setattr(nearest, "tables", lambda: {name: folder / f"{name}.json" for name in sorted(made)})


def cut(table: Table, features: set[str], cpu: str) -> Table:
    """The table as a CPU of these features would have it."""
    kept = forms_of(features)
    return dataclasses.replace(table, cpu=cpu, rows={form: row for form, row in table.rows.items() if form in kept})


def test_the_nearest_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = table_of("zen4")
    small, large = {"ssse3", "sse4.1", "avx", "avx2"}, {"ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl"}
    with_tables(
        tmp_path,
        monkeypatch,
        few=cut(whole, small, "AMD one"),
        many=cut(whole, large, "AMD two"),
        other=cut(whole, large, "Intel(R) one"),
    )

    def found(features: set[str], brand: str) -> str:
        return nearest_table({"features": sorted(features), "brand": brand, "microarchitecture": "?"})[
            0
        ].microarchitecture

    assert found(small, "AMD new") == "few"  # no form that the CPU lacks
    assert found(large, "AMD new") == "many"  # every form that it runs
    assert found(small, "Intel(R) new") == "other"  # the maker's
    assert found(large, "") == "many"


def test_no_table_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "tables", dict)
    with pytest.raises(nearest.CryptostitchError, match="cryptostitch probe -o"):
        nearest_table({"features": [], "brand": "", "microarchitecture": "?"})


def test_the_sentence() -> None:
    table, why = nearest_table({"features": ["aes"], "brand": " AMD new ", "microarchitecture": "zen9"})
    assert why.startswith("not this CPU's figures: there is no instruction table of it (zen9, AMD new), and ")
    assert f"{table.microarchitecture} is the nearest" in why and "maker is the same" in why


# ---- the commands


def test_nothing_is_known_of_it(unknown_cpu: None) -> None:
    assert runtime.Context().cpu()["microarchitecture"] == "generic"
    found = json.loads(run("cpu", "--suite", "sha1", "--format", "json").stdout)
    assert all("estimate" in row["why"] for row in found["choices"])


def test_bound(unknown_cpu: None) -> None:
    data = json.loads(run("bound", KERNEL, *QUICK, "--format", "json").stdout)
    assert data["microarchitecture"] in tables() and data["stand_in"].startswith(NOT_ITS)
    assert data["measured"]["cycles_per_iteration"] > 0
    text = run("bound", KERNEL, *QUICK).stdout
    assert text.splitlines()[1].startswith(NOT_ITS) and "\nmeasured: " in text


def test_a_table_that_was_asked_for_is_another_cpus(unknown_cpu: None) -> None:
    data = json.loads(run("bound", KERNEL, "--cpu", "zen4", "--format", "json").stdout)
    assert data["stand_in"] is None and data["measured"] is None
    assert data["not_measured"] == "the table is of zen4, this CPU is generic"


def test_a_table_of_its_own(unknown_cpu: None, tmp_path: Path) -> None:
    """As `cryptostitch probe -o mine.json` leaves it."""
    brand = runtime.Context().cpu()["brand"].strip()
    for name, cpu in (("mine", brand), ("theirs", "Another")):
        table = dataclasses.replace(table_of("zen4"), microarchitecture=name, cpu=cpu)
        (tmp_path / f"{name}.json").write_text(table.text())
        data = json.loads(run("bound", KERNEL, *QUICK, "--cpu", tmp_path / f"{name}.json", "--format", "json").stdout)
        assert data["stand_in"] is None and (data["measured"] is None) == (name == "theirs"), data["not_measured"]


def test_report(unknown_cpu: None, tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    result = run("report", KERNEL, *QUICK, "-o", page)
    assert NOT_ITS in result.stdout and "measured" in result.stdout and "not this CPU" in page.read_text()
    data = json.loads(run("report", KERNEL, *QUICK, "--format", "json").stdout)
    assert data["bound"]["stand_in"].startswith(NOT_ITS) and data["bound"]["measured"]
    assert data["results"] is None and "peer" not in {bar["kind"] for bar in data["chart"]}, "of another CPU"


def test_predict(unknown_cpu: None, tmp_path: Path) -> None:
    text = run("predict", KERNEL, "--jobs", 1).stdout
    assert text.startswith(NOT_ITS) and "nothing was measured on this CPU: `cryptostitch calibrate" in text
    costs = tmp_path / "costs.json"
    run("calibrate", "--kernels", KERNEL, "-o", costs)
    data = json.loads(run("predict", KERNEL, "--jobs", 1, "--cost-table", costs, "--format", "json").stdout)
    assert data["stand_in"].startswith(NOT_ITS) and data["bands"]
    assert [k["measured"] for k in data["kernels"]] == [json.loads(costs.read_text())["kernels"][KERNEL][0]]


def test_a_file_that_is_no_cost_table(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"kernels": []}')
    error = run("predict", KERNEL, "--cpu", "zen4", "--cost-table", tmp_path / "x.json", code=1).stderr
    assert "is not a cost table" in error and "cryptostitch calibrate -o" in error and error.count("\n") == 1
