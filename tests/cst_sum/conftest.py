"""The program that these tests run."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def program(build: Path) -> Path:
    if not (build / "cst-sum").exists():
        pytest.fail("cst-sum is not built", pytrace=False)
    return build / "cst-sum"
