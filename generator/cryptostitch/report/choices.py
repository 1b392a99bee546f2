"""What the runtime found in this machine, and what it would run, as data and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..binding import runtime


def machine(context: runtime.Context) -> dict[str, Any]:
    """The CPU as the library sees it. ``os_saves`` is what XCR0 lets it use, read off the features that it leaves."""
    cpu = context.cpu()
    saved = ["xmm"] + ["ymm"] * ("avx" in cpu["features"]) + ["zmm", "masks"] * ("avx512f" in cpu["features"])
    return dict(cpu, brand=cpu["brand"].strip(), os_saves=saved, library=runtime.library_path())


def choices(
    context: runtime.Context, suites: Sequence[str], jobs: Sequence[int], size: int, one_key: bool
) -> list[dict[str, Any]]:
    """One row per suite, direction (only ciphers have two) and number of jobs."""
    rows: list[dict[str, Any]] = []
    for name in suites:
        try:
            suite = context.suite(name)
        except runtime.RuntimeFailure as failure:
            if failure.code != runtime.ERR_UNSUPPORTED:
                raise
            rows.append({"suite": name, "kernel": "", "why": "this CPU has no kernel for it"})
            continue
        for direction in (runtime.SEAL, runtime.OPEN) if suite.kind >= runtime.CIPHER else (runtime.SEAL,):
            for n in jobs:
                c = suite.choice(n, size, one_key, direction)
                rows.append(
                    {
                        "suite": name,
                        "direction": "open" if direction == runtime.OPEN else "seal",
                        "jobs": n,
                        "bytes": size,
                        "one_key": one_key,
                        "kernel": c.kernel,
                        "origin": c.origin,
                        "lanes": c.lanes,
                        "cycles_per_byte": round(c.cycles_per_byte, 3),
                        "why": c.why,
                    }
                )
    return rows


def choices_text(found: dict[str, Any]) -> str:
    cpu = found["cpu"]
    lines = [
        f"{cpu['brand']} (family {cpu['family']:#x}, model {cpu['model']:#x}, stepping {cpu['stepping']}), costs: "
        f"{cpu['microarchitecture']}",
        f"features: {' '.join(cpu['features'])}",
        f"the system saves (XCR0): {' '.join(cpu['os_saves'])}",
        "kernels: "
        + ("assembled at run time" if cpu["jit"] else "static ones only, executable memory is off or refused"),
        f"library: {cpu['library']}",
    ]
    suite, last = None, None
    for row in found["choices"]:
        if row["suite"] != suite:
            suite, last = row["suite"], None
            lines += ["", suite]
        if "jobs" not in row:
            lines.append(f"  {row['why']}")
            continue
        speed = f", {row['cycles_per_byte']:.3f} cycles per byte" if row["cycles_per_byte"] else ""
        head = f"  {row['direction']} {row['jobs']:>4} x {row['bytes']} bytes: "
        choice = (row["direction"], row["kernel"], row["why"])
        if choice == last:
            lines.append(head + "the same")
            continue
        lines += [
            head + f"{row['kernel']} ({row['origin']}, {row['lanes']} lane{'s' if row['lanes'] != 1 else ''}{speed})",
            f"      {row['why']}",
        ]
        last = choice
    return "\n".join(lines)
