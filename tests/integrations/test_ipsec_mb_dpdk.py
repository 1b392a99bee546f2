"""DPDK's own test program, as Debian ships it, on the library in the place of Intel's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from integrations.ipsec_mb import original

RUNS = {
    "cryptodev_aesni_mb_autotest": ("crypto_aesni_mb", 476),
    "cryptodev_cpu_aesni_mb_autotest": ("crypto_aesni_mb", 303),
    "cryptodev_aesni_gcm_autotest": ("crypto_aesni_gcm", 79),
    "cryptodev_cpu_aesni_gcm_autotest": ("crypto_aesni_gcm", 74),
    "cryptodev_chacha_poly_mb_autotest": ("crypto_chacha20_poly1305", 6),
    "cryptodev_sw_snow3g_autotest": ("crypto_snow3g", 45),
    "cryptodev_sw_zuc_autotest": ("crypto_zuc", 18),
    "cryptodev_sw_kasumi_autotest": ("crypto_kasumi", 31),
}
"""Of DPDK 22.11: the driver, and how many tests pass with Intel's library."""

CIPHERS_OF_THE_ORIGINAL = {4, 7, 8, 10, 14, 15, 16}
"""DOCSIS, DES, ZUC, SNOW 3G, KASUMI (IMB_CIPHER_MODE)."""
HASHES_OF_THE_ORIGINAL = {20, 21, 22, 23, 31}
"""DOCSIS's CRC, ZUC, SNOW 3G, KASUMI (IMB_HASH_ALG)."""


def drivers() -> Path | None:
    """The newest of Debian's folders of drivers; a folder that anybody may write to DPDK would refuse."""
    found = sorted(Path("/usr/lib/x86_64-linux-gnu/dpdk").glob("pmds-*/librte_crypto_ipsec_mb.so"))
    return found[-1].parent if found else None


def autotest(build: Path, name: str, stats: Path) -> str:
    folder = drivers()
    if not folder or not shutil.which("dpdk-test") or not original():
        pytest.skip("no dpdk-test, or no driver for intel-ipsec-mb (apt-get install dpdk-dev)")
    if not (build / "integrations/ipsec_mb/libIPSec_MB.so.1").exists():
        pytest.skip("not built: no intel-ipsec-mb.h of version 1.3")
    options = ["--no-huge", "--no-pci", "--no-telemetry", "-m", "1024", "--file-prefix", f"cst{os.getpid()}"]
    for driver in ("bus_vdev", "mempool_ring", "crypto_ipsec_mb"):
        options += ["-d", str(folder / f"librte_{driver}.so")]
    done = subprocess.run(
        ["dpdk-test", *options, "--vdev", RUNS[name][0]],
        input=f"{name}\nquit\n",
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
        env=os.environ
        | {
            "LD_LIBRARY_PATH": str(build / "integrations/ipsec_mb"),
            "CRYPTOSTITCH_IPSEC_MB_STATS": str(stats),
        },
    )
    if "Cannot init EAL" in done.stdout + done.stderr:
        pytest.skip("DPDK does not start here: " + (done.stderr.strip().splitlines() or [""])[-1])
    return done.stdout


@pytest.mark.parametrize("name", RUNS)
def test_autotest(build: Path, tmp_path: Path, name: str) -> None:
    stats = tmp_path / "stats.json"
    text = autotest(build, name, stats)
    counts = {what: int(n) for what, n in re.findall(r"^ \+ Tests (Passed|Failed) : +(\d+)", text, re.MULTILINE)}
    assert counts == {"Passed": RUNS[name][1], "Failed": 0}, text[-4000:]
    assert "Test OK" in text
    process = json.loads(stats.read_text().splitlines()[-1])
    for job in process["jobs"]:
        on_original = job["cipher"] in CIPHERS_OF_THE_ORIGINAL or job["hash"] in HASHES_OF_THE_ORIGINAL
        assert job["on"] == ("real" if on_original else "cryptostitch"), job
    if name == "cryptodev_aesni_mb_autotest":
        assert sum(job["jobs"] for job in process["jobs"] if job["on"] == "cryptostitch") > 400
