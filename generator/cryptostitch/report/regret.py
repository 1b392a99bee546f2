"""What `cryptostitch regret` prints."""

from __future__ import annotations

from typing import Any

from ..analysis.regret import Judged, Regret
from ..binding import runtime
from .tables import columns


def _cell(judged: Judged) -> dict[str, Any]:
    cell = judged.cell
    return {
        "suite": cell.suite,
        "direction": "open" if cell.direction == runtime.OPEN else "seal",
        "bytes": cell.size,
        "jobs": cell.jobs,
        "regret": round(judged.regret, 3),
        "chosen": list(judged.chosen),
        "best": list(judged.best),
    }


def regret_data(found: Regret, cpu: str, chosen_by: str) -> dict[str, Any]:
    worst = [judged for judged in found.worst() if judged.regret > 1]
    return {
        "cpu": cpu,
        "chosen_by": chosen_by,
        "cells": len(found.judged),
        "unmeasured": found.unmeasured,
        "mean": round(found.mean, 4),
        "worst": round(worst[0].regret, 3) if worst else 1.0,
        "worst_cells": [_cell(judged) for judged in worst],
    }


def regret_text(data: dict[str, Any]) -> str:
    lines = [
        f"{data['cpu']}, kernels chosen by {data['chosen_by']}: measured cost over the least, {data['cells']} cells",
        f"geometric mean {data['mean']:.3f}, worst {data['worst']:.2f}",
    ]
    if data["unmeasured"]:
        lines.append(f"{data['unmeasured']} more cells are not judged: nobody measured the kernel that was chosen")
    if data["worst_cells"]:
        rows: list[tuple[object, ...]] = [("regret", "suite", "", "bytes", "jobs", "chosen", "best")]
        for c in data["worst_cells"]:
            plans = [" and ".join(c[key]) for key in ("chosen", "best")]
            rows.append((f"{c['regret']:.2f}", c["suite"], c["direction"], c["bytes"], c["jobs"], *plans))
        lines += ["", columns(rows)]
    return "\n".join(lines)
