"""The versions of intel-ipsec-mb's interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from integrations.ipsec_mb import Interface


@pytest.fixture(params=[1, 2], ids=["so.1", "so.2"])
def interface(request: pytest.FixtureRequest, build: Path) -> Interface:
    its = Interface(build, request.param)
    its.require()
    return its
