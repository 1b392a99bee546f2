"""Where the best peer is faster, and where it is not."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import geometric_mean

from results import Cell, beyond_spread

SHOWN = 60


def split(cells: Iterable[Cell]) -> tuple[list[tuple[float, Cell]], list[tuple[float, Cell]], list[Cell]]:
    """Lost, won and level cells: lost and won ones with our cycles over the best peer's, worst first; level ones differ
    by no more than the spread."""
    lost, won, level = [], [], []
    for cell in cells:
        ours, peer = cell.ours, cell.best_peer
        if ours is None or peer is None:
            continue
        ratio = ours.cycles / peer.cycles
        if beyond_spread(ours, peer):
            lost.append((ratio, cell))
        elif beyond_spread(peer, ours):
            won.append((ratio, cell))
        else:
            level.append(cell)
    for found in (lost, won):
        found.sort(key=lambda pair: -pair[0])
    return lost, won, level


def report(cells: Iterable[Cell]) -> str:
    """The table that ends a run; empty where there was nobody to compare with."""
    lost, won, level = split(cells)
    count = len(lost) + len(won) + len(level)
    if not count:
        return ""
    lines = []
    if won:
        ratio, best = won[-1]
        gain = geometric_mean([1 / r for r, _ in won])
        lines += [
            f"where we win: {len(won)} of {count} cells, {gain:.2f} times as fast as the best peer in the mean, at "
            f"most {1 / ratio:.1f} times ({best.key})"
        ]
    if level:
        lines += [f"level, within the spread of the samples: {len(level)}"]
    if not lost:
        return "\n".join([*lines, "where we lose: nowhere"])
    lines += [f"where we lose: {len(lost)} of {count} cells; ratio = cryptostitch / best peer, worst first", ""]
    width = max(len(cell.row) for _, cell in lost[:SHOWN])
    lines += [
        f"{'ratio':>6}  {'row':{width}} {'bytes':>6} {'jobs':>4} keys | {'c/B':>7}  {'peer':>7}  best peer, variants"
    ]
    for ratio, cell in lost[:SHOWN]:
        ours, peer, load = cell.ours, cell.best_peer, cell.load
        assert ours and peer
        place = f"{cell.row:{width}} {load.size:>6} {load.jobs:4} {load.keys:4}"
        lines += [
            f"{ratio:6.2f}  {place} | {ours.cycles:7.3f}  {peer.cycles:7.3f}  {peer.impl} ({peer.variant}); "
            f"{ours.variant}"
        ]
    if len(lost) > SHOWN:
        lines += [f"... and {len(lost) - SHOWN} more, by at most {lost[SHOWN][0]:.2f}"]
    return "\n".join(lines)
