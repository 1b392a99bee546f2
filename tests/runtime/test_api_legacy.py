"""The legacy suites: there only with ALLOW_LEGACY, and right: published vectors, random jobs against other implementations, limits."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Callable

import pytest

from cryptostitch.emit.artefacts import algorithm_records
from cryptostitch.emit.pack import write_pack
from cryptostitch.ladder import oracle
from cryptostitch.ladder.placed import Placed
from cryptostitch.ladder.vectors import published
from cryptostitch.pipeline import Generator
from cryptostitch.runtime import ALLOW_LEGACY, ALLOW_PACKS, ERR_LENGTH, ERR_NAME, NAME_KERNEL, NAME_SUITE, Context, RuntimeFailure

SUITES = ("rc4-vartime", "rc4-vartime+hmac-md5-etm", "rc4-vartime+hmac-sha1-etm")
SINGLES = ("rc4_vartime_x1@scalar", "rc4_vartime_x1_by1@scalar", "rc4_vartime_x2@scalar", "rc4_vartime_x2_by1@scalar")
PAIRS = ("rc4_vartime_x1+md5_x1@scalar", "rc4_vartime_x1+sha1_ni_x1@sse_shani_bmi2")
KERNELS = SINGLES + PAIRS


@pytest.fixture(scope="module")
def legacy(library: str) -> Context:
    return Context(ALLOW_LEGACY, library=library)


def test_they_are_hidden(shared_context: Context) -> None:
    assert not [name for kind in (NAME_SUITE, NAME_KERNEL) for name in shared_context.names(kind) if "rc4" in name]
    for name in SUITES:
        with pytest.raises(RuntimeFailure) as failure:
            shared_context.suite(name)
        assert failure.value.code == ERR_NAME and "rc4" not in failure.value.nearest
    for name in KERNELS:
        with pytest.raises(RuntimeFailure) as failure:
            shared_context.kernel(name)
        assert failure.value.code == ERR_NAME
    assert not shared_context.selftest("rc4*")


def test_they_are_there_when_asked_for(legacy: Context, shared_context: Context) -> None:
    assert set(legacy.suites()) - set(shared_context.suites()) == set(SUITES)
    assert set(legacy.kernels()) - set(shared_context.kernels()) == set(KERNELS)
    for name in SUITES:
        suite = legacy.suite(name)
        assert (suite.key_min, suite.key_bytes, suite.key_max, suite.iv_bytes, suite.block_bytes) == (5, 16, 32, 0, 1)
    results = legacy.selftest("rc4*")
    assert set(results) == {*SUITES, *KERNELS} and not any(results.values())


def test_a_packs_kernels_of_variable_time_are_hidden_too(library: str) -> None:
    generator, name = Generator(proves=False), "mine_vartime_x1@scalar"
    recipe = replace(generator.recipe(KERNELS[0]), name=name)
    pack = write_pack(algorithm_records([generator.algorithms["rc4_vartime"]]), [recipe])
    for flags, there in ((ALLOW_PACKS, False), (ALLOW_PACKS | ALLOW_LEGACY, True)):
        context = Context(flags, library=library)
        context.load_pack(pack)
        assert (name in context.kernels()) == there


def test_published_streams(legacy: Context, count_cases: Callable[[str, int], None]) -> None:
    vectors = published(SUITES[0])
    for v in vectors:
        key = legacy.suite(SUITES[0]).key(v.key)
        assert key.seal(v.data)[0] == v.out and key.open(v.out) == v.data, v.source
    count_cases("rc4-vartime, RFC 6229", 18 * len(vectors))  # so many places of each stream are published


@pytest.mark.parametrize("size", [4, 33])
def test_keys_of_other_lengths_are_refused(legacy: Context, size: int) -> None:
    with pytest.raises(RuntimeFailure) as failure:
        legacy.suite(SUITES[0]).key(bytes(size))
    assert failure.value.code == ERR_LENGTH


@pytest.mark.parametrize("name", SUITES)
def test_random_jobs(legacy: Context, name: str) -> None:
    """Sealed and opened, in place and not, in pieces and not, forged and not; lengths about the blocks of kernels and hashes."""
    rng, suite = random.Random(name), legacy.suite(name)
    for _ in range(12):
        placed = []
        for _ in range(rng.choice((1, 3, 17))):
            length = rng.choice((0, 1, 15, 16, 17, 63, 64, 65, 700, 800, 1023, 1024, rng.randrange(3000)))
            case = oracle.case(rng, name, length, rng.choice((0, 5, 13, 16, 48, rng.randrange(300))))
            placed.append(Placed(rng, case, suite.key(case.key, case.mac_key or None), scattered=0.3))
        legacy.burst([p.job for p in placed])
        assert [problem for p in placed if (problem := p.problem())] == []


@pytest.mark.parametrize("name", SUITES[1:])
def test_one_job_runs_the_pair(legacy: Context, name: str) -> None:
    """MD5's in general registers; SHA-1's where there are the SHA extensions and a table of costs."""
    if "sha1" in name and (legacy.cpu()["microarchitecture"] != "zen4" or "sha" not in legacy.cpu()["features"]):
        pytest.skip("the choice is known for Zen 4")
    assert legacy.suite(name).choice(1, 16384).kernel in PAIRS


def test_every_message_begins_with_the_same_stream(legacy: Context) -> None:
    key = legacy.suite(SUITES[0]).key(bytes(range(16)))
    assert key.seal(bytes(100))[0] == key.seal(bytes(200))[0][:100]
