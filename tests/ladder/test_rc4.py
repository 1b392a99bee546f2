"""RC4 on the ladder: what its stream computes, which checks are waived, and that they still find what VARTIME.md does
not permit."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from cryptography.hazmat.decrepit.ciphers.algorithms import ARC4
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptostitch.core.contract import TABLE
from cryptostitch.core.ir import Imm
from cryptostitch.ladder import rc4
from cryptostitch.ladder.machine import Access, Step
from cryptostitch.ladder.model import ModelMachine
from cryptostitch.ladder.result import FAIL, PASS, WAIVED, Effort, Evidence, Result
from cryptostitch.ladder.scene import Scene
from cryptostitch.ladder.steps import rungs
from cryptostitch.ladder.subject import Subject
from cryptostitch.passes.verify import check_bounds, check_taint
from cryptostitch.pipeline import Generator
from cryptostitch.report.evidence import Report, page, table

SINGLE, PAIR = "rc4_vartime_x1@scalar", "rc4_vartime_x1+md5_x1@scalar"


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


def test_the_plain_cipher_here_is_right() -> None:
    rng = random.Random(4)
    for size in (5, 7, 8, 10, 16, 20, 24, 32):
        key, text = rng.randbytes(size), rng.randbytes(700)
        assert rc4.run(key, bytes(16), text) == Cipher(ARC4(key), None).encryptor().update(text)


@pytest.mark.parametrize("kernel", [SINGLE, "rc4_vartime_x1_by1@scalar", PAIR])
def test_time_is_waived_and_nothing_else(generator: Generator, kernel: str) -> None:
    found = {
        rung.name: rung.run(Subject(generator, generator.recipe(kernel)), Effort())
        for rung in rungs(("values", "bounds", "taint", "weave", "decoder", "model"))
    }
    assert {name: result.status for name, result in found.items()} == {
        "values": PASS,
        "bounds": PASS,
        "taint": WAIVED,
        "weave": PASS,
        "decoder": PASS,
        "model": WAIVED,
    }, found
    assert "rc4_vartime_x1" in found["taint"].detail


def test_the_other_stream_keeps_its_proof(generator: Generator) -> None:
    """Of a pair's streams only RC4 has secret addresses; under another name they are found."""
    vartime, other = (part.program for part in generator.recipe(PAIR).parts)
    assert check_taint(vartime) == [] == check_taint(other)
    assert any("address that depends on a secret" in p for p in check_taint(replace(vartime, stream="rc4_x1")))


@pytest.mark.parametrize("mask", [240, 255])
def test_a_wider_mask_leaves_the_table(generator: Generator, mask: int) -> None:
    program = generator.recipe(SINGLE).parts[0].program

    def widened(code):
        return tuple(
            replace(i, operands=(i.operands[0], Imm(2 * mask))) if i.op == "and" and i.operands[1] == Imm(mask) else i
            for i in code
        )

    code = replace(program.code, enter=widened(program.code.enter), body=widened(program.code.body))
    assert any("of the table of 1024" in p for p in check_bounds(replace(program, code=code)))


def test_only_the_tables_addresses_are_left_out_of_a_trace(generator: Generator) -> None:
    recipe = generator.recipe(PAIR)
    subject = Subject(generator, recipe)
    scene = Scene(recipe, subject.rows, ModelMachine(), 3)
    field = recipe.parts[0].program.contract.field(TABLE)
    start = scene.states[0] + field.offset

    def public(*addresses: int) -> tuple[Step, ...]:
        return scene.public_trace(tuple(Step(0, (Access(a, 4, False),)) for a in addresses))

    assert public(start, start) == public(start + 4, start + field.size - 4)
    assert public(start) != public(start - 4) and public(start) != public(start + field.size)
    assert public(scene.states[1]) != public(scene.states[1] + 4)


def test_a_report_lists_what_is_waived() -> None:
    waived = Result(PASS, detail="7 instructions").waived(["rc4_vartime_x1"])
    assert (
        waived.status == WAIVED
        and waived.text.startswith("waived: rc4_vartime_x1")
        and Result(FAIL).waived(["x"]).status == FAIL
    )
    report = Report(
        [
            Evidence(SINGLE, {"values": Result(PASS), "taint": waived}),
            Evidence("md5_x1@scalar", {"values": Result(PASS), "taint": Result(PASS)}),
        ],
        {},
    )
    assert not report.failed and [row[:5] for row in report.totals()] == [("values", 2, 0, 0, 0), ("taint", 1, 0, 0, 1)]
    assert report.data()["kernels"][0]["checks"]["taint"].startswith("waived")
    assert f"waived: {SINGLE}: taint: rc4_vartime_x1 may take variable time" in table(report)
    assert "<h2>Waived</h2>" in page(report)
