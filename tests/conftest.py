"""What all tests share: where the checkout is, what was built, and examples built against an installed prefix."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Callable

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def build() -> Path:
    """The build folder, as `make` leaves it; the test fails when there is none."""
    folder = ROOT / "build"
    if not (folder / "libcryptostitch.so").exists():
        pytest.fail("nothing is built: run `make` first (or `make test`)", pytrace=False)
    return folder


@pytest.fixture(scope="session")
def example(build: Path) -> Callable[[str], Path]:
    """Builds an example by name against an installed prefix, once, and returns its build folder."""
    built: dict[str, Path] = {}

    def get(name: str) -> Path:
        if name not in built:
            done = subprocess.run([ROOT / "examples/build.sh", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert done.returncode == 0, done.stdout
            built[name] = build / "examples" / name
        return built[name]

    return get
