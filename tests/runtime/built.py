"""Names in the built library, for parameters of tests; empty when nothing is built (tests with a context then say
so)."""

from __future__ import annotations

from cryptostitch.binding import runtime


def suite_names() -> list[str]:
    try:
        return runtime.Context().suites()
    except FileNotFoundError:
        return []


def kernel_names() -> list[str]:
    try:
        return runtime.Context().kernels()
    except FileNotFoundError:
        return []
