"""Cells that fail, as strict expected failures: what repairs the cause removes the names."""

from __future__ import annotations

KNOWN: dict[tuple[str, str], str] = {}
"""By entry and kind of hostile calls: the reason."""
KNOWN_NEIGHBOURS: dict[str, str] = {}
"""By case."""
KNOWN_REFUSALS: dict[str, str] = {}
"""By group of entries."""
