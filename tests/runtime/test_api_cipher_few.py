"""AES in counter mode, CBC opened, and ECB, without a kernel (runtime/run/cipher_few.hpp), against the oracle."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import pytest
from test_api_direct import run

from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context

CIPHERS = [f"aes-{bits}-{mode}" for mode in ("ctr", "cbc", "ecb") for bits in (128, 192, 256)]
LONGEST = 1300  # two strides of eight vectors and what may be left of them
# Up to the longest, and beyond.
LONGER = (2048, 2080, 4000, 9008, 12288, 16384, 32752, 32768, 33000)


@pytest.fixture(params=["host", "host-no_avx512", "sse_aesni"])
def context(request: pytest.FixtureRequest, library: str) -> Context:
    """By vectors of four blocks, of two, and of one, where the CPU has them."""
    return Context(target=request.param, library=library)


@pytest.mark.parametrize("name", CIPHERS)
@pytest.mark.parametrize("jobs", [1, 3, 17])
def test_every_length(context: Context, name: str, jobs: int) -> None:
    rng, suite = random.Random(f"{name} {jobs}"), context.suite(name)
    key_pool = [oracle.case(rng, name, 16, 0).key for _ in range(8)]
    made = [suite.key(key) for key in key_pool]
    step = 1 if "ctr" in name else 16
    for length in (*range(step, LONGEST // (1 + jobs // 17) + 1, step), *(longer + rng.randrange(-15, 16) * (step == 1) for longer in LONGER)):
        picked = [rng.randrange(8) for _ in range(jobs)]
        cases = [oracle.case(rng, name, length, 0, (key_pool[i], b"")) for i in picked]
        direction = OPEN if "cbc" in name else rng.choice((SEAL, OPEN))
        want = [(0, case.out if direction == SEAL else case.data, b"") for case in cases]
        assert run(context, cases, [made[i] for i in picked], direction, in_place=rng.random() < 0.5) == want, length


@pytest.mark.parametrize("name", ["aes-128-ctr", "aes-256-cbc", "aes-192-ecb"])
def test_unlike_lengths(context: Context, name: str) -> None:
    """Bursts of many lengths, also such as a kernel has in bursts of one length."""
    rng, suite = random.Random(name), context.suite(name)
    for _ in range(20):
        cases = [oracle.case(rng, name, rng.choice((16, 32, 64, 576, 1408, 2048, 4080, 4096, 4112, 9008)) + (rng.randrange(16) if "ctr" in name else 0), 0) for _ in range(30)]
        want = [(0, case.data, b"") for case in cases]
        assert run(context, cases, [suite.key(case.key) for case in cases], OPEN, in_place=rng.random() < 0.5) == want


@pytest.mark.parametrize("in_place", [False, True])
def test_counters_that_carry(context: Context, in_place: bool) -> None:
    """One of a burst, beyond 32 bits, at each place; none of the others is enciphered twice."""
    name, rng = "aes-128-ctr", random.Random(in_place)
    suite = context.suite(name)
    for left in (0, 1, 3, 4, 5, 63):
        for where in range(4):
            cases = [oracle.case(rng, name, 1024, 0) for _ in range(4)]
            iv = cases[where].iv[:12] + struct.pack(">I", 2**32 - 1 - left)
            out, _ = oracle.seal(name, cases[where].key, b"", iv, b"", cases[where].data)
            cases[where] = replace(cases[where], iv=iv, out=out)
            want = [(0, case.out, b"") for case in cases]
            assert run(context, cases, [suite.key(case.key) for case in cases], SEAL, in_place=in_place) == want


def test_last_bytes_of_counters(context: Context) -> None:
    """That carry at each block of the first strides, or not at all."""
    name, rng = "aes-128-ctr", random.Random(7)
    suite = context.suite(name)
    key = oracle.case(rng, name, 16, 0).key
    for length in (16, 17, 64, 127, 128, 160, 176, 200, 256, 300, 640):
        cases = [oracle.case(rng, name, length, 0, (key, b"")) for _ in range(64)]
        for i, case in enumerate(cases):
            iv = case.iv[:15] + bytes([(224 + i) % 256])
            cases[i] = replace(case, iv=iv, out=oracle.seal(name, key, b"", iv, b"", case.data)[0])
        want = [(0, case.out, b"") for case in cases]
        assert run(context, cases, [suite.key(key)] * len(cases), SEAL, in_place=rng.random() < 0.5) == want, length
