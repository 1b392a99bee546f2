"""Another order of the instructions of a loop and of what is behind it, within their dependences: first those with the
most of their chain still to come.

List scheduling (T. C. Hu, 1961) over a window that moves through the text: only the first ``window`` instructions that
are not placed yet compete, which bounds how much longer values live. What is written to a name more than once gets a
name for each value first, so that reuse of a name binds nothing. Registers of the class that does not hold the
algorithm's words (addresses, in vector code) are few: of these no more are alive at once than in the text.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..core.accesses import Key, accesses_of, names_read, names_written, operand_accesses
from ..core.instructions import INSTRUCTIONS
from ..core.ir import GENERAL, STATE, Ins, Mem, Operand, Reg
from ..core.isa import ISAS
from ..core.liveness import around_loop, state_pointers
from ..core.stream import Stream

Group = tuple[Ins, ...]
"""Instructions that nothing may come between."""

LATENCY = {"aes": 4, "sha": 4, "clmul": 4, "multiply": 4, "shuffle": 2}
"""Cycles until a result is there, by the kind of instruction: about right on every core, and the same on every machine
that generates."""
LOADED = 6
FLAGS: Key = ("flags", "")


def ordered(stream: Stream, window: int) -> Stream:
    """Returns the stream with its loop, and what follows it, in another order. ``window`` of 0 or 1: the order of the
    text."""
    if window < 2:
        return stream
    accesses = [accesses_of(code) for _, code in stream.code.sections()]
    head, behind = around_loop(accesses[1], accesses[2])
    code, words = stream.code, ISAS[stream.isa].words
    code = replace(code, body=_renamed(code.body, head | behind, words), leave=_renamed(code.leave, frozenset(), words))
    pointers = state_pointers(code)
    return replace(
        stream,
        code=replace(
            code,
            body=_ordered(code.body, window, pointers, words),
            leave=_ordered(code.leave, window, pointers, words),
        ),
        claims=(),
    )


def _ordered(section: Sequence[Ins], window: int, pointers: frozenset[Key], cls: str) -> tuple[Ins, ...]:
    groups = list(_groups(section))
    before, feeds = _dependences(groups, pointers)
    schedule = _schedule(before, _urgency(feeds, [_latency(g) for g in groups]), window, _Alive(groups, cls))
    return tuple(ins for i in schedule for ins in groups[i])


def _groups(section: Iterable[Ins]) -> Iterator[Group]:
    run: list[Ins] = []
    for ins in section:
        run.append(ins)
        if not ins.glue:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)


def _latency(group: Group) -> int:
    def one(ins: Ins) -> int:
        reads = [ins.operands[i] for i, access in operand_accesses(ins) if access != "w"]
        loaded = any(isinstance(o, Mem) and o.bits for o in reads) and not any(isinstance(o, Reg) for o in reads)
        return LATENCY.get(INSTRUCTIONS[ins.op].kind, 1) + LOADED * loaded

    return max(map(one, group))


# ---- names


def _renamed(section: tuple[Ins, ...], carried: frozenset[Key], cls: str) -> tuple[Ins, ...]:
    """Gives every value of a class of registers a name of its own, except values that come from before the section or
    are read after it. An instruction that updates a register keeps its name. Registers of other classes are few, and
    keep their names too."""
    last = {key: at for at, ins in enumerate(section) for key in _fresh(ins, cls)}
    numbers: dict[Key, Iterator[int]] = defaultdict(itertools.count)
    current: dict[Key, str | int] = {}
    out = []
    for at, ins in enumerate(section):
        reads = dict(current)
        for key in _fresh(ins, cls):
            ends = last[key] == at and key in carried
            current[key] = key[1] if ends else f"{key[1]}:{next(numbers[key])}"
        mask = ins.mask and replace(ins.mask, id=reads.get(ins.mask.key, ins.mask.id))
        operands = tuple(_under(current if a == "w" else reads, ins, i) for i, a in operand_accesses(ins))
        out.append(replace(ins, operands=operands, mask=mask))
    return tuple(out)


def _under(names: dict[Key, str | int], ins: Ins, operand: int) -> Operand:
    """An operand with the names that its registers have now."""
    alone = replace(ins, operands=(ins.operands[operand],))
    return alone.rename(lambda r: r if r.physical or r.key not in names else replace(r, id=names[r.key])).operands[0]


def _fresh(ins: Ins, cls: str) -> set[Key]:
    """Names that the instruction gives a value without reading their old one."""
    return {
        operand.key
        for i, access in operand_accesses(ins)
        if access == "w" and isinstance(operand := ins.operands[i], Reg) and operand.cls == cls and not operand.physical
    }


# ---- dependences


def _dependences(groups: list[Group], pointers: frozenset[Key]) -> tuple[list[set[int]], list[set[int]]]:
    """Returns for each group the groups that must precede it, and those of them whose results it reads."""
    before: list[set[int]] = [set() for _ in groups]
    feeds: list[set[int]] = [set() for _ in groups]
    writer: dict[Key, int] = {}
    readers: dict[Key, set[int]] = defaultdict(set)
    flags_matter = any(INSTRUCTIONS[ins.op].flags_read for group in groups for ins in group)
    accesses: list[tuple[int, Mem, bool]] = []
    for i, group in enumerate(groups):
        for ins in group:
            row = INSTRUCTIONS[ins.op]
            reads, writes = names_read(ins), names_written(ins)
            if flags_matter and (row.flags_read or row.flags_written):
                reads, writes = reads | {FLAGS}, writes | {FLAGS}
            for key in reads:
                before[i] |= {writer[key]} if key in writer else set()
                feeds[i] |= {writer[key]} if key in writer else set()
                readers[key].add(i)
            for key in writes:
                before[i] |= readers.pop(key, set()) | ({writer[key]} if key in writer else set())
                writer[key] = i
            for mem, stores in _memory(ins):
                before[i] |= {
                    j for j, other, stored in accesses if (stores or stored) and _may_meet(mem, other, pointers)
                }
                feeds[i] |= {
                    j for j, other, stored in accesses if (stored and not stores) and _may_meet(mem, other, pointers)
                }
                accesses.append((i, mem, stores))
        before[i].discard(i)
        feeds[i].discard(i)
    return before, feeds


def _memory(ins: Ins) -> Iterator[tuple[Mem, bool]]:
    """(place, whether it is written) of each access to memory that anything writes."""
    for index, access in operand_accesses(ins):
        operand = ins.operands[index]
        if isinstance(operand, Mem) and operand.bits and operand.symbol is None:
            yield operand, access != "r"


def _may_meet(a: Mem, b: Mem, pointers: frozenset[Key]) -> bool:
    """Buffers may overlap each other, as in and out do, but not the state block."""
    inside = [any(r is not None and r.key in pointers for r in (m.base, m.index)) for m in (a, b)]
    if inside[0] != inside[1]:
        return False
    if all(m.base is not None and m.base.key == (GENERAL, STATE) and m.index is None for m in (a, b)):
        return a.disp < b.disp + b.bits // 8 and b.disp < a.disp + a.bits // 8
    return True


# ---- the schedule


class _Alive:
    """How many values of the classes other than ``cls`` are alive while groups are placed; ``most``: in the order of
    the text."""

    def __init__(self, groups: list[Group], cls: str):
        self.made: list[int] = [0] * len(groups)
        self.wanted: list[int] = []  # of each value, readers that are not placed yet
        self.read: list[list[int]] = [[] for _ in groups]  # values
        current: dict[Key, int] = {}
        for i, group in enumerate(groups):
            for key in {key for ins in group for key in names_read(ins)} & current.keys():
                self.wanted[current[key]] += 1
                self.read[i].append(current[key])
            for key in {key for ins in group for key in names_written(ins) if key[0] != cls}:
                current[key] = len(self.wanted)
                self.wanted.append(0)
                self.made[i] += 1
        self.now = self.most = 0
        for i in range(len(groups)):
            self.place(i)
            self.most = max(self.most, self.now)
        self.now = 0
        for i in range(len(groups)):
            for value in self.read[i]:
                self.wanted[value] += 1

    def place(self, i: int) -> None:
        self.now += self.made[i]
        for value in self.read[i]:
            self.wanted[value] -= 1
            self.now -= not self.wanted[value]

    def fits(self, i: int) -> bool:
        return not self.made[i] or self.now + self.made[i] <= self.most


def _urgency(feeds: list[set[int]], latency: list[int]) -> list[float]:
    """Returns for each group how much of the longest data chain through it is still to come, as a fraction: independent
    chains then advance together, and end together."""
    depth, height = [0] * len(feeds), latency[:]
    for i, sources in enumerate(feeds):
        depth[i] = max((depth[j] + latency[j] for j in sources), default=0)
    for i in reversed(range(len(feeds))):
        for j in feeds[i]:
            height[j] = max(height[j], latency[j] + height[i])
    chain = [d + h for d, h in zip(depth, height)]
    for i in reversed(range(len(feeds))):
        for j in feeds[i]:
            chain[j] = max(chain[j], chain[i])
    return [h / c for h, c in zip(height, chain)]


def _schedule(before: list[set[int]], urgency: list[float], window: int, alive: _Alive) -> Iterator[int]:
    """Indices in the new order."""
    left, placed = list(range(len(before))), set[int]()
    while left:
        ready = [i for i in left[:window] if before[i] <= placed]
        best = max((i for i in ready if alive.fits(i)), key=lambda i: (urgency[i], -i), default=left[0])
        left.remove(best)
        placed.add(best)
        alive.place(best)
        yield best
