"""`make peers`: what is pinned, what is said, what happens when one fails."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tarfile
from pathlib import Path

import pytest


def make(root: Path, *options: object) -> subprocess.CompletedProcess:
    return subprocess.run([root / "bench/newest/make.sh", *map(str, options)], capture_output=True, text=True)


def test_pins_are_whole(root: Path) -> None:
    folder = root / "bench/newest"
    pins = [line.split() for line in (folder / "pins").read_text().splitlines() if not line.startswith("#")]
    assert {pin[0] for pin in pins} == {"openssl", "aws-lc", "ipsec-mb"}
    for peer, version, kind, package, at, sha256 in pins:
        assert (folder / f"{peer}.sh").exists()
        assert re.fullmatch(r"\d+\.\d+\.\d+", version) and re.fullmatch(r"crate|deb-[a-z]+", kind)
        assert re.fullmatch(r"[a-z0-9-]+", package) and at[0].isdigit() and re.fullmatch(r"[0-9a-f]{64}", sha256)
    assert len({(pin[0], pin[1]) for pin in pins}) == len({pin[0] for pin in pins})


def test_the_command_says_what_it_knows(root: Path) -> None:
    assert "usage: make.sh" in make(root, "--help").stdout
    done = make(root, "opensll")
    assert done.returncode == 2 and "no peer named 'opensll'; there are openssl aws-lc ipsec-mb" in done.stderr
    done = make(root, "--inot", "x")
    assert done.returncode == 2 and "no option named '--inot'" in done.stderr


@pytest.fixture
def recipes(tmp_path: Path) -> Path:
    """Three peers of one small archive: its checksum is another, its recipe fails at first, it is made."""
    folder = tmp_path / "recipes"
    folder.mkdir()
    (folder / "text").write_text("text")
    archive = folder / "peer.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder / "text", "peer/text")
    right = hashlib.sha256(archive.read_bytes()).hexdigest()
    lines = [f"{peer} 1.0 file {archive} 1.0 {right}" for peer in ("late", "good")]
    (folder / "pins").write_text("\n".join([f"bad 1.0 file {archive} 1.0 {'0' * 64}", *lines]) + "\n")
    (folder / "bad.sh").write_text("false\n")
    (folder / "good.sh").write_text(f'cp "source{archive}/text" "$LIBRARY"\n')
    (folder / "late.sh").write_text(
        '[ -e objects/a.o ] || { mkdir objects; >objects/a.o; echo "no luck"; exit 1; }\n>new.so\n'
    )
    return folder


def test_one_that_fails_does_not_stop_the_others(root: Path, recipes: Path, tmp_path: Path) -> None:
    into = tmp_path / "into"
    done = make(root, "--recipes", recipes, "--into", into)
    assert done.returncode == 1 and "good 1.0: made in" in done.stdout
    assert "bad 1.0: FAILED" in done.stderr and "which is not the pinned one" in done.stderr
    assert "late 1.0: FAILED" in done.stderr and "no luck" in done.stderr and "not made: bad late" in done.stderr
    assert (into / "good/peer.so").read_text() == "text" and not (into / "bad/peer.so").exists()
    # What is there stays; what was begun goes on from there.
    before = (into / "good/peer.so").stat().st_mtime_ns
    done = make(root, "--recipes", recipes, "--into", into, "good", "late")
    assert done.returncode == 0 and "good 1.0: there already" in done.stdout and "late 1.0: made in" in done.stdout
    assert (into / "good/peer.so").stat().st_mtime_ns == before
