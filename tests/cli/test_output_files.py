"""Files and folders that commands write: in UTF-8 whatever the locale, and looked at before the work; errors about
input in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = (sys.executable, "-m", "cryptostitch.cli")
KERNEL = "md5_x1@scalar"
ASCII = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
"""A locale that is not UTF-8, as Python takes it."""


def run(*arguments: object, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TOOL, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **env},
        check=False,
    )


@pytest.mark.parametrize(
    "file, arguments",
    [
        ("page.html", ["report", KERNEL, "-o", "page.html", "--no-measure", "--cpu", "zen5"]),
        (f"{KERNEL}.html", ["report", KERNEL, "--no-measure", "--cpu", "zen5"]),
        ("page.html", ["verify", KERNEL, "--check", "bounds", "--html", "page.html"]),
    ],
)
def test_a_page_is_utf_8_in_every_locale(tmp_path: Path, file: str, arguments: list[str]) -> None:
    done = run(*arguments, cwd=tmp_path, **ASCII)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / file).read_bytes().decode("utf-8").isascii()


def test_pages_of_a_matrix_are_utf_8_in_every_locale(build: Path, tmp_path: Path) -> None:
    options = ["--pairs", "md5+sha1", "--isa", "sse", "--seconds", "0.01", "--folder", "pages", "--html", "page.html"]
    done = run("matrix", *options, cwd=tmp_path, **ASCII)
    assert done.returncode == 0, done.stderr
    pages = [*(tmp_path / "pages").iterdir(), tmp_path / "page.html"]
    texts = [page.read_bytes().decode("utf-8") for page in pages]
    assert len(texts) >= 3 and not all(text.isascii() for text in texts)


PLACES = [
    ["verify", KERNEL, "--html"],
    ["report", KERNEL, "-o"],
    ["matrix", "--html"],
    ["matrix", "--folder"],
    ["tune", "md5_x4", "sha1_x4", "--isa", "sse", "-o"],
    ["tune", "md5_x4", "sha1_x4", "--isa", "sse", "--folder"],
    ["calibrate", "-o"],
    ["calibrate", "--costs"],
    ["probe", "-o"],
    ["bench", "-o"],
    ["bench", "--plot"],
    ["learn", "--folder"],
    ["pack", "own", "-o"],
    ["emit", "--default-pack"],
    ["emit", KERNEL, "--object"],
    ["emit", "--static"],
]


@pytest.mark.parametrize("command", PLACES, ids=" ".join)
def test_what_cannot_be_written_is_seen_before_the_work(tmp_path: Path, command: list[str]) -> None:
    """In /proc even root makes no file. Most of the commands would take minutes."""
    (tmp_path / "own").mkdir()
    done = run(*command, "/proc/self/none", cwd=tmp_path)
    assert done.returncode == 2 and " cannot be written: " in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_the_page_that_nobody_named_cannot_be_written_here() -> None:
    done = run("report", KERNEL, "--no-measure", "--cpu", "zen5", cwd=Path("/proc"))
    assert done.returncode == 2 and f"{KERNEL}.html cannot be written here" in done.stderr


def test_looking_leaves_no_trace(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.html", tmp_path / "link.html"
    kept.write_text("kept", encoding="utf-8")
    link.symlink_to(tmp_path / "nowhere.html")
    for name in ("new.html", "kept.html", "link.html"):
        assert run("verify", "no_such_kernel", "--html", name, cwd=tmp_path).returncode == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.html", "link.html"]
    assert kept.read_text(encoding="utf-8") == "kept" and link.is_symlink()


def test_a_table_that_is_none_is_seen_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "costs.json").write_text("not JSON", encoding="utf-8")
    done = run("calibrate", "--kernels", "md5*", "-o", "costs.json", cwd=tmp_path)
    assert done.returncode == 1 and "is not a cost table" in done.stderr and "measuring" not in done.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["emit", KERNEL, KERNEL, "--object", "o"], f"{KERNEL} is named twice"),
        (["emit", KERNEL, KERNEL, "--static", "o"], f"{KERNEL} is named twice"),
        (["emit", KERNEL, KERNEL, "--pack", "o"], f"{KERNEL} is named twice"),
        (["pack", "empty", "-o", "o"], "there is no algorithms.py in empty"),
        (["pack", "noise", "-o", "o"], "noise: SyntaxError"),
    ],
)
def test_an_error_is_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode and said in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "o").exists()


def test_rows_may_be_in_a_file_of_any_name(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "examples/new_pair", tmp_path / "own")
    (tmp_path / "own/algorithms.py").rename(tmp_path / "own/rows.txt")
    done = run("pack", "own/rows.txt", "--kernels", "fletcher_x4@sse", "-o", "own.pack", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "own.pack").exists()
