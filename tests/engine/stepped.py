"""Every instruction that a function executes, and every address that it accesses: a child process calls the function
over and over with the same arguments, and is single-stepped (ptrace) while memory that both share has this or that
content. All code counts: the library, its kernels, what it calls of libc.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from cryptostitch.ladder.operands import text
from iced_x86 import Decoder, InstructionInfoFactory, OpAccess, Register, RegisterExt

TRACEME, PEEKTEXT, POKETEXT, CONT, KILL, SINGLESTEP, GETREGS, SETREGS, SETOPTIONS, EXITKILL = (
    0,
    1,
    4,
    7,
    8,
    9,
    12,
    13,
    0x4200,
    1 << 20,
)
BREAKPOINT = 0xCC
WARM = 10
"""Calls before the first that is looked at: by then allocations repeat (glibc keeps seven freed blocks of a size)."""
MAX_STEPS = 3_000_000
LONGEST_INSTRUCTION = 15
NAMES = [
    "r15",
    "r14",
    "r13",
    "r12",
    "rbp",
    "rbx",
    "r11",
    "r10",
    "r9",
    "r8",
    "rax",
    "rcx",
    "rdx",
    "rsi",
    "rdi",
    "orig_rax",
    "rip",
    "cs",
    "eflags",
    "rsp",
    "ss",
    "fs_base",
    "gs_base",
    "ds",
    "es",
    "fs",
    "gs",
]
"""<sys/user.h>, user_regs_struct."""
PLACE = {getattr(Register, name.upper()): n for n, name in enumerate(NAMES) if hasattr(Register, name.upper())}
SEGMENT_BASE = {Register.FS: NAMES.index("fs_base"), Register.GS: NAMES.index("gs_base")}
RIP, RSP = NAMES.index("rip"), NAMES.index("rsp")
NOT_ACCESSED = (OpAccess.NONE, OpAccess.NO_MEM_ACCESS)
Registers = ctypes.c_uint64 * len(NAMES)

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.restype = ctypes.c_long
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class NotTraceable(Exception):
    """The system does not let a process trace its child."""


def ptrace(request: int, pid: int, address: int | None = None, data: Any = None) -> int:
    ctypes.set_errno(0)
    result: int = LIBC.ptrace(request, pid, address, data)
    if result == -1 and ctypes.get_errno():
        raise NotTraceable(f"ptrace request {request}: {os.strerror(ctypes.get_errno())}")
    return result


def use_up_free_chunks() -> None:
    """Of the heap as it is: glibc gives out aligned chunks of one size in turn, where it has several, so that a
    function's memory would lie elsewhere at each call."""
    LIBC.sbrk.restype = LIBC.malloc.restype = ctypes.c_void_p
    LIBC.malloc.argtypes = [ctypes.c_size_t]
    end = LIBC.sbrk(0)
    for size in (1 << bits for bits in range(20, 8, -1)):
        while (chunk := LIBC.malloc(size)) and chunk < end:
            pass


@dataclass(frozen=True)
class Trace:
    """``steps``: of each executed instruction its address, then the addresses of its operands in memory."""

    steps: list[tuple[int, ...]]

    def common(self, other: Trace) -> int:
        """Number of steps at the start that are the same."""
        if self.steps == other.steps:
            return len(self.steps)
        return next(
            (at for at, (a, b) in enumerate(zip(self.steps, other.steps)) if a != b),
            min(len(self.steps), len(other.steps)),
        )


class Operands:
    """How to compute what an instruction accesses, by its address; read from this process's memory, the child's too."""

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[int, list[tuple[int, int]]]]] = {}
        self._factory = InstructionInfoFactory()
        self._memory = open("/proc/self/mem", "rb", buffering=0)  # noqa: SIM115 (open as long as this lives)

    def code(self, address: int) -> bytes:
        return os.pread(self._memory.fileno(), LONGEST_INSTRUCTION, address)

    def of(self, address: int) -> list[tuple[int, list[tuple[int, int]]]]:
        """(displacement, [(place of a register, scale)]) of each operand."""
        if address not in self._known:
            instruction = Decoder(64, self.code(address), ip=address).decode()
            self._known[address] = [
                self._operand(instruction, used)
                for used in self._factory.info(instruction).used_memory()
                if used.access not in NOT_ACCESSED
            ]
        return self._known[address]

    def _operand(self, instruction: Any, used: Any) -> tuple[int, list[tuple[int, int]]]:
        displacement, terms = used.displacement, []
        for register, scale in ((used.base, 1), (used.index, used.scale)):
            if register in (Register.NONE, Register.RIP):  # iced has added the latter
                continue
            if RegisterExt.full_register(register) != register or register not in PLACE:
                raise NotImplementedError(f"the addresses of {instruction} are not in general registers")
            terms.append((PLACE[register], scale))
        if used.segment in SEGMENT_BASE:
            terms.append((SEGMENT_BASE[used.segment], 1))
        return displacement, terms


class Stepped:
    """``function``: its address; ``call`` calls it, always with the same arguments, and whatever else differs lies in
    ``shared`` (memory of both processes)."""

    def __init__(self, function: int, call: Callable[[], object]):
        self.function = function
        self.operands = Operands()
        self._original = int.from_bytes(self.operands.code(function)[:8], "little")
        self._registers = Registers()
        self.pid = os.fork()
        if not self.pid:
            self._child(call)
        try:
            self._wait(signal.SIGSTOP)
            ptrace(SETOPTIONS, self.pid, None, EXITKILL)
            self._to_next_call()
        except BaseException:
            self.close()
            raise
        for _ in range(WARM):
            self._pass_breakpoint()
            self._to_next_call()

    @staticmethod
    def _child(call: Callable[[], object]) -> NoReturn:
        try:
            use_up_free_chunks()
            if LIBC.ptrace(TRACEME, 0, None, None) == 0:
                os.kill(os.getpid(), signal.SIGSTOP)
                while True:
                    call()
        finally:
            os._exit(1)

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0

    def __enter__(self) -> Stepped:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, wanted: int = signal.SIGTRAP) -> None:
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSTOPPED(status) and os.WSTOPSIG(status) == wanted:
            return
        if not os.WIFSTOPPED(status):
            self.pid = 0
            if os.WIFEXITED(status):
                raise NotTraceable("a child may not ask to be traced")
        raise RuntimeError(f"the child was not to stop like this: status {status:#x}")

    def _to_next_call(self) -> None:
        """Lets the child run to the first instruction of the function."""
        ptrace(POKETEXT, self.pid, self.function, self._original & ~0xFF | BREAKPOINT)
        ptrace(CONT, self.pid)
        self._wait()
        registers = self._read()
        if registers[RIP] != self.function + 1:
            raise RuntimeError(f"a breakpoint at {registers[RIP]:#x}")
        ptrace(POKETEXT, self.pid, self.function, self._original)
        registers[RIP] = self.function
        ptrace(SETREGS, self.pid, None, ctypes.addressof(registers))

    def _pass_breakpoint(self) -> None:
        ptrace(SINGLESTEP, self.pid)
        self._wait()

    def _read(self) -> Any:
        ptrace(GETREGS, self.pid, None, ctypes.addressof(self._registers))
        return self._registers

    def trace(self) -> Trace:
        """One call, with what ``shared`` holds at this moment."""
        registers = self._read()
        back, stack = ptrace(PEEKTEXT, self.pid, registers[RSP]) & (1 << 64) - 1, registers[RSP]
        of, addresses, ip, top = self.operands.of, ctypes.addressof(registers), RIP, RSP
        request, pid, wait = LIBC.ptrace, self.pid, os.waitpid
        steps: list[tuple[int, ...]] = []
        while True:
            at = registers[ip]
            if at == back and registers[top] > stack:
                break
            step = [at]
            for address, terms in of(at):
                for place, scale in terms:
                    address += registers[place] * scale
                step.append(address & 0xFFFFFFFFFFFFFFFF)
            steps.append(tuple(step))
            if (
                request(SINGLESTEP, pid, None, None)
                or wait(pid, 0)[1] != signal.SIGTRAP << 8 | 0x7F
                or request(GETREGS, pid, None, addresses)
            ):
                raise RuntimeError(f"no single step at {at:#x}")
            if len(steps) == MAX_STEPS:
                raise RuntimeError(f"more than {MAX_STEPS} steps")
        self._to_next_call()
        return Trace(steps)

    def where(self, step: tuple[int, ...]) -> str:
        """Says in words where a step is."""
        image, offset = module_of(step[0])
        at = ", ".join(f"{address:#x}" for address in step[1:]) or "no address"
        return f"{image}+{offset:#x} ({text(self.operands.code(step[0]), 0)}) at {at}"


def module_of(address: int) -> tuple[str, int]:
    """The file that is mapped there (or "memory": assembled kernels), and the offset in it."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            span, _, offset, _, _, *name = line.split(maxsplit=5)
            first, end = (int(part, 16) for part in span.split("-"))
            if first <= address < end:
                return os.path.basename(name[0].strip()) if name else "memory", address - first + int(offset, 16)
    return "memory", address


def shared(size: int) -> mmap.mmap:
    """Memory that stays one with a child's."""
    return mmap.mmap(-1, size)
