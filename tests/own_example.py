"""Helpers of the tests of examples that add rows of one's own: they copy an example, run commands in the copy, and put
faults into it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import ModuleType

from click.testing import CliRunner
from cryptostitch.cli import main
from cryptostitch.core.own import own_rows


def copied(example: Path, to: Path) -> Path:
    """Copies an example away from the checkout."""
    return Path(shutil.copytree(example, to, ignore=shutil.ignore_patterns("__pycache__")))


def run(*arguments: object, code: int = 0) -> str:
    """Runs a command of `cryptostitch`, which must end with that exit status; what it printed, or its errors."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == code, f"{arguments}: {result.output}{result.stderr}{result.exception!r}"
    return result.stdout if code == 0 else result.stderr


def module_of(folder: Path) -> ModuleType:
    """The folder's algorithms.py, for what it computes in plain Python."""
    own_rows(folder / "algorithms.py")
    return next(m for m in sys.modules.values() if getattr(m, "__file__", None) == str(folder / "algorithms.py"))


def assert_found(folder: Path, fault: tuple[str, str, str], to: Path, pack: str, kernel: str, check: str) -> None:
    """Puts a fault (file, right text, wrong text) into a copy of the folder: the known answers must refuse a ``pack``
    of these kernels, and that check of `verify` must fail for the kernel."""
    own, (name, right, wrong) = copied(folder, to), fault
    text = (own / name).read_text()
    assert right in text
    (own / name).write_text(text.replace(right, wrong))
    assert "known answers" in run("pack", own, "--kernels", pack, "-o", own / "x.pack", code=1)
    result = CliRunner().invoke(main, ["verify", kernel, "--templates", str(own), "--check", check, "--jobs", "1"])
    assert result.exit_code == 1 and "fail" in result.output, result.output
