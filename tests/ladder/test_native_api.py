"""Arguments of 32 bits come in 64-bit registers whose upper halves may hold anything (psABI 3.2.3): the C API must not
look at them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest
from cryptostitch.binding import runtime
from cryptostitch.ladder import probe_library
from cryptostitch.ladder.native import MXCSR_AT_RESET, NativeMachine, random_registers
from cryptostitch.ladder.result import Skip
from native_instruction import text_bytes

ORDER = (7, 6, 2, 1, 8, 9)  # rdi, rsi, rdx, rcx, r8, r9
GARBAGE = 0xDEADBEEF_00000000
KERNEL, SUITE = "sha1_x4@sse", "aes-128-cbc+hmac-sha1-etm"


class Caller:
    """Calls functions of the library with chosen upper halves. ``narrow``: the positions of arguments of 32 bits."""

    def __init__(self, machine: NativeMachine, upper: int):
        self.machine, self.upper = machine, upper

    def address(self, function: Any) -> int:
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    def call(self, address: int, arguments: list[int], narrow: tuple[int, ...]) -> int:
        registers = random_registers("api")
        registers.mxcsr, registers.x87_control = MXCSR_AT_RESET, 0x37F
        for n, (register, value) in enumerate(zip(ORDER, arguments)):
            registers.general[register] = value & 0xFFFFFFFF | self.upper if n in narrow else value
        called = self.machine.call_address(address, registers)
        assert called.fault == ""
        return ctypes.c_int32(called.after.general[0] & 0xFFFFFFFF).value


@pytest.fixture(scope="module")
def machine() -> NativeMachine:
    try:
        return NativeMachine(cpu_ns=5_000_000_000)
    except Skip as skip:
        pytest.skip(str(skip))


@pytest.fixture(scope="module")
def context(build) -> runtime.Context:
    return runtime.Context()


def choice(caller: Caller, context: runtime.Context) -> object:
    suite, found = context.suite(SUITE), []
    for direction in (runtime.SEAL, runtime.OPEN, 2, -1):
        for one_key in (0, 1):
            info = runtime.ChoiceInfo()
            code = caller.call(
                caller.address(context.lib.cst_suite_choice),
                [suite.handle.value, direction, 64, 4096, one_key, ctypes.addressof(info)],
                (1, 4),
            )
            found.append((code, info.kernel, info.lanes, info.why))
    assert len(set(found)) >= 3  # the arguments matter
    return found


def nearest(caller: Caller, context: runtime.Context) -> object:
    found = []
    for kind in (runtime.NAME_SUITE, runtime.NAME_KERNEL, runtime.NAME_TARGET, 0, -1):
        text, name = ctypes.create_string_buffer(512), ctypes.create_string_buffer(b"sha11")
        code = caller.call(
            caller.address(context.lib.cst_nearest),
            [context.handle.value, kind, ctypes.addressof(name), ctypes.addressof(text), len(text)],
            (1,),
        )
        found.append((code, text.value))
    assert len(set(found)) >= 4
    return found


def names(caller: Caller, context: runtime.Context) -> object:
    count = ctypes.c_uint64()
    each = caller.machine.place(text_bytes(["endbr64", "inc qword ptr [rsi]", "xor eax, eax", "ret"]))
    found = []
    for kind in (runtime.NAME_SUITE, runtime.NAME_KERNEL, runtime.NAME_TARGET, 0, -1):
        count.value = 0
        code = caller.call(
            caller.address(context.lib.cst_list), [context.handle.value, kind, each, ctypes.addressof(count)], (1,)
        )
        found.append((code, count.value))
    assert len(set(found)) >= 4
    return found


def stream(caller: Caller, context: runtime.Context) -> object:
    kernel, found = context.kernel(KERNEL), []
    for index in (0, 1, 0xFFFFFFFF):
        info = runtime.StreamInfo()
        code = caller.call(
            caller.address(context.lib.cst_kernel_stream), [kernel.handle.value, index, ctypes.addressof(info)], (1,)
        )
        found.append((code, info.name, info.lanes))
    assert len(set(found)) >= 2
    return found


def field(caller: Caller, context: runtime.Context) -> object:
    kernel, name, found = context.kernel(KERNEL), ctypes.create_string_buffer(b"chain"), []
    for index in (0, 1):
        info = runtime.FieldInfo()
        code = caller.call(
            caller.address(context.lib.cst_kernel_field),
            [kernel.handle.value, index, ctypes.addressof(name), ctypes.addressof(info)],
            (1,),
        )
        found.append((code, info.offset, info.rows))
    assert len(set(found)) == 2
    return found


@pytest.mark.parametrize("use", [choice, nearest, names, stream, field])
def test_upper_halves_are_ignored(
    machine: NativeMachine, context: runtime.Context, use: Callable[[Caller, runtime.Context], object]
) -> None:
    assert use(Caller(machine, GARBAGE), context) == use(Caller(machine, 0), context)


def test_a_function_that_looks_is_found(machine: NativeMachine) -> None:
    """cmp rdi, 1 where it should be cmp edi, 1."""
    careless = machine.place(text_bytes(["xor eax, eax", "cmp rdi, 1", "sete al", "ret"]))
    careful = machine.place(text_bytes(["xor eax, eax", "cmp edi, 1", "sete al", "ret"]))
    for address, same in ((careless, False), (careful, True)):
        answers = {Caller(machine, upper).call(address, [1], (0,)) for upper in (0, GARBAGE)}
        assert (len(answers) == 1) == same


def test_direction_flag_and_states_after_the_api(machine: NativeMachine, context: runtime.Context) -> None:
    """Callee-saved registers, DF, MXCSR, x87 after an API call too."""
    registers = random_registers("saved")
    registers.general[7] = context.handle.value
    info = runtime.CpuInfo()
    registers.general[6] = ctypes.addressof(info)
    called = machine.call_address(ctypes.cast(context.lib.cst_ctx_cpu, ctypes.c_void_p).value, registers)
    assert called.fault == "" and called.after.general[0] == 0
    assert all(called.after.general[n] == registers.general[n] for n in (3, 5, 12, 13, 14, 15))
    assert (
        not called.after.flags & 1 << 10
        and called.after.mxcsr & ~0x3F == registers.mxcsr
        and called.after.x87_control == registers.x87_control
    )
    assert called.after.general[probe_library.RSP] == called.before.general[probe_library.RSP]
