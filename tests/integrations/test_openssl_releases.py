"""The provider on releases of OpenSSL: the system's, and those that are built in build/peers (openssl_releases/pins).
The programs look at the error queue after every call: where one succeeds nothing is left there, and where the provider
and default refuse both, their errors are the same."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from jobs.samples import LONG

from integrations.openssl import compare, configured, program

RELEASES = {"system": "3.0", "openssl-3.5": "3.5", "openssl": "4.0"}
"""Folders of build/peers, and the version from which it is."""
CIPHERS = (
    *("AES-128-GCM", "AES-256-CTR", "AES-128-XTS", "AES-192-CBC", "AES-128-CCM", "ChaCha20-Poly1305"),
    *("AES-128-CBC-HMAC-SHA1", "AES-256-CBC-HMAC-SHA256"),
)
PUBLIC_KEYS = ("X25519", "ECDH-P-256", "ED25519", "EC-P-256", "EC-P-384", "RSA-2048", "RSA-4096", "RSA-8192")
ALL = {"slower": "yes", "cmac": "yes", "async": "yes"}


@pytest.fixture(params=RELEASES)
def environment(request: pytest.FixtureRequest, build: Path, tmp_path: Path) -> dict[str, str]:
    """That of a process with the provider on a release. The programs want libcrypto.so.3 by name; the peers' symbols
    have no versions, so that any is taken."""
    return on_release(request.param, build, tmp_path)


def on_release(name: str, build: Path, folder: Path) -> dict[str, str]:
    found = configured(build, folder, **ALL)
    if name == "system":
        return found
    peer = build / "peers" / name / "peer.so"
    if not peer.exists():
        pytest.skip(f"no OpenSSL {RELEASES[name]} in build/peers")
    (folder / "libcrypto.so.3").symlink_to(peer)
    return found | {"LD_LIBRARY_PATH": str(folder)}


def said(build: Path, environment: dict[str, str], name: str, *arguments: str) -> str:
    done = subprocess.run(
        [program(build, name), *arguments], capture_output=True, text=True, timeout=600, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", RELEASES)
def test_errors_are_those_of_default(build: Path, tmp_path: Path, name: str) -> None:
    """A table of calls that default refuses."""
    version = re.fullmatch(r"all the same on (\S+)\n", said(build, on_release(name, build, tmp_path), "errors"))
    assert version
    assert version[1].startswith(RELEASES[name]) or name == "system"


@pytest.mark.parametrize("cipher", CIPHERS)
def test_messages(build: Path, environment: dict[str, str], cipher: str) -> None:
    compare(build, environment, cipher, 1, 5_000 if LONG else 100)


@pytest.mark.parametrize("cipher", [name for name in CIPHERS if "HMAC" not in name])
def test_calls_in_any_order(build: Path, environment: dict[str, str], cipher: str) -> None:
    compare(build, environment, cipher, 2, 200_000 if LONG else 4_000, with_="orders")


@pytest.mark.parametrize("name", ("CMAC", "AES-256-CBC-HMAC-SHA512-ETM"))
def test_macs(build: Path, environment: dict[str, str], name: str) -> None:
    compare(build, environment, name, 1, 2_000 if LONG else 60, with_="macs")


@pytest.mark.parametrize("what", ("refusals", "ends", "workers"))
def test_refusals(build: Path, environment: dict[str, str], what: str) -> None:
    assert said(build, environment, what)


@pytest.mark.parametrize("jobs", (0, 8))
@pytest.mark.parametrize("algorithm", PUBLIC_KEYS)
def test_public_keys(build: Path, environment: dict[str, str], algorithm: str, jobs: int) -> None:
    """Keys that the library has operations for, and that are default's in all; one of ECDSA's nonces makes signatures
    that both have, and a fetched Ed25519 its functions for messages, where the release has them."""
    compare(build, environment, algorithm, 1, 5_000 if LONG else 60, jobs, with_="async")


@pytest.mark.parametrize("what", ("go-on", "reuse", "last-free", "print"))
def test_keys_and_contexts(build: Path, environment: dict[str, str], what: str) -> None:
    assert said(build, environment, "keys", what) == "all right\n"


def test_the_pins_are_whole(root: Path) -> None:
    folder = root / "tests/integrations/openssl_releases"
    pins = [line.split() for line in (folder / "pins").read_text().splitlines() if not line.startswith("#")]
    assert {pin[0] for pin in pins} <= set(RELEASES)
    for name, version, kind, package, at, sha256 in pins:
        assert os.access(folder / f"{name}.sh", os.R_OK)
        assert (kind, package, at.partition("+")[2]) == ("crate", "openssl-src", version)
        assert version.startswith(RELEASES[name]) and re.fullmatch(r"[0-9a-f]{64}", sha256)
