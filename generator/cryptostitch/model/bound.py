"""The bound of a kernel on a microarchitecture: no iteration can be shorter than its chain, nor than any resource is
busy with it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ..core.kernel import Kernel
from ..emit.objects import machine_code
from .chain import Chain, chains
from .loop import Step, loop_of
from .pressure import Pressure, pressure, total
from .table import Table

CHAIN, FETCH = "chain", "fetch"
BEATEN = 0.97  # measured / bound, below which the table is wrong


@dataclass(frozen=True)
class Bound:
    """Cycles are of the core, per iteration of the loop (all lanes); ``bytes`` of the message go through the kernel's
    first part in one. ``code_bytes``: of the loop."""

    kernel: Kernel
    table: Table
    steps: tuple[Step, ...]
    chains: dict[int | None, Chain]
    pressure: Pressure
    bytes: int
    code_bytes: int

    @property
    def chain(self) -> Chain:
        """The longest."""
        return max(self.chains.values(), key=lambda c: c.cycles)

    @property
    def limits(self) -> dict[str, float]:
        """Cycles by what asks for them, the largest first: the chain, fetching the loop, every resource."""
        found = {CHAIN: self.chain.cycles, FETCH: self.table.least_fetching(len(self.steps) + 1, self.code_bytes)}
        found |= {name: total(streams) for name, streams in self.pressure.items()}
        return dict(sorted(found.items(), key=lambda limit: -round(limit[1], 6)))

    @property
    def outgrown(self) -> float | None:
        """Cycles that the front end needed for the probe's loops of this size, where they outgrew a cache: an estimate,
        and no bound. None where the loop fits."""
        needed = self.table.fetching(len(self.steps) + 1, self.code_bytes)
        return needed if needed > self.limits[FETCH] else None

    @property
    def binds(self) -> str:
        return next(iter(self.limits))

    @property
    def cycles(self) -> float:
        return self.limits[self.binds]

    @property
    def cycles_per_byte(self) -> float:
        return self.cycles / self.bytes

    @property
    def rows(self) -> list[str]:
        """The rows of the table that what binds rests on, with most of its cycles first; the front end rests on none,
        but on the table's curves."""
        if self.binds == FETCH:
            return [FETCH, "fetch_bytes"]
        cycles: defaultdict[str, float] = defaultdict(float)
        if self.binds == CHAIN:
            for step in self.chain.steps:
                cycles[str(step.form)] += max((c for c in self.table.row(step.form).latency if c), default=1)
        else:
            for step in self.steps:
                cycles[str(step.form)] += self.table.row(step.form).uses.get(self.binds, 0)
        return [form for form in sorted(cycles, key=lambda form: -cycles[form]) if cycles[form]]

    @property
    def memory_accesses(self) -> tuple[int, int]:
        """Loads and stores of one iteration."""
        return sum(s.form.loads for s in self.steps), sum(s.form.stores for s in self.steps)


def bound(kernel: Kernel, table: Table, code: bytes = b"", share: float = 1) -> Bound:
    """``code``: the kernel's, where it is known already. ``share``: see Generator.message_share. Raises
    CryptostitchError when the table lacks a form of the loop."""
    steps = loop_of(kernel)
    first = kernel.recipe.parts[0]
    groups = sum(part.program is first.program for part in kernel.recipe.parts)
    size = groups * first.ratio * first.program.contract.lanes * first.program.contract.bytes
    return Bound(
        kernel,
        table,
        tuple(steps),
        chains(steps, table),
        pressure(steps, table),
        round(size * share),
        loop_bytes(kernel, code or machine_code([kernel])[kernel.name]),
    )


def loop_bytes(kernel: Kernel, code: bytes) -> int:
    """Bytes of machine code of the loop, its jump included."""
    from iced_x86 import Decoder

    loop = set(kernel.loop)
    numbers = [n for n, i in enumerate(i for i, item in enumerate(kernel.items) if item.ins is not None) if i in loop]
    decoder, starts = Decoder(64, code), list[int]()
    while len(starts) <= numbers[-1] + 1:
        starts.append(decoder.ip)
        decoder.decode()
    return starts[numbers[-1] + 1] - starts[numbers[0]]
