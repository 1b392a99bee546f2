"""The tables of a CPU's page, from the results of one CPU."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from results import OURS, Cell, Load, Taken, beyond_spread, cells_of

ETM1, ETM256, ETM512 = "aes-128-cbc+hmac-sha1-etm", "aes-128-cbc+hmac-sha256-etm", "aes-256-cbc+hmac-sha512-etm"
SATURATED = [
    ETM1,
    ETM256,
    ETM256 + "/open",
    ETM512,
    "aes-128-cbc+hmac-sha1-tls",
    "sha1",
    "sha256",
    "sha512",
    "sm3",
    "md5",
    "aes-128-cbc",
    "aes-256-cbc",
    "aes-128-cbc/open",
    "aes-128-ctr",
    "aes-128-xts",
    "aes-256-xts",
    "aes-128-gcm",
    "chacha20-poly1305",
    "aes-128-cmac",
]
FEW = [ETM1, ETM256, "sha1", "sha256", "sha512", "aes-128-cbc", "aes-128-gcm", "chacha20-poly1305", "aes-128-xts"]
SHORT = [ETM1, ETM256, "sha1", "sha256", "aes-128-cbc", "aes-128-gcm", "chacha20-poly1305", "aes-128-ccm"]
RANDOM = [
    ETM1,
    ETM256,
    "sha1",
    "sha256",
    "md5",
    "aes-128-cbc",
    "aes-128-cbc/open",
    "aes-128-ctr",
    "aes-128-gcm",
    "chacha20-poly1305",
    "aes-128-ccm",
]
MIXES = {
    "imix": "IMIX",
    "random": "64 to 1,463 B",
    "random-log": "1 B to 16 KiB",
    "page-ends": "64 to 1,463 B at page ends",
    "equal": "768 B each",
}
FAMILIES = {"zen4": "Zen 4", "zen5": "Zen 5", "sapphire_rapids": "Sapphire or Emerald Rapids"}


def figure(cycles: float) -> str:
    return f"{cycles:.3f}" if cycles < 1 else f"{cycles:.2f}"


def bytes_text(size: str) -> str:
    if size in MIXES:
        return MIXES[size]
    return f"{int(size) // 1024} KiB" if int(size) >= 1024 else f"{size} B"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def against_best(
    title: str, rows: list[str], loads: list[Load], heading: Callable[[Load], str], cells: dict[tuple[str, Load], Cell]
) -> str:
    """Ours and the best peer by row, for each load; a row without any figure is left out, and a table without rows."""
    lines = []
    for row in rows:
        line = [f"`{row}`"]
        for load in loads:
            cell = cells.get((row, load))
            ours, peer = (cell.ours, cell.best_peer) if cell else (None, None)
            line += [figure(ours.cycles) if ours else "", f"{figure(peer.cycles)} ({peer.impl})" if peer else ""]
        if any(line[1:]):
            lines.append(line)
    if not lines:
        return ""
    return table([title, *(text for load in loads for text in (heading(load), "best peer"))], lines)


def day(date: str) -> str:
    return f"{datetime.fromisoformat(date):%-d %B %Y}"


def versions(machine: dict[str, Any]) -> str:
    peers = {impl: version for impl, version in machine["versions"].items() if impl != OURS}
    return ", ".join(
        " ".join(v.split()[:2]) if v.startswith("OpenSSL") else impl if impl.endswith(v) else f"{impl} {v.split()[0]}"
        for impl, v in peers.items()
    )


def figures(results: dict[str, Any]) -> str:
    """The text between the markers ``figures``."""
    machine, cells = results["machine"], cells_of(results)
    name = machine["microarchitecture"]
    model = f"{FAMILIES.get(name, name)} (family {machine['family']:x}h model {machine['model']:x}h)"
    head = (
        f"CPU: {machine['cpu']}, {model}, one core at {machine['core_ghz']:.1f} GHz: `make bench` of "
        f"{day(machine['date'])}, {versions(machine)}. Core cycles per byte.\n"
        f"All rows: [bench.json](bench.json)."
    )
    sizes = [Load(size, 64, "own") for size in ("64", "256", "1024", "imix")]
    few = [Load("1024", 1, "own"), Load("16384", 1, "own"), Load("16384", 8, "own")]
    mixed = [
        Load("random", 64, "own"),
        Load("equal", 64, "own"),
        Load("random", 1, "own"),
        Load("random-log", 64, "own"),
    ]
    tables = [
        head,
        against_best(
            "16 KiB, 64 jobs with their own keys", SATURATED, [Load("16384", 64, "own")], lambda load: "c/B", cells
        ),
        against_best("few jobs, own keys", FEW, few, lambda load: f"{load.jobs} x {bytes_text(load.size)}", cells),
        against_best("64 short jobs, own keys", SHORT, sizes, lambda load: bytes_text(load.size), cells),
        against_best(
            "random lengths over 1,024 texts",
            RANDOM,
            mixed,
            lambda load: f"{load.jobs} x {bytes_text(load.size)}",
            cells,
        ),
    ]
    return "\n\n".join(filter(None, tables))


def compared(ours: Taken, peer: Taken) -> str:
    """ "ratio (ours / theirs)", the ratio bold where ours is slower by more than the spread."""
    ratio = f"{ours.cycles / peer.cycles:.2f}"
    return f"{f'**{ratio}**' if beyond_spread(ours, peer) else ratio} ({figure(ours.cycles)} / {figure(peer.cycles)})"


def tiers(runs: dict[str, dict[str, Any]], peer: str = "ipsec-mb") -> str:
    """The text between the markers ``tiers``: ours over ``peer``, both held to a tier, by row; ``runs`` by tier."""
    columns: list[tuple[str, dict[str, tuple[Taken, Taken]]]] = []
    for tier, results in runs.items():
        by_load: dict[Load, dict[str, tuple[Taken, Taken]]] = {}
        for cell in cells_of(results).values():
            if cell.ours and peer in cell.taken:
                by_load.setdefault(cell.load, {})[cell.row] = (cell.ours, cell.taken[peer])
        columns += [(f"{tier.upper()}, {load.jobs} x {bytes_text(load.size)}", rows) for load, rows in by_load.items()]
    rows = list(dict.fromkeys(row for _, column in columns for row in column))
    lines = [[f"`{row}`", *(compared(*column[row]) if row in column else "" for _, column in columns)] for row in rows]
    pairs = [pair for _, column in columns for pair in column.values()]
    slower = sum(beyond_spread(*pair) for pair in pairs)
    machine = next(iter(runs.values()))["machine"]
    head = (
        f"Held to fewer instruction sets on the same CPU (`make bench-tiers` of {day(machine['date'])}): cycles per "
        f"byte of Cryptostitch over those of {peer} {machine['versions'][peer].split()[0]}, own keys; below 1 is "
        f"faster.\nBold: slower by more than the spread of the samples, {slower} of {len(pairs)}."
    )
    return head + "\n\n" + table(["own keys", *(name for name, _ in columns)], lines)
