"""The whole measurement: every form that this CPU has, against every resource that it may need."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from ..core.instructions import features_of
from ..core.ir import Ins
from ..core.program import Recipe
from ..model.forms import REGISTER_BITS, Form, all_forms
from ..model.table import Row, Table
from ..tuning.measure import pinned
from . import bodies
from .bench import Bench
from .resources import UNIONS, VECTOR, Resource, candidates, resources, union_name

Progress = Callable[[int, int, str], None]
COPIES = 24  # of the throughput and latency loops
LOADS = 25  # of the chain of loads
BUSY = 24.0  # cycles per iteration for which a loop keeps its resource busy
# cycles that the tried copies would need by themselves: few enough to run beside any resource that they do not need
ADDED = 6.0
GRID = 12  # figures are multiples of 1/12 cycle, where they are within NEAR of one
NEAR = 0.025
INFINITE = float("inf")
CONFIRMED = 2  # timings of a figure that is above what was expected
RETAKES = 5  # of a figure that cannot be right
SLACK = 0.15  # of a turn
WARMING = 8  # timings of a loop, of which the least counts: wide multipliers reach their full speed only after some
ABOVE = 0.2  # a latency so little above a whole number is that number, and now and then a turn lost
APART, SAME = 1.15, 1.85  # two resources kept busy at once, against one: between these they overlap in part
FORWARDED = (
    ("r32", "mov", "mov"),
    ("r64", "mov", "mov"),
    ("xmm", "movdqu", "movdqu"),
    ("ymm", "vmovdqu", "vmovdqu"),
    ("zmm", "vmovdqu64", "vmovdqu64"),
)
FETCHED = (500, 1000, 2000, 4000, 6000, 8000, 12000, 16000)  # register moves in a loop
FETCHED_BYTES = (16000, 24000, 32000, 40000, 64000)
LONG_MOVES = (("vmovdqa64 zmm zmm", 6), ("movdqa xmm xmm", 4))  # with their bytes
BASIS = (
    "loops of copies of one instruction, chained and independent, and mixed with instructions that keep a resource "
    "busy; "
    "the least of short samples against a chain of additions, rounded to twelfths of a cycle where they are near one"
)


def on_grid(value: float) -> float | None:
    """The multiple of 1/12 that ``value`` is near, if there is one."""
    nearest = round(value * GRID) / GRID
    return nearest if abs(value - nearest) <= max(NEAR, 0.012 * value) else None


class Probe:
    """``forms``: what to measure (default: all that the instruction rows and the CPU have)."""

    def __init__(self, progress: Progress = lambda *_: None, forms: Sequence[Form] | None = None):
        self.bench, self.progress = Bench(), progress
        self.known = {str(f): f for f in all_forms() if features_of(f.row, f.bits) <= set(self.bench.cpu["features"])}
        self.forms = [f for f in (self.known.values() if forms is None else forms) if str(f) in self.known]
        self.resources = resources(self.known)
        self._names = itertools.count()
        self._busy: dict[str, tuple[int, float]] = {}
        self._rates: dict[Form, float] = {}

    def cycles(
        self, body: Sequence[Ins], forms: Sequence[Form], guess: float, enter: Sequence[Ins] = ()
    ) -> Callable[[], float]:
        """A function that measures one iteration of this body."""
        made = self._recipe(body, forms, enter)
        self.bench.load([made])
        return self.bench.timer(made.name, guess)

    def _recipe(self, body: Sequence[Ins], forms: Sequence[Form], enter: Sequence[Ins]) -> Recipe:
        return bodies.recipe(f"probe_{next(self._names)}", body, forms, enter)

    # ---- single forms

    def throughput(self, form: Form) -> float:
        return self._settled(self.cycles(bodies.mixture([(form, COPIES)]), [form], COPIES), COPIES)

    def latencies(self, form: Form) -> tuple[float | None, ...]:
        """Cycles from each register operand that is read to the register that is written; None for other operands."""
        return tuple(self._latency(form, i) for i in range(len(form.operands)))

    def _latency(self, form: Form, operand: int) -> float | None:
        target, kind = form.operands[0], form.operands[operand]
        if not form.row.operands[operand].reads or kind not in REGISTER_BITS or target not in REGISTER_BITS:
            return None
        if bodies.register_class(kind) == bodies.register_class(target):
            found = self._settled(self.cycles(bodies.chain(form, operand, COPIES), [form], 2 * COPIES), COPIES)
            if found < 0.5:  # a move that only renames its register: what was measured is dispatch
                return 0
            return int(found) if found % 1 <= ABOVE else found
        back = self.known["pextrd r32 xmm i" if target.endswith("mm") else "movd xmm r32"]
        both = self._settled(
            self.cycles(bodies.round_trip(form, back, operand, COPIES // 2), [form, back], 4 * COPIES), COPIES // 2
        )
        return both / 2

    # ---- resources

    def busy(self, resource: Resource) -> tuple[int, float]:
        """(copies of the resource's instruction that keep it busy for BUSY cycles, cycles that this takes)."""
        if resource.name not in self._busy:
            copies = max(1, round(BUSY / self._rates[resource.form]))
            time = self.cycles(bodies.mixture([(resource.form, copies)]), [resource.form], BUSY)
            self._busy[resource.name] = copies, min(time() for _ in range(4))
        return self._busy[resource.name]

    def use(self, form: Form, resource: Resource, expected: float) -> float:
        """Cycles by which a copy of the form lengthens a loop that keeps the resource busy: at most what it takes
        alone.

        It is a whole number of the turns that the resource's own instruction takes: what is less comes of a unit chosen
        badly where another was free. More than ``expected`` is taken again before it is believed."""
        rate = self._rates[form]
        many, base = self.busy(resource)
        copies = max(1, min(16, round(ADDED / rate)))
        time = self.cycles(bodies.mixture([(resource.form, many), (form, copies)]), [form, resource.form], BUSY + ADDED)
        found = min(self._settled(time, copies, base, expected, rate), rate)
        one = self._rates[resource.form]
        return min(rate, one * max(0, int(found / one + SLACK)))

    def union(self, a: Resource, b: Resource) -> float | None:
        """Cycles that a copy takes of what belongs to one of two resources or to both, when they overlap in part; None
        when they are apart or the same."""
        (n, first), (m, second) = self.busy(a), self.busy(b)
        time = self.cycles(bodies.mixture([(a.form, n), (b.form, m)]), [a.form, b.form], 1.5 * BUSY)
        ratio = min(time() for _ in range(4)) / max(first, second)
        return on_grid(ratio * BUSY / (n + m)) if APART < ratio < SAME else None

    @staticmethod
    def _settled(
        time: Callable[[], float], copies: int, base: float = 0.0, expected: float = INFINITE, most: float = INFINITE
    ) -> float:
        """(time - base) / copies, taken again while it is off the grid, above ``expected`` and not confirmed, or above
        ``most``."""
        samples = [time()]
        while len(samples) <= RETAKES:
            value = on_grid((min(samples) - base) / copies)
            if value is not None and (value <= min(expected, most) or (len(samples) > CONFIRMED and value <= most)):
                return value
            samples.append(time())
        value = (min(samples) - base) / copies
        near = on_grid(value)
        return near if near is not None else round(value, 2)

    # ---- everything

    def table(self) -> Table:
        steps, done = 2 * len(self.forms), 0

        def step(name: str) -> None:
            nonlocal done
            done += 1
            self.progress(done, steps, name)

        for form in {*self.forms, *(r.form for r in self.resources)}:
            step(str(form))
            self._rates[form] = self.throughput(form)
        for form in {r.form for r in self.resources}:  # what everything else is counted in
            self._rates[form] = min([self._rates[form], *(self.throughput(form) for _ in range(4))])
        unions = self._unions()
        rows: dict[Form, Row] = {}
        for form in sorted(self.forms, key=lambda f: f.memory is not None):
            step(str(form))
            plain = form.in_registers()
            same = rows.get(plain) if plain else None
            rows[form] = Row(
                str(form), self.latencies(form), self._rates[form], self._uses(form, unions, same.uses if same else {})
            )
        forward = {
            kind: self._forward(kind, store, load)
            for kind, store, load in FORWARDED
            if self._has(f"{load} {kind} m{REGISTER_BITS[kind]}")
        }
        load = self._load()
        cpu, fetch = self.bench.cpu, tuple((size, self._fetch("mov r64 r64", size)) for size in FETCHED)
        fetch_bytes = tuple((size, self._fetch_bytes(size)) for size in FETCHED_BYTES)
        saturators = {r.name: str(r.form) for r in self.resources} | {
            union_name(*pair): " and ".join(pair) for pair in unions
        }
        return Table(
            cpu["microarchitecture"],
            cpu["brand"].strip(),
            BASIS,
            saturators,
            load,
            forward,
            fetch,
            fetch_bytes,
            {str(f): rows[f] for f in sorted(rows)},
        )

    def _load(self) -> float:
        """Cycles from an address to what is there: those of a chain without its AND and its addition, a cycle each."""
        enter, body = bodies.load_chain(LOADS)
        forms = [self.known[name] for name in ("and r64 i", "add r64 r64", "mov r64 m64")]
        return self._settled(self.cycles(body, forms, 7 * LOADS, enter), LOADS) - 2

    def _unions(self) -> dict[tuple[str, str], float]:
        named = {r.name: r for r in self.resources}
        pairs = [(a, b) for a, b in UNIONS if a in named and b in named]
        return {(a, b): use for a, b in pairs if (use := self.union(named[a], named[b]))}

    def _uses(
        self, form: Form, unions: dict[tuple[str, str], float], in_registers: dict[str, float]
    ) -> dict[str, float]:
        """``in_registers``: the uses of the same form with a register for its memory operand, which are the least to be
        expected."""
        tried = candidates(form)
        uses = {
            r.name: use
            for r in self.resources
            if r.name in tried and (use := self.use(form, r, in_registers.get(r.name, 0.0)))
        }
        # two halves alike: both need a group, or none
        if self._turns("dispatch", uses) == 1 and self._turns("vector", uses) == 2:
            uses = {
                name: use
                for name, use in uses.items()
                if name not in VECTOR or self._turns(name, uses) > 1 or self._one(name) >= 1
            }
        # with its load, one instruction executes as it does on registers
        if form.loads and in_registers.get("dispatch") == uses.get("dispatch"):
            uses = {
                name: min(use, in_registers.get(name, 0.0)) if name in VECTOR else use for name, use in uses.items()
            }
            uses = {name: use for name, use in uses.items() if use}
        # as many copies of the resource's own instruction as would need it for as long
        for pair, one in unions.items():
            copies = max(
                (uses.get(r.name, 0.0) / self._rates[r.form] for r in self.resources if r.name in pair), default=0.0
            )
            if copies:
                uses[union_name(*pair)] = one * copies
        return uses

    def _one(self, name: str) -> float:
        """Cycles of a turn of the resource."""
        return next(self._rates[r.form] for r in self.resources if r.name == name)

    def _turns(self, name: str, uses: dict[str, float]) -> int:
        return round(uses.get(name, 0.0) / self._one(name)) if any(r.name == name for r in self.resources) else 0

    def _forward(self, kind: str, store: str, load: str) -> float:
        bits = REGISTER_BITS[kind]
        forms = self.known[f"{store} m{bits} {kind}"], self.known[f"{load} {kind} m{bits}"]
        return self._settled(self.cycles(bodies.through_memory(*forms, 8), forms, 80), 8)

    def _fetch(self, move: str, size: int) -> float:
        form = self.known[move]
        return self._settled(self.cycles(bodies.mixture([(form, size)]), [form], size / 4), size)

    def _fetch_bytes(self, size: int) -> float:
        """Cycles of a byte of code where they are more than what dispatching the long moves takes, else 0."""
        move, length = next((move, length) for move, length in LONG_MOVES if self._has(move))
        each = self._fetch(move, size // length)
        return round(each / length, 4) if each > 1.1 * self._rates[self.resources[0].form] else 0.0

    def _has(self, name: str) -> bool:
        return name in self.known


def without_dependences(forms: Sequence[Form]) -> float:
    """Core cycles of one iteration of a loop of these forms in this order, where no instruction waits for another one's
    result: what remains is waiting for units, as this CPU hands them out. Raises MeasureError where code cannot be
    assembled, RuntimeFailure where the CPU lacks a form."""
    with pinned():
        bench = Bench()
        bench.load([bodies.recipe("independent", bodies.independent(forms), list(dict.fromkeys(forms)))])
        timer = bench.timer("independent", len(forms) / 2)
        return min(timer() for _ in range(WARMING))


def probe(progress: Progress = lambda *_: None, forms: Sequence[Form] | None = None) -> Table:
    """The instruction table of this CPU. Raises MeasureError where code cannot be assembled."""
    with pinned():
        return Probe(progress, forms).table()
