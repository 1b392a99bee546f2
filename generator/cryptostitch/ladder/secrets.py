"""Structured secrets: random ones miss leaks that depend on special values."""

from __future__ import annotations

from .scene import Secrets, random_secrets


def _constant(byte: int) -> Secrets:
    return lambda what, size: bytes([byte]) * size


def _changed(secrets: Secrets, byte: int, bit: int) -> Secrets:
    """Changes one bit of one byte of each secret that has any (ECB has no IV), or the whole byte."""

    def changed(what: str, size: int) -> bytes:
        data = bytearray(secrets(what, size))
        if data:
            data[byte % size] ^= bit
        return bytes(data)

    return changed


def structured(seed: object, long: bool = False) -> list[tuple[str, Secrets]]:
    """(what they are, secrets). The quick form has three; the first is random."""

    def base() -> Secrets:
        return random_secrets(seed)

    found = [("random", base()), ("zero", _constant(0)), ("all ones", _constant(0xFF))]
    if long:
        found += [
            ("one byte changed", _changed(base(), 5, 0xFF)),
            ("one bit changed", _changed(base(), -1, 0x80)),
            ("the first bit changed", _changed(base(), 0, 1)),
        ]
    return found
