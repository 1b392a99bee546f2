"""`cryptostitch matrix`: cells hold what `stitch` would say, empty ones their reason, and the page needs nothing
else."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.binding import runtime
from cryptostitch.cli import main
from cryptostitch.core import catalog
from cryptostitch.core.catalog import Form
from cryptostitch.core.errors import CryptostitchError, DoesNotFit
from cryptostitch.core.names import kernel_name, stream_name
from cryptostitch.core.registers import BindError
from cryptostitch.pipeline import Generator
from cryptostitch.tuning import matrix as tuning_matrix
from cryptostitch.tuning.matrix import cell, pairs_of, texts
from cryptostitch.tuning.measure import MeasureError

QUICK = ("--seconds", "0.02")


@pytest.fixture(scope="module")
def features(build: Path) -> set[str]:
    return set(runtime.Context().cpu()["features"])


def run(*arguments: object) -> str:
    result = CliRunner().invoke(main, ["matrix", *map(str, arguments)])
    assert result.exit_code == 0, result.output + result.stderr
    return result.stdout


def test_candidates_have_equal_lanes_and_the_hand_over_where_there_is_one() -> None:
    generator = Generator()
    cipher, hash_ = generator.forms["aes128_cbc_enc"][1], generator.forms["sha1"][1]
    found = generator.ways(cipher, hash_, ["sse", "avx2", "avx512"])
    assert all(a.lanes == b.lanes and a.hand == b.hand for (a, _), (b, _) in found)
    assert {(isa, a.lanes) for (a, isa), _ in found if a.hand} == {
        (isa, lanes) for isa, lanes in catalog.HAND_OVER if lanes in hash_.lanes[isa]
    }
    assert generator.ways(cipher, hash_, []) == []
    long = generator.forms["sha512"][1]
    assert generator.blocks_beside(cipher, hash_) == 0 and generator.blocks_beside(cipher, long) == 8
    assert {a.by for (a, _), _ in generator.ways(cipher, long, ["sse", "scalar"])} == {8}


def test_no_lanes_in_common_is_a_reason() -> None:
    generator = Generator()
    cipher = generator.forms["aes128_cbc_enc"][1]
    lonely = Form("sha1", "streams/sha1.j2", {"avx2": (5,)})
    found = cell(generator, cipher, lonely, ["avx2"], 0.01)
    assert not found.trials and re.search(
        r"no lanes in common: aes128_cbc_enc has .*x8@avx2, .*; sha1 has x5@avx2", found.reasons[0]
    )


def test_a_pairing_that_cannot_be_is_a_reason(build: Path) -> None:
    """Poly1305's text for many lanes takes no hand-over buffer, and on eight it needs more registers than there are."""
    arguments = ("--isa", "avx512", "--ciphers", "aes128_cbc_enc", "--hashes", "poly1305_abreast", *QUICK)
    (each,) = json.loads(run(*arguments, "--format", "json"))["cells"]
    assert any(re.search("poly1305_abreast_x16_hand has no text with the hand-over", r) for r in each["reasons"])
    assert any("general registers, 15 exist" in r for r in each["reasons"])
    assert "what does not fit\n  aes128_cbc_enc+poly1305_abreast: " in run(*arguments)


@pytest.mark.parametrize("error", [CryptostitchError, MeasureError, DoesNotFit, BindError])
def test_no_pairing_ends_the_matrix(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error("for a reason")

    monkeypatch.setattr(tuning_matrix, "trial", refuse)
    forms = Generator().forms
    found = cell(Generator(), forms["aes128_cbc_enc"][1], forms["sha1"][1], ["scalar", "sse"], 0.01)
    assert not found.trials and all(
        re.fullmatch(r"aes128_cbc_enc_x\d\+sha1_x\d on sse(:scalar)?: for a reason", reason) for reason in found.reasons
    )


def test_a_matrix(features: set[str], tmp_path: Path) -> None:
    if not {"aes", "sha"} <= features:
        pytest.skip("this CPU has no AES-NI or SHA extensions")
    page = tmp_path / "matrix.html"
    found = json.loads(
        run(
            "--isa",
            "sse",
            "--ciphers",
            "aes128_cbc_enc",
            "--hashes",
            "sha*_ni",
            "--html",
            page,
            "--format",
            "json",
            *QUICK,
        )
    )
    assert [(c["row"], c["column"]) for c in found["cells"]] == [
        ("aes128_cbc_enc", "sha1_ni"),
        ("aes128_cbc_enc", "sha256_ni"),
    ]
    for each in found["cells"]:
        woven = [t["cycles_per_byte"]["woven"] for t in each["trials"]]
        doubts = [bool(t["disturbed"]) for t in each["trials"]]
        assert list(zip(doubts, woven)) == sorted(zip(doubts, woven)) and {
            kernel_name(t["kernel"])[0][0].lanes for t in each["trials"]
        } == {1, 2, 4}
    text = html.unescape(page.read_text())
    best = found["cells"][0]["trials"][0]
    assert "aes128_cbc_enc" in text
    shown = re.search(r'<td class="cell.*?<b>([^<]*)</b>', text, re.S)
    assert shown, "the page has no cell"
    if best["disturbed"]:
        assert shown[1] == "disturbed" and best["disturbed"] in text
    else:
        assert float(shown[1].removesuffix("x")) == pytest.approx(best["gain"], abs=0.006)
    assert not re.search(r"(src|href)=\"(?!data:)", text), "the page names another file"


def test_what_there_is_no_time_for_is_said(features: set[str]) -> None:
    """And a cell's line comes when it is done, before the table."""
    if not {"aes", "sha"} <= features:
        pytest.skip("this CPU has no AES-NI or SHA extensions")
    cells = ("--isa", "sse", "--ciphers", "aes128_cbc_enc", "--hashes", "sha1_ni,sha256_ni", "--minutes", "0.0001")
    lines = run(*cells, *QUICK).splitlines()
    assert lines[0].startswith("aes128_cbc_enc+sha1_ni: ")
    assert lines[1] == "aes128_cbc_enc+sha256_ni: not tried: 0.0001 minutes were over (--minutes)"


def test_text(features: set[str]) -> None:
    if not {"aes", "sha"} <= features:
        pytest.skip("this CPU has no AES-NI or SHA extensions")
    text = run("--isa", "sse", "--ciphers", "aes128_cbc_enc", "--hashes", "sha1_ni", *QUICK)
    assert re.search(r"^aes128_cbc_enc +(\d\.\d\dx \d+\.\d\d c/B(, \d+ %)?|disturbed .*)$", text, re.M)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--isa", "avx3"], "no ISA named 'avx3'; nearest: avx2"),
        (["--ciphers", "aes129_cbc_enc"], "no stream named 'aes129_cbc_enc'; nearest: aes"),
        (["--hashes", "sha1_nl"], "no stream named 'sha1_nl'; nearest: sha1_ni"),
    ],
)
def test_wrong_input(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["matrix", *arguments])
    assert result.exit_code == 1 and message in result.output


def test_texts_are_named_by_text_algorithm_suite_and_family() -> None:
    generator = Generator()
    assert [f.name for f in texts(generator, "crc64-nvme,sha224")] == ["crc_reflected", "sha256", "sha256_ni"]
    assert {f.name for f in texts(generator, "checksums")} == {"crc_reflected", "crc_normal", "crc32c_words", "adler32"}
    assert {"md5", "sha1_ni", "sha512_simd"} <= {f.name for f in texts(generator, "digests")}
    assert [(a.name, b.name) for a, b in pairs_of(generator, "", "", ["md5+sha1", "md5+sha1", "crc32c+md5"])] == [
        ("md5", "sha1"),
        ("crc_reflected", "md5"),
        ("crc32c_words", "md5"),
    ]
    assert len(pairs_of(generator, "", "", ["md5+sha1,crc32c+md5"])) == 3
    for wrong in ("md5", "md5+", "md5+sha1+sha256"):
        with pytest.raises(CryptostitchError, match="is no pair"):
            pairs_of(generator, "", "", [wrong])


def test_two_digests_share_a_loop(build: Path, tmp_path: Path) -> None:
    page = tmp_path / "matrix.html"
    arguments = ("--isa", "sse", "--pairs", "md5+sha1", "--pairs", "crc_reflected+sha256", "--html", page)
    found = json.loads(run(*arguments, "--format", "json", *QUICK))
    assert [(c["row"], c["column"]) for c in found["cells"]] == [
        ("md5", "sha1"),
        ("crc_reflected", "sha256"),
    ]
    kernels = {t["kernel"] for c in found["cells"] for t in c["trials"]}
    assert "md5_x4+sha1_x4@sse" in kernels and not any("_hand" in kernel for kernel in kernels)
    assert "md5" in page.read_text()


def test_a_scalar_digest_goes_with_a_checksum_in_vectors(features: set[str]) -> None:
    """Whichever stands first, and on each instruction set."""
    generator = Generator()
    md5, crc = (texts(generator, name)[0] for name in ("md5", "crc32c"))
    isas = ("scalar", "sse", "avx2", "avx512")
    both = [{isa for _, isa in parts} for parts in generator.ways(md5, crc, isas)]
    assert both == [{"scalar", isa} for isa in isas[1:]]
    assert len(generator.ways(crc, md5, isas)) == 3
    if not {"aes", "bmi2"} <= features:
        pytest.skip("this CPU has no PCLMULQDQ or BMI2")
    found = json.loads(run("--isa", "sse", "--pairs", "md5+crc32c", "--format", "json", *QUICK))
    assert [t["kernel"] for t in found["cells"][0]["trials"]] == ["md5_x1+crc_reflected_x1@sse_pclmul_bmi2"]


def test_equal_bytes_of_unequal_blocks() -> None:
    generator = Generator()
    parts = [(stream_name("md5_x4"), "sse"), (stream_name("sha512_x2"), "sse")]
    assert generator.equal_bytes(parts) == [2, 1]
    assert generator.equal_bytes([(stream_name("crc_reflected_x1"), "sse"), (stream_name("md5_x4"), "sse")]) == [1, 1]
