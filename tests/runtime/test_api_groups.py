"""Bursts of several lengths, of which jobs that are alike go side by side (runtime/run/groups.hpp), against the oracle."""

from __future__ import annotations

import random

import pytest
from made import Made, carrying, check, make
from targets import context_for

from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job

SUITES = ["aes-128-cbc", "aes-256-ctr", "aes-256-xts", "chacha20", "aes-128-ecb", "aes-128-ctr+hmac-sha1-etm", "aes-256-ctr+hmac-sha256-etm", "aes-192-ctr+hmac-sha512-etm",
          "aes-128-cbc+hmac-sha256-etm", "aes-128-gcm", "chacha20-poly1305"]  # fmt: skip
JOBS = (2, 3, 4, 5, 8, 9, 16, 33, 63, 64, 65, 128, 150)


@pytest.fixture(params=["host", "host-no_avx512", "host-no_shani", "sse_aesni"])
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def scattered(job: Job, at: int) -> Job:
    text, out = memoryview(job.data), memoryview(job.out)
    return Job(job.key, job.direction, iv=job.iv, aad=job.aad, data=[text[:at], text[at:]], out=[out[:at], out[at:]], tag=job.tag)


@pytest.mark.parametrize("name", SUITES)
def test_bursts_of_a_few_lengths(context: Context, name: str) -> None:
    """A second suite, both directions, wrong tags, and jobs in pieces are among them."""
    rng, steps = random.Random(name), {}
    keys = {}
    for suite_name in (name, "aes-128-cbc" if name != "aes-128-cbc" else "aes-256-cbc"):
        suite = context.suite(suite_name)
        keys[suite_name] = [(pair, suite.key(*pair)) for pair in (oracle.secrets(rng, suite_name) for _ in range(3))]
        steps[suite_name] = max(suite.block_bytes, suite.min_bytes, 1)
    for n in JOBS:
        for forge in (0.0, 0.2):
            lengths = [rng.randrange(1, 40) * 16 for _ in range(rng.choice((1, 2, 3, 6)))] + [rng.choice((16, 1472, 4096, 65552 if n < 10 else 64))]
            only = rng.random() < 0.5
            made: list[Made] = []
            for _ in range(n):
                suite_name = name if only or rng.random() < 0.8 else [*keys][1]
                pair, key = rng.choice(keys[suite_name])
                length = rng.choice(lengths) + rng.choice((0, 0, 0, 1)) if steps[suite_name] == 1 else rng.choice(lengths)
                length = 0 if steps[suite_name] == 1 and rng.random() < 0.05 else length
                case = oracle.case(rng, suite_name, length, 13, pair)
                direction = rng.choice((SEAL, OPEN)) if case.tag else rng.choice((SEAL, SEAL, OPEN))
                each = make(rng, key, case, direction, rng.random() < 0.5, "tag" if case.tag and direction == OPEN and rng.random() < forge else "")
                made.append(each)
            check(context, made)


@pytest.mark.parametrize("name", ["aes-128-cbc", "chacha20", "aes-128-ctr+hmac-sha256-etm"])
def test_pieces_are_left_out(context: Context, name: str) -> None:
    rng, suite = random.Random(name), context.suite(name)
    pair = oracle.secrets(rng, name)
    key = suite.key(*pair)
    for n in (9, 40):
        cases = [oracle.case(rng, name, rng.choice((64, 576)), 13, pair) for _ in range(n)]
        made = [make(rng, key, case, SEAL, False, "") for case in cases]
        jobs = [scattered(each.job, rng.randrange(64)) if rng.random() < 0.3 else each.job for each in made]
        assert context.burst(jobs) == 0
        assert all(bytes(each.job.out) == each.out and bytes(each.job.tag) == each.tag for each in made)


def test_counters_that_carry(context: Context) -> None:
    """One of a group counts beyond 32 bits: none is enciphered twice, none is lost."""
    name, rng = "aes-128-ctr+hmac-sha256-etm", random.Random(1)
    suite = context.suite(name)
    for direction in (SEAL, OPEN):
        cases = [oracle.case(rng, name, rng.choice((64, 320)), 13) for _ in range(30)]
        for at in (3, 29):
            cases[at] = carrying(name, cases[at])
        check(context, [make(rng, suite.key(case.key, case.mac_key), case, direction, True, "") for case in cases])
