"""Whether a mutant is no fault at all. Only a proof counts, and what the instruction model sees must agree with it."""

from __future__ import annotations

from ..passes.verify import check_bounds, check_forms, check_kernel, check_taint
from ..verify.allocation import allocation_problems
from ..verify.induct import Side, induct
from ..verify.woven import woven_problems
from .algebra import Algebra
from .checks import Seen
from .sampling import Mutant, Original
from .text import KERNEL, TEMPLATE


def reason(original: Original, mutant: Mutant) -> str:
    """Why the mutant does what the original does; empty when that is not proved. `confirmed` has to follow."""
    if mutant.kernel is None:
        return ""
    if mutant.level == KERNEL:
        return _kernel(original, mutant)
    assert mutant.of is not None and mutant.program is not None
    stream = original.stream(mutant.of)
    safe = check_forms(mutant.program)
    if safe:
        return ""
    alone = induct(Side.of_program(mutant.program))
    if check_bounds(mutant.program, alone) or check_taint(mutant.program, alone):
        return ""
    faulty = Side.of_program(mutant.program)
    if mutant.level == TEMPLATE:
        assert mutant.stream is not None
        faulty = Side.of_stream(mutant.stream)
    for terms, why in (
        (None, "value numbering: every store, field and loop-carried value is the original's"),
        (
            Algebra(),
            "value numbering with the algebra of sums, exclusive or, rotates and bits that are not read: all values "
            "are the original's",
        ),
    ):
        if not allocation_problems(induct(Side.of_stream(stream), faulty, terms=terms)):
            return why
    return ""


def _kernel(original: Original, mutant: Mutant) -> str:
    if mutant.recipe is not original.recipe:
        return ""
    assert mutant.kernel is not None
    if not check_kernel(mutant.kernel):
        return "the kernel runs exactly its programs, and saves, counts and wipes as it must"
    frames = [[item for item in kernel.items if item.stream is None] for kernel in (original.kernel, mutant.kernel)]
    if frames[0] == frames[1] and not woven_problems(mutant.kernel, Algebra):
        return "value numbering of the woven code: each stream has the values that its program alone has"
    return ""


def confirmed(original: Seen, mutant: Seen) -> bool:
    """Whether the model sees the same memory after every run, and no fault, wrong answer or secret left in a
    register."""
    return not (mutant.fault or mutant.wrong or mutant.traces or mutant.residue) and mutant.state == original.state
