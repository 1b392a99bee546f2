"""From how many bytes on which kernel does a suite's jobs, as the library's choice has it: a row where it changes.

The library chooses for ranges of lengths (runtime/select/choices.hpp): of multiples of 16 below 1 KiB, of eighths of an
octave above. The lengths asked about here are the first of each range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..binding import runtime
from .tables import columns

GRAIN, FINE, MOST_LOG2 = 16, 1024, 16


def lengths() -> Iterator[int]:
    """Whole blocks of a cipher, a length in each range, up to 64 KiB."""
    yield from range(GRAIN, FINE, GRAIN)
    for octave in range(FINE.bit_length() - 1, MOST_LOG2):
        yield from ((8 + eighth) << (octave - 3) for eighth in range(8))
    yield 1 << MOST_LOG2


def borders(
    context: runtime.Context, suites: Sequence[str], jobs: Sequence[int], one_key: bool
) -> list[dict[str, Any]]:
    """Returns a row for each length from which another kernel runs: suite, direction, jobs, ``from`` (bytes), kernel,
    lanes, and core cycles per byte there. Suites that this CPU cannot run are left out."""
    rows: list[dict[str, Any]] = []
    for name in suites:
        try:
            suite = context.suite(name)
        except runtime.RuntimeFailure as failure:
            if failure.code != runtime.ERR_UNSUPPORTED:
                raise
            continue
        taken = [n for n in lengths() if suite.min_bytes <= n <= suite.max_bytes]
        for direction in (runtime.SEAL, runtime.OPEN) if suite.kind >= runtime.CIPHER else (runtime.SEAL,):
            for n in jobs:
                last = None
                for size in taken:
                    choice = suite.choice(n, size, one_key, direction)
                    if choice.kernel == last:
                        continue
                    last = choice.kernel
                    rows.append(
                        {
                            "suite": name,
                            "direction": "open" if direction == runtime.OPEN else "seal",
                            "jobs": n,
                            "from": size,
                            "kernel": choice.kernel,
                            "lanes": choice.lanes,
                            "cycles_per_byte": round(choice.cycles_per_byte, 3),
                        }
                    )
    return rows


def borders_text(rows: Sequence[dict[str, Any]]) -> str:
    """Formats the rows of one suite as a small table."""
    table: list[tuple] = [("", "jobs", "from bytes", "kernel", "cycles per byte")]
    last = None
    for row in rows:
        place = (row["direction"], row["jobs"])
        head = ("", "") if place == last else (row["direction"], row["jobs"])
        table.append((*head, row["from"], row["kernel"], row["cycles_per_byte"] or "estimated"))
        last = place
    return columns(table)
