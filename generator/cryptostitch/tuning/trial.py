"""One pairing tried out: proved right, assembled on this machine, and timed against its parts alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..binding.runtime import RawKernel
from ..core.errors import CryptostitchError, DoesNotFit
from ..core.ir import Mem
from ..core.kernel import Kernel
from ..core.names import StreamName, kernel_name
from ..core.program import Part, Recipe
from ..core.registers import BindError
from ..pipeline import Generator
from .apart import Apart, cycles_of, plain_name
from .measure import TOO_NOISY, Cost, Laboratory, pinned

TRIES = 3  # measurements of figures that cannot be
HANDED_OVER = 0.25  # of a part's cycles, which a hand-over may save it
Progress = Callable[[int, int, str], None]


def proved(generator: Generator, recipe: Recipe) -> Kernel:
    """The framed kernel, after every check of passes/verify. Raises VerifyError, or DoesNotFit when the registers are
    too few."""
    try:
        return generator.kernel(recipe)
    except BindError as error:
        raise DoesNotFit(str(error)) from error


def streams_of_parts(recipe: Recipe) -> list[tuple[StreamName, tuple[Part, ...]]]:
    """The parts that the kernel's name lists, each with its groups of streams."""
    found, at = [], 0
    for name in kernel_name(recipe.name)[0]:
        end, lanes = at, 0
        while lanes < name.lanes:
            lanes += recipe.parts[end].program.contract.lanes
            end += 1
        found.append((name, recipe.parts[at:end]))
        at = end
    return found


def alone(generator: Generator, recipe: Recipe) -> list[Recipe]:
    """Returns each part of the recipe as a kernel of its own with all registers, reading and writing plain memory."""
    return [
        generator.stitch([(replace(name, hand=False), streams[0].program.isa)])
        for name, streams in streams_of_parts(recipe)
    ]


class NoHandOver(CryptostitchError):
    """Streams that cannot hand blocks over as they were asked to."""


def check_hand_over(recipe: Recipe) -> None:
    """Raises NoHandOver unless every reader of a hand-over buffer is one iteration behind a writer of one."""
    parts = kernel_name(recipe.name)[0]
    writers = [p for p in recipe.parts if p.program.contract.has("hand")]
    readers = [p for p in recipe.parts if p.program.contract.has("from")]
    if len(writers) != len(readers) and all(p.hand for p in parts):
        raise NoHandOver(
            f"{recipe.name}: {parts[-1] if writers else parts[0]} has no text with the hand-over for this instruction "
            "set and these lanes: leave _hand out on both parts"
        )
    if len(writers) != len(readers):
        raise NoHandOver(
            f"{recipe.name}: the hand-over needs _hand on both parts: "
            f"{'+'.join(str(replace(p, hand=True)) for p in parts)}"
        )
    if any(r.lag != w.lag + 1 or r.ratio != w.ratio for w, r in zip(writers, readers)):
        raise NoHandOver(
            f"{recipe.name}: with _hand the second part runs at the first one's ratio, one iteration behind it: --lag "
            "0:1"
        )


@dataclass(frozen=True)
class Trial:
    """The measured cost of a pairing. Cycles are of the core, per iteration of the woven kernel (all lanes); ``bytes``
    of the message go through its first part in one. ``apart``: the same of the fastest kernel of each part's algorithm,
    which may be the part; empty where nobody asked. ``doubt``: what was seen that cannot be, so that no ratio is to be
    made of the figures; empty on a quiet machine."""

    recipe: Recipe
    kernel: Kernel
    assembled: RawKernel
    # each part alone: name, cycles for what it does in one iteration of the woven kernel
    parts: tuple[tuple[str, float], ...]
    woven: Cost
    bytes: int
    ghz: float
    cpu: str
    doubt: str = ""
    apart: tuple[tuple[str, float], ...] = ()

    @property
    def sum(self) -> float:
        return sum(cycles for _, cycles in self.parts)

    @property
    def larger(self) -> float:
        return max(cycles for _, cycles in self.parts)

    @property
    def speedup(self) -> float:
        """Over running the parts, the same streams, one after the other. It means nothing where there is a
        ``doubt``."""
        return self.sum / self.woven.per_iteration

    @property
    def best_apart(self) -> float:
        """Cycles of the fastest kernels of the parts' algorithms one after the other; of the parts where none were
        asked for."""
        return sum(cycles for _, cycles in self.apart or self.parts)

    @property
    def gain(self) -> float:
        """Over what would run without the woven kernel. It means nothing where there is a ``doubt``."""
        return self.best_apart / self.woven.per_iteration

    def per_byte(self, cycles: float) -> float:
        return cycles / self.bytes

    def data(self) -> dict:
        """Everything as JSON."""
        loop = [i.ins for i in self.kernel.items if i.section == "loop" and i.ins is not None]
        programs = {p.program.name: p for p in self.recipe.parts}
        return {
            "kernel": self.recipe.name,
            "target": self.recipe.target,
            "strategy": self.recipe.strategy,
            "cpu": self.cpu,
            "ghz": round(self.ghz, 3),
            "streams": [
                {
                    "program": name,
                    "ratio": p.ratio,
                    "lead": p.lead,
                    "lag": p.lag,
                    "vectors": p.program.window.vectors,
                    "generals": p.program.window.generals,
                }
                for name, p in programs.items()
            ],
            "verified": ["values", "bounds", "secrets", "weave"],
            "loop_instructions": len(loop),
            "loop_memory_operands": sum(isinstance(o, Mem) for i in loop for o in i.operands),
            "code_bytes": len(self.assembled.code),
            "assembled_us": round(self.assembled.assembled_ns / 1000, 1),
            "bytes_per_iteration": self.bytes,
            "cycles_per_iteration": {
                "parts": {n: round(c, 1) for n, c in self.parts},
                "sum": round(self.sum, 1),
                "larger": round(self.larger, 1),
                "apart": {n: round(c, 1) for n, c in self.apart},
                "best_apart": round(self.best_apart, 1),
                "woven": round(self.woven.per_iteration, 1),
                "woven_per_call": round(self.woven.per_call, 1),
            },
            "cycles_per_byte": {
                "parts": {n: round(self.per_byte(c), 4) for n, c in self.parts},
                "sum": round(self.per_byte(self.sum), 4),
                "larger": round(self.per_byte(self.larger), 4),
                "best_apart": round(self.per_byte(self.best_apart), 4),
                "woven": round(self.per_byte(self.woven.per_iteration), 4),
            },
            "speedup": None if self.doubt else round(self.speedup, 3),
            "gain": None if self.doubt or not self.apart else round(self.gain, 3),
            "disturbed": self.doubt or None,
            "spread": round(self.woven.spread, 4),
        }


def trial(
    generator: Generator,
    recipe: Recipe,
    *,
    iterations: int | None = None,
    seconds: float = 1.0,
    progress: Progress = lambda *_: None,
    apart: Apart | None = None,
) -> Trial:
    """Proves the recipe, assembles it through the C library, and times it in turn with its parts alone for about
    ``seconds``.

    ``iterations`` per call (default: 16 KiB per lane). ``apart`` finds the kernels that would run without the woven
    one, which are then timed beside it. Figures that cannot be are measured again, TRIES times at most.
    Raises CryptostitchError (VerifyError, DoesNotFit, MeasureError) and RuntimeFailure.
    """
    check_hand_over(recipe)
    progress(1, 4, f"verifying {recipe.name}")
    kernel = proved(generator, recipe)
    progress(2, 4, "compiling the parts alone")
    singles, named = alone(generator, recipe), streams_of_parts(recipe)
    first = sum(p.program.contract.lanes * p.program.contract.bytes * p.ratio for p in named[0][1])
    with pinned():
        laboratory = Laboratory()
        woven = laboratory.add(generator, recipe, iterations)
        setups = [laboratory.add(generator, single, iterations) for single in singles]
        others = [apart.fastest(laboratory, *part) if apart else None for part in named]
        rivals = [other for other in others if other]
        ratios = [streams[0].ratio for _, streams in named]
        before: list[float] = []
        for n in range(TRIES):
            progress(3, 4, f"measuring {recipe.name}" + (" again" if n else ""))
            costs = laboratory.measure([woven, *setups, *rivals], seconds)
            parts = [(single.name, cost.per_iteration * r) for single, cost, r in zip(singles, costs[1:], ratios)]
            beside = dict(zip(map(id, rivals), costs[1 + len(singles) :]))
            noise = max(cost.noise for cost in costs)
            found = [costs[0].per_iteration, *(cycles for _, cycles in parts)]
            timed = [recipe.name, *(name for name, _ in parts), *(plain_name(rival) for rival in rivals)]
            named_costs = zip(timed, costs)
            doubt = next((f"{name}: {cost.doubt}" for name, cost in named_costs if cost.doubt), "")
            doubt = doubt or impossible(found[0], found[1:], noise, named[0][0].hand)
            # a woven kernel that is slower than its parts is believed when it is so again
            slower = found[0] > sum(found[1:])
            if not doubt or (slower and before and all(abs(a / b - 1) <= noise for a, b in zip(found, before))):
                doubt = ""
                break
            before = found if slower and noise <= TOO_NOISY else []
    return Trial(
        recipe,
        kernel,
        woven.kernel,
        tuple(parts),
        costs[0],
        round(first * generator.message_share(recipe)),
        laboratory.ghz(),
        laboratory.context.cpu()["brand"].strip(),
        doubt,
        tuple(
            min(
                part,
                (plain_name(other), cycles_of(other, beside[id(other)].per_iteration, streams)),
                key=lambda p: p[1],
            )
            if other
            else part
            for part, other, (_, streams) in zip(parts, others, named)
        )
        if apart
        else (),
    )


def impossible(woven: float, parts: Sequence[float], noise: float, hand: bool) -> str:
    """Why these cycles cannot all be right, within the noise; empty where they can."""
    # a reader of the hand-over buffer saves what fetching its input costs it alone
    least = max(parts) * (1 - HANDED_OVER * hand)
    if woven < least * (1 - noise):
        return f"woven {woven:.1f} cycles, less than its larger part alone ({max(parts):.1f}), which cannot be"
    if woven > sum(parts) * (1 + noise):
        return f"woven {woven:.1f} cycles, more than its parts one after the other ({sum(parts):.1f})"
    return ""
