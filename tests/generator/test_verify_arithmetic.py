"""Numbers modulo a prime: the shipped streams are proved, and each seeded bug is found, with its place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cryptostitch.core.arithmetic import P25519, X25519_LADDER, Arithmetic, limbs_of, number_of
from cryptostitch.core.isa import ISAS
from cryptostitch.core.names import StreamName
from cryptostitch.core.stream import Stream
from cryptostitch.frontend.parse import parse
from cryptostitch.frontend.render import TEMPLATES, render
from cryptostitch.ladder.result import PASS, SKIP, Effort
from cryptostitch.ladder.steps import rungs
from cryptostitch.ladder.subject import Subject
from cryptostitch.passes.legalize import legalize
from cryptostitch.passes.order import ordered
from cryptostitch.passes.verify import prove_arithmetic
from cryptostitch.pipeline import Generator
from cryptostitch.verify.integer import Integer
from cryptostitch.verify.lane import Lane

STREAMS = {"52": ("avx512", 8), "25": ("avx2", 4), "25 sse": ("sse", 2), "64": ("scalar", 1)}
LADDER = "x25519_ladder"


def ladder(generator: Generator, radix: str) -> Stream:
    isa, lanes = STREAMS[radix]
    return generator.virtual(StreamName(LADDER + radix.split()[0], lanes), isa)


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


# ---- what ships


@pytest.mark.parametrize("radix", STREAMS)
def test_the_ladders_are_proved(generator: Generator, radix: str) -> None:
    """For both bits of the scalar and both bits before; four numbers and two words each."""
    stream = ladder(generator, radix)
    finding = prove_arithmetic(stream, X25519_LADDER)
    assert finding.problems == []
    operations = [claim.operation for claim in stream.claims]
    counts = {"product": 5, "square": 4, "sum": 3, "difference": 4, "add_multiple": 1}
    assert {o: operations.count(o) for o in counts} == counts and len(operations) == 17
    assert (finding.claims, finding.steps) == (4 * 17, 4 * 6)
    instructions = len(stream.code.body)
    assert finding.words > instructions, "too little was looked at"


@pytest.mark.parametrize("kernel", ["x25519_ladder25_x4+x25519_ladder64_x1@avx2_bmi2", "sha1_x1@scalar"])
def test_the_rung(generator: Generator, kernel: str) -> None:
    (rung,) = rungs(("arithmetic",))
    result = rung.run(Subject(generator, generator.recipe(kernel)), Effort())
    if LADDER in kernel:  # two streams
        assert result.status == PASS and "136 field operations, 48 numbers and words" in result.detail
    else:
        assert (result.status, result.detail) == (SKIP, "it has no numbers modulo a prime")


def test_claims_are_about_the_code_as_it_was_parsed(generator: Generator) -> None:
    stream = ladder(generator, "52")
    assert all(0 < claim.at <= len(stream.code.body) and claim.section == "body" for claim in stream.claims)
    assert legalize(stream).claims == ordered(stream, 8).claims == ()


# ---- the rules for instructions


@pytest.mark.parametrize("radix", STREAMS)
def test_on_known_numbers_the_rules_compute_the_step(generator: Generator, radix: str) -> None:
    """Where every number is known, the proof's rules are an interpreter, whose answers are compared with integers."""
    stream = ladder(generator, radix)
    chain, key = (next(f for f in stream.fields if f.name == name) for name in ("chain", "key"))
    limbs = key.rows
    rnd = random.Random(radix)
    for _ in range(4):
        numbers, x1 = [rnd.choice((rnd.randrange(P25519), P25519 - 1, 0)) for _ in range(4)], rnd.randrange(P25519)
        words = [rnd.randrange(2), rnd.randrange(1 << 64)]
        lane = Lane(stream)
        for field, rows in ((chain, [limb for n in numbers for limb in limbs_of(n, limbs)] + words),
                            (key, limbs_of(x1, limbs))):  # fmt: skip
            for row, word in enumerate(rows):
                lane.memory[field.offset + row * field.row_bytes] = Integer.of(word)
        for name, section in stream.code.sections():
            for ins in section:
                lane.run(name, ins)
        rows = [lane.memory[chain.offset + row * chain.row_bytes].constant for row in range(chain.rows)]
        found = [number_of(rows[n * limbs : (n + 1) * limbs]) % P25519 for n in range(4)]
        assert (found, rows[4 * limbs :]) == X25519_LADDER.step(numbers, words, [x1])


# ---- seeded bugs

NUMBER = "is not what the step makes of it"
Bug = tuple[str, str, str, str, str]
BUGS: dict[str, Bug] = {  # stream, file, text, what it becomes, what is said
    "fold by 609": ("52", "field_52", "c[n + i], s.constant(608)", "c[n + i], s.constant(609)", "claim of a product"),
    "column 9 by 2^4 * 19": ("52", "field_52", "v.shl(t, t, 5)", "v.shl(t, t, 4)", "claim of a product"),
    "the top from bit 256": ("52", "field_52", "v.shr(t, d[4], 47)", "v.shr(t, d[4], 48)", "claim of a product"),
    "a product less": ("52", "limbs_52", "a[j], i + j) }}", "a[j], i + j) if i * j != 3 else '' }}", "a square"),
    "a square less": ("52", "limbs_52", "a[i], 2 * i) }}", "a[i], 2 * i) if i != 2 else '' }}", "claim of a square"),
    "products that do not stand twice": (
        "52", "limbs_52", "{{ v.add(c[k], c[k], c[k]) }}", "{{ v.copy(c[k], c[k]) }}", "claim of a square",
    ),
    "2 p where limbs need 4": (
        "52", "field_52", "2 ** 53 - 76 if i == 0 else 2 ** 53 - 2 if i < n - 1 else 2 ** 49 - 2",
        "2 ** 52 - 38 if i == 0 else 2 ** 52 - 1 if i < n - 1 else 2 ** 48 - 1", "may borrow",
    ),
    "no multiple of p": ("52", "field_52", "2 ** 53 - 76", "2 ** 53 - 75", "claim of a difference"),
    "a carry that is lost": ("52", "limbs_52", "{{ v.add(d[i + 1], d[i + 1], c) }}", "", "claim of a sum"),
    "sums without carries": (
        "52", "field_52", "{{ ripple(d) }}\n{{ claim('sum'", "{{ claim('sum'", "claim of a product",
    ),
    "an exchange of what stays": (
        "52", "limbs_52", "v.merge(t, b[i], a[i], mask)", "v.merge(t, a[i], b[i], mask)", NUMBER,
    ),
    "a claim of something else": (
        "52", "field_52", "claim('difference', d, a, b)", "claim('difference', d, b, a)", "claim of a difference",
    ),
    "a claim that is missing": (
        "52", "field_52", "{{ claim('difference', d, a, b) }}", "", "are the limbs of no claimed number",
    ),
    "121666": ("52", LADDER, "121665", "121666", "number 1 of the chain " + NUMBER),
    "bb - aa": ("52", LADDER, "f.sub(e, aa, bb)", "f.sub(e, bb, aa)", "number 1 of the chain " + NUMBER),
    "z2 and z3 stay": ("52", LADDER, "{{ f.swap(z2, z3, 'mask') }}", "", NUMBER),
    "the bit is not kept": ("52", LADDER, "{{ v.copy('before', 'bit') }}", "", "word 0 of the chain " + NUMBER),
    "the scalar's second bit": ("52", LADDER, "v.shr('bit', 'bits', 63)", "v.shr('bit', 'bits', 62)", "may borrow"),
    "the scalar is not kept": ("52", LADDER, "'chain', 4 * f.n + 1), 'bits'", "'chain', 4 * f.n + 1), 'bit'", "word 1"),
    "stored elsewhere": (
        "52", LADDER, "store('chain', 2, x3)", "store('chain', 3, x3)", "number 2 of the chain " + NUMBER,
    ),
    "the key is overwritten": ("52", LADDER, ".leave", "{{ v.store(f.row('key', 0), 'bit') }}\n.leave", "the key is"),
    "zero is lost in an iteration": (
        "52", LADDER, ".leave", "{{ v.copy('zero', 'bit') }}\n.leave", "'zero' is not, after an iteration",
    ),
    "19 for 38": ("25", "field_25", "s.constant(38 if j % 2 else 19)", "s.constant(19)", "claim of a square"),
    "odd limbs once": ("25", "field_25", "twice[i] if i % 2 and j % 2 else a[i]", "a[i]", "claim of a product"),
    "p where limbs need 2": (
        "25", "field_25", "2 ** 27 - 38 if i == 0 else 2 ** (27 - i % 2) - 2",
        "2 ** 26 - 19 if i == 0 else 2 ** (26 - i % 2) - 1", "may borrow",
    ),
    "18 times the last carry": ("25", "field_25", "{{ v.add(t, c, c) }}", "{{ v.copy(t, c) }}", "claim of a product"),
    "a limb of 27 bits": ("25", "field_25", "s.constant(2 ** bits - 1)", "s.constant(2 ** 27 - 1)", "a product"),
    "carries end too early": (
        "25", "field_25", "(0, 4, 1, 5, 2, 6, 3, 7, 4, 8, 9, 0)", "(0, 1, 2, 3, 4, 5)", "may borrow",
    ),
    "4 p where factors have 32 bits": (
        "25", "field_25", "2 ** 27 - 38 if i == 0 else 2 ** (27 - i % 2) - 2",
        "2 ** 28 - 76 if i == 0 else 2 ** (28 - i % 2) - 4", "takes 32 bits of a factor",
    ),
    "exchanged halves": ("25", "field_25", "{{ v.xor(b[i], b[i], t) }}", "{{ v.xor(b[i], a[i], t) }}", NUMBER),
    "19 for 2^256": ("64", "field_64", "multiples(t, 38, c[n:])", "multiples(t, 19, c[n:])", "claim of a product"),
    "17 times the top": ("64", "field_64", "[{{ top }}+{{ t }}*2]", "[{{ t }}+{{ t }}*1]", "claim of a product"),
    "the top's carry is lost": (
        "64", "field_64", "v.add_words(c[:n], [top, 0, 0, 0])", "v.add_words(c[:1], [top])", "claim of a product",
    ),
    "the top bit stays": ("64", "field_64", "shr {{ c[3] }}, {{ c[3] }}, 1\n", "", "claim of a product"),
    "a sum's carry is lost": (
        "64", "field_64", "and {{ m }}, {{ m }}, 38\nadd {{ d[0] }}, {{ d[0] }}, {{ m }}\n", "", "claim of a sum",
    ),
    "a borrow is lost": (
        "64", "field_64", "{{ d[i] }}, {{ m if loop.first else 0 }}", "{{ d[i] }}, {{ m if loop.first else 1 }}",
        "claim of a difference",
    ),
    "a difference wraps once more": (
        "64", "field_64", "{{ 'sub' if loop.first else 'sbb' }} {{ d[i] }}, {{ d[i] }}, {{ m",
        "{{ 'sub' if loop.first else 'add' }} {{ d[i] }}, {{ d[i] }}, {{ m", "claim of a difference",
    ),
    "multiples without carries": (
        "64", "limbs_64", "{{ v.add_words(t[1:], low[1:] + [0]) }}", "", "claim of a product",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_bugs_are_found(tmp_path: Path, bug: str) -> None:
    radix, name, text, becomes, said = BUGS[bug]
    file = f"streams/{name}.j2"
    right = (TEMPLATES / file).read_text()
    assert text in right
    (tmp_path / "streams").mkdir()
    (tmp_path / file).write_text(right.replace(text, becomes))
    finding = prove_arithmetic(ladder(Generator(roots=[tmp_path], proves=False), radix), X25519_LADDER)
    assert len(finding.problems) == 1 and said in finding.problems[0], finding.problems


# ---- small streams: a number of five limbs, to which a step adds the key

SUM = Arithmetic(P25519, 1, 0, 1, lambda numbers, words, key, scale: ([numbers[0] + key[0]], words))
VECTORS = """
.enter
{{ s.words('chain', 5) }}{{ s.words('key', 5) }}
.body
{% set c, k, d = 'c0 c1 c2 c3 c4'.split(), 'k0 k1 k2 k3 k4'.split(), 'd0 d1 d2 d3 d4'.split() %}
{% for i in range(5) %}
{{ v.load(c[i], s.row('chain', i)) }}
{{ v.load(k[i], s.row('key', i)) }}
{{ v.add(d[i], c[i], k[i]) }}
{% endfor %}
"""
END = """
{% for i in range(5) %}
{{ v.store(s.row('chain', i), d[i]) }}
{% endfor %}
"""
CLAIM = "{{ claim('sum', d, c, k) }}\n"


def small(folder: Path, text: str, isa: str = "avx512", lanes: int = 8) -> list[str]:
    """Returns what the proof says about the stream."""
    (folder / "streams").mkdir()
    (folder / "streams/small.j2").write_text(text)
    rendered = render("streams/small.j2", ISAS[isa], lanes, {"word": 64}, [folder])
    stream = parse(rendered, ISAS[isa], name="small", algorithm="small", bytes_per_iteration=16)
    return prove_arithmetic(stream, SUM).problems


def test_bounds_that_grow_have_no_end(tmp_path: Path) -> None:
    assert small(tmp_path, VECTORS + CLAIM + END) == [
        "small: the bounds of the chain's limbs grow from iteration to iteration"
    ]


WRONG = {
    "vpaddd d0, c0, k0": "has no meaning here",
    "vpsllq t, c0, 13": "may lose bits of a number up to 0xfffffffffffff",
    "vpsllq t, c0, 12\nvpaddq t, t, t": "may overflow: from 0x0 to 0x1ffffffffffffe000",
    "vpternlogq t, c0, k0, c1, 0x96": "is no choice by a mask",
    "vpandq t, c0, {{ s.constant(5) }}": "masks by what is no 2^k - 1",
    "vpandq t, c0, {{ s.vector('two', [1, 3]) }}": "reads a constant that differs in lanes",
    "vpaddq t, t, c0": "reads a register that has no whole known value",
    "vmovdqa64 t:y, c0:y": "reads a register that has no whole known value",
    "vmovdqa64 [state.chain+8], c0": "something is stored beside the chain and the key",
    "vmovdqa64 t, [state.chain+8]": "reads what is no limb and no word of the chain or the key",
    "{{ claim('quotient', d, c, k) }}": "is of no known operation",
    "{{ claim('sum', d, c, d) }}": "d0, d1, d2, d3, d4 are the limbs of no claimed number",
    "{{ claim('sum', d[1:], c, k) }}": "d1, d2, d3, d4 are no number in registers",
    "{{ claim('sum', d, ['e0'] + c[1:], k) }}": "e0, c1, c2, c3, c4 are no number in registers",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_said_of_wrong_text(tmp_path: Path, text: str) -> None:
    (problem,) = small(tmp_path, f"{VECTORS}{text}\n{CLAIM}{END}")
    assert WRONG[text] in problem


def test_a_number_that_is_not_claimed(tmp_path: Path) -> None:
    assert small(tmp_path, VECTORS + END) == ["small: number 0 of the chain is not a claimed one after an iteration"]


WORDS = """
.enter
{{ s.words_of_lane('chain', 4) }}{{ s.words_of_lane('key', 4) }}
.body
mov a, [state.chain+0]
mov b, [state.key+0]
"""
WRONG_WORDS = {
    "add t, a, b\nxor u, a, b\nadc t, t, a": "takes a carry that no instruction before it has made",
    "or t, a, b": "joins numbers that may have bits in common",
    "lea t, [a+b*2]": "may overflow",
    "mulx t, u, a": "has no known rdx",
    "and t, a, 5": "masks by what is no 2^k - 1",
}


@pytest.mark.parametrize("text", WRONG_WORDS)
def test_what_is_said_of_wrong_text_in_general_registers(tmp_path: Path, text: str) -> None:
    (problem,) = small(tmp_path, WORDS + text + "\n", "scalar", 1)
    assert WRONG_WORDS[text] in problem
