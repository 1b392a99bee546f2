"""The static library in a program that has other copies of what is linked into it, and in a shared library of the
user's: names, and what is exported."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from packages.consumer import run

OURS = r"cst_.*|.*\b(cst|cst_asmjit)::.*"
STANDARD = r"DW\.ref\..*|.*\bstd::.*|guard variable for std::.*"
"""Of libstdc++'s headers: every program has these under one name, and all are alike."""
FOR_GDB = r"__jit_debug_(descriptor|register_code)"
ASMJIT = ("core/string.cpp", "core/zone.cpp", "core/archtraits.cpp", "core/type.cpp")
USER = r"""
#include <asmjit/core.h>
extern "C" int cst_version(void);
int main() {
    asmjit::String text;
    text.append("own");
    return cst_version() ? !text.eq("own") : 1;
}
"""


def defined(file: Path) -> Iterable[tuple[str, bool]]:
    """The names that the objects of a file define for others, demangled, and whether a shared library exports them."""
    symbol = re.compile(r" *\d+: \w+ +\w+ \w+ +(GLOBAL|WEAK|UNIQUE) +(\w+) +(\w+) (\S+)$")
    found = []
    for line in run("readelf", "--symbols", "--wide", file).splitlines():
        match = symbol.match(line)
        if match and match[3] != "UND":
            found.append((match[4], match[2] in ("DEFAULT", "PROTECTED")))
    names = subprocess.run(
        ["c++filt"], input="\n".join(name for name, _ in found), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return zip(names, [visible for _, visible in found])


def problems(file: Path, api: set[str]) -> list[str]:
    found = []
    for name, visible in defined(file):
        if not re.fullmatch(f"{OURS}|{STANDARD}|{FOR_GDB}", name):
            found.append(f"a name that others may have: {name}")
        elif visible and name not in api and not re.fullmatch(f"{STANDARD}|{FOR_GDB}", name):
            found.append(f"exported: {name}")
    return found


def functions(root: Path) -> set[str]:
    header = (root / "include/cryptostitch/cryptostitch.h").read_text()
    return set(re.findall(r"^CST_API [^;(]*?\b(cst_\w+)\(", header, re.M))


def test_names(root: Path, build: Path) -> None:
    api = functions(root)
    assert problems(build / "libcryptostitch.a", api) == []
    assert {name for name, visible in defined(build / "libcryptostitch.a") if visible} >= api


def test_faults_are_seen(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        'extern "C" { int cst_a() { return 1; } int cst_k_b() { return 1; } int ZSTD_c() { return 1; } }\n'
        "namespace cst { int d() { return 1; } }\n"
        '__attribute__((visibility("hidden"))) int cst_e() { return 1; }\n'
        '__attribute__((visibility("hidden"))) int f() { return 1; }\n'
    )
    run("c++", "-c", "a.cpp", cwd=tmp_path)
    run("ar", "qc", "liba.a", "a.o", cwd=tmp_path)
    assert problems(tmp_path / "liba.a", {"cst_a"}) == [
        "exported: cst_k_b",
        "a name that others may have: ZSTD_c",
        "exported: cst::d()",
        "a name that others may have: f()",
    ]


def linked(build: Path, folder: Path, *options: str) -> set[str]:
    """What a shared library exports that is linked with all of the static one."""
    made = folder / "user.so"
    whole = ("-Wl,--whole-archive", str(build / "libcryptostitch.a"), "-Wl,--no-whole-archive")
    run("c++", "-shared", "-o", made, *whole, *options, "-lpthread")
    lines = run("nm", "-DC", "--defined-only", made).splitlines()
    return {line.split(None, 2)[2] for line in lines}


def test_a_shared_library_that_links_it(root: Path, build: Path, tmp_path: Path) -> None:
    """It exports no kernels and nothing of Zstandard; with the option that packaging/vendoring.md shows, nothing."""
    exported = linked(build, tmp_path)
    mine = {name for name in exported if not re.fullmatch(f"{STANDARD}|{FOR_GDB}", name)}
    assert mine == functions(root)
    option = "-Wl,--exclude-libs,ALL"
    assert f"`{option}`" in (root / "packaging/vendoring.md").read_text()
    assert linked(build, tmp_path, option) == set()


def test_a_program_with_an_asmjit_of_its_own(build: Path, tmp_path: Path) -> None:
    """All of both is linked, so that a name that both have fails; in both orders."""
    source = build / "_deps/asmjit-src/src"
    (tmp_path / "main.cpp").write_text(USER)
    options = ("-std=c++17", "-w", "-DASMJIT_STATIC", "-DNDEBUG", f"-I{source}")
    run("c++", *options, "-c", "main.cpp", *(f"{source}/asmjit/{name}" for name in ASMJIT), cwd=tmp_path)
    own = [f"{Path(name).stem}.o" for name in ASMJIT]
    run("ar", "qc", "libown.a", *own, cwd=tmp_path)
    archives = ["libown.a", str(build / "libcryptostitch.a")]
    for order in archives, archives[::-1]:
        run("c++", "main.o", "-Wl,--whole-archive", *order, "-Wl,--no-whole-archive", "-o", "main", cwd=tmp_path)
        run(tmp_path / "main")
