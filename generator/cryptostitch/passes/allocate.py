"""Virtual registers -> the stream's own window, within a budget.

Every section is scanned once (scan.py). Loop-carried values have a *home* register that they occupy at the head of
every iteration. Kept memory operands (Stream.keep) get homes of their own as long as registers are left over, the most
used ones first.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..core.accesses import Key, accesses_of, shared_by
from ..core.contract import JOB_BYTES, LISTED_TEXTS, SPILL, Contract, Field
from ..core.errors import DoesNotFit
from ..core.ir import GENERAL, STATE, VECTOR, Code, Ins, Mem, Reg, Window
from ..core.isa import GENERALS, ISAS, Isa
from ..core.liveness import around_loop, state_pointers
from ..core.program import Program
from ..core.stream import Stream
from .scan import NEVER, SPILL_SYMBOLS, Section, load

SPILL_WORDS = "spill_words"


def allocate(stream: Stream, budget: int | None = None, uses: Uses | None = None) -> Program:
    """Allocates a legalized stream. ``budget``: vector registers (general ones for a scalar ISA); None: all there are.
    ``uses``: the stream's, for callers that allocate it more than once.

    Raises DoesNotFit when an instruction's operands alone exceed the budget.
    """
    isa = ISAS[stream.isa]
    limit = {VECTOR: isa.vectors, GENERAL: GENERALS - 1, "k": 7}
    for reg in shared_by(stream.code):
        limit[reg.cls] -= 1
    limit[isa.words] = min(limit[isa.words], budget or limit[isa.words])
    uses = uses or Uses(stream)
    keeps = sorted((k for k in stream.keep if uses.counts[k]), key=lambda k: -uses.counts[k])
    plain = Attempt(stream, uses, isa, limit, ()).run()
    room = limit[isa.words] - plain.peak[isa.words]
    best = plain
    tried = {0}
    for count in (room, room + 1):
        count = max(0, min(count, len(keeps)))
        if count in tried:
            continue
        tried.add(count)
        try:
            attempt = Attempt(stream, uses, isa, limit, tuple(keeps[:count])).run()
        except DoesNotFit:
            continue
        if attempt.cost() < best.cost():
            best = attempt
    return best.program(f"{stream.name}@{stream.isa}#{budget or 'all'}", stream)


def body_cost(program: Program) -> int:
    """Instructions plus memory accesses of one iteration: what the front end and the load ports have to do."""
    return _cost(program.code.body)


def _cost(body: tuple[Ins, ...]) -> int:
    return len(body) + sum(1 for ins in body for operand in ins.operands if isinstance(operand, Mem))


class Uses:
    """The accesses of every instruction, the registers that are live around the loop, and the uses of kept operands;
    found once for all attempts."""

    def __init__(self, stream: Stream):
        self.enter, self.body, self.leave = (accesses_of(code) for _, code in stream.code.sections())
        self.head, self.behind = around_loop(self.body, self.leave)
        self.counts = Counter(r.id for ins in stream.code.body for r in ins.registers())
        self.keep_register = {r.id: r for ins in stream.code.body for r in ins.registers() if r.id in stream.keep}
        self.state_pointers = state_pointers(stream.code)
        self.widest: dict[Key, int] = {}
        for _, code in stream.code.sections():
            for reg in (r for ins in code for r in ins.registers()):
                self.widest[reg.key] = max(self.widest.get(reg.key, 0), reg.bits)
        self.order: dict[Key, int] = {}
        for ins in (*stream.code.enter, *stream.code.body):
            for reg in ins.registers():
                if not reg.physical:
                    self.order.setdefault(reg.key, len(self.order))


class Attempt:
    """One allocation of the whole stream with a given set of promoted keeps."""

    def __init__(self, stream: Stream, uses: Uses, isa: Isa, limit: dict[str, int], promoted: tuple[str, ...]):
        self.uses = uses
        self.stream, self.isa, self.limit, self.promoted = stream, isa, limit, promoted
        self.peak = {VECTOR: 0, GENERAL: 0, "k": 0}
        self.slots = {VECTOR: 0, GENERAL: 0}
        self.homes: dict[Key, int] = {}
        self.code: Code  # once it has run
        self.spill_base = -(-max((f.offset + f.size for f in stream.fields), default=0) // 64) * 64

    def run(self) -> Attempt:
        code = self.stream.code
        head, behind = self.uses.head, self.uses.behind
        carried = {k for k in head | behind if not str(k[1]).startswith("keep ")} - {(GENERAL, STATE)}
        counts = {VECTOR: 0, GENERAL: 1, "k": 0}
        self.homes = {(GENERAL, STATE): 0}
        kept = [self.uses.keep_register[k].key for k in self.promoted]
        for key in [*sorted(carried, key=lambda k: self.uses.order.get(k, NEVER)), *kept]:
            self.homes[key] = counts[key[0]]
            counts[key[0]] += 1
        if any(counts[c] > self.limit[c] for c in (VECTOR, GENERAL)):
            raise DoesNotFit(
                f"{self.stream.name}: {counts[self.isa.words]} registers carry values from one iteration to the next, "
                f"{self.limit[self.isa.words]} are allowed"
            )
        at_head = set(self.homes)
        leave_wants = {k for k in self.homes if k in behind or k == (GENERAL, STATE)}
        loads = tuple(self._load_keep(k) for k in self.promoted)
        body = Section(
            self, code.body, self.uses.body, {k for k in at_head if k in head or k in kept or k[1] == STATE}, at_head
        ).run()
        enter = Section(
            self, code.enter + loads, [*self.uses.enter, *accesses_of(loads)], {(GENERAL, STATE)}, at_head, loading=True
        ).run()
        leave = Section(self, code.leave, self.uses.leave, leave_wants, {(GENERAL, STATE)}).run()
        self.code = Code(tuple(enter), tuple(body), tuple(leave))
        return self

    def _load_keep(self, name: str) -> Ins:
        return load(self.isa, self.uses.keep_register[name], self.stream.keep[name])

    def cost(self) -> int:
        return _cost(self.code.body)

    def slot(self, cls: str, number: int) -> Mem:
        """Spill slot ``number`` of a register class; vector slots come first (see program())."""
        size = self.isa.vector_bytes if cls == VECTOR else 8
        return Mem(Reg(GENERAL, STATE, 64), number * size, size * 8, symbol=f"spill {cls}")

    def program(self, name: str, stream: Stream) -> Program:
        fields = list(stream.fields)
        offsets = {}
        end = self.spill_base
        for cls, field_name in ((VECTOR, SPILL), (GENERAL, SPILL_WORDS)):
            if self.slots[cls]:
                size = self.isa.vector_bytes if cls == VECTOR else 8
                fields.append(Field(field_name, end, self.slots[cls], size, size, align=min(64, size)))
                offsets[cls] = end
                end += self.slots[cls] * size

        def place(operand):
            if isinstance(operand, Mem) and operand.symbol in SPILL_SYMBOLS:
                return replace(operand, disp=offsets[SPILL_SYMBOLS[operand.symbol]] + operand.disp, symbol=None)
            return operand

        def placed(ins):
            spilled = any(isinstance(o, Mem) and o.symbol in SPILL_SYMBOLS for o in ins.operands)
            return replace(ins, operands=tuple(place(o) for o in ins.operands)) if spilled else ins

        code = Code(*(tuple(placed(i) for i in s) for _, s in self.code.sections()))
        align = max([64, *(f.align for f in fields)])
        if any(f.name in LISTED_TEXTS for f in fields):
            if offsets:
                raise DoesNotFit(f"{stream.name}: a job has no place for what registers do not hold")
            end, align = JOB_BYTES, 8
        window = _window(code)
        contract = Contract(
            stream.lanes,
            stream.bytes,
            tuple(fields),
            -(-end // align) * align,
            align,
            stream.reads_input,
            stream.constants,
            stream.features,
            stream.public,
        )
        homes = {str(key[1]): (key[0], index) for key, index in self.homes.items()}
        return Program(name, stream.name, stream.algorithm, stream.isa, code, window, contract, homes)


def _window(code: Code) -> Window:
    top = {VECTOR: 0, GENERAL: 1, "k": 0}
    for _, section in code.sections():
        for ins in section:
            for reg in ins.registers():
                if not reg.physical:
                    top[reg.cls] = max(top[reg.cls], reg.number + 1)
    return Window(top[VECTOR], top[GENERAL], top["k"])
