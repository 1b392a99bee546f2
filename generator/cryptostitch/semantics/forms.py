"""A row at one width with its immediate, and words repeated over a vector."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Form:
    """``bits``: the instruction's width, as in ``Row.widths``. ``immediate``: its immediate operand, 0 where it has
    none."""

    bits: int
    immediate: int = 0


Meaning = Callable[[Form], Any]


@functools.cache
def repeat(value: int, element: int, bits: int) -> int:
    """``value`` in each element of ``element`` bits of a vector."""
    return sum(value << at for at in range(0, bits, element))


LANE = (1 << 128) - 1
