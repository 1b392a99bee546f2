"""Hashes that are not of the Merkle-Damgard kind: sponges, whose digests may have any length, and BLAKE2."""

from __future__ import annotations

import ctypes
import hashlib
import random
from array import array
from collections.abc import Callable

import pytest
from cryptostitch import Algorithm, Generator, hash_column, hash_many
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import STATE_BYTES, PartStruct
from cryptostitch.binding.runtime import ALLOW_PACKS, SEAL, Context, Job, RuntimeFailure
from cryptostitch.core.catalog import ALGORITHMS
from cryptostitch.emit.artefacts import pack_of
from cryptostitch.ladder import oracle
from jobs.samples import LEVELS
from targets import context_for

ROWS = {row.suite: row for row in ALGORITHMS if row.kind == "hash" and row.padding not in ("length", "rest")}
EXTENDABLE: dict[str, Callable[[bytes, int], bytes]] = {
    "shake128": lambda text, length: hashlib.shake_128(text).digest(length),
    "shake256": lambda text, length: hashlib.shake_256(text).digest(length),
}


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def around(block: int) -> list[int]:
    """Lengths where something else happens, and some between."""
    return sorted(
        {n * block + d for n in (0, 1, 2, 6, 7, 8, 14) for d in (-1, 0, 1, 7) if n * block + d >= 0} | {3, 50}
    )


@pytest.mark.parametrize("suite", ROWS)
def test_bursts_of_mixed_lengths(context: Context, suite: str) -> None:
    """In one piece and scattered, sealed and opened, each kernel forced."""
    rng, key = random.Random(suite), context.suite(suite).key()
    kernels = [name for name in context.kernels() if name.startswith(kernel_prefix(suite))]
    texts = [rng.randbytes(n) for n in around(ROWS[suite].block_bytes) * 5]
    rng.shuffle(texts)
    wanted = [oracle.digest(suite, text) for text in texts]
    ran = 0
    for kernel in (None, *kernels):
        try:
            context.force(suite, kernel)
        except RuntimeFailure as failure:
            assert failure.code == runtime.ERR_NAME or failure.code == runtime.ERR_UNSUPPORTED
            continue
        jobs = [Job(key, SEAL, data=text, tag=bytearray(len(tag))) for text, tag in zip(texts, wanted)]
        for job, text in zip(jobs[::3], texts[::3]):
            job.data = [text[: len(text) // 3], b"", text[len(text) // 3 :]]
        assert context.burst(jobs) == runtime.OK
        assert [bytes(job.tag) for job in jobs] == wanted, kernel
        ran += 1
    context.force(suite, None)
    assert ran > 1
    for text, tag in zip(texts, wanted):
        key.open(text, tag)
        with pytest.raises(RuntimeFailure) as failure_:
            key.open(text, bytes([tag[0] ^ 1]) + tag[1:])
        assert failure_.value.code == runtime.ERR_AUTH


def kernel_prefix(suite: str) -> str:
    row = ROWS[suite]
    base = next(other for other in ROWS.values() if other.name == row.base) if row.base else row
    return base.forms[0].name + "_x"


@pytest.mark.parametrize("suite", EXTENDABLE)
def test_output_of_any_length(context: Context, suite: str) -> None:
    rng, key, block = random.Random(suite), context.suite(suite).key(), ROWS[suite].block_bytes
    lengths = [*range(1, 70), *(n for n in around(block) if n), 5000, 70_001]
    texts = [rng.randbytes(rng.choice(around(block))) for _ in lengths]
    for text, length in zip(texts, lengths):
        assert key.digest(text, length) == EXTENDABLE[suite](text, length), (len(text), length)
    jobs = [Job(key, SEAL, data=text, tag=bytearray(length)) for text, length in zip(texts, lengths)]
    assert context.burst(jobs) == runtime.OK
    for job, text, length in zip(jobs, texts, lengths):
        assert bytes(job.tag) == EXTENDABLE[suite](text, length), (len(text), length)
    tag = EXTENDABLE[suite](b"text", 1000)
    key.open(b"text", tag, tag_len=1000)
    for at in (0, 500, 999):
        wrong = bytearray(tag)
        wrong[at] ^= 0x80
        with pytest.raises(RuntimeFailure) as failure:
            key.open(b"text", bytes(wrong), tag_len=1000)
        assert failure.value.code == runtime.ERR_AUTH


@pytest.mark.parametrize("suite", EXTENDABLE)
def test_long_output_of_parts(shared_context: Context, suite: str) -> None:
    key, text = shared_context.suite(suite).key(), random.Random(suite).randbytes(1000)
    state, tag = (ctypes.c_uint64 * (STATE_BYTES // 8))(), (ctypes.c_char * 777)()
    for at, end in ((0, 0), (0, 5), (5, 168), (168, 900), (900, 1000)):
        piece = ctypes.create_string_buffer(text[at:end], max(end - at, 1))
        part = PartStruct(key=key.handle, state=ctypes.addressof(state), in_len=end - at)
        setattr(part, "in", ctypes.addressof(piece))
        if end == len(text):
            part.last, part.tag, part.tag_len = 1, ctypes.addressof(tag), len(tag)
        assert shared_context.lib.cst_digest_parts(shared_context.handle, ctypes.byref(part), 1) == runtime.OK
    assert bytes(tag) == EXTENDABLE[suite](text, 777) and bytes(state) == bytes(STATE_BYTES)


def test_what_python_offers() -> None:
    texts = [bytes([n]) * n for n in range(200)]
    assert hash_many("sha3-256", texts) == [hashlib.sha3_256(text).digest() for text in texts]
    assert hash_many("shake128", texts, 300) == [hashlib.shake_128(text).digest(300) for text in texts]
    assert hash_many("shake256", [b""]) == [hashlib.shake_256().digest(64)]
    data, offsets = b"".join(texts), array("i", [0])
    for text in texts:
        offsets.append(offsets[-1] + len(text))
    assert hash_column("sha3-512", data, offsets) == b"".join(hashlib.sha3_512(text).digest() for text in texts)
    for name, length in (("sha3-256", 31), ("shake128", 0)):
        with pytest.raises(RuntimeFailure) as failure:
            hash_many(name, texts, length)
        assert failure.value.code == runtime.ERR_LENGTH


def test_what_suites_say(shared_context: Context) -> None:
    shake, sha3 = (shared_context.suite(name) for name in ("shake128", "sha3-384"))
    assert (shake.tag_min, shake.tag_max, shake.most_tag_bytes) == (1, 32, 1 << 40)
    assert shake.tag_lengths == list(range(1, 65))
    assert (sha3.tag_min, sha3.tag_max, sha3.most_tag_bytes, sha3.tag_lengths) == (48, 48, 48, [48])
    with pytest.raises(RuntimeFailure) as failure:
        shared_context.suite("hmac-shake128")
    assert failure.value.code == runtime.ERR_NAME


def test_a_row_is_all_that_a_newcomer_needs(library: str) -> None:
    """Keccak as it was before FIPS 202 (its byte behind the message is 1): known from elsewhere, and from a pack."""
    sha3 = next(row for row in ALGORITHMS if row.name == "sha3_256")
    keccak = Algorithm(
        "keccak_256",
        "keccak-256",
        "hash",
        (),
        sha3.parameters,
        bytes=sha3.bytes,
        block_bytes=136,
        padding="sponge",
        domain=0x01,
        word_bytes=8,
        words=25,
        digest_bytes=32,
        big_endian=False,
        length_bytes=0,
        initial=(0,) * 25,
        base="sha3_256",
    )
    generator = Generator([keccak])
    context = Context(ALLOW_PACKS, library=library)
    context.load_pack(pack_of(generator, [generator.recipe("keccak_x1@scalar")]))
    key = context.suite("keccak-256").key()
    known = {
        b"": "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
        b"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
    }
    for text, digest in known.items():
        assert key.digest(text).hex() == digest
        key.open(text, bytes.fromhex(digest))
