"""The check `lengths`: every length from 0 to 4096 that the suite takes, the kernel forced, folded into one digest that
the oracle's answers give too. A hash whose blocks are shorter than 64 bytes has as many blocks at most as others."""

from __future__ import annotations

import functools
import hashlib
import random

from ..binding.runtime import OPEN, SEAL, Job
from . import oracle
from .forced import Forced, NotServed, never_ran
from .own_state import ROWS
from .result import Effort, Result
from .scene import SHOWN
from .subject import Subject

MOST, MOST_BLOCKS, MOST_OWN = 4096, 64, 1200
JOBS_AT_ONCE = 128
SETS = 64  # different keys, IVs and data, taken in turn


def check(subject: Subject, effort: Effort) -> Result:
    forced = Forced.of(subject)
    suites = sorted(forced.suites, key=len)  # the plain ones first: they take most lengths
    try:
        with forced:
            return explore(forced, suites if effort.long else suites[:1])
    except NotServed as refusal:
        return Result.of([str(refusal)])


def longest(suite: str) -> int:
    """The longest text: a reference in plain Python takes a minute for 4096 bytes in blocks of 8."""
    if oracle.meaning(suite).own:
        return MOST_OWN
    row = ROWS.get(suite) or (oracle.REFERENCES[suite][0] if suite in oracle.REFERENCES else None)
    return min(MOST, MOST_BLOCKS * row.block_bytes) if row and row.kind in ("hash", "duplex") else MOST


@functools.cache
def answers(suite: str, one_key: bool, aad_bytes: int) -> tuple[oracle.Case, ...]:
    """One case for each length, shortest first. Data are the beginnings of SETS texts."""
    rng = random.Random(f"{suite} {one_key} {aad_bytes}")
    sets, m = [], oracle.meaning(suite)
    keys = oracle.secrets(rng, suite)
    for _ in range(SETS):
        sets.append(
            (
                keys if one_key else oracle.secrets(rng, suite),
                oracle.random_iv(rng, m),
                rng.randbytes(aad_bytes),
                rng.randbytes(MOST),
            )
        )
    cases = []
    for n, length in enumerate(range(m.least, longest(suite) + 1, m.block_bytes)):
        (key, mac_key), iv, aad, text = sets[n % SETS]
        aad, data = aad[: m.fit_aad(aad_bytes)], text[:length]
        cases.append(oracle.Case(suite, key, mac_key, iv, aad, data, *oracle.seal(suite, key, mac_key, iv, aad, data)))
    return tuple(cases)


def explore(forced: Forced, suites: list[str]) -> Result:
    """Runs all lengths of these suites; needs the kernel to be forced."""
    fold, wanted, jobs, calls = hashlib.sha256(), hashlib.sha256(), 0, 0
    problems: list[str] = []
    for suite in suites:
        # A hand-over wants a head of whole 16 bytes.
        cases, library_suite, keys = (
            answers(suite, forced.one_key, 48 if forced.hand else 13),
            forced.context.suite(suite),
            {},
        )
        for start in range(0, len(cases), JOBS_AT_ONCE):
            some = cases[start : start + JOBS_AT_ONCE]
            burst = []
            for n, case in enumerate(some):
                identity = case.key, case.mac_key
                if identity not in keys:
                    keys[identity] = library_suite.key(case.key, case.mac_key)
                burst.append(_job(forced, case, keys[identity], n % 2 == 1))
            calls += forced.burst(burst)
            for case, job in zip(some, burst):
                got, right = _results(forced, case, job), _right(forced, case)
                fold.update(got)
                wanted.update(right)
                if (got != right or job.status) and not problems:
                    problems.append(
                        f"{suite}: the answer for {len(case.data)} bytes is wrong (status {job.status})"
                        + _difference(got, right)
                    )
            jobs += len(some)
    if fold.digest() != wanted.digest() and not problems:
        problems.append(f"{', '.join(suites)}: the digest is {fold.hexdigest()[:16]}, not {wanted.hexdigest()[:16]}")
    if not calls:
        problems.append(never_ran(forced))
    return Result.of(problems, f"{', '.join(suites)}: {fold.hexdigest()[:16]}, {calls} calls{forced.note}", jobs)


def _job(forced: Forced, case: oracle.Case, key, in_place: bool) -> Job:
    opens = forced.direction == OPEN
    text = case.out if opens else case.data
    if not case.key:
        return Job(key, SEAL, data=text, tag=bytearray(len(case.tag)))
    out = bytearray(max(len(case.out), len(text)))
    if in_place:
        out[: len(text)] = text
    return Job(
        key,
        forced.direction,
        iv=case.iv or None,
        aad=case.aad or None,
        data=memoryview(out)[: len(text)] if in_place else text,
        out=out,
        tag=(bytearray(case.tag) if opens else bytearray(len(case.tag))) if case.tag else None,
    )


def _results(forced: Forced, case: oracle.Case, job: Job) -> bytes:
    return bytes((job.out or b"")[: job.out_len]) + bytes(job.tag or b"")


def _right(forced: Forced, case: oracle.Case) -> bytes:
    return (case.data if forced.direction == OPEN else case.out) + case.tag


def _difference(got: bytes, right: bytes) -> str:
    """Says what was found where the answers differ first, and what is expected there."""
    at = next((n for n, (a, b) in enumerate(zip(got, right)) if a != b), min(len(got), len(right)))
    at -= at % SHOWN
    if got == right:
        return ""
    return f": from byte {at} on found {got[at : at + SHOWN].hex()}, expected {right[at : at + SHOWN].hex()}"
