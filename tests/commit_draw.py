"""What the commit's hash draws: of statements that stand in many tests, or whose price is high, a share runs for each
commit and all in the long form."""

from __future__ import annotations

import functools
import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def git(*arguments: str) -> str:
    """The output of a git command in this checkout; empty where it fails."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


@functools.cache
def commit() -> str:
    """The commit's hash; empty outside of a git checkout."""
    return git("rev-parse", "HEAD")


def _key(name: str, of: str | None) -> int:
    digest = hashlib.sha256(f"{commit() if of is None else of} {name}".encode()).digest()
    return int.from_bytes(digest[:4])


def is_drawn(name: str, share: int, of: str | None = None) -> bool:
    """Whether it is the turn of ``name`` in a commit (``of``: else this one's hash). One of ``share`` names is drawn
    by a commit, and a name by one of ``share`` commits."""
    return _key(name, of) % share == 0


def drawn(names: Iterable[str], number: int, of: str | None = None) -> list[str]:
    """Draws exactly ``number`` of the names, where there are so many, by the hash of a commit, and sorts them."""
    return sorted(sorted(names, key=lambda name: _key(name, of))[:number])
