"""The upper layers over mock kernels (mock/), with the worst weave that a lag allows.

Also algorithms that the default pack may lack: md5 (little-endian), sha512 (128-byte blocks), sha384 on its kernels.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_same_tests_over_mock_kernels(root: Path, build: Path, tmp_path: Path) -> None:
    library = tmp_path / "libmock.so"
    env = {**os.environ, "CXXFLAGS": "-O1", "OBJECTS": f"{build}/CMakeFiles/cst_runtime.dir/runtime"}
    subprocess.run([root / "tests/runtime/mock/build.sh", library], check=True, env=env, timeout=600)
    env["CRYPTOSTITCH_LIBRARY"] = str(library)
    tests = [
        f"tests/runtime/test_{part}.py"
        for part in ("plan_mixed", "plan_numbers", "plan_lengths", "api_choice", "api_open")
    ]
    names = "(md5 or sha512 or wide) and not test_every_kernel_forced"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "-k", names, *tests],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
