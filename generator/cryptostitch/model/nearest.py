"""Which instruction table stands in on a CPU that has none of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.errors import CryptostitchError
from ..core.instructions import features_of
from .forms import all_forms
from .table import Table, read_table, tables


def forms_of(features: set[str]) -> set[str]:
    """The forms that a CPU of these features runs."""
    return {str(form) for form in all_forms() if features_of(form.row, form.bits) <= features}


def _maker(brand: str) -> str:
    """The first word of a CPU's name: "AMD", "Intel(R)"."""
    return next(iter(brand.split()), "").casefold()


def nearest_table(cpu: Mapping[str, Any]) -> tuple[Table, str]:
    """Returns the shipped table with the most of the forms that the CPU runs (of equal ones that of the same maker's
    CPU, then the one with the fewest other forms), and a sentence that names it and says that it is not this CPU's.

    ``cpu``: what ``Context.cpu`` gives."""
    runs = forms_of(set(cpu["features"]))

    def nearness(table: Table) -> tuple[int, bool, int]:
        return len(runs & set(table.rows)), _maker(table.cpu) == _maker(cpu["brand"]), -len(set(table.rows) - runs)

    there = [read_table(path) for path in tables().values()]
    if not there:
        raise CryptostitchError("no instruction table is shipped; `cryptostitch probe -o FILE` writes one for --cpu")
    found = max(there, key=nearness)
    shared, same_maker, _ = nearness(found)
    return found, (
        f"not this CPU's figures: there is no instruction table of it ({cpu['microarchitecture']}, "
        f"{cpu['brand'].strip()}), and {found.microarchitecture} is the nearest: its table has {shared} of the "
        f"{len(runs)} instruction forms that this CPU runs{', and the maker is the same' if same_maker else ''}. What "
        "is measured is measured here; `cryptostitch probe -o FILE` writes this CPU's table for --cpu FILE"
    )
