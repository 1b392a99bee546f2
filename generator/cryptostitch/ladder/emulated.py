"""The check `emulated`: Unicorn runs the kernel, where it can be trusted. Right results, the contract's memory only,
equal traces."""

from __future__ import annotations

from .emulator import UnicornMachine, gate
from .model import explore
from .result import Effort, Result, Skip
from .subject import Subject

COVERED_FEATURES = frozenset(("aes", "bmi1", "bmi2", "movbe", "pclmul", "sse4.1", "sse4.2", "ssse3"))
"""A kernel that needs nothing else passes the gate."""


def check(subject: Subject, effort: Effort) -> Result:
    machine = UnicornMachine()
    if reason := gate(subject.code):
        raise Skip(reason)
    problems, steps, runs = explore(subject, effort, machine)
    return Result.of(problems, f"{steps} instructions in {runs} runs", runs).waived(subject.vartime)
