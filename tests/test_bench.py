"""cst-bench: its options, its JSON, its checks."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

QUICK = ["--min-ms", "0.01", "--repetitions", "3"]


@pytest.fixture(scope="module")
def bench(build: Path) -> Path:
    program = build / "cst-bench"
    if not program.exists():
        pytest.skip("cst-bench was not built (no libcrypto headers)")
    return program


def run(bench: Path, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run([bench, *options], capture_output=True, text=True)


def test_json_has_the_documented_fields(bench: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    suites = ["sha1", "aes-128-cbc+hmac-sha256-etm", "aes-128-cbc+hmac-sha256-etm/open"]
    done = run(bench, "--rows", ",".join(suites), "--sizes", "64,1024", "--jobs", "1,8", "--peers", "openssl", "--json", str(file), *QUICK)
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text())
    assert set(data) == {"machine", "rows"}
    assert data["machine"]["core_ghz"] > 0.3 and data["machine"]["cpu"]
    assert {row["row"] for row in data["rows"]} == set(suites)
    assert {row["impl"] for row in data["rows"]} == {"cryptostitch", "openssl"}
    for row in data["rows"]:
        assert set(row) == {"row", "impl", "keys", "variant", "bytes", "jobs", "cycles_per_byte", "spread"}
        assert 0 < row["cycles_per_byte"] < 1e5 and row["spread"] >= 0
        assert row["variant"]
    cells = {(row["row"], row["bytes"], row["jobs"], row["keys"]) for row in data["rows"] if row["impl"] == "cryptostitch"}
    assert ("sha1", 64, 8, "own") in cells and ("sha1", 64, 8, "one") not in cells
    assert {(suites[1], 1024, 8, "own"), (suites[1], 1024, 8, "one")} <= cells


def test_every_suite_agrees_with_openssl(bench: Path) -> None:
    """All rows, both directions, own keys and one key, on sizes around the lanes' edges: a wrong output would end with status 1."""
    done = run(bench, "--rows", "*", "--sizes", "16,176,1040", "--jobs", "1,3,17,37", "--peers", "none", "--min-ms", "0.001", "--repetitions", "1")
    assert done.returncode == 0, done.stderr
    assert "wrong output" not in done.stderr


def test_help_and_list(bench: Path) -> None:
    assert "--rows GLOB" in run(bench, "--help").stdout
    names = run(bench, "--rows", "*", "--list").stdout.split()
    assert {"sha1", "sha256", "aes-128-cbc", "aes-128-cbc/open", "aes-256-cbc+hmac-sha256-etm"} <= set(names)


@pytest.mark.parametrize(
    "options",
    [["--rows", "nonsense*"], ["--peers", "nobody"], ["--sizes", "0"], ["--jobs", "x"], ["--frobnicate"], ["--json"], ["--target", "host-nosuchthing"],
     ["--kernel", "sha1_x17@nowhere"]],
)
def test_bad_options_are_refused(bench: Path, options: list[str]) -> None:
    done = run(bench, *options)
    assert done.returncode == 2
    assert done.stderr.startswith("cst-bench: ")
