"""Every truncation and every field at its extremes, through the reader and its checks under the sanitizers: a clear error or a harmless pack."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from handmade import tool  # noqa: E402
from cryptostitch.emit.compress import compressed  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_pack_checks import pack_of, reader, sample_program  # noqa: E402


@pytest.mark.parametrize("store", [bytes, compressed])
def test_damage_everywhere(store: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "pair.pack"
    path.write_bytes(pack_of(sample_program(), reader(), lags=(0, 1), store=store))
    run = subprocess.run([tool("cst-pack-damage"), path], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    print(run.stdout)
