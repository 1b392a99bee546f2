"""Jobs of ChaCha20-Poly1305 whose results an independent implementation knows."""

from __future__ import annotations

import random

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job

SUITE = "chacha20-poly1305"
GUARD = b"\xa5" * 64


def cases(rng: random.Random, length: int, aad: int, n: int, one_key: bool = False) -> list[oracle.Case]:
    first = oracle.case(rng, SUITE, length, aad)
    return [first] + [oracle.case(rng, SUITE, length, aad, (first.key, first.mac_key) if one_key else None) for _ in range(n - 1)]


class Prepared:
    """A job, whose output lies between guards, or where its input lies."""

    def __init__(self, context: Context, case: oracle.Case, direction: int, in_place: bool = False, spoil: str = ""):
        self.case, self.direction = case, direction
        text = case.data if direction == SEAL else case.out
        tag, aad = bytearray(case.tag if direction == OPEN else 16), bytearray(case.aad)
        self.place = bytearray(GUARD + (text if in_place else b"\xaa" * len(text)) + GUARD)
        out = memoryview(self.place)[len(GUARD):len(GUARD) + len(text)]
        data = out if in_place else bytearray(text)
        if spoil == "text":
            data[len(text) // 2] ^= 1
        if spoil == "aad":
            aad[0] ^= 0x80
        if spoil == "tag":
            tag[15] ^= 1
        self.spoilt = bool(spoil)
        self.job = Job(context.suite(SUITE).key(case.key), direction, iv=case.iv, aad=aad or None, data=data, out=out, tag=tag)

    def check(self) -> None:
        size, wanted = len(self.case.data), self.case.out if self.direction == SEAL else self.case.data
        assert self.job.status == (runtime.ERR_AUTH if self.spoilt else 0)
        assert self.place == GUARD + (bytes(size) if self.spoilt else wanted) + GUARD
        assert self.job.out_len == (0 if self.spoilt else size)
        if not self.spoilt:
            assert bytes(self.job.tag) == self.case.tag


def run(context: Context, prepared: list[Prepared]) -> None:
    assert context.burst([p.job for p in prepared]) == (runtime.ERR_AUTH if any(p.spoilt for p in prepared) else 0)
    for p in prepared:
        p.check()
