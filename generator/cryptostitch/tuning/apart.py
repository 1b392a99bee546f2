"""The fastest kernel of an algorithm by itself, for the jobs that a woven kernel takes at once.

A pairing is worth what it gains over the kernels that would run in its place. Those need not be the pairing's own
streams: beside SHA-NI, which is SSE, a cipher's stream of 128-bit vectors is woven, and its stream of 256-bit vectors
may take less time than both together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.errors import CryptostitchError
from ..core.names import StreamName, kernel_name, stream_name
from ..core.program import Part, Recipe
from ..core.registers import BindError
from ..pipeline import Generator
from .measure import Laboratory, MeasureError, Setup

SECONDS = 0.02  # for each kernel of an algorithm, to find the one that is measured beside the woven kernel
WITHOUT = ("segments", "rest")  # paddings of hashes whose kernels do different shares of a message
MODULAR = ("arithmetic", "codec", "schedule")  # kinds without a message


class Apart:
    """Finds such kernels, and remembers them. Not thread-safe."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._known: dict[tuple[str, int, bool], str | Recipe | None] = {}

    def fastest(self, laboratory: Laboratory, name: StreamName, streams: Sequence[Part]) -> Setup | None:
        """Returns the fastest kernel on this CPU of the algorithm that these streams run; ``name`` is their name in the
        woven kernel. None: the algorithm has no kernel but the stream itself. The kernel's lanes divide the streams'
        lanes, so that a number of calls does the same jobs."""
        program = streams[0].program
        row = self._generator.algorithms[program.algorithm]
        if row.kind in MODULAR or row.padding in WITHOUT or program.contract.is_message or not program.contract.bytes:
            return None
        key = row.name, name.lanes, name.one_key
        if key not in self._known:
            self._known[key] = self._find(laboratory, row.name, name)
        found = self._known[key]
        if found is None:
            return None
        return laboratory.open(found) if isinstance(found, str) else laboratory.add(self._generator, found)

    def _find(self, laboratory: Laboratory, algorithm: str, name: StreamName) -> str | Recipe | None:
        best, least = None, float("inf")
        for kernel in self._kernels(laboratory, algorithm, name):
            try:
                setup = laboratory.open(kernel) if isinstance(kernel, str) else laboratory.add(self._generator, kernel)
            except MeasureError:  # not on this CPU
                continue
            if any(stream.field("end_in") or stream.field("head_in") for stream in setup.kernel.streams):
                continue  # of whole messages
            (cost,) = laboratory.measure([setup], SECONDS)
            cycles = cost.per_iteration / (setup.lanes * setup.bytes)
            if cycles < least:
                best, least = kernel, cycles
        return best

    def _kernels(self, laboratory: Laboratory, algorithm: str, name: StreamName) -> Iterator[str | Recipe]:
        """Yields the names of the library's kernels that fit, or recipes of texts that only the user's folder has."""
        own = {row.name for row in self._generator.given[0]}
        if algorithm in own:
            for parts, _, tuned in self._generator.default_weaves:
                if len(parts) == 1 and not tuned and self._fits(parts[0][0], algorithm, name):
                    try:
                        recipe = self._generator.stitch(parts)
                        self._generator.kernel(recipe)
                    except (CryptostitchError, BindError):
                        continue
                    yield recipe
            return
        for kernel in laboratory.context.kernels():
            if "+" in kernel or "~" in kernel or kernel.startswith("clock_"):
                continue
            if self._fits(kernel_name(kernel)[0][0], algorithm, name):
                yield kernel

    def _fits(self, stream: StreamName, algorithm: str, name: StreamName) -> bool:
        if stream.form not in self._generator.forms or name.lanes % stream.lanes or stream.one_key > name.one_key:
            return False
        row, _ = self._generator.form(stream_name(str(stream)))
        return row.name == algorithm


def cycles_of(setup: Setup, cycles: float, streams: Sequence[Part]) -> float:
    """Converts ``cycles`` per iteration of the kernel into the cycles that it takes for the bytes that these streams
    process in one iteration of the woven kernel."""
    size = sum(p.program.contract.lanes * p.program.contract.bytes * p.ratio for p in streams)
    return cycles * size / (setup.lanes * setup.bytes)


def plain_name(setup: Setup) -> str:
    """Returns the kernel's name without what the laboratory adds."""
    return setup.kernel.name.partition("~")[0]
