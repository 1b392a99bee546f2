"""`python -m bare [GROUP ...]` in tests/, as root: runs what the pages show in a minimal Debian root and prints a list
of what ran, with times. The group `first` has a clean root for each of its commands. `--release`: of Debian, by its
code name; `--folder`: where roots are made; `--keep`: and left; `--again ROOT`: in one that was left, with what is
built there and the checkout's newest commit; `--only GLOB`: the steps of such names."""

from __future__ import annotations

import argparse
import fnmatch
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .first import First, firsts, tried
from .root import Ran, Root, again, made, removed
from .steps import GROUPS, Step, steps

CHECKOUT = Path(__file__).resolve().parents[2]
LAST_LINES = 40
OF_PYTEST = ("FAILED ", "ERROR ")
"""The lines of pytest's summary that name failed tests begin with these. They may stand above the last lines."""
FIRST = "first"


def told(name: str, ran: Ran, failure: str) -> list[str]:
    """Prints a line; of a step that failed, its tests that failed and the last lines of its output. Returns the name of
    such a step."""
    mark = f"  FAILED ({failure})" if failure else ""
    print(f"{ran.seconds:7.1f} s {ran.cpu_seconds:7.1f} s of CPU  {name}{mark}", flush=True)
    if failure:
        before, last = ran.output.splitlines()[:-LAST_LINES], ran.output.splitlines()[-LAST_LINES:]
        lines = [*(line for line in before if line.startswith(OF_PYTEST)), *last]
        print(*(f"    {line}" for line in lines), sep="\n", flush=True)
    return [name] if failure else []


def chosen(group: str, only: str) -> list[Step] | list[First]:
    found = firsts(CHECKOUT) if group == FIRST else steps(CHECKOUT, group)
    some = [each for each in found if fnmatch.fnmatchcase(each.name, only)]
    if not some:
        sys.exit(f"{group} has no step {only}")
    return some  # type: ignore[return-value]


def run_group(some: list[Step] | list[First], folder: Path, begin: Callable[[Path, Path], Root]) -> list[str]:
    """Prints a line for each step, and goes on when one fails. Names of what failed."""
    failed = []
    began = time.monotonic()
    root = begin(CHECKOUT, folder / "base" if isinstance(some[0], First) else folder)
    print(f"{time.monotonic() - began:7.1f} s                   a minimal root", flush=True)
    for number, each in enumerate(some):
        if isinstance(each, First):
            ran = tried(CHECKOUT, root, folder / str(number), each)
            failed += told(each.name, ran, each.failure(ran))
        else:
            ran = root.run(each.script, each.seconds)
            failed += told(each.name, ran, str(ran.status or ""))
    return failed


def main() -> int:
    groups = (FIRST, *GROUPS)
    parser = argparse.ArgumentParser(prog="python -m bare", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(groups)}; all of them without")
    parser.add_argument("--release", default="", metavar="NAME")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--again", type=Path, metavar="ROOT")
    parser.add_argument("--only", default="*", metavar="GLOB")
    asked = parser.parse_args()
    if unknown := set(asked.groups) - set(groups):
        parser.error(f"no group {', '.join(sorted(unknown))}")
    failed = []
    for group, some in {group: chosen(group, asked.only) for group in asked.groups or groups}.items():
        print(f"{group}:", flush=True)
        if asked.again:
            failed += run_group(some, asked.again, again)
            continue
        folder = Path(tempfile.mkdtemp(prefix=f"bare-{group}-", dir=asked.folder))
        folder.chmod(0o755)
        try:
            failed += run_group(some, folder, lambda *places: made(*places, asked.release))
        finally:
            if not asked.keep:
                removed(folder)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
