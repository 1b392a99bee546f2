"""The library under test, and the objects that right calls need."""

from __future__ import annotations

import pytest
from api_table.objects import Objects
from cryptostitch.binding import runtime


@pytest.fixture(scope="session")
def library() -> str:
    try:
        return runtime.library_path()
    except FileNotFoundError as error:
        pytest.fail(f"{error}", pytrace=False)


@pytest.fixture(scope="session")
def objects(library: str) -> Objects:
    return Objects(library)
