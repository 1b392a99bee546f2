"""TLS between two processes of OpenSSL, one of which has the provider: versions, suites, records that are sealed side
by side; and what says that it was the provider that did it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from jobs.samples import LONG

from integrations.openssl import certificate, configured, keys, server

TEXT = os.urandom(1 << 16) * 5 + b"end"
SUITES = [
    ("-tls1_3", "TLS_AES_128_GCM_SHA256", "aes-128-gcm"),
    ("-tls1_3", "TLS_AES_256_GCM_SHA384", "aes-256-gcm"),
    ("-tls1_3", "TLS_CHACHA20_POLY1305_SHA256", "chacha20-poly1305"),
    ("-tls1_3", "TLS_AES_128_CCM_SHA256", "aes-128-ccm"),
    ("-tls1_2", "ECDHE-RSA-AES128-GCM-SHA256", "aes-128-gcm"),
    ("-tls1_2", "AES256-GCM-SHA384", "aes-256-gcm"),
    ("-tls1_2", "ECDHE-RSA-CHACHA20-POLY1305", "chacha20-poly1305"),
    ("-tls1_2", "AES128-CCM", "aes-128-ccm"),
    ("-tls1_2", "AES256-CCM8", "aes-256-ccm"),
    *(
        (version, f"AES{bits}-SHA", f"aes-{bits}-cbc+hmac-sha1-tls")
        for version in ("-tls1", "-tls1_1", "-tls1_2")
        for bits in (128, 256)
    ),
    ("-tls1_2", "AES128-SHA256", "aes-128-cbc+hmac-sha256-tls"),
    ("-tls1_2", "AES256-SHA256", "aes-256-cbc+hmac-sha256-tls"),
]
"""Version, cipher suite, and the library's suite that it comes to."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate, and a file to be sent."""
    made = certificate(tmp_path_factory.mktemp("tls"))
    (made / "text").write_bytes(TEXT)
    return made


def fetched(port: int, environment: dict[str, str], *options: str) -> bytes:
    """Returns what s_client gets for the file."""
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-quiet", "-ign_eof", *options],
        input=b"GET /text HTTP/1.0\r\n\r\n",
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
    )
    return done.stdout.partition(b"\r\n\r\n")[2]


def options_of(version: str, suite: str) -> list[str]:
    option = "-ciphersuites" if version == "-tls1_3" else "-cipher"
    return [version, option, suite if version == "-tls1_3" else suite + ":@SECLEVEL=0"]


@pytest.mark.parametrize("side", ["server", "client", "both"])
@pytest.mark.parametrize("version, suite, ours", SUITES)
def test_a_file_comes_over(
    build: Path, folder: Path, tmp_path: Path, version: str, suite: str, ours: str, side: str
) -> None:
    if side == "both" and not LONG:
        pytest.skip("the provider on both sides: CRYPTOSTITCH_LONG=1")
    stats = tmp_path / "stats"
    here = configured(build, tmp_path, slower="yes") | {"CRYPTOSTITCH_OPENSSL_STATS": str(stats)}
    options = options_of(version, suite)
    with server(folder, here if side != "client" else dict(os.environ), *options, "-no_etm") as port:
        got = fetched(port, here if side != "server" else dict(os.environ), *options)
    assert got == TEXT
    assert keys(stats)[ours] >= 2 * (1 + (side == "both"))


@pytest.mark.parametrize("suite", ["AES128-SHA", "AES256-SHA256"])
@pytest.mark.parametrize("fragment", [2048, 1024, 4000])
def test_records_are_sealed_side_by_side(build: Path, folder: Path, tmp_path: Path, suite: str, fragment: int) -> None:
    """s_server writes 16 KiB at a time: with short fragments that is multiblock."""
    stats = tmp_path / "stats"
    here = configured(build, tmp_path, slower="yes") | {"CRYPTOSTITCH_OPENSSL_STATS": str(stats)}
    options = options_of("-tls1_2", suite)
    with server(folder, here, *options, "-no_etm", "-max_send_frag", str(fragment)) as port:
        assert fetched(port, dict(os.environ), *options) == TEXT
    assert keys(stats)["multiblock"] >= len(TEXT) // 16384


@pytest.mark.parametrize("lines", [{}, {"slower": "yes", "async": "yes"}], ids=["plain", "all"])
@pytest.mark.parametrize(
    "version, suite",
    [
        ("-tls1_2", "AES128-SHA"),
        ("-tls1_2", "AES256-SHA256"),
        ("-tls1_2", "AES128-GCM-SHA256"),
        ("-tls1_3", "TLS_CHACHA20_POLY1305_SHA256"),
        ("-tls1_3", "TLS_AES_128_CCM_SHA256"),
    ],
)
def test_servers_whose_connections_are_async_jobs(
    build: Path, folder: Path, tmp_path: Path, version: str, suite: str, lines: dict[str, str]
) -> None:
    """Such a job has a stack of 32 KiB on the heap; short fragments make multiblock of what is sent."""
    options = options_of(version, suite)
    with server(folder, configured(build, tmp_path, **lines), *options, "-no_etm", "-async") as port:
        assert fetched(port, dict(os.environ), *options, "-maxfraglen", "512") == TEXT
