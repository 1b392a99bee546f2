"""The codec of examples/erasure_code: proved, run natively on random factors, in ISA-L's field."""

import ctypes
import ctypes.util
import subprocess
import sys
from pathlib import Path

import pytest
from cryptostitch.ladder.field import multiply

ROOT = Path(__file__).resolve().parents[1]


def test_codecs_pass_the_ladder():
    found = subprocess.run(
        [sys.executable, "-m", "cryptostitch.cli", "verify", "codec4*", "--templates", ROOT / "examples/erasure_code"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    for isa in ("sse", "avx2", "avx512_gfni"):
        assert f"@{isa} " in found.stdout


def test_field_is_that_of_isa_l():
    library = ctypes.util.find_library("isal")
    if not library:
        pytest.skip("no ISA-L here")
    isal = ctypes.CDLL(library)
    isal.gf_mul.restype = ctypes.c_ubyte
    assert all(isal.gf_mul(a, b) == multiply(a, b) for a in range(256) for b in range(256))
