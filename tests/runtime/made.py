"""Jobs that know what they should come to."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, replace

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job


@dataclass
class Made:
    """A job, and what it should come to."""

    job: Job
    status: int
    out: bytes
    tag: bytes


def make(rng: random.Random, key: runtime.Key, case: oracle.Case, direction: int, in_place: bool, forged: str) -> Made:
    text, aad, tag, iv = bytearray(case.data if direction == SEAL else case.out), bytearray(case.aad), bytearray(case.tag if direction == OPEN else len(case.tag)), bytearray(case.iv)
    spoiled = {"": None, "tag": tag, "text": text, "aad": aad, "iv": iv}[forged]
    if spoiled is not None:
        spoiled[rng.randrange(len(spoiled))] ^= 1 << rng.randrange(8)
    out = text if in_place else bytearray(b"\xaa" * len(text))
    job = Job(key, direction, iv=bytes(iv), aad=bytes(aad) or None, data=memoryview(text) if in_place else bytes(text), out=out, tag=tag)
    right = case.out if direction == SEAL else bytes(len(text)) if forged else case.data
    return Made(job, runtime.ERR_AUTH if forged else 0, right, case.tag if direction == SEAL else bytes(tag))


def sealed_record(key: runtime.Key, case: oracle.Case, in_place: bool) -> Made:
    """A TLS record to be sealed; its `out` has three bytes more than that takes, which stay as they are."""
    room = bytearray(case.data) + bytearray(b"\xaa" * (len(case.out) - len(case.data) + 3))
    out = room if in_place else bytearray(b"\xaa" * len(room))
    data = memoryview(room)[: len(case.data)] if in_place else bytes(case.data)
    return Made(Job(key, SEAL, iv=case.iv, aad=case.aad, data=data, out=out), 0, case.out + b"\xaa" * 3, b"")


def check(context: Context, made: list[Made]) -> None:
    assert context.burst([each.job for each in made]) == min(each.status for each in made)
    for each in made:
        assert (each.job.status, each.job.out_len) == (each.status, 0 if each.status else len(each.out))
        assert bytes(each.job.out) == each.out and bytes(each.job.tag) == each.tag


def carrying(name: str, case: oracle.Case) -> oracle.Case:
    """The same text under a counter whose last 32 bits wrap in it."""
    iv = case.iv[:12] + struct.pack(">I", 2**32 - 2)
    out, tag = oracle.seal(name, case.key, case.mac_key, iv, case.aad, case.data)
    return replace(case, iv=iv, out=out, tag=tag)
