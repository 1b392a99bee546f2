"""Vector arithmetic, logic, shifts and moves.

Elements are added inside one long integer: with the top bit of each element left out no carry leaves its element, and
the top bit of the sum is the exclusive or of the two top bits and that carry.
"""

from __future__ import annotations

from collections.abc import Callable

from .forms import Form, Meaning, repeat

Binary = Callable[[int, int], int]


def _add(element: int) -> Meaning:
    def meaning(form: Form) -> Binary:
        top = repeat(1 << element - 1, element, form.bits)
        rest = repeat((1 << element - 1) - 1, element, form.bits)
        return lambda a, b: (a & rest) + (b & rest) ^ (a ^ b) & top

    return meaning


def _subtract(element: int) -> Meaning:
    """a - b: the top bit set in a and clear in b, no borrow leaves an element."""

    def meaning(form: Form) -> Binary:
        top = repeat(1 << element - 1, element, form.bits)
        rest = repeat((1 << element - 1) - 1, element, form.bits)
        return lambda a, b: (a | top) - (b & rest) ^ (a ^ b ^ top) & top

    return meaning


def _signed(value: int, bits: int) -> int:
    return value - (value >> bits - 1 << bits)


def _each(element: int, function: Binary) -> Meaning:
    """The function of each element of both."""

    def meaning(form: Form) -> Binary:
        mask = (1 << element) - 1
        return lambda a, b: sum(
            (function(a >> at & mask, b >> at & mask) & mask) << at for at in range(0, form.bits, element)
        )

    return meaning


def _distances(a: int, b: int) -> int:
    """The sum of the differences of eight bytes."""
    return sum(abs((a >> at & 255) - (b >> at & 255)) for at in range(0, 64, 8))


def _products_of_bytes(a: int, b: int) -> int:
    """Bytes without sign times bytes with one: the sum of two products, saturated to 16 bits."""
    both = sum((a >> at & 255) * _signed(b >> at & 255, 8) for at in (0, 8))
    return max(-(1 << 15), min((1 << 15) - 1, both))


def _products_of_words(a: int, b: int) -> int:
    """The sum of two products of 16-bit words with a sign."""
    return sum(_signed(a >> at & 0xFFFF, 16) * _signed(b >> at & 0xFFFF, 16) for at in (0, 16))


def _xor(form: Form) -> Binary:
    return lambda a, b: a ^ b


def _and(form: Form) -> Binary:
    return lambda a, b: a & b


def _or(form: Form) -> Binary:
    return lambda a, b: a | b


def _and_not(form: Form) -> Binary:
    """The first operand is the one that is complemented."""
    return lambda a, b: ~a & b


def _left(element: int) -> Meaning:
    """A count of the element's bits or more gives 0."""

    def meaning(form: Form) -> Callable[[int], int]:
        n = min(form.immediate, element)
        kept = repeat((1 << element - n) - 1, element, form.bits)
        return lambda a: (a & kept) << n

    return meaning


def _right(element: int) -> Meaning:
    def meaning(form: Form) -> Callable[[int], int]:
        n = min(form.immediate, element)
        kept = repeat((1 << element - n) - 1, element, form.bits)
        return lambda a: a >> n & kept

    return meaning


def _rotate(element: int, left: bool) -> Meaning:
    """The count is taken modulo the element's bits."""

    def meaning(form: Form) -> Callable[[int], int]:
        n = (form.immediate if left else -form.immediate) % element
        low = repeat((1 << element - n) - 1, element, form.bits)
        high = repeat((1 << n) - 1, element, form.bits)
        return lambda a: (a & low) << n | a >> element - n & high

    return meaning


def _ternary(form: Form) -> Callable[[int, int, int], int]:
    """Bit a*4 + b*2 + c of the immediate is the result for bits a, b, c: here as a sum (exclusive or) of products of a,
    b and c, whose coefficients are the exclusive ors of the table over all subsets (Reed-Muller)."""
    table = form.immediate
    coefficient = [sum(table >> subset & 1 for subset in range(8) if subset & term == subset) & 1 for term in range(8)]
    constant = (1 << form.bits) - 1 if coefficient[0] else 0
    products = [
        "&".join(name for bit, name in ((4, "a"), (2, "b"), (1, "c")) if term & bit)
        for term in range(1, 8)
        if coefficient[term]
    ]
    return eval(f"lambda a, b, c: {'^'.join([str(constant), *products])}")


def _multiply(form: Form) -> Binary:
    """The lower halves of each 64 bits, multiplied."""
    places, low = range(0, form.bits, 64), (1 << 32) - 1
    return lambda a, b: sum((a >> at & low) * (b >> at & low) << at for at in places)


def _multiply_add(high: bool) -> Meaning:
    """Multiplies the lower 52 bits of each 64, and adds one half of the product of 104 bits."""

    def meaning(form: Form) -> Callable[[int, int, int], int]:
        places, low, all_, shift = range(0, form.bits, 64), (1 << 52) - 1, (1 << 64) - 1, 52 * high
        return lambda sum_, a, b: sum(
            ((sum_ >> at) + ((a >> at & low) * (b >> at & low) >> shift & low) & all_) << at for at in places
        )

    return meaning


def _move(form: Form) -> Callable[[int], int]:
    return lambda a: a


def _broadcast(element: int) -> Meaning:
    def meaning(form: Form) -> Callable[[int], int]:
        ones = repeat(1, element, form.bits)
        return lambda a: a * ones

    return meaning


MEANING: dict[str, Meaning] = {}
for _prefix in ("", "v"):
    MEANING |= {
        _prefix + name: meaning
        for name, meaning in {
            "paddd": _add(32),
            "paddq": _add(64),
            "psubd": _subtract(32),
            "psubq": _subtract(64),
            "pxor": _xor,
            "pand": _and,
            "por": _or,
            "pandn": _and_not,
            "pslld": _left(32),
            "psllq": _left(64),
            "psrld": _right(32),
            "psrlq": _right(64),
            "psadbw": _each(64, _distances),
            "pmaddubsw": _each(16, _products_of_bytes),
            "pmaddwd": _each(32, _products_of_words),
            "movdqu": _move,
            "movdqa": _move,
        }.items()
    }
for _size, _bits in (("d", 32), ("q", 64)):
    MEANING |= {
        f"vpxor{_size}": _xor,
        f"vpand{_size}": _and,
        f"vpor{_size}": _or,
        f"vpternlog{_size}": _ternary,
        f"vprol{_size}": _rotate(_bits, True),
        f"vpror{_size}": _rotate(_bits, False),
        f"vmovdqu{_bits}": _move,
        f"vmovdqa{_bits}": _move,
        f"vpbroadcast{_size}": _broadcast(_bits),
    }
MEANING |= {
    "pmuludq": _multiply,
    "vpmuludq": _multiply,
    "vmovdqu8": _move,
    "kmovq": _move,
    "vpmadd52luq": _multiply_add(False),
    "vpmadd52huq": _multiply_add(True),
    "movq": _move,
    "vmovq": _move,
    "psubq": _subtract(64),
    "vbroadcasti128": _broadcast(128),
    "vbroadcasti32x4": _broadcast(128),
}
