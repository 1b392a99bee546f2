"""How long each resource of a core is busy with one iteration of a loop: the sum of what its instructions use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from .loop import Step
from .table import Table

Pressure = dict[str, dict[int | None, float]]


def pressure(steps: Iterable[Step], table: Table) -> Pressure:
    """Cycles by resource and stream (None: the loop counter). Resources without work are left out. Raises
    CryptostitchError for a form without a row."""
    found: Pressure = defaultdict(lambda: defaultdict(float))
    for step in steps:
        for resource, cycles in table.row(step.form).uses.items():
            found[resource][step.stream] += cycles
    return {name: dict(found[name]) for name in table.resources if name in found}


def total(streams: dict[int | None, float]) -> float:
    return sum(streams.values())
