"""One browser for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages.browser import chromium, missing


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    with chromium(Path(tmp_path_factory.mktemp("profile"))) as driver:
        yield driver
