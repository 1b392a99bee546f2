"""The last whole run of each part of the long tests (parts.py), in `long_runs.md`.

A session with `--part` and CRYPTOSTITCH_LONG=1 writes the part's row when all its tests passed, unless it ran a choice
of them, on a lesser CPU, or in a checkout that differs from its commit.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import astuple, dataclass
from pathlib import Path

import pytest
from commit_draw import git

PAGE = Path(__file__).with_name("long_runs.md")
ROOT = PAGE.parents[1]
OLDEST = 400
"""How many commits the last whole run of a part may lie back."""
HEAD = """# The last whole run of each part of the long tests

`make test-long` writes this page ([long_runs.py](long_runs.py)); [parts.py](parts.py) says which tests a part has.

| part | commit | day | CPU | minutes | passed | skipped |
| --- | --- | --- | --- | ---: | ---: | ---: |
"""


@dataclass(frozen=True)
class Run:
    """A row: the commit that ran, abbreviated; the day as YYYY-MM-DD; numbers of tests."""

    part: str
    commit: str
    day: str
    cpu: str
    minutes: str
    passed: str
    skipped: str


def read(text: str) -> dict[str, Run]:
    """Returns the rows of the page by part."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {row[0]: Run(*row) for row in rows[2:]}


def write(runs: dict[str, Run]) -> str:
    """Returns the page with a row for each run, sorted by part."""
    return HEAD + "".join(f"| {' | '.join(astuple(runs[part]))} |\n" for part in sorted(runs))


def commits_since(commit: str) -> int | None:
    """How many commits HEAD has that ``commit`` has not; None where it is not one of HEAD's ancestors."""
    behind = git("rev-list", "--count", "--left-right", f"{commit}...HEAD").split()
    return int(behind[1]) if len(behind) == 2 and behind[0] == "0" else None


def changed() -> list[str]:
    """The files of the checkout that differ from its commit, but for the page."""
    names = git("diff", "--name-only", "HEAD").splitlines()
    return [name for name in names if ROOT / name != PAGE]


# ---- the plugin

_begin = time.monotonic()


def runs_a_choice(config: pytest.Config) -> bool:
    """Whether options of the session leave out tests of a part, or of the whole, by place, name or mark."""
    option = config.option
    return config.args_source != config.ArgsSource.TESTPATHS or bool(option.keyword or option.markexpr or option.lf)


def _refusal(config: pytest.Config, exitstatus: int, passed: int) -> str:
    """Why the session's run is no whole one; empty if it is one."""
    if exitstatus != pytest.ExitCode.OK:
        return "not all tests passed"
    if not passed:
        return "all its tests were skipped"
    if runs_a_choice(config) or os.environ.get("CRYPTOSTITCH_LONG") != "1":
        return "only a choice of its tests ran"
    if os.environ.get("CRYPTOSTITCH_CPU"):
        return "a lesser CPU ran"
    if names := changed():
        return f"the checkout differs from its commit: {', '.join(names[:3])}"
    return ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    part = config.option.part
    if not part or hasattr(config, "workerinput"):
        return
    passed = len(terminalreporter.getreports("passed"))
    if why := _refusal(config, exitstatus, passed):
        terminalreporter.line(f"{PAGE.name} keeps its row of {part}: {why}")
        return
    from cryptostitch.binding import runtime

    cpu = runtime.Context().cpu()
    run = Run(
        part,
        git("rev-parse", "--short=10", "HEAD"),
        time.strftime("%Y-%m-%d", time.gmtime()),
        f"{re.sub(r'[|]|[(](R|TM)[)]', '', cpu['brand']).strip()} ({cpu['name']})",
        f"{(time.monotonic() - _begin) / 60:.1f}",
        str(passed),
        str(len(terminalreporter.getreports("skipped"))),
    )
    PAGE.write_text(write({**read(PAGE.read_text()), part: run}))
    terminalreporter.line(f"{PAGE.name} has a new row: | {' | '.join(astuple(run))} |")
