"""GCM messages on one call of a stitched kernel, with AAD, lengths and what is left of the text without one (runtime/run/gcm_stitched.hpp)."""

from __future__ import annotations

import random

import pytest
from gcm_jobs import gcm_job, in_place_job, runnable_kernels

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context

# Around the shortest, whole iterations of every width, and from where on messages are left to a kernel: by vectors of four blocks, and of fewer.
LENGTHS = (
    511, 512, 513, 639, 640, 641, 767, 768, 1000, 1023, 1024, 1025, 1039, 1040, 1151, 1152, 1279, 1280, 1281, 1500, 1535, 1536, 1537, 2047, 2048, 2049, 2063, 2064, 2303, 2304,
    2305, 2559, 2560, 2561, 3071, 3072, 4095, 4096, 4097, 4111, 4112, 4351, 4352, 4353, 4600, 4607, 4608, 4609, 5119, 5120, 5121, 16383, 16384, 16385, 16400, 16511, 16512, 16513, 16639, 16640, 16641, 17000, 18433,
)  # fmt: skip
AAD = (0, 1, 8, 13, 16, 20, 64, 255, 319, 320, 321, 700)


@pytest.fixture(params=["host", "host-no_avx512", "host-no_avx512-vaes", "sse_aesni"])
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return Context(target=request.param, library=library)


@pytest.mark.parametrize("suite_name", ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"])
@pytest.mark.parametrize("direction", [SEAL, OPEN])
@pytest.mark.parametrize("in_place", [False, True])
def test_lengths(context: Context, suite_name: str, direction: int, in_place: bool) -> None:
    """Alone, and several with different keys, AAD and tags; among those that are opened a forged one."""
    rng, suite = random.Random(f"{suite_name} {direction} {in_place}"), context.suite(suite_name)
    for length in LENGTHS:
        for n in (1, 3):
            cases = [oracle.case(rng, suite_name, length, rng.choice(AAD)) for _ in range(n)]
            forged = rng.randrange(n) if direction == OPEN and rng.random() < 0.4 else None
            jobs = []
            for i, case in enumerate(cases):
                made = in_place_job(suite.key(case.key), case, direction) if in_place else gcm_job(suite.key(case.key), case, direction, rng.choice((16, 12, 13)))
                if i == forged:
                    made.tag[rng.randrange(12)] ^= 1 << rng.randrange(8)
                jobs.append(made)
            assert context.burst(jobs) == (0 if forged is None else runtime.ERR_AUTH)
            for i, (made, case) in enumerate(zip(jobs, cases)):
                if i == forged:
                    assert made.status == runtime.ERR_AUTH and bytes(made.out) == bytes(length)
                    continue
                assert made.status == 0 and made.out_len == length
                assert bytes(made.out) == (case.out if direction == SEAL else case.data)
                assert bytes(made.tag) == case.tag[: len(made.tag)]


def test_mixed_lengths(context: Context) -> None:
    """The kernel changes between jobs, and keys come back."""
    rng, suite = random.Random(8), context.suite("aes-128-gcm")
    lengths = [rng.choice(LENGTHS) for _ in range(60)]
    cases = [oracle.case(rng, "aes-128-gcm", length, rng.choice(AAD)) for length in lengths]
    keys = [suite.key(case.key) for case in cases]
    for direction in (SEAL, OPEN):
        jobs = [gcm_job(key, case, direction) for key, case in zip(keys, cases)]
        assert context.burst(jobs) == 0
        for made, case in zip(jobs, cases):
            assert bytes(made.out) == (case.out if direction == SEAL else case.data) and bytes(made.tag) == case.tag


def test_one_call_of_the_pair(library: str) -> None:
    context = Context(target="sse_aesni", library=library)
    suite, rng, length = context.suite("aes-128-gcm"), random.Random(9), 20000
    pair = suite.choice(1, length).kernel
    if "+" not in pair:
        pytest.skip("nothing is stitched here")

    def calls() -> tuple[int, int]:
        of_pair = context.kernel(pair).calls()
        return of_pair, sum(context.kernel(name).calls() for name in runnable_kernels(context, lambda name: name.startswith(("aes128_ctr_", "ghash_"))))

    cases = [oracle.case(rng, "aes-128-gcm", length, 8) for _ in range(5)]
    for direction in (SEAL, OPEN):
        jobs = [gcm_job(suite.key(case.key), case, direction) for case in cases]
        before = calls()
        assert context.burst(jobs) == 0
        after = calls()
        assert (after[0] - before[0], after[1] - before[1]) == (len(jobs), 0)
