"""The published vectors of cryptostitch.ladder.vectors, for tests: what is not installed skips the test."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptostitch.ladder import vectors
from cryptostitch.ladder.result import Skip


def _skipping(read: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    @functools.wraps(read)
    def found(*arguments: str) -> Iterator[Any]:
        try:
            yield from read(*arguments)
        except Skip as skip:
            pytest.skip(str(skip))

    return found


shared = _skipping(vectors.shared)
wycheproof = _skipping(vectors.wycheproof)
records = _skipping(vectors.records)
