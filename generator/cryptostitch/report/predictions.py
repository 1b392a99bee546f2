"""`cryptostitch predict` as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from ..analysis.predictions import Band, Prediction, Predictions, band
from ..model.table import Table, grade_of
from .tables import columns


def predictions_data(given: Predictions, table: Table, stand_in: str = "") -> dict:
    """Cycles are of the core, per iteration. ``bands``: of predicted and bound over measured, where something was
    measured. ``lacking``: kernels with an instruction that the table lacks. ``stand_in``: what is to be said of a table
    that is not this CPU's."""
    bands = _bands(given.found)
    kernels = [
        {
            "kernel": p.kernel,
            "binds": p.binds,
            "bound": round(p.bound, 1),
            "predicted": round(p.predicted, 1),
            "measured": p.measured,
            "of_measured": p.of_measured and round(p.of_measured, 3),
        }
        for p in given.found
    ]
    return {
        "microarchitecture": table.microarchitecture,
        "grade": grade_of(table),
        "stand_in": stand_in or None,
        "kernels": kernels,
        "lacking": given.lacking,
        "bands": {
            name: {k: [round(x, 3) for x in v] if isinstance(v, tuple) else round(v, 3) for k, v in asdict(b).items()}
            for name, b in bands.items()
        },
    }


def _bands(found: Sequence[Prediction]) -> dict[str, Band]:
    """Returns the bands of predicted and bound over measured; empty where nothing was measured."""
    ratios = {
        "predicted": [p.predicted / p.measured for p in found if p.measured],
        "bound": [p.bound / p.measured for p in found if p.measured],
    }
    return {name: b for name, some in ratios.items() if (b := band(some))}


def _sentence(name: str, found: Band) -> str:
    return (
        f"{name} / measured: {found.median:.2f} in the median, half of the kernels between {found.half[0]:.2f} and "
        f"{found.half[1]:.2f}, nine of ten between {found.most[0]:.2f} and {found.most[1]:.2f}"
    )


def prediction_line(p: Prediction) -> str:
    """Returns a line for one kernel, to be printed when it is done."""
    measured = f", measured {p.measured:.1f}" if p.measured else ""
    return f"{p.kernel}: {p.predicted:.1f} cycles predicted{measured}; {p.binds} binds at {p.bound:.1f}"


def predictions_text(given: Predictions, table: Table, stand_in: str = "") -> str:
    rows = [("core cycles per iteration", "what binds", "bound", "predicted", "measured", "predicted / measured")]
    rows += [
        (
            p.kernel,
            p.binds,
            f"{p.bound:.1f}",
            f"{p.predicted:.1f}",
            f"{p.measured:.1f}" if p.measured else "",
            f"{p.of_measured:.2f}" if p.measured else "",
        )
        for p in sorted(given.found, key=lambda p: (p.of_measured is None, p.of_measured, p.kernel))
    ]
    bands = _bands(given.found)
    lines = [
        columns(rows),
        "",
        f"by the instruction table of {table.microarchitecture}, which is {grade_of(table)}",
        *(_sentence(name, b) for name, b in bands.items()),
    ]
    if not bands and stand_in:
        lines.append(
            "nothing was measured on this CPU: `cryptostitch calibrate -o costs.json`, then --cost-table costs.json"
        )
    elif not bands:
        lines.append(
            f"nothing was measured on {table.microarchitecture}: `cryptostitch calibrate -o costs.json` on such a CPU "
            "(with --templates for kernels of your own), then --cost-table costs.json"
        )
    if given.lacking:
        forms = Counter(given.lacking.values())
        lines.append(
            f"of {len(given.lacking)} kernels nothing can be said, because the instruction table of "
            f"{table.microarchitecture} lacks " + ", ".join(f"'{form}' ({many})" for form, many in forms.most_common())
        )
    return "\n".join(lines)
