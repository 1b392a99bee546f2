"""The proofs about generated code (passes/verify.py), one check each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.names import stream_name
from ..core.program import Program
from ..core.registers import BindError
from ..passes.frame import frame
from ..passes.verify import check_bounds, check_kernel, check_taint, prove_arithmetic, prove_program
from ..verify.arithmetic import Finding
from .result import Effort, Result, Skip
from .subject import Subject


@dataclass(frozen=True)
class Proof:
    """The results of the proofs of one program, which is a part of many kernels."""

    program: Program
    values: list[str]
    bounds: list[str]
    taint: list[str]


_proofs: dict[int, Proof] = {}
_findings: dict[int, Finding] = {}


def proofs(subject: Subject) -> list[Proof]:
    """Returns a proof for each different program of the kernel; each is made once in a process."""
    found = {}
    for program in (part.program for part in subject.recipe.parts):
        if id(program) not in _proofs:
            problems, induction = prove_program(
                subject.generator.virtual(stream_name(program.stream), program.isa), program
            )
            _proofs[id(program)] = Proof(
                program,
                problems,
                *([check_bounds(program, induction), check_taint(program, induction)] if induction else [problems] * 2),
            )
        found[id(program)] = _proofs[id(program)]
    return list(found.values())


def _result(subject: Subject, statement: str) -> Result:
    made = proofs(subject)
    return Result.of(
        [x for proof in made for x in getattr(proof, statement)],
        f"{sum(len(section) for proof in made for _, section in proof.program.code.sections())} instructions",
    )


def values(subject: Subject, effort: Effort) -> Result:
    """The allocated code computes the same values as its template, for any number of iterations."""
    return _result(subject, "values")


def bounds(subject: Subject, effort: Effort) -> Result:
    """Every access lies where the contract says."""
    return _result(subject, "bounds")


def taint(subject: Subject, effort: Effort) -> Result:
    """No secret reaches an address, a branch or a variable-time instruction; in streams of variable time that is
    waived, and where the contract says public there are none."""
    found = _result(subject, "taint").waived(subject.vartime)
    public = all(part.program.contract.public for part in subject.recipe.parts)
    return replace(found, detail="public: there are no secrets") if public and not found.problems else found


def weave(subject: Subject, effort: Effort) -> Result:
    """The kernel runs exactly its programs, under both calling conventions. The long form also numbers the values of
    the woven code."""
    problems, conventions = check_kernel(subject.kernel, thorough=effort.long), ["SysV"]
    try:
        problems += check_kernel(frame(subject.recipe, "win64"))
        conventions.append("Win64")
    except BindError:
        conventions.append("no Win64: its registers do not fit")
    return Result.of(problems, ", ".join(conventions))


def arithmetic(subject: Subject, effort: Effort) -> Result:
    """Streams over numbers modulo a prime compute their step. Of a stream this is shown once in a process."""
    found = {}
    for part, row in zip(subject.recipe.parts, subject.rows):
        if row.arithmetic is None:
            continue
        stream = subject.generator.virtual(stream_name(part.program.stream), part.program.isa)
        if id(stream) not in _findings:
            _findings[id(stream)] = prove_arithmetic(stream, row.arithmetic)
        found[id(stream)] = _findings[id(stream)]
    if not found:
        raise Skip("it has no numbers modulo a prime")
    return Result.of(
        [problem for finding in found.values() for problem in finding.problems],
        f"{sum(f.words for f in found.values())} bounds, {sum(f.claims for f in found.values())} field operations,"
        f" {sum(f.steps for f in found.values())} numbers and words of the chain",
    )
