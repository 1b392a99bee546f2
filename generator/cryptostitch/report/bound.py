"""A kernel's bound as text and as JSON: what asks for how many cycles, what binds, and how near the measured kernel
is."""

from __future__ import annotations

from ..analysis.study import Measured
from ..model.bound import BEATEN, CHAIN, FETCH, Bound
from ..model.table import grade_of
from ..tuning.measure import AGAIN
from .tables import columns

FEW_ROWS = 3  # are named


def bound_data(bound: Bound, measurement: Measured, stand_in: str = "") -> dict:
    """Cycles are of the core, per iteration (all lanes) unless a name says per byte. ``stand_in``: what is to be said
    of a table that is not this CPU's."""
    cost, independent, why_not = measurement.cost, measurement.independent, measurement.why_not
    loads, stores = bound.memory_accesses
    streams = range(len(bound.kernel.recipe.parts))
    by_stream = {CHAIN: {s: c.cycles for s, c in bound.chains.items()}} | bound.pressure
    measured = (
        None
        if cost is None
        else {
            "cycles_per_iteration": round(cost.per_iteration, 1),
            "cycles_per_byte": round(cost.per_iteration / bound.bytes, 4),
            "of_bound": None if measurement.doubt else round(cost.per_iteration / bound.cycles, 3),
            "spread": round(cost.spread, 4),
            "disturbed": measurement.doubt or None,
            "table_is_wrong": (bound.rows[:FEW_ROWS] or [bound.binds])
            if not measurement.doubt and cost.per_iteration * (1 + cost.noise) < BEATEN * bound.cycles
            else None,
            "without_dependences": None if independent is None else round(independent, 1),
        }
    )
    return {
        "kernel": bound.kernel.name,
        "microarchitecture": bound.table.microarchitecture,
        "table": bound.table.basis,
        "grade": grade_of(bound.table),
        "stand_in": stand_in or None,
        "streams": [part.program.name for part in bound.kernel.recipe.parts],
        "bytes_per_iteration": bound.bytes,
        "loop": {
            "instructions": len(bound.steps) + 1,
            "code_bytes": bound.code_bytes,
            "loads": loads,
            "stores": stores,
        },
        "limits": [
            {
                "name": name,
                "kept_busy_by": bound.table.resources.get(name),
                "cycles_per_iteration": round(cycles, 1),
                "cycles_per_byte": round(cycles / bound.bytes, 4),
                "streams": [round(by_stream[name].get(s, 0.0), 1) for s in streams] if name in by_stream else None,
            }
            for name, cycles in bound.limits.items()
        ],
        "chain": [
            {"stream": s, "cycles_per_iteration": round(c.cycles, 1), "instructions": dict(sorted(c.counts.items()))}
            for s, c in bound.chains.items()
            if s is not None
        ],
        "outgrown": bound.outgrown and round(bound.outgrown, 1),
        "bound": {
            "binds": bound.binds,
            "cycles_per_iteration": round(bound.cycles, 1),
            "cycles_per_byte": round(bound.cycles_per_byte, 4),
        },
        "measured": measured,
        "not_measured": None if measured else why_not,
    }


MEANING = {
    CHAIN: "the slowest cycle of dependences from iteration to iteration",
    FETCH: "instructions and code through the front end",
}


def bound_text(data: dict) -> str:
    loop, size, streams = data["loop"], data["bytes_per_iteration"], data["streams"]
    several = len(streams) > 1
    head = [
        (
            "",
            "cycles/iteration",
            "cycles/byte",
            *(f"stream {i}" for i in range(len(streams)) if several),
            "of bound",
            "",
        )
    ]
    top = data["bound"]["cycles_per_iteration"]
    for limit in data["limits"]:
        parts = (limit["streams"] or ["" for _ in streams]) if several else ()
        about = MEANING.get(limit["name"]) or f"busy with independent {limit['kept_busy_by']}"
        head.append(
            (
                limit["name"],
                f"{limit['cycles_per_iteration']:.1f}",
                f"{limit['cycles_per_byte']:.4f}",
                *parts,
                f"{100 * limit['cycles_per_iteration'] / top:.0f} %",
                about,
            )
        )
    lines = [
        f"{data['kernel']} on {data['microarchitecture']}, by an instruction table that is {data['grade']}",
        *([data["stand_in"]] if data["stand_in"] else []),
        *(f"  stream {i}: {name}" for i, name in enumerate(streams) if several),
        f"loop: {loop['instructions']} instructions, {loop['code_bytes']} bytes of code, {loop['loads']} loads, "
        f"{loop['stores']} stores; {size} bytes of data per iteration",
        "",
        columns(head),
        "",
    ]
    for chain in data["chain"]:
        names = ", ".join(f"{count} {op}" for op, count in sorted(chain["instructions"].items(), key=lambda c: -c[1]))
        lines.append(
            f"chain of stream {chain['stream']}: {chain['cycles_per_iteration']:.1f} cycles"
            + (f" through {names}" if names else "")
        )
    bound, measured = data["bound"], data["measured"]
    lines.append(
        f"bound: {bound['cycles_per_iteration']:.1f} cycles per iteration, {bound['cycles_per_byte']:.4f} per byte; "
        f"what binds: {bound['binds']}"
    )
    if data["outgrown"]:
        lines.append(
            "the loop outgrows a cache of code: the probe's loops of this size took the front end "
            f"{data['outgrown']:.1f} cycles, which is no bound for another loop"
        )
    if measured is None:
        lines.append(f"not measured: {data['not_measured']}")
    else:
        said = (
            f"{AGAIN} ({measured['disturbed']})"
            if measured["disturbed"]
            else f"measured / bound = {measured['of_bound']:.2f} (spread {100 * measured['spread']:.1f} %)"
        )
        lines.append(
            f"measured: {measured['cycles_per_iteration']:.1f} cycles per iteration, {measured['cycles_per_byte']:.4f} "
            f"per byte; {said}"
        )
        if measured["table_is_wrong"]:
            lines.append(
                "no kernel can take less than its bound: the instruction table of "
                f"{data['microarchitecture']} is wrong in what '{bound['binds']}' rests on, first of all the rows "
                f"{', '.join(repr(row) for row in measured['table_is_wrong'])}: `cryptostitch probe --runs 5 -o FILE`"
            )
        if measured["without_dependences"]:
            lines.append(f"its instructions without their dependences: {measured['without_dependences']:.1f} cycles")
    return "\n".join(lines)
