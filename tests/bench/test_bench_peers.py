"""cst-bench: other builds of a peer, tiers, what it says on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
from ctypes.util import find_library
from pathlib import Path

import pytest
from test_bench import QUICK, bench, run

assert bench  # a fixture
LONG = bool(os.environ.get("CRYPTOSTITCH_LONG"))
ROWS = ["--rows", "sha256,aes-128-gcm", "--sizes", "256", "--jobs", "8", "--own-key", *QUICK]


def library(name: str) -> Path:
    """The file that the loader takes for a library; skips where there is none."""
    soname = find_library(name)
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib/x86_64-linux-gnu"):
        if soname and (Path(folder) / soname).exists():
            return (Path(folder) / soname).resolve()
    pytest.skip(f"no lib{name} here")


def linked(bench: Path, peer: str) -> bool:
    return (
        f"built without {peer}"
        not in run(bench, "--rows", "sha1", "--sizes", "64", "--jobs", "1", "--peers", peer, *QUICK).stderr
    )


@pytest.mark.parametrize("peer, name", [("openssl", "crypto"), ("ipsec-mb", "IPSec_MB")])
def test_another_build_of_a_peer_is_a_column_of_its_own(bench: Path, tmp_path: Path, peer: str, name: str) -> None:
    """A copy, so that the loader takes it for another library; it is checked against OpenSSL like every
    implementation."""
    if not linked(bench, peer):
        pytest.skip(f"cst-bench was built without {peer}")
    copy = tmp_path / "copy.so"
    shutil.copy(library(name), copy)
    file = tmp_path / "r.json"
    done = run(
        bench, *ROWS, "--peers", peer, "--peer", f"{peer}={copy}", "--peer", f"{peer}={copy}", "--json", str(file)
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text())
    versions = data["machine"]["versions"]
    number = re.search(r"\d+\.\d+\.\d+", versions[peer]).group()
    names = {f"{peer}-{number}", f"{peer}-{number}#2"}
    assert names | {peer, "cryptostitch"} == set(versions)
    for row in ("sha256", "aes-128-gcm"):
        assert names | {peer, "cryptostitch"} == {r["impl"] for r in data["rows"] if r["row"] == row}
    assert all(column in done.stdout for column in names)


def test_a_build_of_another_layout_is_refused_with_what_to_type(bench: Path, tmp_path: Path) -> None:
    source, fake = tmp_path / "fake.c", tmp_path / "fake.so"
    source.write_text('const char *imb_get_version_str(void) { return "9.8.7"; }\n')
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", fake], check=True)
    done = run(bench, *ROWS, "--peer", f"ipsec-mb={fake}")
    assert done.returncode == 2
    assert "9.8.7" in done.stderr and "-DBENCH_IPSEC_MB_HEADERS=" in done.stderr and "ipsec-mb-9.8.so" in done.stderr
    done = run(bench, *ROWS, "--peer", f"openssl={fake}")
    assert done.returncode == 2 and "OpenSSL 3.0 or newer" in done.stderr


@pytest.mark.parametrize("value", ["nobody=/x.so", "openssl", "openssl=", "openssl=/nonexistent.so"])
def test_bad_builds_are_refused(bench: Path, value: str) -> None:
    done = run(bench, *ROWS, "--peer", value)
    assert done.returncode == 2 and done.stderr.startswith("cst-bench: ")


@pytest.mark.parametrize("tier, wide", [("avx2", {"avx512"}), ("sse", {"avx512", "avx2"})])
def test_a_tier_holds_everybody(bench: Path, tmp_path: Path, tier: str, wide: set[str]) -> None:
    """Ours by the kernels' targets, OpenSSL by the capabilities that it reports (leaf 7 of CPUID: bit 5 is AVX2, 16
    AVX-512F), ipsec-mb by the architecture that its manager names."""
    file = tmp_path / "r.json"
    done = run(
        bench,
        "--rows",
        "sha1,aes-128-cbc,aes-128-cbc+hmac-sha1-etm",
        "--sizes",
        "1024",
        "--jobs",
        "64",
        "--own-key",
        "--tier",
        tier,
        "--json",
        str(file),
        *QUICK,
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text())
    assert data["machine"]["tier"] == tier
    ours = [row["variant"] for row in data["rows"] if row["impl"] == "cryptostitch"]
    assert ours and not any(f"@{name}" in variant for variant in ours for name in wide)
    versions = data["machine"]["versions"]
    leaf7 = int(re.search(r"OPENSSL_ia32cap=0x[0-9a-f]+:0x([0-9a-f]+)", versions["openssl"]).group(1), 16)
    assert not leaf7 >> 16 & 1 and (tier == "avx2" or not leaf7 >> 5 & 1)
    assert "ipsec-mb" not in versions or versions["ipsec-mb"].endswith("with " + tier)
    assert run(bench, "--tier", "mmx").returncode == 2


def test_what_is_mistyped_is_named(bench: Path) -> None:
    assert "no option named '--repetition'; nearest: --repetitions, " in run(bench, "--repetition", "3").stderr
    assert "Examples:\n  cst-bench" in run(bench, "--help").stdout


def test_progress_and_time_left_are_for_terminals(bench: Path) -> None:
    options = ["--rows", "sha1", "--sizes", "64,128,256", "--jobs", "1,2", "--peers", "none", *QUICK]
    assert run(bench, *options).stderr == ""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen([bench, *options], stdout=subprocess.DEVNULL, stderr=theirs) as program:
            os.close(theirs)
            said = b""
            while True:
                try:
                    some = os.read(ours, 4096)
                except OSError:  # the other end is closed
                    break
                said += some
        assert program.returncode == 0
    finally:
        os.close(ours)
    text = said.decode()
    assert "[1/6] sha1" in text and re.search(r"\[6/6\] \d+:\d\d left, sha1", text)
    assert text.endswith("\r\x1b[K")  # the line is taken away


@pytest.mark.skipif(not LONG, reason="compiling a peer takes twenty seconds: CRYPTOSTITCH_LONG=1")
def test_a_module_with_the_right_header_drives_another_layout(bench: Path, root: Path, tmp_path: Path) -> None:
    """ipsec-mb under a version that this cst-bench does not know, with a header of that version: what CMake does for
    BENCH_IPSEC_MB_HEADERS."""
    header = Path("/usr/include/intel-ipsec-mb.h")
    if not header.exists():
        pytest.skip("no header of ipsec-mb here")
    (tmp_path / "include").mkdir()
    text = re.sub(r'(#define IMB_VERSION_STR) ".*"', r'\1 "1.98.0"', header.read_text())
    (tmp_path / "include/intel-ipsec-mb.h").write_text(text)
    (tmp_path / "fake.c").write_text('const char *imb_get_version_str(void) { return "1.98.0"; }\n')
    fake, program, folder = tmp_path / "fake.so", tmp_path / "cst-bench", root / "bench"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-Wl,--no-as-needed", tmp_path / "fake.c", library("IPSec_MB"), "-o", fake],
        check=True,
    )
    shutil.copy(bench, program)
    assert run(program, *ROWS, "--peer", f"ipsec-mb={fake}").returncode == 2
    peers = [*folder.glob("peers/ipsec_mb*.cpp"), folder / "row.cpp", folder / "tls.cpp"]
    sources = [file for file in peers if file.name != "ipsec_mb_builds.cpp"]
    (tmp_path / "peers").mkdir()
    flags = [
        "-std=c++17",
        "-O1",
        "-shared",
        "-fPIC",
        "-fvisibility=hidden",
        "-DBENCH_IPSEC_MB",
        "-I",
        tmp_path / "include",
    ]
    subprocess.run(["c++", *flags, *sources, "-lcrypto", "-o", tmp_path / "peers/ipsec-mb-1.98.so"], check=True)
    done = run(program, *ROWS, "--peer", f"ipsec-mb={fake}", "--json", str(tmp_path / "r.json"))
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "r.json").read_text())["rows"]
    assert {"sha256", "aes-128-gcm"} == {row["row"] for row in rows if row["impl"] == "ipsec-mb-1.98.0"}
