"""Polynomials with whole coefficients in symbols that stand for unknown whole numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

_numbers = itertools.count()


class Symbol(int):
    """An unknown number from ``low`` to ``high``. As an int it only has an order."""

    low: int
    high: int

    @classmethod
    def fresh(cls, low: int, high: int) -> Symbol:
        made = cls(next(_numbers))
        made.low, made.high = low, high
        return made


Monomial = tuple[Symbol, ...]
"""A product of symbols, in their order."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """``terms``: coefficients that are not zero. The constant has the monomial ()."""

    terms: dict[Monomial, int]

    @classmethod
    def of(cls, value: int | Symbol | Polynomial) -> Polynomial:
        if isinstance(value, Polynomial):
            return value
        if isinstance(value, Symbol):
            return cls({(value,): 1})
        return cls({(): value} if value else {})

    def __add__(self, other: int | Polynomial) -> Polynomial:
        return self._plus(other, 1)

    def __sub__(self, other: int | Polynomial) -> Polynomial:
        return self._plus(other, -1)

    def _plus(self, other: int | Polynomial, sign: int) -> Polynomial:
        return _sum(itertools.chain(self.terms.items(), ((m, sign * c) for m, c in self.of(other).terms.items())))

    def __mul__(self, other: int | Polynomial) -> Polynomial:
        if isinstance(other, int):
            return Polynomial({m: c * other for m, c in self.terms.items()} if other else {})
        return _sum((tuple(sorted(m + n)), c * d) for m, c in self.terms.items() for n, d in other.terms.items())

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Polynomial:
        return self * self ** (exponent - 1) if exponent else Polynomial.of(1)

    def __mod__(self, modulus: int) -> Polynomial:
        """Every coefficient modulo ``modulus``. If no term is left, the modulus divides the value whatever the symbols
        are."""
        return Polynomial({m: c % modulus for m, c in self.terms.items() if c % modulus})

    def divisible(self, divisor: int) -> bool:
        """Whether the divisor divides every coefficient."""
        return all(c % divisor == 0 for c in self.terms.values())

    def __floordiv__(self, divisor: int) -> Polynomial:
        """Of a polynomial that is divisible."""
        return Polynomial({m: c // divisor for m, c in self.terms.items()})

    def symbols(self) -> set[Symbol]:
        return {symbol for monomial in self.terms for symbol in monomial}

    def at(self, symbol: Symbol, value: int) -> Polynomial:
        """With a number in the place of a symbol."""
        return _sum((tuple(s for s in m if s != symbol), c * value ** m.count(symbol)) for m, c in self.terms.items())

    def bounds(self) -> tuple[int, int]:
        """Returns two numbers between which the value lies."""
        low = high = 0
        for monomial, coefficient in self.terms.items():
            least = most = coefficient
            for symbol in monomial:
                corners = [x * y for x in (least, most) for y in (symbol.low, symbol.high)]
                least, most = min(corners), max(corners)
            low, high = low + least, high + most
        return low, high


def _sum(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
    found: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        found[monomial] = found.get(monomial, 0) + coefficient
    return Polynomial({m: c for m, c in found.items() if c})
