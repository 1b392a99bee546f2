"""Runs cst-sum."""

from __future__ import annotations

import subprocess
from pathlib import Path


def run(program: Path, *arguments: str, cwd: Path, stdin: bytes = b"") -> tuple[int, str, str]:
    """Returns its status, what it writes to standard output, and its messages."""
    done = subprocess.run([program, *arguments], cwd=cwd, input=stdin, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()
