"""The executable instruction model: what every row of instructions.py, and what the frame adds, computes.

``MEANING[name](Form(bits, immediate))`` is a function of the values that the instruction reads, as whole numbers
without sign: its operands in the row's order, immediates left out, then the registers that it reads without naming
them, then the carry flag if it reads it. It gives the value written (two registers as one number, the first above the
second), or is a ``scalar.Flagged`` where flags are written too. ``CONTROL`` acts on the machine itself.
"""

from __future__ import annotations

from . import aes, clmul, frame, galois, logic, scalar, sha, shuffles
from .forms import Form, Meaning
from .frame import CONTROL, FRAME, JUMPS
from .scalar import Flagged

MEANING: dict[str, Meaning] = {
    **logic.MEANING,
    **shuffles.MEANING,
    **aes.MEANING,
    **clmul.MEANING,
    **galois.MEANING,
    **sha.MEANING,
    **scalar.MEANING,
    **frame.MEANING,
}

__all__ = ["CONTROL", "FRAME", "JUMPS", "MEANING", "Flagged", "Form", "Meaning"]
