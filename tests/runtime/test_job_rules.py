"""The fast accept of jobs, one by one, four and eight at once, against the slow form of the same rules:
`cst-job-rules`, for jobs at random places near one another, of which a third are wrong."""

from __future__ import annotations

import os
import subprocess

import pytest
from handmade import tool
from sanitized import LONG

JOBS = 10_000_000 if LONG else 500_000


@pytest.mark.parametrize("target", ["host", "host-no_avx512", "host-no_avx2"])
def test_the_fast_forms_decide_as_the_slow_one(target: str) -> None:
    for seed in range(2):
        done = subprocess.run(
            [tool("cst-job-rules"), str(JOBS // 2), str(seed)],
            capture_output=True,
            text=True,
            env={**os.environ, "CRYPTOSTITCH_TARGET": target},
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr
        right, wrong = (int(part.split()[1]) for part in done.stdout.splitlines()[-1].split(", ")[:2])
        assert min(right, wrong) > JOBS // 10
