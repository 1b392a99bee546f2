"""A run that takes too long ends as failed and says which tests ran.

`--minutes N` ends the session after N minutes, as Ctrl-C and, with workers of xdist, SIGTERM do; the summary then names
the tests that ran at that moment. A single test that takes longer than `faulthandler_timeout` (pyproject.toml) ends its
process with the stacks of its threads; xdist reports the test as failed, and the others go on in a new worker.
Programs that workers had started end with them.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

GRACE_SECONDS = 60.0
"""Until a process that does not react to the interrupt, because it is in a C function, is ended."""
RUN, WORKER = "PYTEST_XDIST_TESTRUNUID", "PYTEST_XDIST_WORKER"
"""Variables by which xdist's workers mark the programs that they start."""

_running: dict[str, None] = {}
_runs: set[str] = set()
_cut, _finished = threading.Event(), threading.Event()


def end_programs(**marks: str) -> None:
    """Kills the programs whose environment has these variables."""
    wanted = {f"{name}={value}".encode() for name, value in marks.items()}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if wanted <= set((process / "environ").read_bytes().split(b"\0")):
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:  # it has ended, or is another user's
            continue


def report(minutes: float | None) -> list[str]:
    """The lines that say what ran when the session was interrupted."""
    why = f"the session was cut off after {minutes:g} minutes" if _cut.is_set() else "the session was interrupted"
    return [f"FAILED {why}; these tests ran:", *(f"  {node}" for node in _running)]


# ---- the plugin


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--minutes", type=float, metavar="N", help="end the session as failed after N minutes")


def _watch(minutes: float) -> None:
    if _finished.wait(60 * minutes):
        return
    _cut.set()
    os.kill(os.getpid(), signal.SIGINT)
    if not _finished.wait(GRACE_SECONDS):
        os.write(2, "\n".join([*report(minutes), ""]).encode())
        os._exit(pytest.ExitCode.INTERRUPTED)


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if hasattr(config, "workerinput"):
        return
    if config.pluginmanager.hasplugin("dsession"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    if config.option.minutes:
        # A shell that runs no terminal starts its background jobs with this signal ignored.
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Thread(target=_watch, args=(config.option.minutes,), daemon=True).start()


def pytest_runtest_logstart(nodeid: str) -> None:
    _running[nodeid] = None


def pytest_runtest_logfinish(nodeid: str) -> None:
    _running.pop(nodeid, None)


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str) -> None:
    _running.pop(crashitem, None)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodeready(node: Any) -> None:
    _runs.add(node.workerinput["testrunuid"])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    if error:
        end_programs(**{RUN: node.workerinput["testrunuid"], WORKER: node.workerinput["workerid"]})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    if exitstatus == pytest.ExitCode.INTERRUPTED and (_running or _cut.is_set()):
        for line in report(config.option.minutes):
            terminalreporter.line(line, red=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    _finished.set()
    for run in _runs if _running else ():
        end_programs(**{RUN: run})
