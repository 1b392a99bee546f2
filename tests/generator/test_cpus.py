"""CPUs' folders: what ships is whole and says how it was made, and what is damaged is an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptostitch.analysis import bench_results
from cryptostitch.commands.common import cpu_name
from cryptostitch.core.errors import CryptostitchError, UnknownName
from cryptostitch.cpus.costs import cost_tables, costs_in, costs_of, shipped_costs, table_text
from cryptostitch.cpus.folder import ABOUT, FOLDER, About, CpuFolder, Grade, Made, Part, folder_of, shipped
from cryptostitch.cpus.recipes import recipe_data, settings_of
from cryptostitch.listing import Catalogue
from cryptostitch.model.table import read_table, tables

MADE = Made(Grade.MEASURED, "by hand", "2026-11-23", "0123456")


@pytest.fixture(scope="module")
def kernels() -> set[str]:
    return set(Catalogue().kernel_names())


@pytest.mark.parametrize("folder", shipped().values(), ids=lambda folder: folder.name)
def test_a_shipped_folder_is_what_it_says(folder: CpuFolder, kernels: set[str]) -> None:
    about = folder.about()
    assert about and about.microarchitecture == folder.name and about.cpu
    there = {part for part in Part if folder.file(part).exists()}
    assert there and there == set(about.parts)
    for made in about.parts.values():
        assert made.how and len(made.when) == len("2026-11-23")
    if Part.COSTS in there:
        data = json.loads(folder.file(Part.COSTS).read_text())
        assert data["microarchitecture"] == folder.name
        assert set(data["kernels"]) <= kernels, "kernels that are no more"
        assert all(iteration > 0 and call >= 0 for iteration, call in data["kernels"].values())
    if Part.INSTRUCTION_COSTS in there:
        assert read_table(folder.file(Part.INSTRUCTION_COSTS)).microarchitecture == folder.name
    for recipe in folder.recipes():
        assert settings_of(recipe_data(recipe)["recipe"]).parts()
    if Part.BENCH in there:
        found = bench_results.read_results(folder.bench())
        assert found.machine["microarchitecture"] == folder.name and found.cells


def test_what_is_read_from_the_folders() -> None:
    assert {"zen4", "zen5", "sapphire_rapids"} <= set(shipped())
    assert {"zen4", "zen5"} <= set(tables()) <= set(shipped())
    name = "sha1_x16@avx512"
    assert {table.microarchitecture: table.derived for table in cost_tables([name])} == {
        name: not folder.file(Part.COSTS).exists()
        for name, folder in shipped().items()
        if folder.file(Part.COSTS).exists() or folder.file(Part.PUBLISHED).exists()
    }
    assert all(set(table.costs) <= {name} for table in cost_tables([name]))
    assert shipped_costs("zen4")[name] > 0 and shipped_costs("zen9") == {}
    assert bench_results.shipped("zen4") == FOLDER / "zen4/bench.json"
    assert bench_results.shipped("zen9") is None and bench_results.shipped(None) is None
    assert folder_of("zen4").bench("sse").exists()


def test_grades() -> None:
    grades = {name: about.grade for name, folder in shipped().items() if (about := folder.about())}
    assert grades["zen4"] is grades["zen5"] is grades["sapphire_rapids"] is Grade.MEASURED
    assert grades["zen3"] is Grade.DERIVED, "published figures are all that is known of it"
    assert About("a", "b").grade is Grade.DEFAULT
    derived = Made(Grade.DERIVED, "", "")
    assert About("a", "b", {Part.COSTS: MADE, Part.INSTRUCTION_COSTS: derived}).grade is Grade.DERIVED


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match="no CPU named 'zen6'; nearest: zen"):
        folder_of("zen6")


def test_about_is_what_was_written(tmp_path: Path) -> None:
    folder = CpuFolder(tmp_path / "new")
    assert folder.about() is None and costs_in(folder) == {} and folder.recipes() == []
    about = About("new", "A CPU").with_part(Part.COSTS, MADE)
    folder.write_about(about)
    assert folder.about() == about


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"format": "cryptostitch cpu 2"}',
        About("a", "b", {Part.COSTS: MADE}).text().replace("measured", "guessed"),
        About("a", "b", {Part.COSTS: MADE}).text().replace('"costs"', '"prices"'),
    ],
)
def test_a_damaged_about_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / ABOUT).write_text(content)
    with pytest.raises(CryptostitchError, match="does not describe a CPU's folder"):
        CpuFolder(tmp_path).about()


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = CpuFolder(tmp_path)
    folder.write("recipes/a.json", "old")

    def fails(self: Path, target: Path) -> Path:
        assert self.read_text() == "new"
        raise OSError

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError):
        folder.write("recipes/a.json", "new")
    assert (tmp_path / "recipes/a.json").read_text() == "old"
    assert [path.name for path in (tmp_path / "recipes").iterdir()] == ["a.json"]


def test_a_cost_table_is_what_was_written(tmp_path: Path) -> None:
    table = {"microarchitecture": "new", "kernels": {"a": [1.5, 2.0], "b": [3.0, 0.0]}}
    path = CpuFolder(tmp_path).write(Part.COSTS.file, table_text(table))
    assert json.loads(path.read_text()) == table and path.read_text().count("\n  ") == 2, "a row on each line"
    assert costs_of(path) == costs_in(CpuFolder(tmp_path)) == {"a": 1.5, "b": 3.0}


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"kernels": {"a": 1}}', '{"kernels": {"a": [1]}}'])
def test_a_damaged_cost_table_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "costs.json").write_text(content)
    with pytest.raises(CryptostitchError, match="is not a cost table"):
        costs_of(tmp_path / "costs.json")


def test_a_tables_place_names_its_cpu(tmp_path: Path) -> None:
    assert cpu_name(FOLDER / "zen9/costs.json") == cpu_name(Path("cpus/zen9/instruction_costs.json")) == "zen9"
    assert cpu_name(tmp_path / "costs.json") == "costs" and cpu_name(FOLDER / "zen9.json") == "zen9"
