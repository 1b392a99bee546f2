"""cst-bench: its options, its JSON, its checks."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from cryptostitch.binding import runtime
from jobs.samples import runs

QUICK = ["--min-ms", "0.01", "--repetitions", "3"]


@pytest.fixture(scope="module")
def bench(build: Path) -> Path:
    program = build / "cst-bench"
    if not program.exists():
        pytest.skip("cst-bench was not built (no libcrypto headers)")
    return program


def run(bench: Path, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run([bench, *options], capture_output=True, text=True)


def assert_rest_is_checked(done: subprocess.CompletedProcess) -> None:
    """Only what the library cannot do here was left out, such as AES without AES-NI."""
    left_out = re.findall(r"cryptostitch cannot do ([^/\n]+)", done.stderr)
    assert done.stderr.count("cannot") == len(left_out)
    context = runtime.Context(runtime.ALLOW_LEGACY)
    assert not [suite for suite in set(left_out) if runs(context, suite)]


def test_json_has_the_documented_fields(bench: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    suites = ["sha1", "chacha20-poly1305", "chacha20-poly1305/open"]
    done = run(
        bench,
        "--rows",
        ",".join(suites),
        "--sizes",
        "64,1024",
        "--jobs",
        "1,8",
        "--peers",
        "openssl",
        "--json",
        str(file),
        *QUICK,
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text())
    assert set(data) == {"machine", "rows", "threads"} and data["threads"] == []
    assert data["machine"]["core_ghz"] > 0.3 and data["machine"]["cpu"]
    assert {row["row"] for row in data["rows"]} == set(suites)
    assert {row["impl"] for row in data["rows"]} == {"cryptostitch", "openssl"}
    for row in data["rows"]:
        assert set(row) == {"row", "impl", "keys", "variant", "size", "bytes", "jobs", "cycles_per_byte", "spread"}
        assert row["size"] == str(row["bytes"])
        assert 0 < row["cycles_per_byte"] < 1e5 and row["spread"] >= 0
        assert row["variant"]
    cells = {
        (row["row"], row["bytes"], row["jobs"], row["keys"]) for row in data["rows"] if row["impl"] == "cryptostitch"
    }
    assert ("sha1", 64, 8, "own") in cells and ("sha1", 64, 8, "one") not in cells
    assert {(suites[1], 1024, 8, "own"), (suites[1], 1024, 8, "one")} <= cells


def test_every_suite_agrees_with_openssl(bench: Path) -> None:
    """All rows in all directions, own keys and one key, on sizes around the lanes' edges and mixed: a wrong output
    would end with status 1."""
    options = [
        "--sizes",
        "16,176,1040",
        "--mix",
        "imix",
        "--jobs",
        "1,3,17,37",
        "--peers",
        "none",
        "--min-ms",
        "0.001",
        "--repetitions",
        "1",
    ]
    done = run(bench, "--rows", "*", *options)
    assert done.returncode == 0, done.stderr
    assert "not timed" not in done.stderr
    assert_rest_is_checked(done)


def test_the_default_cells_are_right(bench: Path) -> None:
    """What `make bench` runs, as briefly as can be."""
    done = run(bench, "--peers", "none", "--min-ms", "0.001", "--repetitions", "1")
    assert done.returncode == 0, done.stderr
    assert "not timed" not in done.stderr
    assert_rest_is_checked(done)


def test_peers_agree_with_openssl_on_a_mix(bench: Path, tmp_path: Path) -> None:
    """Peers too are compared before they are timed. A mix of blocks: 38 x 64, 21 x 576, 5 x 1408 bytes; where the suite
    takes any length, 570."""
    file = tmp_path / "r.json"
    done = run(
        bench,
        "--rows",
        "sha1,aes-128-cbc+hmac-sha1-etm,aes-128-cbc+hmac-sha1-96/open",
        "--mix",
        "imix",
        "--json",
        str(file),
        *QUICK,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(file.read_text())["rows"]
    assert {(row["size"], row["jobs"]) for row in rows} == {("imix", 64)}
    assert {row["bytes"] for row in rows if row["row"] == "sha1"} == {(38 * 64 + 21 * 570 + 5 * 1408) // 64}
    assert {row["bytes"] for row in rows if row["row"] != "sha1"} == {(38 * 64 + 21 * 576 + 5 * 1408) // 64}


def test_tls_records_and_writes_are_checked(bench: Path) -> None:
    """Sizes on both sides of a block, whole records, and texts of which OpenSSL writes eight and four records at once
    and some singly."""
    rows = "aes-*-tls*"
    if not run(bench, "--rows", rows, "--list").stdout:
        pytest.skip("this library has no TLS suites")
    for sizes in ("1,11,12,27,28,16384", "65537,131072,212993"):
        done = run(
            bench,
            "--rows",
            rows,
            "--sizes",
            sizes,
            "--jobs",
            "1,5",
            "--peers",
            "openssl",
            "--min-ms",
            "0.001",
            "--repetitions",
            "1",
        )
        assert done.returncode == 0, done.stderr
        assert "not timed" not in done.stderr
        assert_rest_is_checked(done)


def test_padded_texts_are_checked(bench: Path) -> None:
    rows = "a*cbc-hs*"
    if not run(bench, "--rows", rows, "--list").stdout:
        pytest.skip("this library has no suites of RFC 7518")
    done = run(
        bench,
        "--rows",
        rows,
        "--sizes",
        "1,15,16,17,1000",
        "--jobs",
        "1,5",
        "--peers",
        "openssl",
        "--min-ms",
        "0.001",
        "--repetitions",
        "1",
    )
    assert done.returncode == 0, done.stderr
    assert "not timed" not in done.stderr
    assert_rest_is_checked(done)
    if not runs(runtime.Context(), "a128cbc-hs256"):
        pytest.skip("this CPU lacks AES-NI: no row is its own")
    assert done.stdout.count("\na128cbc-hs256/open ") == 10 + 5  # one job has no row for one key


def test_threads(bench: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    suite = "chacha20-poly1305"
    done = run(
        bench,
        "--rows",
        suite,
        "--sizes",
        "256",
        "--jobs",
        "16",
        "--own-key",
        "--threads",
        "all",
        "--json",
        str(file),
        *QUICK,
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text())
    teams = [row for row in data["threads"] if row["impl"] == "cryptostitch"]
    cores = len(os.sched_getaffinity(0))
    assert data["rows"] == [] and data["machine"]["cores"] == cores
    assert [row["threads"] for row in teams] == sorted(
        {1 << i for i in range(cores.bit_length()) if 1 << i <= cores} | {cores}
    )
    for row in teams:
        assert row["cycles_per_byte"] == pytest.approx(row["threads"] / row["bytes_per_cycle"], rel=0.01)
        assert row["scaling"] == pytest.approx(row["bytes_per_cycle"] / teams[0]["bytes_per_cycle"], rel=0.01)
        assert row["gigabytes_per_second"] > 0
    assert run(bench, "--threads", str(cores + 1)).returncode == 2


def test_making_keys(bench: Path, tmp_path: Path) -> None:
    """Cycles stand for keys, one for each job; a wrong key would end with status 1."""
    file = tmp_path / "keys.json"
    rows = [f"{suite}/key" for suite in ("hmac-sha512", "aes-128-cbc+hmac-sha1-etm", "aes-256-gcm", "a128cbc-hs256")]
    options = ["--rows", ",".join(rows), "--sizes", "64,100", "--mix", "imix", "--jobs", "3,12", "--json", str(file)]
    done = run(bench, *options, *QUICK)
    assert done.returncode == 0 and "not timed" not in done.stderr, done.stderr
    timed = json.loads(file.read_text())["rows"]
    assert {(row["row"], row["jobs"]) for row in timed} == {(row, jobs) for row in rows for jobs in (3, 12)}
    assert all((row["size"], row["bytes"], row["keys"]) == ("1", 1, "own") for row in timed)
    assert {row["variant"] for row in timed if row["impl"] == "cryptostitch"} == {"cst_key_new, _free", "cst_key_init"}
    assert {"cryptostitch", "openssl"} <= {row["impl"] for row in timed if row["row"] == rows[0]}
    assert " million keys per second)" in done.stdout


def test_sessions(bench: Path, tmp_path: Path) -> None:
    """Every implementation that has them is checked on all texts."""
    file = tmp_path / "sessions.json"
    suites = ["aes-128-cbc+hmac-sha1-etm", "aes-128-gcm/open", "chacha20-poly1305", "aes-128-cbc+hmac-sha256-tls/open"]
    options = ["--rows", ",".join([*suites, "sha256"]), "--mix", "imix", "--jobs", "12,33", "--sessions", "1024,65536"]
    done = run(bench, *options, "--json", str(file), *QUICK)
    assert done.returncode == 0 and "not timed" not in done.stderr, done.stderr
    assert "sha256 has no sessions" in done.stderr
    assert_rest_is_checked(done)
    timed = json.loads(file.read_text())["rows"]
    here = {suite for suite in suites if runs(runtime.Context(), suite.partition("/")[0])}
    assert {row["row"] for row in timed if row["impl"] == "cryptostitch"} == here
    assert {(row["row"], row["keys"]) for row in timed if row["jobs"] == 12} == {
        (suite, sessions) for suite in here for sessions in ("1024", "65536")
    }
    assert all(row["impl"] != "openssl" for row in timed)


def test_rows_that_are_not_here_are_named(bench: Path) -> None:
    done = run(bench, "--rows", "sha1,rot13", "--list")
    assert done.stdout.split() == ["sha1"] and "rot13" in done.stderr
    assert "no row sha25 here; left out; nearest: sha256, " in run(bench, "--rows", "sha25", "--list").stderr


def test_help_and_list(bench: Path) -> None:
    assert "--rows GLOB" in run(bench, "--help").stdout
    names = run(bench, "--rows", "*", "--list").stdout.split()
    assert {"sha1", "sha256", "aes-128-cbc", "aes-128-cbc/open", "aes-256-cbc+hmac-sha256-etm"} <= set(names)
    assert "aes-128-cbc/key" in names and "sha256/key" not in names


@pytest.mark.parametrize(
    "options",
    [
        ["--rows", "nonsense*"],
        ["--peers", "nobody"],
        ["--sizes", "0"],
        ["--jobs", "x"],
        ["--mix", "x"],
        ["--threads", "0"],
        ["--sessions", "0"],
        ["--sessions", "1024,x"],
        ["--sessions", "5", "--threads", "1"],
        ["--frobnicate"],
        ["--json"],
        ["--target", "host-nosuchthing"],
        ["--kernel", "sha1_x17@nowhere"],
    ],
)
def test_bad_options_are_refused(bench: Path, options: list[str]) -> None:
    done = run(bench, *options)
    assert done.returncode == 2
    assert done.stderr.startswith("cst-bench: ")
