"""Suites of two digests of the same bytes: the tag is the first, then the second."""

from __future__ import annotations

import ctypes
import random
from array import array

import pytest
from cryptostitch import hash_column, hash_many
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import STATE_BYTES, PartStruct
from cryptostitch.binding.runtime import SEAL, Context, Job, RuntimeFailure
from cryptostitch.ladder import oracle
from jobs.builder import force
from jobs.samples import LEVELS, LONGER, NUMBERS
from targets import context_for

KERNELS = {"mh-sha1": "sha1_segments", "murmur3-x64-128": "murmur3"}
"""Names of kernels that are not those of the digests."""
HALF = {"md5": 16, "sha1": 20, "sha256": 32, "crc32c": 4, "mh-sha1": 20, "murmur3-x64-128": 16}


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


def stitched(context: Context, suite: str) -> list[str]:
    """The kernels of both digests that can be forced here."""
    found = []
    for name in context.kernels():
        if "+" in name and force(context, suite, name) == runtime.OK:
            found.append(name)
    context.force(suite, None)
    return found


@pytest.mark.parametrize("same", (False, True))
def test_bursts(context: Context, suite: str, same: bool) -> None:
    """Every kernel makes the right digests of any number of jobs, equally long or not, in one piece or scattered."""
    rng, key = random.Random(suite), context.suite(suite).key()
    short = 10 if suite.startswith("mh-") else 1  # blocks are 16 times as long; plain Python is its oracle
    for kernel in (None, *stitched(context, suite)):
        context.force(suite, kernel)
        before = context.kernel(kernel).calls() if kernel else 0
        for number in (1, 3) if short > 1 else (*NUMBERS, 64):
            texts = [rng.randbytes(short * (200 if same else rng.randrange(700))) for _ in range(number)]
            wanted = [oracle.digest(suite, text) for text in texts]
            jobs = [Job(key, SEAL, data=text, tag=bytearray(len(tag))) for text, tag in zip(texts, wanted)]
            for job, text in zip(jobs[1::3], texts[1::3]):
                job.data = [text[:50], b"", text[50:]]
            assert context.burst(jobs) == runtime.OK
            assert [bytes(job.tag) for job in jobs] == wanted, kernel
        assert not kernel or context.kernel(kernel).calls() > before
    context.force(suite, None)


def test_what_runs_is_chosen_by_costs(shared_context: Context) -> None:
    """A pair of kernels that are stitched is there for MD5 and SHA-1, beside SHA-256."""
    if not {"sha", "avx512bw"} & set(shared_context.cpu()["features"]):
        pytest.skip("this CPU lacks the SHA extensions and AVX-512")
    assert stitched(shared_context, "md5+sha256")
    assert not stitched(shared_context, "sha256+crc32c")


@pytest.mark.parametrize("suite", ("md5+sha256", "sha1+sha256"))
def test_parts_on_every_kernel(context: Context, suite: str) -> None:
    """Messages whose parts begin at a block, and others; as many as the lanes, and fewer."""
    rng, key = random.Random(suite), context.suite(suite).key()
    for kernel in (None, *stitched(context, suite)):
        context.force(suite, kernel)
        before = context.kernel(kernel).calls() if kernel else 0
        for number in (1, 3, 20):
            texts = [rng.randbytes(rng.randrange(3000)) for _ in range(number)]
            states = [(ctypes.c_uint64 * (STATE_BYTES // 8))() for _ in texts]
            tags = [ctypes.create_string_buffer(key.suite.tag_max) for _ in texts]
            at = [0] * number
            for last in (False, False, True):
                parts, kept = (PartStruct * number)(), []
                for i, text in enumerate(texts):
                    size = len(text) - at[i] if last else min(len(text) - at[i], rng.choice((0, 64, 100, 640, 900)))
                    kept.append(ctypes.create_string_buffer(text[at[i] : at[i] + size], max(size, 1)))
                    part = PartStruct(key=key.handle, state=ctypes.addressof(states[i]), in_len=size)
                    setattr(part, "in", ctypes.addressof(kept[i]))
                    if last:
                        part.last, part.tag, part.tag_len = 1, ctypes.addressof(tags[i]), len(tags[i])
                    parts[i] = part
                    at[i] += size
                assert context.lib.cst_digest_parts(context.handle, parts, number) == runtime.OK
            assert [tag.raw for tag in tags] == [oracle.digest(suite, text) for text in texts], kernel
            assert all(bytes(state) == bytes(STATE_BYTES) for state in states), "the states are wiped"
        assert not kernel or context.kernel(kernel).calls() > before
    context.force(suite, None)


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
    names = (KERNELS.get(half, half.partition("c32")[0]) for half in suite.split("+"))
    assert all(name in why.kernel + why.why for name in names)
