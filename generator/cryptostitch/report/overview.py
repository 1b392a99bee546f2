"""Several CPUs side by side: how many times as fast as the best peer this library is, at loads that stand for many."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..analysis.bench_results import OURS, Results
from ..core.errors import CryptostitchError
from .plots import STYLES, save, versioned


@dataclass(frozen=True)
class Load:
    """A burst of `jobs` jobs with a key each; `size` is their bytes, or the name of a mix of lengths of cst-bench."""

    row: str
    jobs: int
    size: int | str

    @property
    def label(self) -> str:
        if isinstance(self.size, str):
            size = MIXES[self.size]
        else:
            size = f"{self.size // 1024} KiB" if self.size >= 1024 else f"{self.size} B"
        return f"{self.row.replace('-etm', '')}   {self.jobs} x {size}"


MIXES = {"random": "64 to 1,463 B at random"}


LOADS = (
    Load("sha1", 64, 64),
    Load("sha256", 64, 1024),
    Load("sha512", 8, 16384),
    Load("aes-128-cbc+hmac-sha1-etm", 64, 64),
    Load("aes-128-cbc+hmac-sha1-etm", 1, 16384),
    Load("aes-128-cbc+hmac-sha256-etm", 64, 64),
    Load("aes-128-cbc+hmac-sha256-etm", 8, 16384),
    Load("aes-128-cbc+hmac-sha256-etm", 64, 16384),
    Load("aes-256-cbc+hmac-sha512-etm", 64, 16384),
    Load("aes-128-cbc", 8, 16384),
    Load("aes-128-xts", 1, 16384),
    Load("aes-128-cbc+hmac-sha1-etm", 64, "random"),
    Load("aes-128-gcm", 64, "random"),
    Load("aes-128-gcm", 1, "random"),
    Load("aes-128-gcm", 64, 64),
    Load("aes-128-gcm", 1, 16384),
    Load("aes-128-gcm", 1, 64),
    Load("aes-128-ctr", 1, 64),
    Load("chacha20-poly1305", 1, 16384),
    Load("chacha20-poly1305", 1, 1024),
)
"""MD5 is not among them: no peer of cst-bench hashes with it in lanes."""
INK = {False: ("#222222", "#dddddd"), True: ("#e6e6e6", "#444444")}  # text and lines, grid; by darkness
NOT_MEASURED = "not measured"
BAR = 0.36
WIDTH = 7.6  # inches
LEGEND_COLUMNS = 95  # characters of a line of the legend: what fits into the width
BESIDE = 1.35  # how much further than its bar a bar's number reaches


def times_as_fast(results: Results, load: Load) -> float | None:
    """The best peer's cycles over ours; None where one of the two is missing."""
    ours: list[float] = []
    peers: list[float] = []
    for cell in results.cells:
        if (cell.row, cell.jobs, cell.size, cell.keys) == (load.row, load.jobs, str(load.size), "own"):
            (ours if cell.implementation == OURS else peers).append(cell.cycles_per_byte)
    return min(peers) / min(ours) if ours and peers else None


def _title(results: Results) -> str:
    peers = sorted(name for name in results.machine["versions"] if name != OURS)
    title = f"{results.cpu}, {results.machine['date'][:10]}, against {', '.join(versioned(n, results) for n in peers)}"
    return textwrap.fill(title, LEGEND_COLUMNS)


def overview(cpus: Sequence[Results], path: Path, dark: bool = False) -> None:
    """Writes an SVG or a PNG, by the file's name; the same results give the same bytes. Its background is transparent,
    its ink for a light page or a dark one. CryptostitchError when the results have none of the loads."""
    shown = [load for load in LOADS if any(times_as_fast(results, load) for results in cpus)]
    if not shown:
        raise CryptostitchError(
            f"{', '.join(str(r.path) for r in cpus)}: none of the loads that stand for many, jobs with own keys of "
            f"{', '.join(dict.fromkeys(load.row for load in LOADS))}"
        )

    def draw(figure) -> None:
        ink, grid = INK[dark]
        axes = figure.subplots()
        height = BAR * 2 / max(len(cpus), 2)
        for i, results in enumerate(cpus):
            bars = [(at, ratio) for at, load in enumerate(shown) if (ratio := times_as_fast(results, load))]
            shift = (i - (len(cpus) - 1) / 2) * height
            axes.barh(
                [at + shift for at, _ in bars],
                [r - 1 for _, r in bars],
                height,
                left=1,
                color=STYLES[i][0],
                label=_title(results),
                zorder=2,
            )
            for at, load in enumerate(shown):
                ratio = times_as_fast(results, load)
                right = ratio is None or ratio >= 1
                axes.annotate(
                    NOT_MEASURED if ratio is None else f"{ratio:.2f}",
                    (ratio or 1, at + shift),
                    xytext=(3 if right else -3, 0),
                    textcoords="offset points",
                    ha="left" if right else "right",
                    va="center_baseline",
                    fontsize=7,
                    color=ink,
                )
        axes.axvline(1, color=ink, linewidth=1, zorder=3)
        axes.set_xscale("log", base=2)
        ratios = [ratio for results in cpus for load in shown if (ratio := times_as_fast(results, load))]
        axes.set_xlim(min(0.5, *ratios) / BESIDE, max(2, *ratios) * BESIDE)
        ticks = {0.25: "a quarter", 0.5: "half", 1: "equal", 2: "2", 4: "4", 8: "8", 16: "16"}
        least, most = axes.get_xlim()
        axes.set_xticks(*zip(*((at, name) for at, name in ticks.items() if least < at < most)))
        axes.set_yticks(range(len(shown)), [load.label for load in shown])
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlabel("times as fast as the best peer", color=ink)
        axes.tick_params(colors=ink, length=0)
        axes.grid(axis="x", color=grid, linewidth=0.6, zorder=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        figure.legend(loc="outside upper center", ncols=1, frameon=False, labelcolor=ink)

    save(path, (WIDTH, 0.34 * len(shown) + 0.7 + 0.3 * len(cpus)), draw, transparent=True)
