"""Texts in parts from Python."""

from __future__ import annotations

import random
from array import array
from functools import partial
from typing import Any

import numpy
import pytest
from cryptostitch import Context, RuntimeFailure
from cryptostitch.binding.runtime import ERR_AUTH, ERR_LENGTH, ERR_UNSUPPORTED
from cryptostitch.binding.values import Address

SUITES = ("aes-256-gcm", "chacha20-poly1305")


@pytest.fixture(scope="module")
def context() -> Context:
    return Context()


@pytest.mark.parametrize("suite", SUITES)
def test_there_and_back(context: Context, suite: str) -> None:
    rng = random.Random(suite)
    key = context.suite(suite).key(rng.randbytes(32))
    iv, aad, data = rng.randbytes(12), rng.randbytes(40), rng.randbytes(50_000)
    sealing = key.sealing(iv=iv, aad=aad)
    sealed, at = b"", 0
    while at < len(data):
        n = rng.randrange(9000)
        sealed += sealing.update(memoryview(data)[at : at + n])
        at += n
    tag = sealing.finish()
    assert (sealed, tag) == key.seal(data, iv=iv, aad=aad)
    opening = key.opening(iv=iv, aad=aad)
    assert opening.update(sealed[:777]) + opening.update(sealed[777:]) == data
    opening.finish(tag)
    for ended in (sealing, opening):
        with pytest.raises(ValueError, match="has ended"):
            ended.update(b"more")


@pytest.mark.parametrize("suite", SUITES)
def test_forged(context: Context, suite: str) -> None:
    key = context.suite(suite).key(bytes(32))
    sealed, tag = key.seal(b"text", iv=bytes(12), aad=b"head")
    opening = key.opening(iv=bytes(12), aad=b"heat")
    assert opening.update(sealed) == b"text", "given out before it is known to be forged"
    with pytest.raises(RuntimeFailure) as failure:
        opening.finish(tag)
    assert failure.value.code == ERR_AUTH
    with pytest.raises(ValueError, match="has ended"):
        opening.finish(tag)


def test_what_is_refused(context: Context) -> None:
    key = context.suite("aes-128-gcm").key(bytes(16))
    with pytest.raises(RuntimeFailure, match="an IV of 0 bytes"):
        key.sealing(iv=b"")
    with pytest.raises(TypeError):
        key.sealing(iv="text")  # type: ignore[arg-type]
    with pytest.raises(RuntimeFailure) as failure:
        context.suite("aes-128-ctr").key(bytes(16)).sealing(iv=bytes(16))
    assert failure.value.code == ERR_UNSUPPORTED and "in parts" in str(failure.value)
    sealing = key.sealing(iv=bytes(12))
    with pytest.raises(RuntimeFailure, match="a tag of 3 bytes"):
        sealing.finish(3)
    assert sealing.update(b"goes on") + sealing.finish() == b"".join(key.seal(b"goes on", iv=bytes(12)))
    key.close()
    with pytest.raises(RuntimeFailure, match="closed"):
        key.sealing(iv=bytes(12))


NOTHING = (
    b"",
    bytearray(),
    memoryview(b""),
    memoryview(bytearray(b"xyz"))[3:],
    array("B"),
    numpy.zeros(0, numpy.uint8),
    numpy.zeros((0, 4), numpy.uint32),
    numpy.frombuffer(b"", numpy.uint8),
    Address(None, 0),
)


@pytest.mark.parametrize("nothing", NOTHING, ids=lambda nothing: type(nothing).__name__)
@pytest.mark.parametrize("suite", SUITES)
def test_a_tag_that_was_cut_off_ends_nothing(context: Context, suite: str, nothing: Any) -> None:
    """Of a text that is right, and of one that is forged: an empty tag is an error, and the text has not ended."""
    key = context.suite(suite).key(bytes(32))
    sealed, tag = key.seal(b"text" * 350, iv=bytes(12), aad=b"head")
    for aad in (b"head", b"WRONG"):
        opening = key.opening(iv=bytes(12), aad=aad)
        opening.update(sealed)
        for _ in range(2):
            with pytest.raises(ValueError, match="a tag of 0 bytes, where 16 are wanted"):
                opening.finish(nothing)
            with pytest.raises(RuntimeFailure, match="a tag of 0 bytes") as failure:
                opening.finish(nothing, 0)
            assert failure.value.code == ERR_LENGTH
        if aad == b"head":
            opening.finish(tag)
        else:
            with pytest.raises(RuntimeFailure) as failure:
                opening.finish(tag)
            assert failure.value.code == ERR_AUTH
        with pytest.raises(ValueError, match="has ended"):
            opening.finish(tag)


@pytest.mark.parametrize("suite", SUITES)
def test_tags_that_the_suite_does_not_take(context: Context, suite: str) -> None:
    taken = context.suite(suite).tag_lengths
    key = context.suite(suite).key(bytes(32))
    sealed, tag = key.seal(b"text", iv=bytes(12))
    for n in set(range(40)) - set(taken):
        opening, sealing = key.opening(iv=bytes(12)), key.sealing(iv=bytes(12))
        assert (opening.update(sealed), sealing.update(b"text")) == (b"text", sealed)
        with pytest.raises(ValueError, match=f"a tag of {n} bytes, where 16 are wanted"):
            opening.finish((tag * 3)[:n])
        for refused in (partial(opening.finish, (tag * 3)[:n], n), partial(sealing.finish, n)):
            with pytest.raises(RuntimeFailure, match=f"a tag of {n} bytes") as failure:
                refused()
            assert failure.value.code == ERR_LENGTH
        opening.finish(tag)
        assert sealing.finish() == tag


def test_the_sender_does_not_choose_the_length_of_a_tag(context: Context) -> None:
    key = context.suite("aes-256-gcm").key(bytes(32))
    sealed, tag = key.seal(b"text", iv=bytes(12))
    for n in (4, 8, 12, 13, 14, 15):
        opening = key.opening(iv=bytes(12))
        opening.update(sealed)
        with pytest.raises(ValueError, match=f"a tag of {n} bytes, where 16 are wanted"):
            opening.finish(tag[:n])
        with pytest.raises(ValueError, match=f"a tag of 16 bytes, where {n} are wanted"):
            opening.finish(tag, n)
        opening.finish(tag[:n], tag_len=n)


@pytest.mark.parametrize("wrong", (None, 16, "", 0, True, [0] * 16))
def test_what_is_no_tag(context: Context, wrong: Any) -> None:
    """A number is no tag of as many zeros."""
    key = context.suite("aes-256-gcm").key(bytes(32))
    sealed, tag = key.seal(b"text", iv=bytes(12))
    opening = key.opening(iv=bytes(12))
    opening.update(sealed)
    with pytest.raises(TypeError):
        opening.finish(wrong)
    with pytest.raises(TypeError):
        opening.update(wrong)
    opening.finish(tag)
