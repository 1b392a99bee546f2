"""Contexts that are held to a target, and what runs on them."""

from __future__ import annotations

import pytest
from cryptostitch.binding.runtime import ERR_UNSUPPORTED, Context, RuntimeFailure


def context_for(target: str, library: str) -> Context:
    """Skips where the CPU has less than the target."""
    try:
        return Context(target=target, library=library)
    except RuntimeFailure:
        pytest.skip(f"no {target} here")


def runs(context: Context, kernel: str) -> bool:
    """Whether this CPU can run the kernel."""
    try:
        context.kernel(kernel)
    except RuntimeFailure as failure:
        assert failure.code == ERR_UNSUPPORTED, kernel
        return False
    return True
