"""Several CPUs side by side: how many times as fast as the best peer this library is, at loads that stand for many."""

from __future__ import annotations

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
    Load("md5", 64, 1024),
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
INK = {False: ("#222222", "#dddddd"), True: ("#e6e6e6", "#444444")}  # text and lines, grid; by darkness
BAR = 0.36


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
    return f"{results.cpu}, {results.machine['date'][:10]}, against {', '.join(versioned(n, results) for n in peers)}"


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
            places = [at + (i - (len(cpus) - 1) / 2) * height for at, _ in bars]
            axes.barh(
                places, [r - 1 for _, r in bars], height, left=1, color=STYLES[i][0], label=_title(results), zorder=2
            )
            for place, (_, ratio) in zip(places, bars):
                side = "left" if ratio >= 1 else "right"
                axes.annotate(
                    f"{ratio:.2f}",
                    (ratio, place),
                    xytext=(3 if ratio >= 1 else -3, 0),
                    textcoords="offset points",
                    ha=side,
                    va="center_baseline",
                    fontsize=7,
                    color=ink,
                )
        axes.axvline(1, color=ink, linewidth=1, zorder=3)
        axes.set_xscale("log", base=2)
        axes.set_xlim(0.4, 24)
        axes.set_xticks([0.5, 1, 2, 4, 8, 16], ["half", "equal", "2", "4", "8", "16"])
        axes.set_yticks(range(len(shown)), [load.label for load in shown])
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlabel("times as fast as the best peer", color=ink)
        axes.tick_params(colors=ink, length=0)
        axes.grid(axis="x", color=grid, linewidth=0.6, zorder=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        figure.legend(loc="outside upper center", ncols=1, frameon=False, labelcolor=ink)

    save(path, (7.6, 0.34 * len(shown) + 1.2), draw, transparent=True)
