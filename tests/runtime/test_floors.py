"""The folders of runtime/ include one another in one direction, as runtime/README.md says, and each page says where a
change goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

FLOORS = (
    *("api", "selftest", "public_key", "parts", "quic", "run", "keys", "hash", "message", "storage", "executors"),
    *("plan", "suite", "select", "code"),
)
"""From the API down: a file includes only files of its own folder and of those after it."""
COMPUTING = {"suite/crc.hpp", "suite/galois.hpp", "suite/poly1305.hpp"}
"""Files of suite/ that select/ includes: they include no other floor than code/."""


def includes(runtime: Path) -> Iterator[tuple[str, str]]:
    """Yields a file and a file that it includes, both by their paths below runtime/."""
    for file in sorted([*runtime.rglob("*.?pp")]):
        for name in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
            found = (file.parent / name).resolve()
            if found.is_relative_to(runtime) and found.exists():
                yield file.relative_to(runtime).as_posix(), found.relative_to(runtime).as_posix()


def floor(path: str) -> int:
    return FLOORS.index(path.partition("/")[0])


def upward(pairs: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(file, included) for file, included in pairs if floor(file) > floor(included)}


def test_includes_run_one_way(root: Path) -> None:
    pairs = list(includes(root / "runtime"))
    assert len(pairs) > 300
    against = upward(pairs)
    assert {included for _, included in against} == COMPUTING
    assert {file.partition("/")[0] for file, _ in against} == {"select"}
    computing = {included for file, included in pairs if file.replace(".cpp", ".hpp") in COMPUTING}
    assert {FLOORS[floor(each)] for each in computing} <= {"suite", "code"}
    page = (root / "runtime/README.md").read_text()
    assert re.findall(r"^\| \[(\w+)\]", page, re.M) == list(FLOORS)
    assert all(f"`{name.partition('/')[2]}`" in page for name in COMPUTING)


def test_an_include_upward_is_seen() -> None:
    assert upward([("code/pack.cpp", "select/cpu.hpp"), ("message/text.cpp", "suite/key.hpp")]) == {
        ("code/pack.cpp", "select/cpu.hpp")
    }


def test_each_page_says_where_a_change_goes(root: Path) -> None:
    for name in FLOORS:
        _, _, cases = (root / "runtime" / name / "README.md").read_text().partition("\n## Where does my change go?\n")
        assert cases.startswith("1. *"), name
