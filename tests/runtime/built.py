"""Names in the built library, for parameters of tests; empty when nothing is built (tests with a context then say
so)."""

from __future__ import annotations

from cryptostitch.binding import runtime
from jobs.samples import suites_of


def suite_names() -> list[str]:
    """Returns the suites that this CPU runs: all of them, where it has AES-NI (test_lesser_cpu.py)."""
    try:
        return suites_of(runtime.Context())
    except FileNotFoundError:
        return []


def kernel_names() -> list[str]:
    try:
        return runtime.Context().kernels()
    except FileNotFoundError:
        return []
