"""Calls that take many jobs, made of cases with one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from api_table.cases import CASES, Case, Values
from api_table.objects import Objects

ARRAYS = {
    "cst_burst": "jobs",
    "cst_burst_pointers": "jobs",
    "cst_pk_burst": "jobs",
    "cst_digest_parts": "parts",
    "cst_text_parts": "parts",
    "cst_quic_seal": "packets",
    "cst_quic_open": "packets",
}
"""By entry: the array of jobs, whose number is `n`."""
NUMBERS = (1, 3, 8, 17, 64)
STATUS = {"cst_burst", "cst_burst_pointers", "cst_pk_burst", "cst_text_parts", "cst_quic_seal", "cst_quic_open"}
"""Entries whose jobs have a status."""
CASES_OF_MANY = [case for case in CASES.values() if case.entry in ARRAYS]


def manyfold(case: Case, n: int, spoil: Callable[[int, Values], Values] | None = None) -> Case:
    """The call with n such jobs. ``spoil``: makes another job of one, by its index."""
    name = ARRAYS[case.entry]

    def values(objects: Objects) -> dict[str, Any]:
        whole = case.values(objects)
        (job,) = whole[name]
        return whole | {name: [spoil(i, dict(job)) if spoil else job for i in range(n)]}

    return replace(case, values=values, slots=8 * n + 20, pages=3)
