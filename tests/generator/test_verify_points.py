"""The proof of the kernels for points of edwards25519 and P-256 (verify/arithmetic.py): every operation in every radix,
and seeded bugs of their texts, which must be found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cryptostitch.core.arithmetic import ED25519
from cryptostitch.core.catalog import ALGORITHMS
from cryptostitch.core.names import StreamName
from cryptostitch.core.p256 import P256_POINTS
from cryptostitch.frontend.render import TEMPLATES
from cryptostitch.passes.verify import prove_arithmetic
from cryptostitch.pipeline import Generator
from cryptostitch.verify.arithmetic import Finding

STREAMS = {"52": ("avx512", 8), "25": ("avx2", 4), "25 in SSE": ("sse", 2), "64": ("scalar", 1)}
FORMS = {form.name for algorithm in ALGORITHMS for form in algorithm.forms}
CLAIMS = {
    "double": 12, "add": 14, "add_mixed": 13, "add_own": 14, "add_common": 13, "cached": 8, "square": 1, "multiply": 1,
}  # fmt: skip
P256_CLAIMS = {"double": 16, "add": 19, "add_mixed": 16, "add_own": 20, "add_common": 17, "cached": 2}
P256_PRODUCTS = {"double": 8, "add": 14, "add_mixed": 11, "cached": 2}
NUMBERS_AND_WORDS = 7


def form(suite: str, operation: str, radix: str) -> str:
    return f"{suite}_{operation}{radix.split()[0]}"


def proof(generator: Generator, operation: str, radix: str, suite: str = "ed25519") -> Finding:
    isa, lanes = STREAMS[radix]
    name = StreamName(form(suite, operation, radix), lanes)
    return prove_arithmetic(generator.virtual(name, isa), {"ed25519": ED25519, "p256": P256_POINTS}[suite][operation])


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


@pytest.mark.parametrize(
    ("operation", "radix"), [(o, r) for o in ED25519 for r in STREAMS if form("ed25519", o, r) in FORMS]
)
def test_operations_are_proved(generator: Generator, operation: str, radix: str) -> None:
    """In all cases: the 18 digits, or both values of the first word and of the second one's highest bit."""
    finding = proof(generator, operation, radix)
    assert finding.problems == []
    cases = len(ED25519[operation].cases) or 4
    assert (finding.claims, finding.steps) == (cases * CLAIMS[operation], cases * NUMBERS_AND_WORDS)


@pytest.mark.parametrize(
    ("operation", "radix"), [(o, r) for o in P256_POINTS for r in STREAMS if form("p256", o, r) in FORMS]
)
def test_operations_on_p256_are_proved(generator: Generator, operation: str, radix: str) -> None:
    """In words, products claim their eight words too."""
    finding = proof(generator, operation, radix, "p256")
    assert finding.problems == []
    cases = len(P256_POINTS[operation].cases) or 4
    claims = P256_CLAIMS[operation] + (P256_PRODUCTS[operation] if radix == "64" else 0)
    assert (finding.claims, finding.steps) == (cases * claims, cases * NUMBERS_AND_WORDS)


def test_a_step_may_decide_by_its_cases_alone(generator: Generator) -> None:
    isa, lanes = STREAMS["52"]
    stream = generator.virtual(StreamName("ed25519_add_own52", lanes), isa)
    (problem,) = prove_arithmetic(stream, replace(ED25519["add_own"], cases=())).problems
    assert "'vpsubq negative, zero, negative'" in problem.replace("`", "'")


NUMBER = "is not what the step makes of it"
BUGS: dict[str, tuple[str, str, str, str, str]] = {  # operation, radix, text, what it becomes, what is said
    "b - a": ("double", "52", "f.sub(g, a, b)", "f.sub(g, b, a)", NUMBER),
    "z^2 once": ("double", "64", "f.add_multiple(ff, g, d, 2)", "f.add_multiple(ff, g, d, 1)", NUMBER),
    "the square of another sum": ("double", "52", "f.add(sum, x, y)", "f.add(sum, x, z)", NUMBER),
    "f without carries": (
        "double", "25", "f.add_multiple(ff, g, d, 2)", "f.add(x, d, d) }}\n{{ f.add(ff, g, x)", "limb 0 of number 1",
    ),
    "g is not stored": ("double", "52", "store([e, ff, g, h])", "store([e, ff, x, h])", NUMBER),
    "c and d": ("add", "52", "f.sub(ff, d, c)", "f.sub(ff, c, d)", NUMBER),
    "another number of the key": ("add", "64", "load(k, 'key', 3)", "load(k, 'key', 2)", NUMBER),
    "x + y for t": ("add", "25", "f.multiply(c, t, k)", "f.multiply(c, sum, k)", NUMBER),
    "t is z": ("add", "25", "'t': (e, h)", "'t': (e, g)", NUMBER),
    "the largest multiple is never chosen": (
        "add_own", "52", "digits.own(d, 9, 5, 4, which)", "digits.own(d, 8, 5, 4, which)", "limbs of no",
    ),
    "the next multiple": ("add_own", "64", "first + per * i + which", "first + per * ((i + 1) % 9) + which", NUMBER),
    "a limb of another multiple": (
        "add_own", "25", "(first + per * i + which)", "(first + per * (i if j else 0) + which)", "limbs of no",
    ),
    "the digit's sign forgets the product": ("add_own", "52", "{{ f.swap(ff, g, 'negative') }}", "", NUMBER),
    "the digit's sign forgets the sum": ("add_own", "52", "{{ f.swap(k, l, 'negative') }}", "", NUMBER),
    "digits are compared by their lowest bits": (
        "add_own", "52", "{{ v.xor(m, 'index', s.constant(i)) }}", "{{ v.copy(m, 'index') }}", "is no choice by a mask",
    ),
    "another table": ("add_common", "52", "digits.common(d, 9, 3, which)", "digits.common(d, 9, 2, which)", NUMBER),
    "a word beside it": (
        "add_common", "25 in SSE", "shared_row(t, 'table', f.n * (per", "shared_row(t, 'table', 1 + f.n * (per", "",
    ),
    "d t of another number": ("add_mixed", "64", "load(k, 'key', 3)", "load(k, 'key', 2)", NUMBER),
    "z twice": ("add_common", "52", "{% set d = z %}", "{{ f.add(x, z, z) }}{% set d = x %}", NUMBER),
    "4 d": ("cached", "52", "load(k, 'key', 4)", "load(k, 'key', 3)", NUMBER),
    "z once": ("cached", "52", "f.add(d, z, z)", "f.add(d, z, x)", NUMBER),
    "a sum where a product stood": ("square", "25", "{{ f.square(n, n) }}", "{{ f.add(n, n, n) }}", ""),
    "the key's second number": ("multiply", "52", "{{ numbers.load(k, 'key', 0) }}\n{{ f.multiply(n",
                                "{{ numbers.load(k, 'key', 1) }}\n{{ f.multiply(n", NUMBER),
}  # fmt: skip


PRODUCT, SQUARE, SUM = "claim of a product", "claim of a square", "claim of a combination"
P256_BUGS: dict[str, tuple[str, str, str, str, str]] = {  # operation, file, text, what it becomes, what is said
    "another prime": ("double", "field_p256", "(3, 2 ** 36)", "(3, 2 ** 35)", SQUARE),
    "q in another column": ("double", "field_p256", "(4, 2 ** 48 - 2 ** 16)", "(3, 2 ** 48 - 2 ** 16)", SQUARE),
    "the upper half is lost": (
        "cached", "field_p256", "v.multiply_high(c[i + at + 1], c[i + at + 1], c[i], ", "v.add('lost', c[i], ", SQUARE,
    ),
    "a column's carry is lost": ("double", "field_p256", "{{ v.add(c[i + 1], c[i + 1], t) }}", "", SQUARE),
    "four rows of five": ("double", "field_p256", "range(n) %}\n{% set t", "range(4) %}\n{% set t", ""),
    "a product is not carried": ("cached", "p256", "f.square(a, z)", "f.square(a, z, carried=false)", PRODUCT),
    "a factor is not carried": ("add", "p256", "f.square(e, h)", "f.square(e, h, carried=false)", PRODUCT),
    "too small a multiple": ("double", "p256", "(-4, u)], multiple=5", "(-4, u)], multiple=4", "may borrow"),
    "no multiple of p": ("double", "field_p256", "(multiple * 2 ** 5 if i else 0)", "0", SUM),
    "limbs that may borrow": ("double", "field_p256", "multiple * 2 ** 57", "multiple * 2 ** 53", ""),
    "x is not made small": ("add", "p256", "(-2, u)], multiple=4, small=true", "(-2, u)], multiple=4", "may borrow"),
    "y is not made small": ("add", "p256", "b)], multiple=2, small=true", "b)], multiple=2", "of number 1 is up to"),
    "the top comes back elsewhere": ("double", "field_p256", "((1, 44), (3, 36))", "((1, 44), (3, 35))", SUM),
    "the top comes back twice": ("double", "field_p256", "{{ v.and_(d[4], d[4], s.constant(2 ** 48 - 1)) }}", "", SUM),
    "4 for 2": ("double", "field_p256", "1 if factor | abs == 2 else 2", "2", SUM),
    "b for a": ("double", "p256", "f.square(t, a, carried", "f.square(t, b, carried", NUMBER),
    "3 beta": ("double", "p256", "[(2, u), (-1, made)]", "[(1, u), (-1, made)]", NUMBER),
    "y1 for y2": ("add", "p256", "f.multiply(d, k, b, carried", "f.multiply(d, y, b, carried", NUMBER),
    "z alone": ("add", "p256", "f.multiply(made, z, h)", "f.multiply(made, h, h)", NUMBER),
    "the sign is forgotten": ("add_own", "p256", "{{ f.negate_where(k, k, 'negative') }}", "", NUMBER),
    "the sign is the other one": ("add_common", "field_p256", "v.merge(d[i], negative[i], a[i], mask)",
                                  "v.merge(d[i], a[i], negative[i], mask)", NUMBER),
    "seven entries": ("add_own", "p256", "digits.own(d, 8, 5,", "digits.own(d, 7, 5,", "limbs of no"),
    "the next entry": ("add_common", "digits", "(per * i + which)", "(per * ((i + 1) % 8) + which)", NUMBER),
}  # fmt: skip


EXACT, REDUCTION = "claim of a exact_", "claim of a reduction"
P256_WORD_BUGS: dict[str, tuple[str, str, str, str, str]] = {  # operation, file, text, what it becomes, what is said
    "another delta": ("double", "field_p256_64", "delta = 2 ** 256 - p", "delta = 2 ** 256 - p + 2 ** 96", SUM),
    "another k": ("cached", "field_p256_64", "2 ** 64 - 2 ** 32 + 1) }}", "2 ** 64 - 2 ** 32 - 1) }}", REDUCTION),
    "q times another power": ("double", "field_p256_64", "s.constant(2 ** 32)", "s.constant(2 ** 33)", REDUCTION),
    "the upper half of q 2^32 is lost": ("double", "field_p256_64", "[low, high, t, 0]", "[low, 0, t, 0]", REDUCTION),
    "three rows of four": (
        "cached", "field_p256_64", "{% set m, half = fresh('m'), rows[n] %}", "{% set m, half = fresh('m'), rows[3] %}",
        REDUCTION,
    ),
    "the product's carry is lost": ("cached", "field_p256_64", "{{ finish('sub', d, half, m) }}",
                                    "{{ chain('add', d, half, [0, 0, 0, 0]) }}", REDUCTION),
    "the sum's carry is lost": ("double", "field_p256_64", "masked_delta(t, top) }}\nmov {{ m }}, 0\n{{ chain(op, sum, "
                                "sum, t, keeps=true) }}", "masked_delta(t, top) }}\nmov {{ m }}, 0\n{{ chain(op, sum, "
                                "sum, [0, 0, 0, 0], keeps=true) }}", SUM),
    "no second time": ("double", "field_p256_64", "{{ finish('sub' if op == 'add' else 'add', d, sum, m) }}",
                       "{{ chain('add', d, sum, [0, 0, 0, 0]) }}", SUM),
    "the second time twice": ("add", "field_p256_64", "chain(op, d, a, [mask, upper, 0, last])",
                              "chain(op, d, a, [mask, upper, 0, mask])", REDUCTION),
    "a difference's carry is added": ("add", "field_p256_64", "'sub' if op == 'add' else 'add', d", "'sub', d", SUM),
    "carries once for all": ("double", "field_p256_64", "{{ 'adc' if several else 'sbb' }} {{ top }}, {{ top }}, 0",
                             "sbb {{ top }}, {{ top }}, 0", SUM),
    "a row's carry is lost": ("cached", "limbs_64", "{{ v.add_words(c[i:n + i + 1], t[:n] + [0]) }}",
                              "{{ v.add_words(c[i:n + i], t[:n]) }}", EXACT),
    "the square's last carry": ("double", "limbs_64", "{{ v.add_words(c[1:], c[1:2 * n - 1] + [0]) }}",
                                "{{ v.add_words(c[1:7], c[1:7]) }}", EXACT),
    "z^2 for z^3": (
        "add_mixed", "p256", "f.multiply(d, k, b, carried=false)", "f.multiply(d, k, a, carried=false)", NUMBER,
    ),
    "z of the other point": ("add_mixed", "p256", "if operation in ('add', 'add_own')", "if true", NUMBER),
    "3 beta": ("double", "p256", "[(2, u), (-1, made)]", "[(1, u), (-1, made)]", NUMBER),
}  # fmt: skip


@pytest.mark.parametrize("bug", P256_WORD_BUGS)
def test_bugs_of_p256_in_words_are_found(tmp_path: Path, bug: str) -> None:
    operation, file, text, becomes, said = P256_WORD_BUGS[bug]
    expect_found(tmp_path, f"streams/{file}.j2", text, becomes, said, operation, "64", "p256")


@pytest.mark.parametrize("bug", P256_BUGS)
def test_bugs_of_p256_are_found(tmp_path: Path, bug: str) -> None:
    operation, file, text, becomes, said = P256_BUGS[bug]
    expect_found(tmp_path, f"streams/{file}.j2", text, becomes, said, operation, "52", "p256")


@pytest.mark.parametrize("bug", BUGS)
def test_bugs_are_found(tmp_path: Path, bug: str) -> None:
    operation, radix, text, becomes, said = BUGS[bug]
    file = "digits" if text in (TEMPLATES / "streams/digits.j2").read_text() else "edwards25519"
    expect_found(tmp_path, f"streams/{file}.j2", text, becomes, said, operation, radix, "ed25519")


def expect_found(folder: Path, file: str, text: str, becomes: str, said: str, *of: str) -> None:
    """``of``: arguments of ``proof``."""
    right = (TEMPLATES / file).read_text()
    assert text in right
    (folder / "streams").mkdir()
    (folder / file).write_text(right.replace(text, becomes))
    finding = proof(Generator(roots=[folder], proves=False), *of)
    assert len(finding.problems) == 1 and said in finding.problems[0], finding.problems
