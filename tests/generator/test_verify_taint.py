"""Secrets: what they may not reach, with the leaks that the check must find."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptostitch.core import instructions
from cryptostitch.core.contract import Field
from cryptostitch.core.kinds import KINDS
from cryptostitch.passes.verify import check_taint
from verify_samples import ALLOCATED, code, sample_program, spoil

ADDRESS = "has an address that depends on a secret"
LEAKS = {
    "a look-up by input": ("body", 5, "mov g4, [g3+g1*1]:64\nvpsubd v2, v1, [g0+g4*1+256]", ADDRESS),
    "a look-up by the chaining value": ("body", 5, "mov g4, [g0+256]:64\nmov g4, [g0+g4*8]:64", ADDRESS),
    "a look-up by key": ("enter", 5, "mov g4, [g0+384]:64\nmov g4, [g0+g4*8]:64", ADDRESS),
    "a look-up by a sum of secrets": (
        "body",
        5,
        "mov g4, [g0+384]:64\nadd g4, g1\nand g4, 56\nmov g4, [g0+g4*1]:64",
        ADDRESS,
    ),
    "a look-up by the hand-over buffer": ("body", 13, "mov g4, [g2+0]:64\nmov g4, [g0+g4*8]:64\nxor g2, 128", ADDRESS),
    "a look-up by a spilled secret": (
        "body",
        5,
        "mov g4, [g3+g1*1]:64\nmov [g0+704]:64, g4\nmov g3, [g0+704]:64\nmov g3, [g0+g3*1]:64",
        ADDRESS,
    ),
    "a position that depends on data": ("body", 19, "mov g4, [g3+0]:64\nadd g1, g4", ADDRESS),
    "a hint at a secret address": ("body", 5, "mov g4, [g0+256]:64\nprefetcht0 [g3+g4*1]:8", ADDRESS),
    "a secret in a pointer field": (
        "body",
        6,
        "mov g4, [g0+256]:64\nmov [g0+512]:64, g4",
        "stores a secret to a public field",
    ),
}


@pytest.mark.parametrize("leak", LEAKS, ids=str)
def test_leaks_are_caught(leak: str) -> None:
    section, index, text, said = LEAKS[leak]
    problems = check_taint(sample_program(spoil(ALLOCATED, section, index, text)))
    assert problems and any(said in p for p in problems), problems
    assert all("(streams/sample.j2:" in p for p in problems)


@pytest.mark.parametrize("leak", LEAKS, ids=str)
def test_a_public_contract_waives_them(leak: str) -> None:
    """By that word alone."""
    section, index, text, _ = LEAKS[leak]
    program = sample_program(spoil(ALLOCATED, section, index, text))
    assert check_taint(replace(program, contract=replace(program.contract, public=True))) == []


def test_kinds_that_are_public() -> None:
    """A kind with a key, or whose text may be secret, is none."""
    assert [name for name, kind in KINDS.items() if kind.public] == ["checksum"]


def test_the_sample_leaks_nothing() -> None:
    assert check_taint(sample_program()) == []


def test_public_values_may_be_addresses() -> None:
    """Pointers, the position, and both through a spill slot and around the loop."""
    real = spoil(
        ALLOCATED,
        "body",
        0,
        "mov [g0+704]:64, g1\nmov g4, [g0+704]:64\nmov g3, [g0+512]:64\nmov g4, [g3+g4*1]:64\nmov g3, [g0+512]:64",
    )
    assert check_taint(sample_program(real)) == []


@pytest.mark.parametrize("source, leaks", [("[g0+256]:64", True), ("[g0+520]:64", False)])
def test_a_value_is_followed_around_the_loop(source: str, leaks: bool) -> None:
    """A spill slot that is public at enter: what the body leaves in it decides."""
    real = spoil(ALLOCATED, "enter", 0, "mov g1, 0\nmov [g0+704]:64, g1")
    real = spoil(
        real,
        "body",
        19,
        f"add g1, 64\nmov g4, [g0+704]:64\nmov g4, [g0+g4*1]:64\nmov g4, {source}\nmov [g0+704]:64, g4",
    )
    assert bool(check_taint(sample_program(real))) == leaks


def test_a_cleared_register_is_public() -> None:
    real = spoil(ALLOCATED, "body", 5, "mov g4, [g0+256]:64\nxor g4:32, g4:32\nmov g4, [g0+g4*8+256]:64")
    assert check_taint(sample_program(real)) == []


def test_a_public_field_may_be_an_index() -> None:
    program = sample_program(spoil(ALLOCATED, "body", 5, "mov g4, [g0+448]:64\nmov g4, [g0+g4*8]:64"))
    fields = tuple(replace(f, secret=False) if f.name == "scratch" else f for f in program.contract.fields)
    assert check_taint(program)
    assert check_taint(replace(program, contract=replace(program.contract, fields=fields))) == []


def test_vartime_code_must_say_so(monkeypatch) -> None:
    slow = replace(instructions.INSTRUCTIONS["vpsubd"], vartime=True)
    monkeypatch.setitem(instructions.INSTRUCTIONS, "vpsubd", slow)
    assert "takes variable time" in check_taint(sample_program())[0]
    assert check_taint(sample_program(name="sample_vartime_x2")) == []


def test_a_vartime_stream_may_look_up_by_secrets() -> None:
    real = spoil(ALLOCATED, "body", 5, "mov g4, [g0+256]:64\nmov g4, [g0+g4*8]:64")
    assert check_taint(sample_program(real, name="sample_vartime_x2")) == []


def test_flags_carry_secrets() -> None:
    text = "mov g4, [g0+256]:64\nmov g3, 0\nadd g4, 1 &\nadc g3, 0\nmov g4, [g0+g3*8+256]:64"
    assert ADDRESS in check_taint(sample_program(spoil(ALLOCATED, "body", 5, text)))[0]
    clean = text.replace("[g0+256]:64\n", "[g0+512]:64\n", 1)
    assert check_taint(sample_program(spoil(ALLOCATED, "body", 5, clean))) == []


@pytest.mark.parametrize("targets", ("g3, g4", "g4, g3"))
def test_both_halves_of_a_product_carry_secrets(targets: str) -> None:
    text = f"mov g%2, [g0+256]:64 &\nmulx {targets}, [g0+512]:64\nmov g4, [g0+g3*8+256]:64"
    assert ADDRESS in check_taint(sample_program(spoil(ALLOCATED, "body", 5, text)))[0]


def test_what_the_contract_calls_public_decides() -> None:
    program = replace(sample_program(), code=code("mov g1, [g0+0]:64", "mov g2, [g1+0]:64", ""))
    field = Field("offsets", 0, 1, 64, 64, secret=False, align=64)
    contract = replace(program.contract, fields=(field,))
    assert check_taint(replace(program, contract=contract)) == []
    assert check_taint(replace(program, contract=replace(contract, fields=(replace(field, secret=True),))))
