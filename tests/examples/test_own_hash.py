"""A hash that the project does not have, in the library (the way there by the page: test_newcomer.py)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptostitch import Algorithm, Context, Form, hash_many
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import ALLOW_PACKS, RuntimeFailure
from cryptostitch.core.catalog import ALGORITHMS, Answers
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.core.own import own_rows, read_answers
from cryptostitch.emit.artefacts import own_pack, own_recipes, row_answers
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack
from cryptostitch.listing import Catalogue
from drawn_cpu import CPU
from own_example import copied, run

LONG = bytes(i % 256 for i in range(1024))
# ascon-c's LWC_HASH_KAT_128_256.txt, its last line: longer than what the example has
LONG_DIGEST = "48140032bb7df2e2b5c95d403c9ab69b4bc00453980bf85f15a84cae2b09a0e9"


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, away from the checkout."""
    return copied(root / "examples/own_hash", tmp_path_factory.mktemp("own") / "my hash")


@pytest.fixture(scope="module")
def pack(folder: Path, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "ascon.pack"
    said = run("pack", folder, "-o", path)
    assert "ascon-hash256: 7 known answers are right" in said and "ascon-xof128: 3 known answers" in said
    return path


@pytest.fixture(scope="module")
def context(pack: Path) -> Context:
    context = Context(ALLOW_PACKS)
    context.load_pack(pack.read_bytes())
    return context


def test_a_pack_for_other_cpus(build: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`cryptostitch pack` packs kernels that this CPU cannot run, and does not call their answers wrong."""
    monkeypatch.setenv(CPU, "nehalem")  # scalar code wants BMI2
    said = run("pack", folder, "--kernels", "*_x1@scalar", "-o", tmp_path / "scalar.pack")
    assert said.count(": not checked: ") == 2 and "are right" not in said
    assert read_pack((tmp_path / "scalar.pack").read_bytes())


@pytest.mark.parametrize(
    "kernel, feature",
    [
        ("ascon_x1@scalar", "bmi2"),
        ("ascon_x2@sse", "ssse3"),
        ("ascon_x4@avx2", "avx2"),
        ("ascon_x8@avx512", "avx512vl"),
    ],
)
def test_every_check_of_the_ladder(folder: Path, build: Path, cpu: set[str], kernel: str, feature: str) -> None:
    """Those that run the kernel too, where this CPU can."""
    found = json.loads(run("verify", kernel, "--templates", folder, "--jobs", 1, "--format", "json"))
    checks = found["kernels"][0]["checks"]
    results = {result.partition(":")[0] for result in checks.values()}  # a skip has its reason behind it
    assert {"pass"} <= results <= {"pass", "skip"}
    assert checks["lengths"] == "pass" if feature in cpu else checks["lengths"].startswith("skip: this CPU has no ")


def test_answers_that_are_in_no_file_of_the_example(context: Context, folder: Path) -> None:
    assert hash_many("ascon-hash256", [LONG, b""], context=context)[0].hex() == LONG_DIGEST
    rows = {row.suite: row for row in own_rows(folder / "algorithms.py")}
    texts = [LONG[:n] for n in (0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 500, 1023)]
    for suite in ("ascon-hash256", "ascon-xof128"):
        assert hash_many(suite, texts, context=context) == [rows[suite].reference(text) for text in texts]


def test_output_of_any_length(context: Context) -> None:
    """Ascon-XOF128 of the empty message (ascon-c's known answers), cut anywhere."""
    whole = bytes.fromhex(
        "473d5e6164f58b39dfd84aacdb8ae42ec2d91fed33388ee0d960d9b3993295c6ad77855a5d3b13fe6ad9e6098988373af7d0956d05a8f166"
        "5d2c67d1a3ad10ff"
    )
    for length in (1, 7, 8, 9, 31, 33, 64):
        assert hash_many("ascon-xof128", [b""], length, context=context) == [whole[:length]]
    with pytest.raises(RuntimeFailure):
        hash_many("ascon-hash256", [b""], 33, context=context)


def test_parts_and_wrong_digests(context: Context) -> None:
    key = context.suite("ascon-hash256").key()
    key.open(LONG, bytes.fromhex(LONG_DIGEST))
    with pytest.raises(RuntimeFailure):
        key.open(LONG, bytes(32))
    with pytest.raises(RuntimeFailure):
        context.suite("hmac-ascon-hash256")


def test_it_is_not_there_without_the_pack() -> None:
    with pytest.raises(RuntimeFailure):
        hash_many("ascon-hash256", [b""])


def test_a_wrong_known_answer_is_found(folder: Path, tmp_path: Path, build: Path) -> None:
    """By the row's reference, and without one by the kernels' answers, before a pack is written."""
    own = Path(shutil.copytree(folder, tmp_path / "wrong"))
    vectors = own / "ascon-hash256.txt"
    vectors.write_text(vectors.read_text().replace("MD = 0B3B", "MD = 0B3C"))
    assert "its known answer is 0b3c" in run("pack", own, "-o", own / "x.pack", code=1)
    file = own / "algorithms.py"
    file.write_text(file.read_text().replace("        reference=lambda text: sponge(initial, text, 32),\n", ""))
    assert "do not give the row's known answers" in run(
        "pack", own, "--kernels", "ascon_x1@*", "-o", own / "x.pack", code=1
    )
    assert not (own / "x.pack").exists()


def test_a_wrong_last_byte_is_found(folder: Path, tmp_path: Path, build: Path) -> None:
    """What the record says is what the library does: with SHA-3's last byte nothing is right."""
    own = Path(shutil.copytree(folder, tmp_path / "wrong"))
    file = own / "algorithms.py"
    file.write_text(file.read_text().replace("last=0x00", "last=0x80"))
    assert "known answers" in run("pack", own, "--kernels", "ascon_x1@*", "-o", own / "x.pack", code=1)


def test_a_signed_pack(folder: Path, tmp_path: Path, build: Path) -> None:
    key, path = tmp_path / "key.pem", tmp_path / "signed.pack"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
    der = subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True, capture_output=True)
    run("pack", folder, "--kernels", "ascon_x1@*", "--sign", key, "-o", path)
    signed = Context(ALLOW_PACKS, pack_key=der.stdout[-32:])
    signed.load_pack(path.read_bytes())
    assert hash_many("ascon-hash256", [LONG], context=signed)[0].hex() == LONG_DIGEST
    with pytest.raises(RuntimeFailure):
        Context(ALLOW_PACKS, pack_key=bytes(32)).load_pack(path.read_bytes())
    with pytest.raises(RuntimeFailure):
        Context().load_pack(path.read_bytes())


@pytest.mark.parametrize("named", [True, False])
def test_measured_costs_choose(
    folder: Path, tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """On a CPU that the library has no table for, and no name, too."""
    if not named:
        monkeypatch.setenv(CPU, ",".join(filter(None, (os.environ.get(CPU), "unknown"))))
    costs, path = tmp_path / "costs.json", tmp_path / "ascon.pack"
    run("calibrate", "--templates", folder, "--kernels", "ascon_x[12]@s*", "-o", costs)
    run("pack", folder, "--kernels", "ascon_x[12]@s*", "--costs", costs, "-o", path)
    (table,) = read_pack(path.read_bytes()).costs
    assert set(table.costs) == set(json.loads(costs.read_text())["kernels"]) == {"ascon_x1@scalar", "ascon_x2@sse"}
    context = Context(ALLOW_PACKS)
    context.load_pack(path.read_bytes())
    chosen = context.suite("ascon-hash256").choice(1, 64, False, runtime.SEAL)
    assert chosen.cycles_per_byte > 0 and f"by the table for {table.microarchitecture}" in chosen.why
    assert table.microarchitecture == context.cpu()["name"] and ("_family_" in table.microarchitecture) >= (not named)


def test_the_record_is_what_the_row_says(folder: Path) -> None:
    made = Catalogue(own_rows(folder / "algorithms.py"), (folder,))
    found = read_pack(own_pack(made, own_recipes(made, "ascon_x1@*")))
    records = {a.suite: a for a in found.algorithms}
    hash256, xof = records["ascon-hash256"], records["ascon-xof128"]
    assert (hash256.last, hash256.squeeze_bytes, hash256.domain, hash256.digest_bytes) == (0, 8, 1, 32)
    assert xof.extendable and not hash256.extendable and xof.base == hash256.name
    answers = [(a.text, a.tag) for a in found.answers if a.suite == "ascon-hash256"]
    assert tuple(answers) == read_answers(folder / "ascon-hash256.txt")


def record(answers: Answers = (), **changes: Any) -> bytes:
    """A pack of a row of the example's kind without kernels; ``changes`` of its record."""
    made = Algorithm(
        "x",
        suite="x",
        kind="hash",
        forms=(Form("x", "x.j2", {}),),
        bytes=16,
        block_bytes=8,
        padding="sponge",
        domain=1,
        last=0,
        hmac=False,
        word_bytes=8,
        words=5,
        digest_bytes=32,
        big_endian=False,
        length_bytes=0,
        initial=(0,) * 5,
        answers=answers,
    )
    return write_pack([replace(made.record, **changes)], [], answers=row_answers([made]))


@pytest.mark.parametrize(
    "changes, right",
    [
        ({}, True),
        ({"squeeze_bytes": 16}, True),
        ({"digest_bytes": 64}, True),
        ({"answers": ((b"", b"x"), (b"abc", b"yy"))}, True),
        ({"domain": 0}, False),
        ({"last": 0x100}, False),
        ({"last": 0x01}, False),
        ({"squeeze_bytes": 41}, False),
        ({"hmac": True}, False),
        ({"answers": ((b"", b""),)}, False),
        ({"answers": ((bytes(1 << 17), b"x"),)}, False),
    ],
)
def test_what_the_library_takes_of_a_record(context: Context, changes: dict, right: bool) -> None:
    assert (context.why_refused(record(**changes)) == "") == right


def test_an_answer_that_ends_outside_the_pack_is_refused(context: Context) -> None:
    """The last record of a pack, cut: every length is checked before it is believed."""
    data = bytearray(record(answers=((b"abc", b"x" * 60),)))
    at = bytes(data).index(b"abc") - 4
    data[at : at + 4] = (60000).to_bytes(4, "little")
    with pytest.raises(RuntimeFailure):
        context.load_pack(bytes(data))


def test_files_of_vectors(tmp_path: Path) -> None:
    file = tmp_path / "x.rsp"
    file.write_text(
        "# CAVS\n[L = 256]\n\nLen = 0\nMsg = 00\nMD = aa\n\nLen = 8\nMsg = 0b\nMD = bb\n\nMsg =\nOutput = cc\n"
    )
    assert read_answers(file) == ((b"", b"\xaa"), (b"\x0b", b"\xbb"), (b"", b"\xcc"))
    for text, why in (
        ("Msg = 00\n", "has no digest"),
        ("MD = 00\n", ":1: a digest without a message"),
        ("Msg = 0\nMD = 00\n", ":1: "),
        ("Msg = 00\nMsg = 00\n", ":2: the message before has no digest"),
        ("nothing\n", "no `Msg = `"),
    ):
        file.write_text(text)
        with pytest.raises(CryptostitchError, match=re.escape(why)):
            read_answers(file)


def test_every_sponge_of_the_project_says_its_last_byte() -> None:
    for row in ALGORITHMS:
        assert row.padding != "sponge" or (row.last == 0x80 and row.squeezed == row.block_bytes)
