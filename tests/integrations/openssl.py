"""Processes of OpenSSL with the provider, and without."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptostitch.binding.openssl import configuration


def module(build: Path) -> Path:
    found = build / "integrations/openssl/cryptostitch.so"
    if not found.exists():
        pytest.skip("not built: no headers of OpenSSL 3.0 or later (apt-get install libssl-dev)")
    return found


def configured(build: Path, folder: Path, **lines: str) -> dict[str, str]:
    """The environment of a process that has the provider; ``lines`` for its section."""
    file = folder / f"openssl-{'-'.join(lines.values())}.cnf"
    file.write_text(configuration(module(build), **lines))
    return os.environ | {"OPENSSL_CONF": str(file)}


def system_version() -> str:
    said = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=False).stdout.split()
    return said[1] if said else "3.0"


def program(build: Path, name: str) -> Path:
    """Returns the path of a program that calls the provider through libcrypto."""
    found = build / f"integrations/openssl/openssl-{name}"
    if not found.exists():
        pytest.skip("not built: no libcrypto of OpenSSL 3.0 or later")
    return found


def compare(build: Path, environment: dict[str, str], *arguments: object, with_: str = "ciphers") -> None:
    """openssl-ciphers, or another, which must find no difference."""
    done = subprocess.run(
        [program(build, with_), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.match(r"\d+ (messages|sequences)", done.stdout)


def certificate(folder: Path) -> Path:
    """Makes one there, and its key."""
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    subprocess.run(
        [*request, "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True
    )
    return folder


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def server(folder: Path, environment: dict[str, str], *options: str) -> Iterator[int]:
    """s_server that sends files, for one connection; yields its port."""
    files = ["-cert", str(folder / "cert.pem"), "-key", str(folder / "key.pem")]
    process = subprocess.Popen(
        ["openssl", "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-WWW", *files, *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout
    try:
        for line in process.stdout:
            if found := re.match(r"ACCEPT 127\.0\.0\.1:(\d+)", line):
                yield int(found[1])
                break
        else:
            pytest.fail("s_server did not begin", pytrace=False)
        process.wait(20)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def keys(stats: Path) -> Counter[str]:
    """Returns the number of keys of each suite, which processes with the provider write when they end."""
    found: Counter[str] = Counter()
    for _ in range(50):
        if stats.exists():
            break
        time.sleep(0.1)
    for line in stats.read_text().splitlines() if stats.exists() else ():
        told = json.loads(line)
        found.update({name: number for name, number in told.items() if name != "pid"})
    return found
