"""One message of encrypt-then-MAC with CBC, and one TLS record, that are sealed on a call of a stitched kernel (runtime/run/etm_stitched.hpp), against the oracle."""

from __future__ import annotations

import random

import pytest
from made import check, make, sealed_record
from targets import context_for

from cryptostitch.ladder import oracle
from cryptostitch.runtime import SEAL, Context, Job

SUITES = [
    "aes-128-cbc+hmac-sha1-etm", "aes-192-cbc+hmac-sha256-etm", "aes-256-cbc+hmac-sha512-etm", "aes-128-cbc+hmac-md5-etm", "aes-128-cbc+hmac-sm3-etm",
    "aes-128-cbc+hmac-sha1-96", "aes-256-cbc+hmac-sha256-128", "aes-128-cbc+hmac-sha512-256",
]  # fmt: skip
# Around the shortest, beside hashes of small and of large blocks, and longer.
LENGTHS = (*range(160, 480, 16), 528, 928, 944, 960, 976, 1008, 1024, 1040, 1264, 1280, 2032, 2048, 4096, 4112, 16384, 40000)


@pytest.fixture(params=["host", "host-no_avx512", "sse_aesni_shani", "sse_aesni"])
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.mark.parametrize("name", SUITES)
def test_every_head(context: Context, name: str) -> None:
    """Heads of every length, so that every number of bytes of the body is hashed together with them, and too long ones."""
    rng, suite = random.Random(name), context.suite(name)
    pair = oracle.secrets(rng, name)
    key = suite.key(*pair)
    for aad_len in range(130) if name.endswith("-etm") else (8, 12):
        for length in rng.sample(LENGTHS, 4) if name.endswith("-etm") else LENGTHS:
            check(context, [make(rng, key, oracle.case(rng, name, length // 16 * 16, aad_len, pair), SEAL, rng.random() < 0.5, "")])


@pytest.mark.parametrize("name", ["aes-128-cbc+hmac-sha1-tls", "aes-256-cbc+hmac-sha256-tls", "aes-256-cbc+hmac-sha384-tls"])
def test_records(context: Context, name: str) -> None:
    """In place too, where the hash has to stay ahead of the cipher."""
    rng, suite = random.Random(name), context.suite(name)
    pair = oracle.secrets(rng, name)
    key = suite.key(*pair)
    for length in (*range(150, 520), *range(520, 1400, 13), 2047, 2048, 4095, 16383, 16384):
        case = oracle.case(rng, name, length, 11, pair)
        for in_place in (False, True):
            made = sealed_record(key, case, in_place)
            assert context.burst([made.job]) == 0 and (made.job.status, made.job.out_len) == (0, len(case.out)), (length, in_place)
            assert bytes(made.job.out) == made.out, (length, in_place)


@pytest.mark.parametrize("name", ["aes-128-cbc+hmac-sha1-etm", "aes-128-cbc+hmac-sha1-tls"])
def test_one_call_of_the_pair(library: str, name: str) -> None:
    """The kernel that is named is the one that runs."""
    context = context_for("sse_aesni_shani", library)
    rng, suite = random.Random(1), context.suite(name)
    pair = suite.choice(1, 1024).kernel
    assert "+" in pair
    case = oracle.case(rng, name, 1024, 11)
    job = Job(suite.key(case.key, case.mac_key), SEAL, iv=case.iv, aad=case.aad, data=case.data, out=bytearray(len(case.out)), tag=bytearray(len(case.tag)) or None)
    kernel = context.kernel(pair)
    before = kernel.calls()
    assert context.burst([job]) == 0 and bytes(job.out) == case.out and kernel.calls() == before + 1
