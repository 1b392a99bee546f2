"""The SHA extensions (FIPS 180-4, 6.1 and 6.2; Intel SDM, SHA1RNDS4 ...). SHA-1 has its first word in the highest
element, SHA-256's schedule in the lowest."""

from __future__ import annotations

from collections.abc import Callable

from .forms import Form, Meaning

M = (1 << 32) - 1


def _rol(x: int, n: int) -> int:
    return (x << n | x >> 32 - n) & M


def _words(value: int) -> list[int]:
    """Returns the elements, the lowest first."""
    return [value >> at & M for at in (0, 32, 64, 96)]


def _joined(words: list[int]) -> int:
    return sum((w & M) << 32 * i for i, w in enumerate(words))


CHOOSE, PARITY, MAJORITY = (
    (lambda b, c, d: b & c ^ ~b & d),
    (lambda b, c, d: b ^ c ^ d),
    (lambda b, c, d: b & c ^ b & d ^ c & d),
)
SHA1_ROUNDS = ((CHOOSE, 0x5A827999), (PARITY, 0x6ED9EBA1), (MAJORITY, 0x8F1BBCDC), (PARITY, 0xCA62C1D6))


def _sha1rnds4(form: Form) -> Callable[[int, int], int]:
    """The first word of the schedule comes with e added."""
    f, k = SHA1_ROUNDS[form.immediate & 3]

    def of(state: int, schedule: int) -> int:
        d, c, b, a = _words(state)
        e = 0
        for w in reversed(_words(schedule)):
            a, b, c, d, e = (f(b, c, d) + _rol(a, 5) + w + e + k) & M, a, _rol(b, 30), c, d
        return _joined([d, c, b, a])

    return of


def _sha1nexte(state: int, schedule: int) -> int:
    return _joined([*_words(schedule)[:3], _words(schedule)[3] + _rol(_words(state)[3], 30)])


def _sha1msg1(a: int, b: int) -> int:
    w = [*reversed(_words(a)), *reversed(_words(b))]
    return _joined([w[i] ^ w[i + 2] for i in (3, 2, 1, 0)])


def _sha1msg2(a: int, b: int) -> int:
    x, w = _words(a)[::-1], _words(b)[2::-1]
    for i in range(4):
        w.append(_rol(x[i] ^ w[i], 1))
    return _joined(w[:2:-1])


def _sha256rnds2(cdgh: int, abef: int, schedule: int) -> int:
    f, e, b, a = _words(abef)
    h, g, d, c = _words(cdgh)
    for w in _words(schedule)[:2]:
        t1 = h + (_rol(e, 26) ^ _rol(e, 21) ^ _rol(e, 7)) + (CHOOSE(e, f, g) & M) + w
        t2 = (_rol(a, 30) ^ _rol(a, 19) ^ _rol(a, 10)) + MAJORITY(a, b, c)
        a, b, c, d, e, f, g, h = (t1 + t2) & M, a, b, c, (d + t1) & M, e, f, g
    return _joined([f, e, b, a])


def _sha256msg1(a: int, b: int) -> int:
    w = [*_words(a), _words(b)[0]]
    return _joined([w[i] + (_rol(w[i + 1], 25) ^ _rol(w[i + 1], 14) ^ w[i + 1] >> 3) for i in range(4)])


def _sha256msg2(a: int, b: int) -> int:
    x, w = _words(a), _words(b)[2:]
    for i in range(4):
        w.append((x[i] + (_rol(w[i], 15) ^ _rol(w[i], 13) ^ w[i] >> 10)) & M)
    return _joined(w[2:])


def _whatever_the_form(of: Callable[..., int]) -> Meaning:
    return lambda form: of


MEANING: dict[str, Meaning] = {"sha1rnds4": _sha1rnds4} | {
    name: _whatever_the_form(of)
    for name, of in (
        ("sha1nexte", _sha1nexte),
        ("sha1msg1", _sha1msg1),
        ("sha1msg2", _sha1msg2),
        ("sha256rnds2", _sha256rnds2),
        ("sha256msg1", _sha256msg1),
        ("sha256msg2", _sha256msg2),
    )
}
