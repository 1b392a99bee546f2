"""Every truncation and every field at its extremes, through the reader and its checks under the sanitizers: a clear
error or a harmless pack, whose kernels are run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from handmade import ALGORITHM, program, recipe, tool

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cryptostitch.emit.compress import compressed
from cryptostitch.emit.pack import write_pack
from test_pack_checks import pack_of, reader, sample_program


@pytest.mark.parametrize(
    "body, sound",
    [
        ("mov g1, [g0+4088]:64", True),
        ("mov g1, [g0+4096]:64", False),
        ("mov g1, [g0-8]:64", False),
        ("mov g1, [g0]:64\nmov [g1]:64, g1", False),  # the input is not its to write
    ],
)
def test_faults_are_seen(body: str, sound: bool, tmp_path: Path) -> None:
    path = tmp_path / "unchecked.pack"
    path.write_bytes(write_pack([ALGORITHM], [recipe("k@scalar", program("x@scalar#2", body, features="sse2"))]))
    run = subprocess.run([tool("cst-pack-damage"), "--unchecked", path], capture_output=True, text=True, timeout=60)
    assert run.returncode == (0 if sound else 1) and ("faulted" in run.stdout) != sound, run.stdout + run.stderr
    assert "1 kernels run, 0 not" in run.stdout


@pytest.mark.parametrize("store", [bytes, compressed])
def test_damage_everywhere(store: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "pair.pack"
    path.write_bytes(pack_of(sample_program(), reader(), lags=(0, 1), store=store))
    run = subprocess.run([tool("cst-pack-damage"), path], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    print(run.stdout)
