"""Cost tables: core cycles of each kernel on one microarchitecture, measured by `cryptostitch calibrate`, one JSON file
each.

{"microarchitecture": "zen4", "cpu": "...", "basis": "how it was measured", "kernels": {"sha1_x16@avx512": [cycles per
iteration, cycles per call], ...}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ..core.errors import CryptostitchError
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


def costs_of(path: Path) -> dict[str, float]:
    """Cycles per iteration by kernel, of a file. CryptostitchError when it is not a cost table."""
    try:
        return {name: float(cost[0]) for name, cost in json.loads(path.read_text())["kernels"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise CryptostitchError(
            f"{path} is not a cost table ({type(error).__name__}: {error}); `cryptostitch calibrate -o {path}` "
            "writes one"
        ) from error


def shipped_costs(microarchitecture: str) -> dict[str, float]:
    """The same of a shipped table; empty for a CPU without one."""
    path = FOLDER / f"{microarchitecture}.json"
    return costs_of(path) if path.exists() else {}
