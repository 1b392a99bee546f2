"""How parts say that a message ends: by `last` alone. No combination of `last`, tag and tag_len but those that the
header names is taken; after a refusal nothing has changed, and the message goes on to its right end."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from ctypes import addressof
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import STATE_BYTES, PartStruct, TextPartStruct
from cryptostitch.binding.runtime import OK, Context, Key
from cryptostitch.ladder import oracle

DIGESTS = [name for name in suite_names() if oracle.meaning(name).kind in ("digest", "mac", "tree_mac")]
TEXTS = ("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
IV, AAD, DATA = bytes(range(12)), b"aad", bytes(range(200))
FIRST = 70
"""Bytes of the first part; the others are in the second."""
ROOM = 256
LASTS = (0, 1, 2, -1, 256, 1 << 30, -(1 << 31))
LENGTHS = (0, 1, 3, 4, 10, 11, 12, 15, 16, 17, 20, 32, 33, 48, 64, 65, ROOM, 1 << 32, (1 << 64) - 16, (1 << 64) - 1)


def wanted(suite: Any, last: int, has_tag: bool, tag_len: int) -> int:
    if last not in (0, 1) or (tag_len and not has_tag) or (has_tag and not last):
        return runtime.ERR_ARGUMENT
    extends = suite.most_tag_bytes > suite.tag_max
    taken = 1 <= tag_len <= suite.most_tag_bytes if extends else tag_len in suite.tag_lengths
    return OK if (taken if last else tag_len == 0) else runtime.ERR_LENGTH


@dataclass
class Parts:
    """A message of two parts, of which the first may have come."""

    key: Key
    direction: int | None
    """None: a digest or MAC."""
    data: bytes
    tag: bytes

    def __post_init__(self) -> None:
        self.state = (ctypes.c_uint64 * (STATE_BYTES // 8))()
        self.source = ctypes.create_string_buffer(self.data, len(self.data))
        self.out, self.its_tag = ctypes.create_string_buffer(len(self.data)), ctypes.create_string_buffer(ROOM)
        self.its_tag.raw = self.tag.ljust(ROOM, b"\xa5")
        self.iv, self.aad = ctypes.create_string_buffer(IV, len(IV)), ctypes.create_string_buffer(AAD, len(AAD))
        self.at = 0

    def seen(self) -> tuple[bytes, bytes, bytes]:
        return bytes(self.state), self.out.raw, self.its_tag.raw

    def part(self, size: int, last: int, has_tag: bool, tag_len: int) -> Any:
        own: dict[str, Any] = {}
        if self.direction is not None:
            own = {"direction": self.direction, "out": addressof(self.out) + self.at, "out_cap": size}
            if not self.at:
                own |= {"iv": addressof(self.iv), "iv_len": len(IV), "aad": addressof(self.aad), "aad_len": len(AAD)}
        kind = PartStruct if self.direction is None else TextPartStruct
        part = kind(key=self.key.handle, state=addressof(self.state), in_len=size, last=last, tag_len=tag_len, **own)
        setattr(part, "in", addressof(self.source) + self.at)
        part.tag = addressof(self.its_tag) if has_tag else None
        return part

    def run(self, size: int, last: int, has_tag: bool, tag_len: int) -> int:
        lib, of = self.key.lib, self.key.suite.context
        call = lib.cst_digest_parts if self.direction is None else lib.cst_text_parts
        part = self.part(size, last, has_tag, tag_len)
        code: int = call(of.handle, ctypes.byref(part), 1)
        if self.direction is not None:
            assert part.status == code
        self.at += size if code == OK else 0
        return code


def key_of(context: Context, suite: str) -> tuple[Key, tuple[bytes, bytes]]:
    secrets = oracle.secrets(random.Random(suite), suite)
    return context.suite(suite).key(secrets[0], secrets[1]), secrets


def refused(parts: Parts, size: int) -> Iterator[tuple[int, bool, int]]:
    """Tries every combination on the next part, and yields those that must be taken and for which there is room."""
    before = parts.seen()
    for case in product(LASTS, (False, True), (*LENGTHS, parts.key.suite.tag_max)):
        code = wanted(parts.key.suite, *case)
        if code == OK:
            if case[2] <= ROOM:
                yield case
        else:
            assert parts.run(size, *case) == code, case
            assert parts.seen() == before, case


def check(make: Any, right: Any) -> None:
    """`make()` begins a message; `right(parts, tag_len)` says whether it has ended rightly."""
    for size in (0, len(DATA) - FIRST, len(DATA)):
        parts = make()
        if size < len(DATA):
            assert parts.run(FIRST, 0, False, 0) == OK
        taken = list(refused(parts, size))
        assert [case[0] for case in taken].count(0) == 1 and {case[1] for case in taken if case[0]} == {True}
        for case in taken:
            whole = make()
            if size < len(DATA):
                assert whole.run(FIRST, 0, False, 0) == OK
            cut_off = case[0] and not size
            forged = cut_off and whole.direction == runtime.OPEN
            assert whole.run(size, *case) == (runtime.ERR_AUTH if forged else OK), case
            if case[0] and not cut_off:
                assert right(whole, case[2]), case
        if parts.at + size < len(DATA):
            assert parts.run(len(DATA) - FIRST, 0, False, 0) == OK
            list(refused(parts, 0))
        length = taken[-1][2]
        assert parts.run(len(DATA) - parts.at, 1, True, length) == OK
        assert right(parts, length) and bytes(parts.state) == bytes(STATE_BYTES), "the state is wiped"


@pytest.mark.parametrize("suite", DIGESTS)
def test_digests(shared_context: Context, suite: str) -> None:
    key, secrets = key_of(shared_context, suite)
    extends = key.suite.most_tag_bytes > key.suite.tag_max
    digest = oracle.seal(suite, *secrets, b"", b"", DATA)[1]

    def right(parts: Parts, tag_len: int) -> bool:
        made = parts.its_tag.raw[:tag_len]
        return made == (key.digest(DATA, tag_len) if extends else digest[:tag_len])

    check(lambda: Parts(key, None, DATA, b""), right)


@pytest.mark.parametrize("direction", (runtime.SEAL, runtime.OPEN))
@pytest.mark.parametrize("suite", TEXTS)
def test_texts(shared_context: Context, suite: str, direction: int) -> None:
    key, secrets = key_of(shared_context, suite)
    sealed, tag = oracle.seal(suite, *secrets, IV, AAD, DATA)
    seals = direction == runtime.SEAL

    def right(parts: Parts, tag_len: int) -> bool:
        return parts.out.raw == (sealed if seals else DATA) and parts.its_tag.raw[:tag_len] == tag[:tag_len]

    check(lambda: Parts(key, direction, DATA if seals else sealed, b"" if seals else tag), right)


@pytest.mark.parametrize("suite", TEXTS)
def test_a_forgery_without_a_tag_is_never_right(shared_context: Context, suite: str) -> None:
    """Whatever is given for the tag of a forged text, if it is not its tag, the end is an error."""
    key, _ = key_of(shared_context, suite)
    for has_tag, tag_len in product((False, True), LENGTHS):
        parts = Parts(key, runtime.OPEN, DATA, b"")
        assert parts.run(len(DATA), 0, False, 0) == OK
        code = parts.run(0, 1, has_tag, tag_len)
        assert code == (wanted(key.suite, 1, has_tag, tag_len) or runtime.ERR_AUTH), (has_tag, tag_len)
