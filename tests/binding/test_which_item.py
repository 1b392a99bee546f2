"""Of many items, the one whose length is wrong is named."""

from __future__ import annotations

from array import array
from typing import Any

import cryptostitch
import pytest
from cryptostitch import (
    Context,
    PublicKey,
    RuntimeFailure,
    hash_column,
    sign_many,
    verify_many,
)
from cryptostitch.binding import runtime


@pytest.fixture(scope="module")
def context() -> Context:
    return Context()


def other(values: list[Any], at: int, value: object) -> list[Any]:
    return [*values[:at], value, *values[at + 1 :]]


@pytest.mark.parametrize("at", (0, 3, 1499))
def test_the_item_is_named(at: int) -> None:
    """Of many, the one whose length is wrong; beyond the first burst, too."""
    secrets, texts = [bytes([1]) * 32] * 1500, [b"text"] * 1500
    public = PublicKey("ed25519-public-key").public_keys(secrets[:1])[0] or b""
    signatures = [made or b"" for made in sign_many(secrets, texts)]
    suite = cryptostitch.suite("aes-128-gcm")
    key, ivs = suite.key(bytes(16)), [bytes(12)] * 1500
    sealed: list[Any] = list(suite.seal_many(key, ivs, texts))
    ecdsa, ecdh = PublicKey("ecdsa-p256-sign"), PublicKey("ecdh-p256")
    short = other(secrets, at, bytes(31))
    for call, told in (
        (lambda: sign_many(short, texts), f"item {at} has a key of 31 bytes"),
        (lambda: ecdsa.sign_many(short, texts), f"item {at} has a key of 31 bytes"),
        (lambda: cryptostitch.agree_many(secrets, short), f"item {at} has .* an input of 31 bytes"),
        (lambda: ecdh.agree_many(secrets, [bytes(65)] * at + [b""] * (1500 - at)), f"item {at} has a key of 32"),
        (
            lambda: verify_many([public] * 1500, texts, other(signatures, at, bytes(63))),
            f"item {at} has .* a signature, salt or label of 63 bytes",
        ),
        (lambda: suite.seal_many(key, other(ivs, at, b""), texts), f"buffer {at}: an IV of 0 bytes"),
        (lambda: suite.open_many(key, other(ivs, at, b""), sealed), f"buffer {at}: an IV of 0 bytes"),
    ):
        with pytest.raises(RuntimeFailure, match=told) as failure:
            call()
        assert failure.value.code == runtime.ERR_LENGTH and failure.value.cause in str(failure.value)
    with pytest.raises(ValueError, match=f"buffer {at}: a tag of 2 bytes"):
        suite.open_many(key, ivs, other(sealed, at, (b"", b"xy")))


def test_a_ciphertext_of_another_length_is_one_that_cannot_be_opened() -> None:
    """What decrypt_many does, with an operation that every CPU has; beyond the first burst, too."""
    operation, secrets = PublicKey("ed25519-public-key"), [bytes([1]) * 32] * 1500
    (public,) = operation.public_keys(secrets[:1])
    wrong = {0, 7, 1023, 1024, 1499}
    some = [bytes(at % 32) if at in wrong else secret for at, secret in enumerate(secrets)]
    expected = [None if at in wrong else public for at in range(1500)]
    assert operation._results(some, lengths_are_forged=True) == expected
    assert operation._results([b""] * 3, lengths_are_forged=True) == [None] * 3


def test_the_item_of_a_column_is_named() -> None:
    with pytest.raises(RuntimeFailure, match=r"item 2 is data\[5:4\], of 9 bytes"):
        hash_column("sha256", bytes(9), array("i", [0, 1, 5, 4]))
    with pytest.raises(RuntimeFailure, match=r"item 1 is data\[1:10\], of 9 bytes"):
        hash_column("sha256", bytes(9), array("Q", [0, 1, 10]))


def test_chaining_values_are_measured_one_by_one(context: Context) -> None:
    key = context.suite("blake3").key()
    chains = [key.tree_part(0, bytes(1024)), key.tree_part(1024, bytes(1024))]
    assert key.tree_root(chains) == key.tree_root(list(map(bytearray, chains))) == key.digest(bytes(2048))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="chaining value 0 has 31 bytes, not 32"):
        key.tree_root([bytes(31), bytes(33)])
    with pytest.raises(TypeError, match="an iterable of buffers"):
        key.tree_root(bytes(64))  # type: ignore[arg-type]
