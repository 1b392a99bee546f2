"""The whole ladder on every kernel of the default pack: the quick form; with CRYPTOSTITCH_LONG=1 the long one.

Where CRYPTOSTITCH_CPU names another CPU, only the checks through the C API: what the others look at, a kernel's code,
is the same as without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from cryptostitch.ladder.climb import Climber, Plan, Task, tasks
from cryptostitch.ladder.result import FAIL, SKIP, Effort
from cryptostitch.listing import Catalogue

EFFORT = Effort(seed=1, long=bool(os.environ.get("CRYPTOSTITCH_LONG")))
CHECKS = ("answers", "lengths", "fuzz") if os.environ.get("CRYPTOSTITCH_CPU") else ()
BATCHES = 140
"""Into which the kernels of the pack are cut, neighbours together: they share compiled programs. Their names take
seconds to find, so that the tests are collected by number alone."""


@pytest.fixture(scope="module")
def every() -> list[Task]:
    return sorted(
        tasks(Catalogue()), key=lambda task: ([(part.form, isa) for part, isa in reversed(task.parts)], task.name)
    )


@pytest.fixture
def climber(build) -> Climber:
    """One for each batch: a generator keeps all that it has compiled."""
    return Climber(Plan(checks=CHECKS, effort=EFFORT))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_kernels(
    every: list[Task], climber: Climber, batch: int, count_checks: Callable[[str, str, str], None]
) -> None:
    mine = every[batch * len(every) // BATCHES : (batch + 1) * len(every) // BATCHES]
    assert mine, f"of {len(every)} kernels"
    wrong = []
    for task in mine:
        evidence = climber.climb(task)
        for name, result in evidence.checks.items() if evidence else ():
            count_checks(name, result.status, result.detail if result.status == SKIP else "")
            if result.status == FAIL:
                wrong.append(f"{task.name}: {name}: {'; '.join(result.problems[:3])}")
    assert not wrong, "\n".join(wrong)
