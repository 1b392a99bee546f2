"""Recipes: ways to weave two streams, as files of `cryptostitch tune`; those that are shipped, by microarchitecture, become kernels of the default pack."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import CryptostitchError
from .isa import ISAS
from .names import StreamName, kernel_name, stream_name, woven_for
from .passes.weave import STRATEGIES
from .program import Recipe

if TYPE_CHECKING:
    from .pipeline import Generator

FORMAT = "cryptostitch recipe 1"
FOLDER = Path(__file__).resolve().parent / "recipes"


@dataclass(frozen=True)
class Choice:
    """One way to weave. ``budgets``: vector registers (scalar parts: general ones) of one stream of each part; the other tuples as in Generator.stitch."""

    streams: tuple[str, ...]
    isas: tuple[str, ...]
    budgets: tuple[int, ...]
    ratios: tuple[int, ...]
    leads: tuple[int, ...]
    lags: tuple[int, ...]
    orders: tuple[int, ...]
    strategy: str

    def recipe(self, generator: Generator) -> Recipe:
        """Raises DoesNotFit."""
        return generator.stitch(self.parts(), ratios=self.ratios, leads=self.leads, lags=self.lags, budgets=self.budgets, orders=self.orders, strategy=self.strategy)

    def parts(self) -> list[tuple[StreamName, str]]:
        return [(stream_name(s), isa) for s, isa in zip(self.streams, self.isas)]


def choice_of(data: dict) -> Choice:
    """What ``asdict`` made of a choice. Raises CryptostitchError when it is something else."""
    try:
        lists = {k: tuple(data[k]) for k in ("streams", "isas", "budgets", "ratios", "leads", "lags", "orders")}
        choice = Choice(**lists, strategy=data["strategy"])
        if len(set(map(len, lists.values()))) != 1 or choice.strategy not in STRATEGIES or any(isa not in ISAS for isa in choice.isas):
            raise ValueError
        return choice
    except (KeyError, TypeError, ValueError) as error:
        raise CryptostitchError("a damaged recipe: write it anew with `cryptostitch tune`") from error


def recipe_data(path: Path) -> dict:
    """What a recipe file holds: its `recipe` for ``choice_of``. Raises CryptostitchError when the file is something else."""
    try:
        data = json.loads(path.read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise CryptostitchError(f"{path}: not a recipe; `cryptostitch tune A B --isa ISA -o FILE` writes one") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("tried"), dict) or "recipe" not in data or "kernel" not in data:
        raise CryptostitchError(f"{path}: not a recipe; `cryptostitch tune A B --isa ISA -o FILE` writes one")
    return data


@functools.cache
def shipped() -> dict[str, Choice]:
    """The recipes of this project by the names that their kernels have in the default pack: the kernel's, ``~``, the microarchitecture."""
    found = {}
    for path in sorted(FOLDER.glob("*/*.json")):
        data = recipe_data(path)
        found[woven_for(data["kernel"], path.parent.name)] = choice_of(data["recipe"])
    return found
