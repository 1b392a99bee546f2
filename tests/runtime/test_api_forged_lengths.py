"""Inputs of AEADs whose length alone says that they are forged: an error of that job, and of no other."""

from __future__ import annotations

import random

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.runtime import (
    AEAD,
    ERR_AUTH,
    ERR_LENGTH,
    NOT_RUN,
    OPEN,
    SEAL,
    Address,
    Context,
    Job,
    Key,
    RuntimeFailure,
)
from test_api_rules import key_of, takes_input

BLANK = 0xA5


def strict_suites() -> list[str]:
    """AEADs that do not take every length."""
    try:
        context = runtime.Context(flags=runtime.ALLOW_LEGACY)
    except FileNotFoundError:
        return []
    found = []
    for name in suite_names():
        suite = context.suite(name)
        if suite.kind == AEAD and (suite.open_block_bytes > 1 or suite.open_min_bytes or suite.iv_and_count_bytes):
            found.append(name)
    return found


class Opened:
    """A job that opens so many bytes: sealed ones, or any if that cannot be."""

    def __init__(self, rng: random.Random, key: Key, size: int, iv_bytes: int = 0, pieces: bool = False):
        suite = key.suite
        iv, aad = rng.randbytes(iv_bytes or suite.iv_bytes), rng.randbytes(suite.aad_min)
        self.right = takes_input(suite, OPEN, len(iv), size)
        self.text = b""
        if self.right:
            low = size - suite.expansion if suite.expansion else size
            self.text = rng.randbytes(max(low, 0))
            data, tag = key.seal(self.text, iv=iv, aad=aad or None)
        else:
            data, tag = rng.randbytes(size), rng.randbytes(suite.tag_max)
        self.out = bytearray([BLANK]) * (len(data) + 40)
        self.used = len(data)
        window = memoryview(self.out)[: len(data)]
        cut = rng.randrange(len(data) + 1)
        self.job = Job(
            key,
            OPEN,
            iv=iv,
            aad=aad or None,
            data=[data[: len(data) // 3], data[len(data) // 3 :]] if pieces else data,
            out=[window[:cut], window[cut:]] if pieces else self.out,
            tag=tag or None,
        )

    def check(self) -> None:
        job = self.job
        assert job.status == (runtime.OK if self.right else ERR_AUTH), (self.used, job.status)
        assert job.out_len == len(self.text)
        assert self.out[: job.out_len] == self.text
        assert not any(self.out[job.out_len : self.used]), "what was padding, or forged, is zeros"
        assert self.out[self.used :] == bytes([BLANK]) * 40

    def untouched(self) -> bool:
        return self.out == bytes([BLANK]) * len(self.out) and self.job.status == NOT_RUN


def wrong_sizes(key: Key) -> list[int]:
    suite = key.suite
    sizes = [*range(0, 130), 1000, 1001, 16384, 18431, 18432, 18433, 18448, 20000]
    return [n for n in sizes if not takes_input(suite, OPEN, suite.iv_bytes, n)]


@pytest.mark.parametrize("name", strict_suites())
def test_alone(shared_context: Context, name: str) -> None:
    rng, key = random.Random(name), key_of(shared_context.suite(name))
    for size in wrong_sizes(key):
        opened = Opened(rng, key, size)
        assert shared_context.burst([opened.job]) == ERR_AUTH
        opened.check()
        with pytest.raises(RuntimeFailure) as failure:
            job = opened.job
            key.open(bytes(size), job.tag, iv=job.iv, aad=job.aad, tag_len=len(job.tag or b""))
        assert failure.value.code == ERR_AUTH, size


@pytest.mark.parametrize("pieces", [False, True], ids=["whole", "pieces"])
@pytest.mark.parametrize("name", strict_suites())
def test_the_rest_of_the_burst_runs(shared_context: Context, name: str, pieces: bool) -> None:
    rng, key = random.Random(name), key_of(shared_context.suite(name))
    wrong = wrong_sizes(key) or [70000]
    for n in (2, 3, 17, 70):
        sizes = [rng.choice((64, 256, 1024)) for _ in range(n)]
        for at in rng.sample(range(n), rng.choice((1, n // 2, n - 1, n))):
            sizes[at] = rng.choice(wrong)
        jobs = [Opened(rng, key, size, 13 if size == 70000 else 0, pieces) for size in sizes]
        assert all(job.right == (size not in wrong) for job, size in zip(jobs, sizes))
        assert shared_context.burst([opened.job for opened in jobs]) == (
            runtime.OK if all(opened.right for opened in jobs) else ERR_AUTH
        )
        for opened in jobs:
            opened.check()


def test_all_suites_in_one_burst(shared_context: Context) -> None:
    rng = random.Random(5)
    keys = [key_of(shared_context.suite(name)) for name in strict_suites()]
    jobs = [Opened(rng, key, rng.choice([*(wrong_sizes(key) or [64]), 64, 128])) for key in keys for _ in range(3)]
    rng.shuffle(jobs)
    assert shared_context.burst([opened.job for opened in jobs]) == ERR_AUTH
    for opened in jobs:
        opened.check()


@pytest.mark.parametrize("name", strict_suites())
def test_bad_arguments_still_stop_the_burst(shared_context: Context, name: str) -> None:
    """Then nothing is written, and what would be forged has not been run."""
    rng, key = random.Random(name), key_of(shared_context.suite(name))
    wrong = wrong_sizes(key) or [70000]
    jobs = [Opened(rng, key, size, 13 if size == 70000 else 0) for size in (64, rng.choice(wrong), 64)]
    bad = Opened(rng, key, 64)
    bad.job.iv = bytes(99)
    assert shared_context.burst([opened.job for opened in [*jobs, bad]]) == ERR_LENGTH
    assert all(opened.untouched() for opened in jobs) and bad.job.status == ERR_LENGTH
    small = Opened(rng, key, wrong[-1], 13 if wrong[-1] == 70000 else 0)
    small.job.out = Address(1 << 40, wrong[-1] - 1)  # no room for what would be zeroed
    assert shared_context.burst([small.job]) == ERR_LENGTH == small.job.status


@pytest.mark.parametrize("name", strict_suites())
def test_a_manager(shared_context: Context, name: str) -> None:
    """Takes them in with the others, and returns them in their order."""
    rng, key = random.Random(name), key_of(shared_context.suite(name))
    wrong = wrong_sizes(key) or [70000]
    manager = Manager(shared_context, 8, 100, 64)
    jobs = []
    for _ in range(21):
        size = rng.choice((64, 256, *wrong[:1], rng.choice(wrong)))
        jobs.append(Opened(rng, key, size, 13 if size == 70000 else 0))
        manager.submit(jobs[-1].job)
    manager.flush()
    for opened in jobs:
        assert manager.take() is opened.job
        opened.check()
    assert manager.take() is None
    last = Opened(rng, key, wrong[0], 13 if wrong[0] == 70000 else 0)
    manager.submit(last.job)
    assert manager.cancel(last.job) and last.untouched()


def test_sealing_is_the_callers_affair(shared_context: Context) -> None:
    for name in ("aes-128-cbc+hmac-sha1-etm", "aes-128-cbc+hmac-sha1-tls"):
        key = key_of(shared_context.suite(name))
        size = 63 if name.endswith("etm") else 16385
        job = Job(
            key,
            SEAL,
            iv=bytes(16),
            aad=bytes(key.suite.aad_min) or None,
            data=bytes(size),
            out=bytearray(size + 64),
            tag=bytearray(key.suite.tag_max) or None,
        )
        assert shared_context.burst([job]) == ERR_LENGTH == job.status
