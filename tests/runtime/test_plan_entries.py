"""Every entry of the API does the same with the same jobs: the same answers, on the same kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest
from built import suite_names
from cryptostitch.binding.capi import ColumnStruct, TlsWrite
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.runtime import OPEN, SEAL, Context, RuntimeFailure
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, Bench, BuiltJob, JobSpec
from jobs.counters import Counters
from jobs.samples import TAKES_SOME, TURNS, one_of_each, one_per_construction, usual_aad

SUITES = one_of_each(suite_names())
CONSTRUCTIONS = one_per_construction(suite_names())
LENGTHS = (0, 1, 16, 64, 100, 320, 1040, 5000)


def burst(bench: Bench, built: list[BuiltJob]) -> None:
    bench.context.burst([one.job for one in built])


def single_calls(bench: Bench, built: list[BuiltJob]) -> None:
    """cst_seal and cst_open; their codes are the statuses that the builder looks at."""
    for one in built:
        try:
            one.job.run_alone()
        except RuntimeFailure as failure:
            assert failure.code == one.job.status


def digests(bench: Bench, built: list[BuiltJob]) -> None:
    """cst_digest, for what has a tag only."""
    lib = bench.context.lib
    for one in built:
        job = one.job
        (data, size), (tag, tag_len) = job.data or (None, 0), job.tag
        job.status, job.out_len = lib.cst_digest(job.key.handle, data, size, tag, tag_len), 0


def columns(bench: Bench, built: list[BuiltJob]) -> None:
    """cst_digest_column, each of one item, for what has a tag only; the data is not said to go on behind it."""
    lib = bench.context.lib
    for one in built:
        job = one.job
        (data, size), (tag, tag_len) = job.data or (None, 0), job.tag
        offsets = (ctypes.c_uint32 * 2)(0, size)
        column = ColumnStruct(key=job.key.handle, data=data, data_bytes=size, offsets=ctypes.addressof(offsets))
        column.offset_bytes, column.n, column.tags, column.tag_len = 4, 1, tag, tag_len
        job.status, job.out_len = lib.cst_digest_column(ctypes.byref(column)), 0


def manager(bench: Bench, built: list[BuiltJob]) -> None:
    """Submits the jobs to a manager, so that all wait for the last one and run then."""
    held = Manager(bench.context, min_fill=len(built), max_age=len(built) + 1, capacity=len(built))
    for one in built:
        held.submit(one.job)
    held.flush()
    done = [held.take() for _ in built]
    assert held.take() is None and {id(job) for job in done} == {id(one.job) for one in built}


Entry = Callable[[Bench, list[BuiltJob]], None]
ENTRIES: tuple[Entry, ...] = (single_calls, digests, columns, manager)
"""Beside bursts, whose answers all other files test_plan_* look at, on every level of instructions."""


@pytest.fixture(scope="module")
def counters(shared_context: Context) -> Counters:
    return Counters(shared_context)


def takes(entry: Entry, suite: str) -> bool:
    return entry not in (digests, columns) or oracle.meaning(suite).only_reads


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.__name__ for entry in ENTRIES])
def test_answers(shared_context: Context, entry: Entry) -> None:
    """Of right jobs and of forged ones, in place and not, of every construction and hash."""
    for suite in (suite for suite in SUITES if takes(entry, suite)):
        answers(Bench(shared_context, (suite, entry.__name__)), suite, entry)


def answers(bench: Bench, suite: str, entry: Entry) -> None:
    for length in LENGTHS:
        for direction in (SEAL,) if entry in (digests, columns) else (SEAL, OPEN):
            built = bench.build(
                JobSpec(
                    suite,
                    direction,
                    length,
                    bench.rng.choice((0, OWN_KEY)),
                    bench.rng.choice((0, 8, 13, 64)),
                    in_place=at % 2 == 0,
                    damage=bench.rng.choice(("", "tag", "data")),
                )
                for at in range(bench.rng.choice((1, 5, 17)))
            )
            entry(bench, built)
            bench.check(built)


def alike(bench: Bench, suite: str, direction: int, n: int, length: int) -> list[BuiltJob]:
    return bench.build([JobSpec(suite, direction, length, OWN_KEY, 13)] * n)


def differences(context: Context, counters: Counters, entry: Entry, numbers: tuple[int, ...]) -> list[str]:
    """Says where an entry runs other kernels than a burst of the same jobs, or calls them another number of times."""
    found = []
    for suite in CONSTRUCTIONS:
        for direction in (SEAL, OPEN):
            for n in numbers:
                for length in (64, 5000):
                    ran = []
                    for way in (burst, entry):
                        bench = Bench(context, suite)  # the same records in both
                        built = alike(bench, suite, direction, n, length)
                        ran.append(counters.during(lambda way=way, bench=bench, built=built: way(bench, built)))
                        bench.check(built)
                    if ran[0] != ran[1]:
                        found.append(f"{suite}, {direction}, {n} jobs of {length} bytes: {ran[0]}, by itself {ran[1]}")
    return found


def test_managers_run_what_bursts_run(shared_context: Context, counters: Counters) -> None:
    assert not differences(shared_context, counters, manager, (1, 8, 33))


def test_single_calls_run_what_bursts_of_one_run(shared_context: Context, counters: Counters) -> None:
    assert not differences(shared_context, counters, single_calls, (1,))


def test_the_same_burst_runs_the_same_kernels(shared_context: Context, counters: Counters) -> None:
    """Or else the comparisons above would say nothing."""
    assert not differences(shared_context, counters, burst, (8,))


def tls_write(bench: Bench, suite: str, text: bytes, fragment: int) -> tuple[bytes, bytes, Callable[[], int]]:
    """(key, MAC key, the call): `text` sealed as records of `fragment` bytes."""
    secrets, key = bench.keys.get(suite, 0)
    records, size = key.tls_size(len(text), fragment)
    write = TlsWrite(key=key.handle, sequence=5, type=23, version=0x0303, fragment=fragment)
    memory = bench.memory
    write.iv, write.iv_len = memory.put(bytes(16 * records), writable=False), 16 * records
    setattr(write, "in", memory.put(text, writable=False))
    write.in_len = len(text)
    write.out, write.out_cap = memory.put(bytes(size)), size
    return *secrets, lambda: bench.context.lib.cst_tls_seal(ctypes.byref(write))


def test_a_written_text_runs_what_its_records_run(shared_context: Context, counters: Counters) -> None:
    bench = Bench(shared_context, "records")
    found = []
    for suite in (name for name in SUITES if oracle.meaning(name).kind == "tls"):
        for n, fragment in ((1, 64), (1, 16384), (8, 1000), (33, 300)):
            text = bench.rng.randbytes(n * fragment)
            records = bench.build([JobSpec(suite, SEAL, fragment, 0)] * n)
            one_by_one = counters.during(lambda records=records: burst(bench, records))
            bench.check(records)
            *_, call = tls_write(bench, suite, text, fragment)
            written = counters.during(call)
            if written != one_by_one:
                found.append(f"{suite}, {n} records of {fragment} bytes: {one_by_one}, written {written}")
    assert not found


def test_what_is_named_runs(shared_context: Context, counters: Counters) -> None:
    """cst_suite_choice says what a burst does."""
    bench, found = Bench(shared_context, "named"), []
    for suite in CONSTRUCTIONS:
        for n, length in ((1, 64), (1, 16384), (16, 4096), (64, 1024)):
            for direction in (SEAL, OPEN):
                if n > 1 and direction == OPEN and oracle.meaning(suite).kind == "tls":
                    continue  # their paddings, hence their lengths, are drawn at random
                choice = shared_context.suite(suite).choice(n, length, False, direction)
                held = []
                for _ in range(TURNS if TAKES_SOME in choice.kernel else 1):
                    built = bench.build([JobSpec(suite, direction, length, OWN_KEY, usual_aad(suite))] * n)
                    held.append(built)
                    ran = counters.during(lambda built=built: burst(bench, built))
                    bench.check(built)
                    if choice.kernel in ran:
                        break
                else:
                    found.append(f"{suite}, {direction}, {n} jobs of {length} bytes: {choice.kernel}, but {ran}")
    assert not found
