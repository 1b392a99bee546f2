"""Conan's recipe: the package is built, and a program built against it, by the recipe's own test_package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jobs.samples import LONG
from packages.consumer import run

CONAN = "conan==2.34.0"


@pytest.fixture(scope="module")
def conan(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The program, and a home of its own."""
    if not LONG:
        pytest.skip("installs Conan and compiles the library twice more: CRYPTOSTITCH_LONG=1")
    folder = tmp_path_factory.mktemp("conan")
    run(sys.executable, "-m", "venv", folder / "env")
    run(folder / "env/bin/pip", "install", "-q", CONAN)
    run(folder / "env/bin/conan", "profile", "detect", CONAN_HOME=str(folder / "home"))
    return folder / "env/bin/conan", folder / "home"


@pytest.mark.parametrize("shared", [True, False])
def test_create(root: Path, build: Path, conan: tuple[Path, Path], shared: bool) -> None:
    program, home = conan
    settings = {"pregenerated": build / "generated", "sources": build / "_deps"}
    conf = [word for name, path in settings.items() for word in ("-c", f"user.cryptostitch:{name}={path}")]
    conf += ["-c", "tools.cmake.cmake_layout:test_folder=$TMP"]  # not into the checkout
    create = (program, "create", root / "packaging/conan", "-o", f"cryptostitch/*:shared={shared}", *conf)
    # Conan writes everything to the standard error
    out = run("sh", "-c", 'exec "$@" 2>&1', "sh", *create, "--build=missing", "-nr", CONAN_HOME=str(home))
    assert "the digest of abc is right" in out
    packages = [{path.name for path in folder.iterdir()} for folder in home.glob("p/b/*/p/lib")]
    wanted = "libcryptostitch.so.0" if shared else "libcryptostitch.a"
    assert any(wanted in names and not (shared and "libcryptostitch.a" in names) for names in packages), packages
