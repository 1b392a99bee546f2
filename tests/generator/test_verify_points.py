"""The proof of the kernels for points of edwards25519 (verify/arithmetic.py): every operation in every radix, and
seeded bugs of their text, which must be found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cryptostitch.core.arithmetic import ED25519
from cryptostitch.core.names import StreamName
from cryptostitch.frontend.render import TEMPLATES
from cryptostitch.passes.verify import prove_arithmetic
from cryptostitch.pipeline import Generator
from cryptostitch.verify.arithmetic import Finding

STREAMS = {"52": ("avx512", 8), "25": ("avx2", 4), "25 in SSE": ("sse", 2), "64": ("scalar", 1)}
CLAIMS = {"double": 12, "add": 14, "add_own": 14, "add_common": 13, "cached": 8, "square": 1, "multiply": 1}
NUMBERS_AND_WORDS = 7


def proof(generator: Generator, operation: str, radix: str) -> Finding:
    isa, lanes = STREAMS[radix]
    name = StreamName(f"ed25519_{operation}{radix.split()[0]}", lanes)
    return prove_arithmetic(generator.virtual(name, isa), ED25519[operation])


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


@pytest.mark.parametrize("radix", STREAMS)
@pytest.mark.parametrize("operation", ED25519)
def test_operations_are_proved(generator: Generator, operation: str, radix: str) -> None:
    """In all cases: the 18 digits, or both values of the first word and of the second one's highest bit."""
    finding = proof(generator, operation, radix)
    assert finding.problems == []
    cases = len(ED25519[operation].cases) or 4
    assert (finding.claims, finding.steps) == (cases * CLAIMS[operation], cases * NUMBERS_AND_WORDS)


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
        "add_own", "52", "{% for i in range(9) %}\n{% set at", "{% for i in range(8) %}\n{% set at", "limbs of no",
    ),
    "the next multiple": ("add_own", "64", "(per * i + which)", "(per * ((i + 1) % 9) + which)", NUMBER),
    "a limb of another multiple": (
        "add_own", "25", "f.n * (per * i + which) + j", "f.n * (per * (i if j else 0) + which) + j", "limbs of no",
    ),
    "the digit's sign forgets the product": ("add_own", "52", "{{ f.swap(ff, g, 'negative') }}", "", NUMBER),
    "the digit's sign forgets the sum": ("add_own", "52", "{{ f.swap(k, l, 'negative') }}", "", NUMBER),
    "digits are compared by their lowest bits": (
        "add_own", "52", "{{ v.xor(m, 'size', s.constant(i)) }}", "{{ v.copy(m, 'size') }}", "is no choice by a mask",
    ),
    "another table": ("add_common", "52", "per == 3", "per == 2", NUMBER),
    "a word beside it": ("add_common", "25 in SSE", "shared_row(t, 'table', at)", "shared_row(t, 'table', at + 1)", ""),
    "z twice": ("add_common", "52", "{% set d = z %}", "{{ f.add(x, z, z) }}{% set d = x %}", NUMBER),
    "4 d": ("cached", "52", "load(k, 'key', 4)", "load(k, 'key', 3)", NUMBER),
    "z once": ("cached", "52", "f.add(d, z, z)", "f.add(d, z, x)", NUMBER),
    "a sum where a product stood": ("square", "25", "{{ f.square(n, n) }}", "{{ f.add(n, n, n) }}", ""),
    "the key's second number": ("multiply", "52", "{{ numbers.load(k, 'key', 0) }}\n{{ f.multiply(n",
                                "{{ numbers.load(k, 'key', 1) }}\n{{ f.multiply(n", NUMBER),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_bugs_are_found(tmp_path: Path, bug: str) -> None:
    operation, radix, text, becomes, said = BUGS[bug]
    file = "streams/edwards25519.j2"
    right = (TEMPLATES / file).read_text()
    assert text in right
    (tmp_path / "streams").mkdir()
    (tmp_path / file).write_text(right.replace(text, becomes))
    finding = proof(Generator(roots=[tmp_path], proves=False), operation, radix)
    assert len(finding.problems) == 1 and said in finding.problems[0], finding.problems
