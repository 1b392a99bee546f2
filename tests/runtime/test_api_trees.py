"""BLAKE3: chunks of a message in lanes, and the tree above them."""

from __future__ import annotations

import ctypes
import itertools
import json
import random
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from blake3 import blake3
from cryptostitch import hash_column
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import STATE_BYTES, PartStruct
from cryptostitch.binding.many import hash_key
from cryptostitch.binding.runtime import OPEN, SEAL, Context, Job, Key, RuntimeFailure
from cryptostitch.core import blake3 as model
from cryptostitch.core.catalog import SHA256
from jobs.samples import LEVELS
from targets import context_for

CHUNKS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100)
LONG = (255, 256, 257, 511, 512, 513, 768, 1024, 1281)
"""Around the 256 chunks that are hashed at once."""

KEY = bytes(range(7, 39))
CONTEXT = "Cryptostitch 2026: tests \u2713".encode()
SUITES = {"hash": "blake3", "keyed_hash": "blake3-keyed", "derive_key": "blake3-derive-key"}


def shared_key() -> Key:
    return hash_key("blake3", None)


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
        for size in (1, 32, 64, 65, 300):
            assert model.digest(SHA256, text, size) == blake3(text).digest(size), (length, size)
        assert model.keyed(SHA256, KEY, text, 100) == blake3(text, key=KEY).digest(100)
        assert model.derived(SHA256, CONTEXT, text, 100) == blake3(text, derive_key_context=CONTEXT.decode()).digest(
            100
        )
    text, flags = bytes(range(128)), (model.CHUNK_START, model.CHUNK_END | model.ROOT)
    state = model.state_of(SHA256, text, *flags)
    assert state[:32] + state[52:] == blake3(text).digest(64)


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


def official() -> list[tuple[str, bytes, int, str]]:
    """(suite, MAC key, bytes of the message, output) of the authors' vectors."""
    read = json.loads((Path(__file__).parents[1] / "vectors/blake3.json").read_text())
    keys = {"hash": b"", "keyed_hash": read["key"].encode(), "derive_key": read["context_string"].encode()}
    return [(SUITES[mode], key, case["input_len"], case[mode]) for case in read["cases"] for mode, key in keys.items()]


def test_official_vectors(context: Context) -> None:
    """Outputs of 131 bytes, whole and the beginning of it."""
    ran = 0
    for suite, mac_key, length, wanted in official():
        key = context.suite(suite).key(None, mac_key)
        text = bytes(i % 251 for i in range(length))
        assert key.digest(text, 131).hex() == wanted, (suite, length)
        assert key.digest(text).hex() == wanted[:64]
        ran += 1
    assert ran == 105


@pytest.fixture(params=SUITES.values())
def moded(request: pytest.FixtureRequest, context: Context) -> tuple[Key, Callable[[bytes, int], bytes]]:
    """A key of each mode, and what it computes: output of any length."""
    return {
        "blake3": lambda: (context.suite("blake3").key(), lambda text, n: blake3(text).digest(n)),
        "blake3-keyed": lambda: (
            context.suite("blake3-keyed").key(None, KEY),
            lambda text, n: blake3(text, key=KEY).digest(n),
        ),
        "blake3-derive-key": lambda: (
            context.suite("blake3-derive-key").key(None, CONTEXT),
            lambda text, n: blake3(text, derive_key_context=CONTEXT.decode()).digest(n),
        ),
    }[request.param]()


def test_outputs_of_any_length(moded: tuple[Key, Callable[[bytes, int], bytes]]) -> None:
    key, wanted = moded
    text = random.Random(4).randbytes(300 * model.CHUNK)
    for length in (0, 1, 64, 65, 1023, 1024, 1025, 2048, 5000, 256 * model.CHUNK, 300 * model.CHUNK):
        for size in (1, 31, 32, 33, 63, 64, 65, 128, 131, 4096, 8191, 8192, 8193, 30000):
            assert key.digest(text[:length], size) == wanted(text[:length], size), (length, size)


def test_outputs_in_bursts(moded: tuple[Key, Callable[[bytes, int], bytes]]) -> None:
    """Short, wide and long outputs beside one another; some are opened, of which some are forged."""
    key, wanted = moded
    rng = random.Random(5)
    jobs, right = [], []
    for n in range(300):
        text, size = rng.randbytes(rng.choice((0, 64, 1024, 1025, 5000))), rng.choice((16, 32, 40, 64, 65, 200))
        tag = bytearray(wanted(text, size))
        seals, forged = bool(n % 2), n % 6 == 0
        if seals:
            tag = bytearray(size)
        elif forged:
            tag[rng.randrange(size)] ^= 1
        jobs.append(Job(key, SEAL if seals else OPEN, data=pieces(text, rng) if n % 5 == 0 else text, tag=tag))
        right.append((wanted(text, size), seals, forged))
    assert key.suite.context.burst(jobs) == runtime.ERR_AUTH
    for job, (tag, seals, forged) in zip(jobs, right):
        assert job.status == (runtime.ERR_AUTH if forged else runtime.OK)
        assert not seals or bytes(job.tag) == tag


@pytest.mark.parametrize("length", [0, 1, 32, 63, 64, 65, 1023, 1024, 1025, 2048, 3073, 10000])
def test_contexts_of_every_length(shared_context: Context, length: int) -> None:
    string = random.Random(length).randbytes(length).hex()[:length]
    key = shared_context.suite("blake3-derive-key").key(None, string.encode())
    assert key.digest(b"material", 50) == blake3(b"material", derive_key_context=string).digest(50)


def test_keys_are_32_bytes(shared_context: Context) -> None:
    for mac_key in (None, b"", bytes(31), bytes(33)):
        with pytest.raises(RuntimeFailure) as failure:
            shared_context.suite("blake3-keyed").key(None, mac_key)
        assert failure.value.code == (runtime.ERR_ARGUMENT if mac_key is None else runtime.ERR_LENGTH)
    suite = shared_context.suite("blake3-keyed")
    assert (suite.tag_min, suite.tag_max, suite.most_tag_bytes, suite.kind) == (1, 32, 1 << 40, runtime.MAC)


class Parts:
    """A message that comes in parts."""

    def __init__(self, key: Key, tag_len: int):
        self.key, self.tag = key, (ctypes.c_char * tag_len)()
        self.state = (ctypes.c_uint64 * (STATE_BYTES // 8))()

    def add(self, data: bytes, last: bool = False) -> None:
        part = PartStruct(key=self.key.handle, state=ctypes.addressof(self.state), in_len=len(data))
        buffer = ctypes.create_string_buffer(data, max(1, len(data)))
        setattr(part, "in", ctypes.addressof(buffer) if data else None)
        if last:
            part.last, part.tag, part.tag_len = 1, ctypes.addressof(self.tag), len(self.tag)
        context = self.key.suite.context
        assert context.lib.cst_digest_parts(context.handle, ctypes.byref(part), 1) == runtime.OK

    def end(self) -> bytes:
        self.add(b"", True)
        assert bytes(self.state) == bytes(STATE_BYTES)
        return bytes(self.tag)


def test_parts_of_any_length(moded: tuple[Key, Callable[[bytes, int], bytes]]) -> None:
    key, wanted = moded
    rng = random.Random(6)
    text = rng.randbytes(1000 * model.CHUNK)
    for length in [*around((1, 2, 3, 4, 8, 9, 255, 256, 257)), 1000 * model.CHUNK]:
        for most in (100, 1024, 5000, 600 * model.CHUNK):
            parts, at, size = Parts(key, rng.choice((32, 64, 150))), 0, 0
            while at < length and size < 300:
                some = min(rng.choice((0, 1, 64, 1024, 2048, rng.randrange(most), most)), length - at)
                parts.add(text[at : at + some])
                at, size = at + some, size + 1
            parts.add(text[at:length])
            assert parts.end() == wanted(text[:length], len(parts.tag)), (length, most)


def test_one_byte_at_a_time() -> None:
    """Every border of blocks and chunks as the end of a part."""
    text = random.Random(7).randbytes(5 * model.CHUNK)
    parts = Parts(shared_key(), 32)
    for i in range(len(text)):
        if i % 64 in (0, 1, 63):
            copy = Parts(parts.key, 32)
            copy.state[:] = parts.state[:]
            assert copy.end() == blake3(text[:i]).digest(), i
        parts.add(text[i : i + 1])
    assert parts.end() == blake3(text).digest()


def test_parts_on_threads(moded: tuple[Key, Callable[[bytes, int], bytes]]) -> None:
    """cst_tree_part and cst_tree_root, at once by several threads."""
    key, wanted = moded
    text = random.Random(8).randbytes(1500 * model.CHUNK + 77)
    for size in (1, 2, 16, 256, 1024):
        part = size * model.CHUNK
        for length in (part + 1, 2 * part, 3 * part - 1, 5 * part + 5, len(text)):
            if not part < length <= len(text):
                continue
            begins = range(0, length, part)
            parts = [text[at : min(at + part, length)] for at in begins]
            with ThreadPoolExecutor(4) as threads:
                chains = list(threads.map(key.tree_part, begins, parts))
            for tag_len in (32, 64, 100):
                assert key.tree_root(chains, tag_len) == wanted(text[:length], tag_len), (size, length)


def test_errors_of_tree_parts(shared_context: Context) -> None:
    lib, key, other = shared_context.lib, shared_key(), shared_context.suite("sha256").key()
    text, out = ctypes.create_string_buffer(4096), (ctypes.c_char * 64)()
    at, to = ctypes.addressof(text), ctypes.addressof(out)
    for code, arguments in (
        (runtime.ERR_ARGUMENT, (None, 0, at, 1024, to)),
        (runtime.ERR_ARGUMENT, (key.handle, 0, None, 1024, to)),
        (runtime.ERR_ARGUMENT, (key.handle, 0, at, 1024, None)),
        (runtime.ERR_UNSUPPORTED, (other.handle, 0, at, 1024, to)),
        (runtime.ERR_LENGTH, (key.handle, 0, at, 0, to)),
        (runtime.ERR_LENGTH, (key.handle, 1, at, 1024, to)),
        (runtime.ERR_LENGTH, (key.handle, 1024, at, 1025, to)),
        (runtime.ERR_LENGTH, (key.handle, 2048, at, 2049, to)),
        (runtime.ERR_LENGTH, (key.handle, 1 << 61, at, 1024, to)),
        (runtime.ERR_OVERLAP, (key.handle, 0, at, 1024, at + 1023)),
        (runtime.OK, (key.handle, 2048, at, 2048, to)),
    ):
        out.raw = bytes(64)
        assert lib.cst_tree_part(*arguments) == code, arguments
        assert (bytes(out) == bytes(64)) == (code != runtime.OK)
    for code, arguments in (
        (runtime.ERR_ARGUMENT, (None, at, 2, to, 32)),
        (runtime.ERR_ARGUMENT, (key.handle, None, 2, to, 32)),
        (runtime.ERR_ARGUMENT, (key.handle, at, 2, None, 32)),
        (runtime.ERR_UNSUPPORTED, (other.handle, at, 2, to, 32)),
        (runtime.ERR_LENGTH, (key.handle, at, 1, to, 32)),
        (runtime.ERR_LENGTH, (key.handle, at, 1 << 60, to, 32)),
        (runtime.ERR_LENGTH, (key.handle, at, 2, to, 0)),
        (runtime.ERR_OVERLAP, (key.handle, at, 2, at + 63, 32)),
        (runtime.OK, (key.handle, at, 2, to, 32)),
    ):
        out.raw = bytes(64)
        assert lib.cst_tree_root(*arguments) == code, arguments
        assert (bytes(out) == bytes(64)) == (code != runtime.OK)
