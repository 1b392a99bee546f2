"""Errors that a user of the generator can mend. Each says what is wrong, where, and the nearest names that exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

FEW = 8  # names are listed in an error


class CryptostitchError(Exception):
    """Base of all errors about input; the command line prints them without a traceback."""


class TemplateError(CryptostitchError):
    """A template could not be rendered or parsed. ``place`` is ``file:line``."""

    def __init__(self, place: object, message: str):
        super().__init__(f"{place}: {message}")
        self.place = place


class UnknownName(CryptostitchError):
    """There is no stream, kernel, suite or ISA of that name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        known = sorted(known)
        near = nearest(name, known)
        hint = (
            f"; nearest: {', '.join(near)}"
            if near
            else f"; there are {', '.join(known)}"
            if len(known) <= FEW
            else "; `cryptostitch list` shows what there is"
        )
        super().__init__(f"no {kind} named '{name}'{hint}")


class RowError(CryptostitchError, ValueError):
    """A row of the catalogue that the library would refuse."""


class DoesNotFit(CryptostitchError):
    """The registers of an instruction set do not hold what was asked for."""


def nearest(name: str, known: Iterable[str], count: int = 3, cutoff: float = 0.4) -> list[str]:
    """``cutoff``: 0 to 1, how near a name must be."""
    return difflib.get_close_matches(name, sorted(known), n=count, cutoff=cutoff)
