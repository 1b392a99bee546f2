"""Lengths and places that no caller means: each is refused by the header's rule ("ARGUMENTS") before a byte is read.

Addresses that are not mapped stand for buffers that must not be touched: a call that does so ends the test run."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_int, c_size_t, c_uint8, c_uint64, c_void_p
from typing import Any

import pytest
from cryptostitch import ErasureCode, PublicKey
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_LENGTH, ERR_OVERLAP, ERR_UNSUPPORTED, NOT_RUN, OK, PkJob
from cryptostitch.binding.runtime import OPEN, SEAL, Address, Context, Job, JobStruct, RuntimeFailure

TOP = 1 << 64
HUGE = [TOP - n for n in (*range(1, 66), 96, 128, 4096)] + [
    (1 << bits) + more for bits in (61, 62, 63) for more in (-64, -32, -1, 0, 1, 64)
]
FAR = 1 << 46
"""An address that is not mapped."""
OPERATIONS = {  # lengths of key and signature, room for the output, an input of a length of its own
    "x25519": (32, 0, 32, 32),
    "ed25519-verify": (32, 64, 0, None),
    "ed25519-verify-zip215": (32, 64, 0, None),
    "ed25519-sign": (32, 0, 64, None),
    "ed25519-public-key": (32, 0, 32, 0),
    "ecdsa-p256-verify": (65, 64, 0, None),
    "ecdsa-p256-sign": (32, 0, 64, None),
    "ecdsa-p256-verify-digest": (65, 64, 0, 32),
    "ecdsa-p256-sign-digest": (32, 0, 64, 32),
    "ecdh-p256": (32, 0, 32, 65),
    "p256-public-key": (32, 0, 65, 0),
}


class Memory:
    """A buffer of known bytes, and whether they still are those."""

    def __init__(self, size: int) -> None:
        self.before = bytes(i % 251 for i in range(size))
        self._at = ctypes.create_string_buffer(self.before, size)
        self.at = ctypes.addressof(self._at)

    def unchanged(self) -> bool:
        return self._at.raw == self.before


def as_int(at: int) -> Any:
    return ctypes.cast(at, POINTER(c_int))


def operation(context: Context, name: str) -> PublicKey:
    try:
        return PublicKey(name, context)
    except RuntimeFailure as failure:
        assert failure.code == ERR_UNSUPPORTED
        pytest.skip("this CPU has no kernel for it")


@pytest.fixture
def manager(shared_context: Context) -> Iterator[c_void_p]:
    made = c_void_p()
    assert shared_context.lib.cst_pk_manager_new(shared_context.handle, None, byref(made)) == OK
    yield made
    shared_context.lib.cst_pk_manager_free(made)


@pytest.mark.parametrize("name", OPERATIONS)
def test_lengths_of_public_keys(shared_context: Context, manager: c_void_p, name: str) -> None:
    """Of key, input and signature, behind a job that is right, and of a job for a manager."""
    pk, memory = operation(shared_context, name), Memory(4 * 128)
    key, signature, room, text = OPERATIONS[name]
    right = {
        "key": memory.at,
        "key_len": key,
        "in": memory.at + 128,
        "in_len": 16 if text is None else text,
        "signature": memory.at + 256 if signature else None,
        "signature_len": signature,
        "out": memory.at + 384 if room else None,
        "out_cap": room,
    }
    for field, length in itertools.product(("key_len", "in_len", "signature_len"), HUGE):
        place = right[field.removesuffix("_len")] or memory.at + 256
        wrong = right | {field.removesuffix("_len"): place, field: length}
        jobs = (PkJob * 2)(PkJob(**right), PkJob(**wrong))
        assert pk.call(pk.lib.cst_pk_burst, jobs, 2) == ERR_LENGTH, (field, hex(length))
        assert (jobs[0].status, jobs[1].status) == (NOT_RUN, ERR_LENGTH)
        assert pk.lib.cst_pk_manager_submit(manager, pk.handle, ctypes.addressof(jobs[1])) == ERR_LENGTH
        assert memory.unchanged()
    for field in ("key", "in", "signature"):
        job = PkJob(**right | {field: None, f"{field}_len": right[f"{field}_len"] or 1})
        assert pk.call(pk.lib.cst_pk_burst, byref(job), 1) == ERR_ARGUMENT == job.status, field
        assert memory.unchanged()


@pytest.mark.parametrize("name", [name for name, (_, _, room, _) in OPERATIONS.items() if room])
def test_places_of_public_keys(shared_context: Context, name: str) -> None:
    """Where the output may lie, and where it may not."""
    pk, memory = operation(shared_context, name), Memory(1024)
    key, _, room, text = OPERATIONS[name]
    size = 200 if text is None else text
    base = {"key": memory.at + 100, "key_len": key, "in": memory.at + 400, "in_len": size, "out_cap": 1 << 40}
    more = {"signature": memory.at + 800, "signature_len": 7}
    for place, taken in (("key", key), ("in", size), ("signature", 7)):
        for shift in (1 - room, -1, 1, taken - 1):
            if taken < 2 or shift == 0:
                continue
            out = (base | more)[place] + shift
            job = PkJob(out=out, **base, **more)
            assert pk.call(pk.lib.cst_pk_burst, byref(job), 1) == ERR_OVERLAP, (place, shift)
            assert job.status == ERR_OVERLAP and memory.unchanged()
    job = PkJob(**base)
    for out in (ctypes.addressof(job), ctypes.addressof(job) + ctypes.sizeof(job) - 1, TOP - 1):
        job.out = out
        assert pk.call(pk.lib.cst_pk_burst, byref(job), 1) == (ERR_LENGTH if out == TOP - 1 else ERR_OVERLAP)
    assert pk.call(pk.lib.cst_pk_burst, c_void_p(ctypes.addressof(job) + 1), 1) == ERR_ARGUMENT
    for n in (TOP - 1, 1 << 61, TOP // ctypes.sizeof(PkJob) + 1):
        assert pk.call(pk.lib.cst_pk_burst, byref(job), c_size_t(n)) == ERR_LENGTH


def test_an_array_of_other_structs_gets_no_status(shared_context: Context) -> None:
    """A struct of another size is another struct, which has no `status` to write."""
    pk = PublicKey("x25519", shared_context)
    jobs = (PkJob * 3)(PkJob(), PkJob(), PkJob())
    jobs[1].size -= 8
    for job in jobs:
        job.status = 77
    assert pk.call(pk.lib.cst_pk_burst, jobs, 3) == ERR_ARGUMENT
    assert [job.status for job in jobs] == [77] * 3


def many(context: Context, key: Any, n: int, *arguments: Any) -> int:
    code: int = context.lib.cst_digest_many(key.handle, c_size_t(n), *arguments)
    return code


def test_arrays_of_messages(shared_context: Context) -> None:
    """Tags over the arrays that say where messages are; arrays that are misaligned, or longer than memory."""
    key = shared_context.suite("sha256").key()
    text, tags = Memory(64), Memory(256)
    places, lengths = (c_void_p * 8)(*[text.at] * 8), (c_size_t * 8)(*[5] * 8)
    at = ctypes.addressof
    for over in (at(places), at(places) + 63, at(lengths), at(lengths) - 31, at(lengths) + 63):
        assert many(shared_context, key, 8, places, lengths, c_void_p(over), 32, 0) == ERR_OVERLAP
    assert list(lengths) == [5] * 8 and list(places) == [text.at] * 8
    for shift in (1, 4, 7):
        assert many(shared_context, key, 7, c_void_p(at(places) + shift), lengths, tags.at, 32, 0) == ERR_ARGUMENT
        assert many(shared_context, key, 7, places, c_void_p(at(lengths) + shift), tags.at, 32, 0) == ERR_ARGUMENT
    for n in (TOP - 1, 1 << 61, 1 << 60, (1 << 59) + 1, 1 << 58):
        assert many(shared_context, key, n, places, lengths, c_void_p(tags.at), 32, 0) == ERR_LENGTH
    for stride in (31, 1, TOP - 1, 1 << 63):
        assert many(shared_context, key, 8, places, lengths, c_void_p(tags.at), 32, c_size_t(stride)) == ERR_LENGTH
    assert text.unchanged() and tags.unchanged()
    assert many(shared_context, key, 0, None, None, None, 32, 0) == OK


@pytest.mark.parametrize("size", HUGE)
def test_blocks_of_codes(shared_context: Context, size: int) -> None:
    code, lib = ErasureCode(2, 1, context=shared_context), shared_context.lib
    key, memory, right = shared_context.suite("crc32c").key(), Memory(512), c_int(7)
    data, parity = (c_void_p * 3)(*(memory.at + 100 * i for i in range(3))), (c_void_p * 1)(memory.at + 300)
    lost, bad, sums = (c_uint8 * 3)(1, 0, 0), (c_uint8 * 3)(9, 9, 9), (c_uint64 * 3)(5, 5, 5)
    n, of, its = c_size_t(size), code.handle, key.handle
    assert lib.cst_code_encode(of, n, data, parity) == ERR_LENGTH
    assert lib.cst_code_update(of, n, 0, c_void_p(memory.at), parity) == ERR_LENGTH
    assert lib.cst_code_decode(of, n, data, lost) == ERR_LENGTH
    assert lib.cst_code_check(of, n, data, byref(right)) == ERR_LENGTH
    assert lib.cst_code_encode_checked(of, its, n, data, parity, sums) == ERR_LENGTH
    assert lib.cst_code_update_checked(of, its, n, 0, c_void_p(memory.at), parity, sums) == ERR_LENGTH
    assert lib.cst_code_check_blocks(of, its, n, data, sums, bad, byref(right)) == ERR_LENGTH
    assert (right.value, list(bad), list(sums)) == (7, [9] * 3, [5] * 3) and memory.unchanged()


def test_outputs_of_codes_over_what_describes_blocks(shared_context: Context) -> None:
    """A parity or a checksum over an array of addresses would let the call write anywhere."""
    code, lib, key = ErasureCode(2, 1, context=shared_context), shared_context.lib, shared_context.suite("crc32c").key()
    memory, right, at = Memory(512), c_int(7), ctypes.addressof
    data, parity = (c_void_p * 3)(*(memory.at + 100 * i for i in range(3))), (c_void_p * 1)()
    of, its, sums = code.handle, key.handle, (c_uint64 * 3)(5, 5, 5)
    for over in (data, parity):
        parity[0] = at(over)
        assert lib.cst_code_encode(of, 8, data, parity) == ERR_OVERLAP
        assert lib.cst_code_encode_checked(of, its, 8, data, parity, sums) == ERR_OVERLAP
    parity[0] = at(parity)
    assert lib.cst_code_update(of, 8, 0, c_void_p(memory.at), parity) == ERR_OVERLAP
    parity[0] = memory.at + 300
    for over in (data, parity):
        assert lib.cst_code_encode_checked(of, its, 8, data, parity, c_void_p(at(over))) == ERR_OVERLAP
    assert lib.cst_code_check(of, 8, data, as_int(at(data))) == ERR_OVERLAP
    assert lib.cst_code_check(of, 8, data, as_int(memory.at - memory.at % 4 + 4)) == ERR_OVERLAP
    bad = (c_uint8 * 3)()
    assert lib.cst_code_check_blocks(of, its, 8, data, sums, c_void_p(at(sums)), byref(right)) == ERR_OVERLAP
    assert lib.cst_code_check_blocks(of, its, 8, data, sums, c_void_p(memory.at), byref(right)) == ERR_OVERLAP
    assert lib.cst_code_check_blocks(of, its, 8, data, sums, bad, as_int(memory.at - memory.at % 4 + 4)) == ERR_OVERLAP
    for shift in (1, 4):
        assert (
            lib.cst_code_check_blocks(of, its, 8, data, c_void_p(at(sums) + shift), bad, byref(right)) == ERR_ARGUMENT
        )
        assert lib.cst_code_encode_checked(of, its, 8, data, parity, c_void_p(at(sums) + shift)) == ERR_ARGUMENT
        assert lib.cst_code_encode(of, 8, c_void_p(at(data) + shift), parity) == ERR_ARGUMENT
    assert list(sums) == [5] * 3 and memory.unchanged()


def calls(context: Context) -> dict[str, Callable[[int, int], int]]:
    """Calls with one input each, of this place and length, which is all that is wrong with them."""
    lib, out = context.lib, Memory(64)
    crc, sha = context.suite("crc32c").key(), context.suite("sha256").key()
    number, used, hit, made = c_uint64(), c_size_t(), c_int(), c_void_p()
    mac, tree = context.suite("hmac-sha256"), context.suite("blake3").key()
    rolling = c_void_p()
    assert lib.cst_rolling_new(c_size_t(16), byref(rolling)) == OK
    kept = (out, crc, sha, tree)
    return {
        "checksum_update": lambda at, size: (
            kept and lib.cst_checksum_update(crc.handle, c_void_p(at), c_size_t(size), byref(number))
        ),
        "checksum_copy": lambda at, size: lib.cst_checksum_copy(
            crc.handle, c_void_p(at), c_size_t(size), c_void_p(out.at), 0, byref(number)
        ),
        "key_new": lambda at, size: lib.cst_key_new(
            mac.handle, None, c_size_t(0), c_void_p(at), c_size_t(size), byref(made)
        ),
        "rolling_run": lambda at, size: lib.cst_rolling_run(
            rolling, c_void_p(at), c_size_t(size), c_uint64(1), c_uint64(1), byref(used), byref(hit)
        ),
        "rolling_reset": lambda at, size: lib.cst_rolling_reset(rolling, c_void_p(at), c_size_t(size)),
        "tree_part": lambda at, size: lib.cst_tree_part(
            tree.handle, c_uint64(0), c_void_p(at), c_size_t(size), c_void_p(out.at)
        ),
        "tree_root": lambda at, size: lib.cst_tree_root(
            tree.handle, c_void_p(at), c_size_t(size), c_void_p(out.at), c_size_t(32)
        ),
        "digest": lambda at, size: lib.cst_digest(
            sha.handle, c_void_p(at), c_size_t(size), c_void_p(out.at), c_size_t(32)
        ),
        "pack_check": lambda at, size: lib.cst_pack_check(c_void_p(at), c_size_t(size), None, c_size_t(0)),
    }


CALLS = (
    "checksum_update",
    "checksum_copy",
    "key_new",
    "rolling_run",
    "rolling_reset",
    "tree_part",
    "tree_root",
    "digest",
    "pack_check",
)


@pytest.mark.parametrize("name", CALLS)
def test_lengths_of_buffers(shared_context: Context, name: str) -> None:
    call, most = calls(shared_context)[name], 1 << 61
    for size in (size for size in HUGE if name != "digest" or size >= most):  # of jobs a suite's max_bytes is the limit
        assert call(FAR, size) == ERR_LENGTH, hex(size)
    if name != "tree_root":  # whose length is a number of chaining values
        assert call(TOP - 16, 4096) == ERR_LENGTH
    assert call(0, 64) == ERR_ARGUMENT


def test_misaligned_numbers(shared_context: Context) -> None:
    lib, memory = shared_context.lib, Memory(256)
    key = shared_context.suite("crc32c").key()
    for shift in (1, 2, 4, 7):
        at = memory.at - memory.at % 8 + 64 + shift
        number, pointer = ctypes.cast(at, POINTER(c_uint64)), ctypes.cast(at, POINTER(c_void_p))
        assert lib.cst_checksum_update(key.handle, b"a", 1, number) == ERR_ARGUMENT
        assert lib.cst_checksum_combine(key.handle, 0, 0, 1, number) == ERR_ARGUMENT
        assert lib.cst_suite_get(shared_context.handle, b"sha1", pointer) == ERR_ARGUMENT
        assert lib.cst_burst(shared_context.handle, at, 1) == ERR_ARGUMENT
        assert lib.cst_ctx_new(pointer, None) == ERR_ARGUMENT
        assert lib.cst_rolling_new(3, pointer) == ERR_ARGUMENT
    assert memory.unchanged()


@pytest.mark.parametrize("n", [TOP - 1, 1 << 63, 1 << 61, TOP // 152 + 1])
def test_numbers_of_jobs(shared_context: Context, n: int) -> None:
    job = Memory(256)
    place = c_void_p(job.at - job.at % 8 + 8)
    for call in ("cst_burst", "cst_digest_parts", "cst_text_parts"):
        assert getattr(shared_context.lib, call)(shared_context.handle, place, c_size_t(n)) == ERR_LENGTH
    assert job.unchanged()


def test_pieces_under_outputs(shared_context: Context) -> None:
    """An output over the array of pieces would change where the others are."""
    key = shared_context.suite("aes-128-ctr").key(bytes(16))
    text, out = Memory(64), Memory(64)
    struct = Job(
        key, SEAL, iv=bytes(16), data=[Address(text.at, 32), Address(text.at + 32, 32)], out=Address(out.at, 64)
    )
    job = JobStruct()
    kept = struct.fill(job)
    pieces = ctypes.cast(job.in_pieces, c_void_p).value
    assert pieces and kept
    for shift in (0, 16, -16, 31, -63):
        job.out = pieces + shift
        assert shared_context.lib.cst_burst(shared_context.handle, byref(job), c_size_t(1)) == ERR_OVERLAP


@pytest.mark.parametrize("name", ["blake3-keyed", "blake3-derive-key"])
def test_short_tags_are_made_and_not_compared(shared_context: Context, name: str) -> None:
    """A MAC of 1 byte is right for one guess in 256."""
    suite = shared_context.suite(name)
    key = suite.key(None, b"k" * 32)
    assert suite.tag_lengths == [*range(1, 65)] and suite.open_tag_lengths == [*range(10, 65)]
    for size in (*range(1, 14), 32, 64, 65, 200):
        tag = key.digest(b"text", size)
        assert len(tag) == size
        job = Job(key, OPEN, data=b"text", tag=bytearray(tag))
        assert shared_context.burst([job]) == job.status == (OK if size >= 10 else ERR_LENGTH)
