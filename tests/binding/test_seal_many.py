"""Suite.seal_many and open_many beside one message at a time, which other tests hold against other libraries."""

from __future__ import annotations

import random
import threading
from array import array
from dataclasses import dataclass
from typing import Any

import cryptostitch
import pytest
from cryptostitch import Key, RuntimeFailure, SomeForged, Suite
from cryptostitch.binding.runtime import CIPHER, ERR_AUTH, ERR_LENGTH

SUITES = (
    "aes-128-gcm",
    "chacha20-poly1305",
    "aes-128-cbc+hmac-sha256-etm",
    "aes-128-cbc+hmac-sha1-tls",  # padded: outputs are longer, and shorter again when opened
    "aes-256-ctr",
    "hmac-sha1",
    "md5",
)
N = 300


@dataclass
class Messages:
    suite: Suite
    key: Key
    ivs: list[bytes] | None
    texts: list[bytes]
    aads: list[bytes] | None

    def alone(self) -> list[tuple[bytes, bytes]]:
        nothing = [None] * len(self.texts)
        each = zip(self.texts, self.ivs or nothing, self.aads or nothing)
        return [self.key.seal(text, iv=iv, aad=aad) for text, iv, aad in each]

    def to_open(self, sealed: list[Any]) -> list[tuple[Any, bytes]]:
        """Returns the arguments of `open_many`: MACs and digests have no output, and are compared over the text."""
        return [(text, tag) for text, (_, tag) in zip(self.texts, sealed)] if self.suite.kind < CIPHER else sealed


def made(name: str, n: int = N, longest: int = 3000) -> Messages:
    rng, suite = random.Random(f"{name} {n}"), cryptostitch.suite(name)
    keys = [rng.randbytes(suite.key_bytes) or None, rng.randbytes(suite.mac_key_min or 20)]
    step = suite.block_bytes
    return Messages(
        suite,
        suite.key(keys[0], keys[1] if suite.mac_key_max else None),
        [rng.randbytes(suite.iv_bytes) for _ in range(n)] if suite.iv_bytes else None,
        [rng.randbytes(rng.randrange(longest) // step * step) for _ in range(n)],
        [rng.randbytes(suite.aad_min or 8) for _ in range(n)] if suite.aad_max else None,
    )


@pytest.mark.parametrize("name", SUITES)
def test_as_one_at_a_time(name: str) -> None:
    m = made(name)
    wanted = m.alone()
    sealed = m.suite.seal_many(m.key, m.ivs, m.texts, m.aads)
    assert sealed == wanted
    sealed = m.to_open(sealed)
    opened = m.suite.open_many(m.key, m.ivs, sealed, m.aads)
    assert opened == (m.texts if m.suite.kind >= CIPHER else [b""] * N)
    assert m.suite.open_many(m.key, m.ivs and iter(m.ivs), iter(sealed), m.aads and iter(m.aads)) == opened


def test_more_than_a_burst_and_none() -> None:
    m = made("aes-128-gcm", 9001, 40)
    sealed = m.suite.seal_many(m.key, m.ivs, m.texts, m.aads)
    assert sealed == m.alone()
    assert m.suite.open_many(m.key, m.ivs, sealed, m.aads) == m.texts
    assert m.suite.seal_many(m.key, [], []) == m.suite.open_many(m.key, [], []) == []


def test_tags_that_are_shorter() -> None:
    m = made("hmac-sha1")
    sealed = m.suite.seal_many(m.key, m.ivs, m.texts, tag_len=12)
    assert [tag for _, tag in sealed] == [tag[:12] for _, tag in m.alone()]


def test_kinds_of_buffers() -> None:
    m = made("aes-256-ctr")
    texts: list[Any] = [(bytes, bytearray, memoryview)[at % 3](text) for at, text in enumerate(m.texts)]
    texts[0] = array("Q", range(9))
    assert m.ivs is not None
    sealed = m.suite.seal_many(m.key, map(bytearray, m.ivs), texts)
    m.texts[0] = bytes(texts[0])
    assert sealed == m.alone()
    with pytest.raises(TypeError):
        m.suite.seal_many(m.key, m.ivs[:2], ["text", "text"])  # type: ignore[list-item]


@pytest.mark.parametrize("name", ("aes-128-gcm", "aes-128-cbc+hmac-sha1-tls", "hmac-sha1"))
def test_forged_ones_are_named(name: str) -> None:
    """And those that are authentic are there."""
    m = made(name, 5000, 100)
    sealed = m.to_open(m.suite.seal_many(m.key, m.ivs, m.texts, m.aads))
    good = m.suite.open_many(m.key, m.ivs, sealed, m.aads)
    damaged = [3, 1023, 1024, 4999]
    for at in damaged:
        text, tag = sealed[at]
        sealed[at] = (text, bytes([tag[0] ^ 1]) + tag[1:]) if tag else (bytearray([text[0] ^ 1]) + text[1:], tag)
    with pytest.raises(SomeForged, match="4 of 5000") as failure:
        m.suite.open_many(m.key, m.ivs, sealed, m.aads)
    assert failure.value.code == ERR_AUTH and failure.value.forged == damaged
    assert failure.value.opened == [None if at in damaged else text for at, text in enumerate(good)]


def test_what_is_wrong() -> None:
    m = made("aes-128-gcm", 5)
    assert m.ivs is not None and m.aads is not None
    with pytest.raises(ValueError, match="as many messages"):
        m.suite.seal_many(m.key, m.ivs[1:], m.texts)
    with pytest.raises(ValueError, match="as many messages"):
        m.suite.seal_many(m.key, m.ivs, m.texts, m.aads[1:])
    with pytest.raises(RuntimeFailure) as failure:
        m.suite.seal_many(m.key, m.ivs, m.texts, tag_len=99)
    assert failure.value.code == ERR_LENGTH
    with pytest.raises(RuntimeFailure):
        cryptostitch.suite("aes-128-gcn")


def test_threads() -> None:
    m, found = made("chacha20-poly1305"), []
    wanted = m.alone()
    threads = [
        threading.Thread(target=lambda: found.append(m.suite.seal_many(m.key, m.ivs, m.texts, m.aads)))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 6
