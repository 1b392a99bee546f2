"""The long tests' parts (parts.py): whether they are all of them, when they ran, and how some are
drawn."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import long_runs
import parts
import pytest
from bare.steps import GROUPS
from bare.test_bare import FIRSTS
from commit_draw import drawn, git
from cryptostitch.mutate.text import LEVELS

KNOBS = {"LONG", "LEVELS", "one_of_each", "effort"}
"""Names from jobs/ and sanitized.py whose values CRYPTOSTITCH_LONG changes."""
HELPERS = {"jobs/samples.py", "runtime/sanitized.py"}
VARIABLE = "CRYPTOSTITCH_LONG"


def strings_of(tree: ast.Module) -> set[object]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def programs(root: Path) -> set[str]:
    """Sources of test programs that ask for the variable, by their names."""
    files = [*(root / "tests").rglob("*.cpp"), *(root / "tests").rglob("*.c")]
    return {file.name for file in files if VARIABLE in file.read_text()}


def imports_knob(tree: ast.Module) -> bool:
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return any(
        (node.module or "").split(".")[0] in ("jobs", "sanitized") and KNOBS & {alias.name for alias in node.names}
        for node in imports
    )


def functions_of(tree: ast.Module) -> list[str]:
    """Functions and methods, as node ids name them behind the file; TestCase classes of hypothesis too."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            found.append(node.name)
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            found += [f"{node.name}::{each.name}" for each in node.body if getattr(each, "name", "").startswith("test")]
    return found or ["any"]


def long_files(root: Path) -> dict[str, ast.Module]:
    """Test files that CRYPTOSTITCH_LONG changes, by their paths below tests/."""
    found = {}
    asking = {VARIABLE, *programs(root)}
    for file in sorted((root / "tests").rglob("test_*.py")):
        tree = ast.parse(file.read_text())
        name = file.relative_to(root / "tests").as_posix()
        if name != "harness/test_parts.py" and (asking & strings_of(tree) or imports_knob(tree)):
            found[name] = tree
    return found


def test_every_long_test_has_one_part(root: Path) -> None:
    files = long_files(root)
    assert len(files) > 40
    for file, tree in files.items():
        for test in functions_of(tree):
            if file == parts.PACK:
                nodes = [f"{file}::{test}[{batch}]" for batch in range(parts.PACK_BATCHES)]
            elif file == "bare/test_bare.py":
                nodes = [f"{file}::test_group[{group}]" for group in GROUPS]
                nodes += [f"{file}::test_first_command[{first.name}]" for first in FIRSTS]
            elif test == f"test_{parts.SAMPLE}":
                nodes = [f"{file}::{test}[{level}]" for level in LEVELS]
            else:
                nodes = [f"{file}::{test}", f"{file}::{test}[a]"]
            for node in nodes:
                assert len(parts.part_of(node)) == 1, node


def test_every_part_has_tests(root: Path) -> None:
    files = long_files(root)
    for name, patterns in parts.PARTS.items():
        for pattern in patterns:
            file = re.sub(r"\\(.)", r"\1", pattern.partition("::")[0])
            assert file in files, f"{name}: {file}"
    assert parts.part_of("harness/test_parts.py::test_every_part_has_tests") == []


def test_only_helpers_read_the_variable_beside_them(root: Path) -> None:
    readers = {
        file.relative_to(root / "tests").as_posix()
        for file in (root / "tests").rglob("*.py")
        if not file.name.startswith("test_") and VARIABLE in strings_of(ast.parse(file.read_text()))
    }
    assert readers <= HELPERS | {"long_runs.py"}, (
        "a test file that imports from it has a part only if KNOBS names what it imports"
    )


def test_the_packs_batches(root: Path) -> None:
    text = (root / "tests" / parts.PACK).read_text()
    assert int(re.search(r"^BATCHES = (\d+)$", text, re.M)[1]) == parts.PACK_BATCHES
    assert parts.PACK_BATCHES % parts.PACK_PARTS == 0


def test_every_part_has_run() -> None:
    runs = long_runs.read(long_runs.PAGE.read_text())
    assert set(runs) | parts.NEVER_RUN == set(parts.PARTS) and not set(runs) & parts.NEVER_RUN
    for run in runs.values():
        age = long_runs.commits_since(run.commit)
        assert age is not None and age <= long_runs.OLDEST, f"`make test-long PART={run.part}` is due: {age}"
        assert int(run.passed) > 0 and float(run.minutes) >= 0, run


def test_the_page_of_runs() -> None:
    run = long_runs.Run("tls", "0123456789", "2026-01-02", "a CPU (zen3)", "1.5", "12", "3")
    later = replace(run, part="soak", skipped="0")
    text = long_runs.write({"tls": run, "soak": later})
    assert long_runs.read(text) == {"soak": later, "tls": run} and text.startswith(long_runs.HEAD)
    assert long_runs.PAGE.read_text() == long_runs.write(long_runs.read(long_runs.PAGE.read_text()))


def test_how_far_a_commit_lies_back() -> None:
    assert long_runs.commits_since("HEAD") == 0 and long_runs.commits_since("0" * 40) is None
    assert long_runs.commits_since(git("rev-list", "--max-parents=0", "HEAD").split()[0]) > 0


def test_the_oldest_are_drawn() -> None:
    ages = {str(n): n for n in range(20)}
    assert parts.oldest(ages, 2) == ["19", "18", "17", "16", "15"]
    seen = {name for n in range(60) for name in drawn(parts.oldest(ages, 2), 2, f"commit {n}")}
    assert seen == set(parts.oldest(ages, 2))
    assert parts.oldest({"a": 1, "b": 2, "c": 3}, 2) == ["c", "b"] and parts.oldest({}, 2) == []
    assert drawn("abcd", 2, "x") == drawn("dcba", 2, "x") and len(drawn("abcd", 2, "x")) == 2 and drawn("", 2) == []


def test_a_part_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRYPTOSTITCH_LONG", "1")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", "tests/generator"]
    done = subprocess.run([*command, "--part", "models"], cwd=root, capture_output=True, text=True)
    assert re.findall(r"^tests/\S+", done.stdout, re.M) == ["tests/generator/test_allocate_random.py:"], done.stdout
    done = subprocess.run([*command, "--part", "model"], cwd=root, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR and "models" in done.stderr
