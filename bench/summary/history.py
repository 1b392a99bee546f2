"""What earlier runs took, kept in the results file of a CPU, and what changed since the last one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from results import OURS, Cell, Load, beyond_spread, cells_of

KEPT = 16  # earlier runs
SHOWN = 15
NO_PEERS = 0.05  # how far two runs may lie apart where no peer tells


def summary(results: dict[str, Any]) -> dict[str, Any]:
    """One run in one line: its date, commit and clock, and the medians of ours."""
    machine = results["machine"]
    medians = {cell.key: float(f"{cell.ours.cycles:.4g}") for cell in cells_of(results).values() if cell.ours}
    return {
        "date": machine["date"],
        "commit": machine.get("commit", ""),
        "core_ghz": machine["core_ghz"],
        "cells": medians,
    }


def merged(new: dict[str, Any], old: dict[str, Any] | None, commit: str) -> dict[str, Any]:
    """The new run, named by its commit, with the old one added to the history, of which the last ``KEPT`` runs stay."""
    history = [*old.get("history", []), summary(old)] if old else []
    return {**new, "machine": {**new["machine"], "commit": commit}, "history": history[-KEPT:]}


def text_of(results: dict[str, Any]) -> str:
    """JSON with a line for each row and each earlier run, so that differences of two versions can be read."""
    parts = [f'"machine": {json.dumps(results["machine"])}']
    for name in ("rows", "threads", "history"):
        lines = ",\n".join(json.dumps(item) for item in results.get(name, []))
        parts += [f'"{name}": [\n{lines}\n]']
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write(file: Path, results: dict[str, Any]) -> None:
    temporary = file.with_name(file.name + ".tmp")  # an interrupted run leaves the old file
    temporary.write_text(text_of(results), encoding="utf-8")
    temporary.replace(file)


def noise(new: dict[tuple[str, Load], Cell], old: dict[tuple[str, Load], Cell], same: set[str]) -> float:
    """How far two runs lie apart for code that is the same: nine of ten cells of the peers ``same`` moved by less."""
    both = ((cell.taken, old[key].taken) for key, cell in new.items() if key in old)
    moved = sorted(
        abs(now[impl].cycles / then[impl].cycles - 1)
        for now, then in both
        for impl in same
        if impl in now and impl in then
    )
    return moved[int(0.9 * (len(moved) - 1))] if moved else NO_PEERS


def report(new: dict[str, Any], old: dict[str, Any]) -> str:
    """Which cells of ours are faster or slower than in the run ``old``, by more than the spread within the runs and the
    noise between them."""
    now, then = cells_of(new), cells_of(old)
    versions, before = new["machine"]["versions"], old["machine"]["versions"]
    same = {impl for impl in versions if impl != OURS and versions[impl] == before.get(impl)}
    limit = noise(now, then, same)
    slower, faster, common = [], [], 0
    for key, cell in now.items():
        ours, past = cell.ours, then[key].ours if key in then else None
        if ours is None or past is None:
            continue
        common += 1
        ratio = ours.cycles / past.cycles
        if ratio > 1 + limit and beyond_spread(ours, past):
            slower.append((ratio, cell, past.cycles))
        elif 1 / ratio > 1 + limit and beyond_spread(past, ours):
            faster.append((ratio, cell, past.cycles))
    if not common:
        return ""
    slower.sort(key=lambda item: -item[0])
    faster.sort(key=lambda item: item[0])
    run = old["machine"]
    why = (
        "nine of ten cells of unchanged peers moved by less"
        if same
        else "no peer is there in both runs to measure it by"
    )
    lines = [
        f"since the run of {run['date'][:10]}{' at ' + run['commit'] if run.get('commit') else ''}: {len(faster)} "
        f"cells faster, {len(slower)} slower, "
        f"{common - len(faster) - len(slower)} as before; noise between the runs {100 * limit:.1f} % ({why})"
    ]
    for name, changed in (("slower", slower), ("faster", faster)):
        for ratio, cell, past_cycles in changed[:SHOWN]:
            assert cell.ours
            lines += [f"  {name} {100 * (ratio - 1):+6.1f} %  {cell.key}: {past_cycles:.3f} -> {cell.ours.cycles:.3f}"]
        if len(changed) > SHOWN:
            lines += [f"  ... and {len(changed) - SHOWN} more {name}"]
    return "\n".join(lines)
