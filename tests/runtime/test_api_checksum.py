"""Checksums: values so far and combined ones by another implementation, digests of jobs, polynomials of any width, and
numbers that are no checksums."""

from __future__ import annotations

import ctypes
import random
import zlib
from ctypes import byref, c_uint64

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.keys import CrcKey
from cryptostitch.binding.runtime import Context, Key, RuntimeFailure
from cryptostitch.core.adler import ADLER32, Adler
from cryptostitch.core.crc import CATALOGUE, Crc
from cryptostitch.ladder import oracle
from cryptostitch.ladder.vectors import CHECK_VALUES
from jobs.samples import LEVELS
from targets import context_for

ALL: dict[str, Crc | Adler] = {**CATALOGUE, "adler32": ADLER32}
SUITES = sorted(ALL)


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.fixture(params=SUITES)
def crc(request: pytest.FixtureRequest) -> Crc | Adler:
    return ALL[request.param]


def key_of(context: Context, crc: Crc | Adler) -> Key:
    return context.suite(next(name for name, its in ALL.items() if its == crc)).key()


def test_check_values(context: Context) -> None:
    assert set(CHECK_VALUES) == set(SUITES) <= set(oracle.REFERENCES)
    for name, value in CHECK_VALUES.items():
        assert context.suite(name).key().checksum(b"123456789") == value


def test_crc32_is_zlibs(context: Context) -> None:
    key, rng = context.suite("crc32").key(), random.Random(1)
    for size in (0, 1, 255, 256, 257, 65536):
        data = rng.randbytes(size)
        assert key.checksum(data) == zlib.crc32(data)
        assert int.from_bytes(key.digest(data), "little") == zlib.crc32(data)


def test_adler32_is_zlibs(context: Context) -> None:
    """Of every length and alignment up to 4,096 bytes; of bytes that make the largest sums, and of more than a kernel
    takes in a call."""
    key, rng = context.suite("adler32").key(), random.Random(1)
    data = rng.randbytes(4096 + 64)
    for size in range(4097):
        at = size * 7 % 64
        text = memoryview(data)[at : at + size]
        assert key.checksum(text) == zlib.adler32(text), size
    for size in (4096, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_000_001):
        for text in (b"\xff" * size, rng.randbytes(size)):
            assert key.checksum(text) == zlib.adler32(text)
            assert key.checksum(text, 0xFFF0FFF0) == zlib.adler32(text, 0xFFF0FFF0)  # the largest value
            assert int.from_bytes(key.digest(text), "big") == zlib.adler32(text)
    assert key.checksum(b"") == zlib.adler32(b"") == 1


def test_value_so_far(context: Context, crc: Crc | Adler) -> None:
    key, rng = key_of(context, crc), random.Random(2)
    for _ in range(100):
        cuts = [rng.choice((0, 1, 3, 16, rng.randrange(70), rng.randrange(1200))) for _ in range(rng.randrange(6))]
        data, value, at = rng.randbytes(sum(cuts)), crc.value(b""), 0
        for cut in cuts:
            value = key.checksum(data[at : at + cut], value)
            at += cut
            assert value == crc.value(data[:at])


def test_every_length_at_every_alignment(context: Context, crc: Crc | Adler) -> None:
    key, data = key_of(context, crc), random.Random(3).randbytes(1024)
    for size in range(577):
        at = size * 7 % 64
        assert key.checksum(memoryview(data)[at : at + size]) == crc.value(data[at : at + size]), size


@pytest.mark.parametrize("streaming", [False, True])
def test_copy(context: Context, crc: Crc | Adler, streaming: bool) -> None:
    """Parts of a text, at every alignment; the bytes behind the copy stay."""
    key, rng = key_of(context, crc), random.Random(5)
    for size in (*range(0, 300, 7), 4095, 4096, 4097, 8192, 16384, 70_001):
        data, out = rng.randbytes(size), bytearray(b"x" * (size + 64))
        at, cut = size % 61, rng.randrange(size + 1)
        value = key.checksum_copy(data[:cut], memoryview(out)[at:], streaming=streaming)
        assert value == crc.value(data[:cut])
        assert key.checksum_copy(data[cut:], memoryview(out)[at + cut :], value, streaming) == crc.value(data)
        assert out == b"x" * at + data + b"x" * (64 - at)


def test_streaming_at_every_alignment(shared_context: Context) -> None:
    """Of every length around words and lines; nothing beside the copy is written."""
    crc, rng = CATALOGUE["crc32c"], random.Random(7)
    key, data = key_of(shared_context, crc), rng.randbytes(200)
    for size in range(130):
        for at in range(17):
            out = bytearray(b"x" * (size + 40))
            first = -ctypes.addressof(ctypes.c_char.from_buffer(out)) % 16 + at
            text = memoryview(data)[size % 5 :][:size]
            assert key.checksum_copy(text, memoryview(out)[first:], streaming=True) == crc.value(bytes(text))
            assert out == b"x" * first + bytes(text) + b"x" * (40 - first)


def test_copies_that_are_refused(shared_context: Context) -> None:
    key, cipher = shared_context.suite("crc32c").key(), shared_context.suite("sha256").key()
    text = bytearray(range(200))
    for data, out, value, code in (
        (memoryview(text)[:100], memoryview(text)[99:], 0, runtime.ERR_OVERLAP),
        (memoryview(text)[50:150], memoryview(text)[:100], 0, runtime.ERR_OVERLAP),
        (text, text, 0, runtime.ERR_OVERLAP),
        (b"text", bytearray(4), 1 << 32, runtime.ERR_ARGUMENT),
    ):
        with pytest.raises(RuntimeFailure) as failure:
            key.checksum_copy(data, out, value)
        assert failure.value.code == code
    with pytest.raises(RuntimeFailure) as failure:
        cipher.checksum_copy(b"text", bytearray(4))
    assert failure.value.code == runtime.ERR_ARGUMENT
    with pytest.raises(ValueError, match="an output of 3 bytes"):
        key.checksum_copy(b"text", bytearray(3))
    assert text == bytes(range(200))
    lib, value = shared_context.lib, c_uint64(5)
    assert lib.cst_checksum_copy(key.handle, b"text", 4, None, 0, byref(value)) == runtime.ERR_ARGUMENT
    assert lib.cst_checksum_copy(key.handle, b"text", 4, byref(value), 0, byref(value)) == runtime.ERR_OVERLAP
    assert lib.cst_checksum_copy(key.handle, b"", 0, None, 2, byref(value)) == runtime.ERR_ARGUMENT
    assert lib.cst_checksum_copy(key.handle, None, 0, None, 1, byref(value)) == runtime.OK and value.value == 5


def test_combine(shared_context: Context, crc: Crc | Adler) -> None:
    key, rng = key_of(shared_context, crc), random.Random(4)
    for size in (0, 1, 2, 15, 16, 17, 4096, rng.randrange(1 << 16)):
        first, second = rng.randbytes(rng.randrange(40)), rng.randbytes(size)
        got = key.combine(crc.value(first), crc.value(second), size)
        assert got == crc.value(first + second), size
    n, some = 1, crc.value(b"\0")
    for _ in range(40):  # so many zeros and twice as many, in either order
        twice = key.combine(some, some, n)
        assert key.combine(some, twice, 2 * n) == key.combine(twice, some, n)
        n, some = 2 * n, twice


@pytest.mark.parametrize("direction", [runtime.SEAL, runtime.OPEN])
def test_jobs(context: Context, crc: Crc | Adler, direction: int) -> None:
    """Of one burst, of any lengths."""
    key, rng = key_of(context, crc), random.Random(5)
    texts = [rng.randbytes(rng.choice((0, 9, 512, rng.randrange(3000)))) for _ in range(40)]
    tags = [bytearray(crc.digest(t) if direction == runtime.OPEN else bytes(crc.digest_bytes)) for t in texts]
    jobs = [runtime.Job(key, direction, data=text, tag=tag) for text, tag in zip(texts, tags)]
    context.burst(jobs)
    assert [job.status for job in jobs] == [runtime.OK] * len(jobs)
    assert [bytes(tag) for tag in tags] == [crc.digest(text) for text in texts]


def test_a_wrong_checksum(shared_context: Context, crc: Crc | Adler) -> None:
    key, data = key_of(shared_context, crc), b"123456789"
    assert key.open(data, crc.digest(data)) == b""
    for bit in range(8 * crc.digest_bytes):
        wrong = bytearray(crc.digest(data))
        wrong[bit // 8] ^= 1 << bit % 8
        with pytest.raises(RuntimeFailure) as failure:
            key.open(data, bytes(wrong))
        assert failure.value.code == runtime.ERR_AUTH


def test_numbers_that_are_no_checksums(shared_context: Context) -> None:
    key = shared_context.suite("crc16-t10-dif").key()
    for act in (
        lambda: key.checksum(b"a", 1 << 16),
        lambda: key.combine(1 << 16, 0, 1),
        lambda: key.combine(0, 1 << 16, 1),
    ):
        with pytest.raises(RuntimeFailure) as failure:
            act()
        assert failure.value.code == runtime.ERR_ARGUMENT
    with pytest.raises(RuntimeFailure) as failure:
        key.combine(0, 0, 1 << 61)
    assert failure.value.code == runtime.ERR_LENGTH
    with pytest.raises(RuntimeFailure) as failure:
        shared_context.suite("sha256").key().checksum(b"a")
    assert failure.value.code == runtime.ERR_ARGUMENT


def any_crc(rng: random.Random, width: int) -> Crc:
    polynomial, initial, final = (rng.getrandbits(width) for _ in range(3))
    return Crc(width, polynomial | 1, initial, final, bool(rng.randrange(2)))


def key_of_any(context: Context, crc: Crc) -> CrcKey:
    return CrcKey(context, crc.width, crc.polynomial, crc.initial, crc.final, crc.reflected)


@pytest.mark.parametrize("width", range(8, 65))
def test_any_polynomial(context: Context, width: int) -> None:
    rng = random.Random(width)
    for _ in range(2):
        crc = any_crc(rng, width)
        key, order = key_of_any(context, crc), "little" if crc.reflected else "big"
        nothing = crc.value(b"")
        for size in (0, 1, 7, 16, rng.randrange(64), rng.randrange(256), rng.randrange(1500)):
            data = rng.randbytes(size)
            assert key.checksum(data, nothing) == crc.value(data)
            assert key.digest(data) == crc.value(data).to_bytes(8, order)
            cut = rng.randrange(size + 1)
            assert key.checksum(data[cut:], crc.value(data[:cut])) == crc.value(data)
            assert key.combine(crc.value(data[:cut]), crc.value(data[cut:]), size - cut) == crc.value(data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"width": 7},
        {"width": 65},
        {"width": 0},
        {"polynomial": 0x1020},
        {"polynomial": 0x11021},
        {"initial": 0x10000},
        {"final": 0x10000},
        {"reflected": 2},
    ],
)
def test_no_such_check(shared_context: Context, wrong: dict[str, int]) -> None:
    right = {"width": 16, "polynomial": 0x1021, "initial": 0xFFFF, "final": 0, "reflected": 0}
    assert CrcKey(shared_context, **right).checksum(b"123456789", 0xFFFF) == 0x29B1  # CRC-16/IBM-3740
    with pytest.raises(RuntimeFailure) as failure:
        CrcKey(shared_context, **right | wrong)
    assert failure.value.code == runtime.ERR_ARGUMENT


def test_any_has_no_name(shared_context: Context) -> None:
    """Its key is a cst_crc, which cst_key_new could not look at."""
    assert not [name for name in shared_context.suites() if name.startswith("crc-")]
    for name in ("crc-reflected", "crc-normal"):
        with pytest.raises(RuntimeFailure) as failure:
            shared_context.suite(name)
        assert failure.value.code == runtime.ERR_NAME
