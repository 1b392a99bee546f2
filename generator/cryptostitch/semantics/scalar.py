"""General registers and flags (Intel SDM, volume 2, each instruction's "Flags Affected").

Flags are bits of RFLAGS. A ``Flagged`` function returns (value, flags); ``defined`` says which flags it sets,
``undefined`` which have no specified value afterwards; all others stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .forms import Form, Meaning

CF, PF, AF, ZF, SF, OF = 1 << 0, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11
STATUS = CF | PF | AF | ZF | SF | OF
PARITY = [0 if bin(i).count("1") & 1 else PF for i in range(256)]


@dataclass(frozen=True)
class Flagged:
    apply: Callable[..., tuple[int, int]]
    defined: int
    undefined: int = 0


def _result(bits: int) -> Callable[[int], int]:
    """SF, ZF and PF of a result; PF is of its lowest byte."""
    sign = bits - 1
    return lambda r: PARITY[r & 255] | (0 if r else ZF) | (SF if r >> sign else 0)


def _add(form: Form) -> Flagged:
    mask, sign, flags = (1 << form.bits) - 1, form.bits - 1, _result(form.bits)

    def apply(a: int, b: int) -> tuple[int, int]:
        r = a + b & mask
        return r, flags(r) | (CF if r < a else 0) | (a ^ b ^ r) & AF | (OF if (a ^ r) & (b ^ r) & 1 << sign else 0)

    return Flagged(apply, STATUS)


def _add_with_carry(form: Form) -> Flagged:
    mask, sign, flags = (1 << form.bits) - 1, form.bits - 1, _result(form.bits)

    def apply(a: int, b: int, carry: int) -> tuple[int, int]:
        total = a + b + carry
        r = total & mask
        return r, flags(r) | (CF if total > mask else 0) | (a ^ b ^ r) & AF | (
            OF if (a ^ r) & (b ^ r) & 1 << sign else 0
        )

    return Flagged(apply, STATUS)


def _subtract(form: Form) -> Flagged:
    mask, sign, flags = (1 << form.bits) - 1, form.bits - 1, _result(form.bits)

    def apply(a: int, b: int) -> tuple[int, int]:
        r = a - b & mask
        return r, flags(r) | (CF if a < b else 0) | (a ^ b ^ r) & AF | (OF if (a ^ b) & (a ^ r) & 1 << sign else 0)

    return Flagged(apply, STATUS)


def _subtract_with_borrow(form: Form) -> Flagged:
    mask, sign, flags = (1 << form.bits) - 1, form.bits - 1, _result(form.bits)

    def apply(a: int, b: int, carry: int) -> tuple[int, int]:
        r = a - b - carry & mask
        return r, flags(r) | (CF if a < b + carry else 0) | (a ^ b ^ r) & AF | (
            OF if (a ^ b) & (a ^ r) & 1 << sign else 0
        )

    return Flagged(apply, STATUS)


def _logic(function: Callable[[int, int], int]) -> Meaning:
    def meaning(form: Form) -> Flagged:
        flags = _result(form.bits)

        def apply(a: int, b: int) -> tuple[int, int]:
            r = function(a, b)
            return r, flags(r)

        return Flagged(apply, STATUS & ~AF, AF)

    return meaning


def _and_not(form: Form) -> Flagged:
    """The first operand is the one that is complemented."""
    flags = _result(form.bits)

    def apply(a: int, b: int) -> tuple[int, int]:
        r = ~a & b
        return r, flags(r) & ~PF

    return Flagged(apply, SF | ZF | CF | OF, AF | PF)


def _zero_high_bits(form: Form) -> Flagged:
    """Keeps the bits below the one that the second operand's lowest byte says. CF says that there is no such bit."""
    flags, bits = _result(form.bits), form.bits

    def apply(a: int, b: int) -> tuple[int, int]:
        n = b & 0xFF
        r = a & (1 << n) - 1 if n < bits else a
        return r, flags(r) & ~PF | (CF if n >= bits else 0)

    return Flagged(apply, SF | ZF | CF | OF, AF | PF)


def _count(form: Form) -> int:
    return form.immediate & form.bits - 1


def _untouched(a: int) -> tuple[int, int]:
    return a, 0


def _shift(left: bool) -> Meaning:
    """CF is the last bit that left; OF is defined for a count of 1, and a count of 0 changes no flag."""

    def meaning(form: Form) -> Flagged:
        n, bits, mask, flags = _count(form), form.bits, (1 << form.bits) - 1, _result(form.bits)
        if not n:
            return Flagged(_untouched, 0)

        def apply(a: int) -> tuple[int, int]:
            r = a << n & mask if left else a >> n
            out = (a >> bits - n if left else a >> n - 1) & 1
            over = r >> bits - 1 ^ out if left else a >> bits - 1
            return r, flags(r) | (CF if out else 0) | (OF if n == 1 and over else 0)

        return Flagged(apply, CF | SF | ZF | PF | (OF if n == 1 else 0), AF | (0 if n == 1 else OF))

    return meaning


def _shift_signed(form: Form) -> Flagged:
    """To the right, with copies of the top bit; flags as those of the other shifts, and OF is 0 for a count of 1."""
    n, bits, mask, flags = _count(form), form.bits, (1 << form.bits) - 1, _result(form.bits)
    if not n:
        return Flagged(_untouched, 0)

    def apply(a: int) -> tuple[int, int]:
        signed = a - (a >> bits - 1 << bits)
        r = signed >> n & mask
        return r, flags(r) | (CF if signed >> n - 1 & 1 else 0)

    return Flagged(apply, CF | SF | ZF | PF | (OF if n == 1 else 0), AF | (0 if n == 1 else OF))


def _rotate(left: bool) -> Meaning:
    """CF is the bit that came round; OF is defined for a count of 1, and a count of 0 changes no flag."""

    def meaning(form: Form) -> Flagged:
        n, bits, mask = _count(form), form.bits, (1 << form.bits) - 1
        if not n:
            return Flagged(_untouched, 0)
        up = n if left else bits - n

        def apply(a: int) -> tuple[int, int]:
            r = (a << up | a >> bits - up) & mask
            top, bottom = r >> bits - 1, r & 1
            carry = bottom if left else top
            over = top ^ carry if left else top ^ r >> bits - 2 & 1
            return r, (CF if carry else 0) | (OF if n == 1 and over else 0)

        return Flagged(apply, CF | (OF if n == 1 else 0), 0 if n == 1 else OF)

    return meaning


def _multiply(form: Form) -> Flagged:
    """Multiplies signed numbers. Sets CF and OF if the product does not fit, and leaves other flags undefined."""
    bits, mask = form.bits, (1 << form.bits) - 1

    def apply(a: int, b: int) -> tuple[int, int]:
        whole = (a - (a >> bits - 1 << bits)) * (b - (b >> bits - 1 << bits))
        return whole & mask, 0 if -(1 << bits - 1) <= whole < 1 << bits - 1 else CF | OF

    return Flagged(apply, CF | OF, SF | ZF | AF | PF)


def _rorx(form: Form) -> Callable[[int], int]:
    n, bits, mask = _count(form), form.bits, (1 << form.bits) - 1
    return lambda a: (a >> n | a << bits - n) & mask


def _swap_bytes(form: Form) -> Callable[[int], int]:
    size = form.bits // 8
    return lambda a: int.from_bytes(a.to_bytes(size, "little"), "big")


CRC32C = 0x82F63B78  # the polynomial of CRC-32C without its highest term, the term x^31 lowest


def _crc32(form: Form) -> Callable[[int, int], int]:
    """The register of CRC-32C behind the bytes of the second operand, the lowest first; the upper half becomes 0."""

    def apply(register: int, data: int) -> int:
        value = register & (1 << 32) - 1 ^ data
        for _ in range(form.bits):
            value = value >> 1 ^ (value & 1) * CRC32C
        return value

    return apply


def _not(form: Form) -> Callable[[int], int]:
    mask = (1 << form.bits) - 1
    return lambda a: a ^ mask


def _copy(form: Form) -> Callable[[int], int]:
    mask = (1 << form.bits) - 1
    return lambda a: a & mask


MEANING: dict[str, Meaning] = {
    "mov": _copy,
    "lea": _copy,
    "not": _not,
    "bswap": _swap_bytes,
    "movbe": _swap_bytes,
    "rorx": _rorx,
    "andn": _and_not,
    "bzhi": _zero_high_bits,
    "add": _add,
    "adc": _add_with_carry,
    "sub": _subtract,
    "sbb": _subtract_with_borrow,
    "crc32": _crc32,
    "imul": _multiply,
    "mulx": lambda form: lambda a, b: a * b,
    "xor": _logic(lambda a, b: a ^ b),
    "and": _logic(lambda a, b: a & b),
    "or": _logic(lambda a, b: a | b),
    "rol": _rotate(True),
    "ror": _rotate(False),
    "shl": _shift(True),
    "shr": _shift(False),
    "sar": _shift_signed,
    "prefetcht0": lambda form: lambda address: None,
}
