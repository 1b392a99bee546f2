"""Streams written down in a test, or drawn at random, in the templates' language."""

from __future__ import annotations

import random

from cryptostitch.core.ir import VECTOR
from cryptostitch.core.isa import ISAS
from cryptostitch.core.stream import Stream
from cryptostitch.frontend.layout import Layout
from cryptostitch.frontend.parse import parse
from cryptostitch.frontend.render import Rendered

ROWS = 6
"""Vectors (in a scalar stream: words) of the scratch field; there are as many of the key."""
POINTER = "lea p, [state.scratch]"


class Writer:
    """The fields that a stream may name, and its text. ``size``: bytes of a vector (a word)."""

    def __init__(self, isa: str) -> None:
        self.isa = ISAS[isa]
        self.size = self.isa.vector_bytes or 8
        self.layout = Layout(self.isa, max(1, self.isa.vector_bytes // 4), 32)
        self.layout.pointers("in")
        self.layout.scratch(self.size * ROWS)
        self.layout.words("key", ROWS if self.isa.words == VECTOR else 2 * ROWS)

    def stream(self, text: str) -> Stream:
        return parse(
            Rendered(text, self.layout), self.isa, name="written_x1", algorithm="written", bytes_per_iteration=64
        )


def written(isa: str, body: str) -> Stream:
    """A stream with nothing before the loop and nothing after it."""
    return Writer(isa).stream(f".body\n{body}")


class Drawn(Writer):
    """Random code over a few names: copies, narrow and wide, kept operands, loads and stores that overlap, and, on SSE,
    glued runs that share xmm0.

    Value numbering can prove all of it: every name is stored whole in the end, and exclusive or and subtraction, which
    of equal values give 0, are left out.
    """

    def __init__(self, isa: str, seed: int) -> None:
        super().__init__(isa)
        self.r = random.Random(f"{isa} {seed}")
        self.vectors = [f"v{n}" for n in range(self.r.randrange(3, ROWS + 1))] if self.isa.words == VECTOR else []
        self.generals = [f"g{n}" for n in range(self.r.randrange(2, 5))]
        enter = [f"{self.isa.load} {v}, {self.slot()}" for v in self.vectors]
        enter += [f"mov {g}, [state.in+0]" for g in self.generals] + [POINTER, *self.lines(4)]
        leave = self.lines(6) + [
            f"{self.isa.store} [state.scratch+{self.size * n}], {name}"
            for n, name in enumerate(self.vectors or self.generals)
        ]
        self.drawn = self.stream("\n".join([".enter", *enter, ".body", *self.lines(40), ".leave", *leave]))

    def lines(self, most: int) -> list[str]:
        return [
            line
            for _ in range(self.r.randrange(most))
            for line in (self.scalar() if self.isa.words != VECTOR else self.vector())
        ]

    # ---- operands

    def offset(self) -> int:
        return self.size * self.r.randrange(ROWS)

    def slot(self) -> str:
        return f"[state.scratch+{self.offset()}]"

    def place(self) -> str:
        return f"[p+{self.offset()}]" if self.r.random() < 0.2 else self.slot()

    def across(self) -> str:
        """Half of one row and half of the next."""
        return f"[{self.r.choice(('p', 'state.scratch'))}+{self.size * self.r.randrange(ROWS - 1) + self.size // 2}]"

    def kept(self) -> str:
        return f"keep[state.key+{self.size * self.r.randrange(ROWS)}]"

    def v(self) -> str:
        return self.r.choice(self.vectors)

    def g(self) -> str:
        return self.r.choice(self.generals)

    def source(self) -> str:
        draw = self.r.random()
        return self.v() if draw < 0.7 else self.kept() if draw < 0.9 else self.place()

    # ---- instructions

    def scalar(self) -> list[str]:
        d, a, b, n = self.g(), self.g(), self.g(), self.r.choice((":d", ""))
        op = self.r.choice(("add", "and", "or"))
        kept = [f"{op} {d}, {a}, {self.kept()}"]
        return self.r.choice(
            (
                [f"mov {d}{n}, {a}{n}"],
                [f"mov {d}{n}, {a}{n}"],
                [f"mov {d}{n}, {self.place()}"],
                [f"mov {self.place()}, {a}{n}"],
                [POINTER],
                [f"lea {d}, [{a}+{b}*4+{self.r.randrange(99)}]"],
                [f"not {d}{n}, {a}{n}"],
                [f"bswap {d}{n}, {a}{n}"],
                [f"rol {d}{n}, {a}{n}, 5"],
                [f"andn {d}{n}, {a}{n}, {b}{n}"],
                [f"rorx {d}{n}, {a}{n}, 5"],
                [f"{op} {d}{n}, {a}{n}, {self.place()}"],
                kept,
                [f"{op} {d}{n}, {a}{n}, {b}{n}"],
                [f"mov {d}, [{a}+16]"],
                [f"mov [{a}+16], {b}{n}"],
            )
        )

    def vector(self) -> list[str]:
        d, a, b, g = self.v(), self.v(), self.v(), self.g()
        load, store, move = self.isa.load, self.isa.store, self.isa.move
        loose = {"sse": "movdqu", "avx2": "vmovdqu", "avx512": "vmovdqu64"}[self.isa.name]
        common = (
            [f"mov {g}, [state.in+0]"],
            [f"add {g}, {self.g()}, {self.g()}"],
            [POINTER],
            [f"{load} {d}, {self.place()}"],
            [f"{store} {self.place()}, {a}"],
            [f"{store} {self.slot()}, {a}"],
            [f"{move} {d}, {a}"],
            [f"{loose} {self.across()}, {a}"],
            [f"{loose} {d}, [{g}+16]"],
            [f"{loose} [{g}+16], {a}"],
        )
        return self.r.choice(
            common + {"sse": self.sse, "avx2": self.avx2, "avx512": self.avx512}[self.isa.name](d, a, b)
        )

    def sse(self, d: str, a: str, b: str) -> tuple[list[str], ...]:
        within = (
            f"paddd xmm0, xmm0, {self.kept()} &",
            f"sha256rnds2 {self.v()}, {self.v()}, {self.v()} &",
            "pshufd xmm0, xmm0, 14 &",
            f"por {self.v()}, {self.v()}, {self.v()} &",
            f"movdqa {self.v()}, {self.v()} &",
        )
        run = [
            f"movdqa xmm0, {self.v()} &",
            *self.r.choices(within, k=self.r.randrange(3)),
            f"sha256rnds2 {d}, {a}, {self.source()}",
        ]
        op = self.r.choice(("paddd", "paddq", "por", "pand", "pandn", "pshufb"))
        arithmetic = [f"{op} {d}, {a}, {self.source()}"]
        return (
            run,
            run,
            arithmetic,
            arithmetic,
            arithmetic,
            [f"palignr {d}, {a}, {self.source()}, 4"],
            [f"pslld {d}, {a}, 3"],
            [f"pshufd {d}, {self.source()}, 9"],
        )

    def avx2(self, d: str, a: str, b: str) -> tuple[list[str], ...]:
        op = self.r.choice(("vpaddd", "vpaddq", "vpor", "vpand", "vpandn", "vpshufb"))
        arithmetic = [f"{op} {d}, {a}, {self.source()}"]
        return (
            [f"vmovdqa {d}:x, {a}:x"],
            [f"{op} {d}:x, {a}:x, {b}:x"],
            arithmetic,
            arithmetic,
            arithmetic,
            [f"vinserti128 {d}, {a}, {b}:x, 1"],
            [f"vextracti128 {d}:x, {a}, 1"],
            [f"vextracti128 {self.slot()}, {a}, 1"],
            [f"vpslld {d}, {a}, 3"],
        )

    def avx512(self, d: str, a: str, b: str) -> tuple[list[str], ...]:
        op = self.r.choice(("vpaddd", "vpaddq", "vpord", "vpandd", "vpshufb"))
        arithmetic = [f"{op} {d}, {a}, {self.source()}"]
        repeated = [f"vpaddd {d}, {a}, {self.layout.constant(self.r.randrange(4))}"]
        return (
            arithmetic,
            arithmetic,
            arithmetic,
            repeated,
            [f"vpternlogd {d}, {a}, {self.source()}, {self.r.randrange(256)}"],
            [f"vpternlogd {d}, {a}, {b}, {self.source()}, {self.r.randrange(256)}"],
            [f"vprold {d}, {self.source()}, 7"],
        )
