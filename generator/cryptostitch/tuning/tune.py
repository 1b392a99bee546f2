"""A pairing tuned on the machine: a search over what is data (lanes, hand-over, register budgets, order inside the
streams, lead, lag, strategy), each candidate timed.

Descent with random neighbours. A candidate is timed beside the best so far, in turn, so that a change of the clock or a
busy neighbour meets both. Only a candidate whose every proof holds becomes the best.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..binding.runtime import ERR_UNSUPPORTED, RuntimeFailure
from ..core import catalog
from ..core.errors import CryptostitchError, DoesNotFit
from ..core.isa import ISAS
from ..core.kinds import KINDS
from ..core.names import StreamName, stream_name, woven_for
from ..core.program import Recipe
from ..core.registers import SYSV, BindError
from ..cpus.recipes import FORMAT, WeaveSettings, recipe_data, settings_of
from ..passes.bind import bind
from ..passes.verify import VerifyError
from ..passes.weave import STRATEGIES
from ..pipeline import Generator
from .measure import Laboratory, Setup, pinned
from .trial import NoHandOver, check_hand_over, proved

LEAD_STEPS = (-256, -128, -64, -32, 32, 64, 128, 256)
MOST_LEAD, MOST_LAG = 1024, 3
WINDOWS = (0, 4, 8, 16, 24, 32, 48, 64, 128)  # for the order inside a stream
GLANCE, LOOK = 0.012, 0.15  # seconds: to find what may be better, and to believe it
PROMISING, BETTER = 0.998, 0.995
MOST_STEPS, JUMPS = 4, 50  # away from the best, when all its neighbours were timed
FULL = 400  # kernels in one laboratory, before it is left for another
Progress = Callable[[float, float, str], None]


@dataclass(frozen=True)
class Step:
    """A candidate of a search, ``seconds`` after it began. Cycles per byte of the first part: its own (0 where it did
    not fit or cannot run here), and of the best so far. ``became``: the settings, where it became the best."""

    seconds: float
    cycles: float
    best: float
    became: WeaveSettings | None = None


@dataclass
class Found:
    """The result of a search. ``tried``: cycles per byte of every candidate, 0 where it did not fit or is not proved.
    Cycles per byte of the first part. ``default``: the weave that nobody tuned, timed beside ``best``. ``unproved``:
    why candidates were left out that cannot be proved right, a sentence each. ``steps``: this search's candidates in
    the order in which they were timed; ``tried`` has those of earlier searches too."""

    best: WeaveSettings
    best_cycles: float
    default: WeaveSettings
    default_cycles: float
    kernel: str
    cpu: str
    tried: dict[str, float]
    unproved: list[str]
    steps: list[Step]

    @property
    def gain(self) -> float:
        return self.default_cycles / self.best_cycles

    def data(self) -> dict:
        """The recipe file."""
        return {
            "format": FORMAT,
            "kernel": self.kernel,
            "cpu": self.cpu,
            "recipe": asdict(self.best),
            "cycles_per_byte": round(self.best_cycles, 4),
            "default": asdict(self.default),
            "default_cycles_per_byte": round(self.default_cycles, 4),
            "gain": round(self.gain, 4),
            "unproved": self.unproved,
            "tried": self.tried,
        }


def read_recipe(path: Path, generator: Generator) -> Recipe:
    """The kernel of a recipe file, compiled and proved, under the name that the file gives it. Raises
    CryptostitchError."""
    data = recipe_data(path)
    recipe = generator.stitch_as(settings_of(data["recipe"]))
    proved(generator, recipe)
    return replace(recipe, name=data["kernel"])


class Search:
    """A search for the fastest way to stitch streams. ``free``: other lanes, and the hand-over, may be chosen
    too."""

    def __init__(self, generator: Generator, start: WeaveSettings, free: bool, seed: int = 1):
        self.generator, self.start, self.free = generator, start, free
        self.random = random.Random(seed)
        self.tried: dict[str, float] = {}
        self.unproved: list[str] = []
        self.steps: list[Step] = []
        self.laboratory = Laboratory()
        self._added = 0

    # ---- the space

    def neighbours(self, settings: WeaveSettings) -> list[WeaveSettings]:
        """Everything that differs in one respect, in random order."""
        others = range(1, len(settings.streams))
        found = [
            replace(settings, leads=_with(settings.leads, at, lead))
            for at in others
            for step in LEAD_STEPS
            if abs(lead := settings.leads[at] + step) <= MOST_LEAD
        ]
        found += [replace(settings, strategy=s) for s in STRATEGIES if s != settings.strategy]
        found += [
            replace(settings, lags=_with(settings.lags, at, lag))
            for at in others
            if settings.lags[at] and not stream_name(settings.streams[at]).hand
            for lag in range(1, MOST_LAG + 1)
            if lag != settings.lags[at]
        ]
        found += [
            replace(settings, orders=orders)
            for at in range(len(settings.streams))
            for w in WINDOWS
            if (orders := _with(settings.orders, at, w)) != settings.orders
        ]
        found += self._budgets(settings)
        if self.free:
            found += self._lanes(settings)
        self.random.shuffle(found)
        return found

    def untried(self, settings: WeaveSettings) -> list[WeaveSettings]:
        """The neighbours that were not timed yet; when all were, one that is several steps away. Empty: none was
        found."""
        found = [c for c in self.neighbours(settings) if _key(c) not in self.tried]
        for _ in range(JUMPS):
            if found:
                break
            far = settings
            for _ in range(self.random.randint(2, MOST_STEPS)):
                far = self.random.choice(self.neighbours(far))
            found = [far] if _key(far) not in self.tried else []
        return found

    def _budgets(self, settings: WeaveSettings) -> Iterator[WeaveSettings]:
        if any(ISAS[isa].words != "v" for isa in settings.isas):
            return
        parts = range(len(settings.budgets))
        steps = [{at: step} for at in parts for step in (-1, 1)]
        steps += [{a: n, b: -n} for a in parts for b in parts if a != b for n in (1, 2)]
        for step in steps:
            budgets = tuple(budget + step.get(at, 0) for at, budget in enumerate(settings.budgets))
            if min(budgets) > 0:
                yield replace(settings, budgets=budgets)

    def _lanes(self, settings: WeaveSettings) -> Iterator[WeaveSettings]:
        streams = [stream_name(s) for s in settings.streams]
        rows = [self.generator.form(s) for s in streams]
        there = [
            {lanes * n for lanes in form.lanes.get(isa, ()) for n in (1, *form.groups)}
            for (_, form), isa in zip(rows, settings.isas)
        ]
        # without an algorithm that writes, nothing is handed over; a buffer has one reader
        hands = (False, True) if KINDS[rows[0][0].kind].writes and len(streams) == 2 else (False,)
        for lanes in sorted(set.intersection(*there)):
            for hand in hands:
                if hand and not any(isa == settings.isas[0] and lanes % n == 0 for isa, n in catalog.HAND_OVER):
                    continue
                names = [replace(s, lanes=lanes, hand=hand) for s in streams]
                if names != streams:
                    try:
                        made = default_settings(self.generator, names, settings.isas, settings.ratios)
                    except VerifyError as error:
                        self._leave_out(error)
                        continue
                    if made:
                        yield made

    def _leave_out(self, error: VerifyError) -> None:
        if error.problems[0] not in self.unproved:
            self.unproved.append(error.problems[0])

    # ---- timing

    def _setup(self, settings: WeaveSettings, proof: bool) -> Setup | None:
        """The candidate, ready to be timed; None when it does not fit, this CPU has not what it needs, or its streams
        are not proved. Raises VerifyError for a weave that is not, where ``proof`` asks for one."""
        try:
            recipe = self.generator.stitch_as(settings)
        except DoesNotFit:
            return None
        except VerifyError as error:
            if proof:
                raise
            self._leave_out(error)
            return None
        try:
            check_hand_over(recipe)
            bind(recipe.parts, SYSV)
            if proof:
                proved(self.generator, recipe)
            self._added += 1
            return self.laboratory.add(self.generator, recipe)
        except (DoesNotFit, NoHandOver, BindError):
            return None
        except RuntimeFailure as failure:
            if failure.code != ERR_UNSUPPORTED:
                raise
            return None

    def _cycles(self, setups: Sequence[Setup], seconds: float) -> list[float]:
        costs = self.laboratory.measure(setups, seconds, least=5)
        share = self.generator.message_share(self.generator.stitch_as(self.start))
        return [cost.per_iteration / (setup.lanes * setup.bytes * share) for cost, setup in zip(costs, setups)]

    def run(self, seconds: float, progress: Progress = lambda *_: None) -> Found:
        """Searches for about ``seconds``. ``progress(seconds so far, cycles per byte of the best, its kernel)``.

        Raises DoesNotFit or VerifyError where the weave that it starts with cannot be; others are left out."""
        with pinned():
            best, setup = self.start, self._setup(self.start, proof=True)
            if setup is None:
                raise DoesNotFit(
                    f"{'+'.join(self.start.streams)} cannot be stitched on this CPU as it is; `cryptostitch stitch` "
                    "says why"
                )
            (best_cycles,) = self._cycles([setup], LOOK)
            self.tried[_key(best)] = round(best_cycles, 4)
            waiting = self.untried(best)
            begin = time.monotonic()
            self.steps.append(Step(0.0, best_cycles, best_cycles, best))
            while waiting and time.monotonic() - begin < seconds:
                progress(time.monotonic() - begin, best_cycles, setup.kernel.name)
                if self._added > FULL:
                    self.laboratory, self._added = Laboratory(), 0
                    again = self._setup(best, proof=False)
                    assert again is not None  # as it was before
                    setup = again
                candidate = waiting.pop()
                other = self._setup(candidate, proof=False)
                now, its = self._cycles([setup, other], GLANCE) if other else (0.0, 0.0)
                self.tried[_key(candidate)] = round(its, 4)
                if other and its < now * PROMISING:
                    now, its = self._cycles([setup, other], LOOK)
                    if its < now * BETTER and self._is_proved(candidate):
                        best, setup, waiting = candidate, other, []
                became = candidate if best is candidate else None
                # against the best as it was beside the candidate: a slow phase of the machine meets both
                cycles = best_cycles * its / now if other else 0.0
                best_cycles = cycles if became else best_cycles
                self.steps.append(Step(time.monotonic() - begin, cycles, best_cycles, became))
                waiting = waiting or self.untried(best)
            return self._found(best, setup)

    def _is_proved(self, settings: WeaveSettings) -> bool:
        try:
            proved(self.generator, self.generator.stitch_as(settings))
        except VerifyError as error:
            self._leave_out(error)
            return False
        return True

    def _found(self, best: WeaveSettings, setup: Setup) -> Found:
        default = (
            default_settings(
                self.generator, [stream_name(s) for s in self.start.streams], self.start.isas, self.start.ratios
            )
            or self.start
        )
        plain = self._setup(default, proof=False) or setup
        best_cycles, default_cycles = self._cycles([setup, plain], 2 * LOOK)
        if default_cycles <= best_cycles:  # what a busy machine seemed to show
            best, best_cycles = default, default_cycles
        cpu = self.laboratory.context.cpu()["brand"].strip()
        return Found(
            best,
            best_cycles,
            default,
            default_cycles,
            woven_for(self.generator.stitch_as(best).name, "tuned"),
            cpu,
            self.tried,
            self.unproved,
            self.steps,
        )


def default_settings(
    generator: Generator, streams: Sequence[StreamName], isas: Sequence[str], ratios: Sequence[int] | None = None
) -> WeaveSettings | None:
    """Returns the settings that `cryptostitch stitch` uses for the streams; None when their registers do not fit or
    there is no such kernel. Raises VerifyError."""
    parts, ratios = list(zip(streams, isas)), ratios or [1] * len(streams)
    try:
        recipe = generator.stitch(parts, ratios=ratios)
        budgets, orders = generator.budgets(parts), generator.orders(parts)
    except VerifyError:
        raise
    except CryptostitchError:
        return None
    groups = len(recipe.parts) // len(parts)
    return WeaveSettings(
        tuple(map(str, streams)),
        tuple(isas),
        tuple(budgets),
        tuple(ratios),
        (0,) * len(parts),
        tuple(part.lag for part in recipe.parts[::groups]),
        tuple(orders),
        STRATEGIES[0],
    )


def _with(numbers: tuple[int, ...], at: int, number: int) -> tuple[int, ...]:
    return (*numbers[:at], number, *numbers[at + 1 :])


def resumed(path: Path, search: Search) -> None:
    """Goes on where the recipe file's search, for the same algorithms on this CPU, ended. Raises CryptostitchError
    for another."""
    data = recipe_data(path)
    best = settings_of(data["recipe"])
    cpu = search.laboratory.context.cpu()["brand"].strip()
    forms = [[stream_name(s).form for s in settings.streams] for settings in (best, search.start)]
    if forms[0] != forms[1] or best.isas != search.start.isas or data.get("cpu") != cpu:
        raise CryptostitchError(
            f"{path} is the recipe of {data['kernel']} on {data.get('cpu')}: choose another file with -o"
        )
    search.start, search.tried = best, dict(data["tried"])


def _key(settings: WeaveSettings) -> str:
    fields: list[Any] = [
        settings.streams,
        settings.isas,
        settings.budgets,
        settings.ratios,
        settings.leads,
        settings.lags,
        settings.orders,
        settings.strategy,
    ]
    return " ".join(",".join(map(str, f)) if isinstance(f, tuple) else f for f in fields)
