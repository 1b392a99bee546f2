"""Contexts over the built library (CRYPTOSTITCH_LIBRARY, else build/libcryptostitch.so)."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from cryptostitch.binding import runtime
from painted_stack import PROMISED, PaintedStack


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


@pytest.fixture(autouse=True, scope="module")
def painted(library: str) -> Iterator[PaintedStack | None]:
    """All calls of the library run on a painted stack, in the files of this folder; in the end the deepest are printed.
    Not those of a library that is named, as a sanitizer may be in it."""
    if os.environ.get("CRYPTOSTITCH_LIBRARY"):
        yield None
        return
    with PaintedStack(runtime.load(library), size=256 << 10) as stack:
        yield stack
        deepest = sorted(stack.deepest.items(), key=lambda of: of[1], reverse=True)
        print("\nstack: " + ", ".join(f"{name} {depth}" for name, depth in deepest[:5]))


@pytest.fixture(autouse=True)
def shallow(painted: PaintedStack | None) -> Iterator[None]:
    """No call needs more of the stack than the header promises."""
    yield
    if painted:
        depths = painted.depths()
        assert not {name for name, depth in depths.items() if depth > PROMISED}, depths
