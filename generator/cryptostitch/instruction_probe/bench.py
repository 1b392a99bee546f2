"""Times small kernels, many of them: the least of several short samples, against the clock kernel beside it."""

from __future__ import annotations

import collections
import ctypes
import statistics
import time
from collections.abc import Callable, Sequence

from ..binding import runtime
from ..core.program import Recipe
from ..emit.pack import write_pack
from ..tuning.measure import CHAIN_ADDS, CLOCK, CLOCK_CHECK, MeasureError, check_clock, clock_recipes
from .bodies import ALGORITHM

CYCLES = 50_000  # of a sample, about: long against the timer, short against a time slice
CLOCK_MANY = CYCLES // CHAIN_ADDS
CLOCK_FEW = CLOCK_MANY // 16
AGREEING, NEAR = 4, 1.004  # so many samples within this of the least are taken for undisturbed ones
ROUNDS_MOST = 40


def _agree(samples: list[int]) -> bool:
    return sorted(samples)[AGREEING - 1] <= NEAR * min(samples)


class _Callable:
    """A kernel of the library with a state block of zeros."""

    def __init__(self, kernel: runtime.RawKernel):
        self.kernel = kernel
        size = sum(s.state_bytes for s in kernel.streams)
        self._memory = ctypes.create_string_buffer(size + 4096)
        start = -(-ctypes.addressof(self._memory) // 4096) * 4096
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(kernel.address)
        self._start = start
        self._arguments: dict[int, runtime.KernelArgs] = {}

    def nanoseconds(self, iterations: int) -> int:
        if iterations not in self._arguments:
            self._arguments[iterations] = runtime.KernelArgs(iterations, (ctypes.c_void_p * 4)(self._start))
        function, argument = self._function, ctypes.addressof(self._arguments[iterations])
        start = time.perf_counter_ns()
        function(argument)
        return time.perf_counter_ns() - start


class Bench:
    """The library with the clock kernels. Not thread-safe; call it pinned to a core. MeasureError as of Laboratory."""

    def __init__(self) -> None:
        self.context = runtime.Context(runtime.ALLOW_PACKS)
        self.cpu = self.context.cpu()
        if not self.cpu["jit"]:
            raise MeasureError(
                "this system gives no executable memory, so kernels cannot be assembled; nothing was measured"
            )
        algorithm, clocks = clock_recipes()
        self.context.load_pack(write_pack([algorithm], clocks))
        # nanoseconds per cycle; a disturbed one is too long
        self._clocks: collections.deque[float] = collections.deque(maxlen=15)
        self._clock = _Callable(self.context.kernel(CLOCK))
        check_clock(self._clock.nanoseconds, _Callable(self.context.kernel(CLOCK_CHECK)).nanoseconds)

    def load(self, recipes: Sequence[Recipe]) -> None:
        self.context.load_pack(write_pack([ALGORITHM], list(recipes)))

    def timer(self, name: str, guess: float) -> Callable[[], float]:
        """A function that measures core cycles per iteration of a kernel. ``guess``: about how many, for the length of
        a sample."""
        kernel = _Callable(self.context.kernel(name))
        many = max(16, int(CYCLES / max(guess, 1)))
        few = many // 16
        kernel.nanoseconds(few)

        def cycles() -> float:
            samples: list[list[int]] = [[], [], [], []]
            for number in range(ROUNDS_MOST):
                for some, (timed, iterations) in zip(
                    samples, ((self._clock, CLOCK_MANY), (kernel, many), (kernel, few), (self._clock, CLOCK_FEW))
                ):
                    some.append(timed.nanoseconds(iterations))
                if number + 1 >= AGREEING and all(_agree(some) for some in samples[:2]):
                    break
            clock, long, short, rest = (min(some) for some in samples)
            self._clocks.append((clock - rest) / (CHAIN_ADDS * (CLOCK_MANY - CLOCK_FEW)))
            return (long - short) / (many - few) / min(self._clocks[-1], statistics.median(self._clocks))

        return cycles
