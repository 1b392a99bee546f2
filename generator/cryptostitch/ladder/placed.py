"""A job in the middle of a guarded buffer, at a random alignment, with what must be there afterwards: its outputs, and
nothing else."""

from __future__ import annotations

import itertools
import random
from typing import Any

from ..binding.runtime import ERR_AUTH, OPEN, SEAL, Job, Key
from .oracle import Case, meaning

MARGIN = 64
PIECES = (0, 1, 7, 15, 16, 17, 48, 64, 100, 300, 1000, 5000)


def scatter(rng: random.Random, *views: memoryview) -> list[list[memoryview]]:
    """The views in pieces, cut at the same positions."""
    cuts = [0]
    while cuts[-1] < max(map(len, views)):
        cuts.append(cuts[-1] + rng.choice(PIECES))
    return [[view[a:b] for a, b in itertools.pairwise(cuts)] or [view] for view in views]


class Placed:
    """``direction``, ``in_place``, ``forged`` None: as ``rng`` says. ``scattered``: how likely the buffers come in
    pieces. Only what is opened and has a tag or padding can be forged."""

    def __init__(
        self,
        rng: random.Random,
        case: Case,
        key: Key,
        direction: int | None = None,
        scattered: float = 0,
        in_place: bool | None = None,
        forged: bool | None = None,
    ):
        self.case, self.key = case, key
        self.direction = rng.choice((SEAL, OPEN)) if direction is None else direction
        can_forge = self.direction == OPEN and (bool(case.tag) or meaning(case.suite).authenticates)
        self.forged = can_forge and (rng.random() < 0.2 if forged is None else forged)
        ciphers = bool(case.key)
        source, result = (case.data, case.out) if self.direction == SEAL or not ciphers else (case.out, case.data)
        self.in_place = ciphers and (rng.random() < 0.5 if in_place is None else in_place)
        shift = rng.randrange(64)
        room = max(len(source), len(result))
        self.buffer = bytearray(rng.randbytes(shift + room + MARGIN))
        self.buffer[shift : shift + len(source)] = source
        if self.forged and not case.tag:
            self.buffer[shift + rng.randrange(len(source))] ^= 1 << rng.randrange(8)
        self.wanted = bytearray(self.buffer)
        view = memoryview(self.buffer)
        self.out_buffer = self.buffer if self.in_place else bytearray(rng.randbytes(shift + room + MARGIN))
        self.out_wanted = self.wanted if self.in_place else bytearray(self.out_buffer)
        written = max(len(result), len(source)) if self.direction == OPEN else len(result)
        out = memoryview(self.out_buffer)[shift : shift + written] if ciphers else None
        tag = bytearray(case.tag)
        if self.forged and tag:
            tag[rng.randrange(len(tag))] ^= 1 << rng.randrange(8)
        elif self.direction == SEAL:
            tag = bytearray(len(tag))
        self.tag = tag
        self.tag_wanted = bytearray(tag) if self.forged else bytearray(case.tag)
        if ciphers:
            zeros = bytes(written - len(result))
            self.out_wanted[shift : shift + written] = bytes(written) if self.forged else result + zeros
        self.out_len = len(result) if ciphers and not self.forged else 0
        text = view[shift : shift + len(source)]
        buffers: tuple[Any, Any] = text, out
        self.scattered = rng.random() < scattered
        if self.scattered and out is None:
            buffers = scatter(rng, text)[0], None
        elif self.scattered and out is not None:
            pieces = scatter(rng, text, out) if self.in_place else scatter(rng, text) + scatter(rng, out)
            buffers = pieces[0], pieces[1]
        data, to = buffers
        self.job = Job(
            key, self.direction, iv=case.iv or None, aad=case.aad or None, data=data, out=to, tag=tag or None
        )

    def problem(self) -> str:
        """Says what is wrong after the burst; empty when nothing is."""
        wrong = ""
        if self.job.status != (ERR_AUTH if self.forged else 0):
            wrong = f"status {self.job.status}"
        elif self.job.out_len != self.out_len:
            wrong = f"{self.job.out_len} bytes of output, not {self.out_len}"
        elif self.tag != self.tag_wanted:
            wrong = "a wrong tag" if self.direction == SEAL else "the tag was written to"
        elif self.buffer != self.wanted or self.out_buffer != self.out_wanted:
            wrong = "a wrong output, or bytes beside it were changed"
        where = (
            f"{self.case.suite}, {'seal' if self.direction == SEAL else 'open'}, {len(self.case.data)} bytes, "
            f"{len(self.case.aad)} of AAD"
        )
        ways = ((self.in_place, "in place"), (self.scattered, "scattered"), (self.forged, "forged"))
        how = "".join(f", {way}" for is_so, way in ways if is_so)
        return f"{where}{how}: {wrong}" if wrong else ""
