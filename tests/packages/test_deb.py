"""`make deb`: what the packages hold, and programs that use them. They are unpacked, not installed."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

import pytest
from jobs.samples import LONG
from packages.consumer import ABC, make_once, run, with_cmake, with_pkg_config

NAMES = ("libcryptostitch0", "libcryptostitch-dev", "cryptostitch-tools")
INTEGRATIONS = ("cryptostitch-openssl", "cryptostitch-ipsec-mb")  # the library is linked into them
NEEDED = ("dpkg-buildpackage", "dh", "lintian", "pkg-config")


@pytest.fixture(scope="module")
def packages(root: Path, build: Path, testrun_uid: str) -> dict[str, Path]:
    """Returns the packages by name; lintian has checked them."""
    if not LONG:
        pytest.skip("compiles the library once more: CRYPTOSTITCH_LONG=1")
    missing = [tool for tool in NEEDED if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"no {' '.join(missing)} here (`make deb` as root installs it)")
    folder = make_once(build, "deb", testrun_uid, lambda: run(root / "packaging/deb.sh"))
    return {path.name.partition("_")[0]: path for path in folder.glob("*.deb")}


@pytest.fixture(scope="module")
def unpacked(packages: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deb")
    for package in packages.values():
        run("dpkg-deb", "--extract", package, folder)
    return folder / "usr"


def test_what_there_is(packages: dict[str, Path]) -> None:
    assert packages.keys() == {*NAMES, *INTEGRATIONS}
    needs = {name: run("dpkg-deb", "--field", path, "Depends") for name, path in packages.items()}
    assert "libc6" in needs["libcryptostitch0"] and "libstdc++6" in needs["libcryptostitch0"]
    for name in NAMES[1:]:
        assert "libcryptostitch0 (= 0.1.0)" in needs[name]
    assert not any("libcryptostitch0" in needs[name] for name in INTEGRATIONS)
    files = {name: run("dpkg-deb", "--contents", path) for name, path in packages.items()}
    assert "libcryptostitch.so.0 ->" in files["libcryptostitch0"] and ".h\n" not in files["libcryptostitch0"]
    assert "./usr/share/man/man1/cst-sum.1.gz" in files["cryptostitch-tools"]
    dev = files["libcryptostitch-dev"]
    assert "./usr/include/cryptostitch/cryptostitch.h" in dev and "/man3/cst_burst.3.gz" in dev
    assert "libstdc++" in run("dpkg-deb", "--field", packages["libcryptostitch-dev"], "Recommends")


def test_consumers(unpacked: Path, tmp_path: Path) -> None:
    with_pkg_config(unpacked, tmp_path)
    with_cmake(unpacked, tmp_path)


def test_the_examples_of_the_package(unpacked: Path, tmp_path: Path) -> None:
    """Each is built against the package as it lies there, without the checkout's Python: no package has the
    generator."""
    folder = unpacked / "share/doc/libcryptostitch-dev/examples"
    examples = [each for each in folder.iterdir() if (each / "CMakeLists.txt").exists()]
    names = {"embed", "erasure_code", "packets", "quic"}
    assert {each.name for each in examples} == names
    for each in examples:
        build = tmp_path / each.name
        system = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
        run("cmake", "-S", each, "-B", build, f"-DCMAKE_PREFIX_PATH={unpacked}", "--log-level=ERROR", **system)
        run("cmake", "--build", build, **system)


def test_every_example_of_the_package_can_be_built(root: Path) -> None:
    """Those that generate kernels need the generator, which is in no package."""
    listed = (root / "packaging/debian/libcryptostitch-dev.examples").read_text().split()
    texts = {each: (root / each / "CMakeLists.txt").read_text() for each in listed}
    assert listed and [each for each, text in texts.items() if "cryptostitch_add_" in text] == []


def test_cst_sum(unpacked: Path, tmp_path: Path) -> None:
    """It finds the library as the system's are found, by no path of its own."""
    (tmp_path / "file").write_bytes(b"abc")
    program = unpacked / "bin/cst-sum"
    assert "RUNPATH" not in run("readelf", "-d", program)
    library = next(unpacked.rglob("libcryptostitch.so.0")).parent
    out = run(program, "-a", "sha1", tmp_path / "file", LD_LIBRARY_PATH=str(library))
    assert out.startswith(hashlib.sha1(b"abc").hexdigest())


def test_openssl_loads_the_provider(unpacked: Path) -> None:
    folder = next(unpacked.rglob("ossl-modules"))
    out = run("openssl", "list", "-providers", "-provider-path", folder, "-provider", "cryptostitch")
    assert re.search(r"name: Cryptostitch", out, re.I) and "status: active" in out


def test_the_provider_s_lines_and_check(packages: dict[str, Path], unpacked: Path) -> None:
    """The module's path is where the package puts it; the lines are the administrator's to change."""
    lines = (unpacked.parent / "etc/cryptostitch/openssl.cnf").read_text()
    module = re.search(r"^module = /(.*)$", lines, re.M)
    assert module and (unpacked.parent / module[1]).exists()
    assert "/etc/cryptostitch/openssl.cnf" in run("dpkg-deb", "--info", packages["cryptostitch-openssl"], "conffiles")
    assert os.access(unpacked / "share/cryptostitch/openssl-check", os.X_OK)


def test_a_program_of_ipsec_mb_takes_the_drop_in(unpacked: Path, tmp_path: Path) -> None:
    run("cc", Path(__file__).with_name("ipsec_mb_digest.c"), "-o", tmp_path / "main", "-lIPSec_MB")
    folder = next(unpacked.rglob("libIPSec_MB.so.1")).parent
    assert folder.name == "ipsec-mb"
    assert run(tmp_path / "main", LD_LIBRARY_PATH=str(folder)).startswith(ABC)
