"""Wycheproof's vectors side by side: all of a file in bursts of any size and order, the good and the bad
(tests/runtime/test_api_vectors.py has them one by one)."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from cryptostitch.binding.runtime import ERR_AUTH, OPEN, SEAL, Context, Job, Key
from vectors.sources import wycheproof

H = bytes.fromhex
SIZES = (1, 7, 16, 33, 1000)


@dataclass
class Vector:
    number: int
    key: Key
    valid: bool
    iv: bytes
    aad: bytes
    text: bytes
    cipher: bytes
    tag: bytes


def run(context: Context, vectors: list[Vector], size: int) -> int:
    """Seals what is valid and opens all, `size` at a time. Returns the number of jobs."""
    enciphers = any(vector.iv for vector in vectors)
    done = 0
    for direction, some in ((SEAL, [v for v in vectors if v.valid]), (OPEN, vectors)):
        for first in range(0, len(some), size):
            jobs = []
            for v in some[first : first + size]:
                source = v.cipher if direction == OPEN and enciphers else v.text
                out = bytearray(max(len(v.cipher), len(source))) if enciphers else None
                tag = bytearray(v.tag if direction == OPEN else len(v.tag))
                jobs.append(
                    Job(v.key, direction, iv=v.iv or None, aad=v.aad or None, data=source, out=out, tag=tag or None)
                )
            context.burst(jobs)
            for v, job in zip(some[first:], jobs):
                assert job.status == (0 if v.valid else ERR_AUTH), v.number
                if direction == SEAL:
                    assert bytes(job.tag or b"") == v.tag and bytes(job.out or b"") == v.cipher, v.number
                elif job.out is not None:
                    assert bytes(job.out[: job.out_len]) == (v.text if v.valid else b"") and not any(
                        job.out[job.out_len :]
                    ), v.number
            done += len(jobs)
    return done


@pytest.mark.parametrize("size", SIZES)
def test_profile(host: Context, size: int) -> None:
    suite = host.suite("a128cbc-hs256")
    vectors = []
    for _, t in wycheproof("a128cbc_hs256")[1]:
        # others are no jobs at all
        if t["ct"] and len(H(t["ct"])) % 16 == 0 and len(H(t["iv"])) == 16 and len(H(t["tag"])) == 16:
            vectors.append(
                Vector(
                    t["tcId"],
                    suite.key(H(t["key"])),
                    t["result"] == "valid",
                    H(t["iv"]),
                    H(t["aad"]),
                    H(t["msg"]),
                    H(t["ct"]),
                    H(t["tag"]),
                )
            )
    random.Random(size).shuffle(vectors)
    assert run(host, vectors, size) > 100


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["sha1", "sha256"])
def test_hmac(host: Context, name: str, size: int) -> None:
    suite = host.suite(f"hmac-{name}")
    vectors = [
        Vector(
            t["tcId"], suite.key(mac_key=H(t["key"])), t["result"] == "valid", b"", b"", H(t["msg"]), b"", H(t["tag"])
        )
        for _, t in wycheproof(f"hmac_{name}")[1]
        if suite.tag_min <= len(H(t["tag"])) <= suite.tag_max
    ]
    random.Random(size).shuffle(vectors)
    assert run(host, vectors, size) > 200


@pytest.mark.parametrize("size", SIZES)
def test_cbc(host: Context, size: int) -> None:
    """The padding is added here; files' vectors with a bad one are judged by test_api_vectors."""
    vectors = []
    for group, t in wycheproof("aes_cbc_pkcs5")[1]:
        text = H(t["msg"])
        padding = 16 - len(text) % 16
        if t["result"] == "valid":
            key = host.suite(f"aes-{group['keySize']}-cbc").key(H(t["key"]))
            vectors.append(
                Vector(t["tcId"], key, True, H(t["iv"]), b"", text + bytes([padding]) * padding, H(t["ct"]), b"")
            )
    random.Random(size).shuffle(vectors)
    assert run(host, vectors, size) > 100
