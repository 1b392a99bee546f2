"""The ladder on every kernel of the default pack. The checks through the C API run always; the others where they are
not on record (record.py), and for a share of the kernels that the commit draws. With CRYPTOSTITCH_LONG=1 all of them
run, in their long form.

Where CRYPTOSTITCH_CPU names another CPU, only the checks through the C API: what the others look at, a kernel's code,
is the same as without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import record
from cryptostitch.core.program import Recipe
from cryptostitch.ladder.climb import Climber, Plan
from cryptostitch.ladder.result import FAIL, SKIP, Effort, Evidence

LONG = bool(os.environ.get("CRYPTOSTITCH_LONG"))
LESSER = bool(os.environ.get("CRYPTOSTITCH_CPU"))
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


@pytest.fixture(scope="module")
def commit() -> str:
    return record.commit()


@pytest.fixture
def climber(build: Path) -> Climber:
    """One for each batch: a generator keeps all that it has compiled."""
    return Climber(Plan(effort=Effort(seed=1, long=LONG)))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_kernels(
    every: list[Recipe],
    kept: record.Record,
    checks: dict[str, str],
    commit: str,
    climber: Climber,
    batch: int,
    count_checks: Callable[[str, str, str], None],
) -> None:
    mine = every[batch * len(every) // BATCHES : (batch + 1) * len(every) // BATCHES]
    assert mine, f"of {len(every)} kernels"
    wrong = []
    for recipe in mine:
        evidence = climber.examine(recipe, record.ALWAYS)
        if not LESSER:
            must = record.KEPT if LONG or record.is_drawn(recipe.name, commit) else kept.lacks(recipe, checks)
            compiled = climber.climb(record.task(recipe), must) if must else Evidence(recipe.name)
            assert compiled, f"{recipe.name} is in the pack, but does not fit"
            evidence.checks |= compiled.checks
            for name in set(record.KEPT) - set(must):
                count_checks(name, "on record", "")
        for name, result in evidence.checks.items():
            count_checks(name, result.status, result.detail if result.status == SKIP else "")
            if result.status == FAIL:
                wrong.append(f"{recipe.name}: {name}: {'; '.join(result.problems[:3])}")
    assert not wrong, "\n".join(wrong)
