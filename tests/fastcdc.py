"""FastCDC by its definition (Xia et al., 2020), a byte at a time."""

from __future__ import annotations

import hashlib
import math

GEAR = [int.from_bytes(hashlib.md5(bytes([byte]) * 64).digest()[:8]) for byte in range(256)]
MASKS = {  # by the number of bits, as in the reference implementation
    **{6: 0x1803110, 7: 0x18035100, 8: 0x1800035300, 9: 0x19000353000, 10: 0x590003530000, 11: 0xD90003530000},
    **{12: 0xD90103530000, 13: 0xD90303530000, 14: 0xD90313530000, 15: 0xD90F03530000, 16: 0xD90303537000},
    **{17: 0xD90703537000, 18: 0xD90707537000, 19: 0xD91707537000, 20: 0xD91747537000, 21: 0xD91767537000},
    **{22: 0xD93767537000, 23: 0xD93777537000, 5: 0x1804110},
}


def lengths(data: bytes, least: int, average: int, most: int, normalization: int) -> list[int]:
    """The lengths of the chunks. A byte that has no partner at the end of the text decides nothing."""
    bits = round(math.log2(average))
    before, behind = MASKS[bits + normalization], MASKS[bits - normalization]
    found, start = [], 0
    while start < len(data):
        rest = min(len(data) - start, most)
        hash_, at = 0, least
        while at < rest - rest % 2:
            hash_ = (hash_ << 1) + GEAR[data[start + at]] & (1 << 64) - 1
            if not hash_ & (before if at < average else behind):
                break
            at += 1
        found.append(min(at, rest) if at < rest - rest % 2 else rest)
        start += found[-1]
    return found
