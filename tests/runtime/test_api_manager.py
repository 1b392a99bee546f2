"""Managers: a model decides which jobs must come back, hypothesis the order of calls, the builder what is in them."""

from __future__ import annotations

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.runtime import (
    ERR_ARGUMENT,
    ERR_FULL,
    ERR_LENGTH,
    NOT_RUN,
    OPEN,
    SEAL,
    Context,
    Job,
    RuntimeFailure,
)
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from jobs.builder import Bench, BuiltJob, JobSpec, arena
from jobs.samples import suites_of

LENGTHS = (0, 1, 15, 16, 17, 55, 56, 57, 63, 64, 65, 119, 120, 121, 320, 1000, 4096)
SUITES = (
    "aes-128-cbc+hmac-sha1-etm",
    "aes-256-cbc+hmac-sha256-etm",
    "a128cbc-hs256",
    "sha256",
    "hmac-md5",
    "aes-192-cbc",
)


def group_of(held: BuiltJob) -> tuple[str, int]:
    """Returns the group of a job: jobs of one suite and direction wait for each other."""
    return held.spec.suite, held.spec.direction


def untouched(held: BuiltJob) -> bool:
    return held.job.status == NOT_RUN and held.untouched()


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.context = runtime.Context()
        self.suites = [name for name in SUITES if name in suites_of(self.context)]

    @initialize(fill=st.integers(1, 40), age=st.integers(1, 60), room=st.integers(0, 30), seed=st.integers(0, 2**32))
    def begin(self, fill: int, age: int, room: int, seed: int) -> None:
        self.fill, self.age, self.capacity = fill, age, fill + room
        self.manager = Manager(self.context, fill, age, self.capacity)
        self.bench = Bench(self.context, seed, arena(16 << 20))
        self.bench.build([])
        self.waiting: list[tuple[int, BuiltJob]] = []  # number of the submit, job
        self.done: list[BuiltJob] = []
        self.submits = 0

    def any_job(self) -> BuiltJob:
        rng = self.bench.rng
        return self.bench.add(
            JobSpec(
                rng.choice(self.suites),
                rng.choice((SEAL, OPEN)),
                rng.choice(LENGTHS),
                rng.randrange(3),
                rng.choice((0, 13, 64)),
                damage="tag" if rng.random() < 0.3 else "",
            )
        )

    def finish(self, group: tuple[str, int]) -> None:
        self.done += [h for _, h in self.waiting if group_of(h) == group]
        self.waiting = [(n, h) for n, h in self.waiting if group_of(h) != group]

    def submit_one(self) -> None:
        held = self.any_job()
        if len(self.waiting) + len(self.done) >= self.capacity:
            with pytest.raises(RuntimeFailure) as full:
                self.manager.submit(held.job)
            assert full.value.code == ERR_FULL and untouched(held)
            return
        self.manager.submit(held.job)
        self.waiting.append((self.submits, held))
        self.submits += 1
        if sum(group_of(h) == group_of(held) for _, h in self.waiting) >= self.fill:
            self.finish(group_of(held))
        for group in dict.fromkeys(group_of(h) for _, h in self.waiting):
            if self.submits - min(n for n, h in self.waiting if group_of(h) == group) > self.age:
                self.finish(group)

    @rule(count=st.integers(1, 30))
    def submit(self, count: int) -> None:
        for _ in range(count):
            self.submit_one()

    @rule()
    def bad_arguments(self) -> None:
        held = self.any_job()
        held.job.aad = b"x" if held.job.iv is None else held.job.aad
        held.job.iv = held.job.iv and bytes(15)
        with pytest.raises(RuntimeFailure) as refused:
            self.manager.submit(held.job)
        assert refused.value.code in (ERR_LENGTH, ERR_FULL) and untouched(held)

    @rule(count=st.integers(1, 60))
    def take(self, count: int) -> None:
        for _ in range(count):
            job = self.manager.take()
            if job is None:
                assert not self.done
                return
            match = next(h for h in self.done if h.job is job)
            first = next(h for h in self.done if group_of(h) == group_of(match))
            assert match is first, "jobs of one suite and direction come back in order"
            self.done.remove(match)
            match.expect()
            assert not match.problem(), match.problem()

    @rule()
    def flush(self) -> None:
        self.manager.flush()
        while self.waiting:
            self.finish(group_of(self.waiting[0][1]))

    @precondition(lambda self: getattr(self, "waiting", None))
    @rule(data=st.data())
    def cancel(self, data) -> None:
        number = data.draw(st.integers(0, len(self.waiting) - 1))
        _, held = self.waiting.pop(number)
        assert self.manager.cancel(held.job) and untouched(held)
        assert not self.manager.cancel(held.job)

    @precondition(lambda self: getattr(self, "done", None))
    @rule()
    def cancel_too_late(self) -> None:
        assert not self.manager.cancel(self.done[0].job)

    @invariant()
    def counts(self) -> None:
        if hasattr(self, "manager"):
            info = self.manager.info()
            assert (info["waiting"], info["done"], info["jobs"]) == (len(self.waiting), len(self.done), self.submits)
            assert info["bursts"] == info["full"] + info["aged"] + info["flushed"]

    def teardown(self) -> None:
        if hasattr(self, "manager"):
            self.flush()
            self.take(10**6)
            assert not self.bench.memory.problem()
            assert self.manager.take() is None
            self.manager.close()


TestManager = Machine.TestCase
TestManager.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def test_bad_limits(context: Context) -> None:
    for limits in ((2000, 0, 0), (10, 0, 5), (1, 1, 1 << 40)):
        with pytest.raises(RuntimeFailure) as refused:
            Manager(context, *limits)
        assert refused.value.code == ERR_ARGUMENT


def test_defaults_and_fill(context: Context) -> None:
    """Equal jobs run in bursts of min_fill; the numbers say so."""
    manager, key = Manager(context), context.suite("sha256").key()
    for i in range(100):
        manager.submit(Job(key, data=bytes([i]), tag=bytearray(32)))
    info = manager.info()
    assert (info["min_fill"], info["max_age"], info["capacity"]) == (32, 256, 1024)
    assert (info["bursts"], info["full"], info["done"], info["waiting"]) == (3, 3, 96, 4)


def test_free_with_jobs_inside(context: Context) -> None:
    manager, tag = Manager(context), bytearray(32)
    job = Job(context.suite("sha256").key(), data=b"abc", tag=tag)
    manager.submit(job)
    manager.close()
    assert not any(tag)
