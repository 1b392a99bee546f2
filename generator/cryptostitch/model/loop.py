"""The loop of a framed kernel as the model sees it: instructions in order, each with its stream and its form."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.ir import Ins
from ..core.kernel import Kernel
from .forms import Form, form_of


@dataclass(frozen=True)
class Step:
    """One instruction of the loop. ``stream`` is None for the loop counter. ``place`` counts instructions of the whole
    kernel."""

    ins: Ins
    stream: int | None
    form: Form
    place: int


def loop_of(kernel: Kernel) -> list[Step]:
    """The loop without its jump, which every CPU of ours fuses with the subtraction before it, and without hops, one in
    256 instructions."""
    loop = set(kernel.loop)
    numbered = enumerate((item.ins, item, i in loop) for i, item in enumerate(kernel.items) if item.ins is not None)
    return [
        Step(ins, item.stream, form_of(ins), place)
        for place, (ins, item, repeated) in numbered
        if repeated and item.label is None
    ]
