"""The pairs that bursts would run on this CPU, and better weaves for them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..binding import runtime
from ..binding.runtime import Context
from ..core.errors import DoesNotFit
from ..core.names import WEAVE
from ..cpus.recipes import recipe_data, settings_of
from ..listing import Catalogue
from ..passes.verify import VerifyError
from ..tuning.measure import Cost, Laboratory, pinned, row
from ..tuning.tune import Found, Search, WeaveSettings, default_settings, resumed

SIZES = (1024, 16384)
JOBS = (1, 8, 64)
CONFIRMATIONS = 3
CONFIRM = 1.0  # seconds of each
LASTING = 1.01  # the least gain of a recipe, in every confirmation
Progress = Callable[[float, float, str], None]


def pairs_that_run(context: Context) -> list[str]:
    """Returns the kernels of several streams that the library would choose here for any of its suites, the most often
    chosen first; a tuned weave counts as its pair."""
    found: Counter[str] = Counter()
    for name in context.suites():
        try:
            suite = context.suite(name)
        except runtime.RuntimeFailure as failure:
            if failure.code != runtime.ERR_UNSUPPORTED:
                raise
            continue
        for direction in (runtime.SEAL, runtime.OPEN) if suite.kind >= runtime.CIPHER else (runtime.SEAL,):
            found.update(
                suite.choice(jobs, size, False, direction).kernel.partition(WEAVE)[0] for jobs in JOBS for size in SIZES
            )
    return [name for name, _ in found.most_common() if "+" in name]


@dataclass(frozen=True)
class Outcome:
    """``gains``: of the tuned weave over the default one, in each confirmation; empty where the pair cannot be woven.
    ``recipe``: the file's data, where the gain lasts; then ``tuned`` and ``default`` are rows of a cost table.
    ``unproved``: why weaves were left out that cannot be proved right."""

    gains: tuple[float, ...]
    recipe: dict[str, Any] | None = None
    tuned: list[float] = field(default_factory=list)
    default: list[float] = field(default_factory=list)
    unproved: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        return self.recipe is not None

    @property
    def gain(self) -> float | None:
        """The least."""
        return round(min(self.gains), 4) if self.gains else None

    def note(self) -> dict[str, Any]:
        """Returns the result as the diary and the page have it."""
        return {"kept": self.kept, "gain": self.gain, "unproved": list(self.unproved)}


class Searches:
    """Looks for weaves that are faster than the default ones, one pair at a time.

    ``keep``: a folder for what a search has tried, so that it goes on after an interruption."""

    def __init__(self, catalogue: Catalogue, keep: Path):
        self.catalogue, self.keep = catalogue, keep
        self.parts = {name: parts for name, _, _, parts, _ in catalogue.default_kernels()}

    def start(self, pair: str) -> WeaveSettings | None:
        """The default weave; None where the catalogue has no such pair, or its registers do not fit. Raises
        VerifyError."""
        parts = self.parts.get(pair)
        if parts is None:
            return None
        return default_settings(self.catalogue, [name for name, _ in parts], [isa for _, isa in parts])

    def run(self, pair: str, start: WeaveSettings, seconds: float, recipe: Path, progress: Progress) -> Outcome:
        """``recipe``: the one that the CPU has so far; where there is one, the search begins there. ``seconds``: for
        the search and its confirmation."""
        seconds = max(0.1, seconds - CONFIRMATIONS * CONFIRM)
        if recipe.exists():
            start = settings_of(recipe_data(recipe)["recipe"])
        search = Search(self.catalogue, start, free=False)
        tried = self.keep / f"{pair}.json"
        if tried.exists():
            resumed(tried, search)
        try:
            found = search.run(seconds, lambda spent, cycles, _: progress(spent, seconds, f"{pair} {cycles:.4f} c/B"))
        except DoesNotFit:
            return Outcome(())
        except VerifyError as error:
            return Outcome((), unproved=(error.problems[0],))
        tried.parent.mkdir(parents=True, exist_ok=True)
        tried.write_text(json.dumps(found.data(), indent=1) + "\n", encoding="utf-8")
        outcome = Outcome((1.0,)) if found.best == found.default else self._confirmed(found)
        return replace(outcome, unproved=tuple(found.unproved))

    def _confirmed(self, found: Found) -> Outcome:
        costs = [self._timed(found) for _ in range(CONFIRMATIONS)]
        gains = [plain.per_iteration / tuned.per_iteration for tuned, plain in costs]
        if min(gains) <= LASTING:
            return Outcome(tuple(gains))
        middle = sorted(gains)[len(gains) // 2]
        tuned, plain = costs[gains.index(middle)]
        data = found.data()
        del data["unproved"]
        cycles = data["default_cycles_per_byte"] / middle
        recipe = data | {"cycles_per_byte": round(cycles, 4), "gain": round(middle, 4), "tried": {}}
        return Outcome(tuple(gains), recipe, row(tuned), row(plain))

    def _timed(self, found: Found) -> tuple[Cost, Cost]:
        """Tuned and default weave in turn, in memory of their own."""
        with pinned():
            laboratory = Laboratory()
            setups = [
                laboratory.add(self.catalogue, self.catalogue.stitch_as(settings))
                for settings in (found.best, found.default)
            ]
            tuned, plain = laboratory.measure(setups, CONFIRM)
        return tuned, plain
