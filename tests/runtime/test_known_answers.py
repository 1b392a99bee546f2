"""Known answers are data of packs: what `cst_selftest` checks, of the library's own suites too."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from cryptostitch.binding.runtime import ALLOW_LEGACY, ALLOW_PACKS, Context, RuntimeFailure
from cryptostitch.core.answers import Answer, known_answers
from cryptostitch.core.catalog import ALGORITHMS
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.emit.artefacts import algorithm_records
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack

RIGHT = Answer("sha256", text=b"right", tag=hashlib.sha256(b"right").digest())
ROWS = [row for row in ALGORITHMS if row.name == "sha256"]


def pack(*answers: Answer) -> bytes:
    return write_pack(algorithm_records(ROWS), [], answers=answers)


def test_what_is_written_is_read() -> None:
    answers = (RIGHT, Answer("sha256", b"k", b"mac", b"iv", b"aad", b"", b"out", b"t" * 5))
    assert read_pack(pack(*answers)).answers == answers


def test_the_suites_say_how_many_there_are(build: Path) -> None:
    """Every answer of the file is in the library, for the suites that this CPU has."""
    context, answers = Context(ALLOW_LEGACY), known_answers()
    suites = set(context.suites())
    found = {name: context.suite(name).known_answers for name in suites & {a.suite for a in answers}}
    assert len(found) > 20
    assert found == {name: sum(a.suite == name for a in answers) for name in found}


@pytest.mark.parametrize("changed, result", [({}, 0), ({"tag": bytes(32)}, -10), ({"text": b"wrong"}, -10)])
def test_a_pack_adds_answers(build: Path, changed: dict, result: int) -> None:
    context = Context(ALLOW_PACKS)
    before = context.suite("sha256").known_answers
    context.load_pack(pack(replace(RIGHT, **changed)))
    assert context.suite("sha256").known_answers == before + 1
    assert context.selftest("sha256")["sha256"] == result
    assert context.selftest("sha384")["sha384"] == 0


def test_a_key_and_an_iv_are_used(build: Path) -> None:
    """A copy of the library's own answer fails when any one of its parts is changed."""
    context = Context()
    if "aes-128-gcm" not in context.suites():
        pytest.skip("this CPU lacks what AES-GCM needs")
    whole = next(a for a in known_answers() if a.suite == "aes-128-gcm")
    rows = [row for row in ALGORITHMS if row.suite == "aes-128-gcm"]
    for part in ("", "key", "iv", "aad", "text", "out", "tag"):
        made = replace(whole, **({part: bytes(len(getattr(whole, part)))} if part else {}))
        own = Context(ALLOW_PACKS)
        own.load_pack(write_pack(algorithm_records(rows), [], answers=[made]))
        assert own.selftest("aes-128-gcm")["aes-128-gcm"] == (-10 if part else 0), part


@pytest.mark.parametrize(
    "answer, why",
    [
        (replace(RIGHT, suite="sha 256"), "known answer 0 is of a suite without a proper name"),
        (replace(RIGHT, tag=b""), "known answer 0 is damaged"),
        (replace(RIGHT, text=bytes((1 << 16) + 1)), "known answer 0 is damaged"),
    ],
)
def test_what_is_refused(build: Path, answer: Answer, why: str) -> None:
    context = Context(ALLOW_PACKS)
    assert why in context.why_refused(pack(answer))
    with pytest.raises(RuntimeFailure):
        context.load_pack(pack(answer))


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "answers.txt"
    file.write_text("# from a standard\nSuite = x\nMacKey = 0102\nTag = ff\n\n\nSuite = y\nIV = 00\nOut = aa\n")
    assert known_answers(file) == (
        Answer("x", mac_key=b"\x01\x02", tag=b"\xff"),
        Answer("y", iv=b"\0", out=b"\xaa"),
    )
    for text, why in (
        ("Suite = x\nTag = 0\n", "x: "),
        ("Suite = x\n", "what the suite makes"),
        ("Tag = 00\n", "lacks its suite"),
        ("Suite = x\nTga = 00\n", ":2: not a part"),
        ("Suite = x\nTag = 00\nTag = 00\n", ":3: not a part of an answer, or given twice"),
    ):
        file.write_text(text)
        with pytest.raises(CryptostitchError, match=re.escape(why)):
            known_answers(file)
