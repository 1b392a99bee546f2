"""The test programs that intel-ipsec-mb brings, on the library in the place of Intel's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from jobs.samples import LONG

from integrations.ipsec_mb import original

pytestmark = pytest.mark.skipif(not LONG, reason="programs of intel-ipsec-mb, built from source: CRYPTOSTITCH_LONG=1")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("nasm") or not original():
        pytest.skip("no nasm or no libIPSec_MB.so.1 (apt-get install nasm libipsec-mb-dev)")
    folder = tmp_path_factory.mktemp("intel-ipsec-mb")
    script = Path(__file__).with_name("ipsec_mb_programs.sh")
    made = subprocess.run([script, folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "deb-src" in made.stdout or "no apt-get" in made.stdout or "no Debian mirror" in made.stdout:
        pytest.skip("Debian's source packages cannot be had")
    assert made.returncode == 0, made.stdout[-4000:]
    return folder / "test"


def output(build: Path, tmp_path: Path, program: Path, *options: str) -> str:
    """Runs a program, which must succeed on our kernels, and returns what it prints."""
    stats = tmp_path / "stats"
    env = {"LD_LIBRARY_PATH": str(build / "integrations/ipsec_mb"), "CRYPTOSTITCH_IPSEC_MB_STATS": str(stats)}
    done = subprocess.run([program, *options], capture_output=True, text=True, env=os.environ | env, timeout=1800)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    lines = [json.loads(line) for line in stats.read_text().splitlines()]
    assert sum(job["jobs"] for line in lines for job in line["jobs"] if job["on"] == "cryptostitch") > 100
    return done.stdout


def test_known_answers(build: Path, tmp_path: Path, programs: Path) -> None:
    """Known answers, arguments that must be refused, and the functions beside jobs, of all algorithms."""
    text = output(build, tmp_path, programs / "ipsec_MB_testapp")
    assert "Test completed: PASS" in text
    assert not re.search(r"\[ALGO\] \S+ FAIL|unexpected", text)
    assert len(re.findall(r"\[ALGO\] \S+ PASS", text)) > 400


def test_wycheproof(build: Path, tmp_path: Path, programs: Path) -> None:
    text = output(build, tmp_path, programs / "wycheproof/wycheproof")
    assert re.search(r"Test complete: PASSED \(run: 2115,", text)


CIPHERS = ["AES-CBC-128", "AES-CBC-256", "AES-CTR-128", "AES-ECB-256"]
HASHES = ["HMAC-SHA1", "HMAC-SHA256", "HMAC-SHA512", "AES-CMAC-128", "AES-XCBC-128", "SHA256"]
AEADS = ["AES-GCM-128", "AES-GCM-256", "AES-CCM-128", "AEAD-CHACHA20-256-POLY1305"]


@pytest.mark.parametrize(
    "algorithms",
    [("--cipher-algo", cipher, "--hash-algo", hash_) for cipher in CIPHERS for hash_ in HASHES]
    + [("--aead-algo", aead) for aead in AEADS],
)
def test_random_jobs(build: Path, tmp_path: Path, programs: Path, algorithms: tuple[str, ...]) -> None:
    """What one instruction set enciphers another deciphers, up to 17 jobs at a time."""
    sizes = ["--job-size", "16:16:1024", "--num-jobs", "17"]
    output(build, tmp_path, programs / "ipsec_xvalid_test", *algorithms, *sizes)
