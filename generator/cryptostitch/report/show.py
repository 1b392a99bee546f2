"""A kernel's woven code for people: which stream each instruction belongs to, and the template line that wrote it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from ..core.kernel import Item, Kernel
from ..emit.assembly import instruction_text, places_text
from .code import ABOUT, COSTS, loop_costs, stream_data
from .tables import columns

COLOURS = ("cyan", "yellow", "green", "magenta")  # of streams 0 to 3; what the frame adds has none
Paint = Callable[..., str]
WIDTH = 66


def legend(kernel: Kernel, paint: Paint) -> str:
    """Formats a row for each stream: its registers, and what its body costs the front end and the load and store
    ports."""
    rows: list[tuple] = [
        ("#", "program", "ratio", "lead", "lag", "vectors", "generals", "state", "loop instructions", "loads", "stores")
    ]
    for s in stream_data(kernel):
        rows.append(
            (
                s["stream"],
                s["program"],
                s["ratio"],
                s["lead"],
                s["lag"],
                s["vectors"],
                s["generals"],
                f"{s['state_bytes']} bytes",
                s["instructions"],
                s["loads"],
                s["stores"],
            )
        )
    rows.append(("-", "frame", "", "", "", "", 1, "", *(loop_costs(kernel)[None, what] for what in COSTS)))
    lines = columns(rows).split("\n")
    painted = [lines[0], *(paint(line, fg=COLOURS[i]) for i, line in enumerate(lines[1:-1])), lines[-1]]
    recipe = kernel.recipe
    head = (
        f"{kernel.name}\n  {kernel.abi}, {recipe.strategy} weave, target {recipe.target}, needs "
        f"{' '.join(sorted(recipe.features))}\n"
        f"  {len(kernel.instructions())} instructions, {len(kernel.pool_bytes)} bytes of constants\n"
    )
    return head + "\n".join("  " + line for line in painted) + "\n"


def _heading(kernel: Kernel, section: str, paint: Paint) -> str:
    counts = Counter(i.stream for i in kernel.items if i.section == section and i.ins is not None)
    parts = ", ".join(
        f"{'frame' if s is None else f'stream {s}'}: {n}"
        for s, n in sorted(counts.items(), key=lambda c: (c[0] is None, c[0] or 0))
    )
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
        yield (
            f"   {entry.label}: {len(entry.data)} bytes  "
            f"{entry.data[:16].hex(' ', 4)}{' ...' if len(entry.data) > 16 else ''}"
        )
