"""A fall in the number of published vectors is a failure."""

from __future__ import annotations

import pytest
from vectors.counts import falls, rises, wanted


@pytest.mark.parametrize("folder", ["", "vectors"])
def test_every_algorithm_has_its_count(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the pip packages alone, and with a folder of vectors."""
    monkeypatch.setenv("CRYPTOSTITCH_VECTORS", folder)
    for name in (
        "sha1",
        "sha224",
        "sha256",
        "sha384",
        "sha512",
        "sha512_256",
        "sm3",
        "md5",
        "hmac-sha1",
        "hmac-sha224",
        "hmac-sha256",
        "hmac-sha384",
        "hmac-sha512",
        "hmac-sm3",
        "hmac-md5",
        "aes-128-cbc",
        "aes-192-cbc",
        "aes-256-cbc",
    ):
        assert any(source.startswith(f"{name},") and n > 0 for source, n in wanted().items()), name


def test_a_fall_is_seen() -> None:
    least = {"a": 5, "b": 7, "c": 1}
    assert falls({"a": 5, "b": 7, "c": 1, "other": 3}, least) == []
    assert falls({"a": 4, "b": 8}, least) == ["4 of 5 vectors ran: a", "0 of 1 vectors ran: c"]
    assert rises({"a": 4, "b": 8}, least) == ["8 instead of 7: b"]
