"""A job's result does not depend on its neighbours: alone, among any others, among forged ones, at any place of the
burst."""

from __future__ import annotations

import random

import pytest
from built import suite_names
from cryptostitch.binding.runtime import ERR_AUTH, OPEN, SEAL, Context
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, BuiltJob, JobSpec, Keys, run
from jobs.memory import Arena
from jobs.samples import EDGES, LANES, LONG, TARGETS, one_of_each, suites_of

SUITES = one_of_each(suite_names())
LENGTHS = EDGES if LONG else (0, 16, 55, 64, 121)
ALONE = 3
"""Number of the key of the job that is looked at; its neighbours have it, others, or their own."""


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena()


def neighbour(rng: random.Random, suites: list[str], spec: JobSpec, kind: str) -> JobSpec:
    """Of any suite or of the same; for "forged" of the same, opening, damaged."""
    other = rng.random() < 0.5
    suite = rng.choice(suites) if kind == "any" and other else spec.suite
    direction = OPEN if kind == "forged" else rng.choice((SEAL, OPEN))
    damage = rng.choice(("tag", "data", "iv", "aad")) if kind == "forged" else rng.choice(("", "", "tag", "data"))
    length = spec.length if kind == "equal" else rng.choice((*EDGES, rng.randrange(3000)))
    return JobSpec(
        suite,
        direction,
        length,
        rng.choice((ALONE, 0, OWN_KEY)),
        spec.aad if kind == "equal" else rng.choice((0, 8, 13, 16)),
        in_place=rng.random() < 0.5,
        shifts=(rng.randrange(64), rng.randrange(64)),
        damage=damage,
    )


def result(
    context: Context, arena: Arena, keys: Keys, spec: JobSpec, seed: int, before: list[JobSpec], after: list[JobSpec]
) -> tuple[int, int, bytes, bytes]:
    arena.clear()
    rng = random.Random(seed ^ 1)
    first = [BuiltJob(arena, p, rng, keys) for p in before]
    looked_at = BuiltJob(arena, spec, random.Random(seed), keys)
    last = [BuiltJob(arena, p, rng, keys) for p in after]
    problem = run(context, arena, [*first, looked_at, *last])
    assert not problem, problem
    return looked_at.result()


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("direction", [SEAL, OPEN], ids=["seal", "open"])
def test_alone_or_among_others(contexts: dict[str, Context], arena: Arena, suite: str, direction: int) -> None:
    rng = random.Random(f"{suite} {direction}")
    suites = suites_of(contexts["host"])
    kept = {target: Keys(contexts[target], random.Random(suite)) for target in TARGETS}
    for length in (*LENGTHS, rng.randrange(200, 2000)):
        spec = JobSpec(suite, direction, length, ALONE, aad=rng.choice((8, 13, 16)), shifts=(rng.randrange(64), 0))
        seed = rng.randrange(2**32)
        for target in TARGETS if LONG else ("host", rng.choice(TARGETS)):
            context, keys = contexts[target], kept[target]
            alone = result(context, arena, keys, spec, seed, [], [])
            for kind in ("any", "equal", "forged"):
                n = rng.choice((1, 3, LANES - 1, LANES, 2 * LANES, 3 * LANES))
                others = [neighbour(rng, suites, spec, kind) for _ in range(n)]
                at = rng.randrange(n + 1)
                assert result(context, arena, keys, spec, seed, others[:at], others[at:]) == alone, (
                    spec,
                    target,
                    kind,
                    n,
                    at,
                )


@pytest.mark.parametrize(
    "suite",
    [name for name in SUITES if oracle.meaning(name).kind not in ("cipher", "counter", "chacha", "ecb", "xts")],
)
def test_neighbours_of_a_forged_job(host: Context, arena: Arena, suite: str) -> None:
    """One job of a full burst is forged, in turn each: it is refused, and no other."""
    keys = Keys(host, random.Random(suite))
    n, damage = LANES + 1, "data" if oracle.meaning(suite).kind == "tls" else "tag"
    for forged in range(n):
        arena.clear()
        rng = random.Random(f"{suite} {forged}")
        built = [
            BuiltJob(
                arena,
                JobSpec(suite, OPEN, 64, i % 3, 13, in_place=i % 2 == 0, damage=damage if i == forged else ""),
                rng,
                keys,
            )
            for i in range(n)
        ]
        problem = run(host, arena, built)
        assert not problem, problem
        assert [i for i, one in enumerate(built) if one.job.status == ERR_AUTH] == [forged]
