"""Contexts over the built library (CRYPTOSTITCH_LIBRARY, else build/libcryptostitch.so)."""

from __future__ import annotations

import pytest
from cryptostitch.binding import runtime


@pytest.fixture(scope="session")
def library() -> str:
    try:
        path = runtime.library_path()
    except FileNotFoundError as error:
        pytest.fail(f"{error}", pytrace=False)
    return path


@pytest.fixture(scope="session")
def shared_context(library: str) -> runtime.Context:
    """One for all tests that change nothing."""
    return runtime.Context(library=library)


@pytest.fixture
def context(library: str) -> runtime.Context:
    """A fresh one."""
    return runtime.Context(library=library)
