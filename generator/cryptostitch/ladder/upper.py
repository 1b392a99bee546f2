"""The check `upper`: no dirty upper halves of vector registers after the kernel, by XGETBV(1) (Intel SDM volume 1,
13.6).

Dirty halves slow down legacy SSE and SHA instructions of whoever runs next, and cost time at every context switch.
"""

from __future__ import annotations

from ..core.catalog import Algorithm
from ..core.program import Recipe
from . import probe_library
from .native import NativeMachine, random_registers
from .result import Effort, Result, Skip
from .scene import Scene, random_secrets
from .subject import Subject

NAMES = {probe_library.AVX: "ymm0 to ymm15", probe_library.ZMM_HIGH: "zmm0 to zmm15"}


def check(subject: Subject, effort: Effort) -> Result:
    code = subject.assembled().code
    if not probe_library.load().cst_probe_knows_use():
        raise Skip("this CPU has no XGETBV(1)")
    return Result.of(explore(subject.recipe, subject.rows, code, effort))


def explore(recipe: Recipe, rows: list[Algorithm], code: bytes, effort: Effort) -> list[str]:
    """Calls the code with all vector registers in their initial state."""
    machine = NativeMachine()
    scene = Scene(recipe, rows, machine, sum(recipe.counts(1)))
    scene.fill(random_secrets(effort.seed))
    called = machine.call(code, scene.arguments, random_registers(effort.seed, components=0))
    if called.fault:
        return [called.fault]
    return [
        f"the upper halves of {name} are left dirty" for bit, name in NAMES.items() if called.after.components & bit
    ]
