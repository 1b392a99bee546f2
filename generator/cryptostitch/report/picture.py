"""`cryptostitch report`: one kernel as data and as a page: its code, where its cycles go, and what others need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from ..analysis.bench_results import OURS
from ..analysis.study import Study
from ..frontend.render import TEMPLATES
from ..model.execution import DATA, FRONT_END, RUN, UNIT
from .bound import MEANING, bound_data
from .code import kernel_data, template_data
from .html import STREAM_MARKS, render_page
from .timeline import timeline

LONGEST = 2.5  # times this kernel's bar: what is longer is torn off


def chart(study: Study) -> list[dict]:
    """Bars in core cycles per byte: ``model`` on the simple core, ``measured`` here; None where it was not or cannot be
    had."""
    size, cost = study.whole.bound.bytes, study.measured.cost

    def bar(label: str, kind: str, model: float | None, here: float | None, note: str = "") -> dict:
        return {
            "label": label,
            "kind": kind,
            "note": note,
            "model": model and round(model, 4),
            "measured": here and round(here, 4),
        }

    models = [part.run.cycles * part.ratio / size for part in study.parts]
    alone: list[float] = [cycles / size for cycles in study.measured.parts]
    nothing: list[float | None] = [None] * len(models)
    bars = [bar(part.name, "part", model, here) for part, model, here in zip(study.parts, models, alone or nothing)]
    if study.parts:
        bars += [
            bar("one after the other", "sum", sum(models), sum(alone) if alone else None),
            bar("the larger part", "larger", max(models), max(alone, default=None)),
        ]
    here = cost.per_iteration / size if cost else None
    bars.append(bar("this kernel", "ours", study.whole.run.cycles / size, here))
    bars.append(
        bar("bound", "bound", study.whole.bound.cycles_per_byte, None, f"what binds: {study.whole.bound.binds}")
    )
    for cell in study.beside:
        whole = "whole jobs of this library" if cell.implementation == OURS else cell.implementation
        keys = "own keys" if cell.keys == "own" else "one key"
        bars.append(
            bar(
                whole,
                "job" if cell.implementation == OURS else "peer",
                None,
                cell.cycles_per_byte,
                f"{cell.row}, {cell.jobs} x {cell.bytes} bytes, {keys}, {cell.variant}",
            )
        )
    return bars


def spent(study: Study) -> list[dict]:
    """Returns what the cycles of an iteration are spent on, on the simple core, the most first."""
    total = study.whole.run.cycles
    names = {
        RUN: lambda what: "loop counter runs" if what is None else f"stream {STREAM_MARKS[what][0]} runs",
        UNIT: lambda what: f"waits for: {what}",
        FRONT_END: lambda _: "waits for the front end",
    }
    found = [
        {
            "what": names[kind](what),
            "kind": kind,
            "stream": what if kind == RUN else None,
            "resource": what if kind == UNIT else None,
            "cycles_per_iteration": round(cycles, 1),
            "share": round(cycles / total, 4),
        }
        for (kind, what), cycles in study.whole.run.critical().items()
    ]
    return sorted(found, key=lambda f: -f["cycles_per_iteration"])


def report_data(study: Study, roots: Sequence[Path] = ()) -> dict:
    """Returns the data that `cryptostitch report --format json` prints. ``bound`` is what `cryptostitch bound`
    prints."""
    run, measured = study.whole.run, study.measured
    waits = {step.place: wait for step, wait in zip(run.steps, run.waiting())}
    kernel = kernel_data(study.kernel)
    number = 0
    for line in kernel["code"]:
        if not line["label"]:
            if number in waits:
                line["cycles"] = {
                    {DATA: "waits_for_data", UNIT: "waits_for_unit", RUN: "runs"}[state]: round(c, 1)
                    for state, c in waits[number].items()
                }
            number += 1
    results = study.results
    return {
        "generator": __version__,
        **kernel,
        "bound": bound_data(study.whole.bound, measured, study.stand_in),
        "model": {
            "window": run.window,
            "width": round(1 / study.whole.bound.table.fetch[0][1]),
            "cycles_per_iteration": round(run.cycles, 1),
            "cycles_per_byte": round(run.cycles / study.whole.bound.bytes, 4),
            "spent": spent(study),
            "timeline": timeline(run, len(study.kernel.recipe.parts)),
        },
        "chart": chart(study),
        "results": results and {"cpu": results.cpu, "versions": results.machine.get("versions", {})},
        "templates": template_data(study.kernel, (*roots, TEMPLATES)),
    }


def runs(values: Sequence[float], width: float, height: float, most: float) -> str:
    """An SVG path of bars from the bottom, one for each cycle, neighbours of equal height joined."""
    path, at = [], 0
    while at < len(values):
        end = at
        while end < len(values) and values[end] == values[at]:
            end += 1
        if values[at]:
            tall = height * min(values[at] / most, 1)
            path.append(f"M{at * width:g} {height:g}v{-tall:.4g}h{(end - at) * width:g}v{tall:.4g}z")
        at = end
    return "".join(path)


def strips(states: Sequence[tuple[str, int, int]], wanted: str, width: float, height: float) -> str:
    """An SVG path of the times that are spent in one state."""
    return "".join(
        f"M{a * width:g} 0h{(b - a) * width:g}v{height:g}h{-(b - a) * width:g}z"
        for state, a, b in states
        if state == wanted
    )


def anchor(place: str) -> str:
    """The page's id of a template line ``file:line``."""
    return "t-" + re.sub(r"[^A-Za-z0-9]+", "-", place)


def longest_bar(bars: Sequence[dict]) -> float:
    """The end of the chart's scale: no bar so long that the others cannot be told apart."""
    ours = next(bar for bar in bars if bar["kind"] == "ours")
    values = [b for bar in bars for b in (bar["model"], bar["measured"]) if b]
    return max(b for b in values if b <= LONGEST * (ours["measured"] or ours["model"]))


def report_page(data: dict, index: str = "") -> str:
    """Returns a self-contained HTML page. ``data``: of ``report_data``. ``index``: the page beside it that it links
    back to, or ""."""
    shown = data["model"]["timeline"]
    pixels = max(1.0, min(6.0, round(1100 / shown["cycles"], 2)))
    ticks = next(step for step in (10, 20, 50, 100, 200, 500, 1000, 5000, 20000) if step * pixels >= 48)
    longest = max((sum(line["cycles"].values()) for line in data["code"] if line.get("cycles")), default=1)
    return render_page(
        "picture.html.j2",
        data=data,
        index=index,
        pixels=pixels,
        ticks=range(0, shown["cycles"], ticks),
        bars=runs,
        strips=strips,
        anchor=anchor,
        meaning=MEANING,
        longest=longest,
        most_bar=longest_bar(data["chart"]),
        most_pressure=max(
            [limit["cycles_per_iteration"] for limit in data["bound"]["limits"]]
            + (
                [data["bound"]["measured"]["cycles_per_iteration"]]
                if data["bound"]["measured"]
                else [data["model"]["cycles_per_iteration"]]
            )
        ),
    )
