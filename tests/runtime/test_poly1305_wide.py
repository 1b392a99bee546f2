"""The bulk Poly1305 of runtime/suite/poly1305_wide.hpp against one block after the other, for as long as there is one
beside the kernels."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from test_dispatch import compiled


def test_by_vectors(root: Path, library: str, tmp_path: Path) -> None:
    """Every number of blocks up to 300, with keys, blocks and accumulators at their extremes."""
    program = compiled(root, library, tmp_path, "poly1305_test")
    done = subprocess.run([program], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split()[0]) >= 300 * 3 * 4 * 4
