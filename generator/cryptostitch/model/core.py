"""What is known of a core beside what its instructions cost: window, schedulers, and which pipes make up its resources.
Part of the instruction table's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .forms import Form

VECTOR = "vector"
USUAL_WINDOW = 224


@dataclass(frozen=True)
class Scheduler:
    """``entries`` wait for their operands and for one of ``pipes``."""

    entries: int
    pipes: tuple[int, ...]


@dataclass(frozen=True)
class Core:
    """``window``: instructions between dispatch and retirement. The rest is of the vector unit, where it is known:
    ``schedulers``; ``queue``, from which they are filled in order; ``registers`` for results in the window; ``pipes``
    of resources, those of "vector" being all."""

    window: int = USUAL_WINDOW
    queue: int = 0
    registers: int = 0
    schedulers: tuple[Scheduler, ...] = ()
    pipes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    source: str = ""

    @property
    def all_pipes(self) -> tuple[int, ...]:
        return tuple(sorted(p for s in self.schedulers for p in s.pipes))

    def data(self) -> dict:
        """Returns the figures as JSON, without those that are not known."""
        schedulers = [{"entries": s.entries, "pipes": list(s.pipes)} for s in self.schedulers]
        found = {
            "source": self.source,
            "window": self.window,
            "queue": self.queue,
            "registers": self.registers,
            "schedulers": schedulers,
            "pipes": {name: list(pipes) for name, pipes in self.pipes.items()},
        }
        return {k: v for k, v in found.items() if v}


def core_of(data: Mapping) -> Core:
    """Returns the core that ``Core.data`` turned into data."""
    schedulers = tuple(Scheduler(s["entries"], tuple(s["pipes"])) for s in data.get("schedulers", ()))
    return Core(
        data.get("window", USUAL_WINDOW),
        data.get("queue", 0),
        data.get("registers", 0),
        schedulers,
        {name: tuple(pipes) for name, pipes in data.get("pipes", {}).items()},
        data.get("source", ""),
    )


@dataclass(frozen=True)
class MicroOp:
    """Keeps one of ``pipes`` busy for ``cycles`` cycles. ``resource``: what it waits for."""

    pipes: tuple[int, ...]
    cycles: int
    resource: str


def micro_ops(form: Form, uses: Mapping[str, float], core: Core) -> list[MicroOp]:
    """Returns the vector unit's micro-operations of an instruction; empty where nothing is known of its pipes.

    An instruction on vectors of 512 bits keeps a pipe for two turns. It is confined to the pipes of a resource of which
    it takes no less than a whole pipe for a turn. One that is confined by several runs on the pipes that they share; of
    several micro-operations each resource has one, and what is left runs anywhere."""
    every = core.all_pipes
    if not every or not uses.get(VECTOR):
        return []
    turn = 2 if "zmm" in form.operands else 1
    count = max(1, round(uses[VECTOR] * len(every) / turn))
    taken = {name: round(uses.get(name, 0.0) * len(pipes)) for name, pipes in core.pipes.items()}
    confined = sorted((len(core.pipes[name]), name) for name in taken if taken[name] >= turn)
    if count == 1 and confined:
        shared = set(every).intersection(*(core.pipes[name] for _, name in confined))
        return [
            MicroOp(
                tuple(sorted(shared)) or core.pipes[confined[0][1]],
                max(taken[name] for _, name in confined),
                confined[0][1],
            )
        ]
    ops = [MicroOp(core.pipes[name], turn, name) for _, name in confined[:count]]
    rest = round(uses[VECTOR] * len(every)) - turn * len(ops)
    return ops + [MicroOp(every, min(turn, rest - at), VECTOR) for at in range(0, rest, turn)]
