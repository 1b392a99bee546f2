"""Cost files (runtime/select/cost_file.hpp), for cst_options.costs, that hold a CPU's cost table: a context that begins
with one chooses as on the CPU whose table it is, or as on one that nobody has measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

TITLE = "cryptostitch costs 1"
LEAST_ITERATION, MOST = 10, 1_000_000_000  # centicycles: runtime/select/cost.hpp


def _fnv1a(data: bytes) -> int:
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def table_file(microarchitecture: str, rows: Mapping[str, Sequence[float]], message: float = 0) -> str:
    """The file's text. ``rows``: cycles per iteration and per call by kernel; without any, estimates decide.
    ``message``: cycles of a message that is done in steps, beside calls; 0 where they are not known."""
    lines = [TITLE, f"table {microarchitecture}"]
    if message:
        lines.append(f"message {min(max(round(100 * message), 1), MOST)}")
    for name, (iteration, call) in rows.items():
        limited = min(max(round(100 * iteration), LEAST_ITERATION), MOST), min(max(round(100 * call), 0), MOST)
        lines.append(f"kernel {name} {limited[0]} {limited[1]}")
    text = "".join(f"{line}\n" for line in lines)
    return f"{text}end {_fnv1a(text.encode()):016x}\n"


def holds_table(path: Path) -> bool:
    """Whether a cost file holds a CPU's table, and not one machine's figures."""
    with path.open("rb") as file:
        return any(line.startswith(b"table ") for line in (file.readline(), file.readline()))


def write_table(path: Path, microarchitecture: str, rows: Mapping[str, Sequence[float]], message: float = 0) -> Path:
    """Writes the file."""
    path.write_text(table_file(microarchitecture, rows, message), encoding="utf-8")
    return path
