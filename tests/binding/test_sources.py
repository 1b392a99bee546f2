"""Files that do not block, names that are empty, settings that are wrong: none is taken for something else."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from typing import Any

import cryptostitch
import pytest
from cryptostitch import (
    Context,
    ErasureCode,
    PublicKey,
    chunks,
    hash_many,
    rolling_cuts,
)


@pytest.fixture(scope="module")
def context() -> Context:
    return Context()


class Pieces:
    """A file that gives these."""

    def __init__(self, *pieces: Any) -> None:
        self.pieces = list(pieces)

    def read(self, size: int, /) -> Any:
        return self.pieces.pop(0) if self.pieces else b""


@pytest.mark.parametrize("of", (chunks, lambda source: rolling_cuts(source, 255)), ids=("chunks", "rolling_cuts"))
def test_a_file_that_does_not_block(of: Callable[..., Any]) -> None:
    """What has nothing to read yet has not ended."""
    with pytest.raises(BlockingIOError) as error:
        list(of(Pieces(b"text", None, b"more")))
    assert error.value.errno == errno.EAGAIN
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with open(reader, "rb", buffering=0) as file, open(writer, "wb", buffering=0) as other:
        other.write(b"begun")
        with pytest.raises(BlockingIOError):
            list(of(file))
    for wrong in (Pieces("text"), Pieces(5), io.StringIO("text"), io.StringIO("")):
        with pytest.raises(TypeError):
            list(of(wrong))
    assert list(of(Pieces(b"text", bytearray(b"more"), memoryview(b"")))) == list(of(b"textmore"))


@pytest.mark.parametrize(
    "call",
    (
        lambda c: chunks(b"", hash=""),
        lambda c: hash_many("", [b""]),
        lambda c: cryptostitch.suite(""),
        lambda c: c.kernel(""),
        lambda c: c.force("", None),
        lambda c: c.force("sha256", ""),
        lambda c: c.selftest(""),
        lambda c: Context(target=""),
        lambda c: PublicKey(""),
        lambda c: PublicKey("x25519", kernel=""),
        lambda c: ErasureCode(2, 1, kernel=""),
    ),
)
def test_an_empty_name_is_not_the_usual_one(context: Context, call: Callable[[Context], object]) -> None:
    with pytest.raises(ValueError, match="(name|target|pattern).* is empty"):
        call(context)


def test_hashes_that_are_not_named(context: Context) -> None:
    wrong: Any
    for wrong in (b"", 0, False):
        with pytest.raises(TypeError, match="the name of a suite is a str"):
            chunks(b"", hash=wrong)
    assert [chunk.digest for chunk in chunks(b"x", hash=None)] == [b""]
