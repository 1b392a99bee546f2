"""Instruction tables: what each form costs on one microarchitecture; ``instruction_costs.json`` of a CPU's folder,
written by `cryptostitch probe`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..core.errors import CryptostitchError, nearest
from ..cpus.folder import Grade, Part
from ..cpus.folder import shipped as shipped_folders
from .core import Core, core_of
from .forms import Form

Curve = tuple[tuple[int, float], ...]


class NoRow(CryptostitchError):
    """A table lacks a form."""

    def __init__(self, form: str, table: Table):
        self.form = form
        near = nearest(form, table.rows, 2)
        super().__init__(
            f"the instruction table of {table.microarchitecture} has no row '{form}'"
            + (f" (nearest: {', '.join(near)})" if near else "")
            + f"; measure such a CPU again with `cryptostitch probe -o {table.microarchitecture}.json`, then give "
            f"--cpu {table.microarchitecture}.json"
        )


@dataclass(frozen=True)
class Row:
    """One form, in core cycles.

    ``latency``: from each register operand to the register that is written; None where an operand is not a register
    that is read. ``throughput``: per copy, when many independent ones run. ``uses``: cycles of each resource that a
    copy takes.
    """

    form: str
    latency: tuple[float | None, ...]
    throughput: float
    uses: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """``resources`` says which instructions keep each busy. ``load``: cycles from an address to what lies there, in the
    first-level cache. ``forward``: from data that is stored to the same data loaded back, by the kind of register.
    ``fetch``: instructions in a loop and the cycles that each took, which rise where a loop outgrows the
    cache of decoded instructions; ``fetch_bytes``: bytes of code and cycles of each byte, where a loop outgrows the
    cache of code. ``core``: what was not measured here."""

    microarchitecture: str
    cpu: str
    basis: str
    resources: dict[str, str]
    load: float
    forward: dict[str, float]
    fetch: Curve
    fetch_bytes: Curve
    rows: dict[str, Row]
    core: Core = Core()

    def row(self, form: Form) -> Row:
        """NoRow when the table lacks the form."""
        if str(form) not in self.rows:
            raise NoRow(str(form), self)
        return self.rows[str(form)]

    def fetching(self, instructions: int, code_bytes: int) -> float:
        """Cycles that the front end needs for such a loop, as the probe's loops did. Where the loop outgrows a cache
        this is no bound: how much of another loop stays in the cache depends on its instructions and on where it
        lies."""
        return max(_along(self.fetch, instructions), _along(self.fetch_bytes, code_bytes))

    def least_fetching(self, instructions: int, code_bytes: int) -> float:
        """Cycles that the front end needs at least: those of a loop of which the caches hold all."""
        return max(_least(self.fetch, instructions), _least(self.fetch_bytes, code_bytes))

    def text(self) -> str:
        """JSON with one row per line, sorted, without dates: two tables can be compared."""
        head = {
            "microarchitecture": self.microarchitecture,
            "cpu": self.cpu,
            "basis": self.basis,
            "unit": "core cycles",
            "resources": self.resources,
            "load": _number(self.load),
            "forward": {k: _number(v) for k, v in self.forward.items()},
            "fetch": [[size, _number(each)] for size, each in self.fetch],
            "fetch_bytes": [[size, _number(each)] for size, each in self.fetch_bytes],
        }
        head |= {"core": self.core.data()} if self.core != Core() else {}
        rows = [f"  {json.dumps(name)}: {json.dumps(_row_data(row))}" for name, row in sorted(self.rows.items())]
        return (
            "{\n"
            + "".join(f" {json.dumps(k)}: {json.dumps(v)},\n" for k, v in head.items())
            + ' "instructions": {\n'
            + ",\n".join(rows)
            + "\n }\n}\n"
        )


def _along(curve: Curve, size: int) -> float:
    return size * max((each for start, each in curve if start <= size), default=0.0)


def _least(curve: Curve, size: int) -> float:
    return size * min((each for start, each in curve if start <= size), default=0.0)


def _number(value: float | None) -> float | int | None:
    return value if value is None else int(value) if value == int(value) else round(value, 4)


def _row_data(row: Row) -> dict:
    return {
        "latency": [_number(cycles) for cycles in row.latency],
        "throughput": _number(row.throughput),
        "uses": {name: _number(use) for name, use in row.uses.items()},
    }


def median_table(tables: Sequence[Table]) -> Table:
    """Returns a table with the (lower) median of each figure of several measurements of one CPU."""
    first = tables[0]
    rows = {}
    for name, row in first.rows.items():
        others = [t.rows[name] for t in tables]
        latency = tuple(
            None if cycles is None else statistics.median_low([c for o in others if (c := o.latency[i]) is not None])
            for i, cycles in enumerate(row.latency)
        )
        uses = {r: statistics.median_low([o.uses.get(r, 0.0) for o in others]) for r in first.resources}
        rows[name] = Row(
            name,
            latency,
            statistics.median_low([o.throughput for o in others]),
            {r: use for r, use in uses.items() if use},
        )
    return replace(
        first,
        rows=rows,
        load=statistics.median_low([t.load for t in tables]),
        forward={kind: statistics.median_low([t.forward[kind] for t in tables]) for kind in first.forward},
        fetch=_median_curve([t.fetch for t in tables]),
        fetch_bytes=_median_curve([t.fetch_bytes for t in tables]),
    )


def _median_curve(curves: Sequence[Curve]) -> Curve:
    return tuple(
        (size, statistics.median_low([curve[i][1] for curve in curves])) for i, (size, _) in enumerate(curves[0])
    )


def read_table(path: Path) -> Table:
    """CryptostitchError when the file is not an instruction table."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = {
            name: Row(name, tuple(row["latency"]), row["throughput"], row["uses"])
            for name, row in data["instructions"].items()
        }
        return Table(
            **{k: data[k] for k in ("microarchitecture", "cpu", "basis", "resources", "load", "forward")},
            fetch=tuple((size, each) for size, each in data["fetch"]),
            fetch_bytes=tuple((size, each) for size, each in data["fetch_bytes"]),
            rows=rows,
            core=core_of(data.get("core", {})),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CryptostitchError(
            f"{path} is not an instruction table ({type(error).__name__}: {error}); `cryptostitch probe -o {path}` "
            "writes one"
        ) from error


def tables() -> dict[str, Path]:
    """The shipped tables by microarchitecture."""
    return {
        name: path
        for name, folder in shipped_folders().items()
        if (path := folder.file(Part.INSTRUCTION_COSTS)).exists()
    }


def grade_of(table: Table) -> str:
    """How the figures of a shipped CPU's table came about, as its folder says; "measured" of any other."""
    folder = shipped_folders().get(table.microarchitecture)
    about = folder.about() if folder else None
    made = about.parts.get(Part.INSTRUCTION_COSTS) if about else None
    return (made.grade if made else Grade.MEASURED).value


def table_of(name: str) -> Table:
    """A shipped table, or that of a file. CryptostitchError when there is none."""
    shipped = tables()
    if name in shipped:
        return read_table(shipped[name])
    if name.endswith(".json"):
        if not Path(name).exists():
            raise CryptostitchError(
                f"there is no file {name}; `cryptostitch probe -o {name}` writes the table of this CPU"
            )
        return read_table(Path(name))
    raise CryptostitchError(
        f"no instruction table for '{name}'; there are {', '.join(shipped)}; on such a CPU write one with "
        f"`cryptostitch probe -o {name}.json`, then give --cpu {name}.json"
    )
