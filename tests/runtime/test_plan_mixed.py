"""Bursts of several suites, directions and lengths, and one after the other in one context. Any mix at all is drawn in
engine/test_burst_model.py."""

from __future__ import annotations

import random

import pytest
from built import suite_names
from cryptostitch.binding.runtime import OPEN, SEAL, Context
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, Bench, JobSpec
from jobs.samples import HEADS, LEVELS, one_of_each, one_per_construction, suites_of
from targets import context_for

SUITES = one_per_construction(suite_names())
LENGTHS = (16, 64, 64, 320, 480, 496, 576, 1024, 1408, 2048)


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def any_spec(rng: random.Random, suite: str, lengths: tuple[int, ...] = LENGTHS) -> JobSpec:
    return JobSpec(
        suite,
        rng.choice((SEAL, OPEN)),
        rng.choice(lengths),
        rng.choice((0, 1, 2, OWN_KEY)),
        rng.choice(HEADS),
        in_place=rng.random() < 0.5,
        pieces=rng.choice((0, 0, 0, 0, 2, 5)),
        damage=rng.choice(("", "", "", "", "tag", "data")),
    )


@pytest.mark.parametrize("suite", SUITES)
def test_the_first_job_is_of_another_suite(context: Context, suite: str) -> None:
    """What the first job is says nothing about the rest; nor does the last."""
    bench = Bench(context, suite)
    for other in SUITES:
        if other == suite:
            continue
        direction, length, n = bench.rng.choice((SEAL, OPEN)), bench.rng.choice(LENGTHS), bench.rng.choice((4, 9, 33))
        alike = [JobSpec(suite, direction, length, bench.rng.choice((0, OWN_KEY)), 13) for _ in range(n)]
        stranger = JobSpec(other, bench.rng.choice((SEAL, OPEN)), length, 0, 13)
        bench.burst(bench.rng.choice(([stranger, *alike], [stranger, *alike, stranger], [*alike, stranger])))


@pytest.mark.parametrize("suite", SUITES)
def test_the_first_job_goes_the_other_way(context: Context, suite: str) -> None:
    bench = Bench(context, suite)
    for n in (2, 9, 33):
        for direction in (SEAL, OPEN):
            length = bench.rng.choice(LENGTHS)
            alike = [JobSpec(suite, direction, length, OWN_KEY, 13) for _ in range(n)]
            bench.burst([JobSpec(suite, OPEN - direction, length, 0, 13), *alike])


@pytest.mark.parametrize("suite", SUITES)
def test_jobs_that_are_alike_among_others(context: Context, suite: str) -> None:
    """Of a few lengths, so that some are alike and some have no like; one in five is of another suite."""
    bench = Bench(context, suite)
    for n in (3, 5, 9, 16, 33, 65, 150):
        few = tuple(bench.rng.choice((*LENGTHS, bench.rng.randrange(2100), 4096)) for _ in range(3))
        bench.burst(
            any_spec(bench.rng, suite if bench.rng.random() < 0.8 else bench.rng.choice(SUITES), few) for _ in range(n)
        )


@pytest.mark.parametrize("suite", SUITES)
def test_pieces_among_whole_ones(context: Context, suite: str) -> None:
    bench = Bench(context, suite)
    for n in (1, 9, 40):
        for direction in (SEAL, OPEN):
            bench.burst(
                JobSpec(suite, direction, bench.rng.choice((64, 576)), 0, 13, pieces=bench.rng.choice((0, 0, 1, 2, 7)))
                for _ in range(n)
            )


@pytest.mark.parametrize("suite", SUITES)
def test_texts_in_pieces_longer_than_what_is_copied(context: Context, suite: str) -> None:
    """Short ones are copied together and run as others (runtime/run/one_piece.hpp); these run piece by piece, in one
    burst with some of the others."""
    bench = Bench(context, suite)
    for direction in (SEAL, OPEN):
        for lengths in ((20480, 20481, 300), (33000,), (65553, 40000, 20470, 64)):
            bench.burst([JobSpec(suite, direction, length, OWN_KEY, 13, pieces=3) for length in lengths])
            bench.burst([JobSpec(suite, direction, length, 0, 13, in_place=True, pieces=7) for length in lengths])


@pytest.mark.parametrize("suite", one_of_each(suite_names()))
def test_a_long_memory(context: Context, suite: str) -> None:
    """What a context has learned from one burst must not mislead another: lone jobs, then equal ones."""
    bench = Bench(context, suite)
    borders = sorted({oracle.meaning(suite).fit_input(n) for n in (0, 17, 64, 513, 1040, 4096)})
    for direction in (SEAL, OPEN):
        for length in borders:
            for aad in (0, 8):
                bench.burst([JobSpec(suite, direction, length, OWN_KEY, aad)])
        for length in borders:
            for n in (8, 17):
                bench.burst([JobSpec(suite, direction, length, OWN_KEY, 0)] * n)


def test_equal_jobs_after_a_lone_one(context: Context) -> None:
    """Once 8 b messages of a blocks were taken for a lone text of 512 a + b bytes, and a kernel ran away."""
    if "aes-128-ccm" not in suites_of(context):
        pytest.skip("this library has no CCM")
    for direction in (SEAL, OPEN):
        bench = Bench(context, direction)
        bench.burst([JobSpec("aes-128-ccm", direction, 17, 0, 8)])
        for blocks in range(1, 15):
            for eights in range(1, 9):
                bench.burst([JobSpec("aes-128-ccm", direction, 512 * blocks + eights, 0)])
                bench.burst([JobSpec("aes-128-ccm", direction, 16 * (blocks - 1), 0)] * 8 * eights)


@pytest.mark.parametrize("suite", SUITES)
def test_what_has_run_is_left_alone(context: Context, suite: str) -> None:
    """Once the last of many jobs took its like with it, which had run already: in place they were enciphered twice."""
    for direction in (SEAL, OPEN):
        bench = Bench(context, (suite, direction))
        for before in (15, 31, 63, 127):
            lengths = [16 * (at + 100) for at in range(before)] + [384] * bench.rng.choice((9, 18, 65))
            bench.burst(JobSpec(suite, direction, length, 0, 13, in_place=True) for length in lengths)
