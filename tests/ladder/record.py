"""The ladder's record: which checks each kernel of the default pack has passed, kept in `record.json` by the digest of
the kernel and of the code that checks it, so that a check whose outcome cannot have changed need not run again.

As a program it runs what the record lacks and writes it anew (`make record`); with `--all` it runs everything.
"""

from __future__ import annotations

import argparse
import ast
import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cryptostitch.core.catalog import ALGORITHMS
from cryptostitch.core.names import stream_name
from cryptostitch.core.program import Recipe
from cryptostitch.emit.artefacts import algorithm_records
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack
from cryptostitch.ladder.climb import Plan, Task, climb
from cryptostitch.ladder.result import FAIL, PASS, WAIVED, Evidence
from cryptostitch.ladder.steps import LADDER, Rung

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "generator/cryptostitch"
FILE = Path(__file__).with_name("record.json")
PACK = ROOT / "build/generated/default.pack"

ALWAYS = ("answers", "lengths", "fuzz")
"""Checks through the C API, which say as much about the C++ runtime as about the kernel: they are never on record."""
KEPT = tuple(rung.name for rung in LADDER if rung.name not in ALWAYS)
SHARE = 40
"""Of so many kernels one, drawn by the commit (commit_draw.py), runs all checks whatever is on record."""

PROBE, ASSEMBLER = ("probe/*",), ("runtime/code/*", "cmake/asmjit*.cmake")
ELSE = {"bytes": ASSEMBLER, **dict.fromkeys(("guards", "stale", "abi", "upper", "residue", "trace"), PROBE)}
"""What checks depend on beside Python, as patterns of paths in the checkout. The library's bytes are LLVM MC's, as the
check `bytes` shows, so that the others need not run again for another assembler."""
PINS = ("requirements.txt", "requirements-test.txt")
MAKERS = (
    *("binding/", "cpus/", "emit/", "frontend/", "listing.py", "pipeline.py"),
    *(f"passes/{name}.py" for name in ("allocate", "legalize", "order", "scan")),
)
"""What makes a kernel or hands it over: it decides nothing but the kernel, whose digest is taken by itself."""


@functools.cache
def imported(file: Path) -> frozenset[Path]:
    """The files of the package that a file of it imports, in functions too."""
    found: set[Path] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = file.parents[node.level - 1] / (node.module or "").replace(".", "/")
            names = [folder, *(folder / alias.name for alias in node.names)]
            found |= {path for name in names for path in (name.with_suffix(".py"), name / "__init__.py")}
    return frozenset(path for path in found if path.is_file())


def _makes(file: Path) -> bool:
    return file.relative_to(PACKAGE).as_posix().startswith(MAKERS)


def checking_files(rung: Rung) -> set[Path]:
    """Returns the files on which a check's outcome depends beside the kernel: its module, all that this imports, and
    more (ELSE, PINS)."""
    found: set[Path] = set()
    more = {PACKAGE / "ladder" / f"{rung.module}.py"}
    while more:
        found |= more
        more = {path for file in more for path in imported(file) if not _makes(path)} - found
    return found | {path for glob in (*ELSE.get(rung.name, ()), *PINS) for path in ROOT.glob(glob) if path.is_file()}


def _digest(pieces: Iterable[bytes]) -> str:
    whole = hashlib.sha256()
    for piece in pieces:
        whole.update(hashlib.sha256(piece).digest())
    return whole.hexdigest()[:24]


def check_digest(rung: Rung, read=Path.read_bytes) -> str:
    """The digest of the code that makes a check. ``read``: how a file is read."""
    files = sorted(checking_files(rung))
    return _digest([b"\n".join(str(path.relative_to(ROOT)).encode() for path in files), *map(read, files)])


@functools.cache
def _rows() -> dict[str, object]:
    return {row.name: row for row in algorithm_records(ALGORITHMS)}


def kernel_digest(recipe: Recipe) -> str:
    """The digest of all that a pack holds of a kernel: code, constants, contracts, weave."""
    rows = {part.program.algorithm for part in recipe.parts}
    rows |= {base for row in rows if (base := getattr(_rows()[row], "base", ""))}
    return _digest([write_pack([_rows()[name] for name in sorted(rows)], [recipe])])


def shipped() -> list[Recipe]:
    """The kernels of the pack that was built, neighbours together: they share programs."""
    recipes = read_pack(PACK.read_bytes()).recipes
    return sorted(recipes, key=lambda r: ([(p.program.algorithm, p.program.isa) for p in reversed(r.parts)], r.name))


def task(recipe: Recipe) -> Task:
    """The kernel as the generator makes it from the templates, by the streams that its name names. A stream of many
    lanes may be several programs side by side."""
    isas = {stream_name(part.program.stream).form: part.program.isa for part in recipe.parts}
    streams = [stream_name(text) for text in recipe.name.rpartition("@")[0].split("+")]
    return Task(recipe.name, tuple((stream, isas[stream.form]) for stream in streams))


@dataclass
class Record:
    """``checks``: the digest of each check's code; ``kernels``: of each kernel, and the checks of KEPT that it has not
    passed, because the CPU on which the record was made could not run them."""

    checks: dict[str, str]
    kernels: dict[str, tuple[str, tuple[str, ...]]]

    @classmethod
    def read(cls, file: Path = FILE) -> Record:
        """An empty record where there is no file."""
        if not file.exists():
            return cls({}, {})
        found = json.loads(file.read_text())
        return cls(found["checks"], {name: (own, tuple(rest)) for name, (own, *rest) in found["kernels"].items()})

    def write(self, file: Path = FILE) -> None:
        kernels = {name: [own, *rest] for name, (own, rest) in sorted(self.kernels.items())}
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in kernels.items())
        checks = json.dumps(self.checks, indent=0, sort_keys=True)
        file.write_text(f'{{"checks": {checks},\n"kernels": {{\n{lines}\n}}}}\n')

    def lacks(self, recipe: Recipe, checks: dict[str, str]) -> tuple[str, ...]:
        """The checks that must run for a kernel; ``checks``: the digests of today."""
        own, rest = self.kernels.get(recipe.name, ("", ()))
        if own != kernel_digest(recipe):
            return KEPT
        return tuple(name for name in KEPT if name in rest or self.checks.get(name) != checks[name])


def today() -> dict[str, str]:
    """The digest of the code of each check that is kept."""
    return {rung.name: check_digest(rung) for rung in LADDER if rung.name in KEPT}


def renewed(old: Record, checks: dict[str, str], recipes: Sequence[Recipe], found: Sequence[Evidence]) -> Record:
    """The record after checks ran: of each kernel those that passed now or had passed. ValueError for one that
    failed."""
    wrong = [f"{e.kernel}: {name}" for e in found for name, r in e.checks.items() if r.status == FAIL]
    if wrong:
        raise ValueError("; ".join(wrong))
    passed = {(e.kernel, name) for e in found for name, r in e.checks.items() if r.status in (PASS, WAIVED)}
    settled = {(e.kernel, name) for e in found for name, r in e.checks.items() if "CPU has no" not in r.detail} | passed
    kernels = {}
    for recipe in recipes:
        lacking = old.lacks(recipe, checks)
        rest = tuple(name for name in lacking if (recipe.name, name) not in settled)
        kernels[recipe.name] = (kernel_digest(recipe), rest)
    return Record(checks, kernels)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="run the checks that are on record, too")
    checks, recipes = today(), shipped()
    old = Record({}, {}) if parser.parse_args(arguments).all else Record.read()
    by_checks: dict[tuple[str, ...], list[Task]] = {}
    for recipe in recipes:
        if lacking := old.lacks(recipe, checks):
            by_checks.setdefault(lacking, []).append(task(recipe))
    found: list[Evidence] = []
    for names, work in by_checks.items():
        print(f"{len(work)} kernels: {', '.join(names)}", flush=True)
        plan = replace(Plan(), checks=names)
        found += climb(plan, work, os.cpu_count() or 1, lambda done, total, name: print(f"{done}/{total} {name}"))
    renewed(old, checks, recipes, found).write()


if __name__ == "__main__":
    main(sys.argv[1:])
