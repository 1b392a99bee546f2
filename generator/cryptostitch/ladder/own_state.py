"""Suites of a state of one's own, whose row brings them in plain Python: hashes with a key, AEADs."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.catalog import Algorithm, KeyedDigest, Sealed
from .result import Skip

ROWS: dict[str, Algorithm] = {}
"""The row of each, by the suite."""


def refer(rows: Iterable[Algorithm]) -> None:
    """Makes the hashes with a key and the AEADs of one state of a catalogue known."""
    ROWS.update((row.suite, row) for row in rows if row.kind in ("hash", "duplex") and row.key_bytes)


def keyed_digest(suite: str) -> KeyedDigest:
    """Raises Skip where the row brings none."""
    if found := ROWS[suite].keyed_reference:
        return found
    raise Skip(f"no other implementation of {suite} here: give its row a `keyed_reference`")


def sealed(suite: str) -> Sealed:
    """Raises Skip where the row brings none."""
    if found := ROWS[suite].aead_reference:
        return found
    raise Skip(f"no other implementation of {suite} here: give its row an `aead_reference`")
