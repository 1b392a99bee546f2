"""The pairing matrix as a table for the terminal and as one page with a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ..analysis.study import of_trial
from ..model.bound import BEATEN
from ..tuning.matrix import Cell, Progress, grid, lanes_of
from ..tuning.measure import AGAIN
from ..tuning.trial import Trial
from .folder import PageFolder
from .html import render_page
from .tables import columns

DISTURBED = "disturbed"


def matrix_data(cells: Sequence[Cell]) -> dict:
    """Everything as JSON."""
    first = next((c.best for c in cells if c.best), None)
    return {
        "cpu": first.cpu if first else "",
        "ghz": round(first.ghz, 3) if first else 0,
        "cells": [c.data() for c in cells],
    }


def figures(cell: Cell) -> tuple[str, str]:
    """("1.42x", "0.59 c/B, 83 %") of the best way: its gain over best apart, its cycles, and the bound as a part of
    them; or a dash."""
    best = cell.best
    if not best:
        return "-", ""
    cycles = best.per_byte(best.woven.per_iteration)
    if best.doubt:
        return DISTURBED, best.doubt
    bound = cell.bound if cell.bound and cycles >= BEATEN * cell.bound else None  # else the table is wrong
    return f"{best.gain:.2f}x", f"{cycles:.2f} c/B" + (f", {100 * bound / cycles:.0f} %" if bound else "")


def gain(found: Trial) -> str:
    """The speed-up over best apart, or that there is none to be told."""
    return DISTURBED if found.doubt else f"{found.gain:.2f}"


def cell_line(cell: Cell) -> str:
    """Returns a line for one cell, to be printed when it is done."""
    best = cell.best
    if not best:
        return f"{cell.row}+{cell.column}: " + (cell.reasons[0].partition("\n")[0] if cell.reasons else "-")
    others = " and ".join(name for name, _ in best.apart)
    over = f" over {others}" if others and not best.doubt else ""
    return f"{cell.row}+{cell.column}: {' '.join(figures(cell))}, {lanes_of(best)}{over}"


def matrix_text(cells: Sequence[Cell]) -> str:
    rows, columns_, by_names = grid(cells)
    table = [["", *columns_]]
    table += [[row, *(" ".join(figures(by_names.get((row, c), Cell(row, c)))) for c in columns_)] for row in rows]
    ways = [("", "lanes", "one after the other", "best apart", "larger part", "woven", "speed-up")]
    ways += [
        (
            f"{c.row}+{c.column}",
            lanes_of(t),
            f"{t.per_byte(t.sum):.3f}",
            f"{t.per_byte(t.best_apart):.3f}",
            f"{t.per_byte(t.larger):.3f}",
            f"{t.per_byte(t.woven.per_iteration):.3f}",
            gain(t),
        )
        for c in cells
        for t in c.trials
    ]
    # of a proof that fails the first line
    missing = [f"  {c.row}+{c.column}: {reason.partition(chr(10))[0]}" for c in cells for reason in c.reasons]
    cpu = matrix_data(cells)
    text = (
        f"{cpu['cpu']} at {cpu['ghz']} GHz: speed-up over best apart, core cycles per byte, and how much of "
        f"them the units need at least, of the fastest way\n\n{columns(table)}\n\n"
    )
    text += (
        "every way, in core cycles per byte; best apart: the fastest kernels of both algorithms, one after the other\n"
        f"{columns(ways)}\n"
    )
    doubts = [f"  {t.recipe.name}: {t.doubt}" for c in cells for t in c.trials if t.doubt]
    text += f"\n{AGAIN}\n" + "\n".join(doubts) + "\n" if doubts else ""
    return text + ("\nwhat does not fit\n" + "\n".join(missing) + "\n" if missing else "")


def heat(cell: Cell) -> float:
    """0 (no gain, or nothing there) to 1 (twice as fast)."""
    return min(max(cell.best.gain - 1, 0), 1) if cell.best and not cell.best.doubt else 0


def matrix_page(cells: Sequence[Cell], links: Mapping[str, str] = MappingProxyType({})) -> str:
    """Returns a self-contained HTML page. Each colour comes with its number. ``links``: the pages of kernels, by their
    names, that cells lead to."""
    rows, columns_, by_names = grid(cells)
    return render_page(
        "matrix.html.j2",
        rows=rows,
        columns=columns_,
        cells=by_names,
        data=matrix_data(cells),
        heat=heat,
        figures=figures,
        lanes_of=lanes_of,
        gain=gain,
        links=links,
    )


def matrix_folder(cells: Sequence[Cell], folder: PageFolder, progress: Progress = lambda *_: None) -> Path:
    """Writes the page of each cell's best way, and the heat map that leads to them; returns the latter. A kernel with
    an instruction that the table lacks has no page."""
    links = {}
    for number, best in enumerate(found := [c.best for c in cells if c.best]):
        progress(number, len(found), best.recipe.name)
        if address := folder.add(best.recipe, of_trial(best)):
            links[best.recipe.name] = address
    return folder.index(matrix_page(cells, links))
