"""Montgomery products (core/montgomery.py): that an iteration of a stream makes x with x R = a b + Q m, as integers,
for every modulus m, whatever the digit.

The limbs of x, m, w and the key's other numbers are symbols with bounds, and so is the word k behind them. Two things
are assumed of them: 2^52 w = 1 modulo m, and k m = -1 modulo 2^52.

All rows of the reduction but the last multiply w. The proof takes each factor that the code multiplies by limbs of w
for the quotient q of a row, and gives it a new symbol. Such a row takes q away and adds 2^52 q w; together they are
q (2^52 w - 1), a multiple of m, which is the row's part of Q m.

The last row multiplies m. Its q is the lowest 52 bits of k t; then t + q m_0 is a multiple of 2^52, whatever the number
t is: q becomes a new symbol, and q m_0 is 2^52 e - t with another one. So the column of which t is the lowest bits
becomes a multiple of 2^52 by the low half of q m_0, and nothing is lost where it is shifted away. Or the code leaves
the low half out: it is what the column lacks of the next multiple of 2^52, so that their sum is 2^52 times the column's
quotient by 2^52, rounded up.

The part of row r counts 2^(52 r) times. Nothing may overflow (lane.py), and the limbs of x have the bounds afterwards
that they may have before, so this holds for any number of iterations.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..core.accesses import accesses_of
from ..core.contract import CHAIN, KEY, Field
from ..core.ir import STATE
from ..core.liveness import around_loop
from ..core.montgomery import KEY_NUMBERS, LIMB_BITS, MODULUS, RADIX_INVERSE, Montgomery
from ..core.stream import Stream
from .integer import Integer
from .lane import Lane, Unproved
from .polynomial import Polynomial, Symbol

FULL = (1 << LIMB_BITS) - 1


class _Lane(Lane):
    """``rows``: the factors that were multiplied by limbs of w, in order, and the symbol q of each. ``quotients``: the
    symbols q of rows that multiply m, in order, and the t of each."""

    def __init__(self, stream: Stream, lowest: Integer, inverse: Integer, radix_inverse: Collection[Integer]) -> None:
        super().__init__(stream)
        self.lowest, self.inverse, self.radix_inverse = lowest, inverse, radix_inverse
        self.rows: dict[Integer, Integer] = {}
        self.quotients: dict[Symbol, Integer] = {}
        self._multiples: dict[Symbol, Integer] = {}

    def _multiplied(self, a: Integer, b: Integer) -> Integer:
        for x, y in ((a, b), (b, a)):
            if y in self.radix_inverse:
                return super()._multiplied(self.rows.setdefault(x, Integer.unknown(0, FULL)), y)
            if y is self.inverse:
                return self._with_quotient(x)
            if y is self.lowest and (q := self._quotient(x)) is not None:
                return self.vanishing(q)
        return super()._multiplied(a, b)

    def _with_quotient(self, t: Integer) -> Integer:
        """k t = q + 2^52 high"""
        q, high = Symbol.fresh(0, FULL), Integer.unknown(0, t.high * self.inverse.high >> LIMB_BITS)
        self.quotients[q] = t
        return Integer.of_parts(Integer(0, FULL, Polynomial.of(q)), high, LIMB_BITS)

    def _quotient(self, x: Integer) -> Symbol | None:
        (symbol, *others) = x.polynomial.symbols() or (None,)
        alone = not others and symbol in self.quotients and x.polynomial == Polynomial.of(symbol)
        return symbol if alone else None

    def vanishing(self, q: Symbol) -> Integer:
        """q m_0"""
        if q not in self._multiples:
            self._multiples[q] = self._rounded(self.quotients[q]) or self._vanishing(self.quotients[q])
        return self._multiples[q]

    def _vanishing(self, t: Integer) -> Integer:
        """2^52 e - t"""
        most = FULL * self.lowest.high
        e = Symbol.fresh(0, (most + t.high) >> LIMB_BITS)
        return Integer(0, most, Polynomial.of(e) * (1 << LIMB_BITS) - t.polynomial)

    def _rounded(self, t: Integer) -> Integer | None:
        """2^52 high + 2^52 up - c, if `up`, the quotient of c by 2^52, rounded up, is known of a column c that is t
        modulo 2^52."""
        for sum_ in self.registers.values():
            c = sum_ - FULL
            if LIMB_BITS in sum_.shifted and (c - t).polynomial.divisible(1 << LIMB_BITS):
                low = ((sum_ >> LIMB_BITS) << LIMB_BITS) - c
                high = Integer.unknown(0, FULL * self.lowest.high >> LIMB_BITS)
                return Integer.of_parts(low.within(0, FULL), high, LIMB_BITS)
        return None


class MontgomeryProof:
    """``words``: bounds that were shown; ``steps``: numbers and words of the chain."""

    def __init__(self, stream: Stream, meaning: Montgomery) -> None:
        self.stream, self.meaning = stream, meaning
        fields = {f.name: f for f in stream.fields}
        self.chain, self.key = fields[CHAIN], fields[KEY]
        self.words = self.steps = 0
        accesses = {name: accesses_of(code) for name, code in stream.code.sections()}
        self.carried = [
            register
            for cls, register in around_loop(accesses["body"], accesses["leave"])[0]
            if register != STATE and register not in stream.keep
        ]

    def run(self) -> None:
        """Raises Unproved."""
        self._need(self.chain.rows == self.meaning.limbs + 1, "the chain is no number and a digit")
        self._need(self.key.rows == self.meaning.limbs * KEY_NUMBERS + 1, "the key has other numbers")
        for digit in self.meaning.cases:
            self._iteration(digit)

    def _iteration(self, digit: int) -> None:
        meaning, limbs = self.meaning, self.meaning.limbs
        x = [Integer.unknown(0, most) for most in meaning.largest_limbs()]
        key = [[Integer.unknown(0, most) for most in meaning.largest_limbs()] for _ in range(KEY_NUMBERS)]
        for number in (MODULUS, RADIX_INVERSE):
            key[number] = [Integer.unknown(0, most) for most in meaning.largest_limbs_of_modulus()]
        inverse = Integer.unknown(0, FULL)
        word = Integer.of(digit) if len(meaning.cases) > 1 else Integer.unknown(0, FULL)
        lane = _Lane(self.stream, key[MODULUS][0], inverse, key[RADIX_INVERSE])
        before = {self._place(self.chain, i): limb for i, limb in enumerate([*x, word])}
        keys = {self._place(self.key, i): limb for i, limb in enumerate([*(y for n in key for y in n), inverse])}
        lane.memory = before | keys

        carried = dict(lane.registers)
        for name, section in self.stream.code.sections():
            for ins in section:
                lane.run(name, ins)
            carried = dict(lane.registers) if name == "body" else carried
        self._need(lane.memory.keys() == before.keys() | keys.keys(), "something is stored beside the chain")
        self._need(all(lane.memory[at] is limb for at, limb in keys.items()), "the key is changed")
        self._need(lane.memory[self._place(self.chain, limbs)] is word, "the digit is changed")
        after = [lane.memory[self._place(self.chain, i)] for i in range(limbs)]
        for i, (limb, most) in enumerate(zip(after, meaning.largest_limbs())):
            self._need(limb.high <= most, f"limb {i} is up to {limb.high:#x} after an iteration, not {most:#x}")
        factor = meaning.factor(digit)
        self._compare(lane, after, x, x if factor is None else key[factor], key)
        for ins in self.stream.code.enter:
            lane.run("enter", ins)
        for register in self.carried:
            a, b = carried.get(register), lane.registers.get(register)
            same = a is not None and b is not None and not (a - b).polynomial.terms
            self._need(same, f"'{register}' is not, after an iteration, what another call would begin with")
        self.words += lane.checks
        self.steps += 2

    def _compare(
        self,
        lane: _Lane,
        after: Sequence[Integer],
        a: Sequence[Integer],
        b: Sequence[Integer],
        key: Sequence[Sequence[Integer]],
    ) -> None:
        rows, m, last = self.meaning.limbs, key[MODULUS], len(lane.rows)
        self._need(last + len(lane.quotients) == rows, f"there are {last} and {len(lane.quotients)} rows, not {rows}")
        rest = self._number(after) * self.meaning.radix - self._number(a) * self._number(b)
        for row, (column, q) in enumerate(lane.rows.items()):
            multiple = q.polynomial * self._number(key[RADIX_INVERSE]) * (1 << LIMB_BITS) - column.polynomial
            rest = rest - multiple * (1 << LIMB_BITS * row)
        for row, quotient in enumerate(lane.quotients, last):
            others = Polynomial.of(quotient) * (self._number(m) - m[0].polynomial)
            multiple = lane.vanishing(quotient).polynomial + others
            rest = rest - multiple * (1 << LIMB_BITS * row)
        self._need(not rest.terms, "x R is not a b and a multiple of m")

    @staticmethod
    def _number(limbs: Sequence[Integer]) -> Polynomial:
        total = Polynomial.of(0)
        for i, limb in enumerate(limbs):
            total = total + limb.polynomial * (1 << LIMB_BITS * i)
        return total

    @staticmethod
    def _place(of: Field, row: int) -> int:
        return of.offset + of.lane_offsets[0] + row * of.row_bytes

    def _need(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise Unproved(f"{self.stream.name}: {otherwise}")
