"""Specs of jobs as hypothesis draws them: sizes skewed to block edges, few keys, every suite and direction."""

from __future__ import annotations

from dataclasses import replace

from cryptostitch.binding.runtime import OPEN, SEAL
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from .builder import OWN_KEY, JobSpec
from .samples import EDGES, LANES, LONG

MOST_JOBS = 6 * LANES + 4
MORE_THAN_A_BATCH = 130
MOST_BYTES = 20 << 10


def effort(quick: int, long: int, **more: int) -> settings:
    """Returns hypothesis's settings for a number of examples; the quick form draws the same ones each time."""
    return settings(
        max_examples=long if LONG else quick,
        derandomize=not LONG,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        **more,
    )


SHORT_JOBS = tuple(n + d for n in (120, 232, 248, 384, 688, 768, 2000, 2048) for d in (-1, 0, 1))
"""Bytes: about where short jobs are built out in another way, and where they end (runtime/run/short_jobs.hpp)."""

edges = st.sampled_from(EDGES)
lengths = st.one_of(edges, edges, edges, st.integers(0, 700), st.integers(0, 700), st.integers(700, MOST_BYTES))
lanes_filled = st.sampled_from([*(k * LANES + d for k in (1, 2, 3, 6) for d in (-1, 0, 1)), MORE_THAN_A_BATCH])
numbers_of_jobs = st.one_of(st.integers(1, 4), st.integers(1, 3 * LANES), lanes_filled, st.integers(1, MOST_JOBS))
shifts = st.one_of(st.just(0), st.integers(0, 63))
damages = st.one_of(st.just(""), st.sampled_from(("", "tag", "iv", "aad", "data")))


def specs(suites: list[str]) -> st.SearchStrategy[JobSpec]:
    return st.builds(
        JobSpec,
        suite=st.sampled_from(suites),
        direction=st.sampled_from((SEAL, OPEN)),
        length=lengths,
        key=st.one_of(st.integers(0, 2), st.just(OWN_KEY)),
        aad=st.one_of(st.sampled_from((0, 8, 13, 16, 48)), st.integers(0, 200)),
        tag=st.one_of(st.just(100), st.integers(0, 100)),
        in_place=st.booleans(),
        shifts=st.tuples(shifts, shifts),
        pieces=st.sampled_from((0, 0, 0, 1, 2, 5)),
        room=st.sampled_from((0, 0, 1, 40)),
        damage=damages,
    )


@st.composite
def trains(draw: st.DrawFn, suites: list[str]) -> list[JobSpec]:
    """Many jobs of one suite, direction and length, as the engine likes them best; the rest of them differs. Sometimes
    a few others among them."""
    first = draw(specs(suites))
    length = draw(st.one_of(edges, st.sampled_from(SHORT_JOBS), st.integers(0, 2100)))
    n = draw(st.one_of(lanes_filled, st.integers(2, MOST_JOBS)))
    alike = draw(st.lists(specs([first.suite]), min_size=n, max_size=n))
    jobs = [replace(job, direction=first.direction, length=length, aad=first.aad, pieces=0) for job in alike]
    return draw(st.permutations(jobs + draw(st.lists(specs([first.suite]), max_size=4))))


@st.composite
def bursts(draw: st.DrawFn, suites: list[str]) -> list[JobSpec]:
    """1 to MOST_JOBS jobs, sometimes more; of all suites, of a few, or of one."""
    few = draw(st.one_of(st.just(suites), st.lists(st.sampled_from(suites), min_size=1, max_size=4, unique=True)))
    n = draw(numbers_of_jobs)
    return draw(st.lists(specs(few), min_size=n, max_size=n))
