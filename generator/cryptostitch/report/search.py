"""`cryptostitch tune --folder`: how a search went, as a page that leads to those of its kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..cpus.recipes import WeaveSettings
from ..tuning.tune import Found, Step
from .folder import PageFolder
from .html import render_page

WIDTH, HEIGHT = 1000, 300  # of the plots' coordinates
HIGHEST = 1.5  # times the first cycles: what takes more is drawn at the upper edge
MARGIN = 0.02  # below the fewest cycles
TICKS = 5


@dataclass(frozen=True)
class Plot:
    """Cycles per byte over ``axis``. ``dots``: an SVG path of the candidates; ``best``: one of the best so far;
    ``across``, ``up``: where the scales have which number, in percent."""

    axis: str
    dots: str
    best: str
    across: list[tuple[float, str]]
    up: list[tuple[float, str]]


def plot(steps: Sequence[Step], places: Sequence[float], axis: str, digits: int) -> Plot:
    """``places``: where each step is on the axis, ascending."""
    cycles = [step.cycles for step in steps if step.cycles]
    low = min(cycles) * (1 - MARGIN)
    high = max(min(max(cycles), HIGHEST * steps[0].cycles), low * (1 + MARGIN))
    end = places[-1] or 1

    def x(place: float) -> str:
        return f"{WIDTH * place / end:.1f}"

    def y(value: float) -> str:
        return f"{HEIGHT * (1 - (min(value, high) - low) / (high - low)):.1f}"

    dots = "".join(f"M{x(at)} {y(step.cycles)}h0" for step, at in zip(steps, places) if step.cycles)
    best = f"M{x(places[0])} {y(steps[0].best)}"
    best += "".join(f"H{x(at)}V{y(step.best)}" for step, at in zip(steps, places) if step.became) + f"H{x(end)}"
    parts = [n / (TICKS - 1) for n in range(TICKS)]
    return Plot(
        axis,
        dots,
        best,
        [(100 * part, f"{part * end:.{digits}f}") for part in parts],
        [(100 * (1 - part), f"{low + part * (high - low):.3f}") for part in parts],
    )


def changes(before: WeaveSettings, after: WeaveSettings) -> str:
    """Lists the settings in which the two differ: "leads 0:0 -> 0:128"."""
    old, new = asdict(before), asdict(after)
    return ", ".join(f"{name} {_said(old[name])} → {_said(new[name])}" for name in old if old[name] != new[name])


def _said(value: object) -> str:
    return ":".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def search_page(found: Found, links: dict[str, str]) -> str:
    """``links``: the pages of "default" and "tuned", where there are some."""
    steps = found.steps
    became = [(number, step) for number, step in enumerate(steps) if step.became]
    first = steps[0].became
    assert first is not None  # what the search began with
    settings = [first, *(step.became for _, step in became if step.became)]
    return render_page(
        "search.html.j2",
        found=found,
        links=links,
        plots=[
            plot(steps, [step.seconds for step in steps], "seconds", 1),
            plot(steps, list(range(len(steps))), "candidates", 0),
        ],
        size=(WIDTH, HEIGHT),
        refused=sum(not step.cycles for step in steps),
        earlier=len(found.tried) - len(steps),
        became=[(number, step, changes(old, new)) for (number, step), old, new in zip(became, settings, settings[1:])],
        rows=[
            (name, _said(a), _said(b))
            for (name, a), b in zip(asdict(found.default).items(), asdict(found.best).values())
        ],
    )


def search_folder(found: Found, folder: PageFolder) -> Path:
    """Writes the pages of the default and of the tuned kernel, and the search's, which leads to them; returns the
    latter."""
    default = folder.generator.stitch_as(found.default)
    tuned = replace(folder.generator.stitch_as(found.best), name=found.kernel)
    links = {"default": folder.add(default), "tuned": folder.add(tuned)}
    return folder.index(search_page(found, links))
