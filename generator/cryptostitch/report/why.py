"""Why a pairing gains what it does, in one line: what each part alone waits for, and what the bounds allow."""

from __future__ import annotations

from typing import Any

from ..core.errors import CryptostitchError
from ..model.bound import CHAIN, bound
from ..model.nearest import nearest_table
from ..model.table import Table, table_of, tables
from ..pipeline import Generator
from ..tuning.trial import Trial, alone, streams_of_parts

MEANING = {"fetch": "the front end", "dispatch": "the front end", "load": "load ports", "store": "store ports"}


def why(generator: Generator, found: Trial, table: Table | None = None) -> dict[str, Any] | None:
    """Explains the gain by the instruction table of this CPU, or of the nearest one: what binds each part alone, and
    how much of the time its busiest units are idle; ``bound``: how many times as fast as one after the other the woven
    kernel can be at most. None where a table lacks one of the instructions."""
    try:
        table = table or _table()
        whole = bound(found.kernel, table)
        parts = [
            (streams[0].ratio, bound(generator.kernel(single), table))
            for single, (_, streams) in zip(alone(generator, found.recipe), streams_of_parts(found.recipe))
        ]
    except CryptostitchError:
        return None
    named = zip(streams_of_parts(found.recipe), parts)
    return {
        "table": table.microarchitecture,
        "parts": [
            {
                "stream": str(name),
                "binds": part.binds,
                "idle": round(1 - max(c for limit, c in part.limits.items() if limit != CHAIN) / part.cycles, 3),
            }
            for (name, _), (_, part) in named
        ],
        "bound": round(sum(ratio * part.cycles for ratio, part in parts) / whole.cycles, 3),
        "binds": whole.binds,
    }


def _table() -> Table:
    from ..binding.runtime import Context

    cpu = Context().cpu()
    here = cpu["microarchitecture"]
    return table_of(here) if here in tables() else nearest_table(cpu)[0]


def why_text(found: dict[str, Any] | None) -> str:
    """Formats the explanation as one line."""
    if found is None:
        return "why is not known: the instruction table of this CPU lacks one of the instructions"
    said = [
        f"{part['stream'].partition('_x')[0]} waits for its chain and leaves the units idle {100 * part['idle']:.0f} % "
        "of the time"
        if part["binds"] == CHAIN
        else f"{part['stream'].partition('_x')[0]} for {_units(part['binds'])}"
        if n
        else f"{part['stream'].partition('_x')[0]} waits for {_units(part['binds'])}"
        for n, part in enumerate(found["parts"])
    ]
    return (
        f"why: {', '.join(said)}; woven, {_units(found['binds'])} binds: bound {found['bound']:.2f} (by the table of "
        f"{found['table']})"
    )


def _units(name: str) -> str:
    return "the chain" if name == CHAIN else MEANING.get(name, f"{name} units")
