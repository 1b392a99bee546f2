"""Measures which lines and branches of the library and of its integrations the quick form of the tests enters, and
writes them by folder into `coverage.md`; by line, as HTML, into build/coverage/html (`make coverage`). With arguments
for pytest it prints the table alone.

A clone of the commit is built with gcov's counters (-O2, as always) and runs its own tests. Tests that fail there,
because counters change what they measure (stacks, registers, times), are listed and do not end the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from commit_draw import git

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("coverage.md")
FOLDER = ROOT / "build/coverage"
CLONE = FOLDER / "checkout"
FLAGS = "--coverage"
"""Counters are not atomic, which takes many times as long: what threads lose of a number does not matter here."""
GCOVR = "gcovr==8.4"
MEASURED = ("runtime", "integrations")
OTHERS = ("bare", "emulated", "generator", "harness", "kernels", "ladder")
"""Folders of tests that run no code of these, or that of other clones."""
HEAD = """# What the tests enter

`make coverage` writes this page ([coverage.py](coverage.py)): lines and branches of the library and its integrations
that the quick form of the tests enters, by gcov. Branches to exceptions are left out.
"""


def run(*command: str | Path, folder: Path = ROOT, may_fail: bool = False) -> None:
    env = {**os.environ, "CFLAGS": FLAGS, "CXXFLAGS": FLAGS, "LDFLAGS": "--coverage"}
    done = subprocess.run(command, cwd=folder, env=env, check=False)
    if done.returncode and not may_fail:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}")


def measured(pytest_arguments: list[str]) -> list[dict[str, object]]:
    """Builds the clone, runs its tests and returns what gcovr says of each file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not CLONE.exists():
        run("git", "clone", "-q", ROOT, CLONE)
    run("git", "fetch", "-q", "origin", "HEAD", folder=CLONE)
    run("git", "checkout", "-q", "--detach", "FETCH_HEAD", folder=CLONE)
    run("make", "test-tools", "build", folder=CLONE)
    for counters in CLONE.rglob("*.gcda"):
        counters.unlink()
    workers = ["-n", str(os.cpu_count()), "--dist", "worksteal"]
    chosen = pytest_arguments or [f"--ignore=tests/{name}" for name in OTHERS]
    run(CLONE / ".venv/bin/python", "-m", "pytest", *workers, *chosen, folder=CLONE, may_fail=True)
    if not (FOLDER / "venv/bin/gcovr").exists():
        run(sys.executable, "-m", "venv", FOLDER / "venv")
        run(FOLDER / "venv/bin/pip", "install", "-q", GCOVR)
    (FOLDER / "html").mkdir(exist_ok=True)
    filters = [argument for name in MEASURED for argument in ("--filter", f"{CLONE}/{name}/")]
    written = ("--json-summary", FOLDER / "summary.json", "--html-nested", FOLDER / "html/index.html")
    shorter = ("--exclude-throw-branches", "--exclude-unreachable-branches", "--merge-lines")
    # asmjit's sources lie elsewhere, and are not measured.
    elsewhere = ("--gcov-ignore-errors=no_working_dir_found", "-j", str(os.cpu_count()))
    raced = ("--gcov-ignore-parse-errors=negative_hits.warn", "--gcov-ignore-parse-errors=suspicious_hits.warn")
    run(FOLDER / "venv/bin/gcovr", "-r", CLONE, *filters, *written, *shorter, *elsewhere, *raced, CLONE / "build")
    return json.loads((FOLDER / "summary.json").read_text())["files"]


def table(files: list[dict[str, object]]) -> str:
    """A row for each folder of two levels: files, lines, branches, and how much of both is entered."""
    rooms: dict[str, list[dict[str, object]]] = defaultdict(list)
    for file in files:
        rooms["/".join(str(file["filename"]).split("/")[:2])].append(file)
    rows = [
        "| folder | files | lines | entered | branches | entered |\n",
        "| --- | ---: | ---: | ---: | ---: | ---: |\n",
    ]
    for name, mine in [*sorted(rooms.items()), ("all", files)]:
        cells = [name, str(len(mine))]
        for kind in ("line", "branch"):
            total, covered = (sum(int(file[f"{kind}_{what}"]) for file in mine) for what in ("total", "covered"))
            cells += [str(total), f"{100 * covered / max(total, 1):.1f} %"]
        rows.append(f"| {' | '.join(cells)} |\n")
    return "".join(rows)


if __name__ == "__main__":
    found = table(measured(sys.argv[1:]))
    print(found, end="")
    if sys.argv[1:]:
        print(f"{PAGE.name} stays as it is: only some of the tests ran")
    else:
        PAGE.write_text(f"{HEAD}\nCommit {git('rev-parse', '--short=10', 'HEAD')}:\n\n{found}")
