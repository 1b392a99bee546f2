"""The check `abi`: what a calling convention says must come back does; every other register is as before, or zero.

SysV: System V AMD64 psABI 3.2.1 and 3.2.3 (rbx, rbp, r12 to r15, the direction flag, control bits of MXCSR and the x87
control word). Win64: also rdi, rsi and xmm6 to xmm15.
"""

from __future__ import annotations

from ..core.catalog import Algorithm
from ..core.program import Recipe
from ..core.registers import ABIS, RSP, BindError
from ..emit.objects import machine_code
from ..passes.frame import frame
from . import probe_library
from .native import DIRECTION, Called, NativeMachine, random_registers
from .result import Effort, Result
from .scene import Scene, random_secrets
from .subject import Subject

GENERALS = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()


def check(subject: Subject, effort: Effort) -> Result:
    problems, done = explore(subject.recipe, subject.rows, "sysv", subject.assembled().code, effort), ["SysV"]
    try:
        code = machine_code([frame(subject.recipe, "win64")])[subject.name]
    except BindError:
        done.append("no Win64: its registers do not fit")
    else:
        problems += explore(subject.recipe, subject.rows, "win64", code, effort)
        done.append("Win64")
    return Result.of(problems, ", ".join(done))


def explore(recipe: Recipe, rows: list[Algorithm], abi: str, code: bytes, effort: Effort) -> list[str]:
    """Calls the code under the convention with noise in every register."""
    machine = NativeMachine()
    scene = Scene(recipe, rows, machine, sum(recipe.counts(2)))
    problems: list[str] = []
    for n in range(4 if effort.long else 1):
        seed = effort.seed, recipe.name, abi, n
        expected = scene.fill(random_secrets(seed))
        called = machine.call(code, scene.arguments, random_registers(seed), abi)
        if called.fault:
            return [f"{abi}: {called.fault}"]
        problems += [f"{abi}: {p}" for p in scene.problems(expected) + broken(called, abi)]
    return problems


def broken(called: Called, abi: str) -> list[str]:
    """The rules that the call broke."""
    before, after, convention = called.before, called.after, ABIS[abi]
    problems = []
    for n, name in enumerate(GENERALS):
        kept = after.general[n] == before.general[n]
        if not kept and (n == RSP or n in convention.saved_generals):
            problems.append(f"{name} is not restored")
        elif not kept and after.general[n]:
            problems.append(f"{name} holds something that it did not hold before")
    have = before.components | 3
    for n in range(32 if have & probe_library.HIGH_16 else 16):
        was, now = bytes(before.vector[n]), bytes(after.vector[n])
        width = (
            64
            if have & (probe_library.HIGH_16 if n >= 16 else probe_library.ZMM_HIGH)
            else 32
            if have & probe_library.AVX
            else 16
        )
        if n in convention.saved_vectors and now[:16] != was[:16]:
            problems.append(f"xmm{n} is not restored")
        elif any(now[at : at + 16] not in (was[at : at + 16], bytes(16)) for at in range(0, width, 16)):
            problems.append(f"vector register {n} holds something that it did not hold before")
    if have & probe_library.MASKS:
        problems += [
            f"k{n} holds something that it did not hold before"
            for n in range(8)
            if after.mask[n] not in (before.mask[n], 0)
        ]
    if after.flags & DIRECTION:
        problems.append("the direction flag is set")
    if after.mxcsr != before.mxcsr:
        problems.append(f"MXCSR is {after.mxcsr:#x}, not {before.mxcsr:#x}")
    if after.x87_control != before.x87_control or after.x87_tags != before.x87_tags:
        problems.append("the x87 state is changed")
    return problems
