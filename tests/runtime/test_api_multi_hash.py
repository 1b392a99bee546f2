"""Multi-hash SHA-1 and SHA-256: what isa-l_crypto gives, whatever the message is cut into."""

from __future__ import annotations

import random

import pytest
from cryptostitch import hash_many
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import SEAL, Context, Job, RuntimeFailure
from cryptostitch.ladder import multi_hash
from jobs.samples import LEVELS
from targets import context_for

# of bytes (7 * i + (i >> 8)) & 0xff, by isa-l_crypto 2.26
PEERS = {
    3: (
        "e0fa8b6bf78e01a62fcb93cef33afb5a094d802d",
        "83462a48ec45e68613a2337fdb69ace9aa4c03d2ea2f9d584f5a595b941be0ee",
    ),
    5000: (
        "d54e101fac8b8781c974940ce114fcbf15bb6b29",
        "3bd302d12a5e64848fe474a8eac716fc2f1db473d7607b7d9522d256320ffaa7",
    ),
    1048576: (
        "6eace2b58d1df47065f12d13fa28471e762becfb",
        "d6b7ea055f98806f856dc097402370ea0667ebc42cdc43aafdb047bdabc5b576",
    ),
}
LENGTHS = (0, 1, 55, 1014, 1015, 1016, 1017, 1023, 1024, 1025, 2039, 2040, 2048, 5000, 17 * 1024 + 5)


def text_of(length: int) -> bytes:
    return bytes((7 * i + (i >> 8)) & 0xFF for i in range(length))


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.mark.parametrize("place,suite", list(enumerate(multi_hash.HASHES)))
def test_the_peers_answers(context: Context, place: int, suite: str) -> None:
    key = context.suite(suite).key()
    for length, digests in PEERS.items():
        assert key.digest(text_of(length)).hex() == digests[place], length
        if length < 10_000:
            assert multi_hash.digest(suite, text_of(length)).hex() == digests[place], length


@pytest.mark.parametrize("suite", multi_hash.HASHES)
def test_lengths_and_pieces(context: Context, suite: str) -> None:
    rng, key = random.Random(suite), context.suite(suite).key()
    jobs, wanted = [], []
    for length in LENGTHS:
        text = rng.randbytes(length)
        cuts = sorted(rng.randrange(length + 1) for _ in range(4))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, length])]
        digest = multi_hash.digest(suite, text)
        for data in (text, pieces):
            jobs.append(Job(key, SEAL, data=data, tag=bytearray(len(digest))))
            wanted.append(digest)
    assert context.burst(jobs) == runtime.OK
    assert [bytes(job.tag) for job in jobs] == wanted


@pytest.mark.parametrize("suite", multi_hash.HASHES)
def test_opened(context: Context, suite: str) -> None:
    key, text = context.suite(suite).key(), text_of(5000)
    tag = key.digest(text)
    key.open(text, tag)
    with pytest.raises(RuntimeFailure) as failure:
        key.open(text, tag[:-1] + bytes([tag[-1] ^ 1]))
    assert failure.value.code == runtime.ERR_AUTH


@pytest.mark.parametrize("suite", multi_hash.HASHES)
def test_with_each_kernel(context: Context, suite: str) -> None:
    """Kernels of the hash, of any number of lanes."""
    key, text = context.suite(suite).key(), text_of(5000)
    wanted, hash_ = multi_hash.digest(suite, text), multi_hash.HASHES[suite]
    ran = 0
    for kernel in context.kernels():
        if not kernel.startswith((f"{hash_}_x", f"{hash_}_ni", f"{hash_}_simd")):
            continue
        try:
            context.force(suite, kernel)
        except RuntimeFailure as failure:
            assert failure.code in (runtime.ERR_UNSUPPORTED, runtime.ERR_NAME)
            continue
        try:
            assert key.digest(text) == wanted, kernel
        finally:
            context.force(suite, None)
        ran += 1
    assert ran


def test_from_python() -> None:
    texts = [text_of(length) for length in (3, 5000)]
    assert [digest.hex() for digest in hash_many("mh-sha256", texts)] == [PEERS[3][1], PEERS[5000][1]]
