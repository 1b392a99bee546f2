"""One straight-line section, from virtual registers to registers: the inner part of the allocation.

Linear scan with Belady's choice: when a register is wanted and none is free, the value whose next use is farthest goes
to memory (L. A. Belady, 1966). For a hash's message schedule that keeps the youngest words in registers and puts the
old ones in the state block, which is what measurement asks for. A value that is needed once more and lies in memory is
used from there when its instruction can.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..core.accesses import Accesses, Key
from ..core.errors import DoesNotFit
from ..core.instructions import INSTRUCTIONS
from ..core.ir import GENERAL, STATE, VECTOR, Ins, Mem, Reg
from ..core.isa import Isa

NEAR = 24
"""A kept operand that is used again within this many instructions is worth a free register for that long."""

NEVER = 1 << 30
SPILL_SYMBOLS = {"spill v": VECTOR, "spill g": GENERAL}
"""Marks of slots whose place in the state block is not yet known: a constant's name cannot hold a space."""


@dataclass
class Value:
    """One definition of a name, or one kept operand."""

    name: Key
    bits: int
    uses: list[int] = field(default_factory=list)
    register: int | None = None
    memory: Mem | None = None

    @property
    def place(self) -> int:
        """The register that holds it."""
        assert self.register is not None
        return self.register

    @property
    def home(self) -> Mem:
        """Returns the value's place in memory."""
        assert self.memory is not None
        return self.memory

    def next_use(self, now: int) -> int:
        while self.uses and self.uses[0] < now:
            self.uses.pop(0)
        return self.uses[0] if self.uses else NEVER


def load(isa: Isa, target: Reg, mem: Mem) -> Ins:
    """The instruction that brings ``mem`` into ``target``: a broadcast when the memory holds one element."""
    if mem.broadcast:
        return Ins(dict(isa.load_broadcast)[mem.bits], (target, replace(mem, broadcast=0)))
    if target.cls == VECTOR and 0 < mem.bits < target.bits:  # a kept operand of which a narrow view is used
        target = replace(target, bits=mem.bits)
    return Ins("mov" if target.cls == GENERAL else isa.load, (target, mem))


class Section:
    """Allocates one straight-line section. ``attempt`` is the allocation of the whole stream: limits, homes, spill
    slots."""

    def __init__(
        self,
        attempt,
        code: tuple[Ins, ...],
        accesses: Accesses,
        live_in: set[Key],
        live_out: set[Key],
        loading: bool = False,
    ):
        self.a, self.isa = attempt, attempt.isa
        self.code, self.accesses, self.live_out, self.loading = code, accesses, live_out, loading
        # Homes that some value must reach by the end of the section; better left to it.
        self.wanted_homes = {
            cls: {n for k, n in attempt.homes.items() if k[0] == cls and k in live_out}
            for cls in (VECTOR, GENERAL, "k")
        }
        self.out: list[Ins] = []
        self.current: dict[Key, Value] = {}
        self.in_register: dict[str, dict[int, Value]] = {VECTOR: {}, GENERAL: {}, "k": {}}
        self.free_slots: dict[str, list[int]] = {VECTOR: [], GENERAL: []}
        self.used_slots = {VECTOR: 0, GENERAL: 0}
        self.slot_of: dict[int, tuple[str, int]] = {}
        self.released: list[tuple[str, int]] = []  # free once the instruction that read them last is out
        self.state_stores = [
            (index, mem)
            for index, ins in enumerate(code)
            for mem in ins.operands[:1]
            if isinstance(mem, Mem)
            and INSTRUCTIONS[ins.op].operands[0].writes
            and any(r.key in attempt.uses.state_pointers for r in (mem.base, mem.index) if r is not None)
        ]
        for key in live_in:
            value = Value(key, self._bits(key))
            self.current[key] = value
            self._put(value, attempt.homes[key])
        self._number()

    def _bits(self, key: Key) -> int:
        return self.isa.vector_bits if key[0] == VECTOR else 64

    # ---- values

    def _number(self) -> None:
        """Gives every read and write its value, and every value its list of uses."""
        current = dict(self.current)
        self.reads: list[dict[Key, Value]] = []
        self.writes: list[dict[Key, Value]] = []
        keeps = self.a.stream.keep
        for index, (ins, (read, written)) in enumerate(zip(self.code, self.accesses)):
            reads, writes = {}, {}
            for key in sorted(read) if len(read) > 1 else read:
                if key not in current:
                    if key[1] not in keeps:
                        raise DoesNotFit(
                            f"{ins.places[0] if ins.places else self.a.stream.name}: '{key[1]}' is read before it is "
                            "written"
                        )
                    current[key] = Value(key, self._bits(key), memory=keeps[key[1]])
                reads[key] = current[key]
                current[key].uses.append(index)
            for key in sorted(written) if len(written) > 1 else written:
                current[key] = writes[key] = Value(key, self._bits(key))
            self.reads.append(reads)
            self.writes.append(writes)
        self.last = current
        for key in self.live_out:
            if key in current:
                current[key].uses.append(len(self.code))

    # ---- the scan

    def run(self) -> list[Ins]:
        for index, ins in enumerate(self.code):
            self._instruction(index, ins)
            for cls, number in self.released:
                self.free_slots[cls].append(number)
            self.released.clear()
        self._go_home()
        return self.out

    def _instruction(self, now: int, ins: Ins) -> None:
        reads, writes = self.reads[now], self.writes[now]
        row = INSTRUCTIONS[ins.op]
        if row.move and ins.mask is None and self._coalesce(now, ins, reads, writes):
            return
        folded = self._fold(now, ins, row, reads)
        pinned = {id(v) for k, v in reads.items() if k != folded}
        for key, value in reads.items():
            if key != folded and value.register is None:
                self._reload(value, now, pinned)
        where = {key: value.register for key, value in reads.items() if value.register is not None}
        for value in reads.values():
            if value.next_use(now + 1) == NEVER:
                self._drop(value)
        for key, value in writes.items():
            taken = reads.get(key) if self._updates(ins, row, key) else None
            if taken is not None:
                if taken.register is not None:
                    self._drop(taken)
                self._put(value, where[key])
            else:
                self._put(
                    value,
                    self._register(
                        key,
                        value,
                        now,
                        {id(v) for k, v in writes.items() if v is not value}
                        | {
                            id(v)
                            for v in reads.values()
                            if v.register is not None and id(v) in pinned and v.next_use(now + 1) != NEVER
                        },
                    ),
                )
        self._emit(ins, reads, writes, folded, where)
        for value in writes.values():
            if value.next_use(now + 1) == NEVER:
                self._drop(value)
        self._remember_store(now, ins, row, reads)

    def _updates(self, ins: Ins, row, key: Key) -> bool:
        for slot, operand in zip(row.operands, ins.operands):
            if slot.access == "x" and isinstance(operand, Reg) and operand.key == key:
                return True
        return False

    def _coalesce(self, now, ins, reads, writes) -> bool:
        """A copy whose source dies costs nothing: the target takes over the register. A narrow copy also clears what
        lies above it, so it stays where its target is used at a greater width."""
        target, source = ins.operands
        if not (isinstance(target, Reg) and isinstance(source, Reg)) or target.physical or source.physical:
            return False
        value = reads[source.key]
        if target.bits != source.bits or value.register is None or value.next_use(now + 1) != NEVER:
            return False
        if self.a.uses.widest[target.key] > target.bits:
            return False
        register, memory = value.register, value.memory
        self._drop(value, keep_slot=True)
        new = writes[target.key]
        new.memory = memory
        if id(value) in self.slot_of:
            self.slot_of[id(new)] = self.slot_of.pop(id(value))
        self._put(new, register)
        if new.next_use(now + 1) == NEVER:
            self._drop(new)
        return True

    def _fold(self, now, ins, row, reads) -> Key | None:
        """The one operand, if any, that is better used from memory than brought into a register."""
        for operand in ins.operands:
            if isinstance(operand, Mem):
                return None
        for index in range(len(row.operands) - 1, -1, -1):
            operand, slot = ins.operands[index], row.operands[index]
            if slot.access != "r" or not isinstance(operand, Reg) or not slot.memory or operand.physical:
                continue
            value = reads[operand.key]
            if value.register is not None or value.memory is None or self._named_twice(ins, operand.key):
                continue
            if value.memory.broadcast and not row.element:
                continue
            if not value.memory.broadcast and operand.bits != value.memory.bits and operand.cls == VECTOR:
                continue
            later = value.next_use(now + 1)
            kept = operand.key[1] in self.a.stream.keep
            free = len(self.in_register[operand.cls]) < self.a.limit[operand.cls]
            worth_a_register = (
                free and later - now <= NEAR if kept else free or later < self._farthest(operand.cls, now, reads)
            )
            if later == NEVER or not worth_a_register:
                return operand.key
        swap = row.swap
        if swap and self._swappable(ins, row, reads, now):
            return ins.operands[swap[0]].key
        return None

    def _swappable(self, ins, row, reads, now) -> bool:
        """The first operand of a commutative instruction lies in memory for the last time: exchange and fold."""
        first, second = row.swap
        if row.operands[first].access != "r":
            return False
        a, b = ins.operands[first], ins.operands[second]
        if not (isinstance(a, Reg) and isinstance(b, Reg)) or a.key == b.key:
            return False
        value, other = reads[a.key], reads[b.key]
        return (
            value.register is None
            and value.memory is not None
            and other.register is not None
            and (not value.memory.broadcast or row.element)
            and value.next_use(now + 1) == NEVER
            and (value.memory.broadcast or value.memory.bits == a.bits)
        )

    @staticmethod
    def _named_twice(ins: Ins, key: Key) -> bool:
        return sum(1 for o in ins.operands if isinstance(o, Reg) and o.key == key) > 1

    def _farthest(self, cls, now, reads) -> int:
        return max((v.next_use(now + 1) for v in self.in_register[cls].values() if v not in reads.values()), default=0)

    # ---- registers

    def _put(self, value: Value, register: int) -> None:
        value.register = register
        cls = value.name[0]
        held = self.in_register[cls]
        held[register] = value
        if len(held) > self.a.peak[cls]:
            self.a.peak[cls] = len(held)

    def _drop(self, value: Value, keep_slot: bool = False) -> None:
        """The value is dead, or moves: its register is free."""
        if value.register is not None:
            held = self.in_register[value.name[0]]
            if held.get(value.register) is value:
                del held[value.register]
            value.register = None
        if not keep_slot and id(value) in self.slot_of:
            self.released.append(self.slot_of.pop(id(value)))

    def _register(self, key: Key, value: Value, now: int, pinned: set[int]) -> int:
        cls = key[0]
        held, limit = self.in_register[cls], self.a.limit[cls]
        home = self.a.homes.get(key)
        if home is not None and home not in held and self.last.get(key) is value:
            return home
        for number in range(limit):
            if number not in held and (self.loading or number not in self.wanted_homes[cls]):
                return number
        for number in range(limit):
            if number not in held:
                return number
        candidates = [v for v in held.values() if id(v) not in pinned and v.name != (GENERAL, STATE)]
        if not candidates:
            raise DoesNotFit(f"{self.a.stream.name}: {limit} registers are too few for one of its instructions")
        victim = max(
            candidates,
            key=lambda v: (v.next_use(now + (0 if id(v) in pinned else 1)), v.memory is not None, -v.place),
        )
        register = victim.place
        if victim.memory is None:
            self._spill(victim)
        self._drop(victim, keep_slot=True)
        return register

    def _new_slot(self, cls: str) -> tuple[Mem, int]:
        if self.free_slots[cls]:
            number = min(self.free_slots[cls])
            self.free_slots[cls].remove(number)
        else:
            number = self.used_slots[cls]
            self.used_slots[cls] += 1
            self.a.slots[cls] = max(self.a.slots[cls], self.used_slots[cls])
        return self.a.slot(cls, number), number

    def _spill(self, value: Value) -> None:
        cls = value.name[0]
        if cls not in self.free_slots:
            raise DoesNotFit(f"{self.a.stream.name}: more masks at once than there are registers for")
        value.memory, number = self._new_slot(cls)
        self.slot_of[id(value)] = (cls, number)
        op = "mov" if cls == GENERAL else self.isa.store
        self._insert(Ins(op, (self._bound(value.memory), Reg(cls, value.place, self._bits(value.name)))))

    def _reload(self, value: Value, now: int, pinned: set[int]) -> None:
        if value.memory is None:
            raise DoesNotFit(f"{self.a.stream.name}: a value of '{value.name[1]}' was lost")
        register = self._register(value.name, value, now, pinned)
        self._put(value, register)
        self._insert(load(self.isa, Reg(value.name[0], register, self._bits(value.name)), self._bound(value.memory)))

    def _insert(self, ins: Ins) -> None:
        """Appends an instruction of the allocator's own; inside a glued run it becomes part of the run."""
        self.out.append(replace(ins, glue=bool(self.out) and self.out[-1].glue))

    def _bound(self, mem: Mem) -> Mem:
        """The memory operand with its address registers where they are now."""

        def at(reg):
            if reg is None or isinstance(reg.id, int):
                return reg
            return Reg(GENERAL, self.current_register(reg.key), 64)

        return Mem(at(mem.base), mem.disp, mem.bits, at(mem.index), mem.scale, mem.broadcast, mem.symbol)

    def current_register(self, key: Key) -> int:
        for number, value in self.in_register[GENERAL].items():
            if value.name == key:
                return number
        raise DoesNotFit(f"{self.a.stream.name}: the address register '{key[1]}' is not in a register")

    def _remember_store(self, now: int, ins: Ins, row, reads) -> None:
        """A value that the program itself stored to the state block, for the rest of the section, needs no spill
        slot."""
        if (
            not row.move
            or ins.mask is not None
            or not isinstance(ins.operands[0], Mem)
            or not isinstance(ins.operands[1], Reg)
            or ins.op != self.isa.store
        ):
            return
        mem, reg = ins.memory(0), ins.register(1)
        value = reads.get(reg.key)
        if (
            value is not None
            and value.memory is None
            and mem.bits == self._bits(value.name)
            and reg.cls == VECTOR
            and self._fixed(mem)
            and not self._overwritten(mem, now)
        ):
            value.memory = mem

    def _overwritten(self, mem: Mem, now: int) -> bool:
        """Whether a later store of the section may touch these bytes of the state block."""
        end = mem.disp + mem.bits // 8
        return any(
            at > now and (not self._fixed(other) or (other.disp < end and mem.disp < other.disp + other.bits // 8))
            for at, other in self.state_stores
        )

    @staticmethod
    def _fixed(mem: Mem) -> bool:
        """Whether the place in the state block is known here."""
        return mem.base is not None and mem.base.id == STATE and mem.index is None

    # ---- output

    def _emit(self, ins: Ins, reads, writes, folded, where) -> None:
        row = INSTRUCTIONS[ins.op]
        operands = list(ins.operands)
        if (
            folded is not None
            and row.swap
            and isinstance(swapped := operands[row.swap[0]], Reg)
            and swapped.key == folded
            and not row.operands[row.swap[0]].memory
        ):
            first, second = row.swap
            operands[first], operands[second] = operands[second], operands[first]
        for index, operand in enumerate(operands):
            if isinstance(operand, Reg) and not operand.physical:
                writing = row.operands[index].writes and operand.key in writes
                if operand.key == folded and not writing:
                    memory = self._bound(reads[folded].memory)
                    operands[index] = replace(memory, bits=memory.bits if memory.broadcast else operand.bits)
                else:
                    register = writes[operand.key].register if writing else where[operand.key]
                    operands[index] = Reg(operand.cls, register, operand.bits)
            elif isinstance(operand, Mem):
                base = Reg(GENERAL, where[operand.base.key], 64) if operand.base else None
                index_ = Reg(GENERAL, where[operand.index.key], 64) if operand.index else None
                operands[index] = Mem(
                    base, operand.disp, operand.bits, index_, operand.scale, operand.broadcast, operand.symbol
                )
        mask = replace(ins.mask, id=where[ins.mask.key]) if ins.mask is not None else None
        self.out.append(Ins(ins.op, tuple(operands), mask, ins.zeroing, ins.glue, ins.places))

    def _go_home(self) -> None:
        """Parallel copy of the section's results to their homes."""
        moves: dict[tuple[str, int], tuple[str, int] | Mem] = {}
        for key in self.live_out:
            value = self.last.get(key)
            if value is None:
                continue
            home = (key[0], self.a.homes[key])
            if value.register is None:
                moves[home] = self._bound(value.home)
            elif value.register != home[1]:
                moves[home] = (key[0], value.register)
        while moves:
            sources = {m for m in moves.values() if not isinstance(m, Mem)}
            ready = [t for t, s in sorted(moves.items(), key=lambda i: i[0]) if t not in sources]
            if ready:
                target = next((t for t in ready if not isinstance(moves[t], Mem)), ready[0])
                self._move(target, moves.pop(target))
                continue
            target, source = next(iter(sorted(moves.items(), key=lambda i: i[0])))
            assert not isinstance(source, Mem)  # a cycle is of registers
            spare = self._spare(target[0], moves)
            if isinstance(spare, Mem):
                self.out.append(
                    Ins(
                        "mov" if source[0] == GENERAL else self.isa.store,
                        (spare, Reg(source[0], source[1], self._bits(source))),
                    )
                )
            else:
                self._move(spare, source)
            moves = {t: spare if s == source else s for t, s in moves.items()}

    def _spare(self, cls: str, moves) -> tuple[str, int] | Mem:
        """Returns a place where one value of a cycle can wait: a register that nothing needs, else a spill slot."""
        busy = {n for c, n in moves if c == cls} | {
            m[1] for m in moves.values() if not isinstance(m, Mem) and m[0] == cls
        }
        busy |= {self.a.homes[k] for k in self.live_out if k[0] == cls}
        for number in range(self.a.limit[cls]):
            if number not in busy:
                return cls, number
        return self._bound(self._new_slot(cls)[0])

    def _move(self, target: tuple[str, int], source) -> None:
        bits = self._bits(target)
        reg = Reg(target[0], target[1], bits)
        if isinstance(source, Mem):
            self.out.append(load(self.isa, reg, source))
        else:
            self.out.append(
                Ins("mov" if target[0] == GENERAL else self.isa.move, (reg, Reg(source[0], source[1], bits)))
            )
