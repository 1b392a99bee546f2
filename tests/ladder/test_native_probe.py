"""libcst-probe itself: every kind of fault is caught and told, blocks end where they say, nothing of the caller's state
is lost."""

from __future__ import annotations

import gc
import os
import signal
import struct
import threading
import weakref
from pathlib import Path

import pytest
from cryptostitch.ladder import probe_library
from cryptostitch.ladder.native import MXCSR, X87_CONTROL, NativeMachine, random_registers
from cryptostitch.ladder.result import Skip
from native_instruction import text_bytes


@pytest.fixture
def machine() -> NativeMachine:
    try:
        return NativeMachine(cpu_ns=50_000_000)
    except Skip as skip:
        pytest.skip(str(skip))


@pytest.mark.parametrize(
    "lines, said",
    [
        (["ud2"], "an illegal instruction at offset 0x0"),
        (["int3"], "a breakpoint at offset 0x1"),
        (["xor edx, edx", "xor ecx, ecx", "div ecx"], "an arithmetic fault at offset 0x4"),
        (["1: jmp 1b"], "out of time at offset 0x0"),
        (["mov rax, [rdi + 24]"], "a load 0 bytes behind block"),
        (["mov rax, [rdi + 23]"], "a load 0 bytes behind block"),
        (["mov [rdi + 40], rax"], "a store 16 bytes behind block"),
        (["movaps xmm0, [rdi + 1]"], "a misaligned or impossible address"),
        (["mov rax, 0x8000000000000000", "mov rax, [rax]"], "a misaligned or impossible address"),
        (["1: push rax", "jmp 1b"], "a store"),
        (["mov eax, 4096", "jmp rax"], "a load at 0x1000, far from every block"),
    ],
)
def test_fault(machine: NativeMachine, lines: list[str], said: str) -> None:
    block = machine.take("block", 24, 8, True)
    for _ in range(2):  # the second call finds everything in order
        called = machine.call(text_bytes([*lines, "ret"]), block)
        assert said in called.fault
    assert machine.call(text_bytes(["ret"]), block).fault == ""


def test_registers_of_a_fault(machine: NativeMachine) -> None:
    called = machine.call(text_bytes(["mov eax, 77", "std", "ud2"]), 0)
    assert called.fault and called.after.general[0] == 77 and called.after.flags & 1 << 10


def test_everything_arrives_and_comes_back(machine: NativeMachine) -> None:
    registers = random_registers("arrives")
    was = bytes(registers)
    called = machine.call(text_bytes(["ret"]), None, registers)
    assert called.fault == ""
    for n in range(16):
        assert n == probe_library.RSP or called.after.general[n] == registers.general[n]
    assert (
        called.after.general[probe_library.RSP] == called.before.general[probe_library.RSP]
        and called.after.general[probe_library.RSP] % 16 == 0
    )
    assert called.after.mxcsr == MXCSR and called.after.x87_control == X87_CONTROL and called.after.x87_tags == 0
    assert called.after.flags == registers.flags
    wide = bool(machine.components & probe_library.HIGH_16)
    for n in range(32 if wide else 16):
        size = 64 if wide else 32 if machine.components & probe_library.AVX else 16
        assert bytes(called.after.vector[n])[:size] == bytes(registers.vector[n])[:size]
    assert not wide or list(called.after.mask) == list(registers.mask)
    assert len(was) == len(bytes(called.after))


def test_stack_is_filled_and_copied(machine: NativeMachine) -> None:
    called = machine.call(text_bytes([f"mov dword ptr [rsp - {probe_library.BELOW - 8}], 0x11223344", "ret"]), 0)
    below = bytes([probe_library.FILL]) * probe_library.BELOW
    assert called.stack[: probe_library.BELOW - 8] == bytes.fromhex("44332211") + below[4:-8]
    assert called.stack[probe_library.BELOW :] == bytes([probe_library.FILL]) * probe_library.ABOVE


def test_own_state_is_kept(machine: NativeMachine) -> None:
    """Handlers, the signal mask, and floating point are as before, also after a fault."""
    signal.signal(signal.SIGALRM, seen := lambda *_: None)
    try:
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        for lines in (["ret"], ["fldz", "std", "ud2"]):
            machine.call(text_bytes(lines), 0)
            assert signal.getsignal(signal.SIGALRM) is seen and signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask
            assert 1 / 3 * 3 == 1.0 and 5e-324 * 1 > 0
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.parametrize("placement", ["end", "start"])
@pytest.mark.parametrize("size, align", [(1, 1), (40, 8), (4096, 64), (5000, 1), (192, 64)])
def test_blocks_are_flush(placement: str, size: int, align: int, machine: NativeMachine) -> None:
    machine = NativeMachine(placement)
    block = machine.take("block", size, align, True)
    assert block % align == 0 and (block + size) % 4096 == 0 if placement == "end" else block % 4096 == 0
    outside = size if placement == "end" else -1
    for at, faults in ((0, False), (size - 1, False), (outside, True)):
        called = machine.call(text_bytes(["mov al, [rdi]", "xor eax, eax", "ret"]), block + at)
        assert bool(called.fault) == faults


def test_empty_block_is_inside_an_unmapped_page(machine: NativeMachine) -> None:
    for placement in ("end", "start"):
        other = NativeMachine(placement)
        block = other.take("nothing", 0, 1, True)
        assert machine.call(text_bytes(["mov al, [rdi]", "ret"]), block).fault


def test_a_machine_is_freed_when_nobody_has_it(machine: NativeMachine) -> None:
    """A check makes hundreds of them, of hundreds of mappings each: none may wait for the collector of cycles."""
    other = NativeMachine()
    other.take("block", 40, 8, True)
    gone = weakref.ref(other)
    gc.disable()
    try:
        del other
        assert gone() is None
    finally:
        gc.enable()


def test_code_is_never_writable(machine: NativeMachine) -> None:
    address = machine.place(text_bytes(["mov byte ptr [rip], 0", "ret"]))
    line = next(
        line
        for line in Path("/proc/self/maps").read_text().splitlines()
        if int(line.split("-")[0], 16) <= address < int(line.split("-")[1].split()[0], 16)
    )
    assert " r-xp " in line
    assert "a store" in machine.call(text_bytes(["mov byte ptr [rip], 0", "ret"]), 0).fault


def test_trace_is_of_every_step(machine: NativeMachine) -> None:
    block = machine.take("block", 64, 8, True)
    code = text_bytes(["mov ecx, 3", "1: mov rax, [rdi + rcx*8]", "add [rdi], eax", "dec ecx", "jnz 1b", "ret"])
    trace = machine.run(code, block, trace=True).trace
    loads = [
        a.address - block for step in trace for a in step.accesses if not a.write and block <= a.address < block + 64
    ]
    assert len(trace) == 1 + 3 * 4 + 1 and loads == [24, 16, 8]
    assert [a.size for step in trace for a in step.accesses if a.write] == [4, 4, 4]


TRAP_BRKPT = 1
RT_TGSIGQUEUEINFO = 297


@pytest.mark.parametrize("code, fault", [(TRAP_BRKPT, ""), (0, "a breakpoint")], ids=["unmarked", "sent by a process"])
def test_a_step_whose_trap_is_not_marked(machine: NativeMachine, code: int, fault: str) -> None:
    """Virtual machines lose the mark of a debug trap now and then: what Linux then says, said by the traced code
    itself."""
    block = machine.take("siginfo", 128, 8, True)
    machine.write(block, struct.pack("iii", signal.SIGTRAP, 0, code) + bytes(116))
    lines = [
        f"mov eax, {RT_TGSIGQUEUEINFO}",
        "mov r10, rdi",
        f"mov edi, {os.getpid()}",
        f"mov esi, {threading.get_native_id()}",
        f"mov edx, {signal.SIGTRAP}",
        "syscall",
        "nop",
        "ret",
    ]
    called = machine.call(text_bytes(lines), block, trace="log")
    assert called.fault.startswith(fault) and bool(called.fault) == bool(fault)
    assert fault or called.after.general[0] == 0


def test_int1_is_no_step(machine: NativeMachine) -> None:
    """Virtual machines differ in whether the trap of INT1 is at it or behind it."""
    assert "a breakpoint at offset 0x" in machine.call(text_bytes(["nop", ".byte 0xf1", "ret"]), 0, trace="hash").fault
    assert "a breakpoint at offset 0x2" in machine.call(text_bytes(["nop", "int3", "ret"]), 0, trace="hash").fault


def test_hash_tells_traces_apart(machine: NativeMachine) -> None:
    block = machine.take("block", 64, 8, True)
    code = text_bytes(["mov ecx, [rdi]", "mov al, [rdi + rcx]", "ret"])
    found = set()
    for n in (0, 1, 1, 2):
        machine.write(block, bytes([n]) + bytes(63))
        found.add(machine.call(code, block, trace="hash").hash)
    assert len(found) == 3


def test_endless_trace_ends(machine: NativeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    from cryptostitch.ladder import native

    monkeypatch.setattr(native, "MAX_STEPS", 500)
    called = machine.call(text_bytes(["1: jmp 1b"]), 0, trace="hash")
    assert "more than 500 steps" in called.fault and called.steps == 500


def test_missing_library(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("CRYPTOSTITCH_PROBE", os.fspath(tmp_path / "none.so"))
    with pytest.raises(Skip, match="libcst-probe is not built"):
        probe_library.load()
