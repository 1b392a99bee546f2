"""Encrypt-then-MAC and ESP of short messages that are alike (runtime/run/etm_abreast.hpp), against the oracle."""

from __future__ import annotations

import random

import pytest
from made import carrying, check, make, sealed_record
from targets import context_for

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job

SUITES = [
    "aes-128-cbc+hmac-sha1-etm", "aes-256-cbc+hmac-sha256-etm", "aes-192-cbc+hmac-sha512-etm", "aes-128-cbc+hmac-md5-etm", "aes-128-cbc+hmac-sm3-etm",
    "aes-128-ctr+hmac-sha1-etm", "aes-256-ctr+hmac-sha384-etm", "aes-128-ctr+hmac-sha224-etm",
    "aes-128-cbc+hmac-sha1-96", "aes-256-cbc+hmac-sha256-128", "aes-128-cbc+hmac-sha512-256",
]  # fmt: skip
JOBS = (1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33, 64, 65, 100)


@pytest.fixture(params=["host", "host-no_avx512", "sse_aesni_shani", "sse_aesni"])
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


class Bursts:
    """Of one suite, with some keys."""

    def __init__(self, context: Context, name: str) -> None:
        self.context, self.name, self.rng = context, name, random.Random(name)
        suite = context.suite(name)
        self.keys = [(pair, suite.key(*pair)) for pair in (oracle.secrets(self.rng, name) for _ in range(5))]
        self.step = 1 if "ctr" in name else 16

    def run(self, jobs: int, length: int, aad_len: int, direction: int, forge: float = 0.0) -> None:
        rng, made = self.rng, []
        in_place, one_key = rng.random() < 0.5, rng.random() < 0.3
        pair, key = rng.choice(self.keys)
        for _ in range(jobs):
            if not one_key:
                pair, key = rng.choice(self.keys)
            case = oracle.case(rng, self.name, length, aad_len, pair)
            forged = rng.choice(("tag", "text", "iv", "aad" if case.aad else "tag")) if direction == OPEN and length and rng.random() < forge else ""
            made.append(make(rng, key, case, direction, in_place, forged))
        check(self.context, made)


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_every_number(context: Context, name: str, direction: int) -> None:
    bursts = Bursts(context, name)
    for jobs in JOBS:
        for _ in range(2):
            bursts.run(jobs, bursts.rng.randrange(bursts.step, 480, bursts.step), bursts.rng.choice((8, 12, 13, 20, 40)), direction, bursts.rng.choice((0, 0.2, 1)))


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_every_length(context: Context, name: str, direction: int) -> None:
    """And AAD of every length, up to where the head is too long."""
    bursts = Bursts(context, name)
    for at, length in enumerate((*range(0, 560, bursts.step), 1008, 1024, 2032, 2048, 4000, 4096, 4112, 9008)):
        bursts.run(1 if at % 2 else bursts.rng.choice((2, 3, 5, 8)), length, bursts.rng.choice((8, 12)) if "etm" not in name else at % 130, direction, 0.1)


@pytest.mark.parametrize("name", ["aes-128-cbc+hmac-sha1-etm", "aes-128-ctr+hmac-sha256-etm"])
def test_scattered(context: Context, name: str) -> None:
    """One job in pieces goes another way."""
    rng, suite = random.Random(2), context.suite(name)
    for direction in (SEAL, OPEN):
        case = oracle.case(rng, name, 160, 13)
        text, out = bytearray(case.data if direction == SEAL else case.out), bytearray(160)
        view, place = memoryview(text), memoryview(out)
        job = Job(suite.key(case.key, case.mac_key), direction, iv=case.iv, aad=case.aad, data=[view[:7], view[7:100], view[100:]], out=[place[:33], place[33:]], tag=bytearray(case.tag))
        assert context.burst([job]) == 0 and bytes(out) == (case.out if direction == SEAL else case.data) and bytes(job.tag) == case.tag


def test_counters_that_carry(context: Context) -> None:
    """The last of a burst counts beyond 32 bits: none is enciphered twice."""
    name, rng = "aes-128-ctr+hmac-sha256-etm", random.Random(1)
    suite = context.suite(name)
    for jobs in (1, 3):
        for direction in (SEAL, OPEN):
            cases = [oracle.case(rng, name, 64, 13) for _ in range(jobs)]
            cases[-1] = carrying(name, cases[-1])
            check(context, [make(rng, suite.key(case.key, case.mac_key), case, direction, True, "") for case in cases])


@pytest.mark.parametrize("hash_", ["sha1", "sha256", "sha384"])
def test_records(context: Context, hash_: str) -> None:
    """TLS records of one length that are sealed: text, MAC and padding are put together in `out`, which may be the text's place too."""
    name = f"aes-256-cbc+hmac-{hash_}-tls"
    rng, suite = random.Random(name), context.suite(name)
    keys = [(pair, suite.key(*pair)) for pair in (oracle.secrets(rng, name) for _ in range(3))]
    lengths = (*range(70), *range(70, 600, 7), 1024, 1263, 1267, 1268, 4096)
    for at, length in enumerate(lengths):
        n = 1 if at % 3 else rng.choice((2, 3, 5, 9, 17, 70 if length < 300 else 2))
        made = []
        for _ in range(n):
            pair, key = rng.choice(keys)
            made.append(sealed_record(key, oracle.case(rng, name, length, 11, pair), at % 2 == 1))
        assert context.burst([each.job for each in made]) == 0
        for each in made:
            assert (each.job.status, each.job.out_len) == (0, len(each.out) - 3) and bytes(each.job.out) == each.out, (length, n)
