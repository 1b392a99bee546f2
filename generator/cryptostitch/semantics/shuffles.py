"""Instructions that move elements about: within 128-bit lanes, between lanes, in and out of vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter

from .forms import LANE, Form, Meaning, repeat

Binary = Callable[[int, int], int]


def _gather(moves: Sequence[tuple[int, int]], element: int, bits: int) -> Callable[[int], int]:
    """Moves elements in each 128-bit lane: element ``source`` goes to place ``target`` for each (source, target); the
    rest is 0."""

    def term(source: int, target: int) -> str:
        mask, shift = repeat((1 << element) - 1 << element * source, 128, bits), element * (target - source)
        return f"(a & {mask}) " + (f"<< {shift}" if shift >= 0 else f">> {-shift}")

    return eval("lambda a: " + " | ".join(term(*move) for move in moves))


def _unpack(element: int, high: bool) -> Meaning:
    """Elements of one half of each lane, alternately of a and b."""

    def meaning(form: Form) -> Binary:
        half = 64 // element
        first = [(half * high + i, 2 * i) for i in range(half)]
        from_a = _gather(first, element, form.bits)
        from_b = _gather([(s, t + 1) for s, t in first], element, form.bits)
        return lambda a, b: from_a(a) | from_b(b)

    return meaning


def _shuffle_words(form: Form) -> Callable[[int], int]:
    """pshufd: two bits of the immediate choose the source of each 32-bit element of a lane."""
    return _gather([(form.immediate >> 2 * i & 3, i) for i in range(4)], 32, form.bits)


class _ByteShuffle:
    """pshufb: each byte of the control chooses a byte of its own lane, or 0 when its top bit is set. Controls are
    mostly constants, so that what they choose is remembered."""

    MOST = 256

    def __init__(self, form: Form) -> None:
        self.size = form.bits // 8
        self.known: dict[int, itemgetter] = {}

    def _choice(self, control: int) -> itemgetter:
        if len(self.known) >= self.MOST:
            self.known.clear()
        chosen = [
            self.size if c & 0x80 else i & ~15 | c & 15 for i, c in enumerate(control.to_bytes(self.size, "little"))
        ]
        return self.known.setdefault(control, itemgetter(*chosen))

    def __call__(self, a: int, control: int) -> int:
        choice = self.known.get(control) or self._choice(control)
        return int.from_bytes(choice(a.to_bytes(self.size + 1, "little")), "little")


def _align_bytes(form: Form) -> Binary:
    """palignr: in each lane the 16 bytes from byte ``immediate`` of a:b (b is the lower half); bytes beyond a are 0."""
    n = 8 * min(form.immediate, 32)
    from_b = repeat(LANE >> n, 128, form.bits)
    if n <= 128:
        from_a = repeat(LANE >> 128 - n, 128, form.bits)
        return lambda a, b: b >> n & from_b | (a & from_a) << 128 - n
    from_a = repeat(LANE >> n - 128, 128, form.bits)
    return lambda a, b: a >> n - 128 & from_a


def _align_words(form: Form) -> Binary:
    """valignq: the elements of the whole vector from number ``immediate`` (modulo their number) of a:b."""
    n, everything = 64 * (form.immediate % (form.bits // 64)), (1 << form.bits) - 1
    return lambda a, b: (a << form.bits | b) >> n & everything


def _blend(element: int, period: int) -> Meaning:
    """Bit i of the immediate (modulo ``period``) takes element i from b."""

    def meaning(form: Form) -> Binary:
        of_b = sum(
            (1 << element) - 1 << element * i for i in range(form.bits // element) if form.immediate >> i % period & 1
        )
        of_a = (1 << form.bits) - 1 ^ of_b
        return lambda a, b: a & of_a | b & of_b

    return meaning


def _insert(part: int) -> Meaning:
    """Replaces one part of a by b. Only the immediate's bits that a place needs count."""

    def meaning(form: Form) -> Binary:
        at = part * (form.immediate % (form.bits // part))
        kept = (1 << form.bits) - 1 ^ (1 << part) - 1 << at
        return lambda a, b: a & kept | b << at

    return meaning


def _insert_upper_half(form: Form) -> Binary:
    return lambda a, b: a & (1 << 64) - 1 | b << 64


def _extract(part: int) -> Meaning:
    def meaning(form: Form) -> Callable[[int], int]:
        at, mask = part * (form.immediate % (form.bits // part)), (1 << part) - 1
        return lambda a: a >> at & mask

    return meaning


def _permute_lanes(form: Form) -> Binary:
    """vperm2i128: for each half of the result a lane of a:b (bits 0-1 and 4-5), or 0 (bits 3 and 7)."""

    def half(choice: int) -> str:
        return "0" if choice & 8 else f"({'b' if choice & 2 else 'a'} >> {128 * (choice & 1)} & {LANE})"

    return eval(f"lambda a, b: {half(form.immediate)} | {half(form.immediate >> 4)} << 128")


def _shuffle_lanes(form: Form) -> Binary:
    """vshufi32x4, vshufi64x2: the lower half of the result are lanes of a, the upper half lanes of b."""
    count = form.bits // 128
    width = count.bit_length() - 1
    choices = [form.immediate >> width * i & count - 1 for i in range(count)]
    terms = [f"({'ab'[i >= count // 2]} >> {128 * c} & {LANE}) << {128 * i}" for i, c in enumerate(choices)]
    return eval("lambda a, b: " + " | ".join(terms))


MEANING: dict[str, Meaning] = {}
for _prefix in ("", "v"):
    MEANING |= {
        f"{_prefix}punpckldq": _unpack(32, False),
        f"{_prefix}punpckhdq": _unpack(32, True),
        f"{_prefix}punpcklqdq": _unpack(64, False),
        f"{_prefix}punpckhqdq": _unpack(64, True),
        f"{_prefix}pshufd": _shuffle_words,
        f"{_prefix}pshufb": _ByteShuffle,
        f"{_prefix}palignr": _align_bytes,
    }
MEANING |= {
    "pblendw": _blend(16, 8),
    "vpblendd": _blend(32, 8),
    "movd": lambda form: lambda a: a,
    "movhps": _insert_upper_half,
    "pinsrd": _insert(32),
    "pextrd": _extract(32),
    "vinserti128": _insert(128),
    "vinserti32x4": _insert(128),
    "vinserti64x4": _insert(256),
    "vextracti128": _extract(128),
    "vextracti32x4": _extract(128),
    "vperm2i128": _permute_lanes,
    "vshufi32x4": _shuffle_lanes,
    "vshufi64x2": _shuffle_lanes,
    "valignq": _align_words,
}
