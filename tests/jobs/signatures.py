"""Signed messages, some of them damaged, and bursts of public-key jobs, for the tests of several operations."""

from __future__ import annotations

import random

from cryptostitch import PublicKey
from cryptostitch.binding.capi import PkJob

Signed = tuple[bytes, bytes, bytes, bytes]  # secret key, public key, message, signature


def verify(pk: PublicKey, some: list[Signed]) -> list[bool]:
    return pk.verify_many([s[1] for s in some], [s[2] for s in some], [s[3] for s in some])


def damaged(rng: random.Random, one: Signed) -> Signed:
    """Returns a signature with one bit of the public key, message or signature flipped."""
    secret, *parts = one
    at = rng.choice([i for i, part in enumerate(parts) if part])
    bit = rng.randrange(8 * len(parts[at]))
    parts[at] = bytes(b ^ (bit // 8 == i) << bit % 8 for i, b in enumerate(parts[at]))
    return secret, parts[0], parts[1], parts[2]


def run(pk: PublicKey, *jobs: PkJob) -> tuple[int, ...]:
    """Runs the jobs; returns what cst_pk_burst returns, and the status of each job."""
    array = (PkJob * len(jobs))(*jobs)
    code = pk.call(pk.lib.cst_pk_burst, array, len(jobs))
    return code, *(job.status for job in array)
