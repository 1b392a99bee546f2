"""BLAKE3: chunks of a message in lanes, and the tree above them."""

from __future__ import annotations

import ctypes
import itertools
import random
from array import array

import pytest
from blake3 import blake3
from cryptostitch import hash_column
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import STATE_BYTES, PartStruct
from cryptostitch.binding.runtime import SEAL, Context, Job, RuntimeFailure
from cryptostitch.core import blake3 as model
from cryptostitch.core.catalog import SHA256
from jobs.samples import LEVELS
from targets import context_for

CHUNKS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100)
LONG = (255, 256, 257, 511, 512, 513, 768, 1024, 1281)
"""Around the 256 chunks that are hashed at once."""


def around(chunks: tuple[int, ...]) -> list[int]:
    return sorted({n * model.CHUNK + d for n in chunks for d in (-65, -64, -1, 0, 1, 64)})


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def pieces(text: bytes, rng: random.Random) -> list[bytes]:
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(5))
    return [text[a:b] for a, b in itertools.pairwise([0, *cuts, len(text)])]


def test_model() -> None:
    """The definition that kernels are compared with, against its authors' implementation."""
    for length in (0, 1, 63, 64, 65, 128, 1023, 1024, 1025, 2048, 3073, 5120, 7169):
        text = random.Random(length).randbytes(length)
        assert model.digest(SHA256, text) == blake3(text).digest(), length
    text = bytes(range(128))
    flags = model.CHUNK_START, model.CHUNK_END | model.ROOT
    assert model.chain_of(SHA256, text, *flags) == blake3(text).digest()


def test_lengths_one_by_one(context: Context) -> None:
    key, text = context.suite("blake3").key(), random.Random(1).randbytes(1300 * model.CHUNK)
    for length in [*range(260), *around(CHUNKS), *around(LONG)]:
        assert key.digest(text[:length]) == blake3(text[:length]).digest(), length


def test_bursts_with_each_kernel(context: Context) -> None:
    """Mixed lengths in one piece and in several, twice in one context."""
    rng, key = random.Random(2), context.suite("blake3").key()
    texts = [rng.randbytes(n) for n in [*range(0, 260, 7), *around(CHUNKS), *around(LONG[:4])]]
    wanted = [blake3(text).digest() for text in texts]
    kernels = [name for name in context.kernels() if name.startswith("blake3_x")]
    assert kernels
    ran = 0
    for kernel in (None, *kernels, None):
        try:
            context.force("blake3", kernel)
        except RuntimeFailure as failure:
            assert failure.code == runtime.ERR_UNSUPPORTED
            continue
        order = rng.sample(range(len(texts)), len(texts))
        jobs = [Job(key, SEAL, data=texts[i], tag=bytearray(32)) for i in order]
        for job in jobs[::3]:
            job.data = pieces(bytes(job.data), rng)
        assert context.burst(jobs) == runtime.OK
        assert [bytes(job.tag) for job in jobs] == [wanted[i] for i in order], kernel
        ran += 1
    assert ran > 2


def test_opened(context: Context) -> None:
    key, text = context.suite("blake3").key(), bytes(5000)
    tag = blake3(text).digest()
    key.open(text, tag)
    for bit in (0, 100, 255):
        forged = bytearray(tag)
        forged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(RuntimeFailure) as failure:
            key.open(text, bytes(forged))
        assert failure.value.code == runtime.ERR_AUTH


def test_columns() -> None:
    rng = random.Random(3)
    lengths = [rng.choice((0, 8, 63, 64, 65, 200, 1024, 1025, 3000)) for _ in range(500)]
    offsets = array("Q", [0])
    for length in lengths:
        offsets.append(offsets[-1] + length)
    data = rng.randbytes(offsets[-1])
    wanted = b"".join(blake3(data[a:b]).digest() for a, b in itertools.pairwise(offsets))
    assert bytes(hash_column("blake3", data, offsets)) == wanted


def test_no_parts(context: Context) -> None:
    """What waits of a tree does not fit a state."""
    state, tag = (ctypes.c_uint64 * (STATE_BYTES // 8))(), (ctypes.c_char * 32)()
    key = context.suite("blake3").key()
    part = PartStruct(key=key.handle, state=ctypes.addressof(state))
    part.tag, part.tag_len = ctypes.addressof(tag), len(tag)
    error = context.lib.cst_digest_parts(context.handle, ctypes.byref(part), 1)
    assert error == runtime.ERR_UNSUPPORTED
    assert bytes(tag) == bytes(32) and bytes(state) == bytes(STATE_BYTES)
