"""Carry-less multiplication (Intel SDM, PCLMULQDQ), on each 128 bits of a vector."""

from __future__ import annotations

from collections.abc import Callable

from .forms import Form, Meaning


def product(a: int, b: int) -> int:
    """Multiplies polynomials over GF(2)."""
    found = 0
    while b:
        low = b & -b
        found ^= a * low
        b ^= low
    return found


def _multiply(form: Form) -> Callable[[int, int], int]:
    """Bits 0 and 4 of the immediate choose the half of each operand."""
    first, second, half = 64 * (form.immediate & 1), 64 * (form.immediate >> 4 & 1), (1 << 64) - 1
    return lambda a, b: sum(
        product(a >> at + first & half, b >> at + second & half) << at for at in range(0, form.bits, 128)
    )


MEANING: dict[str, Meaning] = {"pclmulqdq": _multiply, "vpclmulqdq": _multiply}
