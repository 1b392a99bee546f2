"""The rows by which streams/crc.j2 knows a polynomial, on whole numbers: bit i is x^i."""

from __future__ import annotations

from ..core.catalog import Algorithm
from ..core.crc import Crc, reversed_bits

FOLDS = 6  # how many powers of x^128 the loop may want


def crc_of(row: Algorithm) -> Crc:
    polynomial, initial, final = row.initial
    return Crc(row.rounds, polynomial, initial, final, not row.big_endian)


class CrcRows:
    """The rows that kernels read for one polynomial."""

    def __init__(self, crc: Crc) -> None:
        self.crc = crc
        self.p = 1 << crc.width | crc.polynomial

    def times(self, n: int) -> bytes:
        """The row that multiplies by x^n."""
        if self.crc.reflected:
            return self._words(reversed_bits(self.crc.power(n + 63), 64), reversed_bits(self.crc.power(n - 1), 64))
        return self._words(self.crc.power(n), self.crc.power(n + 64))

    @staticmethod
    def _words(low: int, high: int) -> bytes:
        return low.to_bytes(8, "little") + high.to_bytes(8, "little")

    @property
    def key(self) -> bytes:
        shift = 64 - self.crc.width
        p = self.p << shift
        quotient, rest = 0, 1 << 128
        for bit in reversed(range(65)):
            if rest >> 64 + bit & 1:
                quotient |= 1 << bit
                rest ^= p << bit
        if self.crc.reflected:
            barrett = self._words(*(reversed_bits(n >> 1, 64) for n in (quotient, p)))
            most = self._words(reversed_bits(self.crc.power(63 + self.crc.width) << shift, 64), 0)
        else:
            barrett = self._words(quotient % (1 << 64), p % (1 << 64))
            most = self._words(self.crc.power(64 + self.crc.width) << shift, 0)
        whole = bytes(8) + (b"\xff" if self.crc.width == 64 else b"\0") * 8
        powers = [128 << i for i in range(FOLDS)] + [384, 256, 128, 0]
        return most + barrett + whole + b"".join(map(self.times, powers))

    def phase(self, beginning: int) -> bytes:
        """Returns the factor by which a kernel multiplies the value so far, before it adds a text's first
        ``beginning`` bytes; behind that word stands one that kernels read and ignore."""
        power = 8 * beginning - 64
        word = reversed_bits(self.crc.power(power - 1), 64) if self.crc.reflected else self.crc.power(power)
        return self._words(word, 0xA5A5A5A5A5A5A5A5)

    def chain(self, register: int) -> bytes:
        """The value so far, as streams keep it."""
        return self._words(0, register) if self.crc.reflected else self._words(register << 64 - self.crc.width, 0)
