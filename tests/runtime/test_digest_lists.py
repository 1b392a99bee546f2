"""Digests and HMACs of short messages, which a kernel takes as a list of jobs: tags of all lengths, opened and forged,
beside other lengths and in pieces."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptostitch.binding.cost_file import write_table
from cryptostitch.binding.runtime import ERR_AUTH, ERR_NAME, OPEN, SEAL, Context, Job, Key, RawKernel, RuntimeFailure

SUITES = ("sha1", "sha256", "hmac-sha1", "hmac-sha256")
LENGTHS = {"list_x1": (64,), "padded_x1": (0, 1, 3, 8, 16, 31, 55), "padded_x1_by8": (56, 63, 64, 65, 100, 119)}
"""Messages that a kernel takes, by the end of its name."""
SECRET = bytes(range(20))


class Hash:
    """A suite, with a kernel of lists forced, and right answers."""

    def __init__(self, context: Context, name: str, which: str):
        self.name, self.keyed, self.hash = name, name.startswith("hmac-"), name.removeprefix("hmac-")
        self.kernel: RawKernel = context.kernel(f"{self.hash}_ni{'_hmac' * self.keyed}_{which}@sse_shani")
        self.lengths = LENGTHS[which]
        self.key: Key = context.suite(name).key(None, SECRET if self.keyed else None)
        self.size = hashlib.new(self.hash).digest_size

    def answer(self, text: bytes) -> bytes:
        if self.keyed:
            return hmac.new(SECRET, text, self.hash).digest()
        return hashlib.new(self.hash, text).digest()


@pytest.fixture(params=itertools.product(SUITES, LENGTHS), ids="-".join)
def its(request: pytest.FixtureRequest, shared_context: Context) -> Iterator[Hash]:
    try:
        found = Hash(shared_context, *request.param)
    except RuntimeFailure:
        pytest.skip("no SHA extensions")
    shared_context.force(found.name, found.kernel.name)
    yield found
    shared_context.force(found.name, None)


def texts(n: int, length: int) -> list[bytes]:
    rng = random.Random(n)
    return [rng.randbytes(length) for _ in range(n)]


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 63, 64, 65, 200])
def test_every_number(shared_context: Context, its: Hash, n: int) -> None:
    for length in its.lengths:
        some, before = texts(n, length), its.kernel.calls()
        jobs = [Job(its.key, SEAL, data=text, tag=bytearray(its.size)) for text in some]
        shared_context.burst(jobs)
        assert [bytes(job.tag) for job in jobs] == [its.answer(text) for text in some]
        assert [(job.status, job.out_len) for job in jobs] == [(0, 0)] * n
        assert its.kernel.calls() == before + n


@pytest.mark.parametrize("alone", [True, False])
def test_every_length_of_tags(shared_context: Context, its: Hash, alone: bool) -> None:
    sizes = range(its.key.suite.tag_min, its.size + 1)
    for length in its.lengths:
        some, rooms = texts(len(sizes), length), [bytearray(b"~" * 70) for _ in sizes]
        jobs = [
            Job(its.key, SEAL, data=text, tag=memoryview(room)[3 : 3 + size])
            for text, room, size in zip(some, rooms, sizes)
        ]
        for burst in [[job] for job in jobs] if alone else [jobs]:
            shared_context.burst(burst)
        for text, room, size in zip(some, rooms, sizes):
            assert room == b"~~~" + its.answer(text)[:size] + b"~" * (67 - size)


@pytest.mark.parametrize("its", itertools.product(SUITES[2:], LENGTHS), ids="-".join, indirect=True)
@pytest.mark.parametrize("n", [1, 5, 20])
def test_opened_and_forged(shared_context: Context, its: Hash, n: int) -> None:
    some = texts(n, its.lengths[-1])
    for forged in range(-1, 8 * its.size, 7):
        tags = [bytearray(its.answer(text)) for text in some]
        if forged >= 0:
            tags[n // 2][forged // 8] ^= 1 << forged % 8
        jobs = [Job(its.key, OPEN, data=text, tag=tag) for text, tag in zip(some, tags)]
        before = its.kernel.calls()
        shared_context.burst(jobs)
        assert [job.status for job in jobs] == [ERR_AUTH * (forged >= 0 and i == n // 2) for i in range(n)]
        assert its.kernel.calls() == before + n


def test_every_length_alone(shared_context: Context, its: Hash) -> None:
    """Unforced, too: a range of lengths has messages of one block and of two."""
    for kernel in (its.kernel.name, None):
        shared_context.force(its.name, kernel)
        for length in (*range(300), *range(130)):
            for text in texts(3, length):
                job = Job(its.key, SEAL, data=text, tag=bytearray(its.size))
                shared_context.burst([job])
                assert bytes(job.tag) == its.answer(text), (kernel, length)


def test_beside_other_lengths(shared_context: Context, its: Hash) -> None:
    """And in pieces: jobs that the forced kernel does not take run on others."""
    some = [text for length in (0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 192, 1000) for text in texts(3, length)]
    for pieces in (False, True):
        jobs = [
            Job(its.key, SEAL, data=[text[:7], text[7:]] if pieces else text, tag=bytearray(its.size)) for text in some
        ]
        shared_context.burst(jobs)
        assert [bytes(job.tag) for job in jobs] == [its.answer(text) for text in some]


@pytest.mark.parametrize("other", ["sha224", "hmac-sha224", "sha512", "aes-128-cbc+hmac-sha256-etm", "sha1+sha256"])
def test_no_other_suite_takes_it(shared_context: Context, its: Hash, other: str) -> None:
    """The kernel has the initial value of its hash, and HMAC's chaining values where keys of HMAC alone have them."""
    others = [other, its.hash if its.keyed else f"hmac-{its.hash}"]
    for name in others:
        with pytest.raises(RuntimeFailure) as refused:
            shared_context.force(name, its.kernel.name)
        assert refused.value.code == ERR_NAME


@pytest.mark.parametrize("name,its", [("sha256", "sha256_ni"), ("hmac-sha256", "sha256_ni_hmac")])
def test_costs_decide_between_lists_and_lanes(shared_context: Context, tmp_path: Path, name: str, its: str) -> None:
    """The choice adds the cycles that the library spends around the kernels of lanes, so that it takes the list where
    the kernels alone cost the same."""
    listed, lanes = f"{its}_list_x1@sse_shani", "sha256_ni_x4@sse_shani"
    try:
        shared_context.kernel(listed)
    except RuntimeFailure:
        pytest.skip("no SHA extensions")

    def chosen(cycles: float, jobs: int) -> str:
        rows = {listed: [0.1, cycles], lanes: [100.0, 0.0]}
        context = Context(costs=write_table(tmp_path / "table", "zen9", rows))
        return context.suite(name).choice(jobs, 64).kernel

    in_lanes = (3 if name.startswith("hmac") else 2) * 100 / 4  # a message's share of the calls
    assert chosen(in_lanes, 64) == chosen(in_lanes, 8) == listed
    assert chosen(in_lanes + 80, 64) == lanes and chosen(in_lanes + 80, 8) == listed
    assert chosen(in_lanes + 400, 8) == lanes
