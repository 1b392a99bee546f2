"""OpenSSL's own evp_test with its data, the provider preferred: every message whole, in pieces, in place and not, from
buffers that are aligned and not, with copies of the context in between."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from jobs.samples import LONG

from integrations.openssl import configured

pytestmark = pytest.mark.skipif(not LONG, reason="OpenSSL's sources: CRYPTOSTITCH_LONG=1")

FILES = {
    "evpciph_aes_common.txt": ("aes-128-gcm", "aes-256-ctr", "aes-192-cbc", "aes-128-xts", "aes-256-ccm"),
    "evpciph_aes_stitched.txt": ("aes-128-cbc+hmac-sha1-tls", "aes-256-cbc+hmac-sha256-tls"),
    "evpciph_aes_ccm_cavs.txt": ("aes-128-ccm",),
    "evpciph_chacha.txt": ("chacha20-poly1305",),
    "evpmac_common.txt": ("aes-128-cbc",),
}
"""File, and suites of the library that it must have come to."""
EQUAL_HALVES = re.compile(
    r"^Availablein = default\nCipher = aes-128-xts\nOperation = DECRYPT\nKey = (0+)\n(?:\w+ = .*\n)+", re.M
)
"""Deciphering XTS with a key whose halves are equal: refused here, see the README of the provider."""


@pytest.fixture(scope="module")
def evp_test(build: Path) -> Path:
    folder = build / "openssl-evp-test"
    script = Path(__file__).with_name("openssl_evp_test.sh")
    done = subprocess.run([script, folder], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        pytest.skip(f"no evp_test: {done.stderr.strip().splitlines()[-1:]}")
    return folder


@pytest.mark.parametrize("lines", [{}, {"target": "sse_aesni"}, {"jit": "no"}], ids=["host", "sse", "static"])
@pytest.mark.parametrize("name", FILES)
def test_evp_test(build: Path, evp_test: Path, tmp_path: Path, name: str, lines: dict[str, str]) -> None:
    environment = configured(build, tmp_path, slower="yes", cmac="yes", **lines)
    stats, data = tmp_path / "stats", tmp_path / name
    text, without = EQUAL_HALVES.subn("", (evp_test / "data" / name).read_text())
    assert without == (name == "evpciph_aes_common.txt")
    data.write_text(text)
    done = subprocess.run(
        [evp_test / "evp_test", "-config", environment["OPENSSL_CONF"], data],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment | {"CRYPTOSTITCH_OPENSSL_STATS": str(stats)},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    used: Counter[str] = Counter()
    for line in stats.read_text().splitlines():
        used.update(json.loads(line))
    assert all(used[suite] for suite in FILES[name]), used
