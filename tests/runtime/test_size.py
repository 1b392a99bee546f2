"""How large the library is, and what it is made of."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

MOST = 4_300_000


def stripped(path: Path, folder: Path) -> Path:
    tool = shutil.which("strip") or shutil.which("llvm-strip-14")
    if tool is None:
        pytest.skip("no strip here")
    small = folder / path.name
    subprocess.run([tool, "-o", small, path], check=True)
    return small


def static_kernels(build: Path) -> str:
    """Returns which static kernels the build folder was configured with."""
    lines = (build / "CMakeCache.txt").read_text().splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith("CST_STATIC_KERNELS:"))


def test_the_library_is_small(build: Path, tmp_path: Path) -> None:
    """With the whole default pack and its static kernels, stripped."""
    library = build / "libcryptostitch.so"
    if not library.exists():
        pytest.fail(f"{library} is not built", pytrace=False)
    if static_kernels(build) == "all":
        pytest.skip("built with -DCST_STATIC_KERNELS=all, which is larger")
    size, pack = stripped(library.resolve(), tmp_path).stat().st_size, (build / "generated/default.pack").stat().st_size
    print(f"{size} bytes, {pack} of them the default pack")
    assert pack < size < MOST


def test_the_page_says_the_limit(root: Path) -> None:
    assert f"less than {MOST / 1e6:.1f} MB, stripped" in (root / "cmake/README.md").read_text()
