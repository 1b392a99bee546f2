"""Cost tables, of which the library is built (what a context reads are cost files, `binding/cost_file.py`): core cycles
of each kernel on one microarchitecture, measured by `cryptostitch calibrate`; the file ``costs.json`` of a CPU's
folder. A folder without one has a table that is derived (`derive.py`).

{"microarchitecture": "zen4", "cpu": "...", "basis": "how it was measured", "message": cycles of a message that is done
in steps, beside the calls, "kernels": {"sha1_x16@avx512": [cycles per iteration, cycles per call], ...}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ..binding.cost_file import TITLE
from ..core.errors import CryptostitchError, UnknownName
from ..core.program import CostTable
from .derive import Rows, derived, derived_call, published_in
from .folder import CpuFolder, Grade, Part, folder_of, shipped


def cost_tables(kernels: Iterable[str]) -> list[CostTable]:
    """The table of every shipped CPU, cut down to these kernels."""
    kernels = set(kernels)
    tables = []
    for name, folder in shipped().items():
        own = folder.file(Part.COSTS)
        if not own.exists() and not folder.file(Part.PUBLISHED).exists():
            continue
        rows, message = (
            (rows_of(own), message_of(own)) if own.exists() else (left_out_rows(name)[1], left_out_message(name))
        )
        costs = {kernel: (round(100 * a), round(100 * b)) for kernel, (a, b) in rows.items() if kernel in kernels}
        tables.append(CostTable(name, costs, derived=not own.exists(), message=round(100 * message)))
    return tables


def measured_rows() -> dict[str, Rows]:
    """The shipped tables that were measured on such a CPU."""
    found = {}
    for name, folder in shipped().items():
        about = folder.about()
        if about and Part.COSTS in about.parts and about.parts[Part.COSTS].grade is Grade.MEASURED:
            found[name] = rows_of(folder.file(Part.COSTS))
    return found


def measured_message(microarchitecture: str) -> float:
    """Cycles of a message that is done in steps, beside the calls, as a shipped table has them; 0 where it does not."""
    folder = shipped().get(microarchitecture)
    path = folder.file(Part.COSTS) if folder else None
    return message_of(path) if path and path.exists() else 0.0


def left_out_message(microarchitecture: str) -> float:
    """Returns what `measured_message` returns, derived from the figure of the relative."""
    of = published_in(folder_of(microarchitecture).file(Part.PUBLISHED))
    relative = published_in(folder_of(of.relative).file(Part.PUBLISHED))
    return derived_call(of, relative, measured_message(of.relative))


def left_out_rows(microarchitecture: str) -> tuple[str, Rows]:
    """The relative that a table is derived from, whether there are measurements or not, and the table. UnknownName or
    CryptostitchError where a shipped CPU has no published figures, or no relative that was measured."""
    folder = folder_of(microarchitecture)
    of, measured = published_in(folder.file(Part.PUBLISHED)), measured_rows()
    if of.relative not in measured:
        raise UnknownName("measured CPU", of.relative, measured)
    relative = published_in(folder_of(of.relative).file(Part.PUBLISHED))
    return of.relative, derived(of, relative, measured[of.relative])


def rows_of(path: Path) -> dict[str, list[float]]:
    """Cycles per iteration and per call by kernel, of a file. CryptostitchError when it is not a cost table."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["kernels"]
        return {name: [float(iteration), float(call)] for name, (iteration, call) in rows.items()}
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        if is_cost_file(path):
            raise CryptostitchError(
                f"{path} is a cost file, which a context reads, and not a cost table, of which the library is built: "
                "`cryptostitch calibrate -o FILE` writes one"
            ) from error
        raise CryptostitchError(
            f"{path} is not a cost table ({type(error).__name__}: {error}); `cryptostitch calibrate -o {path}` "
            "writes one"
        ) from error


def is_cost_table(path: Path) -> bool:
    """Whether a file is one, by its beginning."""
    with path.open("rb") as file:
        return file.read(64).lstrip()[:1] == b"{"


def is_cost_file(path: Path) -> bool:
    """Whether a file is what a context reads, by its beginning."""
    with path.open("rb") as file:
        return file.read(len(TITLE)) == TITLE.encode()


def cost_table_of(path: Path) -> CostTable:
    """Reads a cost table from a file, in the form for a pack. CryptostitchError when it is not a cost table."""
    rows = rows_of(path)
    costs = {name: (round(100 * iteration), round(100 * call)) for name, (iteration, call) in rows.items()}
    return CostTable(
        json.loads(path.read_text(encoding="utf-8"))["microarchitecture"], costs, message=round(100 * message_of(path))
    )


def message_of(path: Path) -> float:
    """Cycles of a message that is done in steps, of a cost table's file; 0 where nobody measured them."""
    return float(json.loads(path.read_text(encoding="utf-8")).get("message", 0))


def costs_of(path: Path) -> dict[str, float]:
    """Cycles per iteration alone."""
    return {name: row[0] for name, row in rows_of(path).items()}


def shipped_costs(microarchitecture: str) -> dict[str, float]:
    """Returns cycles per iteration by kernel, of a shipped table; empty for a CPU without one."""
    folder = shipped().get(microarchitecture)
    return costs_in(folder) if folder else {}


def costs_in(folder: CpuFolder) -> dict[str, float]:
    """Returns cycles per iteration by kernel, of a folder's cost table; empty where it has none."""
    path = folder.file(Part.COSTS)
    return costs_of(path) if path.exists() else {}


def table_text(table: dict) -> str:
    """JSON with one row per line, so that two tables can be compared."""
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(cost)}" for name, cost in table["kernels"].items())
    head = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in table.items() if k != "kernels")
    return "{\n" + head + ',\n "kernels": {\n' + rows + "\n }\n}\n"
