"""AAD of every length before texts of every kind, by construction and level of instructions."""

from __future__ import annotations

import pytest
from built import suite_names
from cryptostitch.binding.runtime import OPEN, SEAL, Context
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, Bench, JobSpec
from jobs.samples import HEADS, LEVELS, one_of_each
from targets import context_for

KINDS = {"etm", "ciphertext", "profile", "gcm", "ccm", "chacha_poly"}
SUITES = [name for name in one_of_each(suite_names()) if oracle.meaning(name).kind in KINDS]
LENGTHS = (0, 1, 16, 64, 100, 176, 240, 320, 464, 528, 960, 1040, 2048, 4112)


@pytest.fixture(scope="module", params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def test_constructions_are_here() -> None:
    names = suite_names()
    wanted = KINDS if "aes-128-gcm" in names else {"chacha_poly"} if names else set()  # without AES-NI; nothing built
    assert {oracle.meaning(name).kind for name in SUITES} == wanted


@pytest.mark.parametrize("suite", SUITES)
def test_every_head(context: Context, suite: str) -> None:
    """Alone, and with others that have heads and texts of other lengths."""
    bench = Bench(context, suite)
    rng = bench.rng
    for aad in sorted({*range(0, 150), *HEADS, 1000}):
        direction, length = rng.choice((SEAL, OPEN)), rng.choice(LENGTHS)
        bench.burst([JobSpec(suite, direction, length, 0, aad, in_place=rng.random() < 0.5)])
        if aad in HEADS:
            bench.burst(
                JobSpec(suite, direction, rng.choice(LENGTHS), OWN_KEY, other, damage=rng.choice(("", "", "aad")))
                for other in (aad, aad, rng.choice(HEADS), aad + 1)
            )


@pytest.mark.parametrize("suite", [name for name in SUITES if oracle.meaning(name).kind == "etm"])
def test_messages_of_one_length_in_other_pieces(context: Context, suite: str) -> None:
    """Heads of one block and of two, before texts that make up for it."""
    bench = Bench(context, suite)
    for direction in (SEAL, OPEN):
        bench.burst(JobSpec(suite, direction, 1024 - aad, OWN_KEY, aad) for aad in (0, 64, 0, 112) * 9)


@pytest.mark.parametrize("suite", [name for name in SUITES if oracle.meaning(name).kind in ("gcm", "ccm")])
def test_ivs_of_other_lengths(context: Context, suite: str) -> None:
    bench = Bench(context, suite)
    for iv in (8, 11, 12, 13, 15, 16, 17, 32, 64, 100) if oracle.meaning(suite).kind == "gcm" else range(7, 14):
        for direction in (SEAL, OPEN):
            for n in (1, 9):
                bench.burst(
                    JobSpec(suite, direction, bench.rng.choice(LENGTHS), OWN_KEY, 13, iv, damage="tag" * (at == 5))
                    for at in range(n)
                )
