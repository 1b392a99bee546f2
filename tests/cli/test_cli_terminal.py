"""The command line on a terminal, a narrow one, one without colours, and where its output cannot go."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.cli import main
from test_defaults import DEFAULTS

TOOL = (sys.executable, "-m", "cryptostitch.cli")
KERNEL = "md5_x1@scalar"
SILENT = 2.0  # seconds of its own time, after which a command must have said something
PROMPT = ("openssl-config", "cpu")  # they end before that; the others are asked here


def run(*arguments: str, stdout: object = subprocess.PIPE, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TOOL, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, env={**os.environ, **env}
    )


@pytest.mark.parametrize("command", ["", *main.commands])
def test_help_is_as_narrow_as_the_terminal(command: str) -> None:
    """But for words that cannot be broken."""
    width = 40

    def shown(columns: int) -> str:
        return CliRunner().invoke(main, [*command.split(), "--help"], env={"COLUMNS": str(columns)}).output

    text = shown(width)
    long = [line for line in text.splitlines() if len(line) > width]
    assert text and not [line for line in long if len(line.removesuffix(" \\").split()) > 1], long
    assert all(len(line) <= 80 for line in shown(200).splitlines())


def test_an_example_that_was_broken_is_still_a_command() -> None:
    text = run("emit", "--help", COLUMNS="40").stdout
    joined = re.sub(r" \\\n +", " ", text)
    assert "cryptostitch emit --format macho --format json --object sha256.o sha256_x8@avx2\n" in joined


def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = run("show", KERNEL, stdout=full)
    assert (done.returncode, done.stderr) == (1, "Error: standard output: No space left on device\n")


@pytest.mark.parametrize("option", ["--static", "--columns"])
def test_a_folder_that_is_none(option: str) -> None:
    done = run("emit", option, "/dev/null", *(["--hash", "md5"] if option == "--columns" else [KERNEL]))
    assert done.returncode == 2 and "/dev/null is not a folder" in done.stderr and done.stderr.count("\n") == 1


def test_what_was_interrupted_leaves_no_folder(tmp_path: Path) -> None:
    with subprocess.Popen([*TOOL, "emit", "--columns", tmp_path / "col", "--hash", "sha256"]) as process:
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name, near", [("nope", ""), ("verfy", "verify"), ("stich", "stitch"), ("regrets", "regret")])
def test_a_command_that_is_none(name: str, near: str) -> None:
    said = run(name).stderr
    assert (f"did you mean `cryptostitch {near}`" in said) if near else ("there are bench, bound," in said)


# ---- a terminal


def on_terminal(*arguments: str, seconds: float, cwd: Path, **env: str) -> tuple[str, bool]:
    """(what the command wrote to its terminal within so much of its own time, whether it had ended by then)."""
    child, terminal = pty.fork()
    if not child:
        os.chdir(cwd)
        os.execve(TOOL[0], [*TOOL, *arguments], {**os.environ, "TERM": "xterm", "COLUMNS": "100", **env})
    text = b""
    stat = Path(f"/proc/{child}/stat")
    try:
        while True:
            if select.select([terminal], [], [], 0.05)[0]:
                try:
                    text += os.read(terminal, 1 << 16)
                except OSError:  # the other end was closed
                    return text.decode(), True
            ticks = stat.read_text().rpartition(")")[2].split()[11:13]
            if (text and seconds != float("inf")) or sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") > seconds:
                return text.decode(), False
    finally:
        os.killpg(child, signal.SIGKILL)  # and what it runs: `bench` would go on for an hour beside the other tests
        os.close(terminal)
        os.waitpid(child, 0)


@pytest.mark.parametrize("command", [command for command in DEFAULTS if command not in PROMPT])
def test_a_long_command_is_not_silent(command: str, build: Path, tmp_path: Path) -> None:
    if command == "bench" and not (build / "cst-bench").exists():
        pytest.skip("cst-bench was not built (no libcrypto headers)")
    text, _ = on_terminal(command, *DEFAULTS[command], seconds=SILENT, cwd=tmp_path)
    assert text, f"{command} has said nothing after {SILENT} seconds"


@pytest.mark.parametrize("command", PROMPT)
def test_the_others_end_soon(command: str, build: Path, tmp_path: Path) -> None:
    text, ended = on_terminal(command, *DEFAULTS[command], seconds=SILENT, cwd=tmp_path)
    assert text or ended


@pytest.mark.parametrize(
    "environment, coloured",
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
    ids=str,
)
def test_colours(environment: dict[str, str], coloured: bool, tmp_path: Path) -> None:
    """What `show` writes, apart from the progress before it."""
    text, ended = on_terminal("show", KERNEL, seconds=float("inf"), cwd=tmp_path, **environment)
    shown = text[text.index("md5.j2") - 200 :]
    assert ended and bool(re.search(r"\x1b\[\d+m", shown)) == coloured
    forced, _ = on_terminal("show", "--color", KERNEL, seconds=float("inf"), cwd=tmp_path, **environment)
    assert re.search(r"\x1b\[\d+m", forced[forced.index("md5.j2") - 200 :])
