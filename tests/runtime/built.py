"""Names in the built library, for parameters of tests; empty when nothing is built (tests with a context then say
so)."""

from __future__ import annotations

from cryptostitch.binding import runtime


def runs(context: runtime.Context, suite: str) -> bool:
    """Whether this CPU has the instructions of the suite."""
    try:
        context.suite(suite)
    except runtime.RuntimeFailure as failure:
        if failure.code != runtime.ERR_UNSUPPORTED:
            raise
        return False
    return True


def suite_names() -> list[str]:
    """Those that this CPU runs: all of them, where it has AES-NI (test_lesser_cpu.py)."""
    try:
        context = runtime.Context()
    except FileNotFoundError:
        return []
    return [name for name in context.suites() if runs(context, name)]


def kernel_names() -> list[str]:
    try:
        return runtime.Context().kernels()
    except FileNotFoundError:
        return []
