"""The last pass: the machine-checked statements about a program and about a kernel. What each proves is in
verify/README.md.

Every check returns a list of problems, each a sentence that names the stream or kernel, the instruction and its
template places; the functions ``verify_*`` raise VerifyError with them.
"""

from __future__ import annotations

from ..core.arithmetic import Arithmetic
from ..core.errors import CryptostitchError
from ..core.kernel import Kernel
from ..core.montgomery import Montgomery
from ..core.program import Program
from ..core.stream import Stream
from ..verify.allocation import allocation_problems, compare, contract_problems
from ..verify.arithmetic import Finding, arithmetic_finding
from ..verify.bounds import Bounds
from ..verify.forms import form_problems
from ..verify.induct import Induction, Side, induct
from ..verify.kernel import kernel_problems
from ..verify.taint import Taint
from ..verify.woven import woven_problems

SHOWN = 10


class VerifyError(CryptostitchError):
    """A generated program or kernel is not proved right. ``problems`` are all the sentences."""

    def __init__(self, name: str, problems: list[str]):
        more = f"\n  ... and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        super().__init__(f"{name} is not proved right:\n  " + "\n  ".join(problems[:SHOWN]) + more)
        self.problems = problems


def check_forms(program: Program) -> list[str]:
    """Every instruction is one that the table allows, inside the window, with declared features."""
    return form_problems(program)


def check_allocation(stream: Stream, program: Program) -> list[str]:
    """The allocated code computes what the virtual code of ``stream`` (as parsed, before legalization) computes."""
    return allocation_problems(compare(stream, program))


def check_bounds(program: Program, found: Induction | None = None) -> list[str]:
    """Every access lies where the contract says."""
    return Bounds(program, found or induct(Side.of_program(program))).problems()


def check_taint(program: Program, found: Induction | None = None) -> list[str]:
    """No secret reaches an address, a variable-time instruction or a public field."""
    return Taint(program, found or induct(Side.of_program(program))).problems()


def prove_arithmetic(stream: Stream, meaning: Arithmetic | Montgomery) -> Finding:
    """Proves that the virtual code of ``stream`` computes the step of numbers modulo a prime. Returns the problems, and
    how much was looked at."""
    return arithmetic_finding(stream, meaning)


def prove_program(stream: Stream, program: Program) -> tuple[list[str], Induction | None]:
    """Proves that the program is well formed and computes what ``stream`` computes. Returns the problems, and the
    induction from which bounds and taint go on (None when the code is not well formed)."""
    problems = check_forms(program) + contract_problems(stream, program)
    if problems:
        return problems, None
    found = compare(stream, program)
    return allocation_problems(found), found


def check_program(stream: Stream, program: Program) -> list[str]:
    """All checks of a program; one run of the code serves them all."""
    problems, found = prove_program(stream, program)
    return problems if found is None else problems + check_bounds(program, found) + check_taint(program, found)


def check_kernel(kernel: Kernel, thorough: bool = False) -> list[str]:
    """The kernel runs exactly its programs. ``thorough``: also number the values of the woven code, for tests."""
    return kernel_problems(kernel) or (woven_problems(kernel) if thorough else [])


def verify_program(stream: Stream, program: Program) -> Program:
    """The program itself; raises VerifyError."""
    problems = check_program(stream, program)
    if problems:
        raise VerifyError(program.name, problems)
    return program


def verify_kernel(kernel: Kernel, thorough: bool = False) -> Kernel:
    """The kernel itself; raises VerifyError."""
    problems = check_kernel(kernel, thorough)
    if problems:
        raise VerifyError(kernel.name, problems)
    return kernel
