"""`make peers`: what is pinned, what is said, what happens when one fails; that cst-bench takes what is there."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from test_bench import QUICK, bench
from test_bench_peers import library

assert bench  # a fixture
LONG = bool(os.environ.get("CRYPTOSTITCH_LONG"))


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


def test_what_is_there_is_taken_without_being_told(bench: Path, tmp_path: Path) -> None:
    """A copy of the linked OpenSSL as the newest; what cannot be loaded is named, and the rest is timed."""
    program = tmp_path / "cst-bench"
    shutil.copy(bench, program)
    for peer in ("openssl", "aws-lc"):
        (tmp_path / "peers" / peer).mkdir(parents=True)
    shutil.copy(library("crypto"), tmp_path / "peers/openssl/peer.so")
    (tmp_path / "peers/aws-lc/peer.so").write_text("not a library")
    options = ["--rows", "sha256", "--sizes", "64", "--jobs", "1", *QUICK, "--json"]
    for peers, newest in ((["--peers", "openssl,built"], 1), (["--peers", "openssl"], 0)):
        file = tmp_path / "r.json"
        done = subprocess.run([program, *options, file, *peers], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        data = json.loads(file.read_text())
        names = [name for name in data["machine"]["versions"] if re.fullmatch(r"openssl-\d+\.\d+\.\d+", name)]
        assert len(names) == newest and {"openssl", *names} <= {row["impl"] for row in data["rows"]}
        assert ("left out: " in done.stderr and "aws-lc/peer.so" in done.stderr) == bool(newest)


@pytest.mark.skipif(not LONG, reason="building the newest peers takes a quarter of an hour: CRYPTOSTITCH_LONG=1")
def test_the_newest_peers_are_right(root: Path, bench: Path, build: Path) -> None:
    """All rows in all directions, on sizes around the lanes' edges and mixed: a wrong output ends with status 1."""
    subprocess.run(["make", "-C", root, "peers"], check=True, env={**os.environ, "PYTHONPATH": ""})
    options = ["--sizes", "16,176,1040", "--mix", "imix", "--jobs", "1,3,17,37", "--min-ms", "0.001"]
    file = build / "newest.json"
    done = subprocess.run(
        [bench, "--rows", "*", *options, "--repetitions", "1", "--peers", "built", "--json", file],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "left out: " not in done.stderr, done.stderr
    versions = json.loads(file.read_text())["machine"]["versions"]
    pins = (root / "bench/newest/pins").read_text().splitlines()
    assert {"-".join(pin.split()[:2]) for pin in pins if not pin.startswith("#")} <= set(versions)
