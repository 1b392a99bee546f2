"""Tables of text, and what exists as such a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def columns(rows: Sequence[Sequence[object]], indent: str = "") -> str:
    """Rows of text in columns as wide as they need, for any width of terminal and for pipes."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [
        max((len(row[i]) for row in texts if i < len(row)), default=0) for i in range(max(map(len, texts), default=0))
    ]
    return "\n".join(
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths))).rstrip() for row in texts
    )


def listing_text(found: dict[str, Any]) -> str:
    streams = columns(
        [("stream", "isa", "template"), *((s["name"], s["isa"], s["template"]) for s in found["streams"])], "  "
    )
    kernels = columns(
        [
            ("kernel", "object", "features"),
            *((k["name"], "static" if k["static"] else "", " ".join(k["features"])) for k in found["kernels"]),
        ],
        "  ",
    )
    suites = "the library is not built; `make` builds it, and then this shows its suites\n"
    if found["suites"] is not None:
        suites = f"{len(found['suites'])} suites\n{columns([[s] for s in found['suites']], '  ')}\n"
    return (
        f"{len(found['streams'])} streams\n{streams}\n\n{len(found['kernels'])} kernels of the default pack\n"
        f"{kernels}\n\n{suites}"
    )
