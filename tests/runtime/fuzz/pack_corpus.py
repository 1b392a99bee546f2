"""The corpus of fuzz_pack: sound packs, plain and compressed, one pack for each reason that the library has to refuse
one, and damaged frames. Made when it is wanted: a pack of another version would be refused for that alone."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

from cryptostitch.binding import runtime
from cryptostitch.core.program import CostTable
from cryptostitch.emit.compress import compressed
from cryptostitch.emit.pack import write_pack
from handmade import ALGORITHM, program, recipe
from pack_fields import changed, extremes, mended, numbers
from test_pack_checks import ALLOCATED, FRAME, SPOILED, pack_of, reader, sample_program, spoil

FRAMES = (
    lambda c: FRAME(c[:-1]),
    lambda c: FRAME(c + b"\0"),
    lambda c: FRAME(c)[:-1],
    lambda c: b"",
    lambda c: FRAME(c[:99]) + FRAME(c[99:]),
    lambda c: b"\x50\x2a\x4d\x18\4\0\0\0skip" + FRAME(c),
)


def sound() -> Iterator[bytes]:
    one = recipe(
        "hash_x4@sse",
        program("hash_x4@sse#3", "movdqa v0x, [g1+g2*4-8]:128~\npaddd v0x, v0x\nrol g1d, -3", enter="mov g1, [g0]:64"),
        static=True,
    )
    yield write_pack([ALGORITHM], [one], [CostTable("zen5", {one.name: (200, 3)})])
    for store in (bytes, compressed):
        yield pack_of(sample_program(), reader(), lags=(0, 1), store=store)


def spoilt() -> Iterator[bytes]:
    for section, index, text, _ in SPOILED.values():
        yield pack_of(sample_program(spoil(ALLOCATED, section, index, text)))
    pair = pack_of(sample_program(), reader(), lags=(0, 1))
    for number in numbers(pair):
        yield from (changed(pair, number, value) for value in extremes(pair, number))


def damaged_frames() -> Iterator[bytes]:
    yield from (pack_of(sample_program(), store=store) for store in FRAMES)
    pack, rng = pack_of(sample_program(), store=compressed), random.Random(1)
    frame = pack.index(FRAME(b"")[:4])
    for _ in range(8):
        bad = bytearray(pack)
        bad[frame + 4 + rng.randrange(120)] ^= 1 << rng.randrange(8)
        yield mended(bad)


def reason(why: str) -> str:
    """Without the names and numbers of this pack."""
    return " ".join(re.sub(r"[@#]\S+|\(\w+\)|field \w+|overlaps \w+|-?\d+", "", why).split()[1:])


def write(corpus: Path) -> None:
    """Into the empty folder ``corpus``; a pack's name is its digest, as libFuzzer's are."""
    context, kept = runtime.Context(), {}
    for pack in spoilt():
        kept.setdefault(reason(context.why_refused(pack)), pack)
    for pack in {*sound(), *kept.values(), *damaged_frames()}:
        (corpus / hashlib.sha1(pack).hexdigest()).write_bytes(pack)
