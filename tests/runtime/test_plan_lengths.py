"""Every length of a message, alone and with others of its length, by construction and level of instructions."""

from __future__ import annotations

import random

import pytest
from built import suite_names
from cryptostitch.binding.runtime import OPEN, SEAL, Context
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, Bench, JobSpec
from jobs.samples import EDGES, HEADS, LEVELS, LONG, LONGER, STRIDES, one_of_each, suites_of
from targets import context_for

SUITES = one_of_each(suite_names())
EVERY = range(321)
EVERY_OF_A_TEXT = range(1100)
"""A few iterations of the widest kernels, byte by byte, where no hash has blocks."""
FEW = (2, 3, 4, 5, 8, 16)


@pytest.fixture(scope="module", params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def lengths_of(suite: str) -> list[int]:
    """Returns the lengths that the suite takes: all up to a few blocks, then those near borders."""
    of = oracle.meaning(suite)
    every = EVERY if of.hash else EVERY_OF_A_TEXT
    return sorted({of.fit_input(length) for length in (*every, *STRIDES, *LONGER)})


def spec_of(
    rng: random.Random, suite: str, length: int, direction: int | None = None, key: int | None = None
) -> JobSpec:
    return JobSpec(
        suite,
        rng.choice((SEAL, OPEN)) if direction is None else direction,
        length,
        rng.choice((0, 1, OWN_KEY)) if key is None else key,
        aad=rng.choice(HEADS),
        in_place=rng.random() < 0.5,
        shifts=(rng.randrange(64), rng.randrange(64)),
        tag=rng.choice((100, 100, rng.randrange(100))),
        pieces=rng.choice((0, 0, 0, 0, 0, 3)),
        room=rng.choice((0, 0, 3)),
        damage=rng.choice(("", "", "", "tag", "data", "aad", "iv")),
    )


@pytest.mark.parametrize("suite", SUITES)
def test_alone(context: Context, suite: str) -> None:
    """One job after the other, sealed or opened; of those that are opened some are forged."""
    bench = Bench(context, (context.cpu()["features"], suite))
    for length in lengths_of(suite):
        bench.burst([spec_of(bench.rng, suite, length)])


@pytest.mark.parametrize("suite", SUITES)
def test_ends_of_long_texts(context: Context, suite: str) -> None:
    """What a kernel's iterations leave of a text decides what it costs, and so which kernel is asked for, once for the
    choice of a step and once for its calls: the two may differ. The answers must not."""
    bench, of = Bench(context, suite), oracle.meaning(suite)
    for whole in (9 * 1024, 13 * 1024, 21 * 1024):
        for length in sorted({of.fit_input(whole + rest) for rest in (0, 1, 5, 15, 16, 17, 69)}):
            for in_place in (False, True):
                for direction in (SEAL, OPEN):
                    bench.burst([JobSpec(suite, direction, length, OWN_KEY, 31, in_place=in_place)])


@pytest.mark.parametrize("suite", SUITES)
def test_with_others_of_its_length(context: Context, suite: str) -> None:
    """The AAD has one length too, so that all that is public is the same."""
    bench = Bench(context, suite)
    for length in lengths_of(suite)[:: 1 if LONG else 3]:
        rng, aad, direction = bench.rng, bench.rng.choice(HEADS), bench.rng.choice((SEAL, OPEN))
        bench.burst(
            JobSpec(
                suite,
                direction,
                length,
                rng.choice((0, 1, OWN_KEY)),
                aad,
                in_place=rng.random() < 0.5,
                damage=rng.choice(("", "", "", "tag", "data")),
            )
            for _ in range(rng.choice(FEW if length < 5000 else (2, 3)))
        )


EIGHTHS = [at + d for at in range(1024, 2048, 128) for d in (0, 64, 1, 127)]
"""Bytes: of each range of lengths for which one choice of a kernel is remembered, the least and the largest."""


@pytest.mark.parametrize("order", [1, -1], ids=["the shorter first", "the longer first"])
@pytest.mark.parametrize("suite", SUITES)
def test_lengths_that_share_a_choice(library: str, suite: str, order: int) -> None:
    """The kernel that was chosen for a length must do what it is remembered for. Nothing is remembered at first."""
    for level in LEVELS:
        context = context_for(level, library)
        if suite not in suites_of(context):
            continue
        bench = Bench(context, (suite, order))
        for direction in (SEAL, OPEN):
            for aad in (0, 13, 64):
                for length in sorted({oracle.meaning(suite).fit_input(n) for n in EIGHTHS})[::order]:
                    bench.burst([JobSpec(suite, direction, length, 0, aad)])


@pytest.mark.parametrize("one_key", [False, True], ids=["own keys", "one key"])
@pytest.mark.parametrize("suite", SUITES)
def test_all_lengths_in_one_burst(shared_context: Context, suite: str, one_key: bool) -> None:
    """Lanes become empty one by one."""
    bench = Bench(shared_context, (suite, one_key))
    lengths = [*EVERY]
    bench.rng.shuffle(lengths)
    for direction in (SEAL, OPEN):
        bench.burst(spec_of(bench.rng, suite, length, direction, 0 if one_key else OWN_KEY) for length in lengths)


@pytest.mark.parametrize("suite", suite_names())
def test_edges_of_every_suite(shared_context: Context, suite: str) -> None:
    """Suites that differ in the size of a key only do the same, and have kernels of their own."""
    bench = Bench(shared_context, suite)
    for length in (*EDGES, 320, 1008, 2048):
        for n in (1, 9):
            direction = bench.rng.choice((SEAL, OPEN))
            bench.burst(spec_of(bench.rng, suite, length, direction) for _ in range(n))


def test_long_heads_and_long_texts(shared_context: Context) -> None:
    wanted = ("aes-128-cbc+hmac-sha1-etm", "aes-256-cbc+hmac-sha512-etm", "a128cbc-hs256", "aes-128-gcm")
    for suite in (name for name in wanted if name in suites_of(shared_context)):
        bench = Bench(shared_context, suite)
        for direction in (SEAL, OPEN):
            bench.burst(
                JobSpec(suite, direction, length, OWN_KEY, aad)
                for length, aad in ((100000, 5), (16, 100000), (65536, 65536), (70000, 48))
            )
