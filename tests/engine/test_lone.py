"""Jobs alone in their bursts, each by itself: about the lengths where such a message is cut in another way (runtime/run/lone.cpp)."""

from __future__ import annotations

import random
import re

import pytest
from built import suite_names

from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context

from engine.laid import OWN_KEY, Keys, Laid, Plan, run
from engine.memory import Arena
from engine.plans import LONG, TARGETS

KINDS = {"digest", "mac", "etm", "profile", "esp", "tls"}
SUITES = [name for name in suite_names() if oracle.meaning(name).kind in KINDS and (LONG or not re.match("aes-(192|256-ctr)", name))]
LENGTHS = tuple(n + d for n in (0, 64, 128, 448, 512, 576, 640, 1024, 4096, 16368) for d in (-17, -16, -1, 0, 1, 8, 16))
AADS = (0, 8, 13, 16, 47, 48, 49, 112, 128, 300)


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena()


def test_kinds_are_here() -> None:
    assert {oracle.meaning(name).kind for name in SUITES} == KINDS


@pytest.mark.parametrize("suite", SUITES)
def test_each_length(contexts: dict[str, Context], arena: Arena, suite: str) -> None:
    rng = random.Random(suite)
    kept = {target: Keys(contexts[target], random.Random(suite)) for target in TARGETS}
    for length in LENGTHS:
        for direction, damage in ((SEAL, ""), (OPEN, ""), (OPEN, "data" if oracle.meaning(suite).kind == "tls" else "tag")):
            target = rng.choice(("host", "host", *TARGETS))
            plan = Plan(suite, direction, max(length, 0), OWN_KEY, rng.choice(AADS), in_place=rng.random() < 0.5, shifts=(rng.randrange(64), rng.randrange(64)), damage=damage)
            arena.clear()
            problem = run(contexts[target], arena, [Laid(arena, plan, rng, kept[target])])
            assert not problem, (problem, plan, target)
