"""Adler-32 (RFC 1950, 8.2), by its definition; with the names of crc.Crc, so that one test asks both."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Adler:
    """A value has two sums modulo ``modulus``: in the lower half of the bits that of 1 and all bytes, in the upper half
    that of all values which the first has had. A digest begins with the highest byte."""

    modulus: int = 65521
    width: int = 32
    initial: int = 1
    final: int = 0
    reflected: bool = False
    digest_bytes: int = 4

    @property
    def start(self) -> int:
        return self.initial

    def register(self, data: bytes, before: int) -> int:
        a, b = before & 0xFFFF, before >> 16
        for byte in data:
            a = (a + byte) % self.modulus
            b = (b + a) % self.modulus
        return b << 16 | a

    def value(self, data: bytes) -> int:
        return self.register(data, self.start)

    def digest(self, data: bytes) -> bytes:
        return self.value(data).to_bytes(self.digest_bytes, "big")


def sums(data: bytes) -> tuple[int, int]:
    """Returns what kernels make of a text (streams/adler32.j2): the sum of its bytes, and of each times the number of
    bytes from it to the end."""
    return sum(data), sum(byte * (len(data) - i) for i, byte in enumerate(data))


ADLER32 = Adler()
