"""Texts of ciphers alone, which run side by side straight from the jobs (runtime/run/abreast.hpp), against the oracle."""

from __future__ import annotations

import random
import struct

import pytest
from test_api_direct import run

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job

CIPHERS = [f"aes-{bits}-{mode}" for mode in ("cbc", "ctr", "ecb") for bits in (128, 192, 256)] + ["aes-128-xts", "aes-256-xts", "chacha20"]
# About the lanes of every kernel, and more than run at once.
COUNTS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130)
# Whole iterations of every kernel and what is left over of them; the longest that may leave lanes idle, and longer ones.
LENGTHS = (16, 32, 48, 64, 80, 112, 128, 192, 240, 256, 272, 576, 1024, 1408, 2032, 2048, 2064, 4096, 6144, 1 << 16, (1 << 16) + 512)


@pytest.mark.parametrize("name", CIPHERS)
@pytest.mark.parametrize("direction", [SEAL, OPEN], ids=["seal", "open"])
@pytest.mark.parametrize("one_key", [False, True], ids=["own_key", "one_key"])
def test_alike(shared_context: Context, name: str, direction: int, one_key: bool) -> None:
    """Bursts of one length: every number of jobs with some lengths, every length with some numbers."""
    rng, suite = random.Random(f"{name} {direction} {one_key}"), shared_context.suite(name)
    key_pool = [oracle.case(rng, name, 16, 0).key for _ in range(20)]
    made = [suite.key(key) for key in key_pool]
    bursts = [(n, rng.choice((16, 64, 80, 128))) for n in COUNTS] + [(rng.choice((1, 9, 16, 19)), length) for length in LENGTHS]
    for n, length in bursts:
        picked = [0] * n if one_key else [rng.randrange(20) for _ in range(n)]
        cases = [oracle.case(rng, name, length, 0, (key_pool[i], b"")) for i in picked]
        want = [(0, case.out if direction == SEAL else case.data, b"") for case in cases]
        assert run(shared_context, cases, [made[i] for i in picked], direction, in_place=rng.random() < 0.5) == want, (n, length)


@pytest.mark.parametrize("target", ["host", "host-no_avx512", "sse_aesni"])
@pytest.mark.parametrize("direction", [SEAL, OPEN], ids=["seal", "open"])
def test_one_job_after_the_other(library: str, target: str, direction: int) -> None:
    """Bursts of one job, of lengths and ciphers that came before, each time under another key: the kernel that the first chose is called once."""
    context, rng = Context(target=target, library=library), random.Random(f"{target} {direction}")
    for name in CIPHERS:
        suite = context.suite(name)
        for length in LENGTHS:
            for turn in range(3):
                case = oracle.case(rng, name, length, 0)
                choice = suite.choice(1, length, True, direction)
                kernel = context.kernel(choice.kernel)
                before = kernel.calls()
                assert run(context, [case], [suite.key(case.key)], direction, in_place=turn == 1) == [(0, case.out if direction == SEAL else case.data, b"")]
                if "without a kernel" in choice.why:
                    assert kernel.calls() == before, (name, length)
                elif length & (length - 1) == 0 and 64 <= length <= 2048:
                    assert kernel.calls() == before + 1, (name, length)


@pytest.mark.parametrize("name", CIPHERS)
def test_among_others(shared_context: Context, name: str) -> None:
    """Runs of alike jobs of any number, of both directions, between jobs of other lengths and suites."""
    rng = random.Random(name)
    others = [n for n in ("sha256", "aes-128-gcm", "aes-128-cbc+hmac-sha1-etm") if n in shared_context.suites()]
    for _ in range(3):
        jobs, want = [], []
        for _ in range(12):
            other = rng.random() < 0.2
            suite = shared_context.suite(rng.choice(others) if other else name)
            length, direction = rng.choice((16, 64, 64, 160, 1024, 3000 // 16 * 16)), rng.choice((SEAL, OPEN))
            for _ in range(rng.choice((1, 1, 2, 5, 33))):
                case = oracle.case(rng, suite.name, length, 0)
                text, result = (case.data, case.out) if direction == SEAL else (case.out, case.data)
                tag = bytearray(case.tag if direction == OPEN else bytes(len(case.tag)))
                out = bytearray(len(text)) if case.out else None
                jobs.append(Job(suite.key(case.key, case.mac_key or None), direction, iv=case.iv, data=text if case.out else case.data, out=out, tag=tag or None))
                want.append((0, result if case.out else None, case.tag))
        assert shared_context.burst(jobs) == 0
        assert [(job.status, bytes(job.out) if job.out is not None else None, bytes(job.tag or b"")) for job in jobs] == want


@pytest.mark.parametrize("jobs", [1, 17])
def test_counters_that_carry(shared_context: Context, jobs: int) -> None:
    """Beyond the 32 bits that kernels count in: in the text, at its end, not at all; one job of the burst, or all."""
    name, rng = "aes-128-ctr", random.Random(jobs)
    suite = shared_context.suite(name)
    for left in (0, 1, 3, 4, 5, 127, 128, 129):
        for carrying in {0, jobs - 1}:
            cases = []
            for i in range(jobs):
                case = oracle.case(rng, name, 64, 0)
                low = (1 << 32) - 1 - left if i == carrying else rng.randrange(1 << 31)
                iv = b"\xff" * 12 + struct.pack(">I", low)
                cases.append(oracle.Case(name, case.key, b"", iv, b"", case.data, oracle.seal(name, case.key, b"", iv, b"", case.data)[0], b""))
            keys = [suite.key(case.key) for case in cases]
            assert run(shared_context, cases, keys, SEAL, in_place=False) == [(0, case.out, b"") for case in cases]


def test_wrong_among_right(shared_context: Context) -> None:
    """One wrong job of a burst that would go this way: its error, and nothing of the others is written."""
    name, rng = "aes-128-cbc", random.Random(1)
    suite, other = shared_context.suite(name), shared_context.suite("aes-256-cbc")
    wrongs = {
        "iv": (lambda job: setattr(job, "iv", b"short"), runtime.ERR_LENGTH), "length": (lambda job: setattr(job, "data", bytes(63)), runtime.ERR_LENGTH),
        "direction": (lambda job: setattr(job, "direction", 7), runtime.ERR_ARGUMENT), "tag": (lambda job: setattr(job, "tag", bytearray(16)), runtime.ERR_LENGTH),
    }  # fmt: skip
    for place in (0, 5, 16):
        for what, (spoil, code) in wrongs.items():
            jobs = [Job(suite.key(bytes(16)), SEAL, iv=rng.randbytes(16), data=bytes(64), out=bytearray(b"\xaa" * 64)) for _ in range(17)]
            spoil(jobs[place])
            assert shared_context.burst(jobs) == code == jobs[place].status, what
            assert all(job.out == b"\xaa" * 64 for job in jobs)
    mixed = [Job((suite if i % 2 else other).key(bytes(16 if i % 2 else 32)), SEAL, iv=bytes(16), data=bytes(64), out=bytearray(64)) for i in range(8)]
    assert shared_context.burst(mixed) == 0
    assert {bytes(job.out) for job in mixed} == {oracle.seal(s, bytes(n), b"", bytes(16), b"", bytes(64))[0] for s, n in ((name, 16), ("aes-256-cbc", 32))}


@pytest.mark.parametrize("name", ["aes-128-cbc", "aes-128-ctr", "aes-128-ecb"])
def test_overlap(shared_context: Context, name: str) -> None:
    """Outputs beside, on and half over the input, and over the IV, of every job of a burst."""
    suite = shared_context.suite(name)
    for shift, right in ((0, True), (64, True), (-64, True), (1, False), (63, False), (-1, False), (-63, False), (16, False)):
        for place in (0, 3):
            memory = [memoryview(bytearray(256)) for _ in range(4)]
            jobs = []
            for i, m in enumerate(memory):
                begin = 96 + (shift if i == place else 0)
                jobs.append(Job(suite.key(bytes(16)), SEAL, iv=bytes(16) if name != "aes-128-ecb" else b"", data=m[96:160], out=m[begin:begin + 64]))
            if right:
                shared_context.burst(jobs)
                continue
            assert shared_context.burst(jobs) == runtime.ERR_OVERLAP == jobs[place].status
    if name == "aes-128-ecb":
        return
    memory = memoryview(bytearray(128))
    for begin in (0, 1, 48, 63):
        job = Job(suite.key(bytes(16)), SEAL, iv=memory[begin:begin + 16], data=bytes(64), out=memory[:64])
        assert shared_context.burst([job]) == runtime.ERR_OVERLAP
