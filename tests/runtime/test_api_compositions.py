"""A cipher and a MAC together where the general tests do not look: AES-CTR with HMAC where the counter carries or the text is long, ESP with XCBC, CCM of long
texts. Published vectors of the cipher or the MAC stand for those of the suite, which nobody publishes."""

from __future__ import annotations

import random
from typing import Callable

import pytest

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.ladder.placed import Placed
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import published
from cryptostitch.runtime import OPEN, SEAL, Context

CountCases = Callable[[str, int], None]
COUNTING = tuple(f"aes-{bits}-ctr+hmac-{hash_}-etm" for bits in (128, 256) for hash_ in ("sha1", "sha256", "sha512"))
XCBC = "aes-128-cbc+aes-xcbc-96"
SUITES = (*COUNTING, XCBC, "aes-128-ccm", "aes-256-ccm")


def run(context: Context, placed: list[Placed]) -> None:
    code = context.burst([p.job for p in placed])
    assert [problem for p in placed if (problem := p.problem())] == []
    assert code == (runtime.ERR_AUTH if any(p.forged for p in placed) else 0)


def counter(rng: random.Random, blocks: int) -> bytes:
    """An IV whose low 32 bits carry after so many blocks."""
    return rng.choice((b"\xff" * 12, rng.randbytes(12))) + ((1 << 32) - blocks).to_bytes(4, "big")


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
        assert key.seal(v.data, v.iv, v.aad or None, len(v.tag)) == (v.out, v.tag), v.source
        assert key.open(v.out, v.tag, v.iv, v.aad or None) == v.data, v.source
    count_cases(name, len(vectors))


@pytest.mark.parametrize("name", COUNTING)
@pytest.mark.parametrize("jobs", (1, 16, 21))
@pytest.mark.parametrize("direction", (SEAL, OPEN), ids=["seal", "open"])
def test_counters_that_carry(shared_context: Context, name: str, jobs: int, direction: int) -> None:
    """In front of the stitched middle, in it, at its end, in the rest behind it; some jobs of a burst do, others do not."""
    rng = random.Random(f"{name} {jobs} {direction}")
    bursts = [(blocks,) for blocks in (3, 64, 256, 257)] if jobs == 1 else [(1, 2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 261, *(1 << 31,) * (jobs - 12))]
    for burst in bursts:
        placed = []
        for blocks in burst:
            case = oracle.case(rng, name, 4096 + rng.choice((0, 1, 15, 16, 80)), rng.choice((0, 16, 13, 200)))
            iv = counter(rng, blocks)
            out, tag = oracle.seal(name, case.key, case.mac_key, iv, case.aad, case.data)
            case = oracle.Case(name, case.key, case.mac_key, iv, case.aad, case.data, out, tag)
            placed.append(Placed(rng, case, shared_context.suite(name).key(case.key, case.mac_key or None), direction))
        run(shared_context, placed)


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("jobs", (1, 8, 40))
def test_long_texts(shared_context: Context, name: str, jobs: int) -> None:
    """In both directions, in place and not, scattered and not, right and forged."""
    rng = random.Random(f"{name} {jobs}")
    for direction in (SEAL, OPEN):
        placed = []
        for _ in range(jobs):
            case = oracle.case(rng, name, rng.choice((700, 1024, 1111, 4096, 9000)), rng.choice((0, 8, 16, 13, 700)))
            key = shared_context.suite(name).key(case.key, case.mac_key or None)
            placed.append(Placed(rng, case, key, direction, scattered=0.3))
        run(shared_context, placed)
