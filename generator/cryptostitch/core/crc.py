"""Cyclic redundancy checks, by the parameters of the Rocksoft model (R. Williams, "A painless guide to CRC error
detection algorithms", 1993), and bit by bit."""

from __future__ import annotations

import functools
from dataclasses import dataclass


@dataclass(frozen=True)
class Crc:
    """``polynomial`` without its highest term, that of x^(width - 1) on top; its term x^0 is there. ``reflected``: the
    lowest bit of a byte is the first, and the value's bits are in that order too."""

    width: int  # bits, 8 to 64
    polynomial: int
    initial: int
    final: int  # what the value is exclusive-ored with in the end
    reflected: bool

    @property
    def digest_bytes(self) -> int:
        return -(-self.width // 8)

    @functools.cached_property
    def _table(self) -> list[int]:
        """Returns the register after each byte, from 0: in 64 bits, the value in the highest ones; reflected, in the
        lowest."""
        return [self._bits(byte, 8) for byte in range(256)]

    def _bits(self, byte: int, count: int) -> int:
        if self.reflected:
            value, p = byte, reversed_bits(self.polynomial, self.width)
            for _ in range(count):
                value = value >> 1 ^ (value & 1) * p
            return value
        value, p = byte << 56, self.polynomial << 64 - self.width
        for _ in range(count):
            value = (value << 1 ^ (value >> 63) * p) & (1 << 64) - 1
        return value

    def register(self, data: bytes, before: int) -> int:
        """Returns the register after ``data``, without ``final``."""
        if self.reflected:
            for byte in data:
                before = before >> 8 ^ self._table[(before ^ byte) & 255]
            return before
        before <<= 64 - self.width
        for byte in data:
            before = (before << 8 & (1 << 64) - 1) ^ self._table[before >> 56 ^ byte]
        return before >> 64 - self.width

    def power(self, n: int) -> int:
        """Returns x^n modulo the polynomial, whatever the sign of n; bit i is x^i."""
        value, p = 1, 1 << self.width | self.polynomial
        for _ in range(abs(n)):
            if n > 0:
                value <<= 1
                value ^= p * (value >> self.width)
            else:
                value = (value ^ p * (value & 1)) >> 1
        return value

    def factors(self, *sizes: int) -> dict[int, int]:
        """Returns by what streams/crc32c_words.j2 multiplies a register that stands so many bytes in front of a
        stride's end."""
        return {size: reversed_bits(self.power(8 * size - 33), self.width) for size in sizes}

    @property
    def start(self) -> int:
        """The register before the first byte."""
        return reversed_bits(self.initial, self.width) if self.reflected else self.initial

    def value(self, data: bytes) -> int:
        return self.register(data, self.start) ^ self.final

    def digest(self, data: bytes) -> bytes:
        """The value's bytes; reflected, the lowest first, else the highest."""
        return self.value(data).to_bytes(self.digest_bytes, "little" if self.reflected else "big")


def reversed_bits(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


ONES_32, ONES_64 = (1 << 32) - 1, (1 << 64) - 1
# G. Cook, "Catalogue of parametrised CRC algorithms": CRC-32/ISCSI (RFC 3720, 12.1), CRC-32/ISO-HDLC (zip, Ethernet),
# CRC-64/NVME, CRC-64/XZ (ECMA-182), CRC-32/BZIP2, CRC-16/T10-DIF.
CATALOGUE = {
    "crc32c": Crc(32, 0x1EDC6F41, ONES_32, ONES_32, True),
    "crc32": Crc(32, 0x04C11DB7, ONES_32, ONES_32, True),
    "crc64-nvme": Crc(64, 0xAD93D23594C93659, ONES_64, ONES_64, True),
    "crc64-xz": Crc(64, 0x42F0E1EBA9EA3693, ONES_64, ONES_64, True),
    "crc32-bzip2": Crc(32, 0x04C11DB7, ONES_32, ONES_32, False),
    "crc16-t10-dif": Crc(16, 0x8BB7, 0, 0, False),
}
