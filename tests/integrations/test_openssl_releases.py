"""The provider on releases of OpenSSL: the system's, and those that are built in build/peers (openssl_releases/pins).
The programs look at the error queue after every call: where one succeeds nothing is left there, and where the provider
and default refuse both, their errors are the same."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from cryptostitch.binding import openssl
from cryptostitch.binding.openssl import ask, left_to_default
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
    return on_release(request.param, build, tmp_path, **ALL)


def on_release(name: str, build: Path, folder: Path, **lines: str) -> dict[str, str]:
    found = configured(build, folder, **lines)
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
    version = re.fullmatch(r"all the same on (\S+)\n", said(build, on_release(name, build, tmp_path, **ALL), "errors"))
    assert version
    assert version[1].startswith(RELEASES[name]) or name == "system"


@pytest.mark.parametrize("lines", ({}, {"slower": "yes"}, {"target": "sse_aesni"}))
@pytest.mark.parametrize("name", RELEASES)
def test_what_is_slower_is_left_to_default(
    build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, lines: dict[str, str]
) -> None:
    """As the table says, of the release and the CPU: what the provider may use of that makes default no slower."""
    for variable, value in on_release(name, build, tmp_path, **lines).items():
        monkeypatch.setenv(variable, value)
    found = ask(Path(os.environ["OPENSSL_CONF"]))
    assert found.version.startswith(RELEASES[name]) or name == "system"
    slower = set() if "slower" in lines else left_to_default(found.version)
    assert found.ciphers == {cipher: "default" if cipher in slower else "cryptostitch" for cipher in openssl.ALL}
    assert not found.complaints


def test_the_table_of_what_is_slower(tmp_path: Path) -> None:
    """Releases and CPUs: of those that lack what default's code wants none of its rows counts."""
    cpus = {"wide": "avx512f avx512dq avx512bw avx512vl avx512_vbmi2 vaes vpclmulqdq", "narrow": "vaes vpclmulqdq avx2"}
    for name, flags in cpus.items():
        (tmp_path / name).write_text(f"flags\t\t: fpu {flags}\n")
    wide, narrow = (
        {at: left_to_default(at, tmp_path / cpu) for at in ("3.0.2", "3.4", "3.5.1", "4.0")} for cpu in cpus
    )
    assert wide["3.0.2"] == wide["3.4"] == narrow["3.0.2"] and "AES-128-CBC" in wide["3.0.2"]
    assert wide["3.5.1"] == wide["4.0"] and narrow["3.5.1"] - wide["3.4"] == {"CMAC"}
    assert {"AES-256-GCM", "AES-128-XTS"} <= wide["3.5.1"] - narrow["3.5.1"]
    assert "AES-128-CTR" not in wide["4.0"]
    table = (Path(openssl.__file__).with_name("openssl_slower.inc")).read_text()
    assert table.count("SLOWER(") == len(openssl._ROW.findall(table))  # no line is misread
    assert set().union(*wide.values()) <= {*openssl.ALL, "CMAC"}


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
