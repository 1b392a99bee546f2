"""A cipher and a MAC together: AES-CTR with HMAC, ESP with XCBC, and CCM, of long texts. Published vectors of the
cipher or the MAC stand for those of the suite, which nobody publishes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cryptostitch.binding.runtime import OPEN, SEAL, Context
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import published
from jobs.builder import OWN_KEY, Bench, JobSpec

CountCases = Callable[[str, int], None]
COUNTING = tuple(f"aes-{bits}-ctr+hmac-{hash_}-etm" for bits in (128, 256) for hash_ in ("sha1", "sha256", "sha512"))
XCBC = "aes-128-cbc+aes-xcbc-96"
SUITES = (*COUNTING, XCBC, "aes-128-ccm", "aes-256-ccm")


@pytest.mark.parametrize("name", (COUNTING[1], COUNTING[5], XCBC))
def test_published(shared_context: Context, count_cases: CountCases, name: str) -> None:
    try:
        vectors = published(name)
    except Skip as skip:
        pytest.skip(str(skip))
    assert vectors
    suite = shared_context.suite(name)
    for v in vectors:
        key = suite.key(v.key, v.mac_key)
        assert key.seal(v.data, iv=v.iv, aad=v.aad or None, tag_len=len(v.tag)) == (v.out, v.tag), v.source
        assert key.open(v.out, v.tag, iv=v.iv, aad=v.aad or None, tag_len=len(v.tag)) == v.data, v.source
    count_cases(name, len(vectors))


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("jobs", (1, 8, 40))
def test_long_texts(shared_context: Context, name: str, jobs: int) -> None:
    """In both directions, in place and not, scattered and not, right and forged."""
    bench = Bench(shared_context, (name, jobs))
    rng = bench.rng
    for direction in (SEAL, OPEN):
        bench.burst(
            JobSpec(
                name,
                direction,
                rng.choice((700, 1024, 1111, 4096, 9000)),
                OWN_KEY,
                rng.choice((0, 8, 16, 13, 700)),
                in_place=rng.random() < 0.5,
                pieces=rng.choice((0, 0, 3, 9)),
                damage=rng.choice(("", "", "", "tag", "data")),
            )
            for _ in range(jobs)
        )
