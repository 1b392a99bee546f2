"""What a call must leave alone in a stream's state block: all fields that are not the stream's own to change, and the
bytes between fields."""

from __future__ import annotations

from ..core.contract import CHAIN, HAND, SCRATCH, TABLE, TAG_MADE, Contract
from ..verify.induct import is_spill

CHANGED_FIELDS = (CHAIN, HAND, TABLE, TAG_MADE)


def may_change(contract: Contract) -> bytearray:
    """Returns a byte for each byte of the state block: 1 where the stream may leave another value."""
    allowed = bytearray(contract.state_bytes)
    for field in contract.fields:
        if field.name in CHANGED_FIELDS or field.name.startswith(SCRATCH) or is_spill(field):
            places = (
                [field.offset + row * field.row_bytes + at for row in range(field.rows) for at in field.lane_offsets]
                if field.lane_offsets
                else None
            )
            for start, size in [(p, field.entry_bytes) for p in places] if places else [(field.offset, field.size)]:
                allowed[start : start + size] = b"\1" * size
    return allowed


def changed(stream: int, contract: Contract, was: bytes, is_: bytes) -> list[str]:
    """Fields that changed and may not, and bytes between fields. Of a list there is a state block for each message."""
    allowed, size = may_change(contract), contract.state_bytes
    wrong = {n % size for n in range(len(was)) if was[n] != is_[n] and not allowed[n % size]}
    names = {next((f.name for f in contract.fields if f.offset <= n < f.offset + f.size), "no field") for n in wrong}
    return [f"the state block of stream {stream} was changed in '{name}'" for name in sorted(names)]
