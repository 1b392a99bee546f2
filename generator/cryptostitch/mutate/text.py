"""What an operator works on: instructions in a row at one of three levels, and the one change that it makes to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ..core.contract import Field
from ..core.ir import Constant, Ins, Mem, Reg
from ..core.kernel import Item

TEMPLATE, PROGRAM, KERNEL = "template", "program", "kernel"
LEVELS = (TEMPLATE, PROGRAM, KERNEL)

E = TypeVar("E")


@dataclass(frozen=True)
class Text:
    """``code`` in order, None for a label. ``streams`` says whose each instruction is, None for the frame's. ``states``
    are the state pointers by stream, with the fields behind them."""

    level: str
    section: str
    code: tuple[Ins | None, ...]
    streams: tuple[int | None, ...]
    states: Mapping[int | None, tuple[Reg, tuple[Field, ...]]]
    constants: tuple[Constant, ...] = ()


@dataclass(frozen=True)
class Change:
    """A fault in a text. Either ``at`` is set (and ``other``, to exchange two instructions), or ``constant``. ``ins``
    and ``other`` None: the instruction is dropped."""

    operator: str
    sentence: str
    at: int | None = None
    other: int | None = None
    ins: Ins | None = None
    constant: Constant | None = None
    shift: tuple[int, int] | None = None  # (stream, the lag that it gets)

    def applied(self, code: Sequence[Ins]) -> tuple[Ins, ...]:
        return tuple(self._applied(list(code), self.ins))

    def applied_to_items(self, items: Sequence[Item]) -> tuple[Item, ...]:
        new = None if self.ins is None or self.at is None else items[self.at]._replace(ins=self.ins)
        return tuple(self._applied(list(items), new))

    def _applied(self, row: list[E], new: E | None) -> list[E]:
        if self.at is None:
            return row
        if self.other is not None:
            row[self.at], row[self.other] = row[self.other], row[self.at]
        elif new is None:
            del row[self.at]
        else:
            row[self.at] = new
        return row


def with_operand(ins: Ins, index: int, operand) -> Ins:
    return replace(ins, operands=(*ins.operands[:index], operand, *ins.operands[index + 1 :]))


def memory_of(ins: Ins) -> tuple[int, Mem] | None:
    """(operand index, operand) of the memory operand."""
    return next(((i, o) for i, o in enumerate(ins.operands) if isinstance(o, Mem)), None)
