"""One bad job among good ones, in every entry that takes many: the others' bytes and statuses stay as they are."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest
from api_table.cases import Case, Values
from api_table.frame import Frame
from api_table.hostile import laid_out, named, right_call, run
from api_table.known import KNOWN_NEIGHBOURS
from api_table.many import ARRAYS, CASES_OF_MANY, NUMBERS, STATUS, manyfold
from api_table.objects import Objects
from api_table.test_hostile import cases_of, runnable
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_AUTH, ERR_LENGTH, NOT_RUN, OK
from sanitized import LONG

WRONG = {"size": (3, ERR_ARGUMENT), "key": (0, ERR_ARGUMENT), "in_len": ((1 << 64) - 5, ERR_LENGTH)}
"""What is wrong with the arguments of the bad job, and the error."""


def forged(_: int, job: Values) -> Values:
    """The job with a bit of its tag or signature flipped; a record of TLS has its MAC in the text."""
    name = next(name for name in ("tag", "signature", "in") if name in job)
    return job | {name: bytes([job[name][0] ^ 1]) + job[name][1:]}


def status_of(frame: Frame, i: int) -> int:
    at = frame.cells[f"{ARRAYS[frame.name]}[{i}].status"].at
    return ctypes.c_int.from_address(at or 0).value


def of_job(outputs: dict[str, bytes], name: str, i: int) -> dict[str, bytes]:
    begin = f"{name}[{i}]"
    return {path: content for path, content in outputs.items() if path.startswith(f"{begin}.")}


def refused(case: Case, objects: Objects, n: int, bad: int, member: str) -> list[str]:
    """Arguments of a job are wrong: no job is begun."""
    name, (value, error) = ARRAYS[case.entry], WRONG[member]
    many = manyfold(case, n)
    frame = laid_out(many, objects)
    try:
        path = f"{name}[{bad}].{member}"
        if path not in frame.cells or not frame.cells[path].value:
            return []
        frame.set(path, value)
        result = frame.call(objects.path)
        found = [] if result == error or (result == ERR_AUTH and case.forgeable) else [f"returned {named(result)}"]
        if result == error and case.entry in STATUS:
            statuses = [status_of(frame, i) for i in range(n)]
            other_layout = member == "size" and statuses == [0] * n  # where the statuses lie is not known
            if not other_layout and statuses != [error if i == bad else NOT_RUN for i in range(n)]:
                found.append(f"statuses are {statuses}")
        if result == error and (problem := frame.problem(failed=True)):
            found.append(problem)
        return found
    finally:
        objects.end()


def forgery(case: Case, objects: Objects, n: int, bad: int, right: dict[str, bytes]) -> list[str]:
    """One job's tag is wrong: the others are right."""
    many = manyfold(case, n, lambda i, job: forged(i, job) if i == bad else job)
    name = ARRAYS[case.entry]
    frame = laid_out(many, objects)
    result = frame.call(objects.path)
    found = [] if result == ERR_AUTH else [f"returned {named(result)}"]
    outputs = frame.outputs()
    for i in range(n):
        if status_of(frame, i) != (ERR_AUTH if i == bad else OK):
            found.append(f"the status of job {i} is {named(status_of(frame, i))}")
        its, wanted = of_job(outputs, name, i), of_job(right, name, i)
        if i != bad and its != wanted:
            found.append(f"job {i} wrote something else")
        if i == bad and any(its[path] == wanted[path] and any(wanted[path]) for path in its if path.endswith(".out")):
            found.append("the forged text was left")
    if problem := frame.problem(failed=False):
        found.append(problem)
    return found


def trials(case: Case) -> list[tuple[int, int, str]]:
    numbers = NUMBERS if not case.slow or LONG else NUMBERS[:2]
    return [
        (n, bad, what)
        for n in numbers
        for bad in sorted({0, n // 2, n - 1})
        for what in (*WRONG, *(["forgery"] if case.opens else []))
    ]


QUICK = {str(case) for entry in ARRAYS for case in cases_of(entry)}


def cells() -> Iterator[object]:
    for case in CASES_OF_MANY:
        if LONG or str(case) in QUICK:
            known = KNOWN_NEIGHBOURS.get(str(case))
            marks = [pytest.mark.xfail(strict=True, reason=known)] if known else []
            yield pytest.param(case, id=str(case), marks=marks)


@pytest.mark.parametrize("case", list(cells()))
def test_one_bad_job_among_others(case: Case, objects: Objects) -> None:
    if not runnable(case, objects):
        pytest.skip("this CPU cannot run it")
    tried = trials(case)
    right: dict[int, Any] = {n: right_call(manyfold(case, n), objects).outputs for n in {n for n, _, _ in tried}}

    def each(i: int) -> list[str]:
        n, bad, what = tried[i]
        if what == "forgery":
            return forgery(case, objects, n, bad, right[n])
        return refused(case, objects, n, bad, what)

    found = run(len(tried), each, lambda i: f"{tried[i][2]} of job {tried[i][1]} of {tried[i][0]}")
    assert not found, "\n".join(found)
