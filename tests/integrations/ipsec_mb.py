"""Jobs of the interface of intel-ipsec-mb: how they are handed over, and what they must answer, by implementations that
are neither of the two libraries."""

from __future__ import annotations

import hashlib
import hmac
import os
import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.poly1305 import Poly1305
from cryptostitch.ladder import oracle

CIPHERS = {"cbc": 1, "ctr": 2, "null": 3, "gcm": 5, "custom": 6, "ccm": 9, "des3": 10, "ecb": 12} | {
    "chacha20": 18,
    "chacha-poly": 19,
}
"""IMB_CIPHER_MODE; the custom cipher and hash are those of ipsec_mb_jobs.c."""

HASHES = {
    "hmac-sha1": 1,
    "hmac-sha224": 2,
    "hmac-sha256": 3,
    "hmac-sha384": 4,
    "hmac-sha512": 5,
    "xcbc": 6,
    "hmac-md5": 7,
    "null": 8,
    "gcm": 9,
    "custom": 10,
    "ccm": 11,
    "cmac": 12,
    "sha1": 13,
    "sha224": 14,
    "sha256": 15,
    "sha384": 16,
    "sha512": 17,
    "cmac-bits": 18,
    "gmac-128": 24,
    "gmac-192": 25,
    "gmac-256": 26,
    "cmac-256": 27,
    "poly1305": 28,
    "chacha-poly": 29,
}
"""IMB_HASH_ALG. Beside a cipher that authenticates stands the hash of its name."""

AEADS = ("gcm", "ccm", "chacha-poly")
COMPLETED, INVALID, INTERNAL_ERROR = 3, 4, 5
FILLER = 0xA5
KEY_BYTES = {"chacha20": (32,), "chacha-poly": (32,), "ccm": (16, 32), "null": (0,), "custom": (0,), "des3": (24,)}
MAC_KEY_BYTES = {"xcbc": 16, "cmac": 16, "cmac-bits": 16, "cmac-256": 32, "poly1305": 32} | {
    "gmac-128": 16,
    "gmac-192": 24,
    "gmac-256": 32,
}
ESP_TAG_BYTES = {"hmac-sha1": 12, "hmac-sha224": 14, "hmac-sha256": 16, "hmac-sha384": 24, "hmac-sha512": 32} | {
    "hmac-md5": 12,
    "xcbc": 12,
}
"""RFC 2404, 4868, 2403, 3566: the lengths that are taken besides the whole; of XCBC the only one."""


@dataclass(frozen=True)
class Job:
    cipher: str
    hash: str
    seals: bool
    cipher_first: bool
    key: bytes
    mac_key: bytes
    iv: bytes
    aad: bytes
    tag_len: int
    cipher_at: int
    cipher_len: int
    hash_at: int
    hash_len: int
    """Bytes; of cmac-bits, bits."""
    place: int
    text: bytes

    def line(self) -> str:
        numbers = CIPHERS[self.cipher], HASHES[self.hash], 2 - self.seals, 2 - self.cipher_first
        rest = self.tag_len, self.cipher_at, self.cipher_len, self.hash_at, self.hash_len, self.place
        octets = (part.hex() or "-" for part in (self.key, self.mac_key, self.iv, self.aad))
        return " ".join([*map(str, numbers), *octets, *map(str, rest), self.text.hex() or "-"])

    def answer(self) -> tuple[bytes, bytes]:
        """Returns what must be in the output buffer afterwards, and the tag."""
        source = bytearray(self.text)
        out = source if self.place == 0 else bytearray([FILLER]) * len(self.text)
        at = self.cipher_at if self.place == 0 else 0
        if self.cipher in AEADS:
            text, tag = self.both()
            out[at : at + self.cipher_len] = text
            return bytes(out), tag[: self.tag_len]
        tag = b""
        for turn in ("cipher", "hash") if self.cipher_first else ("hash", "cipher"):
            if turn == "cipher" and self.cipher != "null":
                clear = bytes(source[self.cipher_at : self.cipher_at + self.cipher_len])
                out[at : at + self.cipher_len] = self.enciphered(clear)
            elif turn == "hash" and self.hash != "null":
                begin = self.hash_at - self.cipher_at if self.place == 2 else self.hash_at
                end = begin + (-(-self.hash_len // 8) if self.hash == "cmac-bits" else self.hash_len)
                tag = self.hashed(bytes((out if self.place == 2 else source)[begin:end]))
        return bytes(out), tag[: self.tag_len]

    def enciphered(self, data: bytes) -> bytes:
        if self.cipher == "custom":
            return bytes(0xFF ^ byte for byte in data)
        if self.cipher == "chacha20":
            return oracle.seal("chacha20", self.key, b"", b"\1\0\0\0" + self.iv, b"", data)[0]
        if self.cipher == "ctr":
            iv = self.iv if len(self.iv) == 16 else self.iv + b"\0\0\0\1"
            return oracle.counter_mode(self.key, iv, data)
        if self.cipher == "des3":
            return (oracle.cbc if self.seals else oracle.unsealed)(self.key, self.iv, data, oracle.TripleDES)
        if self.cipher == "ecb":
            return oracle.ecb(self.key, data) if self.seals else oracle.deciphered(self.aes, self.key, b"", data)
        return (oracle.cbc if self.seals else oracle.unsealed)(self.key, self.iv, data)

    @property
    def aes(self) -> str:
        return f"aes-{8 * len(self.key)}-{self.cipher}"

    def hashed(self, data: bytes) -> bytes:
        if self.hash in ("cmac", "cmac-256"):
            return oracle.cmac(self.mac_key, data)
        if self.hash == "cmac-bits":
            return cmac_of_bits(self.mac_key, data, self.hash_len)
        if self.hash == "custom":
            return bytes([sum(data) % 256]) * self.tag_len
        if self.hash == "xcbc":
            return oracle.xcbc(self.mac_key, data)
        if self.hash == "poly1305":
            return Poly1305.generate_tag(self.mac_key, data)
        if self.hash.startswith("gmac"):
            return oracle.seal(f"aes-{8 * len(self.mac_key)}-gcm", self.mac_key, b"", self.iv, data, b"")[1]
        name = self.hash.removeprefix("hmac-")
        return hashlib.new(name, data).digest() if name == self.hash else hmac.digest(self.mac_key, data, name)

    def both(self) -> tuple[bytes, bytes]:
        """A tag is always of the text that is there, whoever made it."""
        data = self.text[self.cipher_at : self.cipher_at + self.cipher_len]
        suite = "chacha20-poly1305" if self.cipher == "chacha-poly" else self.aes

        def sealed(text: bytes) -> tuple[bytes, bytes]:
            if self.cipher == "ccm":
                return oracle.ccm(self.key, self.iv, self.aad, text, self.tag_len)
            return oracle.seal(suite, self.key, b"", self.iv, self.aad, text)

        if self.seals:
            return sealed(data)
        plain = sealed(data)[0]  # counter mode is its own inverse
        return plain, sealed(plain)[1]


def cmac_of_bits(key: bytes, data: bytes, bits: int) -> bytes:
    """SP 800-38B, 6.2: bits that do not fill the last block are followed by a one and zeros."""
    if bits % 8 == 0:
        return oracle.cmac(key, data)
    number = int.from_bytes(data, "big") >> 8 - bits % 8
    filled = (2 * number + 1 << 7 - bits % 8).to_bytes(len(data), "big")
    filled += bytes(-len(filled) % 16)
    mask = int.from_bytes(oracle.ecb(key, bytes(16)), "big")
    for _ in range(2):
        mask = (mask << 1 ^ (0x87 if mask >> 127 else 0)) % (1 << 128)
    last = int.from_bytes(filled[-16:], "big") ^ mask
    return oracle.cbc(key, bytes(16), filled[:-16] + last.to_bytes(16, "big"))[-16:]


def whole_tag(hash_: str) -> int:
    name = hash_.removeprefix("hmac-")
    return hashlib.new(name).digest_size if name in hashlib.algorithms_available else 16


def random_job(rng: random.Random, cipher: str, hash_: str, most: int = 700) -> Job:
    key = rng.randbytes(rng.choice(KEY_BYTES.get(cipher, (16, 24, 32))))
    grain = {"cbc": 16, "ecb": 16, "des3": 8}.get(cipher, 1)
    least = 0 if cipher in AEADS and hash_ != "ccm" else 1
    cipher_len = 0 if cipher == "null" else max(least, rng.choice((rng.randrange(most), rng.randrange(80)))) * grain
    cipher_len = -(-cipher_len // grain) * grain if grain == 1 else min(cipher_len, most // grain * grain) or grain
    head, tail = rng.choice((0, 0, 8, 13, 24)), rng.choice((0, 0, 4, 12))
    seals = rng.random() < 0.6
    place = rng.choice((0, 0, 1, 2)) if cipher not in AEADS and cipher != "null" else rng.choice((0, 1))
    tag_len = whole_tag(hash_)
    if hash_ in ESP_TAG_BYTES and (hash_ == "xcbc" or rng.random() < 0.7):
        tag_len = ESP_TAG_BYTES[hash_]
    if hash_ == "ccm":
        tag_len = rng.choice((4, 6, 8, 10, 12, 14, 16))
    mac_key = aad = b""
    hash_at, hash_len = head, cipher_len
    if cipher in AEADS:
        text = rng.randbytes(head + cipher_len + tail)
        iv = rng.randbytes({"ccm": rng.randrange(7, 14), "gcm": rng.choice((12, 12, 12, 8, 16, 60))}.get(cipher, 12))
        aad = rng.randbytes(rng.choice((0, 8, 12, 20, 46)))
        cipher_first = seals != (cipher == "ccm")  # whose MAC is of the plaintext
    else:
        if cipher == "null":
            place, hash_at, hash_len = 0, head, rng.randrange(1, most)
        elif rng.random() < 0.5:
            hash_at, hash_len = (0, head + cipher_len) if place != 2 else (head, cipher_len)
        if place == 0 and rng.random() < 0.3:
            hash_len += tail
        iv = rng.randbytes({"ctr": rng.choice((12, 16)), "chacha20": 12, "ecb": 0, "des3": 8}.get(cipher, 16))
        if hash_.startswith("gmac") and cipher == "null":  # the cipher's IV is GMAC's, too
            iv = rng.randbytes(rng.choice((12, 12, 8, 33)))
        mac_key = rng.randbytes(MAC_KEY_BYTES.get(hash_, rng.choice((16, 20, 64))))
        # Out of place, the hash over the output wants it to be there.
        cipher_first = seals if place != 2 else True
        text = rng.randbytes(max(head + cipher_len + tail, hash_at + hash_len))
    if hash_ == "cmac-bits":
        hash_len = 8 * hash_len - rng.randrange(8)
    return Job(
        cipher,
        hash_,
        seals,
        cipher_first,
        key,
        mac_key,
        iv,
        aad,
        tag_len,
        head,
        cipher_len,
        hash_at,
        hash_len,
        place,
        text,
    )


@dataclass(frozen=True)
class Result:
    number: int
    status: int
    error: int
    buffer: bytes
    tag: bytes


@dataclass(frozen=True)
class Interface:
    """The library of a version, and the program that was built with its header."""

    build: Path
    number: int = 1

    @property
    def library(self) -> Path:
        return self.build / f"integrations/ipsec_mb/libIPSec_MB.so.{self.number}"

    @property
    def program(self) -> Path:
        return self.build / f"integrations/ipsec_mb/ipsec-mb-jobs-{self.number}"

    def require(self) -> None:
        """Skips the test where it was not built."""
        if self.program.exists():
            return
        if self.number == 1 and Interface(self.build, 2).program.exists():
            pytest.skip("no intel-ipsec-mb.h of version 1.3, but of 2.0")
        pytest.skip(f"not built: no intel-ipsec-mb.h of version {('1.3', '2.0')[self.number - 1]}")


def run(
    interface: Interface, lines: Sequence[str], how: str = "flush", library: Path | None = None, **environment: str
) -> list[Result]:
    """Runs the jobs, and returns the results in the order in which they come back."""
    done = subprocess.run(
        [interface.program, library or interface.library, how],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=120,
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    results = []
    for line in done.stdout.splitlines():
        number, status, error, buffer, tag = line.split()
        results.append(
            Result(int(number), int(status), int(error), bytes.fromhex(buffer.strip("-")), bytes.fromhex(tag))
        )
    return results


@cache
def original() -> Path | None:
    """Intel's own library, where it is installed."""
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64"):
        path = Path(folder) / "libIPSec_MB.so.1"
        if path.exists():
            return path
    return None
