"""Hostile calls of every entry: lengths, absence, places, sizes and enumerations. After an error nothing is written,
and the right call with the same objects gives what it gave before."""

from __future__ import annotations

import pytest
from api_table.cases import CASES, Case
from api_table.hostile import KINDS, findings, right_call, summary
from api_table.known import KNOWN
from api_table.objects import Objects
from api_table.roles import Length
from api_table.rows import ENTRIES
from cryptostitch.binding.capi import ERR_UNSUPPORTED
from cryptostitch.binding.failures import RuntimeFailure
from sanitized import LONG

QUICK_SUITES = ("aes-128-gcm", "aes-128-cbc+hmac-sha1-etm", "sha256", "shake128", "crc32c")
"""Of those that share an entry, in the quick form; they differ in what they take."""


def cases_of(entry: str) -> list[Case]:
    found = [case for case in CASES.values() if case.entry == entry]
    several = len(found) > 4 and not entry.startswith("cst_pk")
    return [case for case in found if LONG or not several or case.name.startswith(QUICK_SUITES)] or found


def runnable(case: Case, objects: Objects) -> bool:
    """Whether this CPU has what the case needs."""
    try:
        right_call(case, objects)
    except RuntimeFailure as failure:
        if failure.code != ERR_UNSUPPORTED:
            raise
        return False
    return True


def every(case: Case, kind: str) -> int:
    """Returns n of "each n-th call": the quick form makes a few of the calls that take long."""
    return 12 if case.slow and kind == "lengths" and not LONG else 1


def cells() -> list[object]:
    return [
        pytest.param(
            entry,
            kind,
            id=f"{entry}-{kind}",
            marks=[pytest.mark.xfail(strict=True, reason=reason)] if (reason := KNOWN.get((entry, kind))) else [],
        )
        for entry in ENTRIES
        for kind in KINDS
    ]


@pytest.mark.parametrize("entry, kind", cells())
def test_hostile_calls(entry: str, kind: str, objects: Objects) -> None:
    found = [
        each
        for case in cases_of(entry)
        if runnable(case, objects)
        for each in summary(findings(case, objects, kind, every(case, kind)))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_right_calls_at_both_ends_of_a_page(entry: str, objects: Objects) -> None:
    for case in cases_of(entry):
        if runnable(case, objects):
            at_end, at_begin = (right_call(case, objects, each) for each in (True, False))
            if case.result is not None and not case.name.startswith("rsa"):
                assert at_end.outputs == at_begin.outputs or entry in ADDRESSES, case


ADDRESSES = {"cst_key_init", "cst_kernel_info_get", "cst_suite_info_get", "cst_kernel_stream", "cst_kernel_field"}
"""They write addresses, or a key, which holds some."""


def test_every_length_of_the_table_is_tried(objects: Objects) -> None:
    """A length that no case has is a hole in the table."""
    from api_table.hostile import laid_out

    tried: set[tuple[str, str]] = set()
    for case in CASES.values():
        if runnable(case, objects):
            frame = laid_out(case, objects)
            tried |= {(case.entry, cell.name) for cell in frame.cells.values() if isinstance(cell.role, Length)}
            objects.end()
    wanted = {
        (name, each)
        for name, entry in ENTRIES.items()
        for each, role in entry.roles.items()
        if isinstance(role, Length)
    }
    assert wanted <= tried
