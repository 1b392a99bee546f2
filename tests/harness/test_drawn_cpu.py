"""Which lesser CPU the tests of CI believe in (drawn_cpu.py)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from commit_draw import drawn
from cryptostitch.binding import runtime
from drawn_cpu import CPU, INDEPENDENT, PASSED, SEEN_EVERYWHERE, WHOLE, candidates, depends, has_turn


def test_every_candidate_gets_its_turn(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CPU, raising=False)
    names = candidates()
    if not names:
        pytest.skip("this CPU lacks features of every CPU that is drawn")
    assert set(names) <= set(PASSED) <= set(runtime.Context().names(runtime.NAME_CPU)) and CPU not in os.environ
    assert {name for n in range(40 * len(names)) for name in drawn(names, 1, f"commit {n}")} == set(names)
    for name in names:
        monkeypatch.setenv(CPU, name)
        assert name in runtime.Context().cpu()["brand"]


def test_every_mark_is_of_a_file(root: Path) -> None:
    files = [file.relative_to(root / "tests").as_posix() for file in (root / "tests").rglob("test_*.py")]
    assert all(any(file.startswith(beginning) for file in files) for beginning in (*INDEPENDENT, *SEEN_EVERYWHERE))
    assert not any(file.startswith(INDEPENDENT) for file in files if file.startswith(SEEN_EVERYWHERE))


def test_a_file_that_nobody_lists_depends_on_the_cpu() -> None:
    assert set(WHOLE) <= set(PASSED)
    for cpu in ("", *WHOLE):
        assert depends("examples/test_new_file.py", cpu) and not depends("generator/test_order.py", cpu)


def test_every_file_gets_its_turn(root: Path) -> None:
    for file in SEEN_EVERYWHERE:
        assert has_turn(file, "") and {has_turn(file, "zen3", f"commit {n}") for n in range(20)} == {True, False}
    assert not any(has_turn("generator/test_order.py", "zen3", f"commit {n}") for n in range(20))
    half = [sum(has_turn(f"{file}{n}", "zen3", "a") for n in range(20)) for file in SEEN_EVERYWHERE]
    assert 0.4 < sum(half) / (20 * len(half)) < 0.6
