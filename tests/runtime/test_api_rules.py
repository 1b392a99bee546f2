"""cst_suite_info against what calls accept: one length after the other, of jobs whose addresses are bad.

Nothing is run, because of a job that is always wrong.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterable

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import SuiteInfo
from cryptostitch.binding.runtime import (
    AEAD,
    CIPHER,
    ERR_ARGUMENT,
    ERR_LENGTH,
    NOT_RUN,
    OPEN,
    SEAL,
    Address,
    Context,
    Job,
    Key,
    Suite,
)

IN, OUT, IV, AAD, TAG = (1 << 40) * 1, (1 << 40) * 2, (1 << 40) * 3, (1 << 40) * 4, (1 << 40) * 5
SMALL = [*range(0, 300), 511, 512, 513, 1023, 4096, 16383, 16384, 16385, 18431, 18432, 18433, 65535, 65536, 1 << 20]
LARGE = [(1 << n) + d for n in (24, 32, 36, 38) for d in (-64, -32, -31, -16, -1, 0, 1, 16)]


def near(*values: int) -> Iterable[int]:
    return {n for value in values for n in (value - 1, value, value + 1) if 0 <= n < 1 << 39}


def key_of(suite: Suite) -> Key:
    mac_key = b"k" * min(max(suite.mac_key_min, 16), suite.mac_key_max)
    return suite.key(bytes(range(suite.key_bytes)), mac_key)


def takes_input(suite: Suite, direction: int, iv: int, size: int) -> bool:
    """Returns whether the suite takes an input, as a caller reads it from the header."""
    least, most, multiple = (
        (suite.min_bytes, suite.max_bytes, suite.block_bytes)
        if direction == SEAL
        else (suite.open_min_bytes, suite.open_max_bytes, suite.open_block_bytes)
    )
    if suite.iv_and_count_bytes and size >= 1 << 8 * (suite.iv_and_count_bytes - iv):
        return False
    return least <= size <= most and size % multiple == 0


def takes_aad(suite: Suite, size: int) -> bool:
    return size in range(suite.aad_min, suite.aad_max + 1, suite.aad_step)


def takes_tag(suite: Suite, direction: int, size: int) -> bool:
    if size > 64:
        return size <= suite.most_tag_bytes
    taken = suite.tag_lengths if direction == SEAL else suite.open_tag_lengths
    return size in taken if taken else size == 0


def statuses(context: Context, jobs: list[Job], stop: Job) -> list[int]:
    found: list[int] = []
    for at in range(0, len(jobs), 500):
        some = jobs[at : at + 500]
        assert context.burst([*some, stop]) == ERR_LENGTH
        found += [job.status for job in some]
    return found


def lengths(suite: Suite) -> list[tuple[int, int, int, int]]:
    """(iv, aad, input, tag): one after the other varied, the others right."""
    iv, aad, tag = suite.iv_bytes, suite.aad_min, suite.tag_max
    block = max(suite.block_bytes, suite.open_block_bytes, 64)
    inputs = {
        *SMALL,
        *LARGE,
        *near(suite.min_bytes, suite.max_bytes, suite.open_min_bytes, suite.open_max_bytes),
    }
    return [
        *((n, aad, block, tag) for n in [*range(0, 40), *near(suite.iv_max)]),
        *((iv, n, block, tag) for n in [*range(0, 40), *near(suite.aad_max)]),
        *((iv, aad, n, tag) for n in inputs),
        *((n, aad, size, tag) for n, size in itertools.product(range(suite.iv_min, min(suite.iv_max, 16) + 1), LARGE)),
        *((iv, aad, block, n) for n in range(0, 140)),
    ]


@pytest.mark.parametrize("name", suite_names())
@pytest.mark.parametrize("direction", [SEAL, OPEN], ids=["seal", "open"])
def test_lengths_that_are_taken(shared_context: Context, name: str, direction: int) -> None:
    """What is opened may have any length, if it authenticates: see test_api_forged_lengths."""
    suite = shared_context.suite(name)
    key, enciphers = key_of(suite), suite.kind in (CIPHER, AEAD)
    stop = Job(
        key,
        SEAL,
        iv=Address(IV, suite.iv_bytes),
        aad=Address(AAD, suite.aad_min),
        data=Address(IN, 64),
        tag=Address(TAG, max(200, suite.most_tag_bytes + 1)),
    )
    cases = lengths(suite)
    jobs = [
        Job(
            key,
            direction,
            iv=Address(IV, iv),
            aad=Address(AAD, aad),
            data=Address(IN, size),
            out=Address(OUT, size + suite.expansion) if enciphers else None,
            tag=Address(TAG, tag),
        )
        for iv, aad, size, tag in cases
    ]
    for (iv, aad, size, tag), status in zip(cases, statuses(shared_context, jobs, stop)):
        by_peer = suite.kind == AEAD and direction == OPEN
        right = suite.iv_min <= iv <= suite.iv_max and takes_aad(suite, aad) and takes_tag(suite, direction, tag)
        right = right and (by_peer or takes_input(suite, direction, iv, size))
        assert status == (NOT_RUN if right else ERR_LENGTH), (iv, aad, size, tag)


@pytest.mark.parametrize("name", suite_names())
def test_what_is_sealed_can_be_opened(shared_context: Context, name: str) -> None:
    """So can its length, by the rules; and the shortest is the shortest."""
    suite = shared_context.suite(name)
    if suite.kind not in (CIPHER, AEAD):
        assert (suite.open_block_bytes, suite.open_min_bytes) == (suite.block_bytes, suite.min_bytes)
        return
    key, iv, aad, found = key_of(suite), bytes(suite.iv_bytes), bytes(suite.aad_min), []
    for size in (n for n in SMALL if n < 20000):
        if not takes_input(suite, SEAL, suite.iv_bytes, size):
            continue
        out, tag = key.seal(bytes(size), iv=iv or None, aad=aad or None)
        assert takes_input(suite, OPEN, suite.iv_bytes, len(out)), size
        assert len(out) <= size + suite.expansion
        assert key.open(out, tag or None, iv=iv or None, aad=aad or None) == bytes(size)
        found.append(len(out))
    assert min(found) == suite.open_min_bytes


def test_rules_with_gaps(shared_context: Context) -> None:
    gcm, ccm = shared_context.suite("aes-128-gcm"), shared_context.suite("aes-128-ccm")
    assert gcm.tag_lengths == [4, 8, 12, 13, 14, 15, 16]  # SP 800-38D, 5.2.1.2
    assert ccm.tag_lengths == [4, 6, 8, 10, 12, 14, 16]  # SP 800-38C, A.1
    assert ccm.iv_and_count_bytes == 15 and gcm.iv_and_count_bytes == 0
    esp = shared_context.suite("aes-128-cbc+hmac-sha1-96")
    assert (esp.aad_min, esp.aad_step, esp.aad_max) == (8, 4, 12)
    assert shared_context.suite("hmac-sha512").tag_lengths == [*range(10, 65)]
    assert shared_context.suite("aes-128-cbc").tag_lengths == []
    tls = shared_context.suite("aes-128-cbc+hmac-sha1-tls")
    assert (tls.open_block_bytes, tls.open_min_bytes, tls.open_max_bytes) == (16, 32, (1 << 14) + 2048)
    assert tls.tag_lengths == []
    profile = shared_context.suite("a128cbc-hs256")
    assert (profile.open_block_bytes, profile.open_min_bytes) == (16, 16)


def test_the_size_before_there_were_rules(shared_context: Context) -> None:
    """Programs that were compiled then still learn what they know of, and nothing is written behind that."""
    suite = shared_context.suite("aes-128-ccm")
    info = SuiteInfo(**{name: 0x55 for name, _ in SuiteInfo._fields_[7:] if name != "name"})
    before = SuiteInfo.tag_lengths.offset
    info.size = before
    assert shared_context.lib.cst_suite_info_get(suite.handle, ctypes.byref(info)) == runtime.OK
    assert (info.size, info.iv_min, info.key_max) == (before, 7, 16)
    rules = ("tag_lengths", "aad_step", "iv_and_count_bytes", "open_block_bytes", "open_min_bytes", "open_max_bytes")
    assert [getattr(info, name) for name in rules] == [0x55] * 6
    info.size = SuiteInfo.most_tag_bytes.offset
    info.most_tag_bytes = 0x55
    assert shared_context.lib.cst_suite_info_get(suite.handle, ctypes.byref(info)) == runtime.OK
    assert (info.iv_and_count_bytes, info.most_tag_bytes) == (15, 0x55)
    info.size = SuiteInfo.known_answers.offset
    info.known_answers = 0x55
    assert shared_context.lib.cst_suite_info_get(suite.handle, ctypes.byref(info)) == runtime.OK
    assert (info.most_tag_bytes, info.known_answers) == (16, 0x55)
    for size in (0, before - 8, before + 8, ctypes.sizeof(info) - 4, ctypes.sizeof(info) + 8):
        info.size = size
        assert shared_context.lib.cst_suite_info_get(suite.handle, ctypes.byref(info)) == ERR_ARGUMENT
