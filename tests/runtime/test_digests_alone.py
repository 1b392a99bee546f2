"""Digests and HMACs one after the other, on each kernel of one lane: all short lengths, long messages, tags of all
lengths, opened and forged."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from cryptostitch.binding.runtime import ERR_AUTH, OPEN, SEAL, Context, Job, Key, RawKernel, RuntimeFailure

KERNELS = {
    "sha512_simd_x1@avx512": "sha512",
    "sha512_simd_x1@avx2": "sha384",
    "sha512_simd_x1@sse_bmi2": "sha512_256",
    "sha512_x1@scalar": "sha512",
    "sha256_x1@scalar": "sha224",
    "sha256_ni_x1@sse_shani": "sha256",
    "sha1_ni_x1@sse_shani": "sha1",
    "md5_x1@scalar": "md5",
}
SECRET = bytes(range(20))


@dataclass
class Alone:
    """A suite, with a kernel of one lane forced, and right answers."""

    context: Context
    kernel: RawKernel
    key: Key
    hash: str
    keyed: bool

    def answer(self, text: bytes) -> bytes:
        return hmac.new(SECRET, text, self.hash).digest() if self.keyed else hashlib.new(self.hash, text).digest()

    @property
    def size(self) -> int:
        return hashlib.new(self.hash).digest_size


@pytest.fixture(params=[(kernel, keyed) for kernel in KERNELS for keyed in (False, True)], ids=str)
def its(request: pytest.FixtureRequest, shared_context: Context) -> Iterator[Alone]:
    name, keyed = request.param
    hash_name = KERNELS[name]
    suite = f"{'hmac-' * keyed}{hash_name}"
    try:
        kernel = shared_context.kernel(name)
        shared_context.force(suite, name)
    except RuntimeFailure:
        pytest.skip(f"this CPU does not run {name}")
    key = shared_context.suite(suite).key(None, SECRET if keyed else None)
    yield Alone(shared_context, kernel, key, hash_name, keyed)
    shared_context.force(suite, None)


@pytest.mark.parametrize("n", [1, 3])
def test_every_length(its: Alone, n: int) -> None:
    rng = random.Random(n)
    for length in (*range(420), 1000, 4096, 5000):
        texts, before = [rng.randbytes(length) for _ in range(n)], its.kernel.calls()
        jobs = [Job(its.key, SEAL, data=text, tag=bytearray(its.size)) for text in texts]
        its.context.burst(jobs)
        assert [bytes(job.tag) for job in jobs] == [its.answer(text) for text in texts], length
        assert its.kernel.calls() > before


def test_every_length_of_tags(its: Alone) -> None:
    text = random.Random(1).randbytes(64)
    for size in range(its.key.suite.tag_min, its.size + 1):
        room = bytearray(b"~" * 70)
        its.context.burst([Job(its.key, SEAL, data=text, tag=memoryview(room)[3 : 3 + size])])
        assert room == b"~~~" + its.answer(text)[:size] + b"~" * (67 - size)


@pytest.mark.parametrize("its", [(kernel, True) for kernel in KERNELS], ids=str, indirect=True)
def test_opened_and_forged(its: Alone) -> None:
    texts = [random.Random(n).randbytes(200) for n in range(3)]
    for forged in range(-1, 8 * its.size, 7):
        tags = [bytearray(its.answer(text)) for text in texts]
        if forged >= 0:
            tags[1][forged // 8] ^= 1 << forged % 8
        jobs = [Job(its.key, OPEN, data=text, tag=tag) for text, tag in zip(texts, tags)]
        its.context.burst(jobs)
        assert [job.status for job in jobs] == [0, ERR_AUTH * (forged >= 0), 0]
