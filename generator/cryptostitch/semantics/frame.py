"""What passes/frame.py puts around the streams: rows that are no stream's, and instructions that act on the machine
itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..core.instructions import Operand, Row
from .forms import Meaning
from .scalar import ZF

RSP = 4

FRAME: dict[str, Row] = {
    "movups": Row("movups", (Operand("w", "vm"), Operand("r", "vm")), frozenset(), move=True, kind="move"),
    "vmovups": Row("vmovups", (Operand("w", "vm"), Operand("r", "vm")), frozenset(("avx",)), move=True, kind="move"),
    "kxorw": Row(
        "kxorw", (Operand("w", "k"), Operand("r", "k"), Operand("r", "k")), frozenset(("avx512f",)), only=(16,)
    ),
}

MEANING: dict[str, Meaning] = {
    "movups": lambda form: lambda a: a,
    "vmovups": lambda form: lambda a: a,
    "kxorw": lambda form: lambda a, b: (a ^ b) & 0xFFFF,
}


class State(Protocol):
    """The part of a machine that these instructions act on: registers by number, 512 and 64 bits wide."""

    vectors: list[int]
    generals: list[int]

    def load(self, address: int, size: int) -> int: ...

    def store(self, address: int, size: int, value: int) -> None: ...

    def flag(self, which: int) -> bool: ...


def _nothing(state: State, operand: int) -> None:
    return None


def _push(state: State, operand: int) -> None:
    value = state.generals[operand]
    address = state.generals[RSP] - 8 & (1 << 64) - 1
    state.store(address, 8, value)
    state.generals[RSP] = address


def _pop(state: State, operand: int) -> None:
    """The stack pointer moves first: ``pop rsp`` leaves what was loaded."""
    value = state.load(state.generals[RSP], 8)
    state.generals[RSP] = state.generals[RSP] + 8 & (1 << 64) - 1
    state.generals[operand] = value


def _return(state: State, operand: int) -> int:
    address = state.load(state.generals[RSP], 8)
    state.generals[RSP] = state.generals[RSP] + 8 & (1 << 64) - 1
    return address


def _jump_if_not_zero(state: State, operand: int) -> int | None:
    return None if state.flag(ZF) else operand


def _jump_if_zero(state: State, operand: int) -> int | None:
    return operand if state.flag(ZF) else None


def _jump(state: State, operand: int) -> int:
    return operand


def _zero_all(state: State, operand: int) -> None:
    """Registers 16 to 31 stay."""
    state.vectors[:16] = [0] * 16


def _zero_upper(state: State, operand: int) -> None:
    state.vectors[:16] = [v & (1 << 128) - 1 for v in state.vectors[:16]]


JUMPS = frozenset(("jnz", "jz", "jmp"))
"""Those of CONTROL whose operand is a target."""

CONTROL: dict[str, Callable[[Any, int], int | None]] = {
    "endbr64": _nothing,
    "push": _push,
    "pop": _pop,
    "ret": _return,
    "jnz": _jump_if_not_zero,
    "jz": _jump_if_zero,
    "jmp": _jump,
    "vzeroall": _zero_all,
    "vzeroupper": _zero_upper,
}
"""``CONTROL[name](state, operand)``: the operand is a general register's number, or a jump's target. Returns the
address to go on at, or None for the next instruction."""
