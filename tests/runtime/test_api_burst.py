"""Random bursts: any mix of suites, keys, lengths, alignments, directions, in place or not, forged or not.

Nothing but the outputs changes.
"""

from __future__ import annotations

import random

import oracle
import pytest

from cryptostitch import runtime
from cryptostitch.runtime import OPEN, SEAL, Context, Job, Key

MARGIN = 64


class Placed:
    """A job in the middle of a guarded buffer, at a random alignment, with what must be there afterwards."""

    def __init__(self, rng: random.Random, case: oracle.Case, key: Key):
        self.case, self.key = case, key
        self.direction = rng.choice((SEAL, OPEN))
        self.forged = self.direction == OPEN and bool(case.tag) and rng.random() < 0.2
        ciphers = bool(case.iv)
        source, result = (case.data, case.out) if self.direction == SEAL or not ciphers else (case.out, case.data)
        self.in_place = ciphers and rng.random() < 0.5
        shift = rng.randrange(64)
        room = max(len(source), len(result))
        self.buffer = bytearray(rng.randbytes(shift + room + MARGIN))
        self.buffer[shift : shift + len(source)] = source
        self.wanted = bytearray(self.buffer)
        view = memoryview(self.buffer)
        self.out_buffer = self.buffer if self.in_place else bytearray(rng.randbytes(shift + room + MARGIN))
        self.out_wanted = self.wanted if self.in_place else bytearray(self.out_buffer)
        written = max(len(result), len(source)) if self.direction == OPEN else len(result)
        out = memoryview(self.out_buffer)[shift : shift + written] if ciphers else None
        tag = bytearray(case.tag)
        if self.forged:
            tag[rng.randrange(len(tag))] ^= 1 << rng.randrange(8)
        elif self.direction == SEAL:
            tag = bytearray(len(tag))
        self.tag = tag
        self.tag_wanted = bytearray(tag) if self.forged else bytearray(case.tag)
        if ciphers:
            zeros = bytes(written - len(result))
            self.out_wanted[shift : shift + written] = bytes(written) if self.forged else result + zeros
        self.out_len = len(result) if ciphers and not self.forged else 0
        self.job = Job(
            key,
            self.direction,
            iv=case.iv or None,
            aad=case.aad or None,
            data=view[shift : shift + len(source)],
            out=out,
            tag=tag or None,
        )

    def check(self) -> None:
        what = (self.case.suite, len(self.case.data), len(self.case.aad), self.direction, self.in_place, self.forged)
        assert self.job.status == (runtime.ERR_AUTH if self.forged else 0), what
        assert self.job.out_len == self.out_len, what
        assert self.tag == self.tag_wanted, what
        assert self.buffer == self.wanted and self.out_buffer == self.out_wanted, what


def lengths(rng: random.Random) -> int:
    return rng.choice((rng.randrange(64), rng.randrange(700), rng.randrange(700), rng.randrange(8000)))


@pytest.mark.parametrize("seed", range(25))
def test_any_mix(shared_context: Context, seed: int) -> None:
    rng = random.Random(seed)
    names = rng.sample(shared_context.suites(), rng.randrange(1, 5))
    keys: list[tuple[str, tuple[bytes, bytes], Key]] = []
    for name in names:
        for _ in range(rng.randrange(1, 4)):
            secrets = oracle.secrets(rng, name)
            keys.append((name, secrets, shared_context.suite(name).key(secrets[0] or None, secrets[1] or None)))
    placed = []
    for _ in range(rng.randrange(1, 200)):
        name, secrets, key = rng.choice(keys)
        placed.append(
            Placed(rng, oracle.case(rng, name, lengths(rng), rng.choice((0, 0, 13, rng.randrange(200))), secrets), key)
        )
    code = shared_context.burst([p.job for p in placed])
    for p in placed:
        p.check()
    assert code == (runtime.ERR_AUTH if any(p.forged for p in placed) else 0)


@pytest.mark.parametrize("one_key", [False, True])
@pytest.mark.parametrize(
    "name", ["aes-128-cbc+hmac-sha1-etm", "aes-256-cbc+hmac-sha256-etm", "aes-128-cbc", "a128cbc-hs256"]
)
def test_wide_bursts_in_place(shared_context: Context, name: str, one_key: bool) -> None:
    """Lanes without a job must not write to anybody's buffer, also when input and output are the same."""
    rng = random.Random(f"{name}{one_key}")
    secrets = oracle.secrets(rng, name)
    shared = shared_context.suite(name).key(secrets[0] or None, secrets[1] or None)
    for n in (2, 7, 20, 40):
        placed = []
        for _ in range(n):
            key, own = shared, secrets
            if not one_key:
                own = oracle.secrets(rng, name)
                key = shared_context.suite(name).key(own[0] or None, own[1] or None)
            placed.append(
                Placed(
                    rng,
                    oracle.case(rng, name, rng.choice((4096, rng.randrange(20000))), 16 * rng.randrange(3), own),
                    key,
                )
            )
        shared_context.burst([p.job for p in placed])
        for p in placed:
            p.check()


def test_empty_burst(shared_context: Context) -> None:
    assert shared_context.burst([]) == 0
