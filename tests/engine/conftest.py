"""Contexts over the built library, one for each level of instructions."""

from __future__ import annotations

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import Context
from jobs.samples import TARGETS


@pytest.fixture(scope="session")
def library() -> str:
    try:
        return runtime.library_path()
    except FileNotFoundError as error:
        pytest.fail(f"{error}", pytrace=False)


@pytest.fixture(scope="session")
def contexts(library: str) -> dict[str, Context]:
    """Returns a context for each target, for tests that do not change it."""
    return {target: Context(target=target, library=library) for target in TARGETS}


@pytest.fixture(scope="session")
def host(contexts: dict[str, Context]) -> Context:
    return contexts["host"]
