"""`cst-sum` of an installed wheel: the program lies beside the library, and takes this process's place."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cst_sum() -> None:
    """Its options, its exit status, and, through a link of another name, the hash of that name."""
    program = Path(__file__).resolve().parents[1] / "bin" / "cst-sum"
    if not program.exists():
        sys.exit("cst-sum: only a wheel has it here; in a checkout it is build/cst-sum")
    os.execv(program, sys.argv)
