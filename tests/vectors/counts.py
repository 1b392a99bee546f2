"""How many published vectors a whole run of the tests must see: counts.json, by the names that the closing summary
prints."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from .sources import MADE

FILE = Path(__file__).with_name("counts.json")


def wanted() -> dict[str, int]:
    """Returns the counts of the pip packages; with CRYPTOSTITCH_VECTORS those of that folder too, whose files stand in
    for made ones."""
    counts = json.loads(FILE.read_text())
    if not os.environ.get("CRYPTOSTITCH_VECTORS"):
        return counts["packages"]
    return {source: n for source, n in (counts["packages"] | counts["folder"]).items() if not source.endswith(MADE)}


def falls(counts: Mapping[str, int], least: Mapping[str, int]) -> list[str]:
    """A sentence for each count that is below what it must be."""
    return [
        f"{counts.get(source, 0)} of {n} vectors ran: {source}"
        for source, n in sorted(least.items())
        if counts.get(source, 0) < n
    ]


def rises(counts: Mapping[str, int], least: Mapping[str, int]) -> list[str]:
    """Returns the lines to put into the file when there are more vectors."""
    return [
        f"{counts[source]} instead of {n}: {source}" for source, n in sorted(least.items()) if counts.get(source, 0) > n
    ]
