"""bench/bounds: the tables are what their derivation says, and no kernel is quicker than its row's bound."""

from __future__ import annotations

import json
import runpy
import subprocess
from pathlib import Path

import pytest
from cryptostitch.cpus.folder import FOLDER
from cryptostitch.ladder import oracle
from test_bench import bench

assert bench  # a fixture
BOUNDS = Path(__file__).resolve().parents[2] / "bench/bounds"


@pytest.fixture(scope="module")
def derive() -> dict:
    return runpy.run_path(str(BOUNDS / "derive.py"))


@pytest.fixture(scope="module")
def derived(derive: dict) -> dict[str, str]:
    return derive["tables"]()


def values(text: str) -> dict[tuple[str, str], float]:
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return {(row, jobs): float(bound) for row, jobs, bound, _ in rows}


def test_tables_are_derived(derived: dict[str, str]) -> None:
    for cpu, text in derived.items():
        assert (BOUNDS / f"{cpu}.tsv").read_text() == text, "type: python bench/bounds/derive.py"
        # no row twice
        assert len(values(text)) == len([line for line in text.splitlines() if not line.startswith("#")])


def test_counts_are_those_of_the_standards(derived: dict[str, str]) -> None:
    """By hand: instructions of 1 KiB in 16 lanes over four pipes; AES rounds of 64 bytes over two; of GCM's all over
    four, of which a carry-less product takes three."""
    bounds = values(derived["zen5"])
    by_hand = {
        "sha1": 832 / 4096,
        "sha256": 1696 / 4096,
        "sha512": 2128 / 4096,
        "sm3": 1660 / 4096,
        "md5": 448 / 4096,
        "chacha20": 1056 / 4096,
        "aes-128-ctr": 10 / 128,
        "aes-256-cbc/open": 14 / 128,
        "aes-128-xts": 10 / 128,
        "aes-128-gcm": (10 + 2 + 4 + 3 * 3) / 256,
        "aes-128-ccm": 20 / 128,
        "aes-128-cbc+hmac-sha1-tls": (832 + 160 + 16) / 4096,
        "aes-128-ctr+hmac-sha1-etm": (832 + 160 + 32) / 4096,
        "aes-256-cbc+hmac-sha512-256": (2128 + 224 + 16) / 4096,
    }
    for row, bound in by_hand.items():
        assert bounds[row, "many"] == pytest.approx(bound, abs=1e-4), row
    assert all(bounds[row, "1"] >= bounds[row, "many"] for row, _ in bounds)


@pytest.mark.parametrize(
    "aes, clmul, shuffle, cycles", [(10, 3, 3, 7.53), (10, 4, 1, 8.03), (14, 3, 3, 8.55), (14, 4, 1, 8.79)]
)
def test_loops_take_what_their_units_allow(derive: dict, aes: int, clmul: int, shuffle: int, cycles: float) -> None:
    """Loops of independent instructions, 8 vpxorq among them, that were timed on a Zen 5."""
    costs = json.loads((FOLDER / "zen5/instruction_costs.json").read_text())
    work = derive["per"](1, aes=aes, clmul=clmul, shuffle=shuffle, any=8)
    bound, _ = derive["Table"](costs["instructions"]).busiest(work)
    assert bound <= cycles <= 1.01 * bound


def test_every_row_of_the_benchmark_has_a_bound(bench: Path, derived: dict[str, str]) -> None:
    """Writes are bounded by their records; RC4 by how the core predicts its memory; no core has an instruction for
    DES; keys have no bytes; of checksums, alone and beside a cipher, erasure codes, BLAKE3's tree, multi-hashes, public
    keys, QUIC's packets and two digests of the same bytes nobody has derived one."""
    names = subprocess.run([bench, "--rows", "*", "--list"], capture_output=True, text=True, check=True).stdout.split()
    codes, keys = ("rs-", "pq-", "xor-", "t10-pi-"), ("x25519", "ed25519", "ecd", "rsa-")
    missing = {
        name
        for name in names
        if not name.endswith(("/write", "/key"))
        and not name.startswith(("rc4", "des", "crc", "adler", "blake3", "mh-", "quic-", *codes, *keys))
        and name not in oracle.BOTH
        and not oracle.checked(name.removesuffix("/open"))
        and (name, "many") not in values(derived["zen4"])
    }
    assert not missing


def test_nobody_is_quicker_than_a_bound(derived: dict[str, str]) -> None:
    """The measured runs that are kept, ours and the peers'; 2 % for the clock's drift. TLS writes and sizes below 1 KiB
    have none."""
    seen = 0
    for file in FOLDER.glob("*/bench*.json"):
        if file.parent.name not in derived:
            continue
        bounds = values(derived[file.parent.name])
        for row in json.loads(file.read_text())["rows"]:
            jobs = "1" if row["jobs"] == 1 else "many"
            if row["bytes"] >= 1024 and row["size"] != "imix" and (row["row"], jobs) in bounds:
                seen += 1
                assert row["cycles_per_byte"] > 0.98 * bounds[row["row"], jobs], row
    assert seen > 100
