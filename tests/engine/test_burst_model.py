"""Bursts against independent implementations, as hypothesis mixes them: suites, keys, directions, sizes, places in
memory, damage. cst-soak (tests/soak) draws many times as many, against libcrypto; what this adds are other oracles,
every kernel, and least bursts of what fails."""

from __future__ import annotations

import random

import pytest
from cryptostitch.binding.runtime import Context
from hypothesis import given
from hypothesis import strategies as st
from jobs.builder import BuiltJob, JobSpec, Keys, forced, run
from jobs.memory import Arena
from jobs.samples import TARGETS, suites_of
from jobs.strategies import bursts, effort, trains


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena()


def check(context: Context, arena: Arena, specs: list[JobSpec], seed: int) -> None:
    arena.clear()
    rng = random.Random(seed)
    keys = Keys(context, rng)
    problem = run(context, arena, [BuiltJob(arena, spec, rng, keys) for spec in specs])
    assert not problem, problem


def test_any_burst(contexts: dict[str, Context], arena: Arena) -> None:
    @effort(quick=40, long=4000)
    @given(
        specs=bursts(suites_of(contexts["host"])),
        seed=st.integers(0, 2**32),
        target=st.sampled_from(("host", *TARGETS)),
    )
    def any_burst(specs: list[JobSpec], seed: int, target: str) -> None:
        check(contexts[target], arena, specs, seed)

    any_burst()


def test_jobs_that_are_alike(contexts: dict[str, Context], arena: Arena) -> None:
    @effort(quick=40, long=4000)
    @given(
        specs=trains(suites_of(contexts["host"])),
        seed=st.integers(0, 2**32),
        target=st.sampled_from(("host", *TARGETS)),
    )
    def any_train(specs: list[JobSpec], seed: int, target: str) -> None:
        check(contexts[target], arena, specs, seed)

    any_train()


def test_any_burst_on_any_kernel(library: str, arena: Arena) -> None:
    """A kernel that costs would not choose does the bulk of all suites that it fits."""
    context = Context(library=library)
    suites = suites_of(context)

    @effort(quick=60, long=4000)
    @given(specs=bursts(suites), seed=st.integers(0, 2**32), kernel=st.sampled_from(context.kernels()))
    def any_burst(specs: list[JobSpec], seed: int, kernel: str) -> None:
        with forced(context, kernel, sorted({spec.suite for spec in specs})):
            check(context, arena, specs, seed)

    any_burst()


def test_every_suite_comes_up(host: Context, arena: Arena) -> None:
    """What the strategies draw is not narrower than it looks."""
    rng, keys = random.Random(1), Keys(host, random.Random(2))
    for suite in suites_of(host):
        for direction in (0, 1):
            arena.clear()
            built = [
                BuiltJob(
                    arena,
                    JobSpec(
                        suite,
                        direction,
                        length,
                        in_place=bool(length % 2),
                        pieces=length % 3,
                        damage="data" if length == 65 else "",
                    ),
                    rng,
                    keys,
                )
                for length in (0, 1, 65, 1000)
            ]
            problem = run(host, arena, built)
            assert not problem, problem
