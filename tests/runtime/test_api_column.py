"""cst_digest_column: the answers of other implementations, whatever the offsets; nothing written beside the digests or
on an error."""

from __future__ import annotations

import ctypes
import functools
import mmap
import random
import struct
from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import ColumnStruct
from cryptostitch.binding.runtime import Address, Context, Key, RuntimeFailure
from cryptostitch.ladder import oracle
from jobs.samples import LEVELS, LONG, one_of_each
from targets import context_for

SUITES = [name for name in suite_names() if oracle.meaning(name).only_reads]
SOME = one_of_each(SUITES)
KINDS = {4: "I", 8: "Q"}
MARK = 0xA5


def secrets(suite: str) -> tuple[bytes, bytes]:
    return oracle.secrets(random.Random(suite), suite)


def key_of(context: Context, suite: str) -> Key:
    key, mac_key = secrets(suite)
    return context.suite(suite).key(key, mac_key)


@functools.lru_cache(1 << 17)  # so that the levels of instructions share them
def expected(suite: str, item: bytes) -> bytes:
    key, mac_key = secrets(suite)
    return oracle.seal(suite, key, mac_key, b"", b"", item)[1]


def column(lengths: Sequence[int], first: int = 0, behind: int = 0, seed: object = 0) -> tuple[bytes, list[int]]:
    offsets = list(accumulate(lengths, initial=first))
    return random.Random(repr(seed)).randbytes(offsets[-1] + behind), offsets


def compare(
    context: Context, suite: str, data: bytes, offsets: list[int], width: int = 4, tag_len: int = 0, gap: int = 0
) -> None:
    key, n = key_of(context, suite), len(offsets) - 1
    tag_len = tag_len or key.suite.tag_max
    stride = tag_len + gap
    tags = bytearray([MARK]) * (n * stride + 3)
    key.digest_column(data, array(KINDS[width], offsets), tags, tag_len, stride if gap else 0)
    for i in range(n):
        want = expected(suite, data[offsets[i] : offsets[i + 1]])[:tag_len]
        got = tags[i * stride : (i + 1) * stride]
        assert got[:tag_len] == want, f"item {i} of {offsets[i + 1] - offsets[i]} bytes"
        assert got[tag_len:] == bytes([MARK]) * gap
    assert tags[n * stride :] == bytes([MARK]) * 3


@pytest.fixture(scope="module", params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.mark.parametrize("suite", SOME)
def test_all_lengths(context: Context, suite: str) -> None:
    """In an order that is nobody's; the column begins and ends within the data, or with it."""
    lengths = list(range(301))
    random.Random(suite).shuffle(lengths)
    for first, behind, width in ((0, 0, 4), (5, 0, 8), (64, 400, 4)):
        compare(context, suite, *column(lengths, first, behind, suite), width)


@pytest.mark.parametrize("suite", SOME)
def test_numbers_of_items(shared_context: Context, suite: str) -> None:
    """The same items, more of them each time."""
    rng, numbers = random.Random(suite), (1, 2, 15, 33, 128, 129, 1023, 1024, 1025, 2100)
    data, offsets = column([rng.randrange(0, 120) for _ in range(numbers[-1])], seed=suite)
    for n in numbers:
        compare(shared_context, suite, data, offsets[: n + 1])


@pytest.mark.parametrize("suite", SUITES)
def test_one_length(shared_context: Context, suite: str) -> None:
    for length in (0, 1, 16, 55, 56, 64, 111, 112, 128, 383, 384, 1000):
        compare(shared_context, suite, *column([length] * 40, seed=length))


@pytest.mark.parametrize("width", KINDS)
@pytest.mark.parametrize("suite", SOME)
def test_long_among_short(shared_context: Context, suite: str, width: int) -> None:
    lengths = [0, 3, 100_000, 8191, 8192, 8193, 1 << 20, 17, *[40] * 60, 20_000, 8128, 16_000, 0]
    compare(shared_context, suite, *column(lengths, 1, 1), width)


@pytest.mark.parametrize("suite", SUITES)
def test_places_of_the_digests(shared_context: Context, suite: str) -> None:
    """Every length that the suite takes, up to the usual; gaps between them stay as they are."""
    of = shared_context.suite(suite)
    for tag_len in [length for length in of.tag_lengths if length <= of.tag_max]:
        compare(shared_context, suite, *column(range(70)), 4, tag_len, gap=0)
        compare(shared_context, suite, *column(range(70)), 8, tag_len, gap=5)


@pytest.mark.parametrize("suite", SUITES)
def test_nothing_is_read_behind_the_data(shared_context: Context, suite: str) -> None:
    """The data ends where a page does that may not be read, and begins behind another."""
    page, lengths = mmap.PAGESIZE, [*range(150), 300, 0, 1, 2, 0]
    memory = mmap.mmap(-1, 4 * page + page * (sum(lengths) // page + 1))
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    data, offsets = column(lengths)
    end = len(memory) - page
    memory[end - len(data) : end] = data
    assert libc.mprotect(ctypes.c_void_p(base + end), page, 0) == 0
    try:
        key = key_of(shared_context, suite)
        tag_len = key.suite.tag_max
        tags = bytearray(tag_len * len(lengths))
        key.digest_column(Address(base + end - len(data), len(data)), array("q", offsets), tags)
        for i in range(len(lengths)):
            want = expected(suite, data[offsets[i] : offsets[i + 1]])
            assert tags[i * tag_len : (i + 1) * tag_len] == want
    finally:
        assert libc.mprotect(ctypes.c_void_p(base + end), page, 3) == 0


@pytest.mark.parametrize("suite", SUITES)
def test_offsets_above_four_gigabytes(shared_context: Context, suite: str) -> None:
    """64 bits of an offset count. The pages in front of the items are never touched."""
    far = (1 << 32) + 7
    memory = mmap.mmap(-1, far + 5000, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    lengths = [0, 1, 63, 64, 65, 200, 4000]
    offsets = list(accumulate(lengths, initial=far))
    memory[far : far + 5000] = random.Random(suite).randbytes(5000)
    key = key_of(shared_context, suite)
    tag_len = key.suite.tag_max
    tags = bytearray(tag_len * len(lengths))
    key.digest_column(Address(base, len(memory)), array("q", offsets), tags)
    for i, offset in enumerate(offsets[:-1]):
        assert tags[i * tag_len : (i + 1) * tag_len] == expected(suite, memory[offset : offsets[i + 1]])


def test_forced_kernels(context: Context) -> None:
    """Each kernel of a hash alone, whatever its number of lanes."""
    for suite in ("sha256", "hmac-sha1", "aes-128-cmac"):
        for kernel in context.kernels():
            if not context.try_force(suite, kernel):
                continue
            compare(context, suite, *column([*range(0, 300, 7), 5000]))
            if not LONG and "x4" in kernel:
                break
        context.force(suite, None)


def test_no_items(shared_context: Context) -> None:
    """The offsets of an empty column need not be there (Arrow's specification allows it)."""
    key = key_of(shared_context, "sha256")
    empty = ColumnStruct(key=key.handle, offset_bytes=4, tag_len=32)
    assert key.lib.cst_digest_column(ctypes.byref(empty)) == runtime.OK
    compare(shared_context, "sha256", b"", [0] * 20)
    nothing = bytearray(32 * 3)
    column_ = ColumnStruct(key=key.handle, offset_bytes=4, n=3, tag_len=32)
    offsets = (ctypes.c_uint32 * 4)()
    column_.offsets, column_.tags = ctypes.addressof(offsets), ctypes.addressof(ctypes.c_char.from_buffer(nothing))
    assert key.lib.cst_digest_column(ctypes.byref(column_)) == runtime.OK
    assert nothing == expected("sha256", b"") * 3


class Right:
    """A column that is right, to be spoilt; `check` sees that nothing is written."""

    def __init__(self, key: Key, width: int = 4):
        self.key, self.width = key, width
        self.data = (ctypes.c_char * 1000)()
        self.offsets = (ctypes.c_char * 400)()
        self.tags = (ctypes.c_char * 4000).from_buffer_copy(bytes([MARK]) * 4000)
        self.put([0, 10, 10, 300, 999, 1000])
        self.fields: dict[str, Any] = {
            "key": key.handle,
            "data": ctypes.addressof(self.data),
            "data_bytes": 1000,
            "offsets": ctypes.addressof(self.offsets),
            "offset_bytes": width,
            "n": 5,
            "tags": ctypes.addressof(self.tags),
            "tag_len": key.suite.tag_max,
            "stride": 0,
        }

    def put(self, offsets: list[int]) -> None:
        packed = struct.pack(f"={len(offsets)}{KINDS[self.width]}", *offsets)
        ctypes.memmove(self.offsets, packed, len(packed))

    def code(self, **changed: Any) -> int:
        size = changed.pop("size", None)
        column_ = ColumnStruct(**{**self.fields, **changed})
        if size is not None:
            column_.size = size
        code: int = self.key.lib.cst_digest_column(ctypes.byref(column_))
        assert code == runtime.OK or bytes(self.tags) == bytes([MARK]) * 4000, "something was written"
        return code


@pytest.mark.parametrize("width", KINDS)
@pytest.mark.parametrize("suite", ("md5", "hmac-sha512", "aes-256-cmac"))
def test_bad_arguments(shared_context: Context, suite: str, width: int) -> None:
    right = Right(key_of(shared_context, suite), width)
    size, top, half = right.key.suite.tag_max, (1 << 64) - 1, 1 << 63
    for name in ("key", "data", "offsets", "tags"):
        assert right.code(**{name: None}) == runtime.ERR_ARGUMENT, name
    assert right.key.lib.cst_digest_column(None) == runtime.ERR_ARGUMENT
    for bad in (0, 1, 2, 3, 5, 16, 32, 64):
        assert right.code(offset_bytes=bad) == runtime.ERR_ARGUMENT
    assert right.code(size=8) == runtime.ERR_ARGUMENT
    assert right.code(offsets=ctypes.addressof(right.offsets) + 1) == runtime.ERR_ARGUMENT
    for length in (0, 1, size + 1, top):
        assert right.code(tag_len=length) == runtime.ERR_LENGTH
    for stride in (1, size - 1, top, half, top // 5, top // 4 + 2):
        assert right.code(stride=stride) == runtime.ERR_LENGTH, stride
    for n in (top, half, top // width, top // size):
        assert right.code(n=n) == runtime.ERR_LENGTH
    for data_bytes in (0, 999, top, half):
        assert right.code(data_bytes=data_bytes) == runtime.ERR_LENGTH, data_bytes
    assert right.code() == runtime.OK


@pytest.mark.parametrize("width", KINDS)
def test_bad_offsets(shared_context: Context, width: int) -> None:
    """They fall, or lie beyond the data, anywhere; signed ones below zero count as such."""
    right, top = Right(key_of(shared_context, "sha1"), width), (1 << 8 * width) - 1
    good = [0, 10, 10, 300, 999, 1000]
    for at in range(6):
        for bad in (good[at] - 11, good[at] + 1001, top, top // 2, top // 2 + 1):
            if bad < 0:
                bad += top + 1
            spoilt = [*good[:at], bad, *good[at + 1 :]]
            right.put(spoilt)
            sound = all(a <= b for a, b in pairwise(spoilt)) and spoilt[-1] <= 1000
            assert right.code() == (runtime.OK if sound else runtime.ERR_LENGTH), spoilt
            if sound:
                ctypes.memset(right.tags, MARK, 4000)
    right.put(good)
    assert right.code() == runtime.OK


def test_places_that_meet(shared_context: Context) -> None:
    right = Right(key_of(shared_context, "sha1"))
    data, offsets = right.fields["data"], right.fields["offsets"]
    for tags in (data, data - 99, data + 999, offsets, offsets - 99, offsets + 23):
        assert right.code(tags=tags) == runtime.ERR_OVERLAP
    right.put([500, 500, 600, 600, 600, 600])
    assert right.code(tags=data) == runtime.OK, "only what the offsets name counts"


def test_ciphers_are_refused(shared_context: Context) -> None:
    for suite, key in (("aes-128-ctr", bytes(16)), ("aes-128-gcm", bytes(16))):
        right = Right(shared_context.suite(suite).key(key))
        assert right.code(tag_len=16) == runtime.ERR_ARGUMENT


def test_binding(shared_context: Context) -> None:
    key = key_of(shared_context, "sha256")
    with pytest.raises(ValueError, match="room for 2 digests"):
        key.digest_column(b"ab", array("I", [0, 1, 2]), bytearray(63))
    with pytest.raises(ValueError, match="4 or 8 bytes"):
        key.digest_column(b"ab", bytes(3), bytearray(64))
    with pytest.raises(RuntimeFailure, match="sha256"):
        key.digest_column(b"ab", array("I", [0, 1, 3]), bytearray(64))
