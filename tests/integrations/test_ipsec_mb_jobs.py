"""The interface of intel-ipsec-mb: jobs of every kind that the library has, against other implementations; the order in
which they come back; what is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from cryptostitch.ladder import oracle

from integrations.ipsec_mb import AEADS, COMPLETED, FILLER, INTERNAL_ERROR, Interface, Job, Result, random_job, run

CIPHERS = ("cbc", "ctr", "ecb", "chacha20")
MACS = ("hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-md5", "xcbc", "cmac", "cmac-256")
DIGESTS = ("sha1", "sha224", "sha256", "sha384", "sha512")
CUSTOM = (("custom", "null"), ("custom", "hmac-sha256"), ("ctr", "custom"), ("null", "custom"), ("custom", "custom"))
LONE = ("gmac-128", "gmac-192", "gmac-256", "poly1305")
PAIRS = (
    [(cipher, mac) for cipher in ("cbc", "ctr") for mac in (*MACS, *DIGESTS, "null")]
    + [(cipher, mac) for cipher in ("ecb", "chacha20") for mac in ("null", "hmac-sha256")]
    + [("null", mac) for mac in (*MACS, *DIGESTS, *LONE)]
    + [(cipher, mac) for cipher in ("cbc", "ctr", "chacha20") for mac in LONE]
    + [(cipher, "cmac-bits") for cipher in ("null", "ctr", "cbc")]
    + [(aead, aead) for aead in AEADS]
    + list(CUSTOM)
)


def check(jobs: Sequence[Job], results: list[Result]) -> None:
    assert [result.number for result in results] == list(range(len(jobs)))
    for job, result in zip(jobs, results):
        assert result.status == COMPLETED, (job, result)
        buffer, tag = job.answer()
        assert result.buffer == buffer, job
        assert result.tag == tag + bytes([FILLER]) * (64 - len(tag)), job


@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_answers(interface: Interface, pair: tuple[str, str]) -> None:
    rng = random.Random("+".join(pair))
    jobs = [random_job(rng, *pair) for _ in range(60)]
    check(jobs, run(interface, [job.line() for job in jobs]))


@pytest.mark.parametrize("how", ["flush", "each", "burst", "nocheck", "fork"])
def test_mixed_jobs_come_back_in_order(interface: Interface, how: str) -> None:
    rng = random.Random(how)
    jobs = [random_job(rng, *rng.choice(PAIRS)) for _ in range(128)]
    check(jobs, run(interface, [job.line() for job in jobs], how))


@pytest.mark.parametrize("hold", ["1", "3", "128", "0", "many"])
def test_holding_back_changes_no_answer(interface: Interface, hold: str) -> None:
    rng = random.Random(hold)
    jobs = [random_job(rng, *rng.choice(PAIRS)) for _ in range(150)]
    check(jobs, run(interface, [job.line() for job in jobs], CRYPTOSTITCH_IPSEC_MB_HOLD=hold))


@pytest.mark.parametrize("target", ["sse_aesni", "host-avx512f", "host-vaes"])
def test_answers_on_lesser_cpus(interface: Interface, target: str) -> None:
    rng = random.Random(target)
    jobs = [random_job(rng, *rng.choice(PAIRS)) for _ in range(150)]
    check(jobs, run(interface, [job.line() for job in jobs], CRYPTOSTITCH_TARGET=target))


@pytest.mark.parametrize("how", ["burst", "flush"])
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_many_messages_of_gcm(interface: Interface, key_bytes: int, how: str) -> None:
    """Texts of all numbers of blocks, whose last may want rows behind the powers of a key that ends with its page."""
    rng = random.Random(key_bytes)
    jobs = [
        replace(
            random_job(rng, "gcm", "gcm", 1700), key=rng.randbytes(key_bytes), tag_len=rng.choice((4, 8, 12, 16, 16))
        )
        for _ in range(128)
    ]
    jobs = [replace(job, iv=job.iv if rng.random() < 0.1 else job.iv[:12].ljust(12, b"i")) for job in jobs]
    for n in range(1, 97):
        cipher_len = 16 * n - rng.choice((0, 0, 1, 15))
        text = rng.randbytes(jobs[n].cipher_at + cipher_len)
        jobs[n] = replace(jobs[n], cipher_len=cipher_len, hash_len=cipher_len, text=text)
    check(jobs, run(interface, [job.line() for job in jobs], how))


@pytest.mark.parametrize("target", ["host", "sse_aesni"])
@pytest.mark.parametrize("how", ["burst", "flush"])
def test_the_aad_of_gcm_lies_in_the_text(interface: Interface, how: str, target: str) -> None:
    """An AAD that the output overwrites counts as it was."""
    rng = random.Random(how)
    jobs, lines = [], []
    for n in range(120):
        job = replace(random_job(rng, "gcm", "gcm"), cipher_len=100 + 5 * n, hash_len=100 + 5 * n, place=0)
        job = replace(job, text=rng.randbytes(job.cipher_at + job.cipher_len), iv=rng.randbytes(12))
        at = job.cipher_at + 20
        jobs.append(replace(job, aad=job.text[at : at + rng.randrange(1, 17)]))
        lines.append(replace(jobs[-1], place=3).line())
    check(jobs, run(interface, lines, how, CRYPTOSTITCH_TARGET=target))


def test_keys_of_gcm_that_follow_one_another_in_a_place(interface: Interface) -> None:
    """What was made of a key is not used for the next."""
    rng = random.Random(0)
    jobs = [
        random_job(rng, *rng.choice((("gcm", "gcm"), ("null", "gmac-128"), ("null", "gmac-256")))) for _ in range(150)
    ]
    check(jobs, run(interface, [job.line() for job in jobs], "each"))


@pytest.mark.parametrize("aead", AEADS)
def test_the_tag_of_a_forgery_is_another(interface: Interface, aead: str) -> None:
    """The interface compares no tags: what it computes of a forged text must differ from the tag that came with it."""
    rng = random.Random(aead)
    sealed = replace(random_job(rng, aead, aead), seals=True, place=0)
    while not sealed.cipher_len:
        sealed = replace(random_job(rng, aead, aead), seals=True, place=0)
    (first,) = run(interface, [sealed.line()])
    forged = bytearray(first.buffer)
    forged[sealed.cipher_at] ^= 1
    jobs = [replace(sealed, seals=False, text=text) for text in (first.buffer, bytes(forged))]
    right, wrong = run(interface, [job.line() for job in jobs])
    assert right.tag == first.tag and right.buffer == sealed.text
    assert wrong.tag[: sealed.tag_len] != first.tag[: sealed.tag_len]


@pytest.mark.parametrize("mac", LONE)
def test_the_tag_beside_a_cipher_is_of_the_message(interface: Interface, mac: str) -> None:
    """Keys of GMAC and GHASH are this library's: whoever takes them for the original's hashes nothing."""
    rng = random.Random(mac)
    job = replace(random_job(rng, "cbc", mac), place=0, cipher_first=False)
    other = replace(job, text=bytes(255 - byte for byte in job.text))
    first, second = run(interface, [job.line(), other.line()])
    assert first.tag[: job.tag_len] != second.tag[: job.tag_len]


@pytest.mark.parametrize("how", ["flush", "burst"])
def test_a_cipher_of_the_callers_that_fails(interface: Interface, how: str) -> None:
    """The hash behind it does not run, the other jobs do."""
    rng = random.Random(how)
    jobs = [random_job(rng, "custom", "sha256", 64) for _ in range(5)]
    jobs[2] = replace(jobs[2], place=0, cipher_first=True, iv=b"\0")
    results = run(interface, [job.line() for job in jobs], how)
    assert [result.status for result in results] == [COMPLETED, COMPLETED, INTERNAL_ERROR, COMPLETED, COMPLETED]
    assert results[2].buffer == jobs[2].text and set(results[2].tag) == {FILLER}


@pytest.mark.parametrize("mac", LONE)
@pytest.mark.parametrize("key", [5, 65], ids=lambda n: f"{n} bytes")
def test_nothing_is_written_for_half_a_job(interface: Interface, mac: str, key: int) -> None:
    """A hash that runs by itself in front of a cipher that is refused."""
    rng = random.Random(mac)
    job = replace(random_job(rng, "cbc", mac), place=1, cipher_first=False, key=rng.randbytes(key))
    (result,) = run(interface, [job.line()])
    assert result.status not in (COMPLETED, INTERNAL_ERROR)
    assert set(result.tag) | set(result.buffer) == {FILLER}


@pytest.mark.parametrize("wrong", [{"key": b"k" * 16}, {"iv": b"i" * 8}, {"tag_len": 1}, {"tag_len": 17}], ids=str)
def test_what_chacha20_poly1305_refuses(interface: Interface, wrong: dict[str, object]) -> None:
    rng = random.Random(1)
    job = replace(random_job(rng, "chacha-poly", "chacha-poly"), place=1, **wrong)
    (result,) = run(interface, [job.line()])
    assert result.status not in (COMPLETED, INTERNAL_ERROR)
    assert set(result.tag) | set(result.buffer) == {FILLER}


def product(a: int, b: int) -> int:
    """In GF(2^128), whose first bit is the constant one (SP 800-38D, 6.3)."""
    result = 0
    for bit in range(127, -1, -1):
        if a >> bit & 1:
            result ^= b
        b = b >> 1 ^ (0xE1 << 120 if b & 1 else 0)
    return result


def iv_for_counter(key: bytes, counter: bytes) -> bytes:
    """Of 16 bytes, of which GCM makes that first counter block (7.1): GHASH of the IV and its length, backwards."""
    h = int.from_bytes(oracle.ecb(key, bytes(16)), "big")
    inverse, power = 1 << 127, h
    for _ in range(127):  # h^(2^128 - 2)
        power = product(power, power)
        inverse = product(inverse, power)
    wanted = int.from_bytes(counter, "big") ^ product(128, h)
    return product(wanted, product(inverse, inverse)).to_bytes(16, "big")


@pytest.mark.parametrize("before", [0, 1, 5, 63])
def test_counters_of_gcm_wrap_in_32_bits(interface: Interface, before: int) -> None:
    """An IV of another length than 12 may begin so many blocks in front of the end."""
    rng = random.Random(before)
    key = rng.randbytes(16)
    iv = iv_for_counter(key, rng.randbytes(12) + (2**32 - 1 - before).to_bytes(4, "big"))
    sealed = Job("gcm", "gcm", True, True, key, b"", iv, b"", 16, 0, 1500, 0, 1500, 1, rng.randbytes(1500))
    jobs = [sealed, replace(sealed, seals=False, cipher_first=False), replace(sealed, seals=False, place=0)]
    check(jobs, run(interface, [job.line() for job in jobs]))
