"""Cost tables: core cycles of each kernel on one microarchitecture, measured by `cryptostitch calibrate`, one JSON file
each.

{"microarchitecture": "zen4", "cpu": "...", "basis": "how it was measured", "kernels": {"sha1_x16@avx512": [cycles per
iteration, cycles per call], ...}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ..core.program import CostTable

FOLDER = Path(__file__).resolve().parent / "costs"


def cost_tables(kernels: Iterable[str]) -> list[CostTable]:
    """Every shipped table, cut down to these kernels."""
    kernels = set(kernels)
    tables = []
    for path in sorted(FOLDER.glob("*.json")):
        data = json.loads(path.read_text())
        costs = {name: tuple(round(100 * c) for c in cost) for name, cost in data["kernels"].items() if name in kernels}
        tables.append(CostTable(data["microarchitecture"], costs))
    return tables
