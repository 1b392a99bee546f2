"""What a message costs that is done in steps, beside the calls of kernels.

Where a kernel takes a whole message, its costs are told from its calls alone; cipher and hash one after the other keep
a message's positions and chaining values between their calls (runtime/executors/message.hpp). So bursts of such suites
are timed both ways, by tables that leave the library no other, and what their calls should take by the costs of kernels
is taken off. What both ways share, checking jobs and writing tags, falls out.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..binding import runtime
from ..binding.alike import Alike
from ..binding.cost_file import write_table

Rows = Mapping[str, Sequence[float]]

JOBS = 64
SIZES = (64, 256, 1024)  # about where one way stops to be the better one
ROUNDS, BURSTS = 60, 4
DISTURBED = 0.9  # of the samples may be longer than they would be on a machine of one's own
NEAR = 2.0  # a quotient of the two ways' costs
DEAR = 1e6  # cycles of what is not to be chosen


def whole_messages(context: runtime.Context, kernels: Iterable[str]) -> set[str]:
    """Returns the kernels, of those that this CPU can run, that take messages with their lengths."""
    return {name for name in kernels if context.kernel(name).streams[0].field("lengths")}


class _Way:
    """Bursts of a suite by the kernels of ``rows``, those in ``without`` too dear. ``expected``: core cycles of their
    calls for a message."""

    def __init__(self, rows: Rows, without: set[str], folder: Path):
        dear = {name: [DEAR, DEAR] for name in without}
        self.context = runtime.Context(costs=write_table(folder / "table", "timed", {**rows, **dear}))

    def burst(self, name: str, size: int) -> tuple[float, Callable[[], float]]:
        """Cycles that the calls of a message should take, and what times a burst."""
        suite = self.context.suite(name)
        key = suite.key(bytes(suite.key_bytes))
        alike = Alike(key, runtime.SEAL, JOBS)
        texts, outputs = [bytes(size) for _ in range(JOBS)], [bytearray(size) for _ in range(JOBS)]
        ivs = [bytes(suite.iv_min if suite.iv_min == suite.iv_max else 12) for _ in range(JOBS)]
        alike.read("in", "in_len", texts)
        alike.read("iv", "iv_len", ivs)
        alike.write(outputs)
        tags = alike.tags(16)
        run, handle, jobs = suite.context.lib.cst_burst, self.context.handle, alike.jobs.buffer_info()[0]

        def seconds(kept: object = (alike, key, texts, outputs, ivs, tags)) -> float:
            start = time.perf_counter_ns()
            run(handle, jobs, JOBS)
            return (time.perf_counter_ns() - start) * 1e-9

        key.check(run(handle, jobs, JOBS))
        return suite.choice(JOBS, size, True, runtime.SEAL).cycles_per_byte * size, seconds


def message_cost(context: runtime.Context, rows: Rows, frequency: Callable[[], float]) -> float:
    """Core cycles, by the suites whose messages a kernel takes; 0 where ``rows`` has no such kernel and its parts.
    ``frequency``: core cycles per second, now. It differs from suite to suite; those count where both ways take about
    as long, if there are such: elsewhere it decides nothing."""
    whole = whole_messages(context, set(rows) & set(context.kernels()))
    if not whole:
        return 0.0
    found: list[_Both] = []
    with tempfile.TemporaryDirectory() as folder:
        ways = [_Way(rows, some, Path(folder)) for some in (set(rows) - whole, whole)]
        for name in (suite for suite in context.suites() if suite.endswith(("-gcm", "chacha20-poly1305"))):
            found += [both for size in SIZES if (both := _both(ways, name, size, frequency))]
    beside = [both.beside for both in found if both.near] or [both.beside for both in found]
    return max(0.0, statistics.median(beside)) if beside else 0.0


@dataclass(frozen=True)
class _Both:
    """Core cycles of a message, whole and in steps; what their calls should take."""

    whole: float
    steps: float
    calls: tuple[float, float]

    @property
    def beside(self) -> float:
        return (self.steps - self.calls[1]) - (self.whole - self.calls[0])

    @property
    def near(self) -> bool:
        return 1 / NEAR < self.whole / self.steps < NEAR


def _both(ways: Sequence[_Way], name: str, size: int, frequency: Callable[[], float]) -> _Both | None:
    """Times messages of one size in both ways. None where either way is impossible."""
    (calls, whole), (steps, apart) = (way.burst(name, size) for way in ways)
    if not 0 < calls < DEAR > steps > 0:
        return None
    samples: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        hertz = frequency()
        for timed, cycles in zip((whole, apart), samples):
            cycles += [hertz * timed() / JOBS for _ in range(BURSTS)]
    least = [sorted(cycles)[round(len(cycles) * (1 - DISTURBED))] for cycles in samples]
    return _Both(least[0], least[1], (calls, steps))
