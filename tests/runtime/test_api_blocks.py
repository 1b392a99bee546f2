"""Suites of whole blocks (XTS, ECB) and MACs of blocks (CMAC, XCBC): limits and keys. Bursts are in test_plan_*."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import Context, RuntimeFailure
from cryptostitch.ladder import oracle
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import published

CountCases = Callable[[str, int], None]
MOST_XTS = 16 << 20  # 2^20 blocks
SUITES = (
    "aes-128-xts",
    "aes-256-xts",
    "aes-128-ecb",
    "aes-192-ecb",
    "aes-256-ecb",
    "aes-128-cmac",
    "aes-256-cmac",
    "aes-128-xcbc",
)


@pytest.mark.parametrize("name", SUITES)
def test_published(shared_context: Context, count_cases: CountCases, name: str) -> None:
    try:
        vectors = published(name)
    except Skip as skip:
        pytest.skip(str(skip))
    suite = shared_context.suite(name)
    for v in vectors:
        key = suite.key(v.key, v.mac_key)
        if not v.valid:
            with pytest.raises(RuntimeFailure) as failure:
                key.open(v.data, v.tag, tag_len=len(v.tag))
            assert failure.value.code == runtime.ERR_AUTH, v.source
        elif v.mac_key:
            assert key.digest(v.data, len(v.tag)) == v.tag, v.source
        else:
            assert key.seal(v.data, iv=v.iv or None) == (v.out, b""), v.source
            assert key.open(v.out, None, iv=v.iv or None) == v.data, v.source
    theirs = sum(v.source.startswith("Wycheproof") for v in vectors)
    count_cases(
        f"{name}, {'RFC' if name == 'aes-128-xcbc' else 'SP 800-38B' if 'cmac' in name else 'CAVP'}",
        len(vectors) - theirs,
    )
    if theirs:
        count_cases(f"{name}, Wycheproof", theirs)


@pytest.mark.parametrize("name, half", [("aes-128-xts", 16), ("aes-256-xts", 32)])
def test_xts_keys_must_differ(shared_context: Context, name: str, half: int) -> None:
    suite, key = shared_context.suite(name), bytes(range(half))
    with pytest.raises(RuntimeFailure) as failure:
        suite.key(2 * key)
    assert failure.value.code == runtime.ERR_ARGUMENT
    for at in (0, half - 1, half, 2 * half - 1):
        other = bytearray(2 * key)
        other[at] ^= 0x80
        suite.key(bytes(other))


def test_xts_limits(shared_context: Context) -> None:
    rng = random.Random(5)
    suite = shared_context.suite("aes-128-xts")
    assert (suite.min_bytes, suite.max_bytes, suite.block_bytes) == (16, MOST_XTS, 1)
    secret, iv = rng.randbytes(32), rng.randbytes(16)
    key, text = suite.key(secret), rng.randbytes(1 << 16) * (MOST_XTS >> 16)
    for length in (0, 1, 15, MOST_XTS + 1):
        with pytest.raises(RuntimeFailure) as failure:
            key.seal((text + b"x")[:length], iv=iv)
        assert failure.value.code == runtime.ERR_LENGTH
    for length in (16, MOST_XTS - 1, MOST_XTS):
        sealed, _ = key.seal(text[:length], iv=iv)
        assert sealed == oracle.seal("aes-128-xts", secret, b"", iv, b"", text[:length])[0]
        assert key.open(sealed, None, iv=iv) == text[:length]


@pytest.mark.parametrize("name", ["aes-128-cmac", "aes-256-cmac", "aes-128-xcbc"])
def test_keys_of_block_macs_have_one_length(shared_context: Context, name: str) -> None:
    suite = shared_context.suite(name)
    right = suite.mac_key_max
    assert suite.mac_key_min == right and (suite.tag_min, suite.tag_max) == (8, 16)
    for length in (0, right - 1, right + 1):
        with pytest.raises(RuntimeFailure) as failure:
            suite.key(None, bytes(length))
        assert failure.value.code == runtime.ERR_LENGTH
