"""Short GCM messages, without kernels (runtime/run/gcm_few.hpp): by vectors of four blocks, of two, and of one."""

from __future__ import annotations

import random

import pytest
from gcm_jobs import gcm_job, in_place_job

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job

# Around whole blocks, vectors, strides, as many of these as share a reduction, and the longest.
LENGTHS = (
    0, 1, 15, 16, 17, 48, 49, 63, 64, 65, 96, 111, 112, 113, 127, 128, 129, 191, 192, 193, 240, 255, 256, 257, 368, 384, 463, 464, 465, 479, 480, 481, 511, 512, 513,
    767, 768, 769, 1023, 1024, 1025, 1087, 1088, 1089, 1663, 1664, 1665, 2047, 2048, 2049, 3071, 3072, 3073, 5120, 5121, 8192, 8193, 16384, 16385,
)  # fmt: skip
AAD = (0, 8, 13, 16, 20, 48, 49, 64, 65, 112, 239, 240, 241, 255, 256, 257, 304, 305, 450, 497)
JOBS = 19


@pytest.fixture(params=["host", "host-no_avx512", "host-no_avx512-vaes", "sse_aesni"])
def context(request: pytest.FixtureRequest, library: str) -> Context:
    """Four blocks, two, one; and one where there is no AVX either."""
    return Context(target=request.param, library=library)


@pytest.mark.parametrize("suite_name", ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"])
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_bursts_of_one_length(context: Context, suite_name: str, direction: int) -> None:
    rng, suite = random.Random(f"{suite_name} {direction}"), context.suite(suite_name)
    for length in LENGTHS:
        aad_len, tag_len = rng.choice(AAD), rng.choice((16, 16, 12, 13))
        cases = [oracle.case(rng, suite_name, length, aad_len) for _ in range(JOBS)]
        jobs = [gcm_job(suite.key(case.key), case, direction, tag_len) for case in cases]
        assert context.burst(jobs) == 0
        for made, case in zip(jobs, cases):
            assert made.status == 0 and made.out_len == length
            assert bytes(made.out) == (case.out if direction == SEAL else case.data)
            assert bytes(made.tag) == case.tag[:tag_len]


@pytest.mark.parametrize("suite_name", ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"])
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_every_length(context: Context, suite_name: str, direction: int) -> None:
    """One job, in place or not; of those that are opened every fourth is forged."""
    rng, suite = random.Random(f"{suite_name} {direction}"), context.suite(suite_name)
    for length in range(600 if suite_name != "aes-128-gcm" else 1100):
        case = oracle.case(rng, suite_name, length, rng.choice(AAD))
        made = rng.choice((gcm_job, in_place_job))(suite.key(case.key), case, direction)
        forged = direction == OPEN and rng.random() < 0.25
        if forged:
            made.tag[rng.randrange(16)] ^= 1 << rng.randrange(8)
        assert context.burst([made]) == (runtime.ERR_AUTH if forged else 0), length
        want = bytes(length) if forged else case.out if direction == SEAL else case.data
        assert bytes(made.out) == want and (forged or bytes(made.tag) == case.tag), length


def test_forged_ones_among_others(context: Context) -> None:
    rng, suite = random.Random(3), context.suite("aes-128-gcm")
    for length in (0, 5, 64, 300, 480):
        cases = [oracle.case(rng, "aes-128-gcm", length, 13) for _ in range(JOBS)]
        jobs = [gcm_job(suite.key(case.key), case, OPEN) for case in cases]
        forged = {0, 7, 8, JOBS - 1}
        for i in forged:
            jobs[i].tag[i % 16] ^= 1 << i % 8
        assert context.burst(jobs) == runtime.ERR_AUTH
        for i, (made, case) in enumerate(zip(jobs, cases)):
            assert made.status == (runtime.ERR_AUTH if i in forged else 0)
            assert bytes(made.out) == (bytes(length) if i in forged else case.data)


@pytest.mark.parametrize("shuffled", [False, True])
def test_mixed_lengths_directions_and_suites(context: Context, shuffled: bool) -> None:
    """Some go the general way, and what waits for its like is run in the end."""
    rng = random.Random(f"mixed {shuffled}")
    plan = [(name, length, direction) for name in ("aes-128-gcm", "aes-256-gcm", "aes-128-cbc") for length in (16, 64, 480, 496, 2048) for direction in (SEAL, OPEN)
            for _ in range(3)]
    if shuffled:
        rng.shuffle(plan)
    cases = [oracle.case(rng, name, length, 8 if "gcm" in name else 0) for name, length, _ in plan]
    jobs = []
    for (name, _, direction), case in zip(plan, cases):
        key = context.suite(name).key(case.key)
        if "gcm" in name:
            jobs.append(gcm_job(key, case, direction))
        else:
            text = case.data if direction == SEAL else case.out
            jobs.append(Job(key, direction, iv=case.iv, data=text, out=bytearray(len(text))))
    assert context.burst(jobs) == 0
    for (_, _, direction), made, case in zip(plan, jobs, cases):
        assert made.status == 0 and bytes(made.out) == (case.out if direction == SEAL else case.data)
        assert bytes(made.tag or b"") == case.tag


def test_in_place(context: Context) -> None:
    rng, suite = random.Random(4), context.suite("aes-128-gcm")
    for length in (1, 64, 100, 256):
        cases = [oracle.case(rng, "aes-128-gcm", length, 8) for _ in range(JOBS)]
        for direction in (SEAL, OPEN):
            jobs = [in_place_job(suite.key(case.key), case, direction) for case in cases]
            context.burst(jobs)
            assert [bytes(made.out) for made in jobs] == [case.out if direction == SEAL else case.data for case in cases]


def test_every_aad_alone(context: Context) -> None:
    """One job at a time, AAD and text of as many blocks as share a reduction, or one more or less."""
    rng, suite = random.Random(6), context.suite("aes-128-gcm")
    for length in (0, 1, 64, 100, 240, 256, 257, 300, 512, 600, 4096):
        for aad_len in AAD:
            case = oracle.case(rng, "aes-128-gcm", length, aad_len)
            key, tag_len = suite.key(case.key), rng.choice((16, 12))
            sealed, opened, forged = gcm_job(key, case, SEAL, tag_len), gcm_job(key, case, OPEN, tag_len), gcm_job(key, case, OPEN, tag_len)
            forged.tag[rng.randrange(tag_len)] ^= 1 << rng.randrange(8)
            assert context.burst([sealed]) == context.burst([opened]) == 0
            assert (bytes(sealed.out), bytes(sealed.tag), bytes(opened.out)) == (case.out, case.tag[:tag_len], case.data)
            assert context.burst([forged]) == runtime.ERR_AUTH and bytes(forged.out) == bytes(length)
