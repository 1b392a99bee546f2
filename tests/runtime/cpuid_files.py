"""expected.txt of cpuid/."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "cpuid"
DUMPS, EXPECTED = FOLDER / "leaves.txt", FOLDER / "expected.txt"


@dataclass(frozen=True)
class Expected:
    family: str
    model: str
    name: str
    registers: str
    tier: str
    features: tuple[str, ...]


def lines(word: str) -> list[list[str]]:
    return [words[1:] for words in (line.split() for line in EXPECTED.read_text().splitlines()) if words[:1] == [word]]


def expectations() -> dict[str, Expected]:
    """Returns the expectations by CPU."""
    return {words[0]: Expected(*words[1:6], tuple(words[6:])) for words in lines("cpu")}


def tiers() -> dict[str, list[set[str]]]:
    """Returns, by tier, the targets that are right for each column."""
    return {tier: [set(column.split("|")) for column in columns] for tier, *columns in lines("tier")}
