"""CPU seconds of the tests, by folder and by file. Every session of more than five files ends with the five that took
most; `--cpu-seconds` prints the table of folders and more files instead, and `--cpu-seconds=write` puts the table into
tests/README.md, too.

A test's seconds are what its process and that process's ended children took since the test before: set-up, imports and
fixtures count for the test that needed them first.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

PAGE = Path(__file__).with_name("README.md")
TABLE = re.compile(r"(?<=<!-- CPU seconds -->\n)(?:.*\n)*?(?=<!-- end -->)")
SHORT, FILES = 5, 30
"""How many of the most expensive files are printed, without and with --cpu-seconds."""
PROPERTY = "cpu seconds"

_last = 0.0
_spent: Counter[str] = Counter()


def _now() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def by_folder(files: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for file, seconds in files.items():
        found[file.partition("/")[0]] += seconds
    return found


def table(files: Counter[str]) -> str:
    """The rows of the folders, the most expensive first, and the three most expensive files of each."""
    rows = ["| folder | CPU seconds | of which |\n", "| --- | --- | --- |\n"]
    for folder, seconds in by_folder(files).most_common():
        mine = Counter({file: n for file, n in files.items() if file.startswith(f"{folder}/")})
        most = [f"`{Path(file).stem}` {n:.0f}" for file, n in mine.most_common(3) if n >= 1]
        rows.append(f"| `{folder}/` | {seconds:.0f} | {', '.join(most)} |\n")
    return "".join([*rows, f"| all | {sum(files.values()):.0f} | |\n"])


# ---- the plugin


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cpu-seconds",
        nargs="?",
        const="print",
        choices=("print", "write"),
        help="print the CPU seconds of folders and files; write: into tests/README.md",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    global _last
    report = yield
    now = _now()
    report.user_properties.append((PROPERTY, now - _last))
    _last = now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    file = report.nodeid.partition("::")[0].removeprefix("tests/")
    _spent[file] += sum(value for name, value in report.user_properties if name == PROPERTY)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    whole = config.option.cpu_seconds
    if hasattr(config, "workerinput") or not _spent or (not whole and len(_spent) <= SHORT):
        return
    terminalreporter.section("CPU seconds" if whole else f"CPU seconds of the {SHORT} slowest files")
    for line in table(_spent).splitlines() if whole else ():
        terminalreporter.line(line)
    for file, seconds in _spent.most_common(FILES if whole else SHORT):
        terminalreporter.line(f"{seconds:8.1f} {file}")
    if whole == "write":
        PAGE.write_text(TABLE.sub(lambda _: table(_spent), PAGE.read_text()))
