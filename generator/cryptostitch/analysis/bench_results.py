"""What cst-bench measured: the reader of its JSON files (bench/summary uses it too), and the cells in them that a
kernel is to be compared with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.catalog import Algorithm
from ..core.errors import CryptostitchError
from ..cpus.folder import shipped as folders

OURS = "cryptostitch"


@dataclass(frozen=True)
class Cell:
    """One implementation on one row, in core cycles per byte. ``size`` is bytes of a job, or a mix's name; ``bytes``
    its mean."""

    row: str
    implementation: str
    variant: str
    keys: str
    size: str
    bytes: int
    jobs: int
    cycles_per_byte: float
    spread: float

    @property
    def place(self) -> tuple[str, str, str, int]:
        """Returns what identifies the task of a cell, without who did it."""
        return self.row, self.keys, self.size, self.jobs


@dataclass(frozen=True)
class Results:
    """``machine``: what the file says of the machine, the versions of peers among it."""

    path: Path
    machine: dict[str, Any]
    cells: tuple[Cell, ...]

    @property
    def rows(self) -> list[str]:
        return list(dict.fromkeys(c.row for c in self.cells))

    @property
    def cpu(self) -> str:
        tier = f", held to {self.machine['tier']}" if "tier" in self.machine else ""
        return f"{self.machine.get('cpu', '?')} ({self.machine.get('microarchitecture', '?')}{tier})"


def read_data(path: Path) -> dict[str, Any]:
    """The whole file. CryptostitchError when it is not one of cst-bench's."""
    if not path.exists():
        raise CryptostitchError(f"there is no file {path}; `make bench BENCH='--json {path}'` writes one")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        dict(data["machine"])
        cells_in(data)
        return data
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CryptostitchError(
            f"{path} is not a result of cst-bench ({type(error).__name__}: {error}); `make bench BENCH='--json "
            f"{path}'` writes one"
        ) from error


def cells_in(data: Mapping[str, Any]) -> tuple[Cell, ...]:
    """Returns the cells of a file of cst-bench. Fields that are not known are left alone."""
    return tuple(
        Cell(
            r["row"],
            r["impl"],
            r["variant"],
            r["keys"],
            str(r["size"]),
            int(r["bytes"]),
            int(r["jobs"]),
            float(r["cycles_per_byte"]),
            float(r.get("spread", 0)),
        )
        for r in data["rows"]
    )


def read_results(path: Path) -> Results:
    """CryptostitchError when the file is not one of cst-bench's."""
    data = read_data(path)
    return Results(path, data["machine"], cells_in(data))


def shipped(microarchitecture: str | None) -> Path | None:
    """The project's own results on such a CPU, where there are some."""
    folder = folders().get(microarchitecture or "")
    path = folder.bench() if folder else None
    return path if path and path.exists() else None


def rows_of(algorithms: Sequence[Algorithm]) -> list[str]:
    """The rows of cst-bench whose work the algorithms of a kernel do, the likeliest first."""
    first, *rest = algorithms
    suffix = "/open" if first.kind.endswith("_dec") else ""
    if not rest:
        return [first.suite.replace("-cbc-mac", "-cmac") + suffix]
    second = rest[0]
    whole = {
        ("counter", "ghash"): first.suite.replace("-ctr", "-gcm"),
        ("counter", "cbc_mac"): first.suite.replace("-ctr", "-ccm"),
        ("chacha", "poly1305"): "chacha20-poly1305",
    }.get((first.kind, second.kind))
    return [whole] if whole else [f"{first.suite}+hmac-{second.suite}-etm{suffix}"]


def beside(results: Results, kernel: str, rows: Iterable[str], lanes: int, one_key: bool) -> list[Cell]:
    """Returns every implementation's best result on the cell by which the kernel is compared, the fewest cycles first:
    the longest jobs that were run with this kernel; else the longest of its row, as few at a time as fill its lanes."""
    mine = [c for c in results.cells if c.implementation == OURS and c.size.isdigit()]
    ran = [c for c in mine if c.variant == kernel]
    keys = "one" if one_key and any(c.keys == "one" for c in mine) else "own"
    there = ran or [c for row in rows for c in mine if c.row == row and c.keys == keys]
    if not there:
        return []
    longest = max(c.bytes for c in there)
    chosen = min((c for c in there if c.bytes == longest), key=lambda c: (c.jobs < lanes, abs(c.jobs - lanes)))
    best: dict[str, Cell] = {}
    for cell in results.cells:
        if cell.place == chosen.place and (
            cell.implementation not in best or cell.cycles_per_byte < best[cell.implementation].cycles_per_byte
        ):
            best[cell.implementation] = cell
    return sorted(best.values(), key=lambda c: c.cycles_per_byte)
