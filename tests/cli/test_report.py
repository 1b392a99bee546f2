"""`cryptostitch report`: its data agree with `cryptostitch bound`, its page stands alone, its peers are those of
cst-bench."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptostitch.analysis.bench_results import beside, read_results, rows_of, shipped
from cryptostitch.binding import runtime
from cryptostitch.cli import main
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.listing import Catalogue
from cryptostitch.model.execution import DATA, RUN, UNIT
from cryptostitch.report.code import kernel_data
from cryptostitch.report.picture import anchor, runs, strips

PAIR = "aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, str]:
    file = tmp_path_factory.mktemp("report") / "pair.html"
    data = json.loads(run("report", PAIR, "--cpu", "zen4", "--no-measure", "-o", file, "--format", "json").stdout)
    return data, file.read_text()


def test_the_bound_is_that_of_the_other_command(page: tuple[dict, str]) -> None:
    assert page[0]["bound"] == json.loads(
        run("bound", PAIR, "--cpu", "zen4", "--no-measure", "--format", "json").stdout
    )


def test_the_code_is_that_of_show(page: tuple[dict, str]) -> None:
    shown = json.loads(run("show", PAIR, "--format", "json").stdout)
    assert [(line["stream"], line["text"], line["places"]) for line in page[0]["code"]] == [
        (line["stream"], line["text"], line["places"]) for line in shown["code"]
    ]
    assert page[0]["streams"] == shown["streams"]


def test_the_model_says_where_the_cycles_go(page: tuple[dict, str]) -> None:
    data = page[0]["model"]
    assert sum(item["cycles_per_iteration"] for item in data["spent"]) == pytest.approx(
        data["cycles_per_iteration"], rel=0.02
    )
    assert (
        data["spent"][0]["kind"] == RUN
        and data["cycles_per_iteration"] >= 0.99 * page[0]["bound"]["bound"]["cycles_per_iteration"]
    )
    line = data["timeline"]
    for strip, started in zip(line["states"], line["started"]):
        assert strip[0][1] == 0 and strip[-1][2] == line["cycles"] == len(started)
        assert all(a[2] == b[1] and a[0] != b[0] for a, b in itertools.pairwise(strip))
        assert {state for state, *_ in strip} <= {DATA, UNIT, RUN, ""}
    loop = [line for line in page[0]["code"] if line["section"] == "loop" and line["stream"] is not None]
    in_loop = sum(s["instructions"] for s in page[0]["streams"])
    assert len(loop) == in_loop and all(sum(line["cycles"].values()) >= 0 for line in loop)
    assert sum(sum(s) for s in line["started"]) == pytest.approx(in_loop * line["iterations"], rel=0.05)


def test_the_chart_has_every_bar(page: tuple[dict, str]) -> None:
    bars = {bar["kind"]: bar for bar in page[0]["chart"]}
    assert {"part", "sum", "larger", "ours", "bound"} <= set(bars)
    parts = [bar["model"] for bar in page[0]["chart"] if bar["kind"] == "part"]
    assert (
        len(parts) == 2
        and bars["sum"]["model"] == pytest.approx(sum(parts), abs=2e-4)
        and bars["larger"]["model"] == max(parts)
    )
    assert bars["bound"]["model"] == page[0]["bound"]["bound"]["cycles_per_byte"] <= bars["ours"]["model"]
    assert all(bar["measured"] is None for bar in page[0]["chart"] if bar["kind"] not in ("peer", "job"))
    results = read_results(shipped("zen4"))
    for bar in (b for b in page[0]["chart"] if b["kind"] == "peer"):
        assert any(
            c.implementation == bar["label"]
            and round(c.cycles_per_byte, 4) == bar["measured"]
            and c.row == bar["note"].partition(",")[0]
            for c in results.cells
        )


def test_the_page_stands_alone(page: tuple[dict, str]) -> None:
    data, text = page
    assert not re.search(r"(src|href)=\"(?!data:|#)|url\((?!#)|@import|<script", text), "the page names another file"
    ids = re.findall(r"\bid=\"([^\"]+)\"", text)
    assert len(ids) == len(set(ids)) and {a[1:] for a in re.findall(r"href=\"(#[^\"]+)\"", text)} <= set(ids)
    places = {place for line in data["code"] for place in line["places"]}
    assert {f"#{anchor(p)}" for p in places} == set(re.findall(r"href=\"(#t-[^\"]+)\"", text))
    written = {f"{t['file']}:{line['line']}" for t in data["templates"] for line in t["lines"] if line["instructions"]}
    assert places == written
    assert all(f'class="mark legend">{letter}&#8239;{shape}<' in text for letter, shape in ("A●", "B▲"))


def test_measured_beside_the_model(build: Path, tmp_path: Path) -> None:
    if not {"aes", "sha"} <= set(runtime.Context().cpu()["features"]):
        pytest.skip("this CPU has no AES-NI or SHA extensions")
    data = json.loads(run("report", PAIR, "--seconds", "0.1", "--format", "json").stdout)
    bars = {bar["kind"]: bar["measured"] for bar in data["chart"]}
    assert bars["ours"] == pytest.approx(data["bound"]["measured"]["cycles_per_byte"], rel=0.01)
    assert bars["sum"] > bars["larger"] > 0 and data["bound"]["measured"]["without_dependences"] > 0
    file = tmp_path / "x.html"
    assert (
        "measured" in run("report", "sha1_x4@sse", "-o", file, "--seconds", "0.05").stdout
        and "this kernel" in file.read_text()
    )


def test_rows_of_kernels_are_rows_of_the_bench() -> None:
    algorithms = Catalogue().algorithms
    wanted = {
        ("aes128_cbc_enc", "sha1"): "aes-128-cbc+hmac-sha1-etm",
        ("aes128_cbc_dec", "sha256"): "aes-128-cbc+hmac-sha256-etm/open",
        ("aes128_ctr", "ghash"): "aes-128-gcm",
        ("chacha20", "poly1305"): "chacha20-poly1305",
        ("aes128_cbc_mac",): "aes-128-cmac",
        ("aes256_xts_dec",): "aes-256-xts/open",
        ("sm3",): "sm3",
    }
    for names, row in wanted.items():
        assert rows_of([algorithms[name] for name in names]) == [row]


def results_file(path: Path, *cells: tuple) -> Path:
    keys = ("row", "impl", "variant", "keys", "size", "bytes", "jobs", "cycles_per_byte")
    path.write_text(
        json.dumps({"machine": {"cpu": "made up"}, "rows": [dict(zip(keys, c), something_new=1) for c in cells]})
    )
    return path


def test_the_cell_is_the_one_that_the_kernel_ran_on(tmp_path: Path) -> None:
    results = read_results(
        results_file(
            tmp_path / "r.json",
            ("sha1", "cryptostitch", "sha1_x16@avx512", "own", "16384", 16384, 64, 0.5),
            ("sha1", "peer", "slow", "own", "16384", 16384, 64, 0.7),
            ("sha1", "peer", "quick", "own", "16384", 16384, 64, 0.4),
            ("sha1", "peer", "x", "own", "16384", 16384, 1, 9),
            ("sha1", "cryptostitch", "sha1_ni_x1@sse", "own", "16384", 16384, 1, 2),
            ("sha1", "cryptostitch", "a", "own", "imix", 320, 64, 2),
        )
    )
    found = beside(results, "sha1_x16@avx512", ["sha1"], 16, False)
    assert [(c.implementation, c.variant, c.cycles_per_byte) for c in found] == [
        ("peer", "quick", 0.4),
        ("cryptostitch", "sha1_x16@avx512", 0.5),
    ]
    assert {c.jobs for c in beside(results, "sha1_x1@scalar", ["sha1"], 1, True)} == {1}
    assert {c.jobs for c in beside(results, "sha1_x4@sse", ["sha1"], 4, False)} == {64}
    assert beside(results, "md5_x4@sse", ["md5"], 4, False) == []


@pytest.mark.parametrize("text", ["{}", "[]", "{", '{"machine": {}, "rows": [{}]}'])
def test_other_files_are_not_results(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(CryptostitchError, match="not a result of cst-bench.*make bench"):
        read_results(tmp_path / "x.json")


def test_bars_and_strips_are_paths() -> None:
    assert runs([0, 1, 1, 2, 0, 4], 2, 10, 2) == "M2 10v-5h4v5zM6 10v-10h2v10zM10 10v-10h2v10z"
    assert strips([(RUN, 0, 2), (DATA, 2, 3), (RUN, 3, 4)], RUN, 3, 5) == "M0 0h6v5h-6zM9 0h3v5h-3z"


def test_constants_are_shown() -> None:
    made = Catalogue()
    data = kernel_data(made.kernel(made.recipe("sha1_x4@sse")))
    assert b"".join(bytes.fromhex(c["bytes"]) for c in data["constants"])


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("report", "sha1_x16", "--cpu", "zen4"), "write e.g. sha1_x16@avx512"),
        (("report", PAIR, "--cpu", "zen9"), "cryptostitch probe -o zen9.json"),
        (("report", PAIR, "--cpu", "zen4", "--results", "nowhere.json"), "make bench"),
    ],
)
def test_errors_say_what_to_type(arguments: tuple, says: str) -> None:
    error = run(*arguments, code=1).stderr
    assert says in error and len(error.strip().splitlines()) == 1


def test_a_tuned_recipe_is_a_kernel(build: Path, tmp_path: Path) -> None:
    if not {"aes", "sha", "ssse3"} <= set(runtime.Context().cpu()["features"]):
        pytest.skip("this CPU has no AES-NI or SHA extensions")
    recipe = tmp_path / "r.json"
    tuned = CliRunner().invoke(
        main,
        ["tune", "aes128_cbc_enc_x1", "sha1_ni_x1", "--isa", "sse", "--seconds", "1", "--fixed", "-o", str(recipe)],
    )
    assert tuned.exit_code == 0, tuned.output
    name = json.loads(recipe.read_text())["kernel"]
    data = json.loads(run("report", recipe, "--cpu", "zen4", "--no-measure", "--format", "json").stdout)
    assert data["kernel"] == name and len([b for b in data["chart"] if b["kind"] == "part"]) == 2
    assert json.loads(run("bound", recipe, "--cpu", "zen4", "--no-measure", "--format", "json").stdout) == data["bound"]
    assert json.loads(run("show", recipe, "--format", "json").stdout)["kernel"] == name
    assert "cryptostitch tune" in run("report", tmp_path / "none.json", "--cpu", "zen4", code=1).stderr
