"""Every number of jobs about the lanes of kernels, by construction and level of instructions."""

from __future__ import annotations

import pytest
from built import suite_names
from cryptostitch.binding.runtime import OPEN, SEAL, Context
from jobs.builder import OWN_KEY, Bench, JobSpec
from jobs.samples import HEADS, LEVELS, NUMBERS, one_of_each, suites_of
from targets import context_for

SUITES = one_of_each(suite_names())
LENGTHS = (16, 64, 80, 128, 320, 1008, 1040, 2048)


@pytest.fixture(scope="module", params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.mark.parametrize("suite", SUITES)
def test_jobs_of_one_length(context: Context, suite: str) -> None:
    """Under one key and under many, in place and not: lanes without a job must not write to anybody's buffer."""
    bench = Bench(context, suite)
    for n in NUMBERS:
        for direction in (SEAL, OPEN):
            rng = bench.rng
            length, aad, in_place, one_key = (
                rng.choice(LENGTHS),
                rng.choice(HEADS),
                rng.random() < 0.5,
                rng.random() < 0.3,
            )
            bench.burst(
                JobSpec(
                    suite,
                    direction,
                    length,
                    0 if one_key else rng.choice((*range(5), OWN_KEY)),
                    aad,
                    in_place=in_place,
                    damage=rng.choice(("", "", "", "", "tag", "data")),
                )
                for _ in range(n)
            )


@pytest.mark.parametrize("suite", SUITES)
def test_jobs_of_unequal_lengths(shared_context: Context, suite: str) -> None:
    """No two of them are alike: each lane ends at another time, and is filled again."""
    bench = Bench(shared_context, suite)
    for n in NUMBERS:
        lengths = bench.rng.sample(range(2500), n)
        for direction in (SEAL, OPEN):
            bench.burst(
                JobSpec(suite, direction, length, OWN_KEY, length % 70, in_place=length % 2 == 0) for length in lengths
            )


@pytest.mark.parametrize("suite", [name for name in SUITES if name.startswith(("sha", "md5", "sm3", "hmac"))])
def test_messages_of_as_many_blocks(context: Context, suite: str) -> None:
    """Of other lengths: of those one message may end before a block that another fills."""
    bench = Bench(context, suite)
    block, counter = (128, 16) if "384" in suite or "512" in suite else (64, 8)
    for blocks in range(1, 9):
        most = blocks * block - counter - 1
        for n in (2, 7, 17, 40):
            lengths = [most, *(bench.rng.randrange(max(0, most - block + 1), most + 1) for _ in range(n - 1))]
            bench.burst(JobSpec(suite, bench.rng.choice((SEAL, OPEN)), length, OWN_KEY) for length in lengths)


def test_more_jobs_than_are_in_hand_at_once(shared_context: Context) -> None:
    bench = Bench(shared_context, 7)
    wanted = ("aes-128-cbc+hmac-sha1-etm", "aes-128-gcm", "sha256", "aes-256-ctr")
    for suite in (name for name in wanted if name in suites_of(shared_context)):
        bench.burst(
            JobSpec(suite, SEAL, bench.rng.randrange(2000), OWN_KEY, bench.rng.randrange(40)) for _ in range(700)
        )


def test_none(shared_context: Context) -> None:
    assert shared_context.burst([]) == 0
