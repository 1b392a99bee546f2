"""Content-defined chunks: FastCDC by its definition, and the crate's answers."""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptostitch import Context, RuntimeFailure, chunks
from fastcdc import lengths

SIZES = ((64, 256, 1024, 1), (2048, 8192, 65536, 1), (256, 1024, 4096, 0), (512, 2048, 2048, 2), (300, 1500, 9000, 3))


def text(kind: str, n: int) -> bytes:
    rng = random.Random(f"{kind} {n}")
    if kind == "zeros":
        return bytes(n)
    if kind == "words":
        return b" ".join(rng.choice((b"alpha", b"beta", b"gamma", b"delta")) for _ in range(n // 5))[:n]
    return rng.randbytes(n)


def cut(rng: random.Random, data: bytes, most: int) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        n = rng.randrange(most)
        yield data[at : at + n]
        at += n


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("kind", ("random", "words", "zeros"))
def test_as_defined(kind: str, sizes: tuple[int, int, int, int]) -> None:
    """In pieces of any length, too: single bytes among them."""
    least, average, most, normalization = sizes
    rng = random.Random(str(sizes))
    for n in (0, 1, 63, 64, 65, 255, 257, 1023, 5000, 60_001, 200_000):
        data = text(kind, n)
        expected = lengths(data, *sizes)
        for pieces in (data, [bytes([byte]) for byte in data[:70_000]], cut(rng, data, 3), cut(rng, data, 40_000)):
            if n > 70_000 and isinstance(pieces, list):
                continue
            found = list(chunks(pieces, "sha1", average, least, most, normalization))
            assert [chunk.length for chunk in found] == expected
            at = 0
            for chunk in found:
                assert chunk.offset == at
                assert chunk.digest == hashlib.sha1(data[at : at + chunk.length]).digest()
                at += chunk.length


CRATE = {
    (64, 256, 1024, 1): (1318, "1081d2114e6515c7649add458d70599b314a9d715f93ba988531a0af634ccdef"),
    (2048, 8192, 65536, 1): (37, "a02ead64a885e83433e9aaf67f3fbf69659f331bb75024aad96d2dee3c18cca1"),
    (256, 1024, 4096, 0): (326, "44dc8630f493eeeaf5b69cf1d10cb94253ecd791cda9ed07c23e0c6b49821409"),
    (512, 2048, 2048, 2): (206, "15e9ae9122cfe4d43ef287f5061a0604eb85918f3e2f9f71c7a533081eecd5ee"),
    (300, 1500, 9000, 3): (236, "aa5ed24d6d0a396c1d9dd64ca0fea75252d31456b43c55ae8a844449c890ea46"),
    (4096, 16384, 65534, 1): (23, "5c72cc197a37969ceaad58991662df6ee311ddc1cfa958ee0f77ff6c91d29fa9"),
    (2048, 65536, 1048576, 1): (5, "ce36d6fc824bf71b099d2c95d2d629d31ed3b9b2546e2126e5fadac64d377e78"),
}
"""By sizes, of `text("random", 400_001)`: how many chunks fastcdc 5.0.0 (v2020) makes, and SHA-256 of their lengths,
written in decimal with spaces between them."""


@pytest.mark.parametrize("sizes", CRATE)
def test_the_crates_answers(sizes: tuple[int, int, int, int]) -> None:
    least, average, most, normalization = sizes
    data = text("random", 400_001)
    found = [chunk.length for chunk in chunks(data, None, average, least, most, normalization)]
    assert (len(found), hashlib.sha256(" ".join(map(str, found)).encode()).hexdigest()) == CRATE[sizes]


@pytest.mark.parametrize("hash_", ("sha256", "blake3", "md5+sha256", "crc32c", "sha3-256", None))
def test_digests(hash_: str | None, tmp_path: Path) -> None:
    data = text("random", 300_000)
    (tmp_path / "file").write_bytes(data)
    with (tmp_path / "file").open("rb") as file:
        found = list(chunks(file, hash_))
    assert found == list(chunks(data, hash_)) == list(chunks(io.BytesIO(data), hash_)) and len(found) > 20
    if hash_ == "sha256":
        assert all(c.digest == hashlib.sha256(data[c.offset : c.offset + c.length]).digest() for c in found)
    assert sum(chunk.length for chunk in found) == len(data)
    assert bool(hash_) == all(chunk.digest for chunk in found)


def test_an_insertion_moves_the_borders_near_it_alone() -> None:
    data = text("random", 400_000)
    before = {chunk.digest for chunk in chunks(data)}
    after = {chunk.digest for chunk in chunks(data[:200_000] + b"some more" + data[200_000:])}
    assert len(after - before) <= 3


def test_what_is_refused() -> None:
    for wrong in (
        {"average": 255},
        {"average": 1 << 23},
        {"average": 8193},
        {"least": 62},
        {"least": 8194},
        {"most": 8190},
        {"most": 1 << 25},
        {"normalization": 4},
    ):
        with pytest.raises(RuntimeFailure, match="chunks of"):
            list(chunks(b"text", **wrong))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is not a hash"):
        list(chunks(b"text", "aes-128-ctr"))
    with pytest.raises(OverflowError):
        list(chunks(b"text", average=-1))
    with pytest.raises(TypeError):
        list(chunks(["text"]))  # type: ignore[list-item]
    context = Context()
    found = chunks([text("random", 100_000), text("random", 100_001)], context=context)
    assert 2048 <= next(found).length <= 65536
    context.close()
    with pytest.raises(RuntimeFailure, match="closed"):
        list(found)
