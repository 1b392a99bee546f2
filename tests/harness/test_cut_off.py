"""A run that is cut off says which tests ran (cut_off.py)."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

HANGS = """
import subprocess, time
import pytest

def test_passes(): pass

def test_waits(): time.sleep({seconds})

def test_calls():
    subprocess.run(["sleep", "{program}"])
"""


def pids_of(program: str) -> list[int]:
    """Processes whose command line is that of the program that hangs."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if file.read_bytes() == f"sleep\0{program}\0".encode():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found


def has_ended(program: str) -> bool:
    """Whether no process runs the program any more, within seconds: a process that was killed has an end to come to."""
    deadline = time.monotonic() + 20
    while pids_of(program) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not pids_of(program)


@pytest.fixture
def program() -> str:
    """The argument of a `sleep` that is like no other process's."""
    return f"1000.{os.getpid()}{time.monotonic_ns()}"


def command(folder: Path, program: str, *options: str, seconds: int = 1000) -> list[str]:
    (folder / "conftest.py").write_text('pytest_plugins = ["cut_off"]\n')
    (folder / "test_hangs.py").write_text(HANGS.format(program=program, seconds=seconds))
    return [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null"),
        *("--rootdir", str(folder), str(folder), *options),
    ]


def environment(root: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_") and k != "CRYPTOSTITCH_LIBRARY"}
    return kept | {"PYTHONPATH": str(root / "tests")}


def session(folder: Path, root: Path, program: str, *options: str, **how: int) -> tuple[int, str]:
    done = subprocess.run(
        command(folder, program, *options, **how),
        cwd=folder, env=environment(root), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout


def named(text: str) -> list[str]:
    """The tests that the last lines say ran."""
    return re.findall(r"^  \S*test_hangs\.py::(\w+)$", text.partition("these tests ran:")[2], re.M)


@pytest.mark.parametrize("options,ran", [((), ["test_waits"]), (("-n", "2"), ["test_calls", "test_waits"])])
def test_a_session_that_exceeds_its_minutes(
    root: Path, tmp_path: Path, program: str, options: tuple[str, ...], ran: list[str]
) -> None:
    code, text = session(tmp_path, root, program, *options, "--minutes", "0.25")
    assert code == pytest.ExitCode.INTERRUPTED and "FAILED the session was cut off after 0.25 minutes" in text, text
    assert sorted(named(text)) == ran and has_ended(program), text


@pytest.mark.parametrize("options,ran", [((), ["test_waits"]), (("-n", "2"), ["test_calls", "test_waits"])])
def test_a_session_in_the_background_of_a_script(
    root: Path, tmp_path: Path, program: str, options: tuple[str, ...], ran: list[str]
) -> None:
    script = f"{shlex.join(command(tmp_path, program, *options, '--minutes', '0.25'))} & wait $!"
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path, env=environment(root), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == pytest.ExitCode.INTERRUPTED and "FAILED the session was cut off" in done.stdout
    assert sorted(named(done.stdout)) == ran and has_ended(program), done.stdout


def test_a_session_within_its_minutes(root: Path, tmp_path: Path, program: str) -> None:
    code, text = session(tmp_path, root, program, "-n", "2", "-k", "passes", "--minutes", "2")
    assert code == 0 and "these tests ran" not in text


def test_a_session_that_is_terminated(root: Path, tmp_path: Path, program: str) -> None:
    with subprocess.Popen(
        command(tmp_path, program, "-n", "2", "-k", "calls"),
        cwd=tmp_path, env=environment(root), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 60
        while not pids_of(program) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        text = process.communicate(timeout=60)[0]
    assert process.returncode == pytest.ExitCode.INTERRUPTED and named(text) == ["test_calls"], text
    assert "the session was interrupted" in text and has_ended(program)


def test_a_test_that_hangs(root: Path, tmp_path: Path, program: str) -> None:
    """It fails by its name, with the stack, its program ends, and the others run."""
    limit = ("-o", "faulthandler_timeout=4", "-o", "faulthandler_exit_on_timeout=true")
    code, text = session(tmp_path, root, program, "-n", "2", *limit, seconds=0)
    assert code == pytest.ExitCode.TESTS_FAILED and "1 failed, 2 passed" in text, text
    assert re.search(r"crashed while running '\S*test_hangs\.py::test_calls'", text) and "in test_calls" in text, text
    assert has_ended(program)


def test_every_session_has_that_limit(root: Path) -> None:
    options = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert options["faulthandler_exit_on_timeout"] and 0 < options["faulthandler_timeout"] <= 1800
    assert "--minutes $(MINUTES)" in (root / "Makefile").read_text()
