"""Unicorn, an emulator written by others, as a machine for legacy SSE and general registers.

A gate reads the code first. Unicorn 2.1.4 executes VEX-128 instructions as their two-operand SSE forms, without a word,
and has neither ymm, zmm, mask registers nor SHA-NI; so a VEX or EVEX instruction that names a vector or mask register
is refused. VEX instructions on general registers (BMI1, BMI2) are right, with a CPU model that has them, except for
BZHI: where the second operand says at least as many bits as the first one has, the highest bit is lost. tests/emulated
compares each with the instruction model. Misaligned operands do not fault in Unicorn; the instruction model and this
CPU see them.
"""

from __future__ import annotations

from typing import Any

from iced_x86 import CpuidFeature, EncodingKind, Instruction, Mnemonic, OpKind, RegisterExt

from ..core.registers import RSP, SYSV
from ..passes.frame import POOL_ALIGN
from .blocks import SPACING, Block, Blocks, Fault
from .decoder import decoded
from .machine import Access, Outcome, Step
from .result import Skip

try:
    import unicorn
    from unicorn import x86_const
except ImportError:
    unicorn = None  # type: ignore[assignment]

PAGE = 4096
CODE = SPACING
STACK = 2 * SPACING + 16
STACK_BYTES = 4096
RETURN = 3 * SPACING
_REFUSED = {CpuidFeature.SHA: "SHA-NI: Unicorn does not have it", CpuidFeature.GFNI: "GFNI: Unicorn does not have it"}
_GENERALS = "RAX RCX RDX RBX RSP RBP RSI RDI R8 R9 R10 R11 R12 R13 R14 R15".split()


def gate(code: bytes) -> str:
    """Why Unicorn cannot be trusted with this code; empty when it can."""
    return next((reason for reason in map(_refusal, decoded(code)) if reason), "")


def _refusal(instruction: Instruction) -> str:
    if instruction.is_invalid:
        return "there is a byte sequence that is no instruction"
    for feature in instruction.cpuid_features():
        if feature in _REFUSED:
            return _REFUSED[feature]
    if instruction.encoding == EncodingKind.EVEX:
        return "EVEX: Unicorn does not have it"
    if instruction.encoding != EncodingKind.LEGACY and not _general(instruction):
        return "VEX: Unicorn runs it wrongly"
    if instruction.mnemonic == Mnemonic.BZHI:
        return "BZHI: Unicorn loses the highest bit where all bits are kept"
    return ""


def _general(instruction: Instruction) -> bool:
    """Whether all registers that it names are general; one that names none (vzeroupper) is not."""
    registers = [
        instruction.op_register(i) for i in range(instruction.op_count) if instruction.op_kind(i) == OpKind.REGISTER
    ]
    return bool(registers) and all(RegisterExt.is_gpr(r) for r in registers)


class UnicornMachine:
    """Implements ladder/machine.py's Machine. Raises Skip where Unicorn is not installed; ``run`` raises it for code
    that the gate refuses."""

    def __init__(self, limit: int = 200_000) -> None:
        if unicorn is None:
            raise Skip("unicorn is not installed")
        self.limit, self.executed = limit, 0
        self._blocks = Blocks()
        self._engine: Any = self._fresh()
        self._pages: set[int] = set()
        self._code = b""
        self._fault, self._traced = "", False
        self._log: list[tuple[int, int, bool]] = []
        self._steps: list[tuple[int, list[tuple[int, int, bool]]]] = []

    def _fresh(self) -> Any:
        engine = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
        engine.ctl_set_cpu_model(x86_const.UC_CPU_X86_HASWELL)
        engine.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, self._accessed)
        engine.hook_add(unicorn.UC_HOOK_MEM_UNMAPPED | unicorn.UC_HOOK_MEM_PROT, self._missed)
        engine.hook_add(unicorn.UC_HOOK_CODE, self._stepped)
        return engine

    # ---- memory: whole pages in the emulator; the blocks' own ends are checked at each access

    def take(self, name: str, size: int, align: int, writable: bool) -> int:
        return self.place(self._blocks.take(name, bytearray(size), align, writable)).address

    def place(self, block: Block) -> Block:
        """A block of zeros at an address of the caller's choice."""
        for page in range(block.address // PAGE, (max(block.end - 1, block.address)) // PAGE + 1):
            if page not in self._pages:
                self._engine.mem_map(page * PAGE, PAGE, unicorn.UC_PROT_ALL)
                self._pages.add(page)
        return self._blocks.place(block)

    def write(self, address: int, data: bytes) -> None:
        self._blocks.find(address, len(data))
        self._engine.mem_write(address, data)

    def read(self, address: int, size: int) -> bytes:
        self._blocks.find(address, size)
        return bytes(self._engine.mem_read(address, size))

    def reset(self) -> None:
        self._blocks.reset()
        for page in self._pages:
            self._engine.mem_unmap(page * PAGE, PAGE)
        self._pages.clear()
        self._code = b""

    # ---- running

    def run(self, code: bytes, argument: int, trace: bool = False) -> Outcome:
        if code != self._code:
            self.admit(code)
        stack = self.place(Block("the stack", STACK, bytearray(STACK_BYTES), True))
        top = stack.end - 8  # 8 modulo 16, as after a call
        self._engine.mem_write(top, RETURN.to_bytes(8, "little"))
        generals = [0x3C3C_5A5A_9999_0000 | n for n in range(16)]  # a caller leaves anything in them
        generals[RSP], generals[SYSV.args] = top, argument
        for n, value in enumerate(generals):
            self.set_general(n, value)
        for n in range(16):
            self.set_vector(n, int.from_bytes(bytes([0x5A ^ n]) * 16, "little"))
        outcome = self.go(trace)
        after = [self.general(n) for n in range(16)]
        generals[RSP] += 8
        changed = [n for n in sorted(SYSV.saved_generals | {RSP}) if after[n] != generals[n]]
        if not outcome.fault and changed:
            return Outcome(f"does not preserve general registers {', '.join(map(str, changed))}", outcome.trace)
        return outcome

    def admit(self, code: bytes) -> None:
        """Puts code in place, if it passes the gate; of its own bytes only the constants behind it may be read."""
        if reason := gate(code):
            raise Skip(reason)
        pool = min(-(-decoded(code)[-1].next_ip // POOL_ALIGN) * POOL_ALIGN, len(code))
        self.place(Block("the code", CODE, bytearray(len(code)), False))
        self._blocks.place(Block("the constants", CODE + pool, bytearray(len(code) - pool), False))
        self._engine.mem_write(CODE, code)
        self._engine.ctl_remove_cache(CODE, CODE + len(code))
        self._code = code

    def go(self, trace: bool = False) -> Outcome:
        """Runs the admitted code with the registers as they are, until it returns to RETURN."""
        self._fault, self._log, self._steps, self._traced, self.executed = "", [], [], trace, 0
        try:
            self._engine.emu_start(CODE, RETURN)
        except unicorn.UcError as error:
            self._fault = self._fault or self._said(str(error))
        if not self._fault and self._engine.reg_read(x86_const.UC_X86_REG_RIP) != RETURN:
            self._fault = self._said("stops here")
        return Outcome(self._fault, tuple(Step(offset, tuple(Access(*a) for a in log)) for offset, log in self._steps))

    def _said(self, what: str) -> str:
        return f"at byte {self._engine.reg_read(x86_const.UC_X86_REG_RIP) - CODE}: {what}"

    def _stop(self, what: str) -> None:
        self._fault = self._fault or self._said(what)
        self._engine.emu_stop()

    def _accessed(self, engine: Any, kind: int, address: int, size: int, value: int, data: Any) -> None:
        write = kind == unicorn.UC_MEM_WRITE
        try:
            self._blocks.find(address, size, write)
        except Fault as fault:
            self._stop(str(fault))
        self._log.append((address, size, write))

    def _missed(self, engine: Any, kind: int, address: int, size: int, value: int, data: Any) -> bool:
        """An access outside all pages, of data or of code."""
        try:
            self._blocks.find(address, size, kind in (unicorn.UC_MEM_WRITE_UNMAPPED, unicorn.UC_MEM_WRITE_PROT))
            self._stop(f"the emulator refuses an access at {address:#x}")
        except Fault as fault:
            self._stop(str(fault))
        return False

    def _stepped(self, engine: Any, address: int, size: int, data: Any) -> None:
        self.executed += 1
        if self.executed > self.limit:
            self._stop(f"has not returned after {self.limit} instructions")
        if not CODE <= address < CODE + len(self._code):
            self._stop(f"goes to {address:#x}, outside the code")
        if self._traced:
            self._log = []
            self._steps.append((address - CODE, self._log))

    # ---- registers

    @property
    def flags(self) -> int:
        return self._engine.reg_read(x86_const.UC_X86_REG_EFLAGS)

    @flags.setter
    def flags(self, value: int) -> None:
        self._engine.reg_write(x86_const.UC_X86_REG_EFLAGS, value)

    def general(self, n: int) -> int:
        return self._engine.reg_read(getattr(x86_const, f"UC_X86_REG_{_GENERALS[n]}"))

    def set_general(self, n: int, value: int) -> None:
        self._engine.reg_write(getattr(x86_const, f"UC_X86_REG_{_GENERALS[n]}"), value)

    def vector(self, n: int) -> int:
        return self._engine.reg_read(x86_const.UC_X86_REG_XMM0 + n)

    def set_vector(self, n: int, value: int) -> None:
        self._engine.reg_write(x86_const.UC_X86_REG_XMM0 + n, value)
