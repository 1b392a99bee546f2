"""Ed25519 in plain integers, slowly: the rules of RFC 8032, 5.1, and of ZIP 215, for tests."""

from __future__ import annotations

import hashlib

from cryptostitch.core.arithmetic import D25519
from cryptostitch.core.arithmetic import P25519 as P

L = 2**252 + 27742317777372353535851937790883648493
Point = tuple[int, int]
NEUTRAL: Point = (0, 1)


def add(a: Point, b: Point) -> Point:
    (x1, y1), (x2, y2) = a, b
    product = D25519 * x1 * x2 * y1 * y2
    return (
        (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P,
        (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P,
    )


def multiple(n: int, point: Point) -> Point:
    total = NEUTRAL
    for bit in f"{n:b}":
        total = add(total, total)
        if bit == "1":
            total = add(total, point)
    return total


def negative(point: Point) -> Point:
    return -point[0] % P, point[1]


def decode(encoded: bytes, any_encoding: bool) -> Point | None:
    """RFC 8032, 5.1.3; ``any_encoding``: y may be p or more, and x = 0 may have a sign (ZIP 215)."""
    number = int.from_bytes(encoded, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    if y >= P and not any_encoding:
        return None
    y %= P
    square = (y * y - 1) * pow(D25519 * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign and not any_encoding):
        return None
    return (-x % P if x & 1 != sign else x), y


def encode(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"), False) or NEUTRAL


def challenge(r: bytes, key: bytes, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L


def is_right(key: bytes, message: bytes, signature: bytes, zip215: bool) -> bool:
    """RFC 8032, 5.1.7, without the cofactor and with R's encoding compared; or ZIP 215."""
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    a = decode(key, zip215)
    if s >= L or a is None:
        return False
    found = add(multiple(s, BASE), multiple(challenge(r, key, message), negative(a)))
    if not zip215:
        return encode(found) == r
    wanted = decode(r, True)
    return wanted is not None and multiple(8, add(found, negative(wanted))) == NEUTRAL


def small_order() -> list[Point]:
    """The eight points whose order divides 8."""
    y, generators = 2, []
    while not generators:
        point = decode(y.to_bytes(32, "little"), False)
        if point is not None and multiple(4, multiple(L, point)) != NEUTRAL:
            generators.append(multiple(L, point))
        y += 1
    return [multiple(n, generators[0]) for n in range(8)]


def encodings(point: Point) -> list[bytes]:
    """All encodings of a point, canonical first."""
    signs = (0, 1) if point[0] == 0 else (point[0] & 1,)
    ys = [point[1] + k * P for k in (0, 1) if point[1] + k * P < 1 << 255]
    return [(y | sign << 255).to_bytes(32, "little") for y in ys for sign in signs]
