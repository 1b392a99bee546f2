"""What kernels of a hash read of a message: its blocks with their padding, as catalog.PADDINGS says."""

from __future__ import annotations

from ..core import blake3
from ..core.catalog import Algorithm, Digest


def most_text(row: Algorithm, size: int) -> int:
    """Bytes of the longest message of which a kernel reads ``size`` bytes, a multiple of the row's."""
    blocks = size // row.bytes
    end = {"length": 1 + row.length_bytes, "counted": 0, "sponge": 1, "tree": 0}[row.padding]
    return blocks * row.block_bytes - end


def padded(row: Algorithm, text: bytes) -> bytes:
    """Returns the padded message: all bytes that a kernel reads for it."""
    unit = row.block_bytes
    if row.padding == "tree":
        return text
    if row.padding == "length":
        end = (8 * len(text)).to_bytes(row.length_bytes, "big" if row.big_endian else "little")
        return text + b"\x80" + bytes(-(len(text) + 1 + len(end)) % unit) + end
    if row.padding == "sponge":
        filled = bytearray(text + bytes([row.domain]) + bytes(-(len(text) + 1) % unit))
        filled[-1] ^= row.last
        behind = [b""] * (len(filled) // unit)
    else:
        filled = bytearray(text + bytes(-len(text) % unit if text else unit))
        counts = range(unit, len(filled) + 1, unit)
        ends = [n == len(filled) for n in counts]
        behind = [
            min(n, len(text)).to_bytes(2 * row.word_bytes, "little") + row.word_bytes * (b"\xff" if end else b"\0")
            for n, end in zip(counts, ends)
        ]
    blocks = [bytes(filled[at : at + unit]) for at in range(0, len(filled), unit)]
    return b"".join((block + its).ljust(row.bytes, b"\0") for block, its in zip(blocks, behind))


def chained(row: Algorithm, text: bytes, digest: Digest) -> bytes:
    """Returns what a kernel computes from it: as much of the digest as a sponge gives at once, or, of a tree, the
    state after any number of blocks of one chunk, with the flags of the row."""
    if row.padding == "tree":
        return blake3.state_of(row.initial[:8], text, *row.initial[11:13])
    return digest(text)[: row.squeezed]
