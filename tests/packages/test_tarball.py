"""`make tarball`: unpacked somewhere, moved elsewhere, used by a C project."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from packages.consumer import run, with_cmake, with_pkg_config


@pytest.fixture(scope="module")
def prefix(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder to which the unpacked tree has been moved."""
    folder = tmp_path_factory.mktemp("tarball")
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", folder)
    archive = next(folder.glob("cryptostitch-*-linux-x86_64.tar.gz"))
    said = Path(f"{archive}.sha256").read_text().split()[0]
    assert said == hashlib.sha256(archive.read_bytes()).hexdigest()
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "first", filter="data")
    return shutil.move(next((folder / "first").iterdir()), folder / "another place")


def test_pkg_config(prefix: Path, tmp_path: Path) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config here")
    link = tmp_path / "prefix"  # pkg-config writes blanks with a backslash
    link.symlink_to(prefix)
    with_pkg_config(link, tmp_path)


def test_cmake(prefix: Path, tmp_path: Path) -> None:
    with_cmake(prefix, tmp_path)


def test_cst_sum_and_its_manual(prefix: Path, tmp_path: Path) -> None:
    """Finds the library beside it; every option of its help has an entry."""
    (tmp_path / "file").write_bytes(b"abc")
    program = prefix / "bin/cst-sum"
    assert run(program, "-a", "md5", "file", cwd=tmp_path).startswith(hashlib.md5(b"abc").hexdigest())
    page = (prefix / "share/man/man1/cst-sum.1").read_text().replace("\\-", "-")
    options = re.findall(r"^ {2,6}(-.*?)(?:  |$)", run(program, "--help"), re.M)
    assert len(options) > 15 and all(f".TP\n.B {option}\n" in page for option in options), options
    if shutil.which("man"):
        rendered = run("man", "--warnings", "-l", prefix / "share/man/man1/cst-sum.1", MANPAGER="cat", LC_ALL="C")
        assert "--s3-etag=PART" in rendered


def test_it_is_stripped_and_complete(prefix: Path) -> None:
    assert b"_ZN3cst" not in next(prefix.glob("lib/libcryptostitch.so.0.*")).read_bytes(), "not stripped"
    assert {p.name for p in (prefix / "share/doc/cryptostitch").iterdir()} == {
        *("LICENSE", "LICENSE.asmjit", "LICENSE.libsodium", "LICENSE.zstd")
    }
    assert not list(prefix.rglob("*.py")) and not list(prefix.rglob("*.j2")), "what wheels have came along"


def test_the_header_is_a_manual_page(prefix: Path) -> None:
    """With every function and comment; each function's page leads to it."""
    header = (prefix / "include/cryptostitch/cryptostitch.h").read_text()
    folder = prefix / "share/man/man3"
    functions = set(re.findall(r"^CST_API [^(]*?(cst_\w+)\(", header, re.M))
    assert len(functions) > 80 and {page.stem for page in folder.iterdir()} == {*functions, "cryptostitch"}
    assert all((folder / f"{name}.3").read_text() == ".so man3/cryptostitch.3\n" for name in functions)
    page = (folder / "cryptostitch.3").read_text()

    def words(text: str) -> list[str]:
        return re.findall(r"\w+", text.replace("\\-", "-").replace("\\e", "\\"))

    told, missing = set(words(page)), []
    for comment in re.findall(r"/\*(.*?)\*/", header, re.S):
        missing += [word for word in words(comment) if word not in told and word.upper() not in told]
    assert not missing
    if shutil.which("man"):
        rendered = run("man", "--warnings", "-l", folder / "cryptostitch.3", MANPAGER="cat", LC_ALL="C.UTF-8")
        assert "cst_burst_pointers" in rendered


def test_programs_are_bound_to_the_interface(prefix: Path, tmp_path: Path) -> None:
    """A program that was linked with another second number does not start, and says why."""
    library = next(prefix.glob("lib/libcryptostitch.so.0.*"))
    version = re.search(r"^#define CST_VERSION_MAJOR (\d+)\n#define CST_VERSION_MINOR (\d+)$",
                        (prefix / "include/cryptostitch/cryptostitch.h").read_text(), re.M)  # fmt: skip
    assert version
    node = f"CRYPTOSTITCH_{version[1]}.{version[2]}"
    unversioned = [line for line in run("objdump", "-T", library).splitlines() if " cst_" in line and node not in line]
    assert not unversioned
    (tmp_path / "main.c").write_text("int cst_version(void); int main(void) { return !cst_version(); }")
    (tmp_path / "other.c").write_text("int cst_version(void) { return 1; }")
    (tmp_path / "other.map").write_text("CRYPTOSTITCH_0.0 { global: cst_version; local: *; };")
    run("cc", "-shared", "-fPIC", "other.c", "-o", "libcryptostitch.so", "-Wl,-soname,libcryptostitch.so.0",
        "-Wl,--version-script=other.map", cwd=tmp_path)  # fmt: skip
    run("cc", "main.c", "-o", "main", "-L.", "-lcryptostitch", cwd=tmp_path)
    done = subprocess.run([tmp_path / "main"], env={"LD_LIBRARY_PATH": str(prefix / "lib")}, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode and "CRYPTOSTITCH_0.0' not found" in done.stderr
