"""Arithmetic: that a stream over numbers modulo a prime computes its step (core/arithmetic.py), for any number of
iterations.

1. Bounds: every word of a lane is known by bounds, from those of canonical limbs on; iterations are run until the
   bounds of the chain's limbs are stable, so they are found, not given; or, of kernels that take what others left, the
   bounds of that (core/arithmetic.py) are given, and hold after an iteration. In vectors nothing may overflow
   (lane.py).
2. Congruence: at each claim of the template (core/stream.py) the result, as a polynomial in the operands' limbs, minus
   what is claimed has only coefficients that the prime divides. Its limbs are new symbols from there on.
3. Formula: with each claimed number a symbol, the chain's numbers and words after an iteration are what the step makes
   of those before it, as polynomials modulo the prime; for every bit that the step decides by.

Between two iterations of a call, registers must hold the values that a new call would load, so that n iterations
compute what n calls of one iteration compute. The code is the virtual one, with which `values` compares what was
allocated.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ..core.accesses import accesses_of
from ..core.arithmetic import LIMBS, Arithmetic
from ..core.contract import CHAIN, KEY, TABLE, Field
from ..core.ir import STATE
from ..core.liveness import around_loop
from ..core.montgomery import Montgomery
from ..core.stream import Claim, Stream
from .carries import Bounds, Number
from .integer import BITS, Integer
from .lane import Lane, Unproved
from .montgomery import MontgomeryProof
from .polynomial import Polynomial, Symbol

ROUNDS = 16  # in which the bounds must become stable

OPERATIONS: dict[str, Callable[..., Polynomial]] = {
    "sum": lambda factors, a, b: a + b,
    "difference": lambda factors, a, b: a - b,
    "add_multiple": lambda factors, a, b: a + b * factors[0],
    "combination": lambda factors, *numbers: sum(
        (a * f for a, f in zip(numbers, factors, strict=True)), Polynomial.of(0)
    ),
}
# Scaled as the algorithm's products are (Arithmetic.scale).
SCALED: dict[str, Callable[..., Polynomial]] = {
    "product": lambda factors, a, b: a * b,
    "square": lambda factors, a: a * a,
    "reduction": lambda factors, a: a,
}
# Results have twice as many limbs, and equal the product itself, not only modulo the prime.
EXACT: dict[str, Callable[..., Polynomial]] = {
    "exact_product": SCALED["product"],
    "exact_square": SCALED["square"],
}


@dataclass
class Finding:
    """Counts what the proof showed in its last round: ``words`` that keep their bounds, ``claims``, and numbers and
    words of the chain that are the step's (``steps``)."""

    problems: list[str] = field(default_factory=list)
    words: int = 0
    claims: int = 0
    steps: int = 0


@dataclass(frozen=True)
class _Held:
    """The bounds of a number in memory, and of its limbs."""

    number: Bounds
    limbs: tuple[Bounds, ...]

    def joined(self, other: _Held) -> _Held:
        return _Held(_join(self.number, other.number), tuple(map(_join, self.limbs, other.limbs)))


def _join(a: Bounds, b: Bounds) -> Bounds:
    return min(a[0], b[0]), max(a[1], b[1])


def arithmetic_finding(stream: Stream, meaning: Arithmetic | Montgomery) -> Finding:
    """Every problem is a sentence; the first one ends the proof."""
    try:
        if isinstance(meaning, Montgomery):
            proof = MontgomeryProof(stream, meaning)
            proof.run()
            return Finding(words=proof.words, claims=0, steps=proof.steps)
        return _Proof(stream, meaning).finding()
    except Unproved as problem:
        return Finding([str(problem)])


class _Word:
    """A word of the chain, with the operations that a step may apply to it."""

    def __init__(self, value: Integer) -> None:
        self.value = value

    def __rshift__(self, bits: int) -> _Word:
        return _Word(self.value >> bits)

    def __lshift__(self, bits: int) -> _Word:
        return _Word(self.value << bits)

    def __and__(self, mask: int) -> _Word:
        if mask & (mask + 1):
            raise Unproved("the step masks a word by what is no 2^k - 1")
        return _Word(self.value.lowest(mask.bit_length()))

    def __index__(self) -> int:
        if self.value.constant is None:
            raise Unproved("the step decides by a word that may be any")
        return self.value.constant

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Word) or self.value.constant is None or other.value.constant is None:
            raise Unproved("the step decides by more than the first word and the highest bits of the others")
        return self.value.constant == other.value.constant

    __hash__ = None  # type: ignore[assignment]


class _Proof:
    def __init__(self, stream: Stream, meaning: Arithmetic) -> None:
        self.stream, self.meaning = stream, meaning
        fields = {f.name: f for f in stream.fields}
        self.chain, self.key, self.table = fields[CHAIN], fields[KEY], fields.get(TABLE)
        self.limbs = (self.chain.rows - meaning.words) // meaning.chain
        self.starts = LIMBS[self.limbs]
        self.claims: dict[tuple[str, int], list[Claim]] = defaultdict(list)
        for claim in stream.claims:
            self.claims[claim.section, claim.at].append(claim)
        accesses = {name: accesses_of(code) for name, code in stream.code.sections()}
        self.carried = [
            register
            for cls, register in around_loop(accesses["body"], accesses["leave"])[0]
            if register != STATE and register not in stream.keep
        ]

    def finding(self) -> Finding:
        held = [self._at_level(level) for level in self.meaning.levels] or [self.canonical()] * self.meaning.chain
        for _ in range(1 if self.meaning.levels else ROUNDS):
            finding, before = Finding(), held
            for words in self._words():
                after = _Iteration(self, before, words, finding).run()
                held = [a.joined(b) for a, b in zip(held, after)]
            if held == before:
                return finding
        if self.meaning.levels:
            raise Unproved(f"{self.stream.name}: {self._beyond(before, held)}")
        raise Unproved(f"{self.stream.name}: the bounds of the chain's limbs grow from iteration to iteration")

    def _words(self) -> Iterator[list[Integer]]:
        """The words of the chain before an iteration, in every case that a step may decide by."""
        for case in self.meaning.cases:
            yield [Integer.of(word) for word in case]
        for bits in () if self.meaning.cases else itertools.product((0, 1), repeat=self.meaning.words):
            rest = (Integer.unknown(0, (1 << BITS - 1) - 1) + (bit << BITS - 1) for bit in bits[1:])
            yield [Integer.of(bit) for bit in bits[:1]] + list(rest)

    @staticmethod
    def _beyond(before: Sequence[_Held], after: Sequence[_Held]) -> str:
        """Says which limb an iteration leaves above the bounds of its number's level."""
        for n, (allowed, found) in enumerate(zip(before, after)):
            for i, (a, b) in enumerate(zip(allowed.limbs, found.limbs)):
                if a != b:
                    return f"limb {i} of number {n} is up to {b[1]:#x} after an iteration, not {a[1]:#x}"
        return "a number is larger after an iteration than its limbs"

    def _at_level(self, level: int) -> _Held:
        most = self.meaning.bounds[self.limbs][level]
        return _Held((0, sum(limb << BITS * i for i, limb in enumerate(most))), tuple((0, limb) for limb in most))

    def key_numbers(self) -> _Held:
        return self._at_level(1) if self.meaning.levels else self.canonical()

    def canonical(self) -> _Held:
        """A number of as many bits as the prime has."""
        bits = self.meaning.prime.bit_length()
        widths = [end - start for start, end in zip(self.starts, (*self.starts[1:], bits))]
        return _Held((0, (1 << bits) - 1), tuple((0, (1 << width) - 1) for width in widths))

    def polynomial(self, number: Sequence[Integer]) -> Polynomial:
        total = Polynomial.of(0)
        words = len(number) > self.limbs
        for limb, start in zip(number, range(0, BITS * len(number), BITS) if words else self.starts, strict=True):
            total = total + limb.polynomial * (1 << start)
        return total

    def vanishes(self, polynomial: Polynomial) -> bool:
        return not (polynomial % self.meaning.prime).terms


class _Iteration:
    """A call of one iteration, from numbers of which only bounds are known, and ``words`` behind them."""

    def __init__(self, proof: _Proof, held: Sequence[_Held], words: list[Integer], finding: Finding) -> None:
        self.proof, self.meaning, self.counted = proof, proof.meaning, finding
        self.lane = Lane(proof.stream)
        self.formulas: dict[Number, Polynomial] = {}
        self.numbers = [self._number(proof.chain, n, h) for n, h in enumerate(held)]
        self.keys = [self._number(proof.key, n, proof.key_numbers()) for n in range(self.meaning.key)]
        if proof.table:
            self.keys += [self._number(proof.table, n, proof.key_numbers()) for n in range(self.meaning.table)]
        self.words = words
        for n, word in enumerate(self.words):
            self.lane.memory[self._place(proof.chain, self.meaning.chain * proof.limbs + n)] = word

    def _number(self, of: Field, n: int, held: _Held) -> Polynomial:
        number = tuple(Integer.unknown(*bounds) for bounds in held.limbs)
        for i, limb in enumerate(number):
            self.lane.memory[self._place(of, n * self.proof.limbs + i)] = limb
        self.lane.carries.known.numbers[number] = held.number
        self.formulas[number] = Polynomial.of(Symbol.fresh(0, self.meaning.prime - 1))
        return self.formulas[number]

    @staticmethod
    def _place(of: Field, row: int) -> int:
        return of.offset + of.lane_offsets[0] + row * of.row_bytes

    def _stored(self, of: Field, n: int) -> Number:
        """The number in memory."""
        rows = range(n * self.proof.limbs, (n + 1) * self.proof.limbs)
        return tuple(self.lane.memory[self._place(of, row)] for row in rows)

    def _stored_keys(self) -> list[Number]:
        keys = [self._stored(self.proof.key, n) for n in range(self.meaning.key)]
        return keys + [self._stored(self.proof.table, n) for n in range(self.meaning.table) if self.proof.table]

    def run(self) -> list[_Held]:
        """The bounds that the chain's numbers have after it."""
        places, carried = set(self.lane.memory), dict(self.lane.registers)
        keys = self._stored_keys()
        for name, _ in self.proof.stream.code.sections():
            self._section(name)
            if name == "body":
                carried = dict(self.lane.registers)
        self._need(set(self.lane.memory) == places, "something is stored beside the chain and the key")
        self._need(keys == self._stored_keys(), "the key is changed")
        self._compare()
        after = [self._held(self._stored(self.proof.chain, n)) for n in range(self.meaning.chain)]
        self._section("enter")
        for register in self.proof.carried:
            same = self._equal(carried.get(register), self.lane.registers.get(register))
            self._need(same, f"'{register}' is not, after an iteration, what another call would begin with")
        self.counted.words += self.lane.checks
        return after

    def _section(self, name: str) -> None:
        code = getattr(self.proof.stream.code, name)
        self.lane.carries.forget()
        for at in range(len(code) + 1):
            for claim in self.proof.claims.get((name, at), ()):
                self._claim(claim)
            if at < len(code):
                self.lane.run(name, code[at])

    def _held(self, number: Number) -> _Held:
        return _Held(self.lane.carries.known.of_number(number), tuple((limb.low, limb.high) for limb in number))

    def _need(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise Unproved(f"{self.proof.stream.name}: {otherwise}")

    @staticmethod
    def _equal(a: Integer | None, b: Integer | None) -> bool:
        return a is not None and b is not None and not (a - b).polynomial.terms

    # ---- claims

    def _claim(self, claim: Claim) -> None:
        said = f"{claim.place}: the claim of a {claim.operation}"
        exact = EXACT.get(claim.operation)
        operation = exact or OPERATIONS.get(claim.operation) or self._scaled(SCALED.get(claim.operation))
        operands = [self._registers(names, said, claim.operation == "reduction") for names in claim.operands]
        result = self._registers(claim.result, said, exact is not None)
        self._need(operation is not None, f"{said} is of no known operation")
        assert operation is not None
        for names, operand in zip(claim.operands, operands):
            self._need(operand in self.formulas, f"{said}: {', '.join(names)} are the limbs of no claimed number")
        wanted = operation(claim.factors, *map(self.proof.polynomial, operands))
        difference = self.proof.polynomial(result) - wanted
        self._need(
            not difference.terms if exact else self.proof.vanishes(difference),
            f"{said} does not hold: the result differs" + ("" if exact else " by more than multiples of the prime"),
        )
        formula = operation(claim.factors, *(self.formulas[operand] for operand in operands))
        self._cut(result, formula % self.meaning.prime, wanted.bounds() if exact else None)
        self.counted.claims += 1

    def _scaled(self, operation: Callable[..., Polynomial] | None) -> Callable[..., Polynomial] | None:
        scale = self.meaning.scale(self.proof.limbs)
        return operation and (lambda *arguments: operation(*arguments) * scale)

    def _registers(self, names: Sequence[str], said: str, twice: bool) -> Number:
        self._need(
            len(names) == self.proof.limbs * (1 + twice) and all(name in self.lane.registers for name in names),
            f"{said}: {', '.join(names)} are no number in registers",
        )
        return tuple(self.lane.registers[name] for name in names)

    def _cut(self, number: Number, formula: Polynomial, bounds: Bounds | None) -> None:
        """New symbols for the limbs, wherever they are."""
        known = self.lane.carries.known
        made = {limb: Integer.unknown(limb.low, limb.high) for limb in number}
        cut = tuple(made[limb] for limb in number)
        known.learn(cut, bounds or known.of_number(number))
        self.formulas[cut] = formula
        self.lane.registers = {name: made.get(value, value) for name, value in self.lane.registers.items()}
        self.lane.memory = {place: made.get(value, value) for place, value in self.lane.memory.items()}

    # ---- the step

    def _compare(self) -> None:
        words = [_Word(word) for word in self.words]
        numbers, after = self.meaning.step(self.numbers, words, self.keys, self.meaning.scale(self.proof.limbs))  # type: ignore[arg-type]
        for n, wanted in enumerate(numbers):
            number = self._stored(self.proof.chain, n)
            self._need(number in self.formulas, f"number {n} of the chain is not a claimed one after an iteration")
            holds = self.proof.vanishes(self.formulas[number] - wanted)
            self._need(holds, f"number {n} of the chain is not what the step makes of it")
        for n, word in enumerate(after):
            found = self.lane.memory[self._place(self.proof.chain, self.meaning.chain * self.proof.limbs + n)]
            assert isinstance(word, _Word)
            self._need(self._equal(found, word.value), f"word {n} of the chain is not what the step makes of it")
        self.counted.steps += len(numbers) + len(after)
