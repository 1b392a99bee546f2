"""`cst-sum` of an installed wheel, where the program lies beside the library, or of a checkout, where it is in
`build/`: it takes the place of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cst_sum() -> None:
    """Its options, its exit status, and, through a link of another name, the hash of that name."""
    _, package, _, checkout, *_ = Path(__file__).resolve().parents
    program = package / "bin" / "cst-sum"
    if not program.exists():
        program = checkout / "build" / "cst-sum"
    if not program.exists():
        sys.exit("cst-sum: neither a wheel's nor a checkout's, whose `make` builds it")
    os.execv(program, sys.argv)
