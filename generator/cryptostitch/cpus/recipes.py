"""Recipes: ways to weave two streams, as files of `cryptostitch tune`; those that are shipped, by microarchitecture,
become kernels of the default pack."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import CryptostitchError
from ..core.isa import ISAS
from ..core.names import StreamName, stream_name, woven_for
from ..passes.weave import STRATEGIES
from . import folder

FORMAT = "cryptostitch recipe 1"


@dataclass(frozen=True)
class WeaveSettings:
    """One way to weave. ``budgets``: vector registers (scalar parts: general ones) of one stream of each part; the
    other tuples as in Generator.stitch."""

    streams: tuple[str, ...]
    isas: tuple[str, ...]
    budgets: tuple[int, ...]
    ratios: tuple[int, ...]
    leads: tuple[int, ...]
    lags: tuple[int, ...]
    orders: tuple[int, ...]
    strategy: str

    def parts(self) -> list[tuple[StreamName, str]]:
        return [(stream_name(s), isa) for s, isa in zip(self.streams, self.isas)]


def settings_of(data: dict) -> WeaveSettings:
    """Returns the settings that ``asdict`` turned into data. Raises CryptostitchError when it is something else."""
    try:
        lists = {k: tuple(data[k]) for k in ("streams", "isas", "budgets", "ratios", "leads", "lags", "orders")}
        settings = WeaveSettings(**lists, strategy=data["strategy"])
        if (
            len(set(map(len, lists.values()))) != 1
            or settings.strategy not in STRATEGIES
            or any(isa not in ISAS for isa in settings.isas)
        ):
            raise ValueError
        return settings
    except (KeyError, TypeError, ValueError) as error:
        raise CryptostitchError("a damaged recipe: write it anew with `cryptostitch tune`") from error


def recipe_data(path: Path) -> dict:
    """Reads a recipe file, and returns its data; the member `recipe` is for ``settings_of``. Raises CryptostitchError
    when the file is something else."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise CryptostitchError(
            f"{path}: not a recipe; `cryptostitch tune A B --isa ISA -o FILE` writes one"
        ) from error
    if (
        not isinstance(data, dict)
        or data.get("format") != FORMAT
        or not isinstance(data.get("tried"), dict)
        or "recipe" not in data
        or "kernel" not in data
    ):
        raise CryptostitchError(f"{path}: not a recipe; `cryptostitch tune A B --isa ISA -o FILE` writes one")
    return data


@functools.cache
def shipped() -> dict[str, WeaveSettings]:
    """The recipes of this project by the names that their kernels have in the default pack: the kernel's, ``~``, the
    microarchitecture."""
    found = {}
    for cpu in folder.shipped().values():
        for path in cpu.recipes():
            data = recipe_data(path)
            found[woven_for(data["kernel"], cpu.name)] = settings_of(data["recipe"])
    return found
