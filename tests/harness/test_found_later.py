"""What is installed after the first configuration reaches the build (cmake/found_later.cmake)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from packages.consumer import run

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(finder LANGUAGES NONE)
list(INSERT CMAKE_SYSTEM_PREFIX_PATH 0 "{prefix}")
include("{root}/cmake/found_later.cmake")
cst_find_header(ITS_HEADER its/header.h)
cst_find_library(ITS_LIBRARY its)
file(WRITE "${{PROJECT_BINARY_DIR}}/found" "${{ITS_HEADER}} ${{ITS_LIBRARY}}")
add_custom_target(nothing ALL)
"""
ONLY_THERE = re.compile(r"^\s*(find_path|find_library)\(|find_package\((OpenSSL|ZLIB)\b", re.MULTILINE)


def test_it_is_looked_for_again(root: Path, tmp_path: Path) -> None:
    """When it comes, and when it goes; and a build without news does not configure."""
    prefix, build = tmp_path / "usr", tmp_path / "b"
    header, library = prefix / "include/its/header.h", prefix / "lib/libits.a"
    for path in (header, library):
        path.parent.mkdir(parents=True)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(prefix=prefix, root=root))
    run("cmake", "-S", tmp_path, "-B", build, "-G", "Ninja")

    def found() -> str:
        run("cmake", "--build", build)
        return (build / "found").read_text()

    assert found() == "ITS_HEADER-NOTFOUND ITS_LIBRARY-NOTFOUND"
    header.touch()
    assert found() == f"{prefix}/include ITS_LIBRARY-NOTFOUND"
    library.touch()
    assert found() == f"{prefix}/include {library}"
    (build / "found").write_text("as it was")
    assert found() == "as it was"
    header.unlink()
    assert found() == f"ITS_HEADER-NOTFOUND {library}"


def test_nothing_is_looked_for_once(root: Path) -> None:
    """Of the build itself: examples, and what users build, are configured when everything is there."""
    files = subprocess.run(
        [
            "git",
            "ls-files",
            "-co",
            "--exclude-standard",
            "*CMakeLists.txt",
            "*.cmake",
            ":!examples",
            ":!packaging",
            ":!tests/runtime/sanitize",
        ],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert len(files) > 20
    seen = {name: ONLY_THERE.findall((root / name).read_text()) for name in files if "found_later" not in name}
    assert not {name: calls for name, calls in seen.items() if calls}
    assert ONLY_THERE.search("    find_path(X y.h)\n") and ONLY_THERE.search("find_package(ZLIB)")
