"""Why a pairing gains what it does, in one line: what each part alone waits for, and what the bounds allow."""

from __future__ import annotations

from typing import Any

from ..core.errors import CryptostitchError
from ..model.bound import BEATEN, CHAIN, bound
from ..model.nearest import nearest_table
from ..model.table import Table, table_of, tables
from ..pipeline import Generator
from ..tuning.trial import Trial, alone, streams_of_parts

MEANING = {"fetch": "the front end", "dispatch": "the front end", "load": "load ports", "store": "store ports"}


def why(generator: Generator, found: Trial, table: Table | None = None) -> dict[str, Any] | None:
    """Explains the gain by the instruction table of this CPU, or of the nearest one: what binds each part alone, and
    how much of the time its busiest units are idle; ``bound``: how many times as fast as best apart, as measured, the
    woven kernel can be at most; None where the woven kernel was faster than its bound, so that the table is wrong. None
    altogether where a table lacks one of the instructions."""
    try:
        table = table or _table()
        whole = bound(found.kernel, table)
        parts = [bound(generator.kernel(single), table) for single in alone(generator, found.recipe)]
    except CryptostitchError:
        return None
    beaten = not found.doubt and found.woven.per_iteration * (1 + found.woven.noise) < BEATEN * whole.cycles
    named = zip(streams_of_parts(found.recipe), parts)
    return {
        "table": table.microarchitecture,
        "parts": [
            {
                "stream": str(name),
                "binds": part.binds,
                "idle": round(1 - max(c for limit, c in part.limits.items() if limit != CHAIN) / part.cycles, 3),
            }
            for (name, _), part in named
        ],
        "bound": None if beaten else round(found.best_apart / whole.cycles, 3),
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
    if found["bound"] is None:
        return (
            f"why: {', '.join(said)}; woven, nothing is known: it takes less than the instruction table of "
            f"{found['table']} allows, so that table is wrong for it: `cryptostitch probe --runs 5 -o FILE`"
        )
    return (
        f"why: {', '.join(said)}; woven, {_units(found['binds'])} binds: at most {found['bound']:.2f} over best apart "
        f"(by the table of {found['table']})"
    )


def _units(name: str) -> str:
    return "the chain" if name == CHAIN else MEANING.get(name, f"{name} units")
