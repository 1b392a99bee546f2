"""The instruction model as a machine: runs a kernel's bytes on any host, by the meanings in ``semantics``.

Each decoded instruction becomes a closure once; a run calls closures. What a closure adds to a meaning: fetching and
storing operands, the rest of a written register (general registers of 32 bits and VEX clear it, legacy SSE keeps it),
masks, and memory that is checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..core.instructions import Row
from ..core.ir import GENERAL, MASK, VECTOR, Imm, Mem, Reg
from ..core.registers import RSP, SYSV
from ..passes.frame import POOL_ALIGN
from ..semantics import CONTROL, JUMPS, MEANING, Form
from ..semantics.forms import repeat
from ..semantics.scalar import CF, STATUS, Flagged
from .blocks import SPACING, Block, Blocks, Fault
from .decoding import Decoded, decode
from .machine import Access, Outcome, Step

ALL = (1 << 64) - 1
RETURN = 0xDEAD_0000_0000
STACK_BYTES = 4096
CODE = SPACING + POOL_ALIGN
STACK = 2 * SPACING + 16
FLAG_NAMES = {1: "CF", 4: "PF", 16: "AF", 64: "ZF", 128: "SF", 2048: "OF"}

Get = Callable[[], int]
Do = Callable[[], "int | None"]


def _mask(decoded: Decoded) -> int:
    """The number of the mask that the instruction has."""
    assert decoded.ins.mask is not None
    return decoded.ins.mask.number


def mask_element(row: Row) -> int:
    """Bits that one bit of a mask stands for: the number in the mnemonic (vmovdqu32, vinserti64x4), or the broadcast's
    element."""
    found = re.search(r"(8|16|32|64)(x\d)?$", row.name)
    return int(found[1]) if found else row.element


class ModelMachine:
    """Implements ladder/machine.py's Machine. ``vectors``, ``generals``, ``masks``, ``flags`` are the registers, also
    after a run; ``undefined`` holds the flags whose value no manual promises. ``executed`` counts the instructions of
    the last run; one of more than ``limit`` ends with a fault."""

    def __init__(self, limit: int = 200_000) -> None:
        self.limit, self.executed = limit, 0
        self.vectors, self.generals, self.masks = [0] * 32, [0] * 16, [0] * 8
        self.flags, self.undefined = 0, STATUS
        self._blocks = Blocks()
        self._log: list[Access] | None = None
        self._code = b""
        self._pool = 0
        self._runs: dict[int, list[tuple[int, Do]]] = {}
        self._after: dict[int, int] = {}
        self._closures: dict[tuple[bytes, int], Do] = {}

    # ---- memory

    def take(self, name: str, size: int, align: int, writable: bool) -> int:
        return self._blocks.take(name, bytearray(size), align, writable).address

    def place(self, block: Block) -> None:
        """A block at an address of the caller's choice."""
        self._blocks.place(block)

    def write(self, address: int, data: bytes) -> None:
        block = self._blocks.find(address, len(data))
        block.data[address - block.address : address - block.address + len(data)] = data

    def read(self, address: int, size: int) -> bytes:
        block = self._blocks.find(address, size)
        return bytes(block.data[address - block.address : address - block.address + size])

    def all_of(self, address: int) -> bytes:
        """Returns all bytes of the block at this address."""
        return bytes(self._blocks.find(address, 0).data)

    def reset(self) -> None:
        self._blocks.reset()

    def load(self, address: int, size: int) -> int:
        block = self._blocks.find(address, size)
        if self._log is not None:
            self._log.append(Access(address, size, False))
        at = address - block.address
        return int.from_bytes(block.data[at : at + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        block = self._blocks.find(address, size, True)
        if self._log is not None:
            self._log.append(Access(address, size, True))
        at = address - block.address
        block.data[at : at + size] = value.to_bytes(size, "little")

    def flag(self, which: int) -> bool:
        if self.undefined & which:
            raise Fault(f"reads {FLAG_NAMES[which]} where it is undefined")
        return bool(self.flags & which)

    # ---- running

    def run(self, code: bytes, argument: int, trace: bool = False) -> Outcome:
        self.vectors[:] = [repeat(0x5A, 8, 512) ^ n for n in range(32)]  # a caller leaves anything in them
        self.masks[:] = [0xA5A5_5A5A_C3C3_0F0F ^ n for n in range(8)]
        self.generals[:] = [0x3C3C_5A5A_9999_0000 | n for n in range(16)]
        self.flags, self.undefined = 0, STATUS
        stack = self._blocks.place(Block("the stack", STACK, bytearray(STACK_BYTES), True))
        top = stack.end - 8  # 8 modulo 16, as after a call
        stack.data[-8:] = RETURN.to_bytes(8, "little")
        self.generals[RSP], self.generals[SYSV.args] = top, argument
        saved = {n: self.generals[n] for n in SYSV.saved_generals} | {RSP: top + 8}
        outcome = self.go(code, trace)
        changed = [n for n in sorted(saved) if self.generals[n] != saved[n]]
        if not outcome.fault and changed:
            return Outcome(f"does not preserve general registers {', '.join(map(str, changed))}", outcome.trace)
        return outcome

    def go(self, code: bytes, trace: bool = False, end: int = RETURN) -> Outcome:
        """Runs from the first byte with the registers as they are, until the instruction pointer is ``end``."""
        self._prepare(code)
        log: list[Access] = []
        self.executed, self._log = 0, log if trace else None
        steps: list[Step] = []
        address, at, last = CODE, CODE, CODE + len(code)
        try:
            while address != end:
                if not CODE <= address < last:
                    raise Fault(f"goes to {address:#x}, outside the code")
                run = self._runs.get(address) or self._compiled(address)
                if self.executed > self.limit:
                    raise Fault(f"has not returned after {self.limit} instructions")
                following = None
                if trace:
                    for at, do in run:
                        following = do()
                        steps.append(Step(at - CODE, tuple(log)))
                        log.clear()
                else:
                    for at, do in run:  # noqa: B007 (where a fault happened)
                        following = do()
                self.executed += len(run)
                address = self._after[run[0][0]] if following is None else following
        except Fault as fault:
            return Outcome(f"at byte {at - CODE}: {fault}", tuple(steps))
        return Outcome("", tuple(steps))

    def _prepare(self, code: bytes) -> None:
        """Makes the constants behind the return readable, and no other bytes of the code."""
        if code != self._code:
            self._code, self._runs, self._after, self._pool = code, {}, {}, self._pool_offset(code)
        self.place(Block("the constants", CODE + self._pool, bytearray(code[self._pool :]), False))

    @staticmethod
    def _pool_offset(code: bytes) -> int:
        try:
            for decoded in decode(code, 0, CODE):
                if decoded.ins.op == "ret":
                    return min(-(-(decoded.address + decoded.size - CODE) // POOL_ALIGN) * POOL_ALIGN, len(code))
        except Fault:
            pass
        return len(code)

    def _compiled(self, address: int) -> list[tuple[int, Do]]:
        """The closures from here to the next return or jump, or to an instruction without a meaning, which faults when
        it is reached."""
        run: list[tuple[int, Do]] = []
        self._runs[address] = run
        try:
            for decoded in decode(self._code, address - CODE, CODE):
                run.append((decoded.address, self._closure(decoded)))
                self._after[address] = decoded.address + decoded.size
                if decoded.ends:
                    return run
        except Fault as fault:
            run.append((self._after.get(address, address), _fails(fault)))
        if not run:
            run.append((address, _fails(Fault("is no instruction"))))
        return run

    def _closure(self, decoded: Decoded) -> Do:
        start = decoded.address - CODE
        relative = any(isinstance(o, Mem) and o.base is None for o in decoded.ins.operands) or decoded.ins.op in JUMPS
        key = self._code[start : start + decoded.size], start if relative else -1
        if key not in self._closures or relative:
            self._closures[key] = self._make(decoded)
        return self._closures[key]

    # ---- one instruction

    def _make(self, decoded: Decoded) -> Do:
        ins, row = decoded.ins, decoded.row
        if row is None:
            act, number = CONTROL[ins.op], decoded.number
            return lambda: act(self, number)
        values, immediate = [], 0
        for i, (operand, slot) in enumerate(zip(ins.operands, row.operands)):
            if isinstance(operand, Imm) and slot.kinds == "i":
                immediate = operand.value & 0xFF
            elif slot.reads:
                values.append(self._getter(decoded, i))
        values += [self._register(reg) for reg in row.implicit]
        if row.flags_read:
            values.append(lambda: self.flag(CF))
        meaning = MEANING[ins.op](Form(decoded.bits, immediate))
        if row.kind == "hint":
            return lambda: None
        if isinstance(meaning, Flagged):
            return self._flagged(meaning, values, self._setter(decoded))
        return self._plain(meaning, values, self._setter(decoded))

    @staticmethod
    def _plain(apply: Callable, values: list[Get], put: Callable[[int], None]) -> Do:
        if len(values) == 1:
            (a,) = values
            return lambda: put(apply(a()))
        if len(values) == 2:
            a, b = values
            return lambda: put(apply(a(), b()))
        a, b, c = values
        return lambda: put(apply(a(), b(), c()))

    def _flagged(self, meaning: Flagged, values: list[Get], put: Callable[[int], None]) -> Do:
        apply, undefined = meaning.apply, meaning.undefined
        stay = ~(meaning.defined | undefined)

        def do() -> None:
            value, flags = apply(*[get() for get in values])
            put(value)
            self.flags = self.flags & stay | flags
            self.undefined = self.undefined & stay | undefined

        return do

    def _vector(self, n: int, bits: int) -> Get:
        vectors = self.vectors
        if bits == 512:
            return lambda: vectors[n]
        low = (1 << bits) - 1
        return lambda: vectors[n] & low

    def _getter(self, decoded: Decoded, i: int) -> Get:
        operand = decoded.ins.operands[i]
        if isinstance(operand, Imm):
            value = operand.value & (1 << decoded.bits) - 1
            return lambda: value
        if isinstance(operand, Mem):
            return self._loader(decoded, i, operand)
        return self._register(operand)

    def _register(self, operand: Reg) -> Get:
        number, generals, masks = operand.number, self.generals, self.masks
        if operand.cls == VECTOR:
            return self._vector(number, operand.bits)
        if operand.cls == MASK:
            return lambda: masks[number]
        if operand.bits == 64:
            return lambda: generals[number]
        return lambda: generals[number] & 0xFFFFFFFF

    def _address(self, operand: Mem) -> Get:
        generals, disp, scale = self.generals, operand.disp, operand.scale
        if operand.base is None:
            return lambda: disp
        base = operand.base.number
        if operand.index is None:
            return lambda: generals[base] + disp & ALL
        index = operand.index.number
        return lambda: generals[base] + generals[index] * scale + disp & ALL

    def _loader(self, decoded: Decoded, i: int, operand: Mem) -> Get:
        row, address, load, size = decoded.its_row, self._address(operand), self.load, operand.bits // 8
        if not row.accesses:
            return address
        if operand.broadcast:
            ones, masks, mask = repeat(1, operand.bits, decoded.bits), self.masks, decoded.ins.mask
            if mask is None or row.kind == "shuffle":
                return lambda: load(address(), size) * ones
            k = mask.number
            every = (1 << decoded.bits // operand.bits) - 1
            return lambda: load(address(), size) * ones if masks[k] & every else 0
        if decoded.ins.mask is not None and row.kind != "shuffle":
            return self._masked_loader(decoded, operand)
        if "a" in row.operands[i].kinds:
            aligned = self._aligned(address, size)
            return lambda: load(aligned(), size)
        return lambda: load(address(), size)

    @staticmethod
    def _aligned(address: Get, size: int) -> Get:
        def checked() -> int:
            value = address()
            if value & size - 1:
                raise Fault(f"the address {value:#x} is not aligned to {size} bytes")
            return value

        return checked

    def _masked_loader(self, decoded: Decoded, operand: Mem) -> Get:
        """Elements that are masked off are not accessed (shuffles, which take them elsewhere, load everything)."""
        if operand.bits != decoded.bits:
            raise Fault(f"{decoded.ins.op} has no meaning in the model with a mask and {operand.bits} bits of memory")
        size, address, masks, k = (
            mask_element(decoded.its_row) // 8,
            self._address(operand),
            self.masks,
            _mask(decoded),
        )
        if any("a" in o.kinds for o in decoded.its_row.operands):
            address = self._aligned(address, operand.bits // 8)

        def get() -> int:
            start, chosen = address(), masks[k]
            return sum(
                self.load(start + size * n & ALL, size) << 8 * size * n
                for n in range(operand.bits // 8 // size)
                if chosen >> n & 1
            )

        return get

    def _setter(self, decoded: Decoded) -> Callable[[int], None]:
        ins, row = decoded.ins, decoded.its_row
        written = [i for i, slot in enumerate(row.operands) if slot.writes]
        i, operand = written[0], ins.operands[written[0]]
        if len(written) == 2:
            return self._pair_setter(ins.register(i), ins.register(written[1]))
        if isinstance(operand, Mem):
            return self._storer(decoded, i, operand)
        target = ins.register(i)
        registers, n = {VECTOR: self.vectors, GENERAL: self.generals, MASK: self.masks}[target.cls], target.number
        if ins.mask is not None:
            return self._masked_setter(decoded, target)
        if target.cls == VECTOR and not ins.op.startswith("v"):
            above = (1 << 512) - (1 << 128)

            def put(value: int) -> None:
                registers[n] = registers[n] & above | value

            return put

        def put_whole(value: int) -> None:
            registers[n] = value

        return put_whole

    def _pair_setter(self, high: Reg, low: Reg) -> Callable[[int], None]:
        """Returns a function that sets two general registers; the first keeps its value where both are the same one."""
        generals, bits, mask = self.generals, high.bits, (1 << high.bits) - 1
        low_number, high_number = low.number, high.number

        def put(value: int) -> None:
            generals[low_number] = value & mask
            generals[high_number] = value >> bits

        return put

    def _masked_setter(self, decoded: Decoded, operand: Reg) -> Callable[[int], None]:
        vectors, masks, n, k, zeroing = self.vectors, self.masks, operand.number, _mask(decoded), decoded.ins.zeroing
        element = mask_element(decoded.its_row)
        one, places = (1 << element) - 1, range(operand.bits // element)

        def put(value: int) -> None:
            chosen = sum((one << element * p for p in places if masks[k] >> p & 1), 0)
            kept = 0 if zeroing else vectors[n] & (1 << operand.bits) - 1 & ~chosen
            vectors[n] = value & chosen | kept

        return put

    def _storer(self, decoded: Decoded, i: int, operand: Mem) -> Callable[[int], None]:
        address, store, size = self._address(operand), self.store, operand.bits // 8
        if "a" in decoded.its_row.operands[i].kinds:
            address = self._aligned(address, size)
        if decoded.ins.mask is None:
            return lambda value: store(address(), size, value)
        part = mask_element(decoded.its_row) // 8
        masks, k, one = self.masks, _mask(decoded), (1 << 8 * part) - 1

        def put(value: int) -> None:
            start = address()
            for n in range(size // part):
                if masks[k] >> n & 1:
                    store(start + part * n & ALL, part, value >> 8 * part * n & one)

        return put


def _fails(fault: Fault) -> Do:
    def do() -> None:
        raise fault

    return do
