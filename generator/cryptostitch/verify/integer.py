"""Whole numbers that are known by their bounds and, exactly, as polynomials in symbols.

What a shift drops is a new symbol, so that a number, its lower bits and the bits above them stay in the linear relation
x = low + 2^k high, whatever is computed from them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .polynomial import Polynomial, Symbol

BITS = 64
MOST = (1 << BITS) - 1


class Integer:
    """Immutable, and itself by identity: two of them may have the same value. ``toggles``: of an exclusive-or that has
    no better form, the numbers that are in it."""

    __slots__ = ("_quotients", "_rests", "high", "low", "polynomial", "toggles")

    def __init__(self, low: int, high: int, polynomial: Polynomial, toggles: frozenset[Integer] = frozenset()) -> None:
        if low == high:
            polynomial = Polynomial.of(low)
        elif not polynomial.symbols():
            low = high = polynomial.terms.get((), 0)
        self.low, self.high, self.polynomial = low, high, polynomial
        self.toggles = toggles or frozenset((self,))
        self._quotients: dict[int, Integer] = {}
        self._rests: dict[int, Integer] = {}

    @classmethod
    def of(cls, value: int | Integer) -> Integer:
        return value if isinstance(value, Integer) else cls(value, value, Polynomial.of(value))

    @classmethod
    def unknown(cls, low: int, high: int, toggles: frozenset[Integer] = frozenset()) -> Integer:
        return cls(low, high, Polynomial.of(Symbol.fresh(low, high)), toggles)

    @classmethod
    def of_parts(cls, low: Integer, high: Integer, bits: int) -> Integer:
        """low + 2^bits high, where low is below 2^bits: the two that shifts and masks will find."""
        made = low + (high << bits)
        made._quotients[bits] = high
        return made

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None

    @property
    def shifted(self) -> Collection[int]:
        """By how many bits it was shifted right."""
        return self._quotients.keys()

    def within(self, low: int, high: int) -> Integer:
        """The same number, of which these bounds are known too."""
        return Integer(max(self.low, low), min(self.high, high), self.polynomial)

    def __add__(self, other: int | Integer) -> Integer:
        b = Integer.of(other)
        return Integer(self.low + b.low, self.high + b.high, self.polynomial + b.polynomial)

    def __sub__(self, other: int | Integer) -> Integer:
        b = Integer.of(other)
        return Integer(self.low - b.high, self.high - b.low, self.polynomial - b.polynomial)

    def __mul__(self, other: int | Integer) -> Integer:
        b = Integer.of(other)
        corners = [x * y for x in (self.low, self.high) for y in (b.low, b.high)]
        return Integer(min(corners), max(corners), self.polynomial * b.polynomial)

    def __lshift__(self, bits: int) -> Integer:
        return self * (1 << bits)

    def __rshift__(self, bits: int) -> Integer:
        if bits not in self._quotients:
            low, high = self.low >> bits, self.high >> bits
            if low != high and self.polynomial.divisible(1 << bits):
                made = Integer(low, high, self.polynomial // (1 << bits))
            else:
                made = Integer.unknown(low, high)
            self._quotients[bits] = made
        return self._quotients[bits]

    def lowest(self, bits: int) -> Integer:
        """The number modulo 2^bits, one object however often it is asked for."""
        above = self >> bits
        if not above.high and not above.low:
            return self
        if bits not in self._rests:
            self._rests[bits] = (self - (above << bits)).within(0, (1 << bits) - 1)
        return self._rests[bits]


def bitwise(table: int, inputs: Sequence[Integer]) -> Integer | None:
    """The function of a truth table (bit (x << 2 | y << 1 | z) is the result for these three bits; of fewer inputs
    likewise) where all inputs are known, or where those that are known are all zeros or all ones and the result is one
    of the others, or known. Else None."""
    known = [value.constant for value in inputs]
    if all(k is not None for k in known):
        return Integer.of(_columns(table, [k or 0 for k in known]))
    if any(k not in (None, 0, MOST) for k in known):
        return None
    others = list(dict.fromkeys(value for value, k in zip(inputs, known) if k is None))
    # a column of bits for each other input, so that all their combinations are looked at side by side
    columns = {value: sum(((n >> i) & 1) << n for n in range(1 << len(others))) for i, value in enumerate(others)}
    every = (1 << (1 << len(others))) - 1
    found = _columns(table, [columns[v] if k is None else k & every for v, k in zip(inputs, known)]) & every
    if found in (0, every):
        return Integer.of(MOST if found else 0)
    return next((value for value, column in columns.items() if column == found), None)


def _columns(table: int, words: Sequence[int]) -> int:
    """Applies the table to each bit of the words."""
    found = 0
    for n in range(1 << len(words)):
        if table >> n & 1:
            term = MOST
            for i, word in enumerate(reversed(words)):
                term &= word if n >> i & 1 else ~word & MOST
            found |= term
    return found


def exclusive_or(a: Integer, b: Integer) -> Integer:
    """What is in it twice goes out of it."""
    simple = bitwise(0b0110, (a, b))
    if simple is not None:
        return simple
    toggles = a.toggles ^ b.toggles
    if len(toggles) < 2:
        return next(iter(toggles), Integer.of(0))
    return Integer.unknown(0, MOST, toggles)
