"""What lesser_machine.c must print, by implementations that are not the library, and what it prints on machines that
have less."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptostitch.ladder.oracle import digest, hmac_of

AUTH, UNSUPPORTED = "-5", "-6"
JOBS, MOST, FORGED = 20, 1500, 7
SEALS = ("aes-128-cbc+hmac-sha1-etm", "aes-128-cbc+hmac-sha256-etm", "aes-128-gcm", "chacha20-poly1305")
DIGESTS = ("md5", "sha1", "sha256", "sha512", "sha3-256", "blake3", "crc32c")
PUBLIC = ("x25519-public-key", "ed25519-sign", "ed25519-public-key", "ecdsa-p256-sign", "p256-public-key")
VERIFICATIONS = ("ed25519-verify", "ecdsa-p256-verify")
PARTS = ("selftest", "seals", "digests", *PUBLIC, *VERIFICATIONS)
LOWERING = ("CRYPTOSTITCH_TARGET", "CRYPTOSTITCH_CPU")

Answers = dict[str, dict[str, str]]
"""By name and number: hexadecimal, or an error's number."""


def compiled(root: Path, library: str, folder: Path) -> Path:
    program = folder / "lesser_machine"
    static = Path(library).resolve().with_name("libcryptostitch.a")
    links = ["-Wl,-Bstatic", "-lstdc++", "-Wl,-Bdynamic", "-lm", "-lpthread", "-static-libgcc"]
    source = root / "tests/runtime/lesser_machine.c"
    command = ["cc", "-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{root}/include", source, static, *links]
    done = subprocess.run([*command, "-o", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return program


def answers(command: Sequence[str | Path], folder: Path, **environment: str) -> Answers:
    """Runs a program, and returns its answers; ``folder`` is for core files."""
    env = {name: value for name, value in os.environ.items() if name not in LOWERING} | environment
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder)
    assert done.returncode == 0, f"{command} {environment}: {done.returncode}, {done.stderr[-500:]}"
    found: Answers = {}
    for line in done.stdout.splitlines():
        name, number, result = line.split("\t")
        found.setdefault(name, {})[number] = result
    return found


def length(job: int) -> int:
    return job * 79 % MOST


def filled(size: int, seed: int) -> bytes:
    return bytes((31 * seed + 7 * i + (i >> 8) + 1) & 0xFF for i in range(size))


def secret(job: int) -> bytes:
    return b"\x01" + filled(32, job)[1:]


def point(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = serialization.PublicFormat.UncompressedPoint
    return key.public_key().public_bytes(serialization.Encoding.X962, form)


def sealed(suite: str, job: int) -> bytes:
    text, key, mac_key = filled(length(job) // 16 * 16, job), filled(32, 1), filled(32, 2)
    if suite == "aes-128-gcm":
        return AESGCM(key[:16]).encrypt(filled(12, job), text, None)
    if suite == "chacha20-poly1305":
        return ChaCha20Poly1305(key).encrypt(filled(12, job), text, None)
    iv = filled(16, job)
    encryptor = Cipher(algorithms.AES(key[:16]), modes.CBC(iv)).encryptor()
    text = encryptor.update(text) + encryptor.finalize()
    return text + hmac_of(suite.split("-")[3], mac_key, iv + text)[:16]


@functools.cache
def expected(name: str, job: int) -> str:
    if name in SEALS:
        its = sealed(name, job)
    elif name in DIGESTS:
        its = digest(name, filled(length(job), job))
    elif name == "x25519-public-key":
        its = x25519.X25519PrivateKey.from_private_bytes(secret(job)).public_key().public_bytes_raw()
    elif name == "p256-public-key":
        its = point(p256_key(job))
    else:
        key = ed25519.Ed25519PrivateKey.from_private_bytes(secret(job))
        its = key.sign(filled(length(job), job)) if "sign" in name else key.public_key().public_bytes_raw()
    return f"0x{its.hex()}"


@functools.cache
def p256_key(job: int) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(secret(job)), ec.SECP256R1())


def is_signature(job: int, result: str) -> bool:
    r, s = int(result[2:66], 16), int(result[66:], 16)
    try:
        p256_key(job).public_key().verify(
            encode_dss_signature(r, s), filled(length(job), job), ec.ECDSA(hashes.SHA256())
        )
    except InvalidSignature:
        return False
    return True


def wrong(part: str, found: Answers, may_lack: frozenset[str]) -> list[str]:
    """Says which answers of a part are wrong. ``may_lack``: suites and operations that this machine need not have."""
    if part == "selftest":
        last = found.pop("selftest", {})
        return [f"{name}: {results}" for name, results in found.items()] + [
            f"{right} right, {error}" for right, error in last.items() if error != "0" or not int(right)
        ]
    faults = []
    for name in {"seals": SEALS, "digests": DIGESTS}.get(part, (part,)):
        results = found.get(name, {})
        if set(results.values()) == {UNSUPPORTED} and name in may_lack:
            continue
        if set(results) != {str(job) for job in range(JOBS)}:
            faults.append(f"{name}: {results}")
            continue
        for job in range(JOBS):
            its = results[str(job)]
            if name in VERIFICATIONS:
                right = its == (AUTH if job == FORGED else "0")
            elif name == "ecdsa-p256-sign":
                right = its.startswith("0x") and is_signature(job, its)
            else:
                right = its == expected(name, job)
            if not right:
                faults.append(f"{name}, job {job}: {its}")
    return faults
