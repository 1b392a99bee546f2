"""Key.seal_column, Key.open_column beside `cryptography`'s AEADs."""

from __future__ import annotations

import random
from array import array
from itertools import accumulate, pairwise

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptostitch import Key, RuntimeFailure, SomeForged, suite

SECRET = bytes(range(32))
THEIRS = {"aes-256-gcm": AESGCM, "chacha20-poly1305": ChaCha20Poly1305}
LENGTHS = [0, 1, 15, 16, 17, 0, 300, 64, 1463]
OFFSETS = list(accumulate(LENGTHS, initial=5))
N = len(LENGTHS)
DATA = random.Random(1).randbytes(OFFSETS[-1] + 3)
IVS, AADS = random.Random(2).randbytes(12 * N), random.Random(3).randbytes(7 * N)


def key(name: str = "aes-256-gcm") -> Key:
    return suite(name).key(SECRET)


@pytest.mark.parametrize("kind", "iIqQ")
@pytest.mark.parametrize("name", THEIRS)
def test_it_seals_and_opens(name: str, kind: str) -> None:
    offsets = array(kind, OFFSETS)
    out, tags = key(name).seal_column(DATA, offsets, ivs=IVS, aads=AADS)
    for i, (start, end) in enumerate(pairwise(OFFSETS)):
        want = THEIRS[name](SECRET).encrypt(IVS[12 * i :][:12], DATA[start:end], AADS[7 * i :][:7])
        assert bytes(out[start:end]) + tags[16 * i :][:16] == want
    opened = key(name).open_column(out, offsets, tags=tags, ivs=IVS, aads=AADS)
    assert opened[5:-3] == DATA[5:-3] and opened[:5] == bytes(5), "what no text has stays"


def test_in_place_and_short_tags() -> None:
    buffer, offsets = bytearray(DATA), array("i", OFFSETS)
    out, tags = key().seal_column(buffer, offsets, ivs=IVS, out=buffer, tag_len=12)
    assert out is buffer and len(tags) == 12 * N
    with pytest.raises(ValueError, match="bytes of tags"):
        key().open_column(buffer, offsets, tags=tags, ivs=IVS)
    assert key().open_column(buffer, offsets, tags=tags, ivs=IVS, out=buffer, tag_len=12) is buffer
    assert buffer == DATA


@pytest.mark.parametrize("place", ["text", "tag", "iv", "aad"])
def test_a_forged_text_is_its_own(place: str) -> None:
    offsets = array("i", OFFSETS)
    out, tags = key().seal_column(DATA, offsets, ivs=IVS, aads=AADS)
    given = {"tags": bytearray(tags), "ivs": bytearray(IVS), "aads": bytearray(AADS)}
    at = 6
    if place == "text":
        out[OFFSETS[at]] ^= 1
    else:
        given[f"{place}s"][at * (len(given[f"{place}s"]) // N)] ^= 1
    with pytest.raises(SomeForged) as failure:
        key().open_column(out, offsets, **given)
    assert failure.value.forged == [at]
    texts = [DATA[start:end] for start, end in pairwise(OFFSETS)]
    assert failure.value.opened == [*texts[:at], None, *texts[at + 1 :]]


def test_no_texts() -> None:
    assert key().seal_column(b"abc", array("i", [0]), ivs=b"") == (bytearray(3), b"")
    assert key().open_column(b"abc", array("i", [0]), tags=b"") == bytearray(3)


@pytest.mark.parametrize("tag", [b"", None])
def test_missing_tags_are_believed_never(tag: bytes | None) -> None:
    out, _ = key().seal_column(DATA, array("i", OFFSETS), ivs=IVS)
    for length in None, 0:
        with pytest.raises((ValueError, RuntimeFailure)):
            key().open_column(out, array("i", OFFSETS), tags=tag, ivs=IVS, tag_len=length)


def test_errors_name_what_is_wrong() -> None:
    offsets = array("i", OFFSETS)
    with pytest.raises(ValueError, match="bytes of IVs"):
        key().seal_column(DATA, offsets, ivs=IVS[1:])
    with pytest.raises(ValueError, match="an output of 3 bytes"):
        key().seal_column(DATA, offsets, ivs=IVS, out=bytearray(3))
    with pytest.raises(TypeError, match="offsets are wanted"):
        key().seal_column(DATA, ivs=IVS)
    with pytest.raises(RuntimeFailure, match="item 1 is data"):
        key().seal_column(DATA, array("i", [0, 5, 4]), ivs=IVS[:24])
    with pytest.raises(RuntimeFailure, match="an IV of 0 bytes"):
        key().seal_column(DATA, offsets)
    with pytest.raises(RuntimeFailure, match="pads"):
        suite("a128cbc-hs256").key(SECRET).seal_column(DATA, offsets, ivs=bytes(16 * N))
    with pytest.raises(RuntimeFailure, match="does not encipher"):
        suite("sha256").key().seal_column(DATA, offsets)
    with pytest.raises(RuntimeFailure, match=r"text 1: a text of 1 bytes, which is no multiple of 16"):
        suite("aes-256-cbc").key(SECRET).seal_column(DATA, offsets, ivs=bytes(16 * N))
