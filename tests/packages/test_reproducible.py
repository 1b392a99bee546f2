"""What is shipped: the same bytes from a build in another folder, no path of the machine that built it, no assertions
that end the program."""

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
OF_LINUX = rb"/(proc|sys|dev)/.*|/tmp/(perf-%d\.map|jit-%d\.dump)?"


def paths_in(data: bytes, folders: tuple[Path, ...]) -> list[str]:
    """The texts of a file that name one of the folders or a file of source, or that assertions print."""
    texts = re.findall(rb"[\x20-\x7e]{4,}", data)
    named = b"|".join(re.escape(str(folder).encode()) for folder in folders)
    return [
        text.decode()
        for text in texts
        if re.search(named, text) or re.search(rb"/\S+\.(c|h|cc|cpp|hpp|S|py|j2)\b|_deps/|[Aa]ssertion fail", text)
    ]


@pytest.mark.parametrize("name", FILES)
def test_no_path_is_in_it(root: Path, build: Path, name: str) -> None:
    file = build / name
    if not file.exists():
        pytest.skip("not built: no headers of OpenSSL 3.0 or later (apt-get install libssl-dev)")
    found = paths_in(file.read_bytes(), (root, build, Path.home()))
    if file.suffix == ".a":  # has the function of asmjit's assertions, which nobody calls and linkers leave out
        found = [text for text in found if not text.startswith("[asmjit] Assertion failed at")]
    assert found == []


def test_a_path_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        'const char *f(void) { return __FILE__; }\n__asm__(".string \\"Assertion failed\\"");\n'
    )
    run("cc", "-c", tmp_path / "a.c", "-o", tmp_path / "a.o")
    found = paths_in((tmp_path / "a.o").read_bytes(), (tmp_path,))
    assert [text for text in found if "a.c" in text] and [text for text in found if "Assertion" in text]
    run("cc", "-c", tmp_path / "a.c", "-o", tmp_path / "a.o", f"-ffile-prefix-map={tmp_path}=x", "-g")
    assert str(tmp_path) not in "".join(paths_in((tmp_path / "a.o").read_bytes(), (tmp_path,)))


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
