"""Every length, in one call and in bursts of equal and unequal jobs, against independent implementations."""

from __future__ import annotations

import random

import pytest
from built import suite_names

from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job, Key

LENGTHS = range(0, 321)


def keys_of(context: Context, case: oracle.Case) -> Key:
    return context.suite(case.suite).key(case.key or None, case.mac_key or None)


def run(context: Context, cases: list[oracle.Case], keys: list[Key]) -> None:
    """Seals and opens in two bursts."""
    outs = [bytearray(len(c.out)) for c in cases]
    tags = [bytearray(len(c.tag)) for c in cases]
    blobs = [(c.iv or None, c.aad or None) for c in cases]
    jobs = [
        Job(k, SEAL, iv=iv, aad=aad, data=c.data, out=out if c.key else None, tag=tag)
        for k, c, out, tag, (iv, aad) in zip(keys, cases, outs, tags, blobs)
    ]
    assert context.burst(jobs) == 0
    for case, job, out, tag in zip(cases, jobs, outs, tags):
        assert job.status == 0 and job.out_len == len(case.out)
        assert (bytes(out), bytes(tag)) == (case.out, case.tag), (case.suite, len(case.data), len(case.aad))
    backs = [bytearray(len(c.out)) for c in cases]
    jobs = [
        Job(k, OPEN, iv=iv, aad=aad, data=c.out if c.key else c.data, out=back if c.key else None, tag=c.tag)
        for k, c, back, (iv, aad) in zip(keys, cases, backs, blobs)
    ]
    assert context.burst(jobs) == 0
    for case, job, back in zip(cases, jobs, backs):
        assert job.status == 0
        if case.key:
            assert bytes(back[: job.out_len]) == case.data, (case.suite, len(case.data), len(case.aad))


@pytest.fixture(params=suite_names())
def suite(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_each_length_alone(shared_context: Context, suite: str) -> None:
    rng = random.Random(suite)
    keys = oracle.secrets(rng, suite)
    for length in LENGTHS:
        case = oracle.case(rng, suite, length, length % 70, keys)
        key = keys_of(shared_context, case)
        if not case.key:
            assert key.digest(case.data) == case.tag, length
            key.open(case.data, case.tag)
            continue
        assert key.seal(case.data, case.iv or None, case.aad or None) == (case.out, case.tag), (length, len(case.aad))
        assert key.open(case.out, case.tag or None, case.iv or None, case.aad or None) == case.data, (length, len(case.aad))


@pytest.mark.parametrize("one_key", [False, True])
def test_all_lengths_in_one_burst(shared_context: Context, suite: str, one_key: bool) -> None:
    rng = random.Random(f"{suite}{one_key}")
    keys = oracle.secrets(rng, suite) if one_key else None
    cases = [oracle.case(rng, suite, length, rng.randrange(140), keys) for length in LENGTHS]
    if one_key:
        key = keys_of(shared_context, cases[0])
        run(shared_context, cases, [key] * len(cases))
    else:
        run(shared_context, cases, [keys_of(shared_context, c) for c in cases])


@pytest.mark.parametrize("jobs", [1, 2, 3, 15, 16, 17, 31, 32, 33, 47, 64, 65])
@pytest.mark.parametrize("aad", [0, 13, 16])
def test_equal_jobs(shared_context: Context, suite: str, jobs: int, aad: int) -> None:
    rng = random.Random(f"{suite}{jobs}{aad}")
    one = oracle.secrets(rng, suite)
    for length, keys in ((1008, None), (2048, one)):
        cases = [oracle.case(rng, suite, length, aad, keys) for _ in range(jobs)]
        key = keys_of(shared_context, cases[0])
        run(shared_context, cases, [key if keys else keys_of(shared_context, c) for c in cases])


def test_more_jobs_than_are_in_hand_at_once(shared_context: Context) -> None:
    rng = random.Random(7)
    name = "aes-128-cbc+hmac-sha1-etm"
    cases = [oracle.case(rng, name, rng.randrange(2000), rng.randrange(40)) for _ in range(300)]
    run(shared_context, cases, [keys_of(shared_context, c) for c in cases])


def test_long_head_and_long_body(shared_context: Context) -> None:
    rng = random.Random(8)
    cases = [
        oracle.case(rng, name, length, aad)
        for name in ("aes-128-cbc+hmac-sha1-etm", "aes-256-cbc+hmac-sha512-etm", "a128cbc-hs256")
        for length, aad in ((100000, 5), (16, 100000), (65536, 65536), (70000, 48))
    ]
    run(shared_context, cases, [keys_of(shared_context, c) for c in cases])
