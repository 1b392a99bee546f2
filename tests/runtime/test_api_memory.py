"""Memory that runs out: see memory_test.cpp."""

from __future__ import annotations

import subprocess
from pathlib import Path


def test_every_allocation_fails_once(root: Path, library: str, tmp_path: Path) -> None:
    program = tmp_path / "memory_test"
    source = root / "tests/runtime/memory_test.cpp"
    subprocess.run(["c++", "-O1", "-I", root / "include", source, library, "-ldl", "-o", program], check=True)
    run = subprocess.run(
        [program],
        capture_output=True,
        text=True,
        timeout=300,
        env={"LD_LIBRARY_PATH": str(Path(library).resolve().parent)},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    print(run.stdout)
