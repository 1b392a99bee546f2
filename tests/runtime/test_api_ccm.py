"""CCM: published vectors, the lengths that SP 800-38C allows, long AAD. Bursts are in test_plan_*."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import Context, RuntimeFailure
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import published

CountCases = Callable[[str, int], None]
SUITES = ("aes-128-ccm", "aes-256-ccm")


@pytest.mark.parametrize("name", SUITES)
def test_published(shared_context: Context, count_cases: CountCases, name: str) -> None:
    try:
        vectors = published(name)
    except Skip as skip:
        pytest.skip(str(skip))
    suite = shared_context.suite(name)
    for v in vectors:
        key = suite.key(v.key)
        if v.valid:
            assert key.seal(v.data, iv=v.iv, aad=v.aad or None, tag_len=len(v.tag)) == (v.out, v.tag), v.source
            assert key.open(v.out, v.tag, iv=v.iv, aad=v.aad or None, tag_len=len(v.tag)) == v.data, v.source
            continue
        with pytest.raises(RuntimeFailure) as failure:
            key.open(v.out, v.tag, iv=v.iv or None, aad=v.aad or None, tag_len=len(v.tag))
        assert failure.value.code in (runtime.ERR_AUTH, runtime.ERR_LENGTH), v.source
    theirs = sum(v.source.startswith("Wycheproof") for v in vectors)
    count_cases(f"{name}, CAVP", len(vectors) - theirs)
    count_cases(f"{name}, Wycheproof", theirs)


def test_limits(shared_context: Context) -> None:
    suite, rng = shared_context.suite("aes-128-ccm"), random.Random(3)
    secret, text = rng.randbytes(16), rng.randbytes(1 << 16)
    key, both = suite.key(secret), AESCCM(secret)
    assert (suite.iv_min, suite.iv_bytes, suite.iv_max, suite.tag_min, suite.tag_max) == (7, 12, 13, 4, 16)
    for iv, tag, length in (
        (6, 16, 0),
        (14, 16, 0),
        (12, 2, 0),
        (12, 5, 0),
        (12, 15, 0),
        (12, 18, 0),
        (13, 16, 1 << 16),
    ):
        with pytest.raises(RuntimeFailure) as failure:
            key.seal(text[:length], iv=bytes(iv), aad=None, tag_len=tag)
        assert failure.value.code == runtime.ERR_LENGTH, (iv, tag, length)
    for iv, tag, length in ((7, 4, 0), (13, 16, (1 << 16) - 1), (12, 16, 1 << 16), (7, 12, 1 << 16)):
        nonce = rng.randbytes(iv)
        out, mac = key.seal(text[:length], iv=nonce, aad=None, tag_len=tag)
        assert out + mac == AESCCM(secret, tag).encrypt(nonce, text[:length], b"")
    for aad in (
        1,
        13,
        14,
        15,
        30,
        700,
        737,
        738,
        750,
        751,
        752,
        767,
        768,
        800,
        0xFEFF,
        0xFF00,
        0xFF01,
        70000,
    ):  # 2.2: the length has two forms
        head = rng.randbytes(aad)
        out, mac = key.seal(text[:100], iv=bytes(12), aad=head)
        assert out + mac == both.encrypt(bytes(12), text[:100], head), aad
        assert key.open(out, mac, iv=bytes(12), aad=head) == text[:100]
