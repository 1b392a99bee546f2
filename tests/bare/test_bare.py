"""The pages' commands in a minimal Debian root (`python -m bare`), and whether none of them is forgotten."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bare import machine, steps
from jobs.samples import LONG


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


@pytest.mark.skipif(not LONG, reason="a minimal Debian, in which everything is built anew: CRYPTOSTITCH_LONG=1")
@pytest.mark.parametrize("group", steps.GROUPS)
def test_group(root: Path, tmp_path: Path, group: str) -> None:
    if os.geteuid() or not shutil.which("mmdebstrap"):
        pytest.skip("no mmdebstrap here, or no right to run it")
    command = (sys.executable, "-m", "bare", "--folder", tmp_path, group)
    done = subprocess.run(command, cwd=root / "tests", stdout=subprocess.PIPE, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout
