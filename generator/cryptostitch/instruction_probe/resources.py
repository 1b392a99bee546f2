"""What instructions compete for: each resource is named by an instruction whose independent copies keep it busy.

Nothing here says which CPU has how many of what: an instruction's use of a resource is the time by which a copy of it
lengthens a loop that keeps the resource busy. Two groups of pipes may overlap in part (AES in pipes 0 and 1, shuffles
in 1 and 2); then what needs any of the three competes for their union too, whose capacity shows when both are kept busy
at once. This is the conjunctive resource mapping of Palmed (Derumigny et al., CGO 2022), with given instructions where
that searches for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..model.forms import Form

SATURATORS: dict[str, tuple[str, ...]] = {
    "dispatch": ("mov r64 r64",),
    "scalar": ("add r64 r64",),
    "scalar shift": ("rol r64 i",),
    "load": ("mov r64 m64",),
    "vector load": ("vmovdqu xmm m128", "movdqu xmm m128"),
    "store": ("vmovdqu m128 xmm", "movdqu m128 xmm"),
    "vector": ("vpaddd xmm xmm xmm", "paddd xmm xmm"),
    "aes": ("vaesenc xmm xmm xmm", "aesenc xmm xmm"),
    "shuffle": ("vpshufb xmm xmm xmm", "pshufb xmm xmm"),
    "shift": ("vpslld xmm xmm i", "pslld xmm i"),
    "sha": ("sha256rnds2 xmm xmm",),
    "vector to scalar": ("pextrd r32 xmm i",),
}
"""Resource -> the instruction that keeps it busy, or others for CPUs that lack it. None that a core may take from its
units: Golden Cove folds additions of a constant (``add r64 i``) while it renames. Where they are not folded they use
"scalar" as these do, so that tables made with them say the same."""

UNIONS = (("load", "store"), ("aes", "shuffle"), ("aes", "shift"), ("shuffle", "shift"))
MEMORY = ("load", "vector load", "store")
SCALAR = ("scalar", "scalar shift")
VECTOR = ("vector", "aes", "shuffle", "shift", "sha", "vector to scalar")


@dataclass(frozen=True)
class Resource:
    name: str
    form: Form


def resources(known: dict[str, Form]) -> list[Resource]:
    """Returns the resources that the CPU has. ``known``: its forms by their text."""
    found = [(name, next((known[text] for text in texts if text in known), None)) for name, texts in SATURATORS.items()]
    return [Resource(name, form) for name, form in found if form]


def candidates(form: Form) -> tuple[str, ...]:
    """The resources that a form is tried against: units of its registers' domains, and the ways to memory of a form
    with memory.

    What only moves between a vector register and memory executes on no unit; a store that disturbs one for a moment
    does not need it.
    """
    memory = MEMORY if form.memory is not None else ()
    scalar = SCALAR if any(o.startswith("r") for o in form.operands) or form.row.kind in ("scalar", "hint") else ()
    only_moves = form.row.kind == "move" and form.memory is not None
    vector = VECTOR if any(o.endswith("mm") for o in form.operands) and not only_moves else ()
    return ("dispatch", *memory, *scalar, *vector)


def union_name(a: str, b: str) -> str:
    return f"{a} or {b}"
