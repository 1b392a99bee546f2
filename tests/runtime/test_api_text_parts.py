"""cst_text_parts: whatever a text is cut into, its bytes and its tag are those of the whole text."""

from __future__ import annotations

import ctypes
import random
from ctypes import addressof
from dataclasses import dataclass, field
from typing import Any

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import STATE_BYTES, TextPartStruct
from cryptostitch.binding.runtime import Context, Key
from cryptostitch.ladder import oracle
from jobs.samples import LEVELS
from targets import context_for

SUITES = ("aes-128-gcm", "aes-192-gcm", "aes-256-gcm", "chacha20-poly1305")
TAG = 16


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@dataclass
class Text:
    """A text under way."""

    suite: str
    key: Key
    iv: bytes
    aad: bytes
    data: bytes
    aad_cuts: list[int]
    """Bytes of AAD of each part."""
    cuts: list[int]
    """Bytes of text of each part; the first aad_cuts - 1 are 0."""
    direction: int = runtime.SEAL
    tag: bytes = bytes(TAG)
    in_place: bool = False
    written: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = (ctypes.c_uint64 * (STATE_BYTES // 8))()
        self.its_tag = ctypes.create_string_buffer(self.tag, TAG)
        self.parts = 0
        self.aad_at = self.at = 0
        self.status = runtime.OK

    def part(self) -> Any:
        struct = TextPartStruct(key=self.key.handle, direction=self.direction, state=addressof(self.state))
        if not self.parts:
            self.its_iv = ctypes.create_string_buffer(self.iv, len(self.iv))
            struct.iv, struct.iv_len = addressof(self.its_iv), len(self.iv)
        if aad := self.aad_cuts.pop(0) if self.aad_cuts else 0:
            self.piece = ctypes.create_string_buffer(self.aad[self.aad_at : self.aad_at + aad], aad)
            struct.aad, struct.aad_len = addressof(self.piece), aad
            self.aad_at += aad
        if length := 0 if self.aad_cuts else self.cuts.pop(0):
            self.source = ctypes.create_string_buffer(self.data[self.at : self.at + length], length)
            to = self.source if self.in_place else ctypes.create_string_buffer(length)
            self.written.append(to)
            setattr(struct, "in", addressof(self.source))
            struct.in_len = struct.out_cap = length
            struct.out = addressof(to)
            self.at += length
        self.parts += 1
        self.last_bytes = length
        if not self.cuts:
            struct.last, struct.tag, struct.tag_len = 1, addressof(self.its_tag), TAG
        return struct

    def output(self) -> bytes:
        return b"".join(piece.raw for piece in self.written)


def keys_of(context: Context, suite: str) -> tuple[Key, tuple[bytes, bytes]]:
    secrets = oracle.secrets(random.Random(suite), suite)
    return context.suite(suite).key(secrets[0], None), secrets


def run(context: Context, texts: list[Text]) -> int:
    worst = runtime.OK
    while some := [text for text in texts if text.cuts and text.status == runtime.OK]:
        parts = (TextPartStruct * len(some))(*(text.part() for text in some))
        worst = context.lib.cst_text_parts(context.handle, parts, len(some)) or worst
        for text, part in zip(some, parts):
            text.status = part.status
    return worst


def cut(rng: random.Random, length: int, most: int) -> list[int]:
    cuts = []
    while length and len(cuts) < most:
        cuts.append(rng.choice((0, 1, 15, 16, 17, 63, 64, 65, 256, 511, 1024, length, rng.randrange(length + 1))))
        cuts[-1] = min(cuts[-1], length)
        length -= cuts[-1]
    return [*cuts, length]


def any_text(rng: random.Random, suite: str, key: Key, most: int) -> Text:
    iv = rng.randbytes(12 if suite.startswith("chacha") or rng.random() < 0.7 else rng.randrange(8, 70))
    aad = rng.randbytes(rng.choice((0, 1, 12, 13, 16, 20, 64, 65, rng.randrange(200))))
    data = rng.randbytes(rng.choice((0, 1, 15, 16, 17, 64, rng.randrange(300), rng.randrange(most))))
    cuts = [cut(rng, len(aad), rng.randrange(4)), cut(rng, len(data), rng.randrange(7))]
    return Text(suite, key, iv, aad, data, *cuts, in_place=rng.random() < 0.5)


def opened(text: Text, rng: random.Random, sealed: bytes, tag: bytes) -> Text:
    cuts = [cut(rng, len(text.aad), rng.randrange(4)), cut(rng, len(sealed), rng.randrange(7))]
    return Text(text.suite, text.key, text.iv, text.aad, sealed, *cuts, direction=runtime.OPEN, tag=tag)


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("n", (1, 3, 40))
def test_cuts(context: Context, suite: str, n: int) -> None:
    rng, (key, secrets) = random.Random(f"{suite} {n}"), keys_of(context, suite)
    for _ in range(60 // n + 1):
        texts = [any_text(rng, suite, key, 6000) for _ in range(n)]
        assert run(context, texts) == runtime.OK
        opening = []
        for text in texts:
            sealed, tag = oracle.seal(suite, *secrets, text.iv, text.aad, text.data)
            assert (text.output(), text.its_tag.raw) == (sealed, tag)
            assert bytes(text.state) == bytes(STATE_BYTES), "the state is wiped"
            opening.append(opened(text, rng, sealed, tag))
        assert run(context, opening) == runtime.OK
        for text, its in zip(texts, opening):
            assert its.output() == text.data


@pytest.mark.parametrize("suite", SUITES)
def test_every_first_part(shared_context: Context, suite: str) -> None:
    key, secrets = keys_of(shared_context, suite)
    rng = random.Random(suite)
    iv, aad, data = rng.randbytes(12), rng.randbytes(70), rng.randbytes(300)
    texts = [
        Text(suite, key, iv, aad, data, [first % 71, 70 - first % 71], [first, 300 - first]) for first in range(301)
    ]
    texts += [Text(suite, key, iv, b"", data[:length], [], [1] * length + [0]) for length in range(150)]
    assert run(shared_context, texts) == runtime.OK
    for text in texts:
        sealed = oracle.seal(suite, *secrets, iv, text.aad, text.data)
        assert (text.output(), text.its_tag.raw) == sealed


@pytest.mark.parametrize("suite", ("aes-256-gcm", "chacha20-poly1305"))
def test_a_long_text(context: Context, suite: str) -> None:
    """Parts of a megabyte, and one that is cut within a block."""
    key, secrets = keys_of(context, suite)
    data = random.Random(suite).randbytes((3 << 20) + 77)
    cuts = [1 << 20, (1 << 20) + 5, (1 << 20) + 72]
    text = Text(suite, key, bytes(range(12)), b"head", data, [4], cuts, in_place=True)
    assert run(context, [text]) == runtime.OK
    assert (text.output(), text.its_tag.raw) == oracle.seal(suite, *secrets, text.iv, b"head", data)


@pytest.mark.parametrize("suite", SUITES)
def test_a_forgery_is_refused_alone(context: Context, suite: str) -> None:
    rng, (key, secrets) = random.Random(suite), keys_of(context, suite)
    texts, plain = [], []
    for i in range(6):
        text = any_text(rng, suite, key, 2000)
        sealed, tag = oracle.seal(suite, *secrets, text.iv, text.aad, text.data)
        texts.append(opened(text, rng, sealed, bytes([tag[0] ^ (i % 2), *tag[1:]])))
        plain.append(text.data)
    assert run(context, texts) == runtime.ERR_AUTH
    for i, text in enumerate(texts):
        assert text.status == (runtime.ERR_AUTH if i % 2 else runtime.OK)
        assert bytes(text.state) == bytes(STATE_BYTES)
        if i % 2 == 0:
            assert text.output() == plain[i]
        elif text.last_bytes:
            assert text.written[-1].raw == bytes(text.last_bytes), "the last part's output is zeroed"


def test_errors(shared_context: Context) -> None:
    """Nothing is written but statuses: not even for the right part in front."""
    suite = "aes-128-gcm"
    key, secrets = keys_of(shared_context, suite)
    other, _ = keys_of(shared_context, suite)
    lib, handle = shared_context.lib, shared_context.handle
    started = Text(suite, key, bytes(12), b"aad", bytes(range(200)), [3], [70, 130])
    first = started.part()
    assert lib.cst_text_parts(handle, ctypes.byref(first), 1) == runtime.OK
    before = bytes(started.state)
    last = started.part()
    state, source, out = addressof(started.state), addressof(started.source), addressof(started.written[-1])
    ctr = shared_context.suite("aes-128-ctr").key(bytes(16))
    sha = shared_context.suite("sha256").key()
    foreign = keys_of(Context(library=lib._name), suite)[0]
    extra = ctypes.create_string_buffer(16)
    for error, changes in (
        (runtime.ERR_ARGUMENT, {"key": None}),
        (runtime.ERR_ARGUMENT, {"key": other.handle}),
        (runtime.ERR_ARGUMENT, {"key": foreign.handle}),
        (runtime.ERR_UNSUPPORTED, {"key": ctr.handle}),
        (runtime.ERR_UNSUPPORTED, {"key": sha.handle}),
        (runtime.ERR_ARGUMENT, {"direction": runtime.OPEN}),
        (runtime.ERR_ARGUMENT, {"direction": 7}),
        (runtime.ERR_ARGUMENT, {"state": None}),
        (runtime.ERR_ARGUMENT, {"state": state + 4}),
        (runtime.ERR_ARGUMENT, {"in": None}),
        (runtime.ERR_ARGUMENT, {"out": None}),
        (runtime.ERR_ARGUMENT, {"aad_len": 1}),
        (runtime.ERR_ARGUMENT, {"aad": addressof(extra), "aad_len": 1}),
        (runtime.ERR_ARGUMENT, {"iv_len": 12}),
        (runtime.ERR_LENGTH, {"iv": addressof(extra), "iv_len": 12}),
        (runtime.ERR_ARGUMENT, {"tag": None}),
        (runtime.ERR_LENGTH, {"tag_len": 0}),
        (runtime.ERR_LENGTH, {"tag_len": 17}),
        (runtime.ERR_LENGTH, {"out_cap": 129}),
        (runtime.ERR_LENGTH, {"in_len": (1 << 64) - 1}),
        (runtime.ERR_LENGTH, {"in_len": 1 << 36, "out_cap": 1 << 36}),
        (runtime.ERR_OVERLAP, {"in": state + STATE_BYTES - 1}),
        (runtime.ERR_OVERLAP, {"out": state - 100}),
        (runtime.ERR_OVERLAP, {"out": source + 1}),
        (runtime.ERR_OVERLAP, {"tag": state + STATE_BYTES - 1}),
        (runtime.ERR_OVERLAP, {"tag": source + 129}),
        (runtime.ERR_OVERLAP, {"tag": out + 129}),
    ):
        spoilt = TextPartStruct.from_buffer_copy(last)
        for name, value in changes.items():
            setattr(spoilt, name, value)
        right = Text(suite, key, bytes(12), b"", b"abc", [], [3])
        parts = (TextPartStruct * 2)(right.part(), spoilt)
        assert lib.cst_text_parts(handle, parts, 2) == error, changes
        assert [part.status for part in parts] == [1, error], changes
        assert bytes(started.state) == before and started.written[-1].raw == bytes(130), changes
        assert bytes(right.state) == bytes(STATE_BYTES) and right.output() == bytes(3), changes
    spoilt = TextPartStruct.from_buffer_copy(last)
    spoilt.size = 8
    assert lib.cst_text_parts(handle, ctypes.byref(spoilt), 1) == runtime.ERR_ARGUMENT
    assert lib.cst_text_parts(None, ctypes.byref(last), 1) == runtime.ERR_ARGUMENT
    assert lib.cst_text_parts(handle, None, 1) == runtime.ERR_ARGUMENT
    assert lib.cst_text_parts(handle, None, 0) == runtime.OK
    assert lib.cst_text_parts(handle, ctypes.byref(last), 1) == runtime.OK
    sealed = oracle.seal(suite, *secrets, started.iv, started.aad, started.data)
    assert (started.output(), started.its_tag.raw) == sealed
