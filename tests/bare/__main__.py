"""`python -m bare [GROUP ...]` in tests/, as root: runs what the pages show in a minimal Debian root and prints a list
of what ran, with times. `--folder`: where the root is made; `--keep`: and left (mounted no more); `--again ROOT`: in
one that was left, with what is built there and the checkout's newest commit; `--only GLOB`: the steps of such names."""

from __future__ import annotations

import argparse
import fnmatch
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from .root import Root, again, made, removed
from .steps import GROUPS, steps

CHECKOUT = Path(__file__).resolve().parents[2]
LAST_LINES = 40


def run_group(group: str, folder: Path, only: str, begin: Callable[..., AbstractContextManager[Root]]) -> list[str]:
    """Prints a line for each step, and the last lines of one that fails; goes on then. Names of what failed."""
    failed = []
    chosen = [step for step in steps(CHECKOUT, group) if fnmatch.fnmatchcase(step.name, only)]
    if not chosen:
        sys.exit(f"{group} has no step {only}")
    began = time.monotonic()
    with begin(CHECKOUT, folder) as root:
        print(f"{time.monotonic() - began:7.1f} s                   a minimal root", flush=True)
        for step in chosen:
            ran = root.run(step.script, step.seconds)
            failure = f"  FAILED ({ran.status})" if ran.status else ""
            print(f"{ran.seconds:7.1f} s {ran.cpu_seconds:7.1f} s of CPU  {step.name}{failure}", flush=True)
            if ran.status:
                failed.append(step.name)
                print(*(f"    {line}" for line in ran.output.splitlines()[-LAST_LINES:]), sep="\n", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bare", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; all of them without")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--again", type=Path, metavar="ROOT")
    parser.add_argument("--only", default="*", metavar="GLOB")
    asked = parser.parse_args()
    if unknown := set(asked.groups) - set(GROUPS):
        parser.error(f"no group {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # what is mounted goes then too
    failed = []
    for group in asked.groups or GROUPS:
        print(f"{group}:", flush=True)
        if asked.again:
            failed += run_group(group, asked.again, asked.only, again)
            continue
        folder = Path(tempfile.mkdtemp(prefix=f"bare-{group}-", dir=asked.folder))
        folder.chmod(0o755)
        try:
            failed += run_group(group, folder, asked.only, made)
        finally:
            if not asked.keep:
                removed(folder)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
