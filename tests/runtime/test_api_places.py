"""Where the buffers of a job may lie: every job of a burst against the rule of the header, on each way to check it
(alone, scalar, all buffers at once)."""

from __future__ import annotations

import os
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import AEAD, CIPHER, NOT_RUN, OPEN, SEAL, Address, Job
from targets import context_for

# Lengths of text, AAD and tag; the IV has its usual one.
SUITES = {
    "aes-128-gcm": [(64, 20, 16), (40, 0, 12), (0, 16, 16), (0, 0, 16), (2000, 1, 13)],
    "chacha20-poly1305": [(64, 13, 16), (1, 0, 16)],
    "aes-128-cbc+hmac-sha1-etm": [(64, 20, 20), (16, 0, 12)],
    "aes-128-cbc+hmac-sha1-96": [(64, 12, 12)],
    "aes-128-ccm": [(33, 8, 8)],
    "aes-128-ctr": [(40, 0, 0), (1, 0, 0)],
    "aes-128-ecb": [(32, 0, 0)],
    "aes-128-xts": [(17, 0, 0)],
    "hmac-sha256": [(40, 0, 32), (0, 0, 16)],
    "sha1": [(64, 0, 20), (0, 0, 20)],
}
TOP = 1 << 64
WRONG = [runtime.ERR_ARGUMENT, runtime.ERR_LENGTH, runtime.ERR_OVERLAP]


@dataclass
class Places:
    iv: int
    aad: int
    data: int
    out: int
    tag: int
    room: int  # of `out`


def meet(a: int, a_bytes: int, b: int, b_bytes: int) -> bool:
    return a_bytes > 0 and b_bytes > 0 and a < b + b_bytes and b < a + a_bytes


def right(at: Places, enciphers: bool, direction: int, iv: int, aad: int, text: int, tag: int) -> bool:
    written = text if enciphers else 0
    used = [(at.iv, iv), (at.aad, aad), (at.data, text), (at.out, written), (at.tag, tag)]
    if (
        any(n and (p == 0 or p + n >= TOP) for p, n in used)
        or at.room < written
        or (at.out | at.room and not enciphers)
    ):
        return False
    if at.out != at.data and meet(at.out, written, at.data, text):
        return False
    if any(meet(at.out, written, p, n) for p, n in ((at.iv, iv), (at.aad, aad), (at.tag, tag))):
        return False
    return direction == OPEN or not any(
        meet(at.tag, tag, p, n) for p, n in ((at.iv, iv), (at.aad, aad), (at.data, text))
    )


def somewhere(rng: random.Random, text: int) -> int:
    """Near the others as a rule: touching, or not quite."""
    near = rng.choice((0, 1, 12, 16, text, rng.randrange(2 * text + 64)))
    return rng.choice(
        [rng.choice((1 << 20, 1 << 62, (1 << 63) - text)) + near]
        + 20 * [(1 << 20) + near, (1 << 20) + 4096 * rng.randrange(8) + near]
    )


def draw(rng: random.Random, text: int, enciphers: bool) -> Places:
    at = Places(*((1 << 20) + 8192 * i for i in range(1, 6)), room=text)
    for name in rng.sample(["iv", "aad", "data", "out", "tag"], rng.choice((0, 1, 1, 2, 5))):
        setattr(
            at,
            name,
            rng.choice((0, TOP - 1, TOP - text - 1, TOP - max(text, 1), 1 << 63))
            if rng.random() < 0.1
            else somewhere(rng, text),
        )
    if rng.random() < 0.2:
        at.out = at.data
    if rng.random() < 0.05:
        at.room += rng.choice((-1, 1)) if text else 1
    if not enciphers and rng.random() < 0.9:
        at.out = 0
    if not enciphers and rng.random() < 0.9:
        at.room = 0
    return at


@pytest.mark.parametrize("target", ["host", "host-no_avx512", "sse_aesni"])
@pytest.mark.parametrize("name", SUITES)
def test_every_job_of_a_burst(library: str, name: str, target: str) -> None:
    context = context_for(target, library)
    rng = random.Random(f"{name} {target}")
    suite = context.suite(name)
    enciphers = suite.kind in (CIPHER, AEAD)
    key_bytes, mac_key = bytes(range(suite.key_bytes)), b"k" * 20 if "hmac" in name else None
    keys = [suite.key(key_bytes, mac_key) for _ in range(2)]
    stop = Job(keys[0], data=Address(0, 16), tag=Address(0, 1))  # always wrong: nothing is run
    found = {True: 0, False: 0}
    for text, aad, tag in SUITES[name]:
        for _ in range(400):
            direction, iv = rng.choice((SEAL, OPEN)), suite.iv_bytes
            places = [draw(rng, text, enciphers) for _ in range(rng.choice((1, 2, 9)))]
            jobs = [
                Job(
                    rng.choice(keys),
                    direction,
                    iv=Address(at.iv, iv),
                    aad=Address(at.aad, aad),
                    data=Address(at.data, text),
                    out=Address(at.out, at.room),
                    tag=Address(at.tag, tag),
                )
                for at in places
            ]
            assert context.burst([*jobs, stop]) != 0
            for at, job in zip(places, jobs):
                expected = right(at, enciphers, direction, iv, aad, text, tag)
                assert job.status in ([NOT_RUN] if expected else WRONG), (at, direction, text, aad, tag, job.status)
                found[expected] += 1
    assert min(found.values()) > 50


@pytest.mark.parametrize("target", ["host", "host-no_avx512", "sse_aesni"])
def test_bursts_of_jobs_without_text(library: str, build: Path, target: str) -> None:
    """From C, with registers that are clear: what is there by chance in another program may hide a missing value."""
    suites = [name for name in suite_names() if name in context_for(target, library).suites()]
    done = subprocess.run(
        [build / "cst-empty-texts", *suites],
        capture_output=True,
        text=True,
        env={**os.environ, "CRYPTOSTITCH_TARGET": target},
    )
    assert done.returncode == 0 and int(done.stdout.split()[-4]) > 1000, done.stdout + done.stderr
