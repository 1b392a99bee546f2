"""The code of a program, compressed for the pack: one Zstandard frame (RFC 8878), which runtime/code/stored.cpp reads.

Each program by itself, so that the runtime touches only those that it uses; a dictionary would save less than it takes.
The bytes are those of Zstandard 1.5.7, which the pinned package brings along: the same on every machine.
"""

from __future__ import annotations

import zstandard

LEVEL = 22


def compressed(code: bytes) -> bytes:
    """A frame, or ``code`` itself where that is not longer."""
    frame = zstandard.ZstdCompressor(level=LEVEL).compress(code)
    return frame if len(frame) < len(code) else code


def restored(stored: bytes, size: int) -> bytes:
    """Returns the ``size`` bytes of code that were stored. ValueError when their number differs; zstandard.ZstdError
    when they are damaged."""
    code = stored if len(stored) == size else zstandard.ZstdDecompressor().decompress(stored, max_output_size=size)
    if len(code) != size:
        raise ValueError(f"{len(code)} bytes of code, not {size}")
    return code
