"""What a CPU's folder holds, and where this library wins and loses there: as data, as text, as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import geometric_mean
from typing import Any

from ..analysis.standing import Loop, Standing, Verdict, reason
from ..cpus.folder import CpuFolder, Part
from ..learning.learn import Learned
from .html import render_page
from .tables import columns

SHOWN = 40  # cells of each kind
WORSE = "where the measured costs select a slower kernel than the costs that the library brings, by more than 10 %"
WHAT = {
    Part.INSTRUCTION_COSTS: "what each instruction costs",
    Part.COSTS: "what each kernel costs: by it they are chosen",
    Part.PUBLISHED: "what is published of its instructions: relatives' tables are derived by it",
    Part.RECIPES: "weaves that are faster here",
    Part.BENCH: "this library and its peers, by cst-bench",
}


def learned_data(learned: Learned, standings: Sequence[Standing], loops: Mapping[str, Loop]) -> dict[str, Any]:
    """Everything as JSON. ``standings``: the worst first."""
    about = learned.folder.about()
    assert about is not None  # written before anything else
    by_verdict = {verdict: [s for s in standings if s.verdict is verdict] for verdict in Verdict}
    searched = learned.searched
    return {
        "folder": str(learned.folder.path),
        "microarchitecture": learned.host.name,
        "cpu": learned.host.brand,
        "detected": learned.host.detected,
        "grade": about.grade.value,
        "seconds": round(learned.seconds, 1),
        "parts": [
            {
                "part": part.value,
                "what": WHAT[part],
                "holds": _holds(learned.folder, part),
                "grade": made.grade.value,
                "how": made.how,
                "when": made.when,
                "commit": made.commit,
            }
            for part, made in about.parts.items()
        ],
        "cells": {
            "all": len(standings),
            **{verdict.value: len(found) for verdict, found in by_verdict.items()},
            "ratio": round(geometric_mean(s.ratio for s in standings), 4) if standings else None,
        },
        "lost": [_cell(s, loops) for s in by_verdict[Verdict.LOST]],
        "won": [_cell(s, loops) for s in reversed(by_verdict[Verdict.WON])],
        "worse": list(learned.worse),
        "searched": [
            {"kernel": kernel, "kept": note["kept"], "gain": note["gain"]} for kernel, note in searched["tried"].items()
        ],
        "unproved": list(dict.fromkeys(why for note in searched["tried"].values() for why in note.get("unproved", ()))),
        "untried": searched["untried"],
        "notes": list(learned.notes),
    }


def _holds(folder: CpuFolder, part: Part) -> str:
    path = folder.file(part)
    if part is Part.RECIPES:
        return f"{len(folder.recipes())} files"
    return f"{path.stat().st_size / 1024:.0f} KiB" if path.exists() else "nothing"


def _cell(standing: Standing, loops: Mapping[str, Loop]) -> dict[str, Any]:
    ours, peer = standing.ours, standing.peer
    return {
        "row": ours.row,
        "keys": ours.keys,
        "size": ours.size,
        "jobs": ours.jobs,
        "cycles_per_byte": ours.cycles_per_byte,
        "kernel": ours.variant,
        "peer": peer.implementation,
        "peer_cycles_per_byte": peer.cycles_per_byte,
        "ratio": round(standing.ratio, 3),
        "why": reason(ours, loops.get(ours.variant)),
    }


def _summary(data: Mapping[str, Any]) -> str:
    cells = data["cells"]
    if not cells["all"]:
        return "no cell was timed beside a peer"
    return (
        f"of {cells['all']} cells {cells['won']} are won, {cells['level']} level within the spread of the samples, "
        f"{cells['lost']} lost; cycles over the best peer's in geometric mean {cells['ratio']:.2f} (below 1 is faster)"
    )


def _cells_text(cells: Sequence[Mapping[str, Any]]) -> str:
    rows: list[tuple] = [("ratio", "row", "bytes", "jobs", "keys", "c/B", "peer", "", "kernel", "why")]
    rows += [
        (
            f"{c['ratio']:.2f}",
            c["row"],
            c["size"],
            c["jobs"],
            c["keys"],
            f"{c['cycles_per_byte']:.3f}",
            f"{c['peer_cycles_per_byte']:.3f}",
            c["peer"],
            c["kernel"],
            c["why"],
        )
        for c in cells[:SHOWN]
    ]
    more = f"\n... and {len(cells) - SHOWN} more" if len(cells) > SHOWN else ""
    return columns(rows) + more


def learned_text(data: Mapping[str, Any]) -> str:
    lines = [
        f"{data['cpu']} ({data['microarchitecture']}), {data['folder']}, grade {data['grade']}",
        columns(
            [
                ("part", "", "grade", "when", "how"),
                *((p["part"], p["holds"], p["grade"], p["when"], p["how"]) for p in data["parts"]),
            ]
        ),
        *data["notes"],
        "",
        _summary(data),
    ]
    for name, title in (("lost", "where this CPU loses"), ("won", "where it wins")):
        if data[name]:
            lines += ["", f"{title}: cycles over the best peer's", _cells_text(data[name])]
    if data["worse"]:
        worse: list[tuple] = [("ratio", "row", "bytes", "jobs", "keys", "kernel", "by the library's own costs")]
        worse += [
            (f"{c['ratio']:.2f}", c["row"], c["size"], c["jobs"], c["keys"], c["kernel"], c["before"])
            for c in data["worse"][:SHOWN]
        ]
        lines += ["", WORSE, columns(worse)]
    if data["searched"]:
        rows: list[tuple] = [("weaves searched for", "gain", "")]
        rows += [
            (
                s["kernel"],
                f"{100 * (s['gain'] - 1):.1f} %" if s["gain"] else "-",
                "kept" if s["kept"] else "not lasting",
            )
            for s in data["searched"]
        ]
        lines += ["", columns(rows)]
    if data["unproved"]:
        lines += ["", "weaves that were left out, because they are not proved right:", *data["unproved"]]
    if data["untried"]:
        lines += [
            "",
            f"no time to search for {len(data['untried'])} pairs that bursts run here, {data['untried'][0]} first; "
            "the next run goes on with them",
        ]
    return "\n".join(lines) + "\n"


def learned_page(data: Mapping[str, Any]) -> str:
    """Returns a self-contained HTML page."""
    return render_page("learned.html.j2", data=data, summary=_summary(data), shown=SHOWN, worse=WORSE)
