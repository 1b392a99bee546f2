"""The provider's ciphers against default's, by the same calls in one process."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cryptostitch.binding.openssl import ALL, left_to_default
from jobs.samples import LONG

from integrations.openssl import compare, configured, module, program, system_version

LEVELS = ("host", "host-no_avx512", "sse_aesni")
TLS = ("AES-128-CBC-HMAC-SHA1", "AES-256-CBC-HMAC-SHA256")
ETM = tuple(name for name in ALL if name.endswith("ETM"))
ONE_OF_EACH = ("AES-128-GCM", "AES-128-CTR", "AES-128-XTS", "AES-128-CBC", "AES-128-CCM", "ChaCha20-Poly1305", *TLS)


def seed() -> int:
    return random.SystemRandom().randrange(1 << 30) if LONG else 1


@pytest.mark.parametrize("cipher", [name for name in ALL if name not in ETM])
def test_messages_in_random_pieces(build: Path, tmp_path: Path, cipher: str) -> None:
    compare(build, configured(build, tmp_path, slower="yes"), cipher, seed(), 20_000 if LONG else 400)


@pytest.mark.parametrize("cipher", ONE_OF_EACH)
def test_long_messages(build: Path, tmp_path: Path, cipher: str) -> None:
    compare(build, configured(build, tmp_path, slower="yes"), cipher, seed(), 5_000 if LONG else 60, 70_000)


@pytest.mark.parametrize("target", LEVELS[1:])
@pytest.mark.parametrize("cipher", ONE_OF_EACH)
def test_lesser_cpus(build: Path, tmp_path: Path, cipher: str, target: str) -> None:
    environment = configured(build, tmp_path, slower="yes", target=target)
    compare(build, environment, cipher, seed(), 5_000 if LONG else 150)


@pytest.mark.parametrize("cipher", ONE_OF_EACH)
def test_static_kernels(build: Path, tmp_path: Path, cipher: str) -> None:
    compare(build, configured(build, tmp_path, slower="yes", jit="no"), cipher, seed(), 5_000 if LONG else 150)


@pytest.mark.parametrize("name", ("CMAC", *ETM))
def test_macs(build: Path, tmp_path: Path, name: str) -> None:
    """CMAC against default's; the ETM ciphers, which OpenSSL 3.0 lacks, against its CBC and HMAC."""
    environment = configured(build, tmp_path, cmac="yes", slower="yes")
    compare(build, environment, name, seed(), 10_000 if LONG else 200, with_="macs")


@pytest.mark.parametrize("lines", [{"target": level} for level in LEVELS[1:]] + [{"jit": "no"}])
@pytest.mark.parametrize("name", ("CMAC", ETM[0], ETM[-1]))
def test_macs_on_lesser_cpus(build: Path, tmp_path: Path, name: str, lines: dict[str, str]) -> None:
    environment = configured(build, tmp_path, cmac="yes", slower="yes", **lines)
    compare(build, environment, name, seed(), 5_000 if LONG else 60, with_="macs")


@pytest.mark.parametrize("cipher", [name for name in ONE_OF_EACH if name not in TLS])
def test_calls_in_any_order(build: Path, tmp_path: Path, cipher: str) -> None:
    """What the README does not list as different is not."""
    environment = configured(build, tmp_path, slower="yes")
    compare(build, environment, cipher, seed(), 500_000 if LONG else 8_000, with_="orders")
    if cipher != "AES-128-CTR":  # of which nothing is listed
        with pytest.raises(AssertionError, match=f"{cipher}: .* is .*, not "):
            compare(build, environment, cipher, seed(), 8_000, "all", with_="orders")


JOB = {"OPENSSL_TEST_JOB": "16384"}
"""The whole program in an ASYNC job, of whose stack (32 KiB, then a guard page) half is used already."""


ALL_LINES = {"slower": "yes", "cmac": "yes", "async": "yes"}
PLAIN = tuple(name for name in (*ONE_OF_EACH, ETM[0]) if name not in left_to_default(system_version()))


@pytest.mark.parametrize(
    "name, lines",
    [(name, ALL_LINES) for name in (*ONE_OF_EACH, "CMAC", ETM[0], ETM[-1])] + [(name, {}) for name in PLAIN],
)
def test_in_async_jobs(build: Path, tmp_path: Path, name: str, lines: dict[str, str]) -> None:
    """The configuration is read there, too."""
    environment = configured(build, tmp_path, **lines) | JOB
    if name in ONE_OF_EACH:
        compare(build, environment, name, seed(), 5_000 if LONG else 60, 70_000)
    else:
        compare(build, environment, name, seed(), 5_000 if LONG else 60, with_="macs")


def test_opening_never_ends_without_a_right_tag(build: Path, tmp_path: Path) -> None:
    """Sequences of calls that give an AEAD less than a message, or a wrong tag."""
    environment = configured(build, tmp_path, slower="yes")
    done = subprocess.run([program(build, "ends")], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (0, "none opens\n"), done.stderr


def test_refusals_in_async_jobs(build: Path, tmp_path: Path) -> None:
    environment = configured(build, tmp_path, slower="yes", cmac="yes") | JOB
    done = subprocess.run([program(build, "refusals")], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (0, "all refused\n"), done.stderr


def test_forks_and_threads(build: Path, tmp_path: Path) -> None:
    """Contexts that were made before, in children and in four threads."""
    done = subprocess.run(
        [program(build, "workers")],
        capture_output=True,
        text=True,
        timeout=120,
        env=configured(build, tmp_path, slower="yes"),
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "all agree\n"), done.stderr


HOLDS = """
import ctypes, ctypes.util, os, signal
libcrypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
for name in ("EVP_CIPHER_fetch", "EVP_CIPHER_CTX_new"):
    getattr(libcrypto, name).restype = ctypes.c_void_p
cipher = ctypes.c_void_p(libcrypto.EVP_CIPHER_fetch(None, b"AES-128-GCM", b"provider=cryptostitch"))
context = ctypes.c_void_p(libcrypto.EVP_CIPHER_CTX_new())
assert cipher and libcrypto.EVP_CipherInit_ex2(context, cipher, bytes(16), bytes(12), 1, None) == 1
if "%s" == "freed":
    libcrypto.EVP_CIPHER_CTX_free(context)
    libcrypto.EVP_CIPHER_free(cipher)
elif "%s" == "handler":  # exit() on top of whatever it interrupts
    libc = ctypes.CDLL(None)
    libc.signal(signal.SIGUSR1, ctypes.cast(libc.exit, ctypes.c_void_p))
    os.kill(os.getpid(), signal.SIGUSR1)
"""


@pytest.mark.parametrize("way", ("freed", "held", "handler"))
def test_use_is_told_at_the_end(build: Path, tmp_path: Path, way: str) -> None:
    """Once, whether or not something holds a reference to the provider then."""
    stats = tmp_path / "stats"
    environment = configured(build, tmp_path, slower="yes") | {"CRYPTOSTITCH_OPENSSL_STATS": str(stats)}
    done = subprocess.run([sys.executable, "-c", HOLDS.replace("%s", way)], env=environment, check=False)
    assert done.returncode == (signal.SIGUSR1 if way == "handler" else 0)
    assert [json.loads(line)["aes-128-gcm"] for line in stats.read_text().splitlines()] == [1]


def test_a_difference_is_found(build: Path, tmp_path: Path) -> None:
    """The program itself: of a cipher that only one of the two has."""
    with pytest.raises(AssertionError, match="is not there: provider=cryptostitch"):
        compare(build, configured(build, tmp_path), "AES-128-OFB", 1, 1)


def test_what_must_be_refused(build: Path, tmp_path: Path) -> None:
    environment = configured(build, tmp_path, slower="yes", cmac="yes")
    done = subprocess.run([program(build, "refusals")], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (0, "all refused\n"), done.stderr


def test_the_module_brings_no_second_libcrypto(build: Path) -> None:
    path = module(build)
    needed = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
    assert "libcrypto" not in needed and "libssl" not in needed
    assert "NODELETE" in needed
    symbols = subprocess.run(["readelf", "-W", "--dyn-syms", path], capture_output=True, text=True, check=True).stdout
    exported = re.findall(r"GLOBAL +DEFAULT +\d+ (\S+)", symbols)
    assert exported == ["OSSL_provider_init"]


def test_nothing_is_assembled_after_loading(build: Path, tmp_path: Path) -> None:
    """Executable mappings that come after the first message would end a process in a sandbox."""
    strace = subprocess.run(["which", "strace"], capture_output=True, check=False)
    if strace.returncode:
        pytest.skip("no strace here")
    calls = tmp_path / "calls"
    tracer = ["strace", "-f", "-o", calls, "-e", "trace=mmap,mprotect,memfd_create"]
    counts = []
    for messages in (0, 300):
        subprocess.run(
            [*tracer, program(build, "ciphers"), "AES-128-GCM", "1", str(messages), "40000"],
            check=True,
            capture_output=True,
            env=configured(build, tmp_path, slower="yes"),
        )
        counts.append(calls.read_text().count("PROT_EXEC"))
    assert counts[0] == counts[1] > 0
