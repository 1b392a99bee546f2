"""Runs straight-line code on terms: the meaning that every check shares.

A row's meaning is its name applied to its operands' values; nothing is known about what, say, ``pshufb`` computes, only
that equal operands give equal results. What must be known to see through allocation is modelled: moves, zero idioms,
exchangeable operands, sums of addresses, broadcasts, widths (legacy SSE keeps what lies above a result, everything else
clears it), and memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..core.accesses import Key
from ..core.contract import HAND, TABLE, Field
from ..core.instructions import INSTRUCTIONS, Row
from ..core.ir import VECTOR, Constant, Imm, Ins, Mem, Reg
from .memory import Memory
from .terms import Term, Terms

ZERO_IDIOMS = frozenset("xor sub pxor psubd psubq vpxor vpxord vpxorq vpsubd vpsubq".split())
BROADCASTS = frozenset("vpbroadcastd vpbroadcastq vbroadcasti128 vbroadcasti32x4".split())
SUMS = frozenset(("add", "sub", "lea"))


@dataclass(frozen=True, slots=True)
class Access:
    """One memory access (or, with ``size`` 0, a hint that names an address): of the pool when ``symbol`` is set
    (``address`` is then the offset), else at a term's address. ``mask``: what says which of its parts are touched, if
    not all are. ``table``: whether it was taken for one of the state block's table, which no other access can meet;
    that it was right is for the bounds to prove."""

    ins: Ins
    address: int
    size: int
    write: bool = False
    aligned: bool = False
    value: Term = -1
    symbol: str | None = None
    mask: Term = -1
    table: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """A store to the caller's memory or a hand-over buffer, or (``table``) to the state block's table."""

    ins: Ins
    address: Term
    size: int
    value: Term
    owner: int = 0
    table: bool = False


@dataclass
class Block:
    """A state block: its private memory, and the byte ranges in it that are not: shared with other streams, or
    addressed by computed indices, as a table is."""

    memory: Memory
    shared: tuple[tuple[int, int], ...] = ()
    table: bool = False

    @staticmethod
    def of(terms: Terms, fields: Iterable[Field], tag: str = "") -> Block:
        shared = [f for f in fields if f.name in (HAND, TABLE)]
        return Block(
            Memory(terms, tag),
            tuple((f.offset, f.offset + f.size) for f in shared),
            any(f.name == TABLE for f in shared),
        )

    def is_private(self, offset: int, size: int) -> bool:
        return not any(offset < high and low < offset + size for low, high in self.shared)


def key_of(reg: Reg) -> Key:
    """The register itself. Physical registers (all of a bound kernel; the shared xmm0 before that) are none of a
    window's."""
    return (reg.cls, f"%{reg.id}") if reg.physical else (reg.cls, reg.id)


def is_shared(key: Key) -> bool:
    """Whether, in code that is not bound yet, other streams may write this register between any two atoms."""
    return type(key[1]) is str and key[1][:1] == "%"


class _Facts:
    """The facts that all instructions of a row share."""

    __slots__ = ("aligned", "clears", "reads", "row", "vector")
    known: ClassVar[dict[str, _Facts]] = {}

    def __init__(self, row: Row) -> None:
        self.row = row
        self.reads = [slot.reads for slot in row.operands]
        self.aligned = ["a" in slot.kinds for slot in row.operands]
        self.vector = any(o.kinds[0] in "vxy" for o in row.operands)
        self.clears = row.encoding != "legacy"

    @staticmethod
    def of(op: str) -> _Facts:
        facts = _Facts.known.get(op)
        if facts is None or facts.row is not INSTRUCTIONS[op]:
            facts = _Facts.known[op] = _Facts(INSTRUCTIONS[op])
        return facts


class _Plan:
    """The effects of an instruction, looked up once."""

    __slots__ = (
        "clears",
        "flags_in",
        "flags_out",
        "implicit",
        "kind",
        "low",
        "mask",
        "name",
        "shared",
        "size",
        "sources",
        "swap",
        "target",
        "zeroing",
    )

    def __init__(self, ins: Ins) -> None:
        facts = _Facts.of(ins.op)
        row, operands = facts.row, ins.operands
        self.name = row.name
        self.target = self._spec(operands[0], facts.aligned[0])
        self.size = self.target[2]
        self.shared = self.target[0] == "r" and is_shared(self.target[1])
        self.low = self._spec(operands[1], False) if len(row.operands) > 1 and row.operands[1].writes else None
        listed = operands[1:] if len(operands) == len(facts.reads) + 1 else operands  # the virtual three-operand form
        sources: list[tuple] = []
        self.swap = None
        for index, reads in enumerate(facts.reads):
            if reads:
                if row.swap and index == row.swap[1]:
                    self.swap = len(sources) - 1
                sources.append(self._spec(listed[index], facts.aligned[index], self.size, facts.vector, row.accesses))
        self.sources = sources
        self.flags_in, self.flags_out = row.flags_read, row.flags_written
        self.clears = self.target[0] == "r" and (self.target[1][0] != VECTOR or facts.clears)
        self.implicit = [(key_of(reg), reg.bits // 8) for reg in row.implicit]
        self.mask = key_of(ins.mask) if ins.mask is not None else None
        self.zeroing = ins.zeroing
        same = len(sources) == 2 and sources[0][0] == "r" and sources[0] == sources[1]
        if row.kind == "hint":
            self.kind = "hint"
        elif self.mask is not None:
            self.kind = "op"
        elif row.move:
            self.kind = "move"
        elif row.name in ZERO_IDIOMS and same:
            self.kind, self.sources = "zero", []
        elif row.name in BROADCASTS:
            self.kind = "copies"
        elif row.name in SUMS:
            self.kind = row.name
        else:
            self.kind = "op"

    @staticmethod
    def _spec(operand, aligned: bool, size: int = 8, vector: bool = False, accesses: bool = True) -> tuple:
        if isinstance(operand, Reg):
            return ("r", key_of(operand), operand.bits // 8)
        if isinstance(operand, Imm):
            value = operand.value & 0xFF if vector else operand.value
            return ("i", value, size)
        base = key_of(operand.base) if operand.base is not None else None
        index = key_of(operand.index) if operand.index is not None else None
        whole = operand.bits // 8 * max(1, operand.broadcast)
        return (
            "m" if accesses else "a",
            operand.bits // 8,
            whole,
            base,
            index,
            operand.scale,
            operand.disp,
            operand.symbol,
            aligned,
        )


class Machine:
    """Registers, flags and memory as terms. ``run`` executes instructions and collects what the checks need.

    Between two atoms flags are lost, and the shared registers of code that is not ``bound``, since other streams come
    between. ``undefined`` lists registers that were read before they were written; ``results`` the value that each
    instruction made.
    """

    def __init__(
        self,
        terms: Terms,
        constants: Iterable[Constant] | Mapping[str, bytes],
        keeps: Mapping[str, Mem] | None = None,
        plans: dict[int, tuple[Ins, _Plan]] | None = None,
        section: str = "",
        bound: bool = False,
    ) -> None:
        self.terms = terms
        self.constants = constants if isinstance(constants, Mapping) else {c.name: c.data for c in constants}
        self.keeps = keeps or {}
        self.plans = plans if plans is not None else {}
        self.section = section
        self.bound = bound
        self.registers: dict[Key, tuple] = {}
        self.blocks: dict[Term, Block] = {}
        self.owner = 0
        self.versions: dict[tuple[int, bool], int] = {}  # stores so far: of this owner, to its table or elsewhere
        self.flags: Term | None = None
        self.glued = False
        self._shared: set[Key] = set()
        self.accesses: list[Access] = []
        self.stores: list[Store] = []
        self.results: list[Term] = []
        self.undefined: list[tuple[Ins, Key]] = []
        self.ins: Ins | None = None
        self.mask: Term = -1  # of the instruction at work

    @property
    def running(self) -> Ins:
        """The instruction at work."""
        assert self.ins is not None
        return self.ins

    # ---- registers: (bytes, term, above); above is 0 (cleared), None (unknown) or the tuple that it keeps

    def read(self, key: Key, size: int) -> Term:
        held = self.registers.get(key)
        terms = self.terms
        if held is None:
            if isinstance(key[1], str) and key[1] in self.keeps:
                return terms.slice(self.kept(key[1]), 0, size)
            if self.ins is not None:
                self.undefined.append((self.ins, key))
            return terms.fresh("undef", size, key)
        have, term, above = held
        if have == size:
            return term
        if have > size:
            return terms.slice(term, 0, size)
        if above == 0:
            return terms.zx(term, size)
        if above is None:
            return terms.cat([term, terms.fresh("undef", size - have, key)])
        return terms.cat([term, terms.slice(self._wide(above, size), have, size - have)])

    def _wide(self, held: tuple, size: int) -> Term:
        have, term, above = held
        if have >= size:
            return self.terms.slice(term, 0, size)
        if above == 0:
            return self.terms.zx(term, size)
        rest = self.terms.fresh("undef", size, "above") if above is None else self._wide(above, size)
        return self.terms.cat([term, self.terms.slice(rest, have, size - have)])

    def write(self, key: Key, size: int, term: Term, clears: bool = True) -> None:
        if clears:
            self.registers[key] = (size, term, 0)
            return
        old = self.registers.get(key)
        while isinstance(old, tuple) and old[0] <= size:
            old = old[2]
        self.registers[key] = (size, term, old)

    def kept(self, name: str) -> Term:
        """The value that a kept memory operand has now."""
        mem = self.keeps[name]
        spec = _Plan._spec(mem, False)
        return self._load(spec, log=False)

    # ---- memory

    def _address(self, spec: tuple) -> Term:
        terms = self.terms
        base, index, scale, disp = spec[3:7]
        address = self.read(base, 8) if base is not None else None
        if index is not None:
            scaled = terms.scaled(self.read(index, 8), scale)
            address = scaled if address is None else terms.add(address, scaled)
        return terms.plus(address, disp) if address is not None else terms.imm(disp, 8)

    def _where(self, address: Term, size: int) -> tuple[Block | None, int]:
        block, offset = self.blocks.get(address), 0
        if block is None:
            node = self.terms.nodes[address]
            if node[0] == "plus":
                block = self.blocks.get(node[2])
                offset = self.terms.signed(node[3])
        if block is None or not block.is_private(offset, size):
            return None, 0
        return block, offset

    def _is_table(self, address: Term) -> bool:
        """Whether the address is a sum that the address of a state block with a table is part of."""
        node = self.terms.nodes[address]
        if node[0] == "plus":
            return self._is_table(node[2])
        if node[0] == "op" and node[2] == "add":
            return any(self._is_table(term) for term in node[3:])
        return node[0] == "state" and self.blocks[address].table

    def _load(self, spec: tuple, log: bool = True) -> Term:
        terms = self.terms
        size, whole, symbol = spec[1], spec[2], spec[7]
        if symbol is not None:
            disp = spec[6]
            if log:
                self.accesses.append(Access(self.running, disp, size, False, spec[8], -1, symbol))
            data = self.constants.get(symbol, b"")[disp : disp + size] if disp >= 0 else b""
            term = terms.make("const", size, data) if len(data) == size else terms.fresh("undef", size, "pool")
            return terms.copies(term, whole)
        address = self._address(spec)
        block, offset = self._where(address, size)
        table = block is None and self._is_table(address)
        if block is not None:
            term = block.memory.load(offset, size)
        else:
            version = self.versions.get((self.owner, table), 0)
            term = terms.make("user", size, (self.section, self.owner, version), address)
        if log:
            self.accesses.append(Access(self.running, address, size, False, spec[8], term, None, self.mask, table))
        return terms.copies(term, whole)

    def _store(self, spec: tuple, term: Term) -> None:
        size = spec[1]
        address = self._address(spec)
        block, offset = self._where(address, size)
        table = block is None and self._is_table(address)
        self.accesses.append(Access(self.running, address, size, True, spec[8], term, None, self.mask, table))
        if block is not None:
            block.memory.store(offset, size, term)
        else:
            self.stores.append(Store(self.running, address, size, term, self.owner, table))
            self.versions[self.owner, table] = self.versions.get((self.owner, table), 0) + 1

    # ---- instructions

    def run(self, code: Iterable[Ins]) -> Machine:
        plans = self.plans
        for ins in code:
            known = plans.get(id(ins))
            if known is None:
                known = plans[id(ins)] = (ins, _Plan(ins))  # holds ins, so that its id stays taken
            self.ins = ins
            if not self.glued:
                self.flags = None
                if not self.bound and self._shared:
                    for key in self._shared:
                        self.registers.pop(key, None)
                    self._shared.clear()
            self._step(known[1])
            self.glued = ins.glue
        self.ins = None
        return self

    def _step(self, plan: _Plan) -> None:
        terms, registers = self.terms, self.registers
        values = []
        self.mask = self.read(plan.mask, 8) if plan.mask is not None else -1
        for spec in plan.sources:
            tag = spec[0]
            if tag == "r":
                held = registers.get(spec[1])
                values.append(held[1] if held is not None and held[0] == spec[2] else self.read(spec[1], spec[2]))
            elif tag == "m":
                values.append(self._load(spec))
            elif tag == "i":
                values.append(("i", spec[1]))
            else:
                values.append(self._address(spec))
        kind, size = plan.kind, plan.size
        if kind == "hint":
            self.accesses.append(Access(self.running, values[0], 0))
            return
        if kind == "op":
            if plan.swap is not None:
                at = plan.swap
                a, b = values[at], values[at + 1]
                if type(b) is int and type(a) is int and b < a:
                    values[at], values[at + 1] = b, a
            if plan.implicit:
                values += [self.read(key, bits) for key, bits in plan.implicit]
            if plan.flags_in:
                if self.flags is None:
                    self.undefined.append((self.running, ("flags", "flags")))
                    self.flags = terms.fresh("undef", 8, "flags")
                values.append(self.flags)
            if plan.mask is not None:
                values += ["mask", self.mask]
                if plan.target[0] == "r" and not plan.zeroing:
                    values.append(self.read(plan.target[1], size))
            result = terms.make("op", 2 * size if plan.low else size, plan.name, *values)
        elif kind == "move":
            result = terms.imm(values[0][1], size) if type(values[0]) is tuple else values[0]
        elif kind == "copies":
            result = terms.copies(values[0], size)
        elif kind == "zero":
            result = terms.imm(0, size)
        elif kind == "lea":
            result = terms.slice(values[0], 0, size)
        else:
            a, b = values
            if type(b) is tuple:
                result = terms.plus(a, b[1] if kind == "add" else -b[1])
            elif kind == "add":
                result = terms.add(a, b)
            else:
                result = terms.make("op", size, plan.name, a, b)
        if plan.flags_out:
            if kind == "add" and type(values[1]) is int:
                values.sort()
            self.flags = terms.make("op", 8, "flags of " + plan.name, *values)
        self.results.append(result)
        if plan.low:  # first, because the target that is named first counts where both are one register
            self._put(plan.low[1], size, terms.slice(result, 0, size))
            result = terms.slice(result, size, size)
        target = plan.target
        if target[0] == "r":
            if plan.shared:
                self._shared.add(target[1])
            if plan.clears:
                registers[target[1]] = (size, result, 0)
            else:
                self.write(target[1], size, result, False)
        else:
            self._store(target, result)

    def _put(self, key: Key, size: int, term: Term) -> None:
        if is_shared(key):
            self._shared.add(key)
        self.registers[key] = (size, term, 0)
