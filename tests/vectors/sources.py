"""The published vectors of cryptostitch.ladder.vectors, for tests: what is not installed skips the test, or is made."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptostitch.ladder import vectors
from cryptostitch.ladder.result import Skip

from .made import Test, made

MADE = "made as Wycheproof's"


def _skipping(read: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    @functools.wraps(read)
    def found(*arguments: str) -> Iterator[Any]:
        try:
            yield from read(*arguments)
        except Skip as skip:
            pytest.skip(str(skip))

    return found


records = _skipping(vectors.records)


def wycheproof(name: str) -> tuple[str, list[Test]]:
    """A file of Wycheproof's: its source, and (group, test) of all tests; without the file those of made.py."""
    try:
        return "Wycheproof", list(vectors.wycheproof(name))
    except Skip:
        return MADE, list(made(name))
