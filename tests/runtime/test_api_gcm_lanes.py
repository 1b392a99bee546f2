"""GCM messages of the same lengths side by side (runtime/run/gcm_lanes.hpp)."""

from __future__ import annotations

import random

import pytest
from gcm_jobs import gcm_job, in_place_job, runnable_kernels

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job

# Around whole blocks and strides, and the longest that lanes take.
LENGTHS = (0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 79, 80, 81, 127, 128, 129, 256, 300, 511, 512, 513, 639, 640, 641, 687, 688, 689, 703, 704, 705, 735, 736, 737, 767, 768, 769, 784,
           1500)
AAD = (0, 1, 8, 13, 16, 20, 32, 33, 127, 128, 129)


@pytest.fixture
def lanes(library: str) -> Context:
    """A context that runs messages in lanes: with AVX-512 short ones need no kernel."""
    context = Context(target="host-no_avx512", library=library)
    if not lane_kernels(context):
        pytest.skip("no kernels of several lanes here: AVX2 with VAES and VPCLMULQDQ, or more")
    return context


def lane_kernels(context: Context) -> list[str]:
    return runnable_kernels(context, lambda name: name.startswith("ghash_x") and not name.startswith("ghash_x1"))


def lane_calls(context: Context) -> int:
    return sum(context.kernel(name).calls() for name in lane_kernels(context))


def cases_of(rng: random.Random, suite: str, length: int, aad_len: int, jobs: int) -> list[oracle.Case]:
    return [oracle.case(rng, suite, length, aad_len) for _ in range(jobs)]


@pytest.mark.parametrize("suite_name", ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"])
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_all_shapes(lanes: Context, suite_name: str, direction: int) -> None:
    """The longest AAD and text that lanes take, and what is a byte too long; full lanes and fewer; keys of their own, and one."""
    rng, suite = random.Random(f"{suite_name} {direction}"), lanes.suite(suite_name)
    before = lane_calls(lanes)
    for at, length in enumerate(LENGTHS):
        aad_len, jobs = AAD[(at * 5 + direction) % len(AAD)], rng.choice((7, 8, 8, 15, 16, 24))
        if at % 3:
            cases = cases_of(rng, suite_name, length, aad_len, jobs)
            keys = [suite.key(case.key) for case in cases]
        else:
            model = oracle.case(rng, suite_name, length, aad_len)
            cases, keys = [model] * jobs, [suite.key(model.key)] * jobs
        made = [gcm_job(key, case, direction, 16 - at % 5) for key, case in zip(keys, cases)]
        assert lanes.burst(made) == 0
        for job, case in zip(made, cases):
            assert job.status == 0 and job.out_len == length and bytes(job.out) == (case.out if direction == SEAL else case.data), (length, aad_len)
            assert bytes(job.tag) == case.tag[:16 - at % 5], (length, aad_len)
    assert lane_calls(lanes) > before


@pytest.mark.parametrize("length", [0, 5, 64, 300, 700])
def test_forged_ones_among_others(lanes: Context, length: int) -> None:
    rng, suite = random.Random(length), lanes.suite("aes-128-gcm")
    cases = cases_of(rng, "aes-128-gcm", length, 13, 21)
    for in_place in (False, True):
        jobs = []
        for case in cases:
            place = bytearray(case.out)
            out = place if in_place else bytearray(b"\xaa" * length)
            jobs.append(Job(suite.key(case.key), OPEN, iv=case.iv, aad=case.aad, data=memoryview(place), out=out, tag=bytearray(case.tag)))
        forged = {0, 3, 7, 12, 20}
        for i in forged:
            jobs[i].tag[i % 16] ^= 1 << i % 8
        assert lanes.burst(jobs) == runtime.ERR_AUTH
        for i, (made, case) in enumerate(zip(jobs, cases)):
            assert made.status == (runtime.ERR_AUTH if i in forged else 0) and made.out_len == (0 if i in forged else length)
            assert bytes(made.out) == (bytes(length) if i in forged else case.data)


def test_in_place(lanes: Context) -> None:
    rng, suite = random.Random(4), lanes.suite("aes-256-gcm")
    for length in (1, 64, 100, 500, 750):
        cases = cases_of(rng, "aes-256-gcm", length, 8, 8)
        for direction in (SEAL, OPEN):
            jobs = [in_place_job(suite.key(case.key), case, direction) for case in cases]
            assert lanes.burst(jobs) == 0
            assert [bytes(made.out) for made in jobs] == [case.out if direction == SEAL else case.data for case in cases]
            assert [bytes(made.tag) for made in jobs] == [case.tag for case in cases]


def test_lengths_that_take_turns(lanes: Context) -> None:
    """More lengths than wait at a time, and what does not fill lanes in the end."""
    rng, suite = random.Random(9), lanes.suite("aes-128-gcm")
    lengths = [rng.choice((0, 64, 100, 300, 570, 700, 1408)) for _ in range(150)]
    cases = [oracle.case(rng, "aes-128-gcm", length, 12) for length in lengths]
    for direction in (SEAL, OPEN):
        before = lane_calls(lanes)
        jobs = [gcm_job(suite.key(case.key), case, direction) for case in cases]
        assert lanes.burst(jobs) == 0
        assert [bytes(made.out) for made in jobs] == [case.out if direction == SEAL else case.data for case in cases]
        assert [bytes(made.tag) for made in jobs] == [case.tag for case in cases]
        assert lane_calls(lanes) > before


def test_the_counter_wraps_in_32_bits(lanes: Context) -> None:
    """Of an IV of another length the first counter block is any (SP 800-38D, 7.1): such jobs do not go in lanes, and are right beside those that do."""
    rng, suite = random.Random(10), lanes.suite("aes-128-gcm")
    cases = [oracle.case(rng, "aes-128-gcm", 200, 8) for _ in range(8)]
    jobs = [gcm_job(suite.key(case.key), case, SEAL) for case in cases]
    odd = Job(suite.key(cases[0].key), SEAL, iv=bytes(range(20)), aad=b"", data=bytes(200), out=bytearray(200), tag=bytearray(16))
    assert lanes.burst([*jobs[:4], odd, *jobs[4:]]) == 0
    assert [bytes(made.tag) for made in jobs] == [case.tag for case in cases]
    back = Job(suite.key(cases[0].key), OPEN, iv=bytes(range(20)), aad=b"", data=bytes(odd.out), out=bytearray(200), tag=bytearray(odd.tag))
    assert lanes.burst([back]) == 0 and bytes(back.out) == bytes(200)
