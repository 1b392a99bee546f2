"""Sums and differences of several 64-bit words, whose carries (borrows) pass through the carry flag.

A carry that is not known is a symbol of 0 or 1, so every word is exact: a carry that is dropped stays in the number's
polynomial, with a coefficient that the prime does not divide. Whether a chain's last carry is 0 is seen from the bounds
of the whole sum: of its words, of its polynomial, or of numbers that are known to be smaller than their words allow.
Where that depends on another carry (a correction by 38 times the carry before), both of that one's cases are looked at.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .integer import BITS, MOST, Integer
from .polynomial import Polynomial, Symbol

Bounds = tuple[int, int]
Number = tuple[Integer, ...]


@dataclass
class Known:
    """Bounds of words, and of numbers, as far as more is known than the words' own bounds say."""

    words: dict[Integer, Bounds] = field(default_factory=dict)
    numbers: dict[Number, Bounds] = field(default_factory=dict)

    def of_word(self, word: Integer) -> Bounds:
        low, high = self.words.get(word, (word.low, word.high))
        return max(low, word.low), min(high, word.high)

    def of_number(self, number: Sequence[Integer]) -> Bounds:
        words = [self.of_word(word) for word in number]
        low, high = self.numbers.get(tuple(number), (0, 1 << BITS * len(number)))
        return max(low, sum(w[0] << BITS * i for i, w in enumerate(words))), min(
            high, sum(w[1] << BITS * i for i, w in enumerate(words))
        )

    def of_sum(self, *numbers: Sequence[Integer]) -> Bounds:
        """Returns the bounds of the sum of numbers that have the same number of words. Words whose bounds are known
        together are taken together, whichever of the numbers they stand in: the sum is the same."""
        columns = [list(column) for column in zip(*numbers, strict=True)]
        low = high = 0
        for i, column in enumerate(columns):
            while column:
                taken = next(filter(self.numbers.__contains__, _runs(columns[i:])), (column[0],))
                for word, of in zip(taken, columns[i:]):
                    of.remove(word)
                bounds = self.of_number(taken)
                low, high = low + (bounds[0] << BITS * i), high + (bounds[1] << BITS * i)
        return low, high

    def learn(self, number: Sequence[Integer], bounds: Bounds) -> None:
        """Records the bounds of the number, and those that follow for its upper words."""
        for i in range(len(number)):
            self.numbers[tuple(number[i:])] = bounds[0] >> BITS * i, bounds[1] >> BITS * i


def _runs(columns: Sequence[Sequence[Integer]]) -> Iterator[Number]:
    """Yields runs of two or more words from adjacent columns, from the first one on; the longest first."""
    for size in range(len(columns), 1, -1):
        yield from itertools.product(*columns[:size])


@dataclass
class _Chain:
    """a + sign * b, word after word. ``whole``: it began without a carry."""

    sign: int
    whole: bool
    a: list[Integer] = field(default_factory=list)
    b: list[Integer] = field(default_factory=list)
    digits: list[Integer] = field(default_factory=list)

    def bounds(self, known: Known) -> Bounds:
        if self.sign > 0:
            return known.of_sum(self.a, self.b)
        return _combined(self.sign, known.of_sum(self.a), known.of_sum(self.b))

    def polynomial(self) -> Polynomial:
        total = Polynomial.of(0)
        for i, (a, b) in enumerate(zip(self.a, self.b)):
            total = total + (a.polynomial + b.polynomial * self.sign) * (1 << BITS * i)
        return total


class Carries:
    """The carry flag. ``known`` may be told of numbers; it learns of those that chains leave."""

    def __init__(self) -> None:
        self.known = Known()
        self._cases: dict[Symbol, tuple[Known, Known]] = {}
        self._carry: Integer | None = None
        self._chain = _Chain(1, False)

    def forget(self) -> None:
        """After an instruction that leaves something else in the flag."""
        self._carry = None

    def step(self, op: str, a: Integer, b: Integer) -> Integer | None:
        """The word that add, adc, sub or sbb makes; None where the carry that it takes is not known."""
        sign, begins = 1 if op in ("add", "adc") else -1, op in ("add", "sub")
        carry = Integer.of(0) if begins else self._carry
        if carry is None:
            return None
        if begins or self._chain.sign != sign:
            self._chain = _Chain(sign, begins)
        chain = self._chain
        chain.a.append(a)
        chain.b.append(b)
        exact = a + b * sign + carry * sign
        times = self._times(chain, exact, (a, b, carry))
        fresh = times is None
        if times is None:
            times = Integer.unknown(0, 1) * sign
        digit = (exact - (times << BITS)).within(0, MOST)
        chain.digits.append(digit)
        self._carry = times * sign
        if chain.whole:
            self._learn(chain, times, fresh)
        return digit

    @staticmethod
    def applied(function: Callable[[int], int], number: Integer) -> Integer | None:
        """The function's value, if the number depends on one carry alone."""
        symbols = number.polynomial.symbols()
        if len(symbols) != 1 or (symbol := symbols.pop()).high != 1:
            return None
        return _interpolated(symbol, *(function(_at(number, symbol, case)) for case in (0, 1)))

    # ---- how often 2^64 goes into a word

    def _times(self, chain: _Chain, exact: Integer, parts: Sequence[Integer]) -> Integer | None:
        """As a number, where it is known or depends on one carry."""
        found = _same(exact.low, exact.high, BITS)
        shift = BITS * len(chain.a)
        if found is None and chain.whole:
            found = _same(*chain.bounds(self.known), shift)
        if found is None:
            for symbol in self._deciding(chain, parts):
                times = [self._in_case(chain, parts, symbol, case) for case in (0, 1)]
                if times[0] is not None and times[1] is not None:
                    return _interpolated(symbol, times[0], times[1])
        if found is None and chain.whole:
            found = _same(*chain.polynomial().bounds(), shift)
        return None if found is None else Integer.of(found)

    def _deciding(self, chain: _Chain, parts: Sequence[Integer]) -> Iterator[Symbol]:
        """Carries that a word of the chain depends on alone."""
        for word in (*parts, *chain.b):
            symbols = word.polynomial.symbols()
            if len(symbols) == 1 and (symbol := symbols.pop()) in self._cases:
                yield symbol

    def _in_case(self, chain: _Chain, parts: Sequence[Integer], symbol: Symbol, case: int) -> int | None:
        known = self._cases[symbol][case]
        known = Known(dict(known.words), {**self.known.numbers, **known.numbers})
        for word in (*parts, *chain.a, *chain.b):
            if word.polynomial.symbols() == {symbol}:
                known.words[word] = (_at(word, symbol, case),) * 2
        a, b, carry = map(known.of_word, parts)
        found = _same(*_combined(chain.sign, _combined(chain.sign, a, b), carry), BITS)
        if found is None and chain.whole:
            found = _same(*chain.bounds(known), BITS * len(chain.a))
        return found

    def _learn(self, chain: _Chain, times: Integer, fresh: bool) -> None:
        """The bounds of the number that the digits are: the sum's without what was carried out."""
        size, digits = 1 << BITS * len(chain.digits), tuple(chain.digits)
        low, high = chain.bounds(self.known)
        if times.constant is not None:
            out = times.constant * size
            self.known.learn(digits, (max(0, low - out), min(size - 1, high - out)))
        elif fresh:
            (symbol,) = times.polynomial.symbols()
            cases = (Known(), Known())
            for case, known in enumerate(cases):
                out = case * chain.sign * size
                number = max(0, low - out), min(size - 1, high - out)
                known.numbers[digits] = number
                for i, digit in enumerate(digits):
                    last = i == len(digits) - 1
                    known.words[digit] = number[0] >> BITS * i if last else 0, min(MOST, number[1] >> BITS * i)
            self._cases[symbol] = cases


def _combined(sign: int, a: Bounds, b: Bounds) -> Bounds:
    return (a[0] + b[0], a[1] + b[1]) if sign > 0 else (a[0] - b[1], a[1] - b[0])


def _same(low: int, high: int, bits: int) -> int | None:
    """The number above the lower bits, if it is the same for all between."""
    return low >> bits if low >> bits == high >> bits else None


def _at(number: Integer, symbol: Symbol, value: int) -> int:
    return number.polynomial.at(symbol, value).terms.get((), 0)


def _interpolated(symbol: Symbol, zero: int, one: int) -> Integer:
    """What is ``zero`` or ``one`` as the symbol is 0 or 1."""
    polynomial = Polynomial.of(symbol) * (one - zero) + zero
    return Integer(min(zero, one), max(zero, one), polynomial)
