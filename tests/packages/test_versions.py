"""The version is written in several places, and is one."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import cryptostitch


def test_one_version(root: Path) -> None:
    def found(file: str, pattern: str) -> str:
        match = re.search(pattern, (root / file).read_text(), re.M)
        assert match, file
        return match[1]

    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    assert version == cryptostitch.__version__
    assert version == found("CMakeLists.txt", r"^project\(cryptostitch VERSION ([\d.]+)")
    header, parts = "include/cryptostitch/cryptostitch.h", version.split(".")
    assert version == found(header, r'^#define CST_VERSION "([\d.]+)"$')
    assert parts == [found(header, rf"^#define CST_VERSION_{name} (\d+)$") for name in ("MAJOR", "MINOR", "PATCH")]
    assert f"CRYPTOSTITCH_{parts[0]}.{parts[1]})" in (root / header).read_text()
    assert version == found("packaging/debian/changelog", r"\Acryptostitch \(([\d.]+)\)")
    assert version == found("packaging/conan/conanfile.py", r'^    version = "([\d.]+)"$')
    assert version == json.loads((root / "packaging/vcpkg/cryptostitch/vcpkg.json").read_text())["version"]
    crates = root / "packaging/rust"
    assert version == tomllib.loads((crates / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    wanted = tomllib.loads((crates / "cryptostitch/Cargo.toml").read_text())["dependencies"]["cryptostitch-sys"]
    assert wanted["version"] == f"={version}"
