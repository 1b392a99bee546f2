"""Mutation: operators do what they say, seeds reproduce, the quick ladder kills, and a ladder with checks left out does
not."""

from __future__ import annotations

import functools
import json
import os
import random
import signal
from dataclasses import replace

import pytest
from click.testing import CliRunner
from cryptostitch.cli import main
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.core.ir import Imm, Ins, Mem
from cryptostitch.core.registers import RSP
from cryptostitch.ladder.subject import Subject
from cryptostitch.listing import Catalogue
from cryptostitch.mutate import trial
from cryptostitch.mutate.algebra import Algebra
from cryptostitch.mutate.campaign import SAMPLE, chosen
from cryptostitch.mutate.checks import CHECKS, Seen, Stage, run
from cryptostitch.mutate.dependence import depend
from cryptostitch.mutate.equivalence import confirmed, reason
from cryptostitch.mutate.operators import CONTROL, OPERATORS
from cryptostitch.mutate.sampling import LAG, Original, mutants
from cryptostitch.mutate.text import KERNEL, LEVELS, PROGRAM, TEMPLATE, Change, Text
from cryptostitch.pipeline import Generator
from cryptostitch.verify.symbolic import Machine
from seeded import secret_index
from verify_samples import ALLOCATED, FIELDS, ROUND, TABLE, ins, reg

LONG = bool(os.environ.get("CRYPTOSTITCH_LONG"))
BODY = ALLOCATED.body
ROTATED = (*BODY, *(ins(line) for line in ("vprold v1, v1, 5", "vextracti32x4 [g3+0]:128, v1, 2", "vpxord v2, v1, v3")))
TEXT = Text(PROGRAM, "body", ROTATED, (0,) * len(ROTATED), {0: (reg("g0"), FIELDS)}, (ROUND, TABLE))
SHA1, PAIR, CIPHER = "sha1_x4@sse", "aes128_cbc_enc_x1+sha1_x1@sse_aesni_bmi2", "aes128_cbc_enc_x2@sse_aesni"


def changes(operator: str, text: Text = TEXT, times: int = 60) -> list[Change]:
    rnd = random.Random(operator)
    return [change for _ in range(times) if (change := OPERATORS[operator](text, rnd))]


@functools.cache
def generator() -> Generator:
    return Generator(proves=False)


@functools.cache
def original(name: str) -> Original:
    return Original(generator(), generator().recipe(name))


def task(name: str):
    (found,) = chosen(Catalogue(), name)
    return found


# ---- operators


def test_drop_removes_one_instruction() -> None:
    for change in changes("drop"):
        left = change.applied(TEXT.code)
        assert len(left) == len(TEXT.code) - 1 and left == TEXT.code[: change.at] + TEXT.code[change.at + 1 :]


@pytest.mark.parametrize("operator, wanted", [("swap", True), (CONTROL, False)])
def test_neighbours_change_places(operator: str, wanted: bool) -> None:
    for change in changes(operator):
        a, b = TEXT.code[change.at], TEXT.code[change.other]
        assert change.other == change.at + 1 and depend(a, b) == wanted
        assert change.applied(TEXT.code)[change.at : change.at + 2] == (b, a)


@pytest.mark.parametrize("operator", ["source", "destination", "constant", "off-by-one", "mnemonic", "lane"])
def test_one_thing_of_one_instruction_changes(operator: str) -> None:
    found = changes(operator)
    assert len(found) == 60
    for change in found:
        if change.constant:
            old = next(c for c in TEXT.constants if c.name == change.constant.name)
            assert (
                sum((a ^ b).bit_count() for a, b in zip(old.data, change.constant.data)) == 1 and operator == "constant"
            )
            continue
        old, new = TEXT.code[change.at], change.ins
        differ = [(i, a, b) for i, (a, b) in enumerate(zip(old.operands, new.operands)) if a != b]
        if operator == "mnemonic":
            assert new == replace(old, op=new.op) and new.op != old.op
            continue
        ((index, a, b),) = differ
        assert new.op == old.op
        if operator == "source":
            a, b = (a.base, b.base) if isinstance(a, Mem) else (a, b)
            assert (a.cls, a.bits) == (b.cls, b.bits) and (index > 0 or isinstance(old.operands[0], Mem))
        elif operator == "destination":
            assert index == 0 and (a.cls, a.bits) == (b.cls, b.bits)
        elif operator == "constant":
            assert (a.value ^ b.value).bit_count() == 1
        elif operator == "off-by-one":
            assert abs(a.value - b.value) == 1 if isinstance(a, Imm) else abs(a.disp - b.disp) in (1, a.bits // 8 or 1)
        elif isinstance(a, Mem):
            (field,) = (f for f in FIELDS if f.offset <= a.disp < f.offset + f.size)
            assert field.offset <= b.disp < field.offset + field.size and abs(a.disp - b.disp) in {
                y - x for x, y in zip(field.lane_offsets, field.lane_offsets[1:])
            }
        else:
            assert old.op == "vextracti32x4" and a.value ^ b.value == 1


def test_what_is_glued_to_the_one_before_is_not_free() -> None:
    code = tuple(ins(line) for line in ("vmovdqa64 v1, v2 &", "vpaddd v3, v4, v5", "vpxord v6, v7, v8"))
    assert changes(CONTROL, replace(TEXT, code=code, streams=(0,) * 3)) == []
    assert {c.at for c in changes("swap", replace(TEXT, code=code, streams=(0,) * 3))} == {0, 1}


# whose flags the jump reads
@pytest.mark.parametrize(
    "lines",
    [
        ("vmovdqu64 [g1+0]:512, v1", "vmovdqu64 [g1+64]:512, v2"),  # checks compare stores in their order
        ("add g1:64, 128", "sub g2:64, 1", "jnz loop"),
    ],
)
def test_stores_and_flags_of_a_jump_are_not_free(lines: tuple[str, ...]) -> None:
    code = tuple(Ins("jnz", ()) if line.startswith("jnz") else ins(line) for line in lines)
    assert changes(CONTROL, replace(TEXT, code=code, streams=(0,) * len(code))) == []
    without = code[:2] if len(code) > 2 else (ins("vmovdqu64 v1, [g1+0]:512"), code[1])
    assert {c.at for c in changes(CONTROL, replace(TEXT, code=without, streams=(0,) * 2))} == {0}


def test_memory_order_exchanges_accesses_of_the_same_bytes() -> None:
    for change in changes("memory-order"):
        a, b = (next(o for o in TEXT.code[i].operands if isinstance(o, Mem)) for i in (change.at, change.other))
        assert isinstance(TEXT.code[change.at].operands[0], Mem) and (a.base, a.disp) == (b.base, b.disp)


def test_a_kernel_has_wipes_counters_and_lags_to_spoil() -> None:
    made = mutants(original(PAIR), 400, 1, (KERNEL,), ("wipe", LAG))
    wipes = [m for m in made if m.operator == "wipe"]
    kernel = original(PAIR).kernel
    assert len(wipes) == sum(item.section == "wipe" for item in kernel.items)
    assert all(len(m.kernel.items) == len(kernel.items) - 1 for m in wipes)
    lags = {tuple((p.lag, p.ratio) for p in m.recipe.parts) for m in made if m.operator == LAG}
    assert lags == {((0, 1), (0, 1)), ((0, 1), (2, 1)), ((0, 2), (1, 1)), ((0, 1), (1, 2))}


def test_a_text_without_a_place_for_it_has_no_mutant() -> None:
    empty = replace(TEXT, code=(), streams=(), constants=())
    assert all(operator(empty, random.Random(1)) is None for operator in OPERATORS.values())
    assert changes("wipe") == []


@pytest.mark.parametrize(
    "first, second, wanted",
    [
        ("vpaddd v1, v2, v3", "vpxord v4, v1, v2", True),
        ("vpaddd v1, v2, v3", "vpxord v2, v4, v5", True),
        ("vpaddd v1, v2, v3", "vmovdqa64 v1, v6", True),
        ("vpaddd v1, v2, v3", "vpxord v4, v2, v3", False),
        ("add g1, 1", "sub g2, 1", False),
        ("add g1, 1 &", "sub g2, 1", True),
        ("vmovdqa64 [g0+64], v1", "vmovdqa64 v2, [g0+64]", True),
        ("vmovdqa64 [g0+64], v1", "vmovdqa64 v2, [g0+128]", False),
        ("vmovdqa64 [g0+64], v1", "vmovdqa64 v2, [g1+128]", True),
        ("vmovdqa64 v1, [g0+64]", "vmovdqa64 v2, [g1+128]", False),
        ("push g%3", "push g%5", True),
        ("sub g%1, 1", "jnz", True),
    ],
)
def test_dependence(first: str, second: str, wanted: bool) -> None:
    assert depend(ins(first), ins(second)) == wanted


def test_the_stack_pointer_is_a_dependence() -> None:
    assert depend(ins("push g%3"), ins(f"movups [g%{RSP}+0]:128, v%6:128"))


# ---- sampling


def test_seeds_reproduce() -> None:
    def made(seed: int) -> list[tuple]:
        return [(m.name, m.level, m.operator, m.sentence) for m in mutants(original(CIPHER), 30, seed)]

    first = made(5)
    assert first == made(5) and first != made(6)
    assert len({sentence for *_, sentence in first}) == 30
    assert {m[1] for m in first} == set(LEVELS)


@pytest.mark.parametrize("level", LEVELS)
def test_mutants_differ_from_the_original(level: str) -> None:
    right = original(CIPHER)
    for mutant in mutants(right, 11, 2, (level,)):
        assert (
            mutant.refusal
            or mutant.kernel != right.kernel
            or mutant.program.contract != mutant.of.contract
            or mutant.stream.code != right.stream(mutant.of).code
        ), mutant.sentence


def test_the_sample_has_every_kind() -> None:
    catalogue = Catalogue()
    every = catalogue.default_kernels()
    there = [kernel for kernel in every if kernel[0] in SAMPLE]
    assert len(there) == len(SAMPLE)

    def kinds(kernels) -> set:
        return {
            tuple((isa, catalogue.form(part)[0].kind, part.form.endswith("_ni")) for part, isa in parts)
            for *_, parts, _ in kernels
        }

    # RC4: its two stores to the table may change places, since an entry exchanged with itself stays, which no check
    # proves.
    every = [kernel for kernel in every if not kernel[0].startswith("rc4")]
    assert {
        k
        for k in kinds(every)
        if len(k) == 1 and not (k[0][0] == "sse" and k[0][1] == "cipher_dec") and k[0][1] != "cipher_enc"
    } <= kinds(there)
    assert {isas for *_, parts, _ in every for isas in [tuple(i for _, i in parts)] if len(isas) == 2} <= {
        isas for *_, parts, _ in there for isas in [tuple(i for _, i in parts)]
    } | {("sse", "sse")}
    assert {(p.hand, p.one_key) for *_, parts, _ in there for p, _ in parts} >= {
        (True, True),
        (True, False),
        (False, False),
    }


# ---- what is no fault

EQUAL = [
    (("vpaddd v.x, v.a, v.b", "vpaddd v.x, v.x, v.c"), ("vpaddd v.x, v.a, v.c", "vpaddd v.x, v.x, v.b")),
    (("vpxord v.x, v.a, v.b", "vpxord v.x, v.x, v.a"), ("vmovdqa64 v.x, v.b",)),
    (("vpternlogd v.x, v.a, v.b, v.c, 150",), ("vpxord v.x, v.c, v.b", "vpxorq v.x, v.x, v.a")),
    (("vpternlogd v.x, v.a, v.b, v.b, 60",), ("vpternlogd v.x, v.a, v.b, v.b, 126",)),
    (("vprold v.x, v.a, 5",), ("vprord v.x, v.a, 27",)),
    (("vprold v.x, v.a, 5",), ("vprold v.x, v.a, 37",)),
    (("vpshufb v.x, v.a, [@low]",), ("vpshufb v.x, v.a, [@high]",)),
    (("vinserti32x4 v.x, v.a, v.b:128, 3",), ("vinserti32x4 v.x, v.a, v.b:128, 7",)),
    (("vpandd v.x, v.a, v.b", "vpandd v.x, v.x, v.a"), ("vpandd v.x, v.b, v.a",)),
    (("vextracti32x4 v.x:128, v.a, 3",), ("vextracti32x4 v.x:128, v.a, 7",)),
]
DIFFERENT = [
    (("vpaddd v.x, v.a, v.b", "vpaddd v.x, v.x, v.a"), ("vpaddd v.x, v.a, v.b",)),
    (("vpaddd v.x, v.a, v.b",), ("vpaddq v.x, v.a, v.b",)),
    (("vpaddd v.x, v.a, v.b",), ("vpxord v.x, v.a, v.b",)),
    (("vpsubd v.x, v.a, v.b",), ("vpsubd v.x, v.b, v.a",)),
    (("vpternlogd v.x, v.a, v.b, v.c, 150",), ("vpternlogd v.x, v.a, v.b, v.c, 151",)),
    (("vpternlogd v.x, v.a, v.b, v.b, 60",), ("vpternlogd v.x, v.a, v.b, v.b, 61",)),
    (("vprold v.x, v.a, 5",), ("vprord v.x, v.a, 5",)),
    (("vprold v.x, v.a, 5",), ("vprolq v.x, v.a, 5",)),
    (("vpshufb v.x, v.a, [@low]",), ("vpshufb v.x, v.a, [@other]",)),
    (("vinserti32x4 v.x, v.a, v.b:128, 3",), ("vinserti32x4 v.x, v.a, v.b:128, 2",)),
    (("vpandd v.x, v.a, v.b",), ("vpord v.x, v.a, v.b",)),
    (("vextracti32x4 v.x:128, v.a, 3",), ("vextracti32x4 v.x:128, v.a, 2",)),
]
POOL = {"low": bytes(range(64)), "high": bytes(b | 0x70 for b in range(16)) + bytes(range(16, 64)), "other": bytes(64)}


@pytest.mark.parametrize(
    "one, other, equal", [(*pair, True) for pair in EQUAL] + [(*pair, False) for pair in DIFFERENT]
)
def test_the_laws_of_the_algebra(one, other, equal: bool) -> None:
    terms, values = Algebra(), []
    for lines in (one, other):
        machine = Machine(terms, POOL)
        for name in "abc":
            machine.registers["v", name] = (64, terms.make("head", 64, name), 0)
        values.append(machine.run([ins(line) for line in lines]).read(("v", "x"), 64))
    assert (values[0] == values[1]) == equal


def test_addresses_keep_their_constants() -> None:
    terms = Algebra()
    a, b = terms.make("head", 8, "a"), terms.make("head", 8, "b")
    assert terms.add(terms.plus(a, 3), b) == terms.plus(terms.add(b, a), 3) != terms.add(a, b)
    assert terms.add(terms.imm(2, 8), terms.imm(3, 8)) == terms.imm(5, 8)


def test_only_a_proof_makes_a_mutant_equivalent() -> None:
    """Controls are proved, each at its level; what is not proved has no reason, whatever the model sees."""
    right = original(CIPHER)
    for level in LEVELS:
        assert all(reason(right, m) for m in mutants(right, 4, 3, (level,), (CONTROL,)))
        assert not any(reason(right, m) for m in mutants(right, 6, 3, (level,), ("mnemonic", "lane")))


def test_the_model_has_to_agree_with_a_proof() -> None:
    right = Seen(state={"a": b"1"})
    assert confirmed(right, Seen(state={"a": b"1"}))
    for wrong in (
        Seen(state={"a": b"2"}),
        Seen("a fault", state={"a": b"1"}),
        Seen(wrong="x", state={"a": b"1"}),
        Seen(residue="x", state={"a": b"1"}),
        Seen(traces="x", state={"a": b"1"}),
    ):
        assert not confirmed(right, wrong)


# ---- the quick ladder


def stage(name: str) -> tuple[Stage, Subject]:
    subject = Subject(generator(), generator().recipe(name))
    return Stage(subject.recipe, subject.rows, 1), subject


def test_a_secret_address_is_seen_in_the_trace() -> None:
    played, subject = stage(CIPHER)
    found, seen = run(played, secret_index(subject).code, subject.recipe, CHECKS)
    assert found == {"trace": seen.traces} and "accesses other addresses" in seen.traces
    assert run(played, subject.code, subject.recipe, CHECKS)[0] == {}


def fates(name: str, **plan) -> list[trial.Fate]:
    return trial.fates(trial.Plan(**plan), generator(), task(name))


def test_the_chaining_value_of_another_lane_is_seen() -> None:
    """All lanes begin with one value, so the first call cannot tell them apart."""
    right = original("sha1_ni_x2@sse_shani")
    made = [m for m in mutants(right, 40, 1, (TEMPLATE,), ("lane",)) if " enter: " in m.sentence]
    found = fates(right.recipe.name, count=40, levels=(TEMPLATE,), operators=("lane",))
    caught = [f for f in found if " enter: " in f.sentence]
    assert made and len(caught) == len(made) and all(f.verdict == trial.KILLED for f in caught)


def test_a_missing_wipe_is_seen_in_the_registers() -> None:
    """Nothing but what is left is wrong with such a kernel. (A wiped register that held no secret is no loss without
    the walk.)"""
    found = fates(CIPHER, count=10, levels=(KERNEL,), operators=("wipe",), without=("weave",))
    assert (
        len(found) == 10 and sum("residue" in f.by for f in found) >= 6 and all(set(f.by) <= {"residue"} for f in found)
    )
    assert all("depends on secrets" in f.by["residue"] for f in found if f.by)


def test_a_field_that_must_stay_is_watched() -> None:
    right = original(CIPHER)
    program, key = right.programs[0], right.programs[0].contract.field("key").offset
    code = replace(program.code, leave=(*program.code.leave, ins(f"movdqa [g0+{key}]:128, v0:128")))
    spoilt = replace(
        right.recipe, parts=tuple(replace(p, program=replace(program, code=code)) for p in right.recipe.parts)
    )
    played, subject = stage(CIPHER)
    subject.recipe = spoilt
    found, _ = run(played, subject.code, spoilt, CHECKS)
    assert found["model"] == "the state block of stream 0 was changed in 'key'"


def test_an_original_that_is_wrong_is_no_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stage, "see", lambda *_: Seen(wrong="chaining value 0 is wrong"))
    with pytest.raises(CryptostitchError, match="unchanged, fails on the instruction model: chaining value 0 is wrong"):
        fates(CIPHER, count=1)


def test_a_lag_that_only_the_answers_know() -> None:
    """A recipe with a wrong lag gives a kernel that is framed faultlessly."""
    found = fates(PAIR, count=8, levels=(KERNEL,), operators=(LAG,))
    assert len(found) == 4 and all(f.verdict == trial.KILLED and set(f.by) == {"model"} for f in found)


def test_levels_are_caught_by_different_checks() -> None:
    found = {
        level: fates(CIPHER, count=9, levels=(level,), operators=("mnemonic", "constant", "drop"), seed=4)
        for level in LEVELS
    }
    assert {c for f in found[PROGRAM] for c in f.by} <= {"forms", "values"}
    assert {c for f in found[KERNEL] for c in f.by} == {"weave"}
    assert any(set(f.by) == {"model"} for f in found[TEMPLATE])


# ---- the command


def mutate(*arguments: str):
    return CliRunner().invoke(main, ["mutate", *arguments, "--jobs", "1"])


@pytest.mark.parametrize("name", [SHA1, PAIR, "aes128_cbc_enc_x16_hand+sha1_x16_hand@avx512_vaes"])
def test_the_quick_ladder_kills(name: str) -> None:
    result = mutate(name, "--mutants", "32", "--seed", "11", "--format", "json")
    found = json.loads(result.output)
    assert result.exit_code == 0 and found["passed"] and found["rate"] >= 95, found
    assert (
        found["made"] == 32 == found["killed"] + found["equivalent"] + found["survived"]
        and found["faults"] == found["made"] - found["equivalent"]
    )
    assert all(m["verdict"] == trial.EQUIVALENT and m["why"] for m in found["mutants"] if m["operator"] == CONTROL)
    assert all(".j2:" in m["what"] for m in found["mutants"] if m["level"] == TEMPLATE and "constant " not in m["what"])


def test_a_weak_ladder_lets_mutants_through() -> None:
    result = mutate(CIPHER, "--mutants", "20", "--without", "values,weave,model")
    assert result.exit_code == 1
    assert (
        "SURVIVED: " + CIPHER in result.output
        and "not proved to be equivalent" in result.output
        and "less than 95 %" in result.output
    )
    assert mutate(CIPHER, "--mutants", "20", "--without", "values,weave,model", "--least", "0").exit_code == 0


def test_every_check_alone() -> None:
    """With --all-checks the proofs and the answers both see the faults behind allocation."""
    result = mutate(
        CIPHER, "--mutants", "12", "--level", "program", "--operator", "mnemonic", "--all-checks", "--format", "json"
    )
    killed = {row["check"]: row["killed"]["program"] for row in json.loads(result.output)["checks"]}
    assert killed["values"] == 12 and killed["model"] >= 10


def test_the_table_names_operators_levels_and_checks() -> None:
    output = mutate(CIPHER, "--mutants", "12").output
    assert (
        "operator" in output
        and "12 mutants of 1 kernels, seed 1" in output
        and all(check in output for check in CHECKS)
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--without", "vlaues"), "no check 'vlaues'; did you mean values?"),
        (("--operator", "dorp"), "no operator 'dorp'; did you mean drop?"),
        (("sha9_x4@sse",), "no kernel named 'sha9_x4@sse'"),
        ((SHA1, "--operator", "lag"), "no mutant was made"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], message: str) -> None:
    result = mutate(*arguments)
    assert result.exit_code == 1 and message in result.output and "Traceback" not in result.output


def test_a_kernel_has_its_line_when_it_is_done() -> None:
    assert mutate(SHA1).output.startswith(f"{SHA1}: 4 of 4 faults found\n")


def test_a_killed_process_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cryptostitch.mutate.campaign.fates", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    result = mutate(SHA1)
    assert (
        result.exit_code == 1
        and "a process ended before it was done, with 0 of 1 kernels judged" in result.output
        and "Traceback" not in result.output
    )


@pytest.mark.skipif(not LONG, reason="the whole sample takes minutes: CRYPTOSTITCH_LONG=1")
@pytest.mark.parametrize("level", LEVELS)
def test_the_quick_ladder_kills_in_the_whole_sample(level: str) -> None:
    result = CliRunner().invoke(main, ["mutate", "--mutants", "33", "--level", level, "--format", "json"])
    found = json.loads(result.output)
    assert result.exit_code == 0 and len({m["kernel"] for m in found["mutants"]}) == len(SAMPLE), [
        m for m in found["mutants"] if m["verdict"] == trial.SURVIVED
    ]
    assert all(m["verdict"] == trial.EQUIVALENT for m in found["mutants"] if m["operator"] == CONTROL)
