"""Digests and HMACs of messages that have the same number of blocks, side by side (runtime/run/hash_abreast.hpp), against the oracle."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from targets import context_for

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job, Key

HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512_256", "sm3")
SUITES = [*HASHES, *(f"hmac-{name}" for name in HASHES if name != "sha512_256")]
# As many as lanes, one more and one less, more than one round of them, and more than are run at once.
JOBS = (1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 20, 24, 31, 32, 33, 47, 48, 63, 64, 65, 130)
LONGER = (1000, 1024, 1500, 2048, 4096, 9000, 16384, 65400)


@pytest.fixture(params=["host", "host-no_avx512", "sse_shani", "sse_aesni"])
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@dataclass
class Made:
    """A job and what is to come of it."""

    job: Job
    status: int
    tag: bytes


def make(rng: random.Random, name: str, key: Key, case: oracle.Case, tag_bytes: int) -> Made:
    """Sealed; or opened, every other time with a wrong tag."""
    direction = rng.choice((SEAL, OPEN)) if name.startswith("hmac") else SEAL
    right = case.tag[:tag_bytes]
    given = bytearray(bytes(tag_bytes) if direction == SEAL else right)
    forged = direction == OPEN and rng.random() < 0.5
    if forged:
        given[rng.randrange(tag_bytes)] ^= 1 << rng.randrange(8)
    job = Job(key, direction, data=case.data, tag=given)
    return Made(job, runtime.ERR_AUTH if forged else 0, bytes(given) if direction == OPEN else right)


def check(context: Context, made: list[Made]) -> None:
    assert context.burst([each.job for each in made]) == min(each.status for each in made)
    assert [(each.job.status, bytes(each.job.tag)) for each in made] == [(each.status, each.tag) for each in made]


class Bursts:
    """Of one suite, with some keys."""

    def __init__(self, context: Context, name: str) -> None:
        self.context, self.name, self.rng = context, name, random.Random(name)
        suite = context.suite(name)
        secrets = [oracle.secrets(self.rng, name) for _ in range(7)]
        self.keys = [(pair, suite.key(*pair)) for pair in secrets]
        self.tags = sorted({n for n in (4, 12, 13, 16, suite.tag_min, suite.tag_max - 1, suite.tag_max) if suite.tag_min <= n <= suite.tag_max})

    def case(self, length: int) -> tuple[oracle.Case, Key]:
        pair, key = self.rng.choice(self.keys)
        return oracle.case(self.rng, self.name, length, 0, pair), key

    def run(self, lengths: list[int]) -> None:
        made = []
        for length in lengths:
            case, key = self.case(length)
            made.append(make(self.rng, self.name, key, case, self.rng.choice(self.tags)))
        check(self.context, made)


@pytest.mark.parametrize("name", SUITES)
def test_every_number(context: Context, name: str) -> None:
    bursts = Bursts(context, name)
    for jobs in JOBS:
        for _ in range(4):
            bursts.run([bursts.rng.randrange(400)] * jobs)


@pytest.mark.parametrize("name", SUITES)
def test_every_length(context: Context, name: str) -> None:
    bursts = Bursts(context, name)
    for length in (*range(300), *LONGER):
        bursts.run([length] * bursts.rng.choice((2, 3, 4, 5, 8, 16)))


@pytest.mark.parametrize("name", SUITES)
def test_as_many_blocks(context: Context, name: str) -> None:
    """Of other lengths; of those one message may end before a block that another fills."""
    bursts = Bursts(context, name)
    block, counter = (128, 16) if "384" in name or "512" in name else (64, 8)
    for _ in range(60):
        blocks = bursts.rng.randrange(1, 9)
        most = blocks * block - counter - 1
        lengths = [bursts.rng.randrange(max(0, most - block + 1), most + 1) for _ in range(bursts.rng.randrange(2, 40))]
        bursts.run([most, *lengths])


@pytest.mark.parametrize("name", ["hmac-sha256", "sha1"])
def test_unlike(context: Context, name: str) -> None:
    """Others go the usual way, and with them those that are alike."""
    bursts = Bursts(context, name)
    for _ in range(30):
        bursts.run([bursts.rng.choice((0, 20, 64, 119, 120, 576, 1472, 70000)) for _ in range(bursts.rng.randrange(2, 30))])
