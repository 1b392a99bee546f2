"""`cst-sum` of an installed wheel: the program lies beside the library, and takes this process's place."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cst_sum() -> None:
    """Runs the program cst-sum, with the options and the name of this process; returns its exit status."""
    program = Path(__file__).resolve().parents[1] / "bin" / "cst-sum"
    if not program.exists():
        sys.exit("cst-sum: only a wheel has it here; in a checkout it is build/cst-sum")
    os.execv(program, sys.argv)
