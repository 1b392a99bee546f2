"""Lists first commands: what the pages tell somebody to run who has just cloned the project. Each runs in a root of its
own, in a clean clone, where nothing is built and nothing is installed but what the page asks for."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from .root import CLONE, Ran, Root, on
from .steps import blocks, written

GENERATED = "build/generated"
FRONT, VENDORING, PACKAGING = "README.md", "packaging/vendoring.md", "packaging/README.md"
CMAKE = ("g++", "cmake", "make")
ENVIRONMENT = "python3 -m venv /tmp/env && . /tmp/env/bin/activate"
PREGENERATED = f'-DCST_PREGENERATED="{CLONE}/{GENERATED}"'
MAIN = """#include <cryptostitch/cryptostitch.h>
int main(void) { cst_ctx *ctx; return cst_ctx_new(&ctx, 0); }
"""
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(mine C CXX ASM)
add_executable(my_program main.c)
"""


@dataclass(frozen=True)
class First:
    """`name`: the command in the words of `page`, which shows it; behind a comma, what tells it from others. `status`,
    `says`: how it must end, and what it must have printed."""

    name: str
    page: str
    minutes: float  # on two cores
    script: str
    packages: tuple[str, ...] = ()  # of Debian, which the page asks for; a root has make and certificates
    generated: bool = False  # it takes the kernels of a finished build, which are in GENERATED
    status: int = 0
    says: str = ""

    def failure(self, ran: Ran) -> str:
        """Says what is not as it must be; empty when all is."""
        if ran.status != self.status:
            return f"ended with {ran.status}, not {self.status}"
        return "" if " ".join(self.says.split()) in " ".join(ran.output.split()) else f"did not say '{self.says}'"


def tried(checkout: Path, base: Root, folder: Path, first: First) -> Ran:
    """Runs it in a root that begins as `base`, a new one; its packages are installed before. RuntimeError where that
    fails, or nothing is generated in the checkout that could be taken."""
    generated = checkout / GENERATED
    if first.generated and not (generated / "default.pack").exists():
        raise RuntimeError(f"nothing is generated in {generated}: run `make` first")
    root = on(base, folder, {GENERATED: generated} if first.generated else {})
    if first.packages:
        install = f"apt-get -qq -y install --no-install-recommends {shlex.join(first.packages)}"
        ready = root.run(f"export DEBIAN_FRONTEND=noninteractive\napt-get -qq update\n{install}", 600)
        if ready.status:
            raise RuntimeError(ready.output)
    return root.run(first.script, 60 * (10 + 2 * first.minutes))


def project(text: str, *options: str) -> str:
    """A script that builds and runs a project with the text in its CMakeLists.txt; the clone is in its folder."""
    lines = (
        f"mkdir /tmp/mine\ncd /tmp/mine\nln -s {CLONE} cryptostitch",
        written("main.c", MAIN),
        written("CMakeLists.txt", PROJECT + text),
        f"cmake -S . -B b {' '.join(options)}\ncmake --build b -j 2 --target my_program\nb/my_program",
    )
    return "\n".join(lines)


def firsts(root: Path) -> list[First]:
    """Returns all of them, the shortest first."""

    def block(page: str, language: str, index: int = 0) -> str:
        return [each.text for each in blocks(root, page) if each.language == language][index]

    no_python = "Python generates the kernels, and '/usr/bin/python3' cannot"
    folder, fetched = block(VENDORING, "cmake", 0), block(VENDORING, "cmake", 1)
    fetched = f'set(WHERE_IT_IS "{CLONE}")\n{fetched}'
    vendored = block(VENDORING, "sh", 1) + "test -e /tmp/vendored/prefix/include/cryptostitch/cryptostitch.h"
    conan = f"{ENVIRONMENT}\npip install -q 'conan==2.*'\nconan profile detect\nconan create packaging/conan"
    taken = f"-c user.cryptostitch:pregenerated=$PWD/{GENERATED}"
    is_right = "the digest of abc is right"
    with_python = (*CMAKE, "python3-venv")
    of_pip = ("g++", "git", "python3-venv")
    program = f"{written('/tmp/program.c', block(FRONT, 'c'))}\ncc /tmp/program.c -o /tmp/program"
    in_python = f"{written('/tmp/program.py', block(FRONT, 'python'))}\ncd /tmp\npython program.py"
    sum_abc = "printf abc | build/cst-sum -a md5"
    made = "build/packages/"
    return [
        First(
            "examples/build.sh embed",
            "examples/README.md",
            0,
            "examples/build.sh embed",
            status=1,
            says="run `make` first",
        ),
        First("cmake -S . -B", VENDORING, 0, "cmake -S . -B b", (*CMAKE, "python3"), status=1, says=no_python),
        First("add_subdirectory", VENDORING, 0, project(folder), (*CMAKE, "python3"), status=1, says=no_python),
        First("cmake -S . -B, generated kernels", VENDORING, 2, vendored, (*CMAKE, "ninja-build"), True),
        First("add_subdirectory, generated kernels", VENDORING, 2, project(folder, PREGENERATED), CMAKE, True),
        First("FetchContent, generated kernels", VENDORING, 2, project(fetched, PREGENERATED), (*CMAKE, "git"), True),
        First(
            "conan create packaging/conan, generated kernels",
            PACKAGING,
            3,
            f"{conan} {taken}",
            with_python,
            True,
            says=is_right,
        ),
        First("make demo", FRONT, 3, "make demo", says="records agree with Python's cryptography"),
        First(
            "make",
            FRONT,
            5,
            f'make\n{program} -Iinclude -Lbuild -lcryptostitch -Wl,-rpath,"$PWD/build"\n/tmp/program\n{sum_abc}',
            says="900150983cd24fb0d6963f7d28e17f72",
        ),
        First("cmake -S . -B, Python", VENDORING, 5, block(VENDORING, "sh", 0), with_python),
        First("pip install -v .", FRONT, 6, f"{ENVIRONMENT}\npip install -v .\n{in_python}", of_pip),
        First("conan create packaging/conan", PACKAGING, 6, conan, with_python, says=is_right),
        First("make install", FRONT, 6, f"make install\nldconfig\n{program} -lcryptostitch\n/tmp/program"),
        First("make wheel", PACKAGING, 6, "make wheel", says=f"{made}cryptostitch-"),
        First("make tarball", PACKAGING, 6, "make tarball", says=f"{made}cryptostitch-"),
        First("make bench", "bench/README.md", 7, "make bench BENCH=\"--rows 'sha*' --jobs 64\"", says="sha256"),
        First("make deb", PACKAGING, 9, "make deb", says=f"{made}libcryptostitch-dev_"),
        First("make test", FRONT, 40, "make test", says=" passed"),
    ]
