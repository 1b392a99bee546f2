"""Managers as hypothesis drives them, with every suite and every kind of damage, all buffers in one arena: each job
comes back exactly once, with the answer of an independent implementation, and a cancelled one has written nothing.
Which call must finish which job is the model of tests/runtime/test_api_manager.py."""

from __future__ import annotations

import random
from typing import ClassVar

import pytest
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.runtime import NOT_RUN, Context
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from jobs.builder import BuiltJob, JobSpec, Keys
from jobs.memory import Arena
from jobs.samples import TARGETS, suites_of
from jobs.strategies import bursts, effort, specs

MOST_BYTES = 4 << 20
"""Of buffers in one run; what would be more is not submitted."""


class Machine(RuleBasedStateMachine):
    contexts: ClassVar[dict[str, Context]] = {}
    arena: Arena

    @initialize(
        fill=st.integers(1, 48),
        age=st.integers(1, 100),
        room=st.integers(0, 60),
        seed=st.integers(0, 2**32),
        level=st.sampled_from(TARGETS),
    )
    def begin(self, fill: int, age: int, room: int, seed: int, level: str) -> None:
        if level not in self.contexts:
            self.contexts[level] = Context(target=level)
        if not hasattr(Machine, "arena"):
            Machine.arena = Arena()
        self.arena.clear()
        self.manager, self.capacity = Manager(self.contexts[level], fill, age, fill + room), fill + room
        self.rng = random.Random(seed)
        self.keys = Keys(self.contexts[level], self.rng)
        self.inside: dict[int, BuiltJob] = {}  # by the job's identity
        self.submits = 0

    def submit_one(self, spec: JobSpec) -> None:
        if len(self.inside) == self.capacity or self.arena.used > MOST_BYTES:
            return
        built = BuiltJob(self.arena, spec, self.rng, self.keys, self.submits)
        self.submits += 1
        self.manager.submit(built.job)
        self.inside[id(built.job)] = built

    @rule(data=st.data())
    def submit_many(self, data: st.DataObject) -> None:
        for spec in data.draw(bursts(suites_of(self.keys.context))):
            self.submit_one(spec)

    @rule(data=st.data())
    def submit_few(self, data: st.DataObject) -> None:
        for spec in data.draw(st.lists(specs(suites_of(self.keys.context)), min_size=1, max_size=5)):
            self.submit_one(spec)

    def take_one(self) -> bool:
        job = self.manager.take()
        if job is None:
            return False
        built = self.inside.pop(id(job))
        group = built.spec.suite, built.spec.direction
        others = [other for other in self.inside.values() if (other.spec.suite, other.spec.direction) == group]
        assert all(other.number > built.number for other in others), (
            "jobs of one suite and direction come back in order"
        )
        built.expect()
        assert not built.problem(), built.problem()
        return True

    @rule(count=st.integers(1, 100))
    def take(self, count: int) -> None:
        for _ in range(count):
            if not self.take_one():
                assert not self.manager.info()["done"]
                return

    @rule()
    def flush(self) -> None:
        self.manager.flush()
        assert not self.manager.info()["waiting"]

    @precondition(lambda self: getattr(self, "inside", None))
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        built = data.draw(st.sampled_from(list(self.inside.values())))
        if self.manager.cancel(built.job):
            del self.inside[id(built.job)]
            assert built.job.status == NOT_RUN and built.untouched()

    @invariant()
    def counts(self) -> None:
        if hasattr(self, "manager"):
            info = self.manager.info()
            assert info["waiting"] + info["done"] == len(self.inside)

    def teardown(self) -> None:
        if hasattr(self, "manager"):
            self.flush()
            while self.take_one():
                pass
            assert not self.inside
            self.manager.close()
            problem = self.arena.problem()
            assert not problem, problem


@pytest.mark.usefixtures("library")
class TestManager(Machine.TestCase):
    settings = effort(quick=30, long=600, stateful_step_count=15)
