"""Known answers: published vectors, in bursts that fill the lanes, with the kernel forced by name."""

from __future__ import annotations

import functools
from collections import Counter

from ..binding.runtime import ERR_AUTH, ERR_LENGTH, ERR_UNSUPPORTED, OPEN, SEAL, Context, Job, Key
from ..core.answers import known_answers
from ..core.catalog import ALGORITHMS
from .forced import DIRECTIONS, Forced, NotServed, never_ran
from .oracle import meaning
from .result import Effort, Result, Skip
from .subject import Subject
from .vectors import Vector, published

HAVE_ANSWERS = {answer.suite for answer in known_answers()}
"""Suites whose known answers the library's self-test has."""
QUICK_PER_SOURCE = 24
JOBS_AT_ONCE = 128
FEW = 5


def check(subject: Subject, effort: Effort) -> Result:
    forced = Forced.of(subject)
    if unknown := unpublished(subject):
        raise Skip(f"no known answers of {', '.join(unknown)}: give the row `answers`, as they are published")
    vectors: list[Vector] = []
    for suite in forced.suites:
        try:
            vectors += chosen(suite, forced.direction, effort.long, forced.pair)
        except Skip:
            continue
    if not vectors:
        if not HAVE_ANSWERS & set(forced.suites) and any(row not in ALGORITHMS for row in subject.rows):
            raise Skip(f"no known answers of {', '.join(forced.suites)}: give the row `answers`, as they are published")
        return self_test(subject.native(), subject.name)
    try:
        with forced:
            return run(forced, vectors)
    except NotServed as refusal:
        return Result.of([str(refusal)])


def unpublished(subject: Subject) -> list[str]:
    """The user's own hashes and checksums of which nobody has said a right answer: what a suite of them computes beside
    a cipher is taken from the rows' references, which the kernel may share a fault with."""
    those = [row for row in subject.rows if row.kind in ("hash", "checksum") and row not in ALGORITHMS]
    rows = subject.generator.algorithms.values()
    return [
        row.suite
        for row in those
        if not any(r.answers or r.suite_answers for r in rows if row.name in (r.name, r.base))
    ]


def self_test(context: Context, kernel: str) -> Result:
    """The library's own known answers, for where no vectors are installed."""
    results = context.selftest(kernel)
    done = {name: code for name, code in results.items() if code != ERR_UNSUPPORTED}
    problems = [f"the library's self-test of {name} says {code}" for name, code in done.items() if code]
    if not done:
        problems.append(f"the library has no self-test of {kernel}")
    return Result.of(problems, f"no published vectors are installed: {len(done)} self-test of the library", len(done))


@functools.cache
def chosen(suite: str, direction: int, long: bool, pair: bool) -> tuple[Vector, ...]:
    """Vectors that the direction can use. The quick form takes the longest of every source, and others evenly.

    Opening needs the output; a suite that only enciphers cannot refuse anything. An IV without a byte would be an error
    of the whole burst.
    """
    m = meaning(suite)
    usable = [
        v for v in published(suite) if v.valid or m.only_reads or (direction == OPEN and len(v.iv) >= bool(m.iv_bytes))
    ]
    if long:
        return tuple(usable)
    found: list[Vector] = []
    for source in sorted({v.source for v in usable}):
        those = sorted((v for v in usable if v.source == source), key=lambda v: len(v.data))
        most = QUICK_PER_SOURCE // 2
        rest = those[:-most]
        found += those[-most:] + rest[:: -(-len(rest) // most) or 1]
    return tuple(found)


def groups(forced: Forced, vectors: list[Vector]) -> list[list[Vector]]:
    """Groups vectors into bursts: one suite and, for a kernel of one key, one key. Long ones together, because short
    ones may not reach the kernel."""
    found: dict[tuple, list[Vector]] = {}
    for v in sorted(vectors, key=lambda v: -len(v.data)):
        reaches = len(v.data) >= forced.least
        found.setdefault((v.suite, reaches, (v.key, v.mac_key) if forced.one_key else None), []).append(v)
    return [group[i : i + JOBS_AT_ONCE] for group in found.values() for i in range(0, len(group), JOBS_AT_ONCE)]


def run(forced: Forced, vectors: list[Vector]) -> Result:
    problems: list[str] = []
    bursts = ran = calls = 0
    suites = {name: forced.context.suite(name) for name in {v.suite for v in vectors}}
    keys: dict[tuple, Key] = {}
    for group in groups(forced, vectors):
        copies = -(-forced.lanes // len(group))
        jobs = []
        for v in group * copies:
            identity = (v.suite, v.key, v.mac_key)
            if identity not in keys:
                keys[identity] = suites[v.suite].key(v.key, v.mac_key)
            jobs.append(job_of(forced, v, keys[identity]))
        made = forced.burst(jobs)
        bursts, ran, calls = bursts + 1, ran + bool(made), calls + made
        problems += [said for n, (v, job) in enumerate(zip(group * copies, jobs)) if (said := judge(v, job, n))]
    longest = max(len(v.data) for v in vectors)
    note = forced.note
    if not calls and not any(forced.suits(len(v.data), len(v.iv), len(v.aad), len(v.tag)) for v in vectors):
        own = self_test(forced.context, forced.kernel.name)
        problems += own.problems
        note += (
            f"; the kernel needs {forced.least} bytes, and no vector is for it, of the longest with {longest}, so the "
            "library's self-test ran it"
        )
    elif not calls:
        problems.append(never_ran(forced))
    sources = ", ".join(f"{n} {suite}" for suite, n in sorted(Counter(v.suite for v in vectors).items()))
    return Result.of(
        problems[:FEW],
        f"{len(vectors)} vectors ({sources}); {ran} of {bursts} bursts ran the kernel, {calls} calls{note}",
        len(vectors),
    )


def job_of(forced: Forced, v: Vector, key: Key) -> Job:
    """Seals a valid vector, unless the kernel only opens; opens one that must be refused."""
    enciphers = bool(v.iv) or bool(v.key)
    if v.valid and forced.direction == SEAL:
        return Job(
            key,
            SEAL,
            iv=v.iv or None,
            aad=v.aad or None,
            data=v.data,
            out=bytearray(len(v.out)) if enciphers else None,
            tag=bytearray(len(v.tag)) or None,
        )
    text = v.out if enciphers else v.data
    return Job(
        key,
        OPEN,
        iv=v.iv or None,
        aad=v.aad or None,
        data=text,
        out=bytearray(len(text)) if enciphers else None,
        tag=v.tag or None,
    )


def judge(v: Vector, job: Job, n: int) -> str:
    """A sentence when the answer is wrong."""
    where = f"{v.suite}, {DIRECTIONS[job.direction]}, job {n}, {len(v.data)} bytes ({v.source})"
    if not v.valid:
        return (
            ""
            if job.status in (ERR_AUTH, ERR_LENGTH)
            else f"{where}: status {job.status} for a vector that must be refused"
        )
    if job.status:
        return f"{where}: status {job.status}"
    if job.direction == SEAL:
        if bytes(job.out or b"") != v.out:
            return f"{where}: another ciphertext than published"
        return "" if bytes(job.tag or b"") == v.tag else f"{where}: another tag than published"
    return (
        "" if not job.out or bytes(job.out[: job.out_len]) == v.data else f"{where}: another plaintext than published"
    )
