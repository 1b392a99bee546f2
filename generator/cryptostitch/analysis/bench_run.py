"""cst-bench, run."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..core.errors import CryptostitchError

BUILT = Path(__file__).resolve().parents[3] / "build/cst-bench"


class BenchFailure(CryptostitchError):
    """cst-bench was not built, or it failed."""


def program() -> Path:
    """Returns the checkout's cst-bench, else one in PATH. BenchFailure when there is none."""
    found = BUILT if BUILT.exists() else shutil.which("cst-bench")
    if not found:
        raise BenchFailure(
            "cst-bench is not built: run `make` (it needs libcrypto's headers, Debian's libssl-dev), or give --results "
            "FILE"
        )
    return Path(found)


def measured(path: Path, options: Sequence[str], rows: str, quiet: bool) -> Path:
    """Runs it; its results go to ``path``, its table to standard output unless ``quiet``. BenchFailure."""
    bench = program()
    chosen = ["--rows", rows] if rows != "*" else []
    done = subprocess.run([bench, "--json", path, *chosen, *options], stdout=subprocess.DEVNULL if quiet else None)
    if done.returncode:
        raise BenchFailure(f"cst-bench ended with status {done.returncode}; `{bench} --help` shows its options")
    return path
