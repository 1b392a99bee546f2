"""A user's own template outside the tree, and the page that explains the language."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.binding.runtime import Context
from cryptostitch.cli import main
from cryptostitch.core.own import own_rows
from cryptostitch.listing import Catalogue


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """A copy of the example, away from the checkout."""
    return Path(
        shutil.copytree(root / "examples/new_pair", tmp_path / "my pair", ignore=shutil.ignore_patterns("__pycache__"))
    )


def test_the_script(folder: Path, root: Path, build: Path) -> None:
    if "aes" not in Context().cpu()["features"]:
        pytest.skip("this CPU has no AES-NI")
    done = subprocess.run(
        [sys.executable, "pair.py"],
        cwd=folder,
        env={"PYTHONPATH": str(root / "generator")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for line in (
        "4 lanes agree with plain Python",
        "proved; ",
        "sum of the parts",
    ):
        assert line in done.stdout
    assert "speed-up over one after the other: " in done.stdout or "disturbed: " in done.stdout


@pytest.mark.parametrize(
    "kernel",
    [
        "fletcher_x1@scalar",
        "fletcher_x4@sse",
        "fletcher_x8@avx2",
        "fletcher_x16@avx512",
        "aes128_cbc_enc_x16_hand+fletcher_x16_hand@avx512_vaes",
    ],
)
def test_one_text_for_every_instruction_set(folder: Path, kernel: str) -> None:
    result = CliRunner().invoke(main, ["show", kernel, "--templates", str(folder)])
    assert result.exit_code == 0, result.stderr
    assert "streams/fletcher.j2:" in result.stdout


def evidence(folder: Path) -> dict[str, str]:
    result = CliRunner().invoke(
        main, ["verify", "fletcher_x4@sse", "--templates", str(folder), "--jobs", "1", "--format", "json"]
    )
    checks: dict[str, str] = json.loads(result.stdout)["kernels"][0]["checks"]
    return checks


def test_every_check_runs_on_the_rows_reference(folder: Path) -> None:
    found = evidence(folder)
    assert found.pop("arithmetic") != "fail"  # of other kernels
    assert found.pop("answers").startswith("skip: no known answers of fletcher: give the row `answers`")
    assert set(found.values()) == {"pass"}


def test_known_answers_of_the_row_are_asked(folder: Path) -> None:
    """And one that is wrong is found."""
    catalogue, text = folder / "algorithms.py", (folder / "algorithms.py").read_text()
    for answer, found in (("fletcher(b'abc')", "pass"), ("bytes(8)", "fail")):
        catalogue.write_text(
            text.replace("reference=fletcher,\n", f"reference=fletcher,\n    answers=((b'abc', {answer}),),\n")
        )
        assert evidence(folder)["answers"] == found


def test_what_is_wrong_first_is_shown(folder: Path) -> None:
    text = folder / "streams/fletcher.j2"
    text.write_text(text.read_text().replace("{{ v.add('b', 'b', 'a') }}", "{{ v.xor('b', 'b', 'a') }}"))
    said = CliRunner().invoke(main, ["verify", "fletcher_x4@sse", "--templates", str(folder), "--jobs", "1"]).output
    assert re.search(
        r"chaining value 1 of stream 0, lane 0 is wrong: found \w{8}, expected \w{8}, and so are 3 others", said
    )
    assert re.search(r"the answer for \d+ bytes is wrong \(status 0\): from byte 0 on found \w+, expected \w+", said)
    assert said.count("is wrong") < 60


def test_a_field_that_nobody_fills_is_refused(folder: Path) -> None:
    text = folder / "streams/fletcher.j2"
    text.write_text(text.read_text().replace(".enter\n", ".enter\n{{ s.blocks('salt', 1) }}\n"))
    result = CliRunner().invoke(main, ["show", "fletcher_x4@sse", "--templates", str(folder)])
    assert result.exit_code == 1 and "streams/fletcher.j2: nobody fills the field 'salt'" in result.stderr
    assert "for the kind hash the library fills chain, from, in" in result.stderr


def test_a_wrong_reference_is_found(folder: Path) -> None:
    catalogue = folder / "algorithms.py"
    catalogue.write_text(catalogue.read_text().replace("b = (b + a)", "b = (b ^ a)"))
    found = {check for check, said in evidence(folder).items() if said == "fail"}
    assert found >= {"model", "emulated", "lengths", "fuzz", "guards"}


@pytest.mark.parametrize(
    "line, says",
    [
        ("{{ v.ad('a', 'a', 'b') }}", "has no 'ad'"),
        ("vpad a, a, b", "unknown instruction 'vpad'; nearest: "),
        ("{{ v.add('a', 'a', '[state.nix]') }}", "no field 'nix'"),
        ("{{ nix }}", "'nix' is undefined"),
        ("{{ v.add('a', 'a', 'nix') }}", "reads 'nix', which nothing has written"),
    ],
)
def test_a_mistake_is_named_with_its_line(folder: Path, line: str, says: str) -> None:
    text = folder / "streams/fletcher.j2"
    lines = text.read_text().split("\n")
    at = lines.index(".leave")
    text.write_text("\n".join([*lines[:at], line, *lines[at:]]))
    result = CliRunner().invoke(main, ["show", "fletcher_x16@avx512", "--templates", str(folder)])
    assert result.exit_code == 1
    assert says in result.stderr and f"streams/fletcher.j2:{at + 1}" in result.stderr


def test_a_broken_catalogue_is_named(folder: Path) -> None:
    (folder / "algorithms.py").write_text("ALGORITHM = []\n")
    result = CliRunner().invoke(main, ["show", "fletcher_x16@avx512", "--templates", str(folder)])
    assert result.exit_code == 1 and "algorithms.py" in result.stderr and "ALGORITHMS" in result.stderr


def test_the_language_page_shows_the_example(root: Path) -> None:
    def code(text: str) -> list[str]:
        return [
            " ".join(line.split()) for line in re.sub(r"\{#.*?#\}", "", text, flags=re.S).split("\n") if line.strip()
        ]

    shown = re.search(r"```jinja\n(.*?)```", (root / "templates/README.md").read_text(), re.S)[1]
    assert code(shown) == code((root / "examples/new_pair/streams/fletcher.j2").read_text())


def test_the_language_page_names_every_operation(root: Path) -> None:
    page = (root / "templates/README.md").read_text()
    for file in (root / "templates/isa").glob("*.j2"):
        for name in re.findall(r"\{% macro (\w+)\(", file.read_text()):
            assert name == "o" or re.search(rf"`{name}\b", page), f"{file.name}: {name}"


def pairs_of(folder: Path, pairs: str = "") -> list[list[str]]:
    """The texts of the pairs that `cryptostitch pack` would make, where the row says so."""
    file = folder / "algorithms.py"
    text = file.read_text()
    assert text.count('pairs=("aes128_cbc_enc",),') == 1
    file.write_text(text.replace('    pairs=("aes128_cbc_enc",),\n', pairs))
    kernels = Catalogue(own_rows(file), (folder,)).own_kernels()
    return [[part.form for part, _ in parts] for _, _, _, parts, _ in kernels if len(parts) > 1]


@pytest.mark.parametrize(
    "pairs, partners",
    [
        ('    pairs=("aes128_cbc_enc",),\n', {"aes128_cbc_enc"}),
        ('    pairs=("aes-256-cbc", "sha1_ni"),\n', {"aes256_cbc_enc", "aes256_cbc_dec", "sha1_ni"}),
        ('    pairs=("sha256",),\n', {"sha256"}),
        ("    pairs=(),\n", set()),
    ],
)
def test_a_row_names_its_pairs(folder: Path, pairs: str, partners: set[str]) -> None:
    """By texts, algorithms or suites; what writes stands first, and nothing else is paired with it."""
    made = pairs_of(folder, pairs)
    assert {text for pair in made for text in pair} - {"fletcher"} == partners
    assert all("fletcher" in pair for pair in made)
    assert all(pair[1] == "fletcher" for pair in made if pair[0].startswith("aes"))


def test_a_row_without_pairs_has_those_of_the_rules(folder: Path) -> None:
    assert {pair[0] for pair in pairs_of(folder)} == {f"aes{bits}_cbc_enc" for bits in (128, 192, 256)}


def test_pairs_that_are_not_there(folder: Path) -> None:
    file = folder / "algorithms.py"
    file.write_text(file.read_text().replace('pairs=("aes128_cbc_enc",)', 'pairs=("aes129_cbc_enc",)'))
    result = CliRunner().invoke(main, ["pack", str(folder), "-o", str(folder / "x.pack")])
    assert result.exit_code == 1 and "aes129_cbc_enc" in result.stderr and "nearest: aes1" in result.stderr


def test_the_matrix_of_a_folder(folder: Path, build: Path) -> None:
    """Without options the matrix has the cells that the rows name; an option for rows or columns replaces them."""
    if "aes" not in Context().cpu()["features"]:
        pytest.skip("this CPU has no AES-NI")
    arguments = ["matrix", "--templates", str(folder), "--isa", "sse", "--seconds", "0.01", "--format", "json"]
    for more, wanted in (([], {("aes128_cbc_enc", "fletcher")}), (["--columns", "md5"], {("aes128_cbc_enc", "md5")})):
        result = CliRunner().invoke(main, [*arguments, *more])
        assert result.exit_code == 0, result.stderr
        assert {(cell["row"], cell["column"]) for cell in json.loads(result.stdout)["cells"]} == wanted
