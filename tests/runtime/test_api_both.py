"""Suites of two digests of the same bytes: the tag is the first, then the second."""

from __future__ import annotations

import random
from array import array

import pytest
from cryptostitch import hash_column, hash_many
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import SEAL, Context, Job, RuntimeFailure
from cryptostitch.ladder import oracle
from jobs.samples import LEVELS, LONGER, NUMBERS
from targets import context_for

HALF = {"md5": 16, "sha1": 20, "sha256": 32, "crc32c": 4}


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.fixture(params=oracle.BOTH)
def suite(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_length(context: Context, suite: str) -> None:
    rng, key = random.Random(suite), context.suite(suite).key()
    texts = [rng.randbytes(n) for n in (*range(301), *LONGER)]
    for text in texts:
        assert key.digest(text) == oracle.digest(suite, text), len(text)
    assert hash_many(suite, texts, context=context) == [oracle.digest(suite, text) for text in texts]


@pytest.mark.parametrize("same", (False, True))
def test_bursts(context: Context, suite: str, same: bool) -> None:
    """Of any number of jobs, of one length and of many, in one piece and scattered, sealed and opened."""
    rng, key = random.Random(suite), context.suite(suite).key()
    for number in (*NUMBERS, 64):
        texts = [rng.randbytes(200 if same else rng.randrange(700)) for _ in range(number)]
        wanted = [oracle.digest(suite, text) for text in texts]
        jobs = [Job(key, SEAL, data=text, tag=bytearray(len(tag))) for text, tag in zip(texts, wanted)]
        for job, text in zip(jobs[1::3], texts[1::3]):
            job.data = [text[:50], b"", text[50:]]
        assert context.burst(jobs) == runtime.OK
        assert [bytes(job.tag) for job in jobs] == wanted


def test_a_wrong_half_is_found(context: Context, suite: str) -> None:
    """A changed bit of the first digest and of the second, alone and in a burst with right ones."""
    key, text = context.suite(suite).key(), b"both halves"
    tag = oracle.digest(suite, text)
    key.open(text, tag)
    for at in (0, HALF[suite.split("+")[0]] - 1, HALF[suite.split("+")[0]], len(tag) - 1):
        wrong = bytearray(tag)
        wrong[at] ^= 0x10
        with pytest.raises(RuntimeFailure) as failure:
            key.open(text, bytes(wrong))
        assert failure.value.code == runtime.ERR_AUTH
        jobs = [Job(key, runtime.OPEN, data=text, tag=bytearray(wrong if i == 5 else tag)) for i in range(9)]
        assert context.burst(jobs) == runtime.ERR_AUTH
        assert [job.status for job in jobs] == [runtime.ERR_AUTH if i == 5 else runtime.OK for i in range(9)]


def test_the_tag_is_whole(context: Context, suite: str) -> None:
    its = context.suite(suite)
    whole = sum(HALF[half] for half in suite.split("+"))
    assert (its.kind, its.tag_max, its.tag_lengths) == (runtime.DIGEST, whole, [whole])
    for size in (0, 1, whole - 1, whole + 1):
        with pytest.raises(RuntimeFailure) as failure:
            its.key().digest(b"x", size)
        assert failure.value.code == runtime.ERR_LENGTH


def test_columns(library: str, suite: str) -> None:
    rng = random.Random(suite)
    texts = [rng.randbytes(rng.randrange(200)) for _ in range(1500)]
    offsets = array("I", [0])
    for text in texts:
        offsets.append(offsets[-1] + len(text))
    assert hash_column(suite, b"".join(texts), offsets) == b"".join(oracle.digest(suite, text) for text in texts)


def test_what_would_run(context: Context, suite: str) -> None:
    """The choice names a kernel for each half."""
    why = context.suite(suite).choice(16, 4096)
    assert all(half.partition("c32")[0] in why.kernel + why.why for half in suite.split("+"))
