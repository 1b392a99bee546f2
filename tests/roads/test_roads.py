"""The roads of users who have packages and no checkout (README.md)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jobs.samples import LONG
from packages.consumer import make_once, run

pytestmark = pytest.mark.skipif(not LONG, reason="packages are made and used: CRYPTOSTITCH_LONG=1")
HERE = Path(__file__).parent
DEBIAN = ("dpkg-buildpackage", "dh", "lintian", "dpkg-deb")
ROADS = {
    "provider": (*DEBIAN, "openssl", "awk"),
    "gateway": (*DEBIAN, "cmake", "cc"),
    "frame": (),
    "signatures": ("cargo", "cc", "c++"),
    "own_hash": (),
    "own_cipher": (),
    "own_mac": (),
    "own_aead": (),
}
"""The programs that each needs, with those that make its package."""
SAYS = {
    "provider": "used: AES-128-CTR came from cryptostitch",
    "gateway": "all opened again",
    "frame": "digest",
    "signatures": "99 of 100 signatures are right",
    "own_hash": "3e4d273ba69b3b9c",
    "own_cipher": "aria-128-gcm: 1 known answers are right",
    "own_mac": "e545be4961ca29a1",
    "own_aead": "ascon-aead128: 13 known answers are right",
}
CARRIED = ("PATH", "LANG", "CARGO_HOME", "RUSTUP_HOME", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_CERT", "SSL_CERT_FILE")
"""What of this environment a road has, beside variables of proxies."""


def test_every_script_is_a_road() -> None:
    assert {path.stem for path in HERE.glob("*.sh")} == set(ROADS) == set(SAYS)


@pytest.fixture(scope="module")
def packages(root: Path, build: Path, testrun_uid: str) -> Callable[[str], Path]:
    """Makes the packages of a road."""

    def make_wheel() -> None:
        for old in (build / "packages").glob("*.whl"):
            old.unlink()
        prebuilt = ("--no-build-isolation", "-C", f"cmake.define.CST_PREBUILT={build}")
        run(sys.executable, "-m", "pip", "wheel", "-q", root, "--no-deps", "-w", build / "packages", *prebuilt)

    def make(road: str) -> Path:
        kind = {"provider": "deb", "gateway": "deb", "signatures": "crate"}.get(road, "wheel")
        script = root / {"deb": "packaging/deb.sh", "crate": "packaging/rust/crate.sh"}.get(kind, "")
        return make_once(build, kind, testrun_uid, make_wheel if kind == "wheel" else lambda: run(script))

    return make


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Nothing of the checkout: neither its programs, nor its modules, nor its home."""
    home = tmp_path_factory.mktemp("home")
    kept = {name: value for name, value in os.environ.items() if name in CARRIED or name.lower().endswith("_proxy")}
    checkout = Path(sys.executable).parent
    path = [part for part in kept["PATH"].split(":") if Path(part) != checkout]
    cargo = {name: str(Path.home() / f".{name.partition('_')[0].lower()}") for name in ("CARGO_HOME", "RUSTUP_HOME")}
    return {**cargo, **kept, "PATH": ":".join(path), "HOME": str(home), "CARGO_TARGET_DIR": str(home / "target")}


@pytest.fixture(scope="module")
def with_generator(root: Path, packages: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; what its extras bring is that of the checkout's environment."""
    home = tmp_path_factory.mktemp("wheel") / "env"
    run(sys.executable, "-m", "venv", "--without-pip", home)
    wheel = next(packages("own_hash").glob("*.whl"))
    run(sys.executable, "-m", "pip", "--python", home / "bin/python", "install", "-q", "--no-index", wheel)
    return home


@pytest.mark.parametrize("road", ROADS)
def test_road(
    road: str,
    root: Path,
    packages: Callable[[str], Path],
    environment: dict[str, str],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    if missing := [tool for tool in ROADS[road] if shutil.which(tool) is None]:
        pytest.skip(f"this road wants {' '.join(missing)}")
    given = {"PACKAGES": str(packages(road)), "SCRIPTS": str(tmp_path / "scripts")}
    shutil.copytree(HERE, tmp_path / "scripts")
    if road.startswith("own"):
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / "examples" / road, tmp_path / "examples" / road, ignore=skipped)
        home = request.getfixturevalue("with_generator")
        extras = next((root / ".venv/lib").glob("python3.*/site-packages"))
        given |= {"EXAMPLES": str(tmp_path / "examples"), "ENV": str(home), "PYTHONPATH": str(extras)}
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        ["sh", tmp_path / f"scripts/{road}.sh"],
        cwd=tmp_path / "empty",
        env={**environment, **given},
        capture_output=True,
        text=True,
        timeout=900,
    )
    if road == "frame" and "No matching distribution" in done.stderr:
        pytest.skip("no registry of Python packages here")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert SAYS[road] in done.stdout, done.stdout[-3000:]
