"""Texts in parts from Python."""

from __future__ import annotations

import random

import pytest
from cryptostitch import Context, RuntimeFailure
from cryptostitch.binding.runtime import ERR_AUTH, ERR_UNSUPPORTED

SUITES = ("aes-256-gcm", "chacha20-poly1305")


@pytest.fixture(scope="module")
def context() -> Context:
    return Context()


@pytest.mark.parametrize("suite", SUITES)
def test_there_and_back(context: Context, suite: str) -> None:
    rng = random.Random(suite)
    key = context.suite(suite).key(rng.randbytes(32))
    iv, aad, data = rng.randbytes(12), rng.randbytes(40), rng.randbytes(50_000)
    sealing = key.sealing(iv, aad)
    sealed, at = b"", 0
    while at < len(data):
        n = rng.randrange(9000)
        sealed += sealing.update(memoryview(data)[at : at + n])
        at += n
    tag = sealing.finish()
    assert (sealed, tag) == key.seal(data, iv, aad)
    opening = key.opening(iv, aad)
    assert opening.update(sealed[:777]) + opening.update(sealed[777:]) == data
    opening.finish(tag)
    for ended in (sealing, opening):
        with pytest.raises(ValueError, match="has ended"):
            ended.update(b"more")


@pytest.mark.parametrize("suite", SUITES)
def test_forged(context: Context, suite: str) -> None:
    key = context.suite(suite).key(bytes(32))
    sealed, tag = key.seal(b"text", bytes(12), b"head")
    opening = key.opening(bytes(12), b"heat")
    assert opening.update(sealed) == b"text", "given out before it is known to be forged"
    with pytest.raises(RuntimeFailure) as failure:
        opening.finish(tag)
    assert failure.value.code == ERR_AUTH
    with pytest.raises(ValueError, match="has ended"):
        opening.finish(tag)


def test_what_is_refused(context: Context) -> None:
    key = context.suite("aes-128-gcm").key(bytes(16))
    with pytest.raises(RuntimeFailure, match="an IV of 0 bytes"):
        key.sealing(b"")
    with pytest.raises(TypeError):
        key.sealing("text")  # type: ignore[arg-type]
    with pytest.raises(RuntimeFailure) as failure:
        context.suite("aes-128-ctr").key(bytes(16)).sealing(bytes(16))
    assert failure.value.code == ERR_UNSUPPORTED
    sealing = key.sealing(bytes(12))
    with pytest.raises(RuntimeFailure, match="a tag of 3 bytes"):
        sealing.finish(3)
    assert sealing.update(b"goes on") + sealing.finish() == b"".join(key.seal(b"goes on", bytes(12)))
    key.close()
    with pytest.raises(RuntimeFailure, match="closed"):
        key.sealing(bytes(12))
