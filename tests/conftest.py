"""What all tests share: where the checkout is, what was built, and examples built against an installed prefix."""

from __future__ import annotations

import gc
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from drawn_cpu import CPU, has_turn
from parts import PARTS, part_of
from vectors.counts import falls, rises, wanted

ROOT = Path(__file__).resolve().parents[1]
pytest_plugins = ["allowed_skips", "cpu_seconds", "cut_off", "long_runs"]
NEEDS_AES_NI = re.compile(r"((?:aes-|a\d+cbc-|crc)[\w+-]+|a cst_crc): ")
"""A suite, as a failure names it (test_lesser_cpu.py: these are all that a CPU without AES-NI cannot run)."""
gc.set_threshold(100_000, 50, 50)  # as the command line does


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", metavar="NAME", help="only this part of the long tests (parts.py)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if has_turn(item.path.relative_to(ROOT / "tests").as_posix(), os.environ.get(CPU, "")):
            item.add_marker(pytest.mark.cpu)
    if config.option.part:
        mine = [config.option.part in part_of(item.nodeid.removeprefix("tests/")) for item in items]
        config.hook.pytest_deselected(items=[item for item, is_mine in zip(items, mine) if not is_mine])
        items[:] = [item for item, is_mine in zip(items, mine) if is_mine]


def pytest_configure(config: pytest.Config) -> None:
    """Ends the session when CRYPTOSTITCH_CPU names no CPU, or one that has more than this one, or when --part names
    none."""
    if config.option.part and config.option.part not in PARTS:
        raise pytest.UsageError(f"no part {config.option.part}; there are {', '.join(PARTS)}")
    if os.environ.get(CPU) and (ROOT / "build/libcryptostitch.so").exists():
        from cryptostitch.binding import runtime

        try:
            runtime.Context()
        except runtime.RuntimeFailure as failure:
            raise pytest.UsageError(str(failure)) from None


def skip_without_aes_ni() -> Generator[None, object, object]:
    """Skips a test that asks for a suite which needs AES-NI or PCLMULQDQ, when the CPU has none."""
    from cryptostitch.binding import runtime

    try:
        return (yield)
    except runtime.RuntimeFailure as failure:
        wants = NEEDS_AES_NI.match(str(failure))
        if failure.code != runtime.ERR_UNSUPPORTED or not wants or "aes" in runtime.Context().cpu()["features"]:
            raise
        pytest.skip(f"this CPU has no AES-NI or PCLMULQDQ, which {wants[1]} needs")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    return (yield from skip_without_aes_ni())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    return (yield from skip_without_aes_ni())


def pytest_report_header() -> str | None:
    return f"{CPU}: {os.environ[CPU]}" if os.environ.get(CPU) else None


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def build() -> Path:
    """The build folder, as `make` leaves it; the test fails when there is none."""
    folder = ROOT / "build"
    if not (folder / "libcryptostitch.so").exists():
        pytest.fail("nothing is built: run `make` first (or `make test`)", pytrace=False)
    return folder


@pytest.fixture(scope="session")
def example(build: Path) -> Callable[[str], Path]:
    """Builds an example by name against an installed prefix, once, and returns its build folder."""
    built: dict[str, Path] = {}

    def get(name: str) -> Path:
        if name not in built:
            done = subprocess.run(
                [ROOT / "examples/build.sh", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            assert done.returncode == 0, done.stdout
            built[name] = build / "examples" / name
        return built[name]

    return get


@pytest.fixture(scope="session")
def cpu(build: Path) -> set[str]:
    """The features of this CPU."""
    from cryptostitch.binding import runtime

    return set(runtime.Context().cpu()["features"])


@pytest.fixture(scope="session")
def needs_pair(cpu: set[str]) -> None:
    """Skips tests of the pair that the pages stitch, when the CPU cannot run it."""
    if not {"aes", "sha", "ssse3", "sse4.1"} <= cpu:
        pytest.skip("this CPU has no AES-NI or SHA extensions")


@pytest.fixture
def unknown_cpu(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This CPU is one that nobody has named."""
    monkeypatch.setenv(CPU, ",".join(filter(None, (os.environ.get(CPU), "unknown"))))


@pytest.fixture
def count_cases(record_property: Callable[[str, object], None]) -> Callable[[str, int], None]:
    """Adds to the counts of published test vectors in the closing summary: ``count_cases(source, number)``."""
    return lambda source, number: record_property("cases", [source, number])


@pytest.fixture
def count_checks(record_property: Callable[[str, object], None]) -> Callable[[str, str, str], None]:
    """Adds to the table of the ladder in the closing summary: ``count_checks(check, status, reason of a skip)``."""
    return lambda check, status, reason: record_property("checks", [check, status, reason])


def properties(terminalreporter: pytest.TerminalReporter, wanted: str) -> Iterator[Any]:
    """Yields what tests recorded under a name, whether they passed or not."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            yield from (value for name, value in report.user_properties if name == wanted and report.when == "call")


def vector_counts(terminalreporter: pytest.TerminalReporter) -> Counter[str]:
    counts: Counter[str] = Counter()
    for source, number in properties(terminalreporter, "cases"):
        counts[source] += number
    return counts


def is_whole(config: pytest.Config) -> bool:
    """Whether the session runs every test there is."""
    from long_runs import runs_a_choice  # a plugin, which pytest wants to import itself

    return not config.option.part and not runs_a_choice(config)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fewer published vectors than before in a whole run are a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if hasattr(session.config, "workerinput") or reporter is None or not is_whole(session.config):
        return
    if falls(vector_counts(reporter), wanted()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """How many published vectors ran, by source; how the checks of kernels went, and why some were skipped."""
    counts = vector_counts(terminalreporter)
    if counts:
        terminalreporter.section("test vectors")
        for source, number in sorted(counts.items()):
            terminalreporter.line(f"{number:6} {source}")
        if is_whole(config):
            for line in falls(counts, wanted()):
                terminalreporter.line(f"FAILED {line}", red=True)
            for line in rises(counts, wanted()):
                terminalreporter.line(f"put into tests/vectors/counts.json: {line}")
    checks = Counter(tuple(value) for value in properties(terminalreporter, "checks"))
    if checks:
        terminalreporter.section("checks of kernels")
        for (check, status, reason), number in sorted(checks.items()):
            terminalreporter.line(f"{number:6} {check} {status}" + (f": {reason}" if reason else ""))
