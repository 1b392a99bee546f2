"""The README of a folder of tests names every file of the folder, and no test that is not there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

EVERYWHERE = {"README.md", "CMakeLists.txt", "conftest.py", "sources.cmake"}
"""Files whose meaning is that of all files of their name."""
MUST_HAVE_ONE = {"api_table", "cli", "engine", "generator", "ladder", "pages", "runtime", "soak", "vectors"}
FOLDERS = sorted(page.parent.name for page in Path(__file__).resolve().parents[1].glob("*/README.md"))


def words(page: str) -> set[str]:
    """What stands between backquotes, without the arguments behind it."""
    return {each.split()[0] for each in re.findall(r"`([^`\n]*[^`\s][^`\n]*)`", page)}


def entries(folder: Path) -> set[str]:
    """The files and, with a slash, the folders in a folder that git knows or would add."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "."]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.split()
    return {name.partition("/")[0] + "/" * ("/" in name) for name in listed if (folder / name).exists()} - EVERYWHERE


def missing(page: str, names: set[str]) -> set[str]:
    """The names that a page does not have, neither whole nor without their ending."""
    return {name for name in names if not {name, name.partition(".")[0]} & words(page)}


def left_over(page: str, names: set[str]) -> set[str]:
    """Test files that stand in the first column of a page's tables, and that are not there."""
    stems = {name.partition(".")[0] for name in names}
    first = "\n".join(re.findall(r"^\|([^|]*)\|", page, re.M))
    return {word for word in words(first) if word.startswith("test_") and word.partition(".")[0] not in stems}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_page_names_the_files_of_its_folder(root: Path, folder: str) -> None:
    page, names = (root / "tests" / folder / "README.md").read_text(), entries(root / "tests" / folder)
    everywhere = {path.name for path in (root / "tests").rglob("test_*.py")}
    assert len(names) > 1 and not missing(page, names) and not left_over(page, names | everywhere)
    assert "## Where does my change go?" in page


def test_these_folders_have_one(root: Path) -> None:
    assert set(FOLDERS) >= MUST_HAVE_ONE
    folders = {name for name in entries(root / "tests") if name.endswith("/")}
    assert not missing((root / "tests/README.md").read_text(), folders)


def test_what_is_forgotten_or_gone_is_seen() -> None:
    page = "| `test_a`, `b.cpp` | `sub/` | `c.py ARGUMENT`; test_d"
    names = {"test_a.py", "b.cpp", "b.hpp", "sub/", "c.py", "test_d.py", "other/"}
    assert missing(page, names) == {"b.hpp", "test_d.py", "other/"}
    assert left_over(page + "\n| `test_e.py`, `test_a` | `test_of_a_function` |", names) == {"test_e.py"}
