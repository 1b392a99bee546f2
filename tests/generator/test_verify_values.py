"""Value numbering: terms, the machine, and the check of an allocation with the bugs that it must catch."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptostitch.core.contract import Field
from cryptostitch.passes.verify import VerifyError, check_allocation, check_forms, check_program, verify_program
from cryptostitch.verify.symbolic import Block, Machine
from cryptostitch.verify.terms import Terms
from verify_samples import ALLOCATED, VIRTUAL, ins, sample_program, sample_stream, spoil


def machine(constants: dict[str, bytes] | None = None) -> Machine:
    m = Machine(Terms(), constants or {})
    state = m.terms.make("state", 8, 0)
    m.blocks[state] = Block.of(m.terms, (Field("hand", 1024, 2, 64, 64, align=128),))
    m.registers["g", 0] = (8, state, 0)
    for name, cls, size in (("a", "v", 64), ("b", "v", 64), ("c", "v", 64), ("n", "g", 8), ("p", "g", 8)):
        m.registers[cls, name] = (size, m.terms.make("head", size, name), 0)
    return m


def run(m: Machine, *lines: str) -> Machine:
    return m.run([ins(line) for line in lines])


def value(m: Machine, name: str, size: int = 64, cls: str = "v") -> int:
    return m.read((cls, name), size)


SAME = [  # two ways to compute v.x
    (("vpaddd v.x, v.a, v.b",), ("vpaddd v.x, v.b, v.a",)),
    (("vmovdqa64 v.y, v.a", "vpaddd v.x, v.y, v.b"), ("vpaddd v.x, v.a, v.b",)),
    (("vpternlogd v.x, v.a, v.b, v.c, 150",), ("vmovdqu64 v.x, v.a", "vpternlogd v.x, v.b, v.c, 150")),
    (("vmovdqa64 [g0+64], v.a", "vmovdqa64 v.x, [g0+64]"), ("vmovdqa64 v.x, v.a",)),
    (
        ("vmovdqa64 [g0+64], v.a", "vmovdqa v.x:128, [g0+80]:128"),
        ("vextracti32x4 [g0+64]:128, v.b, 0", "vmovdqa64 [g0+64], v.a", "vmovdqa v.x:128, [g0+80]:128"),
    ),
    (
        ("vmovdqa64 v.x, [g0+64]", "vmovdqa [g0+0]:128, v.x:128", "vmovdqa v.x:128, [g0+0]:128"),
        ("vmovdqa v.x:128, [g0+64]:128",),
    ),
    (
        (
            "vmovdqa [g0+0]:128, v.a:128",
            "vmovdqa [g0+16]:128, v.b:128",
            "vmovdqa v.x:256, [g0+0]:256",
            "vmovdqa [g0+64]:256, v.x:256",
            "vmovdqa v.x:128, [g0+80]:128",
        ),
        ("vmovdqa v.x:128, v.b:128",),
    ),
    (("vpaddd v.x, v.a, [@c]:32{16}",), ("vpbroadcastd v.y, [@c]:32", "vpaddd v.x, v.a, v.y")),
    (("vpxord v.x, v.a, v.a",), ("vpxor v.x:128, v.b:128, v.b:128",)),
    (
        (
            "vmovdqa v.x:128, v.a:128",
            "vmovdqa64 [g0+0], v.x",
            "vmovdqa64 v.y, [g0+0]",
            "vpaddd v.x:128, v.y:128, v.b:128",
        ),
        ("vpaddd v.x:128, v.a:128, v.b:128",),
    ),
    (("lea g.q, [g0+64]", "vmovdqa64 [g.q+64], v.a", "vmovdqa64 v.x, [g0+128]"), ("vmovdqa64 v.x, v.a",)),
    (
        ("mov g.q:32, g.n:32", "mov [g0+0]:64, g.q", "mov g.r, [g0+0]:64", "movd v.x:128, g.r:32"),
        ("movd v.x:128, g.n:32",),
    ),
]
DIFFERENT = [
    (("vpsubd v.x, v.a, v.b",), ("vpsubd v.x, v.b, v.a",)),
    (("vpternlogd v.x, v.a, v.b, v.c, 150",), ("vpternlogd v.x, v.a, v.b, v.c, 151",)),
    (("vpternlogd v.x, v.a, v.b, v.c, 150",), ("vpternlogd v.x, v.b, v.a, v.c, 150",)),
    (
        ("vmovdqa64 [g0+64], v.a", "vmovdqa v.y:128, [g0+80]:128", "vmovdqa v.x:128, v.y:128"),
        ("vmovdqa v.x:128, v.a:128",),
    ),
    (("vmovdqa64 [g0+64], v.a", "vmovdqa [g0+112]:128, v.b:128", "vmovdqa64 v.x, [g0+64]"), ("vmovdqa64 v.x, v.a",)),
    (("vmovdqu64 v.x, [g.p+0]",), ("vmovdqu64 [g.p+64], v.b", "vmovdqu64 v.x, [g.p+0]")),
    (("vmovdqa64 v.x, [g0+1024]",), ("vmovdqu64 [g.p+0], v.b", "vmovdqa64 v.x, [g0+1024]")),
    (("vpaddd v.x:128, v.a:128, v.b:128",), ("vpaddd v.x, v.a, v.b",)),
    (("vpaddd v.x, v.a, v.b{k1}",), ("vpaddd v.x, v.a, v.b",)),
    (("vpaddd v.x, v.a, v.b{k1}",), ("vpaddd v.x, v.a, v.b{k1}{z}",)),
    (("vmovdqa64 v.x, v.a", "movdqa v.x:128, v.b:128"), ("vmovdqa64 v.x, v.a", "vmovdqa v.x:128, v.b:128")),
    (("mov g.q, g.n", "movd v.x:128, g.q:32"), ("mov g.q, g.n", "add g.q, 1", "movd v.x:128, g.q:32")),
]


@pytest.mark.parametrize("one, other", SAME)
def test_equal_values_are_one_term(one, other) -> None:
    m = machine({"c": bytes(4)})
    first = value(run(m, *one), "x", 16 if "128" in one[-1] and "v.x:128" in one[-1] else 64)
    fresh = machine({"c": bytes(4)})
    fresh.terms = m.terms
    fresh.blocks = {t: Block.of(m.terms, ()) for t in m.blocks}
    assert value(run(fresh, *other), "x", m.terms.size(first)) == first


@pytest.mark.parametrize("one, other", DIFFERENT)
def test_other_values_are_other_terms(one, other) -> None:
    m = machine({"c": bytes(4)})
    for k in ("x", "k"):
        m.registers["v", k] = (64, m.terms.make("head", 64, k), 0)
    m.registers["k", 1] = (8, m.terms.make("head", 8, "k1"), 0)
    fresh = Machine(m.terms, m.constants)
    fresh.blocks = {t: Block.of(m.terms, (Field("hand", 1024, 2, 64, 64, align=128),)) for t in m.blocks}
    fresh.registers = dict(m.registers)
    assert value(run(m, *one), "x") != value(run(fresh, *other), "x")


def test_a_broadcast_keeps_its_element() -> None:
    t = Terms()
    element = t.make("load", 4, "0", 0)
    assert t.slice(t.copies(element, 64), 12, 4) == element
    assert t.slice(t.copies(element, 64), 16, 32) == t.copies(element, 32)


def test_cutting_and_joining_cancel() -> None:
    t = Terms()
    whole = t.make("head", 64, "a")
    pieces = [t.slice(whole, 16 * i, 16) for i in range(4)]
    assert t.cat(pieces) == whole
    assert t.slice(t.cat([pieces[1], pieces[0]]), 16, 16) == pieces[0]
    assert t.slice(t.zx(pieces[0], 64), 32, 8) == t.imm(0, 8)


def test_flags_and_shared_registers_last_for_an_atom() -> None:
    split = run(machine(), "movdqa v%0:128, v.a:128", "sha256rnds2 v.x:128, v.a:128, v.b:128")
    glued = run(machine(), "movdqa v%0:128, v.a:128 &", "sha256rnds2 v.x:128, v.a:128, v.b:128")
    assert [key for _, key in split.undefined] == [("v", "%0")] and not glued.undefined


# ---- allocation


def test_the_sample_is_proved() -> None:
    assert check_program(sample_stream(), sample_program()) == []
    assert verify_program(sample_stream(), sample_program()).name == "sample_x2@avx512#4"


BUGS = {
    "swapped operands of a subtraction": (
        "body",
        5,
        "vpsubd v2, v2, v1",
        "`vpsubd v2:512, v2:512, v1:512` (streams/sample.j2:900) computes a value that the template does not",
    ),
    "wrong spill slot": ("body", 8, "vpaddd v2, v0, [g0+640]", "`vpaddd v2:512, v0:512, [g0:64+640]`"),
    "spill forgotten": ("body", 9, None, "'b'"),
    "spill of the wrong register": ("body", 9, "vmovdqa64 [g0+576], v1", "'b'"),
    "clobbered live register": (
        "body",
        3,
        "vmovdqu64 v2, [g4+g1*1]\nvmovdqa64 v1, v2",
        "computes a value that the template does not",
    ),
    "promoted operand overwritten": ("body", 19, "add g1, 64\nvmovdqa64 v3, v2", "ends with|template"),
    "promoted operand not loaded": ("enter", 5, "vmovdqa64 v3, [g0+448]", "template"),
    "loop-carried value started wrongly": ("enter", 3, "vmovdqa64 [g0+576], v0", "'b'"),
    "constant of another instruction": ("body", 4, "vpaddd v1, v1, [@table+4]:32{16}", "template does not"),
    "store moved to another address": ("body", 16, "vmovdqu64 [g3+g1*1+64], v1", "stores to another address"),
    "store of another value": ("body", 16, "vmovdqu64 [g3+g1*1], v2", "stores another value"),
    "store forgotten": ("body", 18, None, "has no counterpart|stores"),
    "store twice": ("body", 18, "vmovdqu64 [g3+g1*1], v2\nvmovdqu64 [g3+g1*1], v2", "is not in the template"),
    "state field written wrongly": ("leave", 2, "vmovdqa64 [g0+320], v0", "chain+64 ends with another value"),
    "state field written in passing": (
        "body",
        6,
        "vmovdqa64 [g0+448], v2\nvmovdqa64 [g0+640], v2",
        "scratch+0 ends with another value",
    ),
    "stale reload": ("leave", 1, "vmovdqa64 v1, [g0+640]", "chain+64"),
    "narrow spill": ("body", 9, "vmovdqa [g0+576]:256, v2:256", "'b'"),
}


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_allocation_bugs_are_caught(bug: str) -> None:
    section, index, text, said = BUGS[bug]
    problems = check_allocation(sample_stream(), sample_program(spoil(ALLOCATED, section, index, text)))
    assert problems
    assert any(word in problem for problem in problems for word in said.split("|")), problems
    assert all("sample_x2@avx512#4" in problem for problem in problems)


def test_problems_name_the_template_line() -> None:
    with pytest.raises(
        VerifyError, match=r"sample_x2@avx512#4.*`vpsubd v2:512, v2:512, v1:512` \(streams/sample.j2:900\)"
    ):
        verify_program(sample_stream(), sample_program(spoil(ALLOCATED, "body", 5, "vpsubd v2, v2, v1")))


def test_an_undefined_name_is_named() -> None:
    virtual = spoil(VIRTUAL, "enter", 2, None)
    problems = check_allocation(sample_stream(virtual), sample_program())
    assert any("reads 'b', which nothing has written" in p for p in problems)


def test_memory_of_the_caller_may_alias() -> None:
    """A load that passes a store to the caller's memory is another load: in == out is allowed."""
    virtual = spoil(
        VIRTUAL,
        "body",
        15,
        "vmovdqu64 [g.o2+g.position*1], v.z\nvmovdqu64 v.late, [g.p+g.position*1]\nvpaddd v.b, v.b, v.late",
    )
    real = spoil(ALLOCATED, "body", 18, "vmovdqu64 [g3+g1*1], v2")
    assert check_allocation(sample_stream(virtual), sample_program(real))


def test_the_contract_says_what_the_stream_declares() -> None:
    program = sample_program()
    contract = program.contract
    for bad, said in (
        (replace(contract, fields=contract.fields[1:]), "lacks the field hand"),
        (replace(contract, fields=(*contract.fields, Field("extra", 900, 1, 8, 8))), "adds the field extra"),
        (replace(contract, bytes=128), "contract's bytes differ"),
        (replace(contract, constants=contract.constants[::-1]), "contract's constants differ"),
    ):
        assert any(said in p for p in check_program(sample_stream(), replace(program, contract=bad)))


FORMS = {
    "register outside the window": ("body", 7, "vpxord v0, v2, v4", "outside the window"),
    "widths that disagree": ("body", 7, "vpxord v0, v2:256, v0", "has 256 bits, not 512"),
    "memory of the wrong size": ("body", 8, "vpaddd v2, v0, [g0+576]:256", "accesses 512 bits"),
    "feature that is not declared": ("body", 7, "vpshufb v0, v0, v0", "avx512bw"),
    "unknown instruction": ("body", 7, "vpmystery v0, v0, v0", "not in the instruction table"),
    "two memory operands": ("body", 7, "mov [g0+704]:64, [g0+712]:64", "two memory operands"),
    "three-operand form left over": ("body", 7, "sub g3, g3, g4", "has 3 operands, not 2"),
    "broadcast of the wrong element": ("body", 4, "vpaddd v1, v1, [@table]:64{8}", "broadcast"),
    "glue at the end": ("body", 19, "add g1, 64 &", "glued to nothing"),
}


@pytest.mark.parametrize("bug", FORMS, ids=str)
def test_malformed_instructions_are_named(bug: str) -> None:
    section, index, text, said = FORMS[bug]
    problems = check_forms(sample_program(spoil(ALLOCATED, section, index, text)))
    assert problems and said in problems[0]
