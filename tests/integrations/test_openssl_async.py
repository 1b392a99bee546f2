"""Public-key operations of applications that run ASYNC jobs, against default's, in one process (`async = yes`)."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from jobs.samples import LONG

from integrations.openssl import compare, configured, program, server

ALGORITHMS = ("X25519", "ECDH-P-256", "ED25519", "EC-P-256", "RSA-2048", "RSA-4096")
NOT_IN_BURSTS = ("ECDH-P-384", "EC-P-384", "RSA-2560", "RSA-8192")
"""Keys that stay with default altogether."""
OPERATIONS, OF_DEFAULT = (20_000, 20_000) if LONG else (200, 60)
"""Of a process whose jobs run in bursts, and of one whose jobs are all left to default."""


def seed() -> int:
    return random.SystemRandom().randrange(1 << 30) if LONG else 1


def bursts(
    build: Path, folder: Path, algorithm: str, jobs: int, operations: int = OPERATIONS, **lines: str
) -> tuple[int, int]:
    """How many jobs were run in how many bursts, by a process that found no difference."""
    stats = folder / "stats"
    environment = configured(build, folder, **{"async": "yes"}, **lines)
    compare(
        build, environment | {"CRYPTOSTITCH_OPENSSL_STATS": str(stats)}, algorithm, seed(), operations, jobs,
        with_="async",
    )  # fmt: skip
    told = json.loads(stats.read_text())
    return told.get("async jobs", 0), told.get("async bursts", 0)


@pytest.mark.parametrize("jobs", (8, 40))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_jobs_side_by_side(build: Path, tmp_path: Path, algorithm: str, jobs: int) -> None:
    """Some of them are given up while they wait, and some cannot be paused."""
    done, calls = bursts(build, tmp_path, algorithm, jobs)
    if "avx512ifma" in Path("/proc/cpuinfo").read_text() and not os.environ.get("CRYPTOSTITCH_CPU"):
        assert done
    assert done >= 3 * calls


@pytest.mark.parametrize("jobs", (0, 1))
@pytest.mark.parametrize("algorithm", (*ALGORITHMS, *NOT_IN_BURSTS))
def test_a_lone_job_is_left_to_default(build: Path, tmp_path: Path, algorithm: str, jobs: int) -> None:
    assert bursts(build, tmp_path, algorithm, jobs, OF_DEFAULT) == (0, 0)


@pytest.mark.parametrize("algorithm", NOT_IN_BURSTS)
def test_what_the_library_lacks_is_left_to_default(build: Path, tmp_path: Path, algorithm: str) -> None:
    assert bursts(build, tmp_path, algorithm, 40, OF_DEFAULT) == (0, 0)


@pytest.mark.parametrize("lines", [{"target": "host-no_avx512"}, {"target": "sse_aesni"}, {"jit": "no"}])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_lesser_cpus(build: Path, tmp_path: Path, algorithm: str, lines: dict[str, str]) -> None:
    done, _ = bursts(build, tmp_path, algorithm, 8, **lines)
    assert done > 0 or algorithm not in ("X25519", "ED25519")


@pytest.mark.parametrize("what", ("go-on", "reuse", "last-free", "fork", "print"))
def test_keys_and_contexts(build: Path, tmp_path: Path, what: str) -> None:
    """A context that signs again; keys in the place of others that were freed; what is kept of keys; forks;
    parameters that are printed."""
    environment = configured(build, tmp_path, **{"async": "yes"})
    done = subprocess.run(
        [program(build, "keys"), what], capture_output=True, text=True, timeout=120, env=environment, check=False
    )
    assert (done.returncode, done.stdout) == (0, "all right\n"), done.stderr


def test_nothing_is_offered_unless_asked_for(build: Path, tmp_path: Path) -> None:
    said = {}
    for wish in ("yes", "no"):
        done = subprocess.run(
            ["openssl", "list", "-key-managers", "-key-exchange-algorithms", "-signature-algorithms"],
            capture_output=True,
            text=True,
            env=configured(build, tmp_path, **{"async": wish}),
            check=True,
        )
        said[wish] = len(re.findall("@ cryptostitch", done.stdout))
    assert said == {"yes": 9, "no": 0}


def test_nothing_is_assembled_after_loading(build: Path, tmp_path: Path) -> None:
    if subprocess.run(["which", "strace"], capture_output=True, check=False).returncode:
        pytest.skip("no strace here")
    calls = tmp_path / "calls"
    tracer = ["strace", "-f", "-o", calls, "-e", "trace=mmap,mprotect,memfd_create"]
    for algorithm in ALGORITHMS:
        counts = []
        for operations in (0, 100):
            subprocess.run(
                [*tracer, program(build, "async"), algorithm, "1", str(operations), "8"],
                check=True,
                capture_output=True,
                env=configured(build, tmp_path, **{"async": "yes"}),
            )
            counts.append(calls.read_text().count("PROT_EXEC"))
        assert counts[0] == counts[1] > 0


@pytest.mark.parametrize("kind", (["rsa:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["ed25519"]))
def test_keys_and_certificates_of_programs(build: Path, tmp_path: Path, kind: list[str]) -> None:
    """Keys are made, written, read and used by programs that know nothing of ASYNC jobs, and by a server that does."""
    environment = configured(build, tmp_path, **{"async": "yes"})

    def openssl(*arguments: str, by: dict[str, str]) -> str:
        done = subprocess.run(
            ["openssl", *arguments], cwd=tmp_path, capture_output=True, text=True, env=by, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    openssl(
        *("req", "-x509", "-newkey", *kind, "-nodes", "-subj", "/CN=localhost", "-days", "2"),
        *("-keyout", "key.pem", "-out", "cert.pem"),
        by=environment,
    )
    texts = [openssl("pkey", "-in", "key.pem", "-text", by=by) for by in (environment, dict(os.environ))]
    assert texts[0] == texts[1]
    assert openssl("verify", "-CAfile", "cert.pem", "cert.pem", by=dict(os.environ)) == "cert.pem: OK\n"
    handshakes = [program(build, "handshakes"), tmp_path, "100", "12", "1"]
    done = subprocess.run(handshakes, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.stdout.startswith("100 handshakes"), done.stderr
    with server(tmp_path, environment, "-async") as port:
        done = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", "cert.pem", "-verify_return_error"],
            cwd=tmp_path,
            input="GET /cert.pem HTTP/1.0\r\n\r\n",
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert "Verify return code: 0 (ok)" in done.stdout
