"""What README.md says of the command line."""

from __future__ import annotations

import hashlib
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.binding import runtime
from cryptostitch.cli import main


def test_every_command_line(root: Path, build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As written; one that times takes the second that is its default."""
    if not {"aes", "sha"} <= set(runtime.Context().cpu()["features"]):
        pytest.skip("this CPU has no AES-NI or SHA extensions")
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^cryptostitch (.*)$", (root / "README.md").read_text(), re.M)
    assert len(lines) >= 3
    for line in lines:
        result = CliRunner().invoke(main, shlex.split(line))
        assert result.exit_code == 0, f"{line}: {result.output}{result.stderr}"


def test_the_binding(root: Path, build: Path) -> None:
    """The program of "From Python", which asserts for itself."""
    text = (root / "README.md").read_text().partition("### 5. From Python")[2]
    code = text.partition("```python\n")[2].partition("```")[0]
    assert "assert" in code and "hash_many" in code
    found: dict = {}
    exec(code, found)
    assert found["digests"][0] == hashlib.sha256(b"many").digest()


def test_the_table_names_every_command(root: Path) -> None:
    rows = "\n".join(re.findall(r"^\| (`cryptostitch .*?) \|", (root / "README.md").read_text(), re.M))
    assert set(re.findall(r"`cryptostitch ([\w-]+)", rows)) == set(main.commands)
