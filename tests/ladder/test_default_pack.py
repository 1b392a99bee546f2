"""The ladder on every kernel of the default pack: where checks are not on record (record.py), and for shares of the
kernels that the commit draws, a larger one for the checks through the C API, which are never on record. That each
kernel gives right answers when it is forced, test_api_choice asserts always. With CRYPTOSTITCH_LONG=1 all of them run,
in their long form.

Where CRYPTOSTITCH_CPU names another CPU, only the checks through the C API: what the others look at, a kernel's code,
is the same as without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import record
from commit_draw import is_drawn
from cryptostitch.core.program import Recipe
from cryptostitch.ladder.climb import Climber, Plan
from cryptostitch.ladder.result import FAIL, SKIP, Effort, Evidence

LONG = bool(os.environ.get("CRYPTOSTITCH_LONG"))
LESSER = bool(os.environ.get("CRYPTOSTITCH_CPU"))
SHARE = 6
"""Of so many kernels one, drawn by the commit, runs the checks through the C API."""
BATCHES = 140
"""Into which the kernels of the pack are cut, neighbours together: they share compiled programs. Their names take
seconds to find, so that the tests are collected by number alone."""


@pytest.fixture(scope="module")
def every(build: Path) -> list[Recipe]:
    return record.shipped()


@pytest.fixture(scope="module")
def kept() -> record.Record:
    return record.Record.read()


@pytest.fixture(scope="module")
def checks() -> dict[str, str]:
    return record.today()


@pytest.fixture
def climber(build: Path) -> Climber:
    """One for each batch: a generator keeps all that it has compiled."""
    return Climber(Plan(effort=Effort(seed=1, long=LONG)))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_kernels(
    every: list[Recipe],
    kept: record.Record,
    checks: dict[str, str],
    climber: Climber,
    batch: int,
    count_checks: Callable[[str, str, str], None],
) -> None:
    mine = every[batch * len(every) // BATCHES : (batch + 1) * len(every) // BATCHES]
    assert mine, f"of {len(every)} kernels"
    wrong = []
    for recipe in mine:
        must: tuple[str, ...] = ()
        if not LESSER:
            must = record.KEPT if LONG or is_drawn(recipe.name, record.SHARE) else kept.lacks(recipe, checks)
        evidence = Evidence(recipe.name)
        if must or LONG or is_drawn(f"{recipe.name} in the library", SHARE):
            evidence = climber.examine(recipe, record.ALWAYS)
        if must:
            compiled = climber.climb(record.task(recipe), must)
            assert compiled, f"{recipe.name} is in the pack, but does not fit"
            evidence.checks |= compiled.checks
        for name in set(record.KEPT) - set(must) if not LESSER else ():
            count_checks(name, "on record", "")
        for name, result in evidence.checks.items():
            count_checks(name, result.status, result.detail if result.status == SKIP else "")
            if result.status == FAIL:
                wrong.append(f"{recipe.name}: {name}: {'; '.join(result.problems[:3])}")
    assert not wrong, "\n".join(wrong)
