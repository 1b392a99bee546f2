"""The ladder: which checks there are, in which order, and what each shows. A table; the checks are imported when they
are run."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from ..extras import how_to_install
from .result import FAIL, SKIP, Effort, Result, Skip
from .subject import Subject


@dataclass(frozen=True)
class Rung:
    """One check. ``function`` of ``ladder/<module>.py`` does it; ``shows`` completes the sentence "it shows that
    ..."."""

    name: str
    module: str
    shows: str
    function: str = "check"

    def run(self, subject: Subject, effort: Effort) -> Result:
        """The result; an exception is a failure, never a crash of the whole run."""
        try:
            return getattr(importlib.import_module(f"..{self.module}", __name__), self.function)(subject, effort)
        except Skip as skip:
            return Result(SKIP, str(skip))
        except Exception as error:
            if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("cryptostitch"):
                return Result(SKIP, f"{error.name} is not installed: {how_to_install('verify')}")
            return Result(FAIL, problems=(f"{type(error).__name__}: {error}",))


LADDER: tuple[Rung, ...] = (
    Rung(
        "values",
        "statements",
        "the allocated code computes the same values as the template, for any number of iterations",
        "values",
    ),
    Rung("bounds", "statements", "every access lies in the declared memory, for any number of iterations", "bounds"),
    Rung("taint", "statements", "no secret reaches an address, a branch or a variable-time instruction", "taint"),
    Rung(
        "weave",
        "statements",
        "the kernel runs its streams' code, each in its order, under disjoint registers, and wipes what it used",
        "weave",
    ),
    Rung(
        "arithmetic",
        "statements",
        "numbers modulo a prime: no limb overflows, each field operation and the whole step are right, for any number"
        " of iterations",
        "arithmetic",
    ),
    Rung(
        "decoder",
        "decoder",
        "a second decoder reads the same instructions from the final bytes, none above the declared level",
    ),
    Rung("bytes", "bytes", "the library's bytes, assembled or static, are LLVM MC's"),
    Rung(
        "model",
        "model",
        "an interpreter of the instruction model gets known answers, inside the contract, with equal traces",
    ),
    Rung("emulated", "emulated", "so does an emulator written by others (Unicorn), where it can be trusted"),
    Rung("answers", "answers", "published vectors come out right through the C API, the kernel forced by name"),
    Rung("lengths", "lengths", "so does every length from 0 to 4096"),
    Rung("fuzz", "fuzz", "random jobs give what libcrypto gives, and nothing beside the outputs changes"),
    Rung(
        "guards",
        "guards",
        "natively, with unmapped pages on both sides of every buffer, nothing faults and only outputs change",
    ),
    Rung(
        "stale",
        "stale",
        "natively, what unwritten fields, outputs, registers and the stack held before does not change results",
    ),
    Rung("abi", "abi", "registers, flags, MXCSR and x87 state come back as SysV and Win64 demand"),
    Rung("upper", "upper", "no vector register is left with dirty upper halves"),
    Rung("residue", "residue", "no key, data or state is left in registers or below the stack pointer"),
    Rung("trace", "trace", "natively, instructions and addresses are the same for structured secrets"),
)


def rungs(names: tuple[str, ...] = ()) -> list[Rung]:
    """The named checks in the ladder's order; all of them without names. KeyError for a name that does not exist."""
    known = {rung.name: rung for rung in LADDER}
    for name in names:
        known[name]
    return [rung for rung in LADDER if not names or rung.name in names]
