"""`cryptostitch tune`: a search ends with a recipe that emit and the library take, goes on where it ended, and never
keeps what was not proved."""

from __future__ import annotations

import json
import random
import re
from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch import pipeline
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import SEAL, Job
from cryptostitch.cli import main
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.core.names import WEAVE, stream_name, woven_for
from cryptostitch.core.program import Program
from cryptostitch.core.stream import Stream
from cryptostitch.ladder import oracle
from cryptostitch.listing import Catalogue
from cryptostitch.passes.verify import VerifyError
from cryptostitch.pipeline import Generator
from cryptostitch.tuning.tune import (
    MOST_LAG,
    MOST_LEAD,
    Search,
    WeaveSettings,
    default_settings,
    read_recipe,
    settings_of,
)

A, B = "aes128_cbc_enc_x1", "sha1_ni_x1"
CPUS = Path(__file__).resolve().parents[2] / "generator/cryptostitch/cpus"


@pytest.fixture(scope="module")
def features(build: Path) -> set[str]:
    found = set(runtime.Context().cpu()["features"])
    if not {"aes", "sha"} <= found:
        pytest.skip("this CPU has no AES-NI or SHA extensions")
    return found


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == code, result.output + result.stderr
    return result.output


@pytest.fixture(scope="module")
def recipe(features: set[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tune") / "sha1.recipe.json"
    text = run("tune", A, B, "--isa", "sse", "--seconds", 2, "-o", path)
    assert "gain over the default weave" in text
    return path


def seals(recipe: Path, suite: str, pack: Path) -> None:
    """The recipe's kernel, forced, against another implementation."""
    run("emit", "--recipe", recipe, "--pack", pack)
    context = runtime.Context(runtime.ALLOW_PACKS)
    context.load_pack(pack.read_bytes())
    name = json.loads(recipe.read_text())["kernel"]
    assert name.endswith("~tuned") and name in context.kernels()
    case = oracle.case(random.Random(suite), suite, 16384, 16, secrets := oracle.secrets(random.Random(1), suite))
    context.force(suite, name)
    kernel = context.kernel(name)
    before = kernel.calls()
    out, tag = bytearray(len(case.out)), bytearray(len(case.tag))
    key = context.suite(suite).key(secrets[0], secrets[1])
    assert context.burst([Job(key, SEAL, iv=case.iv, aad=case.aad, data=case.data, out=out, tag=tag)]) == 0
    assert (bytes(out), bytes(tag)) == (case.out, case.tag)
    assert kernel.calls() > before


def test_a_recipe_becomes_a_kernel_that_seals(recipe: Path, tmp_path: Path) -> None:
    seals(recipe, "aes-128-cbc+hmac-sha1-etm", tmp_path / "tuned.pack")


SHIPPED = sorted(CPUS.glob("*/recipes/*.json"))


@pytest.fixture(scope="module")
def default_pack() -> Catalogue:
    return Catalogue((), (), False)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_recipe_is_a_kernel_of_the_default_pack(default_pack: Catalogue, path: Path) -> None:
    """Which the tests of every kernel prove and run."""
    data = json.loads(path.read_text())
    assert data["gain"] > 1.01 and data["cycles_per_byte"] < data["default_cycles_per_byte"] and data["tried"] == {}
    name = woven_for(data["kernel"], path.parents[1].name)
    made = default_pack.recipe(name)
    assert made.name == name and name == woven_for(
        f"{'+'.join(data['recipe']['streams'])}@{made.target}", path.parents[1].name
    )
    assert {name, name.partition(WEAVE)[0]} <= set(default_pack.kernel_names()) and path.stem == "+".join(
        data["recipe"]["streams"]
    )


def test_a_shipped_recipe_seals_from_a_pack_of_its_own(features: set[str], tmp_path: Path) -> None:
    seals(
        CPUS / "zen4/recipes/aes128_cbc_enc_x1+sha256_ni_x1.json",
        "aes-128-cbc+hmac-sha256-etm",
        tmp_path / "tuned.pack",
    )


def test_a_weave_that_is_not_shipped_is_named() -> None:
    assert "aes256_ctr_x1_by32+ghash_x1_by32@avx512_vaes~zen4" in run(
        "show", "aes256_ctr_x1_by32+ghash_x1_by32@avx512_vaes~zen3", code=1
    )


def test_recipes_are_shipped() -> None:
    assert len(SHIPPED) >= 10


def test_a_search_goes_on(recipe: Path) -> None:
    before = set(json.loads(recipe.read_text())["tried"])
    run("tune", A, B, "--isa", "sse", "--seconds", 2, "--seed", 7, "-o", recipe)
    assert before < set(json.loads(recipe.read_text())["tried"])


def test_a_candidate_that_is_not_proved_is_named(
    features: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = pipeline.verify_program

    def doubting(stream: Stream, program: Program) -> Program:
        if "~" in program.name:
            raise VerifyError(program.name, [f"{program.name}: is doubted"])
        return proof(stream, program)

    monkeypatch.setattr(pipeline, "verify_program", doubting)
    text = run("tune", A, B, "--isa", "sse", "--seconds", 2, "--fixed", "-o", tmp_path / "r.json")
    assert re.search(r"^left out, not proved right: \S+~\d+: is doubted$", text, re.M), text
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["recipe"]["orders"] == [0, 0] and found["unproved"]


def test_another_pairings_file_is_refused(recipe: Path) -> None:
    text = run("tune", A, "sha256_ni_x1", "--isa", "sse", "--seconds", 1, "-o", recipe, code=1)
    assert "choose another file with -o" in text


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[]",
        '{"format": "cryptostitch recipe 1"}',
        '{"format": "cryptostitch recipe 1", "tried": {}, "kernel": "x", "recipe": {}}',
    ],
)
def test_a_damaged_file_is_an_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(CryptostitchError, match="recipe"):
        read_recipe(path, Generator())


def test_neighbours_stay_inside_the_space(features: set[str]) -> None:
    generator = Generator()
    search = Search(generator, default_settings(generator, [stream_name(A), stream_name(B)], ("sse", "sse")), free=True)
    seen: list[WeaveSettings] = [search.start]
    for _ in range(30):
        around = search.neighbours(search.random.choice(seen))
        assert search.start.streams[0].startswith("aes128_cbc_enc") and around
        for c in around:
            lanes = {stream_name(s).lanes for s in c.streams}
            assert (
                len(lanes) == 1 and abs(c.leads[1]) <= MOST_LEAD and 1 <= c.lags[1] <= MOST_LAG and min(c.budgets) > 0
            )
        seen += around
    assert {stream_name(c.streams[0]).lanes for c in seen} == {1, 2, 4}


def test_settings_are_what_json_made_of_them() -> None:
    settings = WeaveSettings((A, B), ("sse", "sse"), (5, 11), (1, 1), (0, 64), (0, 1), (0, 24), "proportional")
    assert settings_of(json.loads(json.dumps(asdict(settings)))) == settings


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["tune", A, B, "--isa", "avx3"], "no ISA named 'avx3'"),
        (["tune", A, "sha1_x16", "--isa", "sse"], "cannot be stitched on sse; `cryptostitch stitch"),
        (["emit", "--pack", "x.pack"], "name at least one kernel"),
    ],
)
def test_wrong_input(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code != 0 and message in result.output
