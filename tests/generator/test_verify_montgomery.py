"""The proof of Montgomery products (verify/montgomery.py): all kernels, the rules on known numbers, and seeded bugs of
their text, which must be found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cryptostitch.core.arithmetic import limbs_of, number_of
from cryptostitch.core.montgomery import KEY_NUMBERS, MODULUS, MONTGOMERY, RADIX_INVERSE, Montgomery
from cryptostitch.core.names import StreamName
from cryptostitch.frontend.render import TEMPLATES
from cryptostitch.passes.verify import prove_arithmetic
from cryptostitch.pipeline import Generator
from cryptostitch.verify.arithmetic import Finding
from cryptostitch.verify.integer import Integer
from cryptostitch.verify.lane import Lane


def proof(generator: Generator, name: str) -> Finding:
    return prove_arithmetic(generator.virtual(StreamName(name, 8), "avx512"), MONTGOMERY[name])


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


@pytest.mark.parametrize("name", MONTGOMERY)
def test_products_are_proved(generator: Generator, name: str) -> None:
    """Of a choice for all 16 digits."""
    finding = proof(generator, name)
    assert finding.problems == []
    meaning = MONTGOMERY[name]
    products = 3 * meaning.limbs**2
    assert finding.steps == 2 * len(meaning.cases) and finding.words > len(meaning.cases) * products


@pytest.mark.parametrize("name", [name for name, meaning in MONTGOMERY.items() if meaning.limbs == 20])
def test_on_known_numbers_the_rules_compute_the_product(generator: Generator, name: str) -> None:
    """Where every number is known, the rules that the proof shares with others are an interpreter."""
    stream, meaning = generator.virtual(StreamName(name, 8), "avx512"), MONTGOMERY[name]
    chain, key = (next(f for f in stream.fields if f.name == field) for field in ("chain", "key"))
    rnd = random.Random(name)
    for m in (rnd.getrandbits(1024) | 1 << 1023 | 1, 2**1024 - 1, 2**1023 + 1):
        numbers = [rnd.choice((rnd.randrange(2 * m), 2 * m - 1, m, 0)) for _ in range(KEY_NUMBERS)]
        numbers[MODULUS], numbers[RADIX_INVERSE] = m, Montgomery.radix_inverse_of(m)
        x, digit = rnd.choice((rnd.randrange(2 * m), 2 * m - 1)), rnd.randrange(16)
        lane = Lane(stream)
        for field, rows in (
            (chain, [*limbs_of(x, 20), digit]),
            (key, [*(row for n in numbers for row in limbs_of(n, 20)), Montgomery.inverse_of(m)]),
        ):
            for row, word in enumerate(rows):
                lane.memory[field.offset + row * field.row_bytes] = Integer.of(word)
        for section, code in stream.code.sections():
            for ins in code:
                lane.run(section, ins)
        rows = [lane.memory[chain.offset + row * chain.row_bytes].constant or 0 for row in range(21)]
        found = number_of(rows[:20])
        assert found % m == meaning.step(x, digit, numbers) and found < 3 * m and rows[20] == digit


PRODUCT = "x R is not a b and a multiple of m"
ROWS = "rows, not 20"
QUOTIENT = "v.multiply_low('q%d' % r, 'zero', c[r], 'k')"
BUGS: dict[str, tuple[str, str, str, str]] = {  # operation, text, what it becomes, what is said
    "a product less": ("multiply", "if j + t + moved >= together", "if j + t + moved > together", PRODUCT),
    "an upper half less": ("multiply", "if j + t + moved + 1 >= together", "if j + t + moved >= together", PRODUCT),
    "halves exchanged": ("multiply", "add('low', together * block + j", "add('high', together * block + j", PRODUCT),
    "another column": ("multiply", "+ moved + 1, factors", "+ moved, factors", "no whole known value"),
    "a squaring's halves exchanged": (
        "square",
        "'high' if column % 2 else 'low'",
        "'low' if column % 2 else 'high'",
        "limb 19 is up to",
    ),
    "products that stand once": ("square", "{{ v.add(c[column], c[column], c[column]) }}", "", PRODUCT),
    "products that stand twice": (
        "square",
        "{% for i in rows if i < j %}\n{{ add('high'",
        "{% for i in rows if i <= j %}\n{{ add('high'",
        PRODUCT,
    ),
    "a row of another factor": (
        "square",
        "{{ add('low', r + later - t, c[r], radix_inverse",
        "{{ add('low', r + later - t, 'k', radix_inverse",
        ROWS,
    ),
    "a limb of w less": (
        "square",
        "{{ add('low', r + later - t, c[r], radix_inverse(later - t - 1)) }}",
        "",
        PRODUCT,
    ),
    "another limb of w": ("square", "radix_inverse(later - t - 2)", "radix_inverse(later - t - 1)", PRODUCT),
    "m for w": ("square", "radix_inverse(later - t - 2)", "modulus(later - t - 2)", PRODUCT),
    "w for m": ("square", "all_rows[-1:], modulus, 0)", "all_rows[-1:], radix_inverse, 0)", ROWS),
    "w moved by no column": ("square", "all_rows, radix_inverse, 1)", "all_rows, radix_inverse, 0)", PRODUCT),
    "q of the next column": (
        "square",
        QUOTIENT,
        "v.multiply_low('q%d' % r, 'zero', c[r + 1], 'k')",
        PRODUCT,
    ),
    "q of 51 bits": (
        "square",
        QUOTIENT,
        "v.and_('q19', c[r], s.constant(2 ** 51 - 1)) }}{{ v.multiply_low('q%d' % r, 'zero', 'q19', 'k')",
        PRODUCT,
    ),
    "q of an upper half": (
        "square",
        QUOTIENT,
        "v.multiply_high('q%d' % r, 'zero', c[r], 'k')",
        PRODUCT,
    ),
    "q without the inverse": (
        "square",
        QUOTIENT,
        "v.multiply_low('q%d' % r, 'zero', c[r], modulus(0))",
        ROWS,
    ),
    "q that adds up": (
        "square",
        QUOTIENT,
        "v.multiply_low('q%d' % r, 'k', c[r], 'k')",
        PRODUCT,
    ),
    "a carry by 51 bits": ("square", "{{ v.shr(carry, c[r], 52) }}", "{{ v.shr(carry, c[r], 51) }}", PRODUCT),
    "the last carry by 51 bits": ("square", "{{ v.shr(carry, up, 52) }}", "{{ v.shr(carry, up, 51) }}", PRODUCT),
    "a carry rounded down": ("square", "{{ v.add(up, c[r], mask) }}", "{{ v.copy(up, c[r]) }}", PRODUCT),
    "a carry too large": (
        "square",
        "{{ v.add(up, c[r], mask) }}",
        "{{ v.add(up, c[r], s.constant(2 ** 52)) }}",
        PRODUCT,
    ),
    "a carry of the next column": ("square", "{{ v.add(up, c[r], mask) }}", "{{ v.add(up, c[r + 1], mask) }}", PRODUCT),
    "an upper half of q w less": (
        "square",
        "{{ add('high', r + later - t, c[r], radix_inverse(later - t - 2)) }}",
        "",
        PRODUCT,
    ),
    "a carry less": ("square", "{{ v.add(c[r + 1], c[r + 1], carry) }}", "", PRODUCT),
    "a carry less at the end": ("square", "{{ v.add(c[n + i + 1], c[n + i + 1], carry) }}", "", PRODUCT),
    "limbs that are not masked": (
        "square",
        "{{ v.and_(limb, c[n + i], mask) }}",
        "{{ v.copy(limb, c[n + i]) }}",
        "limb 0 is up to",
    ),
    "a limb is not stored": (
        "multiply",
        "{{ v.store(chain(i), limb) }}",
        "{{ v.store(chain(i), limb) if i != 7 else '' }}",
        PRODUCT,
    ),
    "stored elsewhere": (
        "multiply",
        "{{ v.store(chain(i), limb) }}",
        "{{ v.store(key(0, i), limb) }}",
        "the key is changed",
    ),
    "x for y": ("multiply", "v.load('b%d' % i, key(0, i))", "v.load('b%d' % i, chain(i))", PRODUCT),
    "another limb of y": (
        "multiply",
        "v.load('b%d' % i, key(0, i))",
        "v.load('b%d' % i, key(0, i if i != 3 else 4))",
        PRODUCT,
    ),
    "x is overwritten too early": (
        "multiply",
        "{{ finish(j - together) }}",
        "{{ finish(j - together) }}{{ v.store(chain(j + 1), 'zero') if j == 5 else '' }}",
        PRODUCT,
    ),
    "the next number": (
        "choose",
        "{{ v.xor(m, bits, s.constant(value)) }}",
        "{{ v.xor(m, bits, s.constant((value + 1) % 4)) }}",
        PRODUCT,
    ),
    "a number that is never chosen": ("choose", "{% for high in range(4) %}", "{% for high in range(3) %}", PRODUCT),
    "the digit's upper bits count twice": (
        "choose",
        "{{ v.shr('bits', 'digit', 2) }}",
        "{{ v.shr('bits', 'digit', 1) }}",
        PRODUCT,
    ),
    "a limb of another number": (
        "choose",
        "key(1 + 4 * high + low, i)",
        "key(1 + 4 * high + (low if i else 1), i)",
        PRODUCT,
    ),
    "the digit is lost": ("choose", ".leave", "{{ v.store(chain(n), 'zero') }}\n.leave", "the digit is changed"),
    "zero is lost": ("square", ".leave", "{{ v.copy('zero', 'k') }}\n.leave", "'zero' is not, after an iteration"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_bugs_are_found(tmp_path: Path, bug: str) -> None:
    operation, text, becomes, said = BUGS[bug]
    file = "streams/montgomery.j2"
    right = (TEMPLATES / file).read_text()
    assert text in right
    (tmp_path / "streams").mkdir()
    (tmp_path / file).write_text(right.replace(text, becomes))
    finding = proof(Generator(roots=[tmp_path], proves=False), f"montgomery20_{operation}")
    assert len(finding.problems) == 1 and said in finding.problems[0], finding.problems


def test_the_low_half_may_be_computed_too(tmp_path: Path) -> None:
    """The column then vanishes, and its quotient is the carry."""
    file = "streams/montgomery.j2"
    text = (TEMPLATES / file).read_text()
    before, after = "{{ v.add(up, c[r], mask) }}", "{{ add('low', r, 'q%d' % r, modulus(0)) }}{{ v.copy(up, c[r]) }}"
    assert before in text
    (tmp_path / "streams").mkdir()
    (tmp_path / file).write_text(text.replace(before, after))
    assert proof(Generator(roots=[tmp_path], proves=False), "montgomery20_square").problems == []
    (tmp_path / file).write_text(text.replace(before, after.replace("modulus(0)", "modulus(1)")))
    assert PRODUCT in proof(Generator(roots=[tmp_path], proves=False), "montgomery20_square").problems[0]


def test_a_number_that_may_be_larger_is_refused(generator: Generator) -> None:
    """A modulus of 1039 bits is refused for 20 limbs: x could be larger than its last limb may be."""

    class Larger(Montgomery):
        @property
        def bits(self) -> int:
            return 1039

    stream = generator.virtual(StreamName("montgomery20_square", 8), "avx512")
    (problem,) = prove_arithmetic(stream, Larger(20, "square")).problems
    assert "limb 19" in problem
