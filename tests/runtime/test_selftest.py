"""cst_selftest where the CPU lacks what a kernel's test needs beside the kernel: a skip, not a crash."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest
from cryptostitch.binding import runtime
from handmade import ROOT
from jobs.samples import LONG

PROGRAM = """
import sys
from cryptostitch.binding.runtime import ALLOW_LEGACY, ERR_UNSUPPORTED, OK, Context
for target in sys.argv[1:]:
    print(target, flush=True)
    results = Context(ALLOW_LEGACY, target=target).selftest()
    assert set(results.values()) <= {OK, ERR_UNSUPPORTED}, results
print("done")
"""


def features() -> list[str]:
    try:
        return runtime.Context().cpu()["features"]  # type: ignore[no-any-return]
    except FileNotFoundError:
        return []


def self_tested(*targets: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *targets],
        env=os.environ | {"PYTHONPATH": str(ROOT / "generator")},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stdout[-100:] + done.stderr


@pytest.mark.parametrize("feature", features())
def test_without_a_feature(feature: str) -> None:
    self_tested(f"host-{feature}")


@pytest.mark.parametrize("feature", ["aes", "pclmul", "ssse3", "bmi2", "adx", "sha"])
def test_without_two(feature: str) -> None:
    """Each of these, on which code outside of kernels depends, with others: all of them in the long form."""
    pairs = [f"host-{feature}-{other}" for other in features() if other != feature]
    self_tested(*(pairs if LONG else itertools.islice(pairs, 0, None, 5)))
