"""A kernel's woven code for people: which stream each instruction belongs to, and the template line that wrote it."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Iterator

from ..emit.assembly import instruction_text, places_text
from ..instructions import INSTRUCTIONS
from ..ir import Ins, Mem
from ..kernel import Item, Kernel
from .tables import columns

COLOURS = ("cyan", "yellow", "green", "magenta")  # of streams 0 to 3; what the frame adds has none
Paint = Callable[..., str]
WIDTH = 66

ABOUT = {
    "entry": "save registers, fetch the state pointers",
    "enter": "once: load chaining values and constants",
    "ramp": "streams that run ahead do their first iterations",
    "loop": "one iteration of every stream",
    "drain": "streams that lag finish",
    "leave": "once: store chaining values",
    "wipe": "clear every register that held data",
    "exit": "restore registers, return",
}


def loads_and_stores(ins: Ins) -> tuple[int, int]:
    """How many memory operands are read and written."""
    row = INSTRUCTIONS.get(ins.op)
    if row is None or not row.accesses:
        return int(ins.op == "pop"), int(ins.op == "push")
    loads = stores = 0
    for slot, operand in zip(row.operands, ins.operands):
        if isinstance(operand, Mem):
            loads, stores = loads + slot.reads, stores + slot.writes
    return loads, stores


def legend(kernel: Kernel, paint: Paint) -> str:
    """One row per stream: its registers, and what its body costs the front end and the load and store ports."""
    rows: list[tuple] = [("#", "program", "ratio", "lead", "lag", "vectors", "generals", "state", "loop instructions", "loads", "stores")]
    counts: Counter = Counter()
    for item in kernel.items:
        if item.section == "loop" and item.ins is not None:
            loads, stores = loads_and_stores(item.ins)
            counts[item.stream, "n"] += 1
            counts[item.stream, "l"] += loads
            counts[item.stream, "s"] += stores
    for i, part in enumerate(kernel.recipe.parts):
        window, c = part.program.window, part.program.contract
        rows.append((i, part.program.name, part.ratio, part.lead, part.lag, window.vectors, window.generals, f"{c.state_bytes} bytes",
                     counts[i, "n"], counts[i, "l"], counts[i, "s"]))
    rows.append(("-", "frame", "", "", "", "", 1, "", counts[None, "n"], counts[None, "l"], counts[None, "s"]))
    lines = columns(rows).split("\n")
    painted = [lines[0], *(paint(line, fg=COLOURS[i]) for i, line in enumerate(lines[1:-1])), lines[-1]]
    recipe = kernel.recipe
    head = (f"{kernel.name}\n  {kernel.abi}, {recipe.strategy} weave, target {recipe.target}, needs {' '.join(sorted(recipe.features))}\n"
            f"  {len(kernel.instructions())} instructions, {len(kernel.pool_bytes)} bytes of constants\n")
    return head + "\n".join("  " + line for line in painted) + "\n"


def _heading(kernel: Kernel, section: str, paint: Paint) -> str:
    counts = Counter(i.stream for i in kernel.items if i.section == section and i.ins is not None)
    parts = ", ".join(f"{'frame' if s is None else f'stream {s}'}: {n}" for s, n in sorted(counts.items(), key=lambda c: (c[0] is None, c[0] or 0)))
    return paint(f"---- {section}: {ABOUT[section]} ({parts})", bold=True)


def _line(item: Item, paint: Paint) -> str:
    if item.ins is None:
        return f"   {item.label}:"
    text = instruction_text(item.ins, item.label)
    if item.stream is None:
        return f" -     {text}"
    return paint(f" {item.stream}     {text:<{WIDTH}}", fg=COLOURS[item.stream]) + f" {places_text(item.ins)}".rstrip()


def show_lines(kernel: Kernel, paint: Paint) -> Iterator[str]:
    """The whole report line by line. ``paint`` is click.style, or a function that gives its first argument back."""
    yield legend(kernel, paint)
    section = None
    for item in kernel.items:
        if item.section != section:
            section = item.section
            yield _heading(kernel, section, paint)
        yield _line(item, paint)
    for entry in kernel.pool:
        yield f"   {entry.label}: {len(entry.data)} bytes  {entry.data[:16].hex(' ', 4)}{' ...' if len(entry.data) > 16 else ''}"
