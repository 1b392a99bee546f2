"""A kernel's woven code as data: which stream each line belongs to, the template lines that wrote it, and those
templates' text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from ..core.instructions import INSTRUCTIONS
from ..core.ir import Ins, Mem
from ..core.kernel import Kernel
from ..emit.assembly import instruction_text

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


COSTS = ("instructions", "loads", "stores")


def loop_costs(kernel: Kernel) -> Counter[tuple[int | None, str]]:
    """COSTS of an iteration by stream (None: the frame)."""
    counts: Counter = Counter()
    for item in kernel.items:
        if item.section == "loop" and item.ins is not None:
            counts.update({(item.stream, what): n for what, n in zip(COSTS, (1, *loads_and_stores(item.ins)))})
    return counts


def code_data(kernel: Kernel) -> list[dict]:
    """Returns an entry for each line: its section, its stream (None: the frame's), the instruction or label, and its
    places, the algorithm's line first."""
    return [
        {
            "section": item.section,
            "stream": item.stream,
            "text": f"{item.label}:" if item.ins is None else instruction_text(item.ins, item.label),
            "label": item.ins is None,
            "places": [str(place) for place in item.ins.places] if item.ins else [],
        }
        for item in kernel.items
    ]


def stream_data(kernel: Kernel) -> list[dict]:
    """Returns an entry for each stream: its program, its registers, its place in the weave, and what its body costs the
    front end and the memory ports."""
    counts = loop_costs(kernel)
    found = []
    for i, part in enumerate(kernel.recipe.parts):
        window, contract = part.program.window, part.program.contract
        found.append(
            {
                "stream": i,
                "program": part.program.name,
                "lanes": contract.lanes,
                "ratio": part.ratio,
                "lead": part.lead,
                "lag": part.lag,
                "vectors": window.vectors,
                "generals": window.generals,
                "state_bytes": contract.state_bytes,
            }
            | {what: counts[i, what] for what in COSTS}
        )
    return found


def kernel_data(kernel: Kernel) -> dict:
    """Returns the data that `cryptostitch show --format json` prints."""
    recipe = kernel.recipe
    return {
        "kernel": kernel.name,
        "abi": kernel.abi,
        "target": recipe.target,
        "strategy": recipe.strategy,
        "features": sorted(recipe.features),
        "streams": stream_data(kernel),
        "sections": {name: about for name, about in ABOUT.items() if any(i.section == name for i in kernel.items)},
        "code": code_data(kernel),
        "constants": [{"label": entry.label, "bytes": entry.data.hex()} for entry in kernel.pool],
    }


def template_data(kernel: Kernel, roots: Sequence[Path]) -> list[dict]:
    """The templates that wrote the kernel, in order of appearance: their lines, and how many instructions of each
    stream came from each line."""
    written: dict[str, dict[int, Counter]] = defaultdict(lambda: defaultdict(Counter))
    for item in kernel.items:
        for place in item.ins.places if item.ins else ():
            written[place.file][place.line][item.stream] += 1
    found = []
    for file, lines in written.items():
        path = next((root / file for root in roots if (root / file).exists()), None)
        text = path.read_text(encoding="utf-8").split("\n") if path else []
        found.append(
            {
                "file": file,
                "lines": [
                    {"line": n, "text": line, "instructions": dict(sorted(lines[n].items())) if n in lines else {}}
                    for n, line in enumerate(text, 1)
                ],
            }
        )
    return found
