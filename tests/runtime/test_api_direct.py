"""Suites whose jobs run one after the other (runtime/run/direct.hpp): the same as in phases, where a forced kernel sends them, and as the oracle."""

from __future__ import annotations

import random

import pytest

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job

# A kernel of the cipher with the smallest iteration, which every length can use.
NARROW = {
    "aes-128-gcm": "aes128_ctr_x1_by1@sse_aesni", "aes-256-gcm": "aes256_ctr_x1_by1@sse_aesni", "aes-192-ctr": "aes192_ctr_x1_by1@sse_aesni",
    "chacha20": "chacha20_x1@sse", "chacha20-poly1305": "chacha20_x1@sse",
}  # fmt: skip
# Around the ends of strides, of what is hashed at once, of what is stitched.
LENGTHS = (
    0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 79, 80, 96, 111, 112, 113, 127, 128, 129, 143, 144, 145, 160, 255, 256, 257, 300, 479, 480, 481, 511, 512, 513, 767, 768,
    960, 961, 1023, 1024, 1025, 1040, 1279, 1536, 2047, 2048, 2049, 4096, 5000, 8191, 8192, 8193, 16384, 16400,
)  # fmt: skip


def run(context: Context, cases: list[oracle.Case], keys: list[runtime.Key], direction: int, in_place: bool, spoil: bool = False) -> list[tuple[int, bytes, bytes]]:
    jobs = []
    for case, key in zip(cases, keys):
        text = case.data if direction == SEAL else case.out
        place = bytearray(text) if in_place else bytearray(b"\xaa" * len(text))
        tag = bytearray(case.tag if direction == OPEN else bytes(len(case.tag)))
        if spoil:
            tag[-1] ^= 0x10
        jobs.append(
            Job(key, direction, iv=case.iv, aad=case.aad or None, data=memoryview(place) if in_place else text, out=place, tag=tag if case.tag else None)
        )
    assert context.burst(jobs) == (runtime.ERR_AUTH if spoil and cases else 0)
    return [(job.status, bytes(job.out), bytes(job.tag or b"")) for job in jobs]


@pytest.mark.parametrize("name", sorted(NARROW))
@pytest.mark.parametrize("one_key", [False, True])
def test_same_as_in_phases(context: Context, name: str, one_key: bool) -> None:
    rng, suite = random.Random(f"{name} {one_key}"), context.suite(name)
    if NARROW[name] not in context.kernels():
        pytest.skip(f"no {NARROW[name]} here")
    first = oracle.case(rng, name, 16, 0)
    cases = [oracle.case(rng, name, n, rng.choice((0, 1, 8, 13, 16, 20, 64, 240, 241, 300)), (first.key, first.mac_key) if one_key else None) for n in LENGTHS]
    shared = suite.key(first.key)
    keys = [shared if one_key else suite.key(case.key) for case in cases]
    sealed = [(0, case.out, case.tag) for case in cases]
    opened = [(0, case.data, case.tag) for case in cases]
    narrow = context.kernel(NARROW[name])
    for forced in (None, NARROW[name]):
        context.force(name, forced)
        before = narrow.calls()
        for in_place in (False, True):
            assert run(context, cases, keys, SEAL, in_place) == sealed
            assert run(context, cases, keys, OPEN, in_place) == opened
            if sealed[0][2]:
                for (status, out, _), case in zip(run(context, cases, keys, OPEN, in_place, spoil=True), cases):
                    assert status == runtime.ERR_AUTH and out == bytes(len(case.data))
        if forced:
            assert narrow.calls() > before


@pytest.mark.parametrize("name", ["aes-128-gcm", "aes-256-gcm"])
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_what_is_named_runs(context: Context, name: str, direction: int) -> None:
    """The pair kernel that cst_suite_choose names is called once for every message, wherever it is in the burst."""
    suite, rng = context.suite(name), random.Random(5)
    choice = suite.choice(1, 16384)
    if "+" not in choice.kernel:
        pytest.skip(f"nothing is stitched here: {choice.why}")
    kernel = context.kernel(choice.kernel)
    cases = [oracle.case(rng, name, 16384, 13) for _ in range(5)]
    keys = [suite.key(case.key) for case in cases]
    before = kernel.calls()
    run(context, cases, keys, direction, in_place=False)
    assert kernel.calls() == before + len(cases)
