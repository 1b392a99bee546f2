"""cryptostitch.hash_many, hmac_many, hash_column, hmac_column beside hashlib."""

from __future__ import annotations

import ctypes
import hashlib
import hmac
import mmap
import random
import threading
from array import array
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy
import pytest
from cryptostitch import hash_column, hash_many, hmac_column, hmac_many, suite
from cryptostitch.binding import many
from cryptostitch.binding.runtime import ERR_LENGTH, ERR_NAME, RuntimeFailure
from cryptostitch.binding.values import place

HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3-256")


@pytest.fixture(scope="module")
def buffers() -> list[bytes]:
    rng = random.Random(4)
    return [rng.randbytes(rng.choice((0, 1, 55, 64, 100, 1000, rng.randrange(20_000)))) for _ in range(500)]


@pytest.mark.parametrize("name", HASHES)
def test_hash_many(name: str, buffers: list[bytes]) -> None:
    wanted = [hashlib.new(name, buffer).digest() for buffer in buffers]
    assert hash_many(name, buffers) == wanted
    assert hash_many(name, iter(buffers)) == wanted
    assert hash_many(name, []) == []
    assert hash_many(name, [b""]) == [hashlib.new(name).digest()]


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("size", (0, 7, 64, 1000))
def test_hmac_many(name: str, size: int, buffers: list[bytes]) -> None:
    key = random.Random(size).randbytes(size)
    assert hmac_many(name, key, buffers) == [hmac.digest(key, buffer, name) for buffer in buffers]


def test_kinds_of_buffers(buffers: list[bytes]) -> None:
    """Writable ones and read-only ones, typed ones, all in one call."""

    class Text(bytes):
        pass

    def kinds() -> Iterator[tuple[bytes, Any]]:
        for at, data in enumerate(buffers):
            typed = data[: len(data) // 8 * 8]
            yield (
                (data, data),
                (data, bytearray(data)),
                (data, memoryview(data)),
                (typed, array("d", typed)),
                (typed, numpy.frombuffer(typed, dtype=numpy.uint64)),
                (data, Text(data)),
            )[at % 6]

    made = list(kinds())
    wanted = [hashlib.sha256(data).digest() for data, _ in made]
    assert hash_many("sha256", (buffer for _, buffer in made)) == wanted


def test_read_only_memory_is_not_copied(tmp_path: Path) -> None:
    """A file that is mapped for reading is hashed where it lies: what is written to it meanwhile is seen."""
    (tmp_path / "file").write_bytes(b"before")
    with open(tmp_path / "file", "r+b") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        address, length, held = place(mapped)
        file.write(b"after!")
        file.flush()
        assert address is not None and ctypes.string_at(address, length) == b"after!"
        with pytest.raises(BufferError):
            mapped.close()
        del held
        assert hash_many("md5", [mapped, memoryview(b"x").toreadonly()]) == [
            hashlib.md5(data).digest() for data in (b"after!", b"x")
        ]
    frozen = numpy.arange(99)
    frozen.flags.writeable = False
    assert hash_many("md5", [frozen, frozen[:0]]) == [hashlib.md5(data).digest() for data in (frozen.tobytes(), b"")]
    with pytest.raises((BufferError, TypeError, ValueError)):
        hash_many("md5", [frozen[::2]])


def test_more_than_a_burst() -> None:
    data = [b"%d" % i for i in range(10_001)]
    assert hash_many("sha1", data) == [hashlib.sha1(each).digest() for each in data]


def test_what_is_refused() -> None:
    with pytest.raises(RuntimeFailure) as failure:
        hash_many("sha257", [b""])
    assert failure.value.code == ERR_NAME and "sha256" in failure.value.nearest
    for name in ("hmac-sha256", "aes-128-cmac", "aes-128-cbc+hmac-sha1-etm"):
        with pytest.raises(ValueError, match="is not a hash"):
            hash_many(name, [b""])
    for wrong in ([b"", "text"], [None], [(1, 2)], [3]):
        with pytest.raises(TypeError):
            hash_many("md5", wrong)


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("kind", ("i", "I", "q", "Q"))
def test_hash_column(name: str, kind: str, buffers: list[bytes]) -> None:
    data, offsets = b"".join(buffers), array(kind, accumulate(map(len, buffers), initial=0))
    wanted = b"".join(hashlib.new(name, buffer).digest() for buffer in buffers)
    for whole in (data, bytearray(data), memoryview(data), numpy.frombuffer(data, dtype=numpy.uint8)):
        assert hash_column(name, whole, offsets) == wanted
    assert hash_column(name, data, numpy.array(offsets)) == wanted
    macs = b"".join(hmac.digest(b"key", buffer, name) for buffer in buffers)
    assert hmac_column(name, b"key", data, offsets) == macs
    assert hash_column(name, b"", offsets[:1]) == b""


def test_offsets_that_are_wrong() -> None:
    for offsets in (array("i", [0, 2, 1]), array("i", [0, 4]), array("q", [-1, 1]), array("i", [0, 2**31 - 1])):
        with pytest.raises(RuntimeFailure) as failure:
            hash_column("md5", b"abc", offsets)
        assert failure.value.code == ERR_LENGTH
    for offsets in (array("d", [0, 1]), b"\0\1", numpy.array([[0, 1]]), numpy.arange(8)[::2], array("h", [0, 1])):
        with pytest.raises(ValueError, match="offsets"):
            hash_column("md5", b"abc", offsets)


def test_threads(buffers: list[bytes]) -> None:
    """At once, with the same key."""
    wanted, found = [hashlib.sha512(buffer).digest() for buffer in buffers], []
    threads = [threading.Thread(target=lambda: found.append(hash_many("sha512", buffers))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 6


@pytest.mark.parametrize("form", ("beside the library", "ctypes alone"))
def test_both_forms(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes objects go through libcst-python where it is; other buffers, and all of them without it, through ctypes."""
    called = []
    beside = many._of_bytes(suite("md5").lib)
    assert beside is not None, "libcst-python is built beside the library"

    def counted(*arguments: Any) -> int:
        called.append(beside(*arguments))
        return called[-1]

    monkeypatch.setattr(many, "_of_bytes", lambda library: counted if form == "beside the library" else None)
    for n in (0, 1, 511, 512, 513, 5000):
        texts = [bytes([i % 256]) * (i % 300) for i in range(n)]
        wanted = [hashlib.sha256(text).digest() for text in texts]
        assert hash_many("sha256", texts) == wanted
        assert hash_many("sha256", [*texts, bytearray(b"abc")])[:n] == wanted
    assert set(called) == ({0, many.NOT_BYTES} if form == "beside the library" else set())
