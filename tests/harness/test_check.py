"""The parts of `make check` that are the project's own: each finds what it is there for, and forgets nothing."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAULT = '#include "h.hpp"\nint f(int a) {\n    if (a == TWO);\n    return a;\n}\n'


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"cmake/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_long_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    for name in ("a.j2", "b.json", "c.sh", "Makefile"):
        Path(name).write_text(f"short\n{'x' * (120 if name == 'c.sh' else 121)}\n")
    long = "x" * 121
    Path("d.md").write_text(f"| {long} |\n```\n{long}\n```\n{long}\n<img {long}>\n[a]: {long}\n- {long}\n")
    lines = loaded("check_lines")
    assert lines.main() == 0  # nothing is tracked
    subprocess.run(["git", "add", "."], check=True)
    assert lines.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "Makefile:2: 121 columns",
        "a.j2:2: 121 columns",
        "d.md:5: 121 columns",
        "d.md:8: 123 columns",
    ]


TEXT_CALLS = """
p.write_text(a)
p.read_text()
open("f")
open("f", "w")
p.open()
p.open("w", newline="")
click.open_file("f", "w")
os.fdopen(3, "w")
io.open("f")
"""
OTHER_CALLS = """
p.write_text(a, encoding="utf-8")
p.write_text(a, "utf-8")
p.read_text(encoding=None)
open("f", "rb")
open("f", mode="xb")
p.open("rb")
tarfile.open("f")
self.write_text(a)
key.open(data, iv=iv)
os.open("f", 0)
os.fdopen(3, "rb")
"""


def test_text_without_an_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    Path("tools").mkdir()
    Path("tools/a.py").write_text(TEXT_CALLS + OTHER_CALLS)
    assert loaded("check_encoding").main() == 1
    wrong = range(2, 2 + len(TEXT_CALLS.split("\n")) - 2)
    assert capsys.readouterr().out.splitlines() == [f"tools/a.py:{line}: no encoding=" for line in wrong]
    Path("tools/a.py").write_text(OTHER_CALLS)
    assert loaded("check_encoding").main() == 0


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, Path]:
    """A project of one file and one header, and the module that checks it."""
    tidy = loaded("check_tidy")
    if not tidy.TIDY.exists():
        pytest.skip("clang-tidy is not installed: `make venv`")
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    (tmp_path / ".clang-tidy").write_text("Checks: '-*,bugprone-*'\nWarningsAsErrors: '*'\n")
    (tmp_path / "runtime").mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / "runtime/h.hpp").write_text("#pragma once\nconstexpr int TWO = 2;\n")
    (tmp_path / "runtime/a.cpp").write_text(FAULT)
    command = f"c++ -mmemset-strategy=x -I{tmp_path}/runtime -c {tmp_path}/runtime/a.cpp"
    entry = {"directory": str(tmp_path), "file": f"{tmp_path}/runtime/a.cpp", "command": command}
    (tmp_path / "build/compile_commands.json").write_text(json.dumps([entry]))
    return tidy, tmp_path


def run(tidy: ModuleType, folder: Path) -> int:
    tidy.included.cache_clear()
    return tidy.main(folder / "build")


def test_a_fault_is_found_until_it_is_gone(project: tuple[ModuleType, Path], capsys: pytest.CaptureFixture) -> None:
    tidy, folder = project
    for _ in range(2):
        assert run(tidy, folder) == 1
        assert "bugprone-suspicious-semicolon" in capsys.readouterr().out
    (folder / "runtime/a.cpp").write_text(FAULT.replace(");\n    return", ") return 0;\n    return"))
    assert run(tidy, folder) == 0


@pytest.mark.parametrize("changed", ["runtime/a.cpp", "runtime/h.hpp", ".clang-tidy", "build/compile_commands.json"])
def test_what_passed_is_looked_at_when_it_changes(
    project: tuple[ModuleType, Path], monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    tidy, folder = project
    (folder / "runtime/a.cpp").write_text('#include "h.hpp"\nint f() { return TWO; }\n')
    assert run(tidy, folder) == 0
    looked: list[Path] = []
    monkeypatch.setattr(tidy, "tidy", lambda build, path: (path, looked.append(path) or ""))
    assert run(tidy, folder) == 0 and not looked
    text = (folder / changed).read_text()
    (folder / changed).write_text(text.replace("-c ", "-DX -c ") if changed.endswith("json") else text + "\n")
    assert run(tidy, folder) == 0 and looked == [folder / "runtime/a.cpp"]
