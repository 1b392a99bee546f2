"""What is shipped: the same bytes from a build in another folder, no path of the machine that built it, no assertion
that ends the program."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from jobs.samples import LONG
from packages.consumer import run

FILES = (
    "libcryptostitch.a",
    "libcryptostitch.so",
    "cst-sum",
    "libcst-python.so",
    "integrations/openssl/cryptostitch.so",
)
TARGETS = ("cryptostitch", "cryptostitch_static", "cst-sum", "cst_python")
SOURCES = ("asmjit", "sodium", "zstd")


def paths_in(data: bytes, folders: tuple[Path, ...]) -> list[str]:
    """The texts of a file that name one of the folders or a file of source."""
    texts = re.findall(rb"[\x20-\x7e]{4,}", data)
    named = b"|".join(re.escape(str(folder).encode()) for folder in folders)
    return [
        text.decode()
        for text in texts
        if re.search(named, text) or re.search(rb"/\S+\.(c|h|cc|cpp|hpp|S|py|j2)\b|_deps/", text)
    ]


@pytest.mark.parametrize("name", FILES)
def test_no_path_is_in_it(root: Path, build: Path, name: str) -> None:
    file = build / name
    if not file.exists():
        pytest.skip("not built: no headers of OpenSSL 3.0 or later (apt-get install libssl-dev)")
    assert paths_in(file.read_bytes(), (root, build, Path.home())) == []


def test_a_path_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("const char *f(void) { return __FILE__; }\n")
    for option, seen in ("-g0", True), (f"-ffile-prefix-map={tmp_path}=", False):
        run("cc", "-g", "-c", option, tmp_path / "a.c", "-o", tmp_path / "a.o")
        found = paths_in((tmp_path / "a.o").read_bytes(), (tmp_path,))
        assert any(str(tmp_path) in text for text in found) == seen


def asserts(library: Path) -> bool:
    """Whether anything calls the function that prints why an assertion of asmjit failed, and ends the program."""
    return "assertionFailed" in run("nm", "--undefined-only", library)


def test_no_assertion_of_asmjit_is_in_it(build: Path, tmp_path: Path) -> None:
    assert not asserts(build / "libcryptostitch.a")
    source = build / "_deps/asmjit-src/src"
    (tmp_path / "a.cpp").write_text("#include <asmjit/core.h>\nvoid f(int a) { ASMJIT_ASSERT(a); }\n")
    run("c++", "-std=c++17", "-w", f"-I{source}", "-c", "a.cpp", cwd=tmp_path)
    assert asserts(tmp_path / "a.o"), "without ASMJIT_BUILD_RELEASE"


@pytest.mark.slow
def test_two_folders(root: Path, build: Path, tmp_path: Path) -> None:
    """Source, build and libraries lie elsewhere, under names of another length."""
    if not LONG:
        pytest.skip("compiles the library twice: CRYPTOSTITCH_LONG=1")
    made = []
    for name in ("a", "a folder with a longer name"):
        source = tmp_path / name / "source"
        source.mkdir(parents=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".", ":!tests", ":!bench"],
            cwd=root, capture_output=True, check=True,
        ).stdout  # fmt: skip
        for path in filter(None, listed.decode().split("\0")):
            if (root / path).is_file():
                (source / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / path, source / path)
        for library in SOURCES:
            shutil.copytree(build / f"_deps/{library}-src", tmp_path / name / library, symlinks=True)
        options = [f"-DFETCHCONTENT_SOURCE_DIR_{n.upper()}={tmp_path / name / n}" for n in SOURCES]
        options += ["-DCST_TESTS=OFF", "-DCST_BENCH=OFF", f"-DCST_PREGENERATED={build / 'generated'}"]
        # with debug information, which names folders too; Debian's packages are built so
        options += ["-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
        folder = tmp_path / name / "build"
        run("cmake", "-S", source, "-B", folder, "-G", "Ninja", "--log-level=ERROR", *options)
        targets = [*TARGETS, *(["cst_openssl"] if (build / FILES[-1]).exists() else [])]
        run("cmake", "--build", folder, "-j", "2", "--target", *targets)
        run("cmake", "--install", folder, "--prefix", tmp_path / name / "prefix")
        made.append({file: (folder / file).read_bytes() for file in FILES if (folder / file).exists()})
        installed = (path for path in (tmp_path / name / "prefix").rglob("*") if path.is_file())
        made[-1] |= {str(path.relative_to(tmp_path / name)): path.read_bytes() for path in installed}
    first, second = made
    assert first.keys() == second.keys() and len(first) > len(FILES)
    assert [name for name in first if first[name] != second[name]] == []
