"""The whole ladder on every kernel of the default pack: the quick form; with CRYPTOSTITCH_LONG=1 the long one.

Where CRYPTOSTITCH_CPU names another CPU, only the checks through the C API: what the others look at, a kernel's code,
is the same as without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from cryptostitch.ladder.climb import BATCH, Climber, Plan, tasks
from cryptostitch.ladder.result import FAIL, SKIP, Effort
from cryptostitch.listing import Catalogue

EFFORT = Effort(seed=1, long=bool(os.environ.get("CRYPTOSTITCH_LONG")))
CHECKS = ("answers", "lengths", "fuzz") if os.environ.get("CRYPTOSTITCH_CPU") else ()
TASKS = sorted(
    tasks(Catalogue()), key=lambda task: ([(part.form, isa) for part, isa in reversed(task.parts)], task.name)
)
BATCHES = [TASKS[i : i + BATCH] for i in range(0, len(TASKS), BATCH)]


@pytest.fixture(scope="module")
def climber(build) -> Climber:
    return Climber(Plan(checks=CHECKS, effort=EFFORT))


@pytest.mark.parametrize("batch", range(len(BATCHES)))
def test_kernels(climber: Climber, batch: int, count_checks: Callable[[str, str, str], None]) -> None:
    wrong = []
    for task in BATCHES[batch]:
        evidence = climber.climb(task)
        for name, result in evidence.checks.items() if evidence else ():
            count_checks(name, result.status, result.detail if result.status == SKIP else "")
            if result.status == FAIL:
                wrong.append(f"{task.name}: {name}: {'; '.join(result.problems[:3])}")
    assert not wrong, "\n".join(wrong)
