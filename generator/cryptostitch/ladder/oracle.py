"""What the suites compute, by independent implementations: hashlib, hmac, and the package `cryptography`."""

from __future__ import annotations

import hashlib
import hmac
import random
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


@dataclass(frozen=True)
class Meaning:
    """A suite taken apart: hash name or "", cipher key length or 0, what is done with them."""

    kind: str  # digest, mac, cipher, etm, profile
    hash: str = ""
    key_bytes: int = 0


def meaning(suite: str) -> Meaning:
    if suite == "a128cbc-hs256":
        return Meaning("profile", "sha256", 16)
    cipher, _, rest = suite.partition("+")
    if rest:
        return Meaning("etm", rest.removeprefix("hmac-").removesuffix("-etm"), int(cipher.split("-")[1]) // 8)
    if suite.startswith("aes-"):
        return Meaning("cipher", "", int(suite.split("-")[1]) // 8)
    return Meaning("mac", suite[5:]) if suite.startswith("hmac-") else Meaning("digest", suite)


def cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def unsealed(key: bytes, iv: bytes, data: bytes) -> bytes:
    """CBC decryption without padding."""
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    return decryptor.update(data) + decryptor.finalize()


def seal(suite: str, key: bytes, mac_key: bytes, iv: bytes, aad: bytes, data: bytes) -> tuple[bytes, bytes]:
    """(output, whole tag)."""
    m = meaning(suite)
    if m.kind == "digest":
        return b"", hashlib.new(m.hash, data).digest()
    if m.kind == "mac":
        return b"", hmac.digest(mac_key, data, m.hash)
    if m.kind == "cipher":
        return cbc(key, iv, data), b""
    if m.kind == "etm":
        text = cbc(key, iv, data)
        return text, hmac.digest(mac_key, aad + iv + text, m.hash)
    pad = 16 - len(data) % 16
    text = cbc(key[16:], iv, data + bytes([pad]) * pad)
    return text, hmac.digest(key[:16], aad + iv + text + (8 * len(aad)).to_bytes(8, "big"), "sha256")[:16]


@dataclass
class Case:
    """Random arguments of one job, and the right answer."""

    suite: str
    key: bytes
    mac_key: bytes
    iv: bytes
    aad: bytes
    data: bytes
    out: bytes
    tag: bytes


def secrets(rng: random.Random, suite: str) -> tuple[bytes, bytes]:
    """A key and a MAC key of lengths that the suite takes."""
    m = meaning(suite)
    key = rng.randbytes(32 if m.kind == "profile" else m.key_bytes)
    mac_key = (
        rng.randbytes(rng.choice((0, 1, 16, 20, 32, 63, 64, 65, 128, 129, 200))) if m.kind in ("mac", "etm") else b""
    )
    return key, mac_key


def case(
    rng: random.Random, suite: str, length: int, aad_len: int = 0, keys: tuple[bytes, bytes] | None = None
) -> Case:
    m = meaning(suite)
    key, mac_key = keys or secrets(rng, suite)
    if m.kind in ("cipher", "etm"):
        length &= ~15
    iv = rng.randbytes(16) if m.key_bytes else b""
    aad = rng.randbytes(aad_len) if m.kind in ("etm", "profile") else b""
    data = rng.randbytes(length)
    out, tag = seal(suite, key, mac_key, iv, aad, data)
    return Case(suite, key, mac_key, iv, aad, data, out, tag)
