"""AES's counter carries beyond the 32 bits that kernels count in: none of a burst is enciphered twice, none is lost."""

from __future__ import annotations

import pytest
from built import suite_names
from cryptostitch.binding.runtime import OPEN, SEAL, Context
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, Bench, JobSpec
from jobs.samples import LEVELS, one_of_each
from targets import context_for

SUITES = [
    name for name in one_of_each(suite_names()) if oracle.meaning(name).kind == "counter" or oracle.meaning(name).counts
]
BLOCKS = (1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 127, 128, 129, 255, 256, 257, 261)
BY_CHANCE = 0


@pytest.fixture(scope="module", params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def test_there_are_some() -> None:
    assert "aes-128-ctr" not in suite_names() or len(SUITES) > 3


@pytest.mark.parametrize("suite", SUITES)
def test_alone(context: Context, suite: str) -> None:
    """In the text, in its last block, behind it."""
    bench = Bench(context, suite)
    for carry in BLOCKS:
        for length in (16 * carry - 1, 16 * carry, 16 * carry + 1, 64, 4096 + 80):
            direction = bench.rng.choice((SEAL, OPEN))
            bench.burst([JobSpec(suite, direction, length, 0, 13, carry=carry, in_place=bench.rng.random() < 0.5)])


@pytest.mark.parametrize("length", [64, 320, 1024, 4111])
@pytest.mark.parametrize("suite", SUITES)
def test_some_of_a_burst(context: Context, suite: str, length: int) -> None:
    """The first, one in the middle, the last, all."""
    bench = Bench(context, (suite, length))
    for n in (3, 17, 30):
        for places in ({0}, {n // 2}, {n - 1}, set(range(n))):
            direction, in_place = bench.rng.choice((SEAL, OPEN)), bench.rng.random() < 0.5
            carries = [bench.rng.choice(BLOCKS) if at in places else BY_CHANCE for at in range(n)]
            bench.burst(
                JobSpec(suite, direction, length, OWN_KEY, 13, carry=carry, in_place=in_place) for carry in carries
            )


def test_at_every_block_of_a_stride(context: Context) -> None:
    bench = Bench(context, 7)
    for length in (16, 17, 64, 127, 128, 160, 176, 200, 256, 300, 640):
        bench.burst(
            JobSpec("aes-128-ctr", SEAL, length, 0, carry=carry, in_place=carry % 2 == 0) for carry in range(1, 65)
        )
