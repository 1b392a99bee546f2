"""The pkg-config file where the folders of headers and library are absolute, as Nix and Guix give them, or not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from packages.consumer import run

PREFIX = "/opt/prefix"


@pytest.fixture
def configured(root: Path, build: Path, tmp_path: Path):
    """Returns a function that configures with these folders and returns the build's folder."""
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config here")

    def configure(**folders: str) -> Path:
        options = [f"-DFETCHCONTENT_SOURCE_DIR_{n.upper()}={build}/_deps/{n}-src" for n in ("asmjit", "sodium", "zstd")]
        options += [f"-DCST_PREGENERATED={build / 'generated'}", "-DCST_TESTS=OFF", "-DCST_BENCH=OFF"]
        options += [f"-DCMAKE_INSTALL_PREFIX={PREFIX}", *(f"-DCMAKE_INSTALL_{k}={v}" for k, v in folders.items())]
        run("cmake", "-S", root, "-B", tmp_path / "b", "-G", "Ninja", "--log-level=ERROR", *options)
        return tmp_path / "b"

    return configure


@pytest.mark.parametrize("library", ["lib", "lib/x86_64-linux-gnu", "/else/lib"])
@pytest.mark.parametrize("include", ["include", "/headers"])
def test_folders(configured, tmp_path: Path, library: str, include: str) -> None:
    built = configured(LIBDIR=library, INCLUDEDIR=include)
    prefix = Path(PREFIX) if library.startswith("/") else tmp_path / "moved"
    place = tmp_path / "moved" / library.lstrip("/") / "pkgconfig"
    place.mkdir(parents=True)
    shutil.copy(built / "cryptostitch.pc", place)
    said = run("pkg-config", "--cflags", "--libs", "cryptostitch", PKG_CONFIG_PATH=str(place)).split()
    where = [Path(flag[2:]).resolve() for flag in said if flag[:2] in ("-I", "-L")]
    assert where == [prefix / include, prefix / library]
    assert said[-1] == "-lcryptostitch"


def test_a_program_finds_the_library(configured) -> None:
    """cst-sum looks for it in an absolute folder as it stands."""
    for library, where in ("/else/lib", "/else/lib:$ORIGIN/../lib"), ("lib64", "$ORIGIN/../lib64:$ORIGIN/../lib"):
        script = (configured(LIBDIR=library) / "tools/cst-sum/cmake_install.cmake").read_text()
        assert f'"{where}"'.replace("$", "\\$") in script
