"""`cst-sum` of an installed wheel, or of a checkout: the built program takes this process's place."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
PROGRAMS = PACKAGE / "bin/cst-sum", PACKAGE.parents[1] / "build/cst-sum"
"""Where a wheel has the program, and where `make` leaves it in a checkout."""


def cst_sum() -> None:
    """Runs the program cst-sum, with the options and the name of this process; returns its exit status."""
    for program in PROGRAMS:
        if program.exists():
            os.execv(program, sys.argv)
    sys.exit("cst-sum: nothing is built here: run `make` in the checkout")
