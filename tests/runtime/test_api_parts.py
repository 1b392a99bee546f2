"""cst_digest_parts: whatever a message is cut into, and whatever else goes with it, its digest is that of another
implementation."""

from __future__ import annotations

import ctypes
import random
from dataclasses import dataclass
from typing import Any

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import STATE_BYTES, PartStruct
from cryptostitch.binding.runtime import Context, Key
from cryptostitch.ladder import oracle
from jobs.samples import LEVELS
from targets import context_for

SUITES = [name for name in suite_names() if oracle.meaning(name).kind in ("digest", "mac", "tree_mac")]


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def address(of: Any) -> int:
    return ctypes.addressof(of)


@dataclass
class Message:
    """A message under way."""

    suite: str
    key: Key
    data: bytes
    cuts: list[int]
    """Bytes of each part."""

    def __post_init__(self) -> None:
        self.state = (ctypes.c_uint64 * (STATE_BYTES // 8))()
        self.tag = (ctypes.c_char * self.key.suite.tag_max)()
        self.at = 0

    def part(self) -> Any:
        length, last = self.cuts.pop(0), not self.cuts
        struct = PartStruct(key=self.key.handle, state=address(self.state), in_len=length)
        self.piece = ctypes.create_string_buffer(self.data[self.at : self.at + length], max(length, 1))
        setattr(struct, "in", address(self.piece) if length else None)
        self.at += length
        if last:
            struct.last, struct.tag, struct.tag_len = 1, address(self.tag), len(self.tag)
        return struct

    def check(self, secrets: tuple[bytes, bytes]) -> None:
        assert bytes(self.tag) == oracle.seal(self.suite, *secrets, b"", b"", self.data)[1]
        assert bytes(self.state) == bytes(STATE_BYTES), "the state is wiped"


def keys_of(context: Context, suite: str) -> tuple[Key, tuple[bytes, bytes]]:
    secrets = oracle.secrets(random.Random(suite), suite)
    return context.suite(suite).key(None, secrets[1]), secrets


def run(context: Context, messages: list[Message]) -> None:
    while any(message.cuts for message in messages):
        parts = [message.part() for message in messages if message.cuts]
        array = (PartStruct * len(parts))(*parts)
        assert context.lib.cst_digest_parts(context.handle, array, len(parts)) == runtime.OK


def cut(rng: random.Random, length: int, most: int) -> list[int]:
    cuts = []
    while length and len(cuts) < most:
        cuts.append(rng.choice((0, 1, 63, 64, 65, 127, 128, 129, 256, length, rng.randrange(length + 1))))
        cuts[-1] = min(cuts[-1], length)
        length -= cuts[-1]
    return [*cuts, length]


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("n", (1, 2, 17, 150))
def test_cuts(context: Context, suite: str, n: int) -> None:
    rng, (key, secrets) = random.Random(f"{suite} {n}"), keys_of(context, suite)
    for _ in range(30 // n + 2):
        messages = []
        for _ in range(n):
            length = rng.choice((0, 1, 55, 56, 64, 111, 112, 128, rng.randrange(300), rng.randrange(5000)))
            messages.append(Message(suite, key, rng.randbytes(length), cut(rng, length, rng.randrange(8))))
        run(context, messages)
        for message in messages:
            message.check(secrets)


@pytest.mark.parametrize("suite", SUITES)
def test_every_first_part(shared_context: Context, suite: str) -> None:
    key, secrets = keys_of(shared_context, suite)
    data = random.Random(suite).randbytes(300)
    messages = [Message(suite, key, data, [first, 300 - first]) for first in range(301)]
    messages += [Message(suite, key, data[:length], [1] * length + [0]) for length in range(150)]
    run(shared_context, messages)
    for message in messages:
        message.check(secrets)


def test_all_suites_at_once(context: Context) -> None:
    rng, messages, all_secrets = random.Random(1), [], []
    for suite in SUITES * 12:
        key, secrets = keys_of(context, suite)
        length = rng.randrange(20_000)
        messages.append(Message(suite, key, rng.randbytes(length), cut(rng, length, 6)))
        all_secrets.append(secrets)
    run(context, messages)
    for message, secrets in zip(messages, all_secrets):
        message.check(secrets)


def test_a_copy_goes_on_by_itself(shared_context: Context) -> None:
    key, secrets = keys_of(shared_context, "sha256")
    one, other = (Message("sha256", key, b"x" * 100 + end, [100, len(end)]) for end in (b"left", b"right"))
    first = one.part()
    assert shared_context.lib.cst_digest_parts(shared_context.handle, ctypes.byref(first), 1) == runtime.OK
    other.state[:], other.cuts, other.at = one.state[:], other.cuts[1:], 100
    run(shared_context, [one, other])
    one.check(secrets)
    other.check(secrets)


@pytest.mark.parametrize("suite", ("sha1", "hmac-sha512"))
def test_errors(shared_context: Context, suite: str) -> None:
    """Nothing is written, for any part: not even for the right one in front."""
    key, secrets = keys_of(shared_context, suite)
    other, _ = keys_of(shared_context, suite)
    lib, handle = shared_context.lib, shared_context.handle
    started = Message(suite, key, bytes(range(200)), [70, 130])
    first = started.part()
    assert lib.cst_digest_parts(handle, ctypes.byref(first), 1) == runtime.OK
    before, tag = bytes(started.state), bytes(started.tag)
    last = started.part()
    state, piece, size = address(started.state), address(started.piece), len(started.tag)
    cipher = shared_context.suite("aes-128-ctr").key(bytes(16))
    cmac = shared_context.suite("aes-128-cmac").key(None, bytes(16))
    foreign = keys_of(Context(library=lib._name), suite)[0]
    for error, changes in (
        (runtime.ERR_ARGUMENT, {"key": None}),
        (runtime.ERR_ARGUMENT, {"key": other.handle}),
        (runtime.ERR_ARGUMENT, {"key": cipher.handle}),
        (runtime.ERR_ARGUMENT, {"key": cmac.handle}),
        (runtime.ERR_ARGUMENT, {"key": foreign.handle}),
        (runtime.ERR_ARGUMENT, {"state": None}),
        (runtime.ERR_ARGUMENT, {"state": state + 4}),
        (runtime.ERR_ARGUMENT, {"in": None}),
        (runtime.ERR_ARGUMENT, {"size": 8}),
        (runtime.ERR_ARGUMENT, {"tag": None}),
        (runtime.ERR_LENGTH, {"tag_len": 0}),
        (runtime.ERR_LENGTH, {"tag_len": size + 1}),
        (runtime.ERR_LENGTH, {"in_len": (1 << 64) - 1}),
        (runtime.ERR_LENGTH, {"in_len": 1 << 61}),
        (runtime.ERR_OVERLAP, {"in": state + STATE_BYTES - 1}),
        (runtime.ERR_OVERLAP, {"tag": state + STATE_BYTES - 1}),
        (runtime.ERR_OVERLAP, {"tag": piece + 129}),
    ):
        spoilt = PartStruct.from_buffer_copy(last)
        for name, value in changes.items():
            setattr(spoilt, name, value)
        right = Message(suite, key, b"abc", [3])
        parts = (PartStruct * 2)(right.part(), spoilt)
        assert lib.cst_digest_parts(handle, parts, 2) == error, changes
        assert bytes(started.state) == before and bytes(started.tag) == tag, changes
        assert bytes(right.state) == bytes(STATE_BYTES) and bytes(right.tag) == bytes(size), changes
    assert lib.cst_digest_parts(None, ctypes.byref(last), 1) == runtime.ERR_ARGUMENT
    assert lib.cst_digest_parts(handle, None, 1) == runtime.ERR_ARGUMENT
    assert lib.cst_digest_parts(handle, None, 0) == runtime.OK
    assert lib.cst_digest_parts(handle, ctypes.byref(last), 1) == runtime.OK
    started.check(secrets)
