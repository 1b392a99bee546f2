"""A framed kernel runs exactly what its programs say, for any number of iterations above its lag, and leaves nothing
behind.

Cheap and complete: the register map is injective and the streams' windows are disjoint, every stream's instructions
appear in their order under that map, glue is intact, and kernel iterations do not overlap. Then each stream computes
what its program alone computes. What the frame adds is interpreted on its own small model: saved registers, stack,
counter, arguments, wiping.
"""

from __future__ import annotations

from dataclasses import replace

from ..core.contract import JOB, TEXT_BYTES
from ..core.ir import GENERAL, MASK, VECTOR, Imm, Ins, Mem, Reg
from ..core.kernel import Item, Kernel
from ..core.registers import ABIS, RSP, Abi
from .binding import binding_problems, shared_registers
from .text import describe

ENTRY, ARGUMENT, STREAM, ZERO = "entry", "argument", "stream", "zero"


def kernel_problems(kernel: Kernel) -> list[str]:
    """Empty when the kernel is proved. The walk stops at the first fault, since all that follows depends on it."""
    problems = binding_problems(kernel)
    if problems:
        return problems
    try:
        _Walk(kernel).run()
    except _Fault as fault:
        return [f"{kernel.name}: {fault}"]
    return []


class _Fault(Exception):
    pass


# ---- the walk


class _Stream:
    """One part's position in its program: enter, then bodies, then leave."""

    def __init__(self, kernel: Kernel, index: int) -> None:
        part = kernel.recipe.parts[index]
        self.name = part.program.name
        self.lag, self.ratio = part.lag, part.ratio
        code = part.program.code
        pool = {entry.data: entry.label for entry in kernel.pool}
        labels = {c.name: pool.get(c.data) for c in part.program.contract.constants}
        tables = {
            VECTOR: kernel.binding.vectors[index],
            GENERAL: kernel.binding.generals[index],
            MASK: kernel.binding.masks[index],
        }

        def physical(reg: Reg) -> Reg:
            if reg.physical:
                return reg
            table = tables[reg.cls]
            if not isinstance(reg.id, int) or not 0 <= reg.id < len(table):
                raise _Fault(f"{self.name}: register {reg.cls}{reg.id} is outside its window")
            return Reg(reg.cls, table[reg.id], reg.bits, True)

        def bound(ins: Ins) -> Ins:
            ins = ins.rename(physical)
            if any(isinstance(o, Mem) and o.symbol is not None for o in ins.operands):
                ins = replace(
                    ins,
                    operands=tuple(
                        replace(o, symbol=labels.get(o.symbol)) if isinstance(o, Mem) and o.symbol is not None else o
                        for o in ins.operands
                    ),
                )
            return ins

        self.enter, self.body, self.leave = (
            [bound(i) for i in section] for section in (code.enter, code.body, code.leave)
        )
        self.section, self.at = "enter", 0
        self.bodies = 0  # bodies that are complete
        self.iterations = 0  # kernel iterations that are complete
        self._advance()

    def expected(self) -> list[Ins]:
        return self.enter if self.section == "enter" else self.body if self.section == "body" else self.leave

    def _advance(self) -> None:
        if self.section == "enter" and self.at == len(self.enter):
            self.section, self.at = "body", 0

    def start_leave(self) -> None:
        if self.section == "body" and self.at == 0:
            self.section = "leave"

    def take(self, ins: Ins, origin: Ins) -> None:
        code = self.expected()
        if self.at >= len(code):
            raise _Fault(f"{describe(origin)} comes after the end of {self.name}")
        if ins != code[self.at]:
            raise _Fault(f"{describe(origin)} is not what {self.name} does here, which is {describe(code[self.at])}")
        self.at += 1
        if self.section == "body" and self.at == len(code):
            self.at = 0
            self.bodies += 1
            self.iterations = self.bodies // self.ratio
        else:
            self._advance()

    @property
    def between(self) -> bool:
        return self.section == "body" and self.at == 0 and self.bodies % self.ratio == 0


def is_hop(jump: Item, label: Item) -> bool:
    """Whether the two lines are a jump to the next instruction."""
    return jump.stream is None and jump.ins == Ins("jmp") and label.ins is None and jump.label == label.label


class _Walk:
    """Follows the kernel once, the loop once, as if it were called with lag + 1 iterations."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.abi: Abi = ABIS[kernel.abi]
        self.lag = kernel.recipe.lag
        self.streams = [_Stream(kernel, i) for i in range(len(kernel.recipe.parts))]
        self.general: dict[int, tuple] = {r: (ENTRY, r) for r in range(16)}
        self.vector: dict[int, tuple] = {}
        self.mask: dict[int, tuple] = {}
        self.stack: list[tuple[int, tuple]] = []  # (bytes below the entry's rsp, value)
        self.depth = 0
        self.used: set[tuple[str, int]] = set()
        self.wide = False  # whether an upper half may be dirty
        self.started = False
        self.counted = 0
        self.glued: int | None = None
        self.label: str | None = None
        self.looped = False
        self.script = self._plan() if kernel.recipe.is_listed else []  # what follows of a list's lines
        self.behind: str | None = None  # where a call without iterations goes
        self.skipped = False

    def run(self) -> None:
        items = self.kernel.items
        if not items or items[0].ins is None or items[0].ins.op != "endbr64":
            raise _Fault("does not begin with endbr64")
        for number, item in enumerate(items):
            if self.glued is not None and item.stream != self.glued:
                what = "a label" if item.ins is None else describe(item.ins)
                raise _Fault(f"{what} splits glued instructions of {self.streams[self.glued].name}")
            if self.script and item.stream is None and (self.started or item.ins is None):
                self._listed(item)
            elif item.ins is None:
                if not is_hop(items[number - 1], item):
                    self._label(item)
            elif item.stream is not None:
                self._stream(item.stream, item.ins, item.section)
            else:
                if item.ins.op == "ret":
                    self._return(number == len(items) - 1)
                    return
                self._frame(item, item.ins, items[number - 1], items[number + 1] if number + 1 < len(items) else item)
        raise _Fault("does not return")

    # ---- streams

    def _stream(self, number: int, ins: Ins, section: str) -> None:
        if not 0 <= number < len(self.streams):
            raise _Fault(f"{describe(ins)} belongs to no stream")
        stream = self.streams[number]
        if not self.started:
            self._start()
        if stream.between and stream.section == "body":
            if section == "leave":
                stream.start_leave()
            else:
                self._in_step(stream)
        stream.take(ins, ins)
        self.glued = number if ins.glue and stream.at else None
        self.wide |= ins.op.startswith("v")
        for reg in ins.registers():
            self.used.add((reg.cls, reg.number))

    def _start(self) -> None:
        """All arguments are loaded before the first stream runs, and no stream's window hides another's."""
        self.started = True
        listed, binding = self.kernel.recipe.is_listed, self.kernel.binding
        for i, pointer in enumerate([binding.jobs] if listed else [g[0] for g in binding.generals]):
            if self.general[pointer] != (ARGUMENT, 8 + 8 * i):
                raise _Fault(f"the state pointer of stream {i} is not loaded when the first stream begins")
        if self.general[self.kernel.binding.counter] != (ARGUMENT, 0):
            raise _Fault("the loop counter is not loaded when the first stream begins")
        for cls, tables, file in (
            (GENERAL, self.kernel.binding.generals, self.general),
            (VECTOR, self.kernel.binding.vectors, self.vector),
            (MASK, self.kernel.binding.masks, self.mask),
        ):
            for table in tables:
                for number in table:
                    if cls == GENERAL and number in self.abi.saved_generals and (ENTRY, number) not in self._saved():
                        raise _Fault(f"the callee-saved register g{number} is used and was not pushed")
                    if cls == VECTOR and number in self.abi.saved_vectors and (ENTRY, "v", number) not in self._saved():
                        raise _Fault(f"the callee-saved register v{number} is used and was not saved")
                    file[number] = (STREAM,)
        for part in self.kernel.recipe.parts:
            for reg in shared_registers(part.program):
                self.vector[reg.number] = (STREAM,)

    def _saved(self) -> set[tuple]:
        return {value for _, value in self.stack}

    def _in_step(self, stream: _Stream) -> None:
        """Iteration i of a stream of lag l belongs to iteration t = i + l of the kernel, and no other stream is behind
        t."""
        t = stream.iterations + stream.lag
        for other in self.streams:
            due = min(max(0, t - other.lag), self.lag + 1)
            if other.section == "enter" or (other.section == "body" and other.iterations < due):
                raise _Fault(f"{stream.name} begins an iteration of the kernel before {other.name} has ended the last")

    # ---- the loop

    def _label(self, item: Item) -> None:
        if self.behind is not None and item.label == self.behind and self.looped and not self.skipped:
            self._all_at(lambda s: 1, "behind the loop")
            self.skipped = True
            return
        if self.label is not None:
            raise _Fault(f"a second label, {item.label}")
        self.label = item.label
        self._all_at(lambda s: self.lag - s.lag, "when the loop begins")
        if (self.behind is not None) != self.kernel.recipe.skips:
            raise _Fault("its loop cannot be skipped" if self.kernel.recipe.skips else "its loop can be skipped")
        if self.counted != self.lag:
            raise _Fault(f"the counter is reduced by {self.counted} before the loop, not by the lag {self.lag}")

    def _all_at(self, due, when: str) -> None:
        for stream in self.streams:
            if not stream.between or stream.iterations != due(stream):
                raise _Fault(f"{stream.name} has done {stream.iterations} iterations {when}, not {due(stream)}")

    def _skip(self, item: Item, before: Item) -> None:
        """Without iterations: from the head of the loop, which nothing but the comparison stands before, to its end."""
        counter = Reg(GENERAL, self.kernel.binding.counter, 64, True)
        if self.lag or self.label is not None or self.behind is not None or item.label is None:
            raise _Fault(f"jumps to {item.label}, which is not the end of a loop without a lag")
        if before.ins != Ins("sub", (counter, Imm(0))):
            raise _Fault("the jump over the loop does not follow the counter's comparison with 0")
        self._all_at(lambda s: 0, "when the loop is skipped")
        self.behind = item.label

    def _jump(self, item: Item, before: Item) -> None:
        if item.label is None or item.label != self.label or self.looped:
            raise _Fault(f"jumps to {item.label}, which is not the head of the loop")
        counter = self.kernel.binding.counter
        if (
            before.ins is None
            or before.ins.op != "sub"
            or before.ins.operands != (Reg(GENERAL, counter, 64, True), Imm(1))
        ):
            raise _Fault("the jump does not follow the counter's decrement")
        self._all_at(lambda s: self.lag - s.lag + 1, "when the loop ends")
        self.looped = True

    # ---- lists of messages

    def _plan(self) -> list[tuple[Item, str]]:
        """The lines between arguments and wiping of a kernel of lists, and where its stream stands at each: every
        section runs for every job, which the state pointer is."""
        contract, binding = self.kernel.recipe.parts[0].program.contract, self.kernel.binding
        if len(self.streams) != 1 or self.lag or self.streams[0].ratio != 1:
            raise _Fault("a list of messages is woven with something else")
        if not contract.text_head and self.streams[0].body:
            raise _Fault("a list of messages without a loop has a body")
        if contract.bytes & (contract.bytes - 1):
            raise _Fault("the strides of a list of messages are no power of two")
        job, jobs, counter = (
            Reg(GENERAL, g, 64, True) for g in (binding.generals[0][0], binding.jobs, binding.counter)
        )
        strides, one = Reg(GENERAL, binding.strides, 64, True), Imm(1)
        before = [(None, "job"), (Ins("mov", (job, Mem(jobs, 0, 64))), ""), (Ins("add", (jobs, Imm(8))), "")]
        loop = [
            (Ins("mov", (strides, Mem(job, JOB[TEXT_BYTES], 64))), "", "enter"),
            (Ins("sub", (strides, Imm(contract.text_head + 1))), "", "enter"),
            (Ins("shr", (strides, Imm(contract.bytes.bit_length() - 1))), "", "enter"),
            (Ins("jz"), "behind", "enter"),
            (None, "loop", "enter"),
            (Ins("sub", (strides, one)), "", "body"),
            (Ins("jnz"), "loop", "body"),
            (None, "behind", "body"),
        ]
        behind = [(Ins("sub", (counter, one)), "", "leave"), (Ins("jnz"), "job", "leave")]
        lines = [(ins, label, "") for ins, label in before] + (loop if contract.text_head else []) + behind
        return [(Item(None, ins, label or None), after) for ins, label, after in lines]

    def _listed(self, item: Item) -> None:
        stream, (wanted, after) = self.streams[0], self.script.pop(0)
        what = f"the label {item.label}" if item.ins is None else describe(item.ins)
        if (item.ins, item.label) != (wanted.ins, wanted.label):
            raise _Fault(f"{what} is not what a list of messages has here")
        if not self.started:
            self._start()
        if after == "leave":
            stream.start_leave()
        done = {
            "": stream.section in ("enter", "body") and not stream.at and not stream.bodies,
            "enter": stream.between and not stream.bodies,
            "body": stream.between and stream.bodies == 1,
            "leave": stream.section == "leave" and stream.at == len(stream.leave),
        }
        if not done[after] or (not after and stream.enter and stream.section != "enter"):
            raise _Fault(f"{what} comes before the end of a section of {stream.name}, or behind that of another")
        if wanted.ins and wanted.ins.op == "mov" and after:
            strides = wanted.ins.register(0).number
            if strides in self.abi.saved_generals and (ENTRY, strides) not in self._saved():
                raise _Fault(f"the callee-saved register g{strides} is used and was not pushed")
            self.general[strides] = (STREAM,)
            self.used.add((GENERAL, strides))
        self.looped |= not self.script

    # ---- what the frame adds

    def _frame(self, item: Item, ins: Ins, before: Item, after: Item) -> None:
        op, ops = ins.op, ins.operands
        if op == "endbr64":
            return
        if op == "jnz":
            return self._jump(item, before)
        if op == "jz":
            return self._skip(item, before)
        if op == "jmp":
            if not is_hop(item, after):
                raise _Fault(f"jumps to {item.label}, which is not the next instruction")
            return
        if op in ("push", "pop"):
            return self._push_pop(op, ins.register(0))
        if op in ("sub", "add") and ins.register(0).id == RSP:
            self._outside(ins)
            self.depth += ins.immediate(1) if op == "sub" else -ins.immediate(1)
            self.stack = [(at, value) for at, value in self.stack if at <= self.depth]
            return
        if op == "sub":
            return self._count(ins)
        if op in ("movups", "vmovups"):
            return self._save_vector(ins, *ops)
        if op == "mov":
            return self._argument(ins, *ops)
        self._finished(ins)
        if op == "vzeroupper":
            return
        if op == "vzeroall":
            self.vector |= dict.fromkeys(range(16), (ZERO, 64))
        elif op in ("pxor", "vpxor", "vpxord", "vpxorq") and len(set(ops)) == 1:
            self.vector[ins.register(0).number] = (ZERO, 16 if op == "pxor" else 64)
        elif op == "kxorw" and len(set(ops)) == 1:
            self.mask[ins.register(0).number] = (ZERO,)
        elif op == "xor" and len(set(ops)) == 1 and ins.register(0).bits >= 32:
            self.general[ins.register(0).number] = (ZERO,)
        else:
            raise _Fault(f"{describe(ins)} is not an instruction that a frame has")

    def _outside(self, ins: Ins) -> None:
        """The stack pointer and the saved registers are of the entry and the exit only."""
        if self.started:
            self._finished(ins)

    def _finished(self, ins: Ins) -> None:
        """Wiping begins when every stream has run to its end."""
        due = self.lag + 1 if not self.kernel.recipe.is_listed or self.streams[0].body else 0
        for stream in self.streams:
            stream.start_leave()
            if stream.section != "leave" or stream.at != len(stream.leave) or stream.iterations != due:
                raise _Fault(
                    f"{describe(ins)} comes before the end of {stream.name}, which has done {stream.iterations} of "
                    f"{due} iterations"
                )
        if self.script:
            raise _Fault(f"{describe(ins)} comes before the end of the list of messages")

    def _push_pop(self, op: str, reg: Reg) -> None:
        if op == "push":
            self._outside(Ins(op, (reg,)))
            self.depth += 8
            self.stack.append((self.depth, self.general[reg.number]))
            return
        self._finished(Ins(op, (reg,)))
        value = next((v for at, v in self.stack if at == self.depth), None)
        if value is None:
            raise _Fault(f"pops g{reg.id} from a place that nothing was pushed to")
        self.general[reg.number] = value
        self.depth -= 8
        self.stack = [(at, v) for at, v in self.stack if at <= self.depth]

    def _count(self, ins: Ins) -> None:
        target, amount = ins.operands
        if target != Reg(GENERAL, self.kernel.binding.counter, 64, True) or not isinstance(amount, Imm):
            raise _Fault(f"{describe(ins)} is not the loop counter's decrement")
        if self.label is not None and (amount.value != 1 or self.counted != self.lag):
            raise _Fault(f"{describe(ins)}: the loop counts by one, once")
        self.counted += amount.value

    def _save_vector(self, ins: Ins, target, source) -> None:
        mem, reg = (target, source) if isinstance(target, Mem) else (source, target)
        if (
            mem.base is None
            or mem.base.id != RSP
            or mem.index is not None
            or not 0 <= mem.disp <= mem.disp + 16 <= self.depth
        ):
            raise _Fault(f"{describe(ins)} is not inside the kernel's stack frame")
        at = self.depth - mem.disp
        if mem is target:
            self._outside(ins)
            if any(at - 16 < other and at > other - (16 if v[1:2] == ("v",) else 8) for other, v in self.stack):
                raise _Fault(f"{describe(ins)} overwrites another saved register")
            self.stack.append((at, self.vector.get(reg.id, (ENTRY, "v", reg.id))))
            return
        self._finished(ins)
        dirty = self.vector.get(reg.id, (ZERO, 64))
        value = next((v for where, v in self.stack if where == at), None)
        if value is None or (self.wide and ins.op == "movups" and dirty != (ZERO, 64)):
            raise _Fault(f"{describe(ins)} restores what was not saved")
        self.vector[reg.id] = value

    def _argument(self, ins: Ins, target, source) -> None:
        if (
            self.started
            or not isinstance(source, Mem)
            or source.base is None
            or source.index is not None
            or source.bits != 64
            or target.bits != 64
            or self.general.get(source.base.number) != (ENTRY, self.abi.args)
        ):
            raise _Fault(f"{describe(ins)} does not load an argument")
        if not 0 <= source.disp <= 8 * len(self.streams) or source.disp % 8:
            raise _Fault(f"{describe(ins)} loads beyond the kernel's arguments")
        if target.id in self.abi.saved_generals and (ENTRY, target.id) not in self._saved():
            raise _Fault(f"{describe(ins)} destroys a callee-saved register that was not pushed")
        self.general[target.id] = (ARGUMENT, source.disp)
        self.used.add((GENERAL, target.id))

    def _return(self, last: bool) -> None:
        self._finished(Ins("ret"))
        if not last:
            raise _Fault("goes on after ret")
        if self.behind is not None and not self.skipped:
            raise _Fault("has no place behind its loop")
        if self.depth or not self.looped:
            raise _Fault(f"returns with {self.depth} bytes on the stack" if self.depth else "has no loop")
        for number in sorted(self.abi.saved_generals):
            if self.general[number] != (ENTRY, number):
                raise _Fault(f"does not restore the callee-saved register g{number}")
        for number in self.abi.saved_vectors:
            if self.vector.get(number, (ENTRY, "v", number)) != (ENTRY, "v", number):
                raise _Fault(f"does not restore the callee-saved register v{number}")
        for cls, number in sorted(self.used):
            if cls == GENERAL and number not in self.abi.saved_generals and self.general[number] != (ZERO,):
                raise _Fault(f"does not wipe g{number}")
            if cls == MASK and self.mask.get(number) != (ZERO,):
                raise _Fault(f"does not wipe k{number}")
            if cls == VECTOR:
                held = self.vector.get(number)
                restored = number in self.abi.saved_vectors and held == (ENTRY, "v", number)
                if not restored and held != (ZERO, 64) and (self.wide or held != (ZERO, 16)):
                    raise _Fault(f"does not wipe v{number}" + (" (upper part)" if held == (ZERO, 16) else ""))
        for number in self.abi.saved_vectors:
            entry = (ENTRY, "v", number)
            if self.vector.get(number, entry) != entry:
                raise _Fault(f"does not restore the callee-saved register v{number}")
