"""Times kernels through the C library, in core cycles.

A kernel works on lanes' own buffers of 16 KiB: a kernel of four lanes goes through four sets of lanes in turn, whose
data a second-level cache has room for, and for the cost of a call through sixteen. The core's clock is measured beside
every sample, with a chain of dependent additions (one core cycle each, whatever the clock does), and the cost of
calling from Python, measured with the same kernel, is taken off. A second chain, of rotates, tells whether a core takes
a cycle for each addition: some fold additions of a constant.
"""

from __future__ import annotations

import ctypes
import fnmatch
import mmap
import os
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ..binding import runtime
from ..binding.cost_file import LEAST_ITERATION
from ..core.contract import (
    AAD,
    AAD_BYTES,
    END_IN,
    END_OUT,
    HEAD_IN,
    HEAD_OUT,
    IV,
    KEY,
    LISTED_TEXTS,
    MOST_LISTED_AAD,
    PHASE,
    POWERS,
    POWERS_END,
    TAG,
    TEXT_BYTES,
    TEXT_OUT,
    TWEAK_KEY,
    mask_field,
)
from ..core.errors import CryptostitchError
from ..core.isa import ISAS
from ..core.program import HASH, Algorithm, Part, Recipe
from ..emit.artefacts import algorithm_records
from ..emit.pack import write_pack
from ..frontend.layout import Layout
from ..frontend.parse import parse
from ..frontend.render import Rendered
from ..passes.allocate import allocate
from ..passes.legalize import legalize
from ..pipeline import Generator
from .message import message_cost

JOBS = 64
# Jobs that are run whole: 512 KiB with outputs. More come from the cache that cores share, and its other users were
# measured too: by tables of five runs on a busy machine 21 of 81 selections were not always the same, with these 9.
NEAR_JOBS = 16
BUFFER = 16384
PITCH = BUFFER + 128  # equal offsets of neighbouring lanes fall into different cache sets
CHAIN_ADDS = 64  # additions, or rotates, per iteration of a clock kernel
LISTED, KEY_OBJECT_BYTES = 16, 2048  # jobs of a list, under a key of at most so many bytes
CLOCK_ITERATIONS = 400  # 25,600 cycles: long against the timer, short against a change of the clock
CLOCK, CLOCK_CHECK = "clock_x1@scalar", "clock_rotates_x1@scalar"
# Additions of a constant are folded by some cores (Golden Cove), those of a register are not.
CHAINS = {CLOCK: "add x:q, x:q, one", CLOCK_CHECK: "rol x:q, x:q, 7"}
CLOCK_NEAR = 0.03  # the two chains agree within this
CLOCK_SAMPLES, CLOCK_RETAKES = 5, 40  # of both, before a disagreement is believed
FEWEST = 5  # undisturbed samples of which a median is believed
NOISE, TOO_NOISY = 0.01, 0.1  # of samples that agree entirely; and what is no measurement, relative
AGAIN = "disturbed: again on a quiet machine"
Progress = Callable[[int, int, str], None]


class MeasureError(CryptostitchError):
    """This machine cannot measure something; the text says what and why."""


# ---- the clock


def clock_recipes() -> tuple[Algorithm, list[Recipe]]:
    """Kernels whose iteration is CHAIN_ADDS dependent steps of each of CHAINS, made by the compiler like any other."""
    return Algorithm("clock", "clock", HASH, 64, 4, 1, 4, False, 8, initial=(0,)), [
        _clock_recipe(kernel, step) for kernel, step in CHAINS.items()
    ]


def _clock_recipe(kernel: str, step: str) -> Recipe:
    layout, name = Layout(ISAS["scalar"], 1, 32), kernel.partition("@")[0]
    layout.words("chain", 1)
    enter = ".enter\nmov x:q, 0\nmov one:q, 1\n"
    text = enter + ".body\n" + f"{step}\n" * CHAIN_ADDS + ".leave\nmov [state.chain+0], x:d\n"
    stream = parse(Rendered(text, layout), ISAS["scalar"], name=name, algorithm="clock", bytes_per_iteration=64)
    return Recipe(kernel, "scalar", (Part(allocate(legalize(stream))),))


def check_clock(additions: Callable[[int], float], rotates: Callable[[int], float]) -> None:
    """Raises MeasureError unless a step of both chains takes equally long. Each argument runs its chain for a number of
    iterations and returns the time.

    What disturbs a sample makes it longer, so the least of a few counts, both chains in turn; and as a neighbour may
    disturb all of one chain's, a disagreement is taken again before it is believed.
    """
    for retake in range(CLOCK_RETAKES):
        time.sleep(retake * 1e-3)
        samples = [(chain(CLOCK_ITERATIONS), chain(1)) for _ in range(CLOCK_SAMPLES) for chain in (additions, rotates)]
        first, second = (
            min(long for long, _ in s) - min(short for _, short in s) for s in (samples[::2], samples[1::2])
        )
        if abs(first - second) <= CLOCK_NEAR * max(first, second):
            return
    raise MeasureError(
        f"the core's clock cannot be told: a chain of additions takes {first / second:.2f} times as long as one of as "
        "many rotates, and each should take a core cycle; nothing was measured. Try again on a quieter machine; if it "
        "stays so, this core folds one of them, and CHAINS in tuning/measure.py needs another"
    )


# ---- memory


class _Memory:
    """Anonymous pages of this process; blocks are handed out and never given back before the whole."""

    def __init__(self, size: int):
        self._map = mmap.mmap(-1, size + 4096)
        self._view = (ctypes.c_char * (size + 4096)).from_buffer(self._map)
        self.address = ctypes.addressof(self._view)
        self._end, self._next = self.address + size + 4096, self.address

    def take(self, size: int, align: int = 64) -> int:
        start = -(-self._next // align) * align
        if start + size > self._end:
            raise MemoryError("out of measuring memory")
        self._next = start + size
        return start

    def fill(self, address: int, data: bytes) -> None:
        ctypes.memmove(address, data, len(data))


def _poke(address: int, value: int, size: int = 8) -> None:
    ctypes.memmove(address, value.to_bytes(size, "little"), size)


class Buffers:
    """JOBS inputs full of arbitrary bytes, and JOBS outputs for every stream that writes."""

    def __init__(self) -> None:
        noise = random.Random(2).randbytes(PITCH)
        self._memory = _Memory(4 * JOBS * PITCH + 4096)
        self.inputs = self._make(noise)
        self._outputs: dict[int, list[int]] = {}

    def _make(self, fill: bytes | None = None) -> list[int]:
        start = self._memory.take(JOBS * PITCH, 4096)
        places = [start + i * PITCH for i in range(JOBS)]
        if fill is not None:
            for place in places:
                self._memory.fill(place, fill)
        return places

    def outputs(self, writer: int) -> list[int]:
        """The outputs of the ``writer``-th algorithm of a kernel that writes."""
        if writer not in self._outputs:
            self._outputs[writer] = self._make()
        return self._outputs[writer]


# ---- a kernel with its state


class Setup:
    """A kernel and a state block for each set of lanes, filled so that it can be called.

    A stream with an output takes the inputs. A stream without one reads what the writing streams before it wrote, lane
    by lane (through memory or through their hand-over buffers); without a lag, or when nobody writes, it takes the
    inputs.
    """

    def __init__(self, kernel: runtime.RawKernel, buffers: Buffers, iterations: int | None = None):
        self.kernel = kernel
        self.bytes = kernel.streams[0].bytes
        self.lanes = sum(s.lanes for s in kernel.streams if s.name == kernel.streams[0].name)
        most = BUFFER // max(s.bytes for s in kernel.streams)
        listed = any(kernel.streams[0].field(name) for name in LISTED_TEXTS)
        self.messages = LISTED if listed else 1
        self.sets, self.near = (max(1, jobs // (self.lanes * self.messages)) for jobs in (JOBS, NEAR_JOBS))
        # A kernel of a list runs its loop anew for each message: ``iterations`` counts what it runs for one. Kernels of
        # short messages have no loop, nor have those of one length.
        counts = listed and kernel.streams[0].field(TEXT_BYTES) is not None
        self.loops = not listed or (counts and "_short" not in kernel.streams[0].name)
        self._text_head = self.bytes if listed and self.loops else 0
        if listed:
            most = most - 2 if self.loops else 0
        self.iterations = iterations or most
        self.few = 0 if listed else kernel.lag + 1
        if self.loops and not kernel.lag + 1 < self.iterations <= most:
            raise MeasureError(
                f"{kernel.name.partition('~')[0]}: with a lag of {kernel.lag} and buffers of {BUFFER} bytes take "
                f"{kernel.lag + 2} to {most} iterations"
            )
        size = sum(s.state_bytes + max(64, s.state_align) for s in kernel.streams)
        if listed:
            size = LISTED * (size + 8 + 64) + KEY_OBJECT_BYTES
        self._memory = _Memory(self.sets * size)
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(kernel.address)
        self._jobs: list[int] = []
        self.states = [self._states(n, buffers) for n in range(self.sets)]
        self._calls: dict[int, list] = {}

    def _states(self, number: int, buffers: Buffers) -> list[int]:
        streams = self.kernel.streams
        if self.messages > 1:
            return [self._list(number, buffers)]
        states = [self._memory.take(s.state_bytes, max(64, s.state_align)) for s in streams]
        lanes: dict[str, int] = {}
        written: list[int] = []
        writers: list[str] = []
        hands = [(states[i], s) for i, s in enumerate(streams) if s.field("hand")]
        readers = 0
        for stream, state in zip(streams, states):
            key, chain, out = stream.field("key"), stream.field("chain"), stream.field("out")
            message = any(stream.field(name) for name in (HEAD_IN, END_IN))
            for field in (chain,) if message else (key, chain):
                if field:
                    self._memory.fill(
                        state + field.offset, random.Random(number).randbytes(field.rows * field.row_bytes)
                    )
            first = number * self.lanes + lanes.get(stream.name, 0)
            lanes[stream.name] = lanes.get(stream.name, 0) + stream.lanes
            mine = [(first + lane) % JOBS for lane in range(stream.lanes)]
            source = (
                [buffers.inputs[j] for j in mine]
                if out or not written or not self.kernel.lag
                else [written[(first - number * self.lanes + lane) % len(written)] for lane in range(stream.lanes)]
            )
            if out:
                if stream.name not in writers:
                    writers.append(stream.name)
                target = [buffers.outputs(writers.index(stream.name))[j] for j in mine]
                written += target
                self._pointers(stream, state, "out", target)
            if stream.field("in"):
                self._pointers(stream, state, "in", source)
            if message:
                self._message(stream, state, source[0], target[0] if out else 0)
            if stream.field("from"):
                if not hands:
                    raise MeasureError(
                        f"{self.kernel.name}: {stream.name} reads a hand-over buffer that no stream of the kernel has"
                    )
                producer, made_by = hands[readers % len(hands)]
                readers += 1
                _poke(state + stream.entry("from"), producer + made_by.entry("hand"))
        return states

    def _list(self, number: int, buffers: Buffers) -> int:
        """Sets up a list of jobs under one key, whose AADs and ends are as long as they can be; the values of keys have
        no influence on time."""
        stream, n = self.kernel.streams[0], LISTED
        key, listed = self._memory.take(KEY_OBJECT_BYTES), self._memory.take(8 * n)
        for i in range(n):
            job, place = self._memory.take(stream.state_bytes), (number * n + i) % JOBS
            source, target = buffers.inputs[place], buffers.outputs(0)[place]
            # A tag in front of the text would hold up the store of the text.
            tag = self._memory.take(16)
            fields = dict.fromkeys((IV, AAD, *LISTED_TEXTS), source) | {TEXT_OUT: target, TAG: tag, KEY: key}
            fields |= {AAD_BYTES: MOST_LISTED_AAD, TEXT_BYTES: self._text_head + self.bytes}
            for name, value in fields.items():
                if stream.field(name):
                    _poke(job + stream.entry(name), value)
            _poke(listed + 8 * i, job)
            self._jobs.append(job)
        return listed

    def _message(self, stream: runtime.RawStream, state: int, source: int, target: int) -> None:
        """Sets up a message in which all of AAD and end is there; the values of AAD, keys and powers have no influence
        on time."""
        for name in (AAD, HEAD_IN, END_IN, KEY, TWEAK_KEY, POWERS, POWERS_END, PHASE):
            if stream.field(name):
                self._pointers(stream, state, name, [source])
        for name in (HEAD_OUT, END_OUT):
            if stream.field(name):
                self._pointers(stream, state, name, [target])
        for name in (AAD, HEAD_IN, END_IN):
            masks = stream.field(mask_field(name))
            if masks:
                self._memory.fill(state + masks.offset, b"\xff" * (masks.rows * masks.row_bytes))

    @staticmethod
    def _pointers(stream: runtime.RawStream, state: int, field: str, targets: Sequence[int]) -> None:
        for lane, target in enumerate(targets):
            _poke(state + stream.entry(field, 0, lane), target)

    def calls(self, iterations: int) -> list:
        """Returns the kernel's arguments, one for each set of lanes; of a list for so many iterations of each message,
        until the next call."""
        for job in self._jobs if self.loops else ():
            _poke(job + self.kernel.streams[0].entry(TEXT_BYTES), self._text_head + self.bytes * (iterations + 1))
        if iterations not in self._calls:
            count = self.messages if self._jobs else iterations
            self._calls[iterations] = [
                runtime.KernelArgs(count, (ctypes.c_void_p * 4)(*states)) for states in self.states
            ]
        return [ctypes.addressof(args) for args in self._calls[iterations]]

    def read(self, number: int, stream: int, field: str, row: int = 0, lane: int = 0) -> bytes:
        """An entry of the state block of a stream, in the ``number``-th set of lanes."""
        of = self.kernel.streams[stream]
        at = self.states[number][stream] + of.entry(field, row, lane)
        info = of.field(field)
        assert info is not None  # else `entry` has raised KeyError
        return ctypes.string_at(at, info.entry_bytes)

    def seconds(self, iterations: int, sets: int | None = None) -> float:
        """Seconds per call, calling from Python included, of one call of each set of lanes, or of so many of them."""
        function, calls = self._function, self.calls(iterations)[:sets]
        start = time.perf_counter_ns()
        for argument in calls:
            function(argument)
        return (time.perf_counter_ns() - start) * 1e-9 / len(calls)


# ---- timing


@dataclass(frozen=True)
class Cost:
    """Core cycles. An iteration is one of the kernel's, all lanes. ``spread``: half the distance of the quartiles of
    ``per_iteration``, relative. ``drift``: the distance between the medians of its first and of its second half, which
    a disturbance as long as half of the measurement makes, relative. ``steady``: samples during which the process kept
    its core and the reference chain before and after them took equally long; the others count only where these are
    fewer than FEWEST."""

    per_iteration: float
    per_call: float
    spread: float = 0.0
    drift: float = 0.0
    steady: int = FEWEST

    @property
    def noise(self) -> float:
        """Returns the relative error of ``per_iteration``, as far as the samples tell."""
        return NOISE + max(self.spread, self.drift)

    @property
    def doubt(self) -> str:
        """Why the figure is not to be believed; empty where it is."""
        if self.steady < FEWEST:
            return f"only {self.steady} samples were not interrupted"
        if self.noise > TOO_NOISY:
            return f"its samples differ by {100 * self.noise:.0f} %"
        return ""


@contextmanager
def pinned() -> Iterator[int]:
    """Keeps this process on one of its cores."""
    before = os.sched_getaffinity(0)
    core = max(before)
    os.sched_setaffinity(0, {core})
    try:
        yield core
    finally:
        os.sched_setaffinity(0, before)


class Laboratory:
    """A context of the library that takes kernels, the buffers, and the clock. Not thread-safe. MeasureError where code
    cannot be assembled, or the clock not be told."""

    def __init__(self) -> None:
        self.context = runtime.Context(runtime.ALLOW_PACKS | runtime.ALLOW_LEGACY)
        cpu = self.context.cpu()
        if not cpu["jit"]:
            raise MeasureError(
                "this system gives no executable memory, so kernels cannot be assembled; nothing was measured"
            )
        self.buffers = Buffers()
        algorithm, recipes = clock_recipes()
        self.context.load_pack(write_pack([algorithm], recipes))
        self._clock, check = (Setup(self.context.kernel(kernel), self.buffers) for kernel in (CLOCK, CLOCK_CHECK))
        for clock in (self._clock, check):
            del clock.states[8:]  # a sample of 55 microseconds
        check_clock(self._clock.seconds, check.seconds)
        self.frequencies: list[float] = []
        self._names = 0

    def add(self, generator: Generator, recipe: Recipe, iterations: int | None = None) -> Setup:
        """Assembles a recipe under a name of its own, so that no kernel of the default pack with the same name is used
        instead."""
        self._names += 1
        recipe = replace(recipe, name=f"{recipe.name}~{self._names}")
        used = {p.program.algorithm for p in recipe.parts}
        records = algorithm_records(a for a in generator.algorithms.values() if a.name in used)
        self.context.load_pack(write_pack(records, [recipe]))
        return self.open(recipe.name, iterations)

    def open(self, name: str, iterations: int | None = None) -> Setup:
        """A kernel that the library has. MeasureError when this CPU cannot run it."""
        try:
            return Setup(self.context.kernel(name), self.buffers, iterations)
        except runtime.RuntimeFailure as failure:
            if failure.code == runtime.ERR_UNSUPPORTED:
                raise MeasureError(
                    f"this CPU cannot run {name.partition('~')[0]}; `cryptostitch cpu` shows what it offers, --isa "
                    "takes a lower level"
                ) from failure
            raise

    def frequency(self) -> float:
        """Core cycles per second, now."""
        long = min(self._clock.seconds(CLOCK_ITERATIONS) for _ in range(2))
        short = min(self._clock.seconds(1) for _ in range(2))
        self.frequencies.append(CHAIN_ADDS * (CLOCK_ITERATIONS - 1) / (long - short))
        return self.frequencies[-1]

    def ghz(self) -> float:
        """The median of the frequencies seen so far, in GHz."""
        return statistics.median(self.frequencies) * 1e-9

    def measure(self, setups: Sequence[Setup], seconds: float = 0.4, least: int = 9) -> list[Cost]:
        """The costs of the kernels, timed in turn, round by round, for about ``seconds`` altogether (at least ``least``
        rounds).

        Beside each sample the reference chain is timed, before and after it. A sample during which the process was put
        off its core, or the clock changed, is taken again, as long as time allows.
        """
        samples: list[list[_Sample]] = [[] for _ in setups]
        stop, give_up = time.monotonic() + seconds, time.monotonic() + 4 * seconds
        for setup in setups:
            setup.seconds(setup.iterations, setup.near)
            setup.seconds(setup.few)
        while time.monotonic() < stop or (len(samples[0]) < least and time.monotonic() < give_up) or not samples[0]:
            for setup, some in zip(setups, samples):
                taken = self._sample(setup)
                while not taken.steady and time.monotonic() < stop:
                    taken = self._sample(setup)
                some.append(taken)
        return [_cost(setup, some) for setup, some in zip(setups, samples)]

    def _sample(self, setup: Setup) -> _Sample:
        """Under load a sample begins just after the process was put back on its core: the kernel runs once untimed, or
        it would meet cold caches."""
        before = _interruptions()
        setup.seconds(setup.few)
        overhead = min(self._clock.seconds(1) for _ in range(3))
        first = self.frequency()
        long = setup.seconds(setup.iterations, setup.near)
        short = setup.seconds(setup.few)
        last = self.frequency()
        hertz = (first + last) / 2
        steady = _interruptions() == before and abs(first - last) <= CLOCK_NEAR * hertz
        of_long, of_short = ((hertz * (seconds - overhead) + CHAIN_ADDS) / setup.messages for seconds in (long, short))
        return _Sample(of_long, of_short, steady)


@dataclass(frozen=True)
class _Sample:
    """Core cycles of a call, or of a message of a list, of all iterations, and of one of as few as can be."""

    long: float
    short: float
    steady: bool


def _interruptions() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def _cost(setup: Setup, samples: Sequence[_Sample]) -> Cost:
    undisturbed = [sample for sample in samples if sample.steady]
    counted = undisturbed if len(undisturbed) >= FEWEST else samples
    short = statistics.median(s.short for s in counted)
    if not setup.loops:
        slopes = [LEAST_ITERATION / 100 * s.short / short for s in counted]
    else:
        slopes = [(s.long - short) / (setup.iterations - setup.few) for s in counted]
    middle, half = statistics.median(slopes), len(slopes) // 2
    halves = [statistics.median(some) for some in (slopes[:half], slopes[half:]) if some]
    slopes.sort()
    quartiles = (slopes[len(slopes) * 3 // 4] - slopes[len(slopes) // 4]) / 2
    return Cost(
        middle,
        max(0.0, short - setup.few * middle),
        quartiles / middle,
        abs(halves[0] - halves[-1]) / middle,
        len(undisturbed),
    )


def row(cost: Cost) -> list[float]:
    """Returns the costs as a row of a cost table."""
    return [round(cost.per_iteration, 2), round(cost.per_call, 2)]


def calibrate(
    kernels: str = "*",
    progress: Progress | None = None,
    seconds: float = 0.12,
    rows: dict[str, list[float]] | None = None,
    pack: bytes = b"",
) -> dict:
    """The cost table of this CPU: what cpus/costs.py reads. ``kernels`` is a glob; kernels that the CPU cannot run are
    left out; what a message in steps costs beside them is measured with all. ``rows``: those that it has are not
    measured again, the others are added as they come, for a caller that may be interrupted. ``pack``: its kernels alone
    are measured."""
    rows = {} if rows is None else rows
    with pinned():
        laboratory = Laboratory()
        there = set(laboratory.context.kernels()) if pack else set(CHAINS)
        if pack:
            laboratory.context.load_pack(pack)
        names = [n for n in laboratory.context.kernels() if n not in there and fnmatch.fnmatchcase(n, kernels)]
        for done, name in enumerate(names):
            if progress:
                progress(done, len(names), name)
            if name in rows:
                continue
            try:
                (cost,) = laboratory.measure([laboratory.open(name)], seconds)
            except MeasureError:
                continue
            rows[name] = row(cost)
        every = kernels == "*" and not pack
        if every and progress:
            progress(len(names), len(names), "messages")
        message = message_cost(laboratory.context, rows, laboratory.frequency) if every else 0.0
        if not laboratory.frequencies:
            laboratory.frequency()
        cpu = laboratory.context.cpu()
        return {
            "microarchitecture": cpu["name"],
            "cpu": cpu["brand"].strip(),
            "ghz": round(laboratory.ghz(), 3) if rows else 0,
            **({"message": round(message, 2)} if message else {}),
            "kernels": {name: rows[name] for name in names if name in rows},
        }
