"""Contexts that are held to a target."""

from __future__ import annotations

import pytest
from cryptostitch.binding.runtime import Context, RuntimeFailure


def context_for(target: str, library: str) -> Context:
    """Skips where the CPU has less than the target."""
    try:
        return Context(target=target, library=library)
    except RuntimeFailure:
        pytest.skip(f"no {target} here")
