"""This CPU as a machine: code runs through libcst-probe, each block of memory lies between pages that cannot be
accessed."""

from __future__ import annotations

import bisect
import ctypes
import mmap
import random
import signal
from collections.abc import Callable
from dataclasses import dataclass

from . import probe_library
from .machine import Outcome
from .operands import table, text
from .result import Skip

RUN_NS, TRACE_NS = 200_000_000, 60_000_000_000
"""Most CPU time of a run: kernels take microseconds, single steps about 15 each."""
MAX_STEPS = 2_000_000
LOG_NUMBERS = 4 * MAX_STEPS
DIRECTION = 1 << 10
STATUS_FLAGS = (1 << 0, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11)
MXCSR = 0xDF80
"""Round up, flush to zero, every exception masked: not what a process starts with."""
MXCSR_AT_RESET = 0x1F80
X87_CONTROL = 0x0E7F
"""Round towards zero, double precision: not what a process starts with."""
ARGUMENT = {"sysv": 7, "win64": 1}  # rdi, rcx


@dataclass
class Called:
    """``stack``: from BELOW bytes below the stack pointer at the call to ABOVE bytes above it."""

    fault: str
    before: probe_library.Registers
    after: probe_library.Registers
    stack: bytes
    steps: int = 0
    hash: int = 0
    log: list[int] | None = None


def random_registers(seed: object, components: int = 0xFF) -> probe_library.Registers:
    """A state in which no register is zero; DF is 0, as both conventions want. ``components`` left out start clean
    (zeros)."""
    rnd = random.Random(repr(seed))
    registers = probe_library.Registers(components=components, mxcsr=MXCSR, x87_control=X87_CONTROL)
    registers.flags = 0x202 | sum(flag for flag in STATUS_FLAGS if rnd.random() < 0.5)
    for i in range(16):
        registers.general[i] = rnd.getrandbits(64) | 1 << 63
    for i in range(8):
        registers.mask[i] = rnd.getrandbits(64) | 1
    ctypes.memmove(registers.vector, bytes(b | 0x80 for b in rnd.randbytes(64 * 32)), 64 * 32)
    return registers


def filled_registers(byte: int) -> probe_library.Registers:
    """A state in which every general register, mask and vector consists of this byte."""
    registers = random_registers(byte)
    for part in (registers.general, registers.mask, registers.vector):
        ctypes.memset(part, byte, ctypes.sizeof(part))
    return registers


class NativeMachine:
    """``placement``: blocks lie flush against the page above ("end") or below ("start"), as far as their alignment
    allows. ``before``: makes the registers of a call that is given none; ``stack_fill``: what the stack consists of."""

    def __init__(self, placement: str = "end", seed: object = 0, cpu_ns: int = RUN_NS):
        if placement not in ("end", "start"):
            raise ValueError(f"no placement {placement!r}; there are end, start")
        self.placement, self.cpu_ns = placement, cpu_ns
        # Without a reference to the machine: its blocks, of two mappings each, would wait for the collector of cycles,
        # and a process may have only so many mappings.
        self.before: Callable[[], probe_library.Registers] = lambda: random_registers(seed)
        self.stack_fill = probe_library.FILL
        self.library = probe_library.load()
        self.components = self.library.cst_probe_components()
        self._blocks: dict[int, tuple[str, int, bool]] = {}  # address -> name, size, writable
        self._code: dict[bytes, int] = {}
        self._stack = ctypes.create_string_buffer(probe_library.BELOW + probe_library.ABOVE)
        self._log: mmap.mmap | None = None

    # ---- Machine

    def take(self, name: str, size: int, align: int, writable: bool) -> int:
        address = self.library.cst_probe_block_new(size, align, self.placement == "end")
        if not address:
            raise MemoryError(f"no memory for {name}")
        self._blocks[address] = name, size, writable
        return address

    def write(self, address: int, data: bytes) -> None:
        ctypes.memmove(address, data, len(data))

    def read(self, address: int, size: int) -> bytes:
        return ctypes.string_at(address, size)

    def run(self, code: bytes, argument: int, trace: bool = False) -> Outcome:
        called = self.call(code, argument, trace="log" if trace else "")
        return Outcome(called.fault, table(code).steps(called.log or []) if trace else ())

    def reset(self) -> None:
        for address, (_, size, _) in self._blocks.items():
            self.library.cst_probe_block_free(address, size)
        for code, address in self._code.items():
            self.library.cst_probe_block_free(address, len(code))
        self._blocks, self._code = {}, {}

    def __del__(self) -> None:
        if hasattr(self, "_code"):
            self.reset()

    # ---- what only this CPU can tell

    def place(self, code: bytes) -> int:
        """The address of a copy of the code, on pages of its own that are never writable and executable."""
        if code not in self._code:
            address = self.library.cst_probe_block_new(len(code), 64, self.placement == "end")
            if not address:
                raise MemoryError("no memory for code")
            self._code[code] = address
            ctypes.memmove(address, code, len(code))
            self._protect(address, len(code), probe_library.EXECUTE)
        return self._code[code]

    def call(
        self,
        code: bytes,
        argument: int | None,
        registers: probe_library.Registers | None = None,
        convention: str = "sysv",
        trace: str = "",
    ) -> Called:
        """Calls ``code`` with the argument in the convention's first register. ``trace``: "hash" or "log" of single
        steps."""
        registers = registers or self.before()
        if argument is not None:
            registers.general[ARGUMENT[convention]] = argument
        return self._call(self.place(code), code, registers, trace)

    def call_address(self, address: int, registers: probe_library.Registers) -> Called:
        """Calls a function of the process with exactly these registers."""
        return self._call(address, b"", registers, "")

    def _call(self, address: int, code: bytes, registers: probe_library.Registers, trace: str) -> Called:
        call = probe_library.Call(
            code=address,
            code_bytes=len(code),
            cpu_ns=TRACE_NS if trace else self.cpu_ns,
            stack=ctypes.addressof(self._stack),
        )
        call.before = registers
        ctypes.memset(self._stack, self.stack_fill, len(self._stack))
        call.before.components &= self.components
        steps = self._trace(code, trace == "log") if trace else None
        if steps:
            call.trace = ctypes.pointer(steps)
        self._protect_inputs(probe_library.READ)
        try:
            if self.library.cst_probe_run(ctypes.byref(call)):
                raise Skip("libcst-probe gets no memory or no timer here")
        finally:
            self._protect_inputs(probe_library.WRITE)
        called = Called(
            self._fault(call, address, code) if call.signal else "", call.before, call.after, self._stack.raw
        )
        if steps:
            called.steps, called.hash = steps.steps, steps.hash
            called.log = steps.log[: steps.logged] if trace == "log" else None
        return called

    def _trace(self, code: bytes, logged: bool) -> probe_library.Trace:
        operands = table(code)
        trace = probe_library.Trace(first=operands.first, operands=operands.operands, max_steps=MAX_STEPS)
        if logged:
            self._log = self._log or mmap.mmap(-1, 8 * LOG_NUMBERS)
            trace.log = (ctypes.c_uint64 * LOG_NUMBERS).from_buffer(self._log)
            trace.log_size = LOG_NUMBERS
        return trace

    def _protect(self, address: int, size: int, access: int) -> None:
        if self.library.cst_probe_block_protect(address, size, access):
            raise OSError(f"mprotect of {size} bytes is refused")

    def _protect_inputs(self, access: int) -> None:
        for address, (_, size, writable) in self._blocks.items():
            if not writable:
                self._protect(address, size, access)

    def _fault(self, call: probe_library.Call, address: int, code: bytes) -> str:
        offset = call.fault_instruction - address
        where = f"at offset {offset:#x} ({text(code, offset)})" if code else f"at {call.fault_instruction:#x}"
        match call.signal:
            case signal.SIGALRM:
                return f"out of time {where}"
            case signal.SIGXCPU:
                return f"more than {MAX_STEPS} steps {where}"
            case signal.SIGTRAP:
                return f"a breakpoint {where}"
            case signal.SIGILL:
                return f"an illegal instruction {where}"
            case signal.SIGFPE:
                return f"an arithmetic fault {where}"
        # SI_KERNEL: a general protection fault has no address
        if call.signal == signal.SIGSEGV and call.signal_code == 0x80:
            return f"a misaligned or impossible address {where}"
        return f"a {'store' if call.fault_write else 'load'} {self._place_of(call.fault_address)} {where}"

    def _place_of(self, address: int) -> str:
        """Describes an address in words, by the nearest block."""
        starts = sorted(self._blocks)
        at = bisect.bisect_right(starts, address)
        near = []
        if at:
            name, size, writable = self._blocks[starts[at - 1]]
            inside = address - starts[at - 1]
            if inside < size:
                return f"at byte {inside} of {name}" + ("" if writable else ", which is read-only")
            near.append((inside - size, f"{inside - size} bytes behind {name}"))
        if at < len(starts):
            near.append((starts[at] - address, f"{starts[at] - address} bytes before {self._blocks[starts[at]][0]}"))
        distance, words = min(near, default=(1 << 64, ""))
        return words if distance < 1 << 20 else f"at {address:#x}, far from every block"
