"""ChaCha20-Poly1305 of short messages that are alike (runtime/run/chacha_abreast.hpp): a message in each lane."""

from __future__ import annotations

import random

import pytest
from chacha_jobs import Prepared, cases, run

from cryptostitch.ladder import oracle
from cryptostitch.manager import Manager
from cryptostitch.runtime import OPEN, SEAL, Context, Job

# Around blocks of the cipher and of the MAC, what is put together, what is taken.
LENGTHS = (
    0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 300, 511, 512, 639, 640, 641, 704, 1000, 1023, 1024, 1025, 1400, 1984, 1985, 2047, 2048, 2049,
    3000, 4032, 4095, 4096, 4097,
)  # fmt: skip
AAD = (0, 1, 12, 13, 16, 20, 48, 63, 64, 65)
JOBS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 33)


@pytest.mark.parametrize("target", ["host", "host-no_avx512", "sse_aesni"])
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_bursts_of_one_length(library: str, target: str, direction: int) -> None:
    context, rng = Context(target=target, library=library), random.Random(f"{target} {direction}")
    for length in LENGTHS:
        for n in (1, rng.choice(JOBS), rng.choice(JOBS)):
            some = cases(rng, length, rng.choice(AAD), n, rng.random() < 0.25)
            run(context, [Prepared(context, case, direction, rng.random() < 0.5) for case in some])


@pytest.mark.parametrize("n", JOBS)
def test_forged_ones_among_others(context: Context, n: int) -> None:
    """Each is refused alone, its output wiped; the others are opened."""
    rng = random.Random(n)
    for length in (1, 64, 300, 640, 1024, 1400):
        some = cases(rng, length, 13, n)
        for forged in (1, n // 2, n):
            chosen = set(rng.sample(range(n), forged))
            spoil = [rng.choice(("tag", "text", "aad")) if i in chosen else "" for i in range(n)]
            run(context, [Prepared(context, case, OPEN, rng.random() < 0.5, what) for case, what in zip(some, spoil)])


def test_among_others(context: Context) -> None:
    """Of several lengths and directions, and of another suite: in any order."""
    rng = random.Random(5)
    for _ in range(6):
        prepared = []
        for _ in range(60):
            length, aad = rng.choice((64, 64, 570, 1408, 33)), rng.choice((12, 12, 70))
            prepared.append(Prepared(context, cases(rng, length, aad, 1)[0], rng.choice((SEAL, SEAL, OPEN)), spoil=""))
        other = oracle.case(rng, "aes-128-gcm", 100, 8)
        gcm = Job(context.suite("aes-128-gcm").key(other.key), SEAL, iv=other.iv, aad=other.aad, data=other.data, out=bytearray(100), tag=bytearray(16))
        jobs = [p.job for p in prepared]
        jobs.insert(rng.randrange(len(jobs)), gcm)
        assert context.burst(jobs) == 0
        for p in prepared:
            p.check()
        assert bytes(gcm.out) == other.out and bytes(gcm.tag) == other.tag


def test_lanes_are_messages(context: Context) -> None:
    """Sixteen messages: each lane of Poly1305 has one, for all of its blocks in one call."""
    found = [name for name in context.kernels() if name.startswith("poly1305_abreast") and runs(context, name)]
    if not found:
        pytest.skip("no kernel here whose lanes are messages")
    rng = random.Random(7)
    some = cases(rng, 256, 12, 16)
    kernels = [context.kernel(name) for name in found]
    run(context, [Prepared(context, case, SEAL) for case in some])
    before = [kernel.calls() for kernel in kernels]
    run(context, [Prepared(context, case, OPEN) for case in some])
    assert sum((kernel.calls() - was) * lanes_of(name) for name, kernel, was in zip(found, kernels, before)) == 16


@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_jobs_that_were_held_back(context: Context, direction: int) -> None:
    """A manager's bursts go the same way."""
    found = [name for name in context.kernels() if name.startswith("poly1305_abreast") and runs(context, name)]
    if not found:
        pytest.skip("no kernel here whose lanes are messages")
    rng, manager = random.Random(11), Manager(context, min_fill=16)
    prepared = [Prepared(context, case, direction, spoil="tag" if direction == OPEN and i == 20 else "") for i, case in enumerate(cases(rng, 200, 12, 37))]
    before = sum(context.kernel(name).calls() for name in found)
    for p in prepared:
        manager.submit(p.job)
    manager.flush()
    done = [manager.take() for _ in prepared]
    assert done == [p.job for p in prepared] and manager.take() is None
    for p in prepared:
        p.check()
    assert sum(context.kernel(name).calls() for name in found) > before


def lanes_of(name: str) -> int:
    return int(name.partition("@")[0].rpartition("_x")[2])


def runs(context: Context, name: str) -> bool:
    try:
        context.kernel(name)
    except runtime.RuntimeFailure:
        return False
    return True
