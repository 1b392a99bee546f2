"""Names in the built library, for parameters of tests; empty when nothing is built (tests with a context then say
so)."""

from __future__ import annotations

import functools

from cryptostitch.binding import runtime
from jobs.samples import suites_of


@functools.cache
def _suite_names() -> tuple[str, ...]:
    try:
        return tuple(suites_of(runtime.Context()))
    except FileNotFoundError:
        return ()


def suite_names() -> list[str]:
    """Returns the suites that this CPU runs: all of them, where it has AES-NI (test_lesser_cpu.py)."""
    return list(_suite_names())


@functools.cache
def _kernel_names() -> tuple[str, ...]:
    try:
        return tuple(runtime.Context().kernels())
    except FileNotFoundError:
        return ()


def kernel_names() -> list[str]:
    """Returns all kernels of the library."""
    return list(_kernel_names())
