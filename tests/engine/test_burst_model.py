"""Bursts against independent implementations, as hypothesis mixes them: suites, keys, directions, sizes, places in memory, damage."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cryptostitch.runtime import OPEN, SEAL, Context

from engine.laid import OWN_KEY, Keys, Laid, Plan, forced, run
from engine.memory import Arena
from engine.plans import TARGETS, bursts, effort, trains


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena()


def check(context: Context, arena: Arena, plans: list[Plan], seed: int) -> None:
    arena.clear()
    rng = random.Random(seed)
    keys = Keys(context, rng)
    problem = run(context, arena, [Laid(arena, plan, rng, keys) for plan in plans])
    assert not problem, problem


def test_any_burst(contexts: dict[str, Context], arena: Arena) -> None:
    @effort(quick=120, long=4000)
    @given(plans=bursts(contexts["host"].suites()), seed=st.integers(0, 2**32), target=st.sampled_from(("host", *TARGETS)))
    def any_burst(plans: list[Plan], seed: int, target: str) -> None:
        check(contexts[target], arena, plans, seed)

    any_burst()


def test_jobs_that_are_alike(contexts: dict[str, Context], arena: Arena) -> None:
    @effort(quick=80, long=4000)
    @given(plans=trains(contexts["host"].suites()), seed=st.integers(0, 2**32), target=st.sampled_from(("host", *TARGETS)))
    def any_train(plans: list[Plan], seed: int, target: str) -> None:
        check(contexts[target], arena, plans, seed)

    any_train()


def test_messages_of_one_length_in_other_pieces(host: Context, arena: Arena) -> None:
    """Heads of one block and of two, before texts that make up for it."""
    for suite in (suite for suite in host.suites() if suite.endswith("-etm")):
        for direction in (SEAL, OPEN):
            check(host, arena, [Plan(suite, direction, 1024 - aad, OWN_KEY, aad) for aad in (0, 64, 0, 112) * 9], 1)


def test_any_burst_on_any_kernel(library: str, arena: Arena) -> None:
    """A kernel that costs would not choose does the bulk of all suites that it fits."""
    context = Context(library=library)
    suites = context.suites()

    @effort(quick=60, long=4000)
    @given(plans=bursts(suites), seed=st.integers(0, 2**32), kernel=st.sampled_from(context.kernels()))
    def any_burst(plans: list[Plan], seed: int, kernel: str) -> None:
        with forced(context, kernel, sorted({plan.suite for plan in plans})):
            check(context, arena, plans, seed)

    any_burst()


def test_every_suite_comes_up(host: Context, arena: Arena) -> None:
    """What the strategies draw is not narrower than it looks."""
    rng, keys = random.Random(1), Keys(host, random.Random(2))
    for suite in host.suites():
        for direction in (0, 1):
            arena.clear()
            laid = [Laid(arena, Plan(suite, direction, length, in_place=bool(length % 2), pieces=length % 3, damage="data" if length == 65 else ""), rng, keys)
                    for length in (0, 1, 65, 1000)]
            problem = run(host, arena, laid)
            assert not problem, problem
