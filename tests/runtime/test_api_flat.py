"""cst_seal_column, cst_open_column, cst_digest_many: the same as each message by itself; on an error nothing is
written."""

from __future__ import annotations

import ctypes
import random
from array import array
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import pytest
from cryptostitch.binding.capi import (
    AEAD,
    ERR_ARGUMENT,
    ERR_AUTH,
    ERR_LENGTH,
    ERR_OVERLAP,
    ERR_UNSUPPORTED,
    NOT_RUN,
    JobStruct,
    TextColumnStruct,
)
from cryptostitch.binding.runtime import Context, Key
from cryptostitch.ladder import oracle

TEXTS = (
    "aes-128-gcm",
    "aes-256-ctr",
    "aes-128-cbc",
    "chacha20-poly1305",
    "aes-128-ccm",
    "aes-256-xts",
    "aes-128-cbc+hmac-sha1-etm",
)
DIGESTS = ("sha256", "sha3-256", "blake3", "hmac-sha1", "aes-128-cmac", "crc32c")
KINDS = {4: "I", 8: "Q"}
MARK = 0xA5


def key_of(context: Context, suite: str) -> Key:
    key, mac_key = oracle.secrets(random.Random(suite), suite)
    return context.suite(suite).key(key, mac_key)


@dataclass
class Column:
    """Random texts, and everything beside them, in memory of their own; `gap` bytes lie between IVs, AADs and tags."""

    key: Key
    lengths: list[int]
    width: int = 8
    gap: int = 0
    buffers: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        draw, suite = random.Random(repr(self.lengths)), self.key.suite
        self.n, self.iv_len, self.tag_len = len(self.lengths), suite.iv_bytes, suite.tag_max
        self.aad_len = max(suite.aad_min, 8) if suite.kind == AEAD else 0
        offsets = array(KINDS[self.width], accumulate(self.lengths, initial=3))
        size = offsets[-1] + 5
        for name, bytes_ in (
            ("text", draw.randbytes(size)),
            ("out", bytes([MARK]) * size),
            ("ivs", draw.randbytes(self.n * (self.iv_len + self.gap))),
            ("aads", draw.randbytes(self.n * (self.aad_len + self.gap))),
            ("tags", bytes([MARK]) * (self.n * (self.tag_len + self.gap))),
            ("offsets", offsets.tobytes()),
            ("statuses", b"\x77" * (4 * self.n)),
        ):
            self.buffers[name] = (ctypes.c_char * (len(bytes_) + 8)).from_buffer_copy(bytes_ + bytes(8))
        self.size = size

    def at(self, name: str) -> int:
        return ctypes.addressof(self.buffers[name])

    def bytes_of(self, name: str) -> bytes:
        return bytes(self.buffers[name])[:-8]

    def row(self, name: str, i: int, length: int) -> bytes:
        return self.bytes_of(name)[i * (length + self.gap) :][:length]

    def text(self, name: str, i: int) -> bytes:
        first = 3 + sum(self.lengths[:i])
        return self.bytes_of(name)[first : first + self.lengths[i]]

    def run(self, opens: bool, source: str = "text", to: str = "out", **changed: Any) -> int:
        strides = {f"{name}_stride": length + self.gap if self.gap else 0 for name, length in self.sizes().items()}
        fields = {
            "key": self.key.live().pointer,
            "in_": self.at(source),
            "out": self.at(to),
            "bytes": self.size,
            "offsets": self.at("offsets"),
            "offset_bytes": self.width,
            "n": self.n,
            "ivs": self.at("ivs"),
            "aads": self.at("aads"),
            "tags": self.at("tags"),
            "statuses": self.at("statuses"),
            **{f"{name}_len": length for name, length in self.sizes().items()},
            **strides,
            **changed,
        }
        column = TextColumnStruct(**fields)
        lib = self.key.suite.context.lib
        code: int = (lib.cst_open_column if opens else lib.cst_seal_column)(ctypes.byref(column))
        return code

    def sizes(self) -> dict[str, int]:
        return {"iv": self.iv_len, "aad": self.aad_len, "tag": self.tag_len}

    def statuses(self) -> list[int]:
        return list(array("i", self.bytes_of("statuses")))


def lengths_for(key: Key, n: int, seed: int) -> list[int]:
    draw, suite = random.Random(seed), key.suite
    drawn = (max(suite.min_bytes, draw.choice((16, 64, 500, 1460))) + draw.randrange(700) for _ in range(n))
    return [length - length % suite.block_bytes for length in drawn]


@pytest.fixture(scope="module")
def context(library: str) -> Context:
    return Context(library=library)


@pytest.mark.parametrize("width", KINDS)
@pytest.mark.parametrize("n, gap", [(1, 0), (7, 5), (128, 0), (300, 3)])
@pytest.mark.parametrize("suite", TEXTS)
def test_every_text_is_as_by_itself(context: Context, suite: str, n: int, gap: int, width: int) -> None:
    key = key_of(context, suite)
    column = Column(key, lengths_for(key, n, n), width, gap)
    assert column.run(False) == 0
    assert column.statuses() == [0] * n
    for i in range(n):
        aad = column.row("aads", i, column.aad_len)
        want, tag = key.seal(column.text("text", i), iv=column.row("ivs", i, column.iv_len), aad=aad)
        assert (column.text("out", i), column.row("tags", i, column.tag_len)) == (want, tag), i
    before = column.bytes_of("text")
    assert column.bytes_of("out")[:3] == bytes([MARK]) * 3 and column.bytes_of("out")[-5:] == bytes([MARK]) * 5
    assert column.run(True, "out", "out") == 0, "in place"
    assert [column.text("out", i) for i in range(n)] == [column.text("text", i) for i in range(n)]
    assert column.bytes_of("text") == before


@pytest.mark.parametrize("suite", ["aes-128-gcm", "aes-128-cbc+hmac-sha1-etm", "aes-128-ccm"])
def test_a_forged_text_is_refused_and_no_other(context: Context, suite: str) -> None:
    key = key_of(context, suite)
    column = Column(key, lengths_for(key, 200, 1))
    assert column.run(False) == 0
    for i in (0, 77, 199):
        column.buffers["tags"][i * column.tag_len] = bytes([column.bytes_of("tags")[i * column.tag_len] ^ 1])
    assert column.run(True, "out", "out") == ERR_AUTH
    assert [i for i, status in enumerate(column.statuses()) if status] == [0, 77, 199]
    assert set(column.statuses()) == {0, ERR_AUTH}
    for i in range(200):
        forged = i in (0, 77, 199)
        assert column.text("out", i) == (bytes(column.lengths[i]) if forged else column.text("text", i)), i


def test_a_length_that_nothing_is_sealed_to_is_a_forgery_of_its_text(context: Context) -> None:
    key = key_of(context, "aes-128-cbc+hmac-sha1-etm")
    column = Column(key, [64, 40, 64])
    assert column.run(True) == ERR_AUTH and column.statuses() == [ERR_AUTH] * 3
    assert column.text("out", 1) == bytes(40)


def wrong(column: Column) -> list[tuple[str, dict[str, Any], int]]:
    return [
        ("no key", {"key": None}, ERR_ARGUMENT),
        ("no output", {"out": None}, ERR_ARGUMENT),
        ("no input", {"in_": None}, ERR_ARGUMENT),
        ("no IVs", {"ivs": None}, ERR_ARGUMENT),
        ("no offsets", {"offsets": None}, ERR_ARGUMENT),
        ("offsets that are not aligned", {"offsets": column.at("offsets") + 1}, ERR_ARGUMENT),
        ("offsets of another size", {"offset_bytes": 2}, ERR_ARGUMENT),
        ("offsets beyond the texts", {"bytes": column.size - 6}, ERR_LENGTH),
        ("a stride that is too short", {"tag_stride": 1}, ERR_LENGTH),
        ("no bytes of an IV", {"iv_len": 0}, ERR_LENGTH),
        ("a tag of another length", {"tag_len": 1}, ERR_LENGTH),
        ("too many", {"n": 1 << 62}, ERR_LENGTH),
        ("an output within the input", {"out": column.at("text") + 1}, ERR_OVERLAP),
        ("an output over the tags", {"tags": column.at("out") + 4}, ERR_OVERLAP),
        ("statuses over the input", {"statuses": column.at("text")}, ERR_OVERLAP),
        ("tags over the IVs", {"tags": column.at("ivs")}, ERR_OVERLAP),
    ]


@pytest.mark.parametrize("at", range(16))
def test_nothing_is_written_on_an_error(context: Context, at: int) -> None:
    key = key_of(context, "aes-128-gcm")
    column = Column(key, lengths_for(key, 150, 5))
    what, changed, code = wrong(column)[at]
    before = {name: column.bytes_of(name) for name in column.buffers if name != "statuses"}
    assert column.run(False, **changed) == code, what
    assert {name: column.bytes_of(name) for name in before} == before, what


def test_one_wrong_length_is_named_and_nothing_is_written(context: Context) -> None:
    key = key_of(context, "aes-128-cbc")
    column = Column(key, [64] * 140 + [65] + [64] * 20)
    before = column.bytes_of("out")
    assert column.run(False) == ERR_LENGTH
    assert column.statuses() == [NOT_RUN] * 140 + [ERR_LENGTH] + [NOT_RUN] * 20 and column.bytes_of("out") == before
    column = Column(key, [65] + [64] * 140 + [65] + [64] * 20)
    assert column.run(False) == ERR_LENGTH
    assert [i for i, status in enumerate(column.statuses()) if status != NOT_RUN] == [0, 141]


def test_what_pads_has_no_columns(context: Context) -> None:
    key = key_of(context, "a128cbc-hs256")
    assert Column(key, [64, 64]).run(False) == ERR_UNSUPPORTED
    assert Column(key_of(context, "aes-128-gcm"), [64]).run(False, key=key_of(context, "sha256").live().pointer) == (
        ERR_ARGUMENT
    )


@pytest.mark.parametrize("n", (0, 1, 5, 129, 400))
@pytest.mark.parametrize("suite", DIGESTS)
def test_digests_of_messages_anywhere(context: Context, suite: str, n: int) -> None:
    key, draw = key_of(context, suite), random.Random(n)
    messages = [draw.randbytes(draw.choice((0, 1, 64, 300, 2000))) for _ in range(n)]
    length, gap = key.suite.tag_max, 3
    kept = [ctypes.create_string_buffer(message, len(message) or 1) for message in messages]
    pointers = (ctypes.c_void_p * (n + 1))(*(ctypes.addressof(one) for one in kept))
    lengths = (ctypes.c_size_t * (n + 1))(*map(len, messages))
    tags = ctypes.create_string_buffer(bytes([MARK]) * (n * (length + gap)), n * (length + gap) + 1)
    call = context.lib.cst_digest_many
    assert call(key.live().pointer, n, pointers, lengths, tags, length, length + gap) == 0
    for i, message in enumerate(messages):
        row = tags.raw[i * (length + gap) :][: length + gap]
        assert row == key.digest(message) + bytes([MARK]) * gap, i
    if n > 1:
        assert call(key.live().pointer, n, pointers, lengths, tags, length, length - 1) == ERR_LENGTH
        assert call(key.live().pointer, n, None, lengths, tags, length, 0) == ERR_ARGUMENT


def test_the_size_of_a_job(context: Context) -> None:
    assert context.lib.cst_job_size() == ctypes.sizeof(JobStruct)
