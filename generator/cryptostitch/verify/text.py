"""How problems name an instruction."""

from __future__ import annotations

from ..core.ir import Imm, Ins, Mem, Operand, Reg


def instruction_text(ins: Ins) -> str:
    """The instruction with whatever registers it has: ``vpaddd v3, v3, [g0+64]``."""
    mask = "" if ins.mask is None else f" {{{_operand(ins.mask)}}}" + ("{z}" if ins.zeroing else "")
    return f"{ins.op} " + ", ".join(map(_operand, ins.operands)) + mask


def describe(ins: Ins) -> str:
    """Text and template places, the algorithm's line first."""
    if not ins.places:
        return f"`{instruction_text(ins)}`"
    places = ", ".join(str(p) for p in dict.fromkeys((ins.places[0], ins.places[-1])))
    return f"`{instruction_text(ins)}` ({places})"


def _operand(operand: Operand) -> str:
    if isinstance(operand, Imm):
        return str(operand.value)
    if isinstance(operand, Reg):
        if isinstance(operand.id, str):
            return operand.id
        return f"{operand.cls}{operand.id}" + (f":{operand.bits}" if operand.bits else "")
    assert isinstance(operand, Mem)
    parts = [f"@{operand.symbol}"] if operand.symbol else []
    parts += [_operand(r) for r in (operand.base,) if r is not None]
    parts += [f"{_operand(operand.index)}*{operand.scale}"] if operand.index is not None else []
    parts += [str(operand.disp)] if operand.disp or not parts else []
    return "[" + "+".join(parts) + "]" + (f"{{1to{operand.broadcast}}}" if operand.broadcast else "")
