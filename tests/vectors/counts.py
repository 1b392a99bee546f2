"""How many published vectors a whole run of the tests must see: counts.json, by the names that the closing summary
prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from cryptostitch.ladder import vectors
from cryptostitch.ladder.result import Skip

FILE = Path(__file__).with_name("counts.json")


def wanted() -> dict[str, int]:
    """Without Wycheproof's and ipsec-mb's where their folder is not on this machine; the tests are then skipped, and
    say so."""
    counts = json.loads(FILE.read_text())
    try:
        next(vectors.wycheproof("aes_cbc_pkcs5"))
    except Skip:
        return {source: n for source, n in counts.items() if not source.endswith(("Wycheproof", "ipsec-mb"))}
    return counts


def falls(counts: Mapping[str, int], least: Mapping[str, int]) -> list[str]:
    """A sentence for each count that is below what it must be."""
    return [
        f"{counts.get(source, 0)} of {n} vectors ran: {source}"
        for source, n in sorted(least.items())
        if counts.get(source, 0) < n
    ]


def rises(counts: Mapping[str, int], least: Mapping[str, int]) -> list[str]:
    """What to put into the file when there are more."""
    return [
        f"{counts[source]} instead of {n}: {source}" for source, n in sorted(least.items()) if counts.get(source, 0) > n
    ]
