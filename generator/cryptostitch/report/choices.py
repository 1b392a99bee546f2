"""What the runtime found in this machine, and what it would run, as data and as text: an overview of one screen, and
suite by suite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..binding import runtime
from ..core.isa import ISAS
from ..cpus.folder import Grade, Part, shipped
from .borders import borders_text
from .tables import columns

CALIBRATED = "calibrated"
LEVELS = {"sse": "sse4.1", "avx2": "avx2", "avx512": "avx512bw"}  # the feature that stands for each
SAME_KERNELS = (  # names of suites that run the kernels of others: what is left of them
    (r"^hmac-", ""),
    (r"^a(\d+)cbc-hs(\d+)$", r"aes-\1-cbc+hmac-sha\2-etm"),
    (r"^aes-\d+-", "aes-"),
    (r"hmac-(\w+)-\w+$", r"\1"),
    (r"xcbc-96$", "xcbc"),
    (r"sha224", "sha256"),
    (r"sha(384|512_256)", "sha512"),
    (r"^(sha3-\d+|shake\d+)$", "sha3, shake"),
    (r"^crc.*", "crc"),
    (r"^(aes-\w+\+crc).*", r"\1"),
    (r"^aes-(cmac|xcbc)$", "aes-cmac, xcbc"),
)


def machine(context: runtime.Context) -> dict[str, Any]:
    """The CPU as the library sees it. ``os_saves`` is what XCR0 lets it use, read off the features that it leaves;
    ``costs`` the grade of the figures that kernels are chosen by."""
    cpu = context.cpu()
    saved = ["xmm"] + ["ymm"] * ("avx" in cpu["features"]) + ["zmm", "masks"] * ("avx512f" in cpu["features"])
    return dict(
        cpu,
        brand=cpu["brand"].strip(),
        levels=[level for level, feature in LEVELS.items() if feature in cpu["features"]],
        os_saves=saved,
        library=runtime.library_path(),
        costs=_grade(cpu["microarchitecture"]).value,
    )


def _grade(name: str) -> Grade:
    """Returns the grade of the costs that the library gives this name."""
    about = folder.about() if (folder := shipped().get(name.partition(" ")[0])) else None
    if name.startswith(CALIBRATED):
        return Grade.MEASURED
    if about is None:
        return Grade.DEFAULT
    return about.parts[Part.COSTS].grade if Part.COSTS in about.parts else Grade.DERIVED


def choices(
    context: runtime.Context, suites: Sequence[str], jobs: Sequence[int], size: int, one_key: bool
) -> list[dict[str, Any]]:
    """Returns a row for each suite, direction (only ciphers have two) and number of jobs."""
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


def family(suite: str) -> str:
    """Returns the name that suites have in common which run the same kernels, key length and kind of frame apart."""
    for pattern, left in SAME_KERNELS:
        suite = re.sub(pattern, left, suite)
    return suite


def overview_text(found: dict[str, Any]) -> str:
    """A screen: the machine, and a line for each family of suites."""
    families: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in found["choices"]:
        if row.get("direction") != "open":
            families.setdefault(family(row["suite"]), {}).setdefault(row["suite"], []).append(row)
    some = next((suites for suites in families.values() for rows in suites.values() if "jobs" in rows[0]), {})
    asked = next((rows for rows in some.values() if "jobs" in rows[0]), [])
    head = [f"{row['jobs']} job{'s' if row['jobs'] > 1 else ''}" for row in asked]
    rows: list[tuple] = [("kernels", "suites", *head)]
    for name, suites in families.items():
        shown = next((rows for rows in suites.values() if "jobs" in rows[0]), None)
        cells = [_cell(row) for row in shown] if shown else ["not on this CPU"]
        rows.append((name.replace("+", " + "), len(suites), *cells))
    size = asked[0]["bytes"] if asked else 0
    return "\n".join(
        [
            *_machine_lines(found["cpu"]),
            "",
            columns(rows),
            "",
            f"Jobs of {size} bytes are sealed, by each line's first suite; xN: lanes; pair: cipher and hash in one",
            "kernel; apart: one after the other. --suite GLOB shows suites in both directions, and why; --all, all.",
        ]
    )


def _cell(row: dict[str, Any]) -> str:
    streams, _, target = row["kernel"].partition("@")
    level = target.split("_")[0]
    how = "pair " if "+" in streams else "apart " if "+" in family(row["suite"]) else ""
    blocks = re.search(r"_by\d+", streams) if row["lanes"] == 1 else None
    return f"{how}x{row['lanes']}{blocks[0] if blocks else ''} {level if level in ISAS else target}"


def _machine_lines(cpu: dict[str, Any]) -> list[str]:
    grades = {
        Grade.MEASURED.value: "measured on such a CPU",
        Grade.DERIVED.value: "derived from published figures and relatives; `cryptostitch learn` measures them",
        Grade.DEFAULT.value: "default: none, estimates decide; `cryptostitch learn` measures them",
    }
    here = CALIBRATED in cpu["microarchitecture"]
    return [
        f"{cpu['brand']} (family {cpu['family']:#x}, model {cpu['model']:#x}, stepping {cpu['stepping']})",
        f"levels: {' '.join(['scalar', *cpu['levels']])}",
        f"costs: {cpu['microarchitecture']}" + ("" if here else f", {grades[cpu['costs']]}"),
        "kernels: "
        + ("assembled at run time" if cpu["jit"] else "static ones only, executable memory is off or refused"),
        f"library: {cpu['library']}",
    ]


def choices_text(found: dict[str, Any]) -> str:
    """Suite by suite, with the reasons."""
    cpu = found["cpu"]
    lines = [
        *_machine_lines(cpu),
        f"features: {' '.join(cpu['features'])}",
        f"the system saves (XCR0): {' '.join(cpu['os_saves'])}",
    ]
    suite, last = None, None
    for row in found["choices"]:
        if row["suite"] != suite:
            lines += _borders_of(suite, found)
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
    return "\n".join(lines + _borders_of(suite, found))


def _borders_of(suite: str | None, found: dict[str, Any]) -> list[str]:
    rows = [row for row in found.get("borders", ()) if row["suite"] == suite]
    return ["", *("  " + line for line in borders_text(rows).splitlines())] if rows else []
