"""Public-key operations where the CPU has less, or the system gives no executable memory (lesser_public_keys.cpp): an
operation needs hashes, which may be missing where its own kernels are not."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest
from cryptostitch.binding.runtime import Context
from sanitized import LONG, compiled

HASHES_NEED = ("bmi2", "ssse3", "sse4.1", "avx", "avx2", "sha", "avx512f")


@pytest.fixture(scope="module")
def program(library: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("lesser_public_keys.cpp", library, tmp_path_factory.mktemp("lesser"))


def test_results_or_errors_without_features(program: Path, shared_context: Context) -> None:
    """Each feature is taken away, and pairs: of those that hashes need, all of them in the long form."""
    features = shared_context.cpu()["features"]
    paired = features if LONG else [name for name in features if name in HASHES_NEED]
    gone = [(), *((name,) for name in features), *itertools.combinations(paired, 2)]
    targets = ["-".join(("host", *names)) for names in gone]
    done = subprocess.run([program, *targets], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    found = dict(line.split(": ", 1) for line in done.stdout.splitlines()[:-1])
    assert set(found) == set(targets) and found["host"] in ("10 operations", "13 operations")
    if {"bmi2", "ssse3"} <= set(features):
        assert int(found["host-bmi2-ssse3"].split()[0]) < 10  # no SHA-2 there
