"""Managers: a model decides which jobs must come back, hypothesis the order of calls, and the package `cryptography` what is in them."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.manager import Manager
from cryptostitch.runtime import ERR_ARGUMENT, ERR_AUTH, ERR_FULL, ERR_LENGTH, OPEN, SEAL, Context, Job, RuntimeFailure

LENGTHS = (0, 1, 15, 16, 17, 55, 56, 57, 63, 64, 65, 119, 120, 121, 320, 1000, 4096)
SUITES = ("aes-128-cbc+hmac-sha1-etm", "aes-256-cbc+hmac-sha256-etm", "a128cbc-hs256", "sha256", "hmac-md5", "aes-192-cbc")


class Held:
    """A job, and what must come of it."""

    def __init__(self, rng: random.Random, context: Context, keys: dict):
        name = rng.choice([s for s in SUITES if s in context.suites()])
        secrets = keys.setdefault((name, rng.randrange(3)), oracle.secrets(rng, name))
        case = self.case = oracle.case(rng, name, rng.choice(LENGTHS), rng.choice((0, 13, 64)), secrets)
        ciphers = bool(case.iv)
        self.direction = rng.choice((SEAL, OPEN))
        self.forged = self.direction == OPEN and bool(case.tag) and rng.random() < 0.3
        source = case.out if self.direction == OPEN and ciphers else case.data
        self.out = bytearray(b"\xaa" * max(len(source), len(case.out))) if ciphers else None
        self.tag = bytearray(case.tag if self.direction == OPEN else len(case.tag))
        if self.forged:
            self.tag[0] ^= 1
        key = context.suite(name).key(case.key or None, case.mac_key or None)
        self.group = name, self.direction
        self.job = Job(key, self.direction, iv=case.iv or None, aad=case.aad or None, data=source, out=self.out, tag=self.tag or None)

    def check(self) -> None:
        case, job = self.case, self.job
        assert job.status == (ERR_AUTH if self.forged else 0), self.group
        if self.forged:
            assert self.out is None or not any(self.out[: len(case.out)])
        elif self.direction == SEAL:
            assert bytes(self.tag) == case.tag and bytes(self.out or b"")[: len(case.out)] == case.out
        elif self.out is not None:
            assert job.out_len == len(case.data) and bytes(self.out[: job.out_len]) == case.data

    def untouched(self) -> bool:
        return self.job.status == 1 and not (self.out and any(b != 0xAA for b in self.out))


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.context = runtime.Context()
        self.keys: dict = {}

    @initialize(fill=st.integers(1, 40), age=st.integers(1, 60), room=st.integers(0, 30), seed=st.integers(0, 2**32))
    def begin(self, fill: int, age: int, room: int, seed: int) -> None:
        self.fill, self.age, self.capacity = fill, age, fill + room
        self.manager = Manager(self.context, fill, age, self.capacity)
        self.rng = random.Random(seed)
        self.waiting: list[tuple[int, Held]] = []   # number of the submit, job
        self.done: list[Held] = []
        self.submits = 0

    def finish(self, group: tuple[str, int]) -> None:
        self.done += [h for _, h in self.waiting if h.group == group]
        self.waiting = [(n, h) for n, h in self.waiting if h.group != group]

    def submit_one(self) -> None:
        held = Held(self.rng, self.context, self.keys)
        if len(self.waiting) + len(self.done) >= self.capacity:
            with pytest.raises(RuntimeFailure) as full:
                self.manager.submit(held.job)
            assert full.value.code == ERR_FULL and held.untouched()
            return
        self.manager.submit(held.job)
        self.waiting.append((self.submits, held))
        self.submits += 1
        if sum(h.group == held.group for _, h in self.waiting) >= self.fill:
            self.finish(held.group)
        for group in dict.fromkeys(h.group for _, h in self.waiting):
            if self.submits - min(n for n, h in self.waiting if h.group == group) > self.age:
                self.finish(group)

    @rule(count=st.integers(1, 30))
    def submit(self, count: int) -> None:
        for _ in range(count):
            self.submit_one()

    @rule()
    def bad_arguments(self) -> None:
        held = Held(self.rng, self.context, self.keys)
        held.job.aad = b"x" if held.job.iv is None else held.job.aad
        held.job.iv = held.job.iv and bytes(15)
        with pytest.raises(RuntimeFailure) as refused:
            self.manager.submit(held.job)
        assert refused.value.code in (ERR_LENGTH, ERR_FULL) and held.untouched()

    @rule(count=st.integers(1, 60))
    def take(self, count: int) -> None:
        for _ in range(count):
            job = self.manager.take()
            if job is None:
                assert not self.done
                return
            match = next(h for h in self.done if h.job is job)
            first = next(h for h in self.done if h.group == match.group)
            assert match is first, "jobs of one suite and direction come back in order"
            self.done.remove(match)
            match.check()

    @rule()
    def flush(self) -> None:
        self.manager.flush()
        while self.waiting:
            self.finish(self.waiting[0][1].group)

    @precondition(lambda self: getattr(self, "waiting", None))
    @rule(data=st.data())
    def cancel(self, data) -> None:
        number = data.draw(st.integers(0, len(self.waiting) - 1))
        _, held = self.waiting.pop(number)
        assert self.manager.cancel(held.job) and held.untouched()
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
            assert self.manager.take() is None
            self.manager.close()


TestManager = Machine.TestCase
TestManager.settings = settings(max_examples=25, stateful_step_count=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


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
