"""The pages' commands in a minimal Debian root (`python -m bare`), and whether none of them is forgotten.

First commands (first.py): those that take no time and one build run for every commit, of the others one that the
commit draws; in the long form all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bare import machine, steps
from bare.__main__ import told
from bare.first import First, firsts, tried
from bare.root import Ran, Root, made, removed
from commit_draw import drawn
from jobs.samples import LONG
from packages.consumer import make_once

ALWAYS = "cmake -S . -B, generated kernels"
BY_CI = "make test"
"""`.ci/run` runs it in a clean clone, which takes most of an hour."""
NOT_DRAWN = ("make bench", "make deb")
"""They have passed; one measures, and the other takes half as long again as those that a commit draws."""
FIRSTS = [first for first in firsts(Path(__file__).resolve().parents[2]) if first.name != BY_CI]
DRAWN = drawn((first.name for first in FIRSTS if first.minutes and first.name not in (ALWAYS, *NOT_DRAWN)), 1)
"""The hash of the commit selects one of the first commands that take minutes; the quick form runs no other of them."""


def test_every_block_runs(root: Path) -> None:
    found = {(page, block.index) for page in steps.PAGES for block in steps.blocks(root, page)}
    assert found == set(steps.RUN), "a block of a page without a line in steps.RUN, or a line without its block"


def test_every_page_that_the_front_page_links(root: Path) -> None:
    """The steps cover every page of examples, packages and integrations that shows commands."""
    linked = set(re.findall(r"\]\(((?:examples|packaging|integrations)[^)#]*\.md)", (root / "README.md").read_text()))
    folders = set(re.findall(r"\]\((examples/\w+)\)", (root / "README.md").read_text()))
    linked |= {f"{folder}/README.md" for folder in folders if (root / folder / "README.md").exists()}
    linked |= {str(page.relative_to(root)) for page in (root / "examples").glob("*/README.md")}
    assert linked and linked <= set(steps.PAGES)


def test_the_commands_of_the_front_page(root: Path) -> None:
    names = [step.name for step in steps.steps(root, "readme")]
    wanted = ("make demo", "make", "make install", "pip install .", "README.md: Python", "README.md: CMake")
    assert names[0] == "make demo" and set(wanted) <= set(names) and len(names) == len(set(names)) + 1
    assert any("cryptostitch stitch" in name for name in names)


def test_what_is_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if machine.CARRIED.fullmatch(name)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("https_proxy", "http://proxy:1")
    monkeypatch.setenv("PIP_INDEX_URL", "https://index/simple")
    monkeypatch.setenv("SSL_CERT_FILE", "/a/certificate")
    monkeypatch.setenv("A_SECRET", "no")
    assert set(machine.environment()) == {"https_proxy", "PIP_INDEX_URL", "SSL_CERT_FILE"}


def test_no_such_step(root: Path, tmp_path: Path) -> None:
    """A name that no step has ends the run before anything is made."""
    command = (sys.executable, "-m", "bare", "--again", tmp_path, "--only", "make nothing", "packages")
    done = subprocess.run(command, cwd=root / "tests", capture_output=True, text=True)
    assert done.returncode and "packages has no step make nothing" in done.stderr


def test_the_tests_that_failed_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where many lines follow; of a step that did not fail, nothing."""
    output = "\n".join(["before", "FAILED a.py::one - words", "ERROR b.py", *map(str, range(100))])
    assert told("a step", Ran(1, 1, 1, output), "ended with 1") == ["a step"]
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == ["    FAILED a.py::one - words", "    ERROR b.py", "    60"] and lines[-1] == "    99"
    assert told("a step", Ran(0, 1, 1, output), "") == [] and len(capsys.readouterr().out.splitlines()) == 1


def runs(first: First) -> bool:
    """Whether this session runs the command."""
    return LONG or not first.minutes or first.name in (ALWAYS, *DRAWN)


@pytest.fixture(scope="module")
def can_make_roots(tmp_path_factory: pytest.TempPathFactory) -> None:
    if os.geteuid() or not shutil.which("mmdebstrap") or subprocess.run(("unshare", "--mount", "true")).returncode:
        pytest.skip("no mmdebstrap here, or no right to run it")
    folder = tmp_path_factory.mktemp("overlay")
    for name in "base", "upper", "work":
        (folder / name).mkdir()
    mount = "mount -t overlay overlay -o lowerdir=base,upperdir=upper,workdir=work base"
    if subprocess.run(("unshare", "--mount", "sh", "-c", mount), cwd=folder, capture_output=True).returncode:
        pytest.skip("no overlay on this file system, as in such a root itself")


@pytest.fixture(scope="module")
def base(can_make_roots: None, root: Path, build: Path, testrun_uid: str) -> Root:
    """A minimal Debian with a clone, made by one process of a test run."""
    folder = build / "packages/bare"

    def make() -> None:
        removed(folder)
        made(root, folder)

    make_once(build, "bare", testrun_uid, make)
    return Root(folder)


@pytest.mark.parametrize("first", [pytest.param(each, id=each.name) for each in FIRSTS])
def test_first_command(root: Path, build: Path, tmp_path: Path, first: First, request: pytest.FixtureRequest) -> None:
    if not runs(first):
        pytest.skip("a first command that this commit does not draw: CRYPTOSTITCH_LONG=1")
    ran = tried(root, request.getfixturevalue("base"), tmp_path / "root", first)
    assert not first.failure(ran), f"{first.failure(ran)}\n{ran.output[-5000:]}"


def test_a_first_command_that_fails(root: Path, tmp_path: Path, base: Root) -> None:
    """By its status, and by what it does not say."""
    failing, silent = (First("", "", 0, script, says="words") for script in ("exit 3", "echo something else"))
    assert failing.failure(tried(root, base, tmp_path / "failing", failing)) == "ended with 3, not 0"
    assert silent.failure(tried(root, base, tmp_path / "silent", silent)) == "did not say 'words'"


def test_pages_show_the_first_commands(root: Path) -> None:
    for first in FIRSTS:
        shown = first.name.partition(",")[0]
        assert shown in (root / first.page).read_text(), first.name
        assert shown in first.script, first.name
    assert {"make demo", "make", "make bench"} <= {first.name for first in FIRSTS}
    assert not set(NOT_DRAWN) - {first.name for first in FIRSTS}


@pytest.mark.skipif(not LONG, reason="a minimal Debian, in which everything is built anew: CRYPTOSTITCH_LONG=1")
@pytest.mark.parametrize("group", steps.GROUPS)
def test_group(can_make_roots: None, root: Path, tmp_path: Path, group: str) -> None:
    command = (sys.executable, "-m", "bare", "--folder", tmp_path, group)
    done = subprocess.run(command, cwd=root / "tests", stdout=subprocess.PIPE, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout
