"""Bounds and alignment: what a program may touch, with the accesses that the check must refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptostitch.core.contract import HAND, OUT, TABLE
from cryptostitch.passes.verify import check_bounds
from verify_samples import ALLOCATED, FROM, code, looked_up, mem, sample_program, spoil

BUGS = {
    "a load one byte beyond the contract": ("body", 2, "vmovdqu64 v1, [g3+g1*1+1]", "accesses bytes 1 to 65 of the 64"),
    "a load before the position": ("body", 2, "vmovdqu64 v1, [g3+g1*1-16]", "accesses bytes -16 to 48"),
    "a store into the input": ("body", 2, "vmovdqu64 [g3+g1*1], v1", "stores to the memory of in"),
    "a load from the output": ("body", 16, "vmovdqu64 v1, [g3+g1*1]", "reads the memory of out"),
    "a position that advances too little": ("body", 19, "add g1, 60", "not proved|otherwise"),
    "a position that advances too much": ("body", 19, "add g1, 128", "not proved|otherwise"),
    "a position that advances twice": ("body", 19, "add g1, 64\nadd g1, 64", "not proved|otherwise"),
    "a position that wraps at 32 bits": ("body", 19, "add g1:32, 64", "not proved|otherwise"),
    "a position that does not start at zero": ("enter", 0, "mov g1, 64", "accesses bytes 64 to 128"),
    "a position that is scaled": ("body", 2, "vmovdqu64 v1, [g3+g1*2]", "otherwise"),
    "a pointer without its position": ("body", 2, "vmovdqu64 v1, [g3+0]", "otherwise than in the body at the position"),
    "two pointers added": ("body", 2, "vmovdqu64 v1, [g3+g4*1]", "not proved"),
    "a pointer used in enter": (
        "enter",
        5,
        "mov g3, [g0+512]:64\nvmovdqu64 v3, [g3+g1*1]",
        "otherwise than in the body",
    ),
    "a pointer read from data": ("body", 0, "mov g3, [g0+256]:64", "not proved"),
    "an unaligned access at any pointer": ("body", 2, "vmovdqa64 v1, [g3+g1*1]", "aligned"),
    "a store to the key": ("body", 6, "vmovdqa64 [g0+384], v2", "stores to the field key, which is read-only"),
    "a store to a pointer": ("body", 6, "mov [g0+512]:64, g3", "stores to the field in, which is read-only"),
    "a load across two fields": ("body", 8, "vpaddd v2, v0, [g0+350]", "beyond the field's end"),
    "a load outside the state block": ("body", 8, "vpaddd v2, v0, [g0+768]", "in no field"),
    "a load before the state block": ("body", 8, "vpaddd v2, v0, [g0-64]", "in no field"),
    "an aligned store at an odd place": ("body", 6, "vmovdqa64 [g0+608], v2", "aligned to 64"),
    "a state pointer that moved": ("body", 8, "add g0, 64\nvpaddd v2, v0, [g0+704]", "in no field"),
    "a constant beyond its end": (
        "body",
        4,
        "vpaddd v1, v1, [@round+4]:32{16}",
        "reads bytes 4 to 8 of the constant 'round' of 4 bytes",
    ),
    "a constant that is not there": ("body", 4, "vpaddd v1, v1, [@missing]:32{16}", "does not exist"),
    "a hand-over store beyond its half": (
        "body",
        12,
        "vmovdqa64 [g2+128], v1",
        "accesses bytes 128 to 192 of a half of 128",
    ),
    "a hand-over toggle of another size": ("body", 13, "xor g2, 64", "toggles by 64"),
    "a hand-over pointer that is never toggled back": ("body", 13, "add g2, 128", "not proved"),
    "a hand-over pointer that starts off the buffer": ("enter", 4, "lea g2, [g0+64]", "starts at byte 64"),
    "a hint at an address from nowhere": ("body", 5, "mov g4, [g3+g1*1]:64\nprefetcht0 [g4+0]:8", "not proved"),
    "a hint without its position": ("body", 2, "prefetcht0 [g3+0]:8", "otherwise than in the body at the position"),
    "a table look-up": ("body", 5, "mov g4, [g3+g1*1]:64\nvpsubd v2, v1, [g0+g4*1+256]", "not proved"),
}


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bounds_bugs_are_caught(bug: str) -> None:
    section, index, text, said = BUGS[bug]
    problems = check_bounds(sample_program(spoil(ALLOCATED, section, index, text)))
    assert problems
    assert any(word in problem for problem in problems for word in said.split("|")), problems
    assert all("(streams/sample.j2:" in problem for problem in problems)


def test_the_sample_is_within_bounds() -> None:
    assert check_bounds(sample_program()) == []


VARIANTS = {
    "position advanced in the middle": [
        ("body", 19, None),
        ("body", 16, "add g1, 64\nvmovdqu64 [g3+g1*1-64], v1"),
        ("body", 19, "vmovdqu64 [g3+g1*1-64], v2"),
    ],
    "position kept in a spill slot": [
        ("body", 19, "add g1, 64\nmov [g0+704]:64, g1"),
        ("body", 0, "mov g1, [g0+704]:64\nmov g3, [g0+512]:64"),
        ("enter", 0, "mov g1, 0\nmov [g0+704]:64, g1"),
    ],
    "position advanced by lea": [("body", 19, "lea g1, [g1+64]")],
    "position in another register": [("body", 19, "lea g4, [g1+64]\nmov g1, g4")],
    "position cleared by xor": [("enter", 0, "xor g1:32, g1:32")],
    "pointer and position in one register": [("body", 2, "lea g3, [g3+g1*1]\nvmovdqu64 v1, [g3+0]")],
    "hand-over toggled in the middle": [("body", 13, None), ("body", 12, "xor g2, 128\nvmovdqa64 [g2+64], v1")],
    "second half first": [("enter", 4, "lea g2, [g0+128]")],
}


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_other_ways_to_say_it_are_accepted(variant: str) -> None:
    real = ALLOCATED
    for section, index, text in VARIANTS[variant]:
        real = spoil(real, section, index, text)
    assert check_bounds(sample_program(real)) == []


def consumer(body: str, enter: str = "mov g1, [g0+544]:64"):
    program = sample_program()
    return replace(
        program, code=code(enter, body, ""), contract=replace(program.contract, fields=(*program.contract.fields, FROM))
    )


def test_the_producers_buffer_is_read_by_halves() -> None:
    assert check_bounds(consumer("vmovdqa64 v0, [g1+64]\nxor g1, 128")) == []
    assert "accesses bytes 128 to 192" in check_bounds(consumer("vmovdqa64 v0, [g1+128]\nxor g1, 128"))[0]
    assert "stores to the producer's" in check_bounds(consumer("vmovdqa64 [g1+64], v0\nxor g1, 128"))[0]
    assert "not proved" in check_bounds(consumer("vmovdqa64 v0, [g1+64]"))[0]


def test_a_toggled_offset_needs_no_alignment() -> None:
    program = consumer("vmovdqu64 v0, [g2+g1*1+64]\nxor g1, 128", "mov g1, 0\nmov g2, [g0+544]:64")
    assert check_bounds(program) == []


def test_a_buffer_that_is_not_aligned_cannot_be_toggled() -> None:
    program = sample_program()
    contract = program.contract
    moved = tuple(
        replace(f, offset=f.offset + 64, align=64) if f.name == HAND else replace(f, offset=f.offset + 64)
        for f in contract.fields
    )
    program = replace(
        program,
        contract=replace(contract, fields=moved, state_bytes=1024),
        code=code("lea g2, [g0+64]", "vmovdqa64 [g2+0], v0\nxor g2, 128", ""),
    )
    assert "not aligned to 256" in check_bounds(program)[0]


def test_fields_must_not_overlap() -> None:
    program = sample_program()
    fields = tuple(replace(f, offset=512) if f.name == OUT else f for f in program.contract.fields)
    assert any(
        "overlaps" in p for p in check_bounds(replace(program, contract=replace(program.contract, fields=fields)))
    )


def test_input_needs_the_contracts_leave() -> None:
    program = sample_program()
    program = replace(program, contract=replace(program.contract, reads_input=False))
    assert "reads input, which the contract denies" in check_bounds(program)[0]


def test_legacy_memory_operands_must_be_aligned() -> None:
    program = consumer("paddd v0:128, [g0+264]:128", "")
    assert "aligned to 16" in check_bounds(program)[0]
    assert mem("[g0+264]:128").disp % 16


@pytest.mark.parametrize(
    "text, said",
    [
        ("and g4:32, 63\nmov g4:32, [g0+g4*4+768]:32", ""),
        ("and g4, 60\nmov g4, [g0+g4*4+776]:64", ""),
        ("and g4:32, 63\nmov [g0+g4*4+768]:32, g2:32", ""),
        ("and g4:32, 31\nadd g3:32, 7\nand g3:32, 31\nadd g4, g3\nmov g4:32, [g0+g4*4+768]:32", ""),
        ("and g4:32, 64\nmov g4:32, [g0+g4*4+768]:32", "accesses bytes 0 to 260 of the table of 256"),
        ("and g4:32, 63\nmov g4:32, [g0+g4*8+768]:32", "accesses bytes 0 to 508"),
        ("and g4:32, 63\nmov g4, [g0+g4*4+768]:64", "accesses bytes 0 to 260"),
        ("and g4:32, 63\nmov g4:32, [g0+g4*4+772]:32", "accesses bytes 4 to 260"),
        ("and g4:32, 63\nmov g4:32, [g0+g4*4+764]:32", "accesses bytes -4 to 252"),
        ("and g4:32, 1\nmov g4:32, [g0+g4*4+448]:32", "accesses bytes -320 to -312"),
        ("and g4:32, 63\nadd g4:32, 1\nmov g4:32, [g0+g4*4+768]:32", "not proved"),
        ("and g4:32, -4\nmov g4:32, [g0+g4*4+768]:32", "not proved"),
        ("and g4:32, g3:32\nmov g4:32, [g0+g4*4+768]:32", "not proved"),
        ("or g4:32, 63\nmov g4:32, [g0+g4*4+768]:32", "not proved"),
        ("and g4:32, 63\nmov g4:32, [g3+g4*4+768]:32", "otherwise than in the body|not proved"),
        ("and g4, 192\nvmovdqa64 v2, [g0+g4*1+768]", "its address is computed"),
    ],
)
def test_a_masked_number_stays_within_the_table(text: str, said: str) -> None:
    problems = check_bounds(looked_up(text))
    assert any(word in problems[0] for word in said.split("|")) if said else not problems, problems


def test_a_masked_number_is_followed_around_the_loop() -> None:
    """An index that enter and body both mask; one that enter does not."""

    def walked(enter: str) -> list[str]:
        program = looked_up("mov g4:32, [g0+g5*4+768]:32\nadd g5:32, 16\nand g5:32, 48")
        entered = replace(program.code, enter=(*program.code.enter, *code(enter, "", "").enter))
        return check_bounds(replace(program, code=entered, window=replace(program.window, generals=6)))

    assert walked("mov g5:32, [g0+256]:32\nand g5:32, 48") == []
    assert "not proved" in walked("mov g5:32, [g0+256]:32")[0]


@pytest.mark.parametrize(
    "enter, text, said",
    [
        ("lea g5, [g0+768]", "and g4:32, 63\nmov g4:32, [g5+g4*4]:32", "by an address that is not a sum"),
        ("mov g5, 0", "vmovdqu64 [g0+g5*1], v1\nxor g5, 128", "has an address like the table's"),
    ],
)
def test_what_is_the_table_is_seen_by_its_address(enter: str, text: str, said: str) -> None:
    """Since value numbering lets accesses of the table pass all others."""
    program = looked_up(text)
    entered = replace(program.code, enter=(*program.code.enter, *code(enter, "", "").enter))
    problems = check_bounds(replace(program, code=entered, window=replace(program.window, generals=6)))
    assert len(problems) == 1 and said in problems[0], problems


def test_without_a_table_no_number_is_an_index() -> None:
    program = looked_up("and g4:32, 3\nmov g4:32, [g0+g4*4+256]:32")
    fields = tuple(f for f in program.contract.fields if f.name != TABLE)
    assert "which has no table" in check_bounds(replace(program, contract=replace(program.contract, fields=fields)))[0]
