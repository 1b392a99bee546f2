"""What cst-bench measured, drawn: throughput by size of a job and by number of jobs, this library against its peers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ..analysis.bench_results import OURS, Cell, Results
from ..core.errors import CryptostitchError

FORMATS = (".svg", ".png")
# Colours of Okabe and Ito, which people with colour-blindness tell apart; each implementation has a marker and a kind
# of line too.
STYLES = (
    ("#0072b2", "o", "-"),
    ("#d55e00", "s", "--"),
    ("#009e73", "^", "-."),
    ("#cc79a7", "D", ":"),
    ("#e69f00", "v", (0, (5, 1))),
    ("#56b4e9", "P", (0, (1, 1))),
)
PANEL = (3.4, 2.5)  # inches
PANELS = 4  # side by side: two rows of cst-bench with two each


def fullest(cells: Iterable[Cell], fixed: Callable[[Cell], int], along: Callable[[Cell], int]) -> list[Cell]:
    """The cells of one value of ``fixed``: that with most values of ``along``, the largest of equals."""
    groups: dict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[fixed(cell)].append(cell)
    return max(groups.items(), key=lambda g: (len({along(c) for c in g[1]}), g[0]))[1]


def lines(cells: Iterable[Cell], along: Callable[[Cell], int]) -> dict[str, list[tuple[int, float]]]:
    """Returns for each implementation the bytes per core cycle of its fastest variant over ``along``; this library
    first."""
    best: dict[str, dict[int, float]] = defaultdict(dict)
    for cell in cells:
        speeds = best[cell.implementation]
        speeds[along(cell)] = max(speeds.get(along(cell), 0), 1 / cell.cycles_per_byte)
    return {name: sorted(best[name].items()) for name in sorted(best, key=lambda n: (n != OURS, n))}


def panels(
    results: Results, rows: Sequence[str], keys: str
) -> list[tuple[str, str, dict[str, list[tuple[int, float]]]]]:
    """(title, axis, lines) by size and by jobs of each row. CryptostitchError when there is nothing to draw."""
    found = []
    for row in rows:
        cells = [c for c in results.cells if c.row == row and c.keys == keys and c.size.isdigit()]
        if not cells:
            continue
        by_size = fullest(cells, lambda c: c.jobs, lambda c: c.bytes)
        by_jobs = fullest(cells, lambda c: c.bytes, lambda c: c.jobs)
        count, size = by_size[0].jobs, by_jobs[0].bytes
        found.append(
            (
                f"{row}\n{count} job{'s' if count > 1 else ''} at once",
                "bytes of a job",
                lines(by_size, lambda c: c.bytes),
            )
        )
        found.append((f"{row}\njobs of {size:,} bytes", "jobs at once", lines(by_jobs, lambda c: c.jobs)))
    if not found:
        raise CryptostitchError(
            f"{results.path} has no cell with {keys} keys in {', '.join(rows) or 'any row'}; `--keys` takes the "
            f"others, `cryptostitch bench --results {results.path}` shows what there is"
        )
    return found


def save(path: Path, inches: tuple[float, float], draw: Callable[[Any], None], transparent: bool = False) -> None:
    """Has ``draw`` fill a figure of that size, and writes it as an SVG or a PNG, by the file's name: the same bytes
    every time. CryptostitchError for another name, or without matplotlib."""
    if path.suffix not in FORMATS:
        raise CryptostitchError(
            f"{path}: a plot is one of {', '.join(FORMATS)}: write --plot {path.with_suffix('.svg')}"
        )
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise CryptostitchError(
            "plots need matplotlib: `pip install matplotlib` into the environment of cryptostitch, or `make venv` in "
            "the checkout"
        ) from error
    with matplotlib.rc_context(
        {
            "svg.hashsalt": "cryptostitch",
            "svg.fonttype": "none",
            "font.size": 8,
            "axes.titlesize": 8,
            "font.family": "DejaVu Sans",
        }
    ):
        figure = Figure(figsize=inches, layout="constrained")
        draw(figure)
        figure.savefig(
            path,
            format=path.suffix[1:],
            dpi=120,
            transparent=transparent,
            metadata={"Date": None} if path.suffix == ".svg" else {"Software": None},
        )


def plot(results: Results, rows: Sequence[str], keys: str, path: Path) -> None:
    """Throughput by size and by jobs, of each row. Writes and raises as `save`."""
    drawn = panels(results, rows, keys)
    names = sorted({name for _, _, each in drawn for name in each}, key=lambda n: (n != OURS, n))
    styles = {name: STYLES[i % len(STYLES)] for i, name in enumerate(names)}
    across = min(PANELS, len(drawn))
    down = -(-len(drawn) // across)

    def draw(figure) -> None:
        for (title, axis, each), axes in zip(drawn, figure.subplots(down, across, squeeze=False).flat):
            _draw(axes, title, axis, each, styles)
        for axes in figure.axes[len(drawn) :]:
            axes.remove()
        handles = {label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels())}
        figure.legend(
            [handles[name] for name in names],
            [versioned(name, results) for name in names],
            loc="outside upper center",
            ncols=len(names),
            frameon=False,
        )
        figure.supxlabel(f"{results.cpu}, {keys} key{'s' if keys == 'own' else ''}; more is better", fontsize=8)

    save(path, (PANEL[0] * across, PANEL[1] * down + 0.7), draw)


def _draw(axes, title: str, axis: str, each: dict[str, list[tuple[int, float]]], styles: dict) -> None:
    for name, points in each.items():
        colour, marker, line = styles[name]
        axes.plot(
            *zip(*points),
            color=colour,
            marker=marker,
            linestyle=line,
            markersize=4,
            linewidth=1.4,
            label=name,
            zorder=3 if name == OURS else 2,
        )
    places = sorted({x for points in each.values() for x, _ in points})
    axes.set_xscale("log", base=2)
    axes.set_xticks(places, [f"{x // 1024} Ki" if x >= 1024 and x % 1024 == 0 else str(x) for x in places])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set(title=title, xlabel=axis, ylabel="bytes per core cycle")
    axes.grid(color="#ddd", linewidth=0.6)


def versioned(name: str, results: Results) -> str:
    """The implementation with its version, once: "OpenSSL 4.0.3" of ``openssl-4.0.3``."""
    version = str(results.machine.get("versions", {}).get(name, "")).split()[:2]
    library = name.removesuffix(f"-{version[-1]}") if version else name
    return " ".join(version if version and version[0].lower() == library else [library, *version])


def compared(results: Results, rows: Sequence[str]) -> list[dict]:
    """Returns an entry for each row, size, jobs and keys: this library, the best peer, and how many times as fast as
    the peer this library is (None: there is no peer)."""
    places: dict[tuple, dict[str, Cell]] = defaultdict(dict)
    for cell in results.cells:
        if cell.row in rows:
            best = places[cell.place].get(cell.implementation)
            if best is None or cell.cycles_per_byte < best.cycles_per_byte:
                places[cell.place][cell.implementation] = cell
    found = []
    for (row, keys, size, jobs), there in places.items():
        ours, peers = there.get(OURS), [c for name, c in there.items() if name != OURS]
        peer = min(peers, key=lambda c: c.cycles_per_byte, default=None)
        found.append(
            {
                "row": row,
                "keys": keys,
                "size": size,
                "jobs": jobs,
                "cycles_per_byte": ours and ours.cycles_per_byte,
                "kernel": ours and ours.variant,
                "peer": peer and peer.implementation,
                "peer_cycles_per_byte": peer and peer.cycles_per_byte,
                "times_as_fast": round(peer.cycles_per_byte / ours.cycles_per_byte, 3) if peer and ours else None,
            }
        )
    return found
