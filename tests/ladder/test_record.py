"""What is on record (record.py) need not run; a changed byte, in a kernel or in a check, makes the check run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import record
from commit_draw import is_drawn
from cryptostitch.core.program import Recipe
from cryptostitch.ladder.climb import tasks
from cryptostitch.ladder.result import FAIL, PASS, SKIP, Evidence, Result
from cryptostitch.ladder.steps import LADDER, Rung
from cryptostitch.listing import Catalogue


@pytest.fixture(scope="module")
def every(build: Path) -> list[Recipe]:
    return record.shipped()


@pytest.fixture(scope="module")
def checks() -> dict[str, str]:
    return record.today()


def test_the_pack_has_the_kernels_of_the_catalogue(every: list[Recipe]) -> None:
    assert {task.name: task for task in tasks(Catalogue())} == {recipe.name: record.task(recipe) for recipe in every}


@pytest.fixture(scope="module")
def some(every: list[Recipe]) -> list[Recipe]:
    return every[::200]


def passed(recipes: Sequence[Recipe], status: str = PASS, detail: str = "") -> list[Evidence]:
    return [Evidence(r.name, {name: Result(status, detail) for name in record.KEPT}) for r in recipes]


def test_what_has_passed_is_on_record(some: list[Recipe], checks: dict[str, str], tmp_path: Path) -> None:
    empty = record.Record({}, {})
    assert all(empty.lacks(recipe, checks) == record.KEPT for recipe in some)
    record.renewed(empty, checks, some, passed(some)).write(tmp_path / "record.json")
    again = record.Record.read(tmp_path / "record.json")
    assert not any(again.lacks(recipe, checks) for recipe in some)


def test_a_changed_kernel_runs_all_checks(some: list[Recipe], checks: dict[str, str]) -> None:
    """One immediate, one offset of a state block, one number of the weave."""
    kept = record.renewed(record.Record({}, {}), checks, some, passed(some))
    part = some[0].parts[0]
    contract = part.program.contract
    first = part.program.code.body[0]
    changes = (
        replace(part, lead=part.lead + 1),
        replace(part, program=replace(part.program, contract=replace(contract, state_bytes=contract.state_bytes + 64))),
        replace(
            part,
            program=replace(
                part.program, code=replace(part.program.code, body=(first, first, *part.program.code.body[1:]))
            ),
        ),
    )
    for changed in changes:
        assert kept.lacks(replace(some[0], parts=(changed, *some[0].parts[1:])), checks) == record.KEPT


@pytest.mark.parametrize("rung", [rung for rung in LADDER if rung.name in record.KEPT], ids=lambda rung: rung.name)
def test_a_changed_byte_in_a_check_runs_it(rung: Rung, some: list[Recipe], checks: dict[str, str]) -> None:
    """In its own file, and in one that it imports."""
    kept = record.renewed(record.Record({}, {}), checks, some, passed(some))
    own = record.PACKAGE / "ladder" / f"{rung.module}.py"
    for changed in (own, min(record.imported(own) & record.checking_files(rung))):

        def read(file: Path, changed: Path = changed) -> bytes:
            return file.read_bytes() + (b" " if file == changed else b"")

        digest = record.check_digest(rung, read)
        assert kept.lacks(some[0], {**checks, rung.name: digest}) == (rung.name,)


def test_what_this_cpu_could_not_run_is_not_on_record(some: list[Recipe], checks: dict[str, str]) -> None:
    kept = record.renewed(record.Record({}, {}), checks, some, passed(some, SKIP, "this CPU has no avx512f"))
    assert kept.lacks(some[0], checks) == record.KEPT
    fits = record.renewed(kept, checks, some, passed(some, SKIP, "it has no numbers modulo a prime"))
    assert not fits.lacks(some[0], checks)
    with pytest.raises(ValueError, match="values"):
        record.renewed(kept, checks, some, passed(some, FAIL))


def test_a_share_of_the_kernels_is_drawn(every: list[Recipe]) -> None:
    drawn = [sum(is_drawn(recipe.name, record.SHARE, f"commit {n}") for recipe in every) for n in range(40)]
    assert 0.8 < sum(drawn) / len(every) < 1.25
