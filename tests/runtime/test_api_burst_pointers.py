"""cst_burst_pointers beside cst_burst: mixed jobs that lie apart, in any number and order, with bad ones among them."""

from __future__ import annotations

import ctypes
import random
from ctypes import addressof
from typing import Any

import pytest
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_AUTH, ERR_LENGTH, NOT_RUN, OK, OPEN, SEAL, JobStruct
from cryptostitch.binding.jobs import Job
from cryptostitch.binding.runtime import Context

SUITES = ("aes-128-gcm", "aes-128-cbc+hmac-sha256-etm", "sha1", "aes-256-ctr", "chacha20-poly1305", "hmac-md5")


@pytest.fixture(scope="module")
def context() -> Context:
    return Context()


@pytest.fixture(scope="module")
def keys(context: Context) -> dict[str, Any]:
    return {
        name: (suite := context.suite(name)).key(bytes(suite.key_bytes), bytes(20) if "hmac" in name else None)
        for name in SUITES
    }


def jobs(keys: dict[str, Any], n: int, seed: int) -> list[Job]:
    """Every third has its buffers in pieces, of which the library makes jobs in one piece, too."""
    rng, made = random.Random(seed), []
    for i in range(n):
        key = keys[rng.choice(SUITES)]
        data: Any = rng.randbytes(rng.choice([16, 64, 160, 1472]))
        out: Any = bytearray(len(data)) if key.suite.kind >= 3 else None
        if i % 3 == 2:
            data = [data[:5], data[5:]]
            out = out and [out[:7], out[7:]]
        tag = bytearray(key.suite.tag_max) if key.suite.tag_max else None
        made.append(Job(key, SEAL, iv=rng.randbytes(key.suite.iv_bytes) or None, data=data, out=out, tag=tag))
    return made


def results(made: list[Job]) -> list[tuple[Any, ...]]:
    return [(job.status, job.out_len, job.out, job.tag) for job in made]


@pytest.mark.parametrize("n", [0, 1, 2, 7, 64, 128, 129, 300])
def test_the_same_as_an_array(context: Context, keys: dict[str, Any], n: int) -> None:
    one, other = jobs(keys, n, n), jobs(keys, n, n)
    assert context.burst(one) == context.burst(other, apart=True) == OK
    assert results(one) == results(other)


@pytest.mark.parametrize("n", [2, 64, 200])
@pytest.mark.parametrize("what", ["forged", "length", "forged and length"])
def test_bad_jobs(context: Context, keys: dict[str, Any], n: int, what: str) -> None:
    both = []
    for apart in (False, True):
        made = jobs(keys, n, 5)
        at, last = n // 2, n - 1
        key = keys["aes-128-gcm"]
        if "forged" in what:
            made[at] = Job(key, OPEN, iv=bytes(12), data=bytes(32), out=bytearray(b"x" * 32), tag=bytes(16))
        if "length" in what:
            made[last] = Job(key, SEAL, iv=bytes(12), data=bytes(32), out=bytearray(31), tag=bytearray(16))
        code = context.burst(made, apart=apart)
        assert code == (ERR_LENGTH if "length" in what else ERR_AUTH)
        both.append(results(made))
        if "length" in what:
            assert {job.status for job in made[:last]} == {NOT_RUN} and made[last].status == ERR_LENGTH
    assert both[0] == both[1]


def test_jobs_in_any_order_and_addresses_that_are_none(context: Context, keys: dict[str, Any]) -> None:
    made = jobs(keys, 20, 9)
    structs = [JobStruct() for _ in made]
    kept = [job.fill(struct) for job, struct in zip(made, structs)]
    order = random.Random(3).sample(range(20), 20)
    places = (ctypes.c_void_p * 20)(*(addressof(structs[i]) for i in order))
    burst = context.lib.cst_burst_pointers
    for bad in (None, addressof(structs[4]) + 4):
        for at in (0, 7, 19):
            places[at], right = bad, places[at]
            assert context.call(burst, places, 20) == ERR_ARGUMENT
            assert all(struct.status == 0 for struct in structs), "no status was written"
            places[at] = right
    structs[11].size -= 1
    assert context.call(burst, places, 20) == ERR_ARGUMENT and not any(struct.status for struct in structs)
    structs[11].size += 1
    assert context.call(burst, places, 20) == OK
    again = jobs(keys, 20, 9)
    context.burst(again)
    assert [job.out for job in made] == [job.out for job in again]
    assert [job.tag for job in made] == [job.tag for job in again]
    del kept


@pytest.mark.parametrize("length", [16, 100, 200, 500, 700, 1000, 1200, 1500, 2000])
@pytest.mark.parametrize(("aad", "tag_len"), [(b"header", 16), (b"", 16), (b"header", 12), (b"", 8)])
def test_a_job_keeps_all_but_its_results(context: Context, length: int, aad: bytes, tag_len: int) -> None:
    """Also a pointer to pieces of which there are none, and to AAD of no bytes; right tags and wrong ones."""
    suite = context.suite("aes-128-gcm")
    keys = [suite.key(bytes([n]) * 16) for n in range(5)]

    def jobs(direction: int, texts: list[bytes], tags: list[bytes]) -> list[Job]:
        return [
            Job(key, direction, iv=bytes(12), aad=aad, data=text, out=bytearray(length), tag=bytearray(tag))
            for key, text, tag in zip(keys, texts, tags)
        ]

    def filled(made: list[Job]) -> tuple[Any, list[Any]]:
        structs = (JobStruct * 5)()
        kept = [job.fill(struct) for struct, job in zip(structs, made)]
        for struct in structs:
            struct.in_pieces, struct.out_pieces = 0x1000, 0x2000
            struct.aad = struct.aad or 0x3000
            struct.status, struct.out_len = OK, length
        return structs, kept

    sealed = jobs(SEAL, [bytes(length)] * 5, [bytes(tag_len)] * 5)
    structs, kept = filled(sealed)
    wanted = bytes(structs)
    assert context.call(context.lib.cst_burst, structs, 5) == OK
    assert bytes(structs) == wanted
    opened = jobs(OPEN, [bytes(job.out) for job in sealed], [bytes(job.tag) for job in sealed])
    opened[2].tag[0] ^= 1
    structs, kept = filled(opened)
    structs[2].status, structs[2].out_len = ERR_AUTH, 0
    wanted = bytes(structs)
    assert context.call(context.lib.cst_burst, structs, 5) == ERR_AUTH
    assert bytes(structs) == wanted
    del kept
