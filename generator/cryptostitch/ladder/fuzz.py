"""The check `fuzz`: random jobs with the kernel forced, against hashlib and libcrypto (package cryptography); nothing
beside the outputs changes.

Buffers of length 0 lie in an unmapped page.
"""

from __future__ import annotations

import ctypes
import mmap
import random
from collections.abc import Iterator

from ..binding.runtime import SEAL, Address, Job
from . import oracle
from .forced import Forced, NotServed, never_ran
from .placed import Placed
from .result import Effort, Result
from .subject import Subject

EDGES = (0, 1, 15, 16, 17, 55, 56, 57, 63, 64, 65, 119, 120, 121, 1023, 1024, 1025, 4095, 4096, 4097)
FEW = 5


def check(subject: Subject, effort: Effort) -> Result:
    forced = Forced.of(subject)
    try:
        with forced:
            return explore(
                forced, random.Random(f"{effort.seed} {subject.name}"), 40 if effort.long else 2, f"seed {effort.seed}"
            )
    except NotServed as refusal:
        return Result.of([str(refusal)])


def explore(forced: Forced, rng: random.Random, bursts: int, detail: str) -> Result:
    """Needs the kernel to be forced."""
    problems: list[str] = []
    jobs = calls = 0
    with unmapped() as nowhere:
        for _ in range(bursts):
            placed = list(_jobs(forced, rng))
            empty = [
                _empty(forced, suite, rng, nowhere)
                for suite in rng.choices(forced.suites, k=2)
                if not oracle.meaning(suite).least
            ]
            calls += forced.burst([p.job for p in placed])
            forced.burst([job for job, _ in empty])
            jobs += len(placed) + len(empty)
            problems += [problem for p in placed if (problem := p.problem())]
            problems += [
                f"{case.suite}: an empty job gave a wrong answer (status {job.status})"
                for job, case in empty
                if job.status or bytes(job.tag or b"") != case.tag
            ]
    if not calls:
        problems.append(never_ran(forced))
    return Result.of(problems[:FEW], f"{detail}, {calls} calls{forced.note}", jobs)


def _jobs(forced: Forced, rng: random.Random) -> Iterator[Placed]:
    """Enough long ones to fill the lanes, and as many of any length."""
    suite = rng.choice(forced.suites)
    secrets = oracle.secrets(rng, suite)
    shared = forced.context.suite(suite).key(secrets[0], secrets[1])
    for n in range(forced.lanes + max(forced.lanes, 8)):
        length = (
            rng.randrange(forced.least, forced.most + 1)
            if n < forced.lanes and forced.most
            else forced.least + 64 + rng.choice((0, 1, 64, rng.randrange(2048)))
            if n < forced.lanes
            else rng.choice((rng.choice(EDGES), rng.randrange(1200)))
        )
        if n < forced.lanes:
            length -= length % forced.grain
        mine, key = secrets, shared
        if not forced.one_key and rng.random() < 0.7:
            mine = oracle.secrets(rng, suite)
            key = forced.context.suite(suite).key(mine[0], mine[1])
        aad = (
            16 * rng.randrange(8)
            if forced.hand
            else rng.choice(forced.listed_aad)
            if forced.listed_aad and n < forced.lanes
            else rng.choice((0, 13, 48, rng.randrange(48 if forced.most else 200)))
        )
        yield Placed(
            rng, oracle.case(rng, suite, length, aad, mine), key, forced.direction if n < forced.lanes else None
        )


def _empty(forced: Forced, suite: str, rng: random.Random, nowhere: int) -> tuple[Job, oracle.Case]:
    """A job without bytes, whose pointers must not be followed."""
    case = oracle.case(rng, suite, 0)
    key = forced.context.suite(suite).key(case.key, case.mac_key)
    ciphers = bool(case.key)
    return Job(
        key,
        SEAL,
        iv=case.iv or None,
        aad=case.aad or (Address(nowhere, 0) if ciphers and case.tag else None),
        data=Address(nowhere, 0),
        out=bytearray(len(case.out)) if case.out else (Address(nowhere, 0) if ciphers else None),
        tag=bytearray(len(case.tag)) or None,
    ), case


class unmapped:
    """The address of a page that cannot be accessed."""

    def __enter__(self) -> int:
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._libc = libc
        self._page = libc.mmap(None, mmap.PAGESIZE, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        return self._page + 64

    def __exit__(self, *_: object) -> None:
        self._libc.munmap(self._page, mmap.PAGESIZE)
