"""The page on vendoring: its releases and licences are those that the build has."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = ("asmjit", "sodium", "zstd")


def test_releases(root: Path) -> None:
    page = (root / "packaging/vendoring.md").read_text()
    rows = dict(re.findall(r"^\| \w+ \| `FETCHCONTENT_SOURCE_DIR_(\w+)` \| (\S+) \|", page, re.M))
    assert rows.keys() == {name.upper() for name in SOURCES}
    for name in SOURCES:
        release = re.search(r"set\(CST_\w+_(?:TAG|COMMIT) (\S+)\)", (root / f"cmake/{name}.cmake").read_text())
        assert release and rows[name.upper()] == release[1]


def test_licences(root: Path) -> None:
    """Of each library that is linked in: in Debian's form, and in what is installed."""
    page = (root / "packaging/vendoring.md").read_text()
    copyright, install = ((root / path).read_text() for path in ("packaging/debian/copyright", "cmake/install.cmake"))
    rows = re.findall(r"^\| (asmjit|libsodium|Zstandard) \| ([\w-]+)", page, re.M)
    assert len(rows) == len(SOURCES)
    found = re.findall(r"^Files: _deps/(\w+)-src/\*\n(?:.*\n)*?License: (\S+)", copyright, re.M)
    assert [licence.lower() for _, licence in rows] == [licence.lower() for _, licence in found]
    for name, _ in rows:
        assert f"RENAME LICENSE.{name.lower().replace('zstandard', 'zstd')})" in install
