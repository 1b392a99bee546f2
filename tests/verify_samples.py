"""A small stream and its allocation, written by hand, for the tests of the verifier; and ways to spoil them."""

from __future__ import annotations

import re
from dataclasses import replace

from cryptostitch.core.contract import CHAIN, FROM_HAND, HAND, IN, KEY, OUT, SCRATCH, SPILL, Contract, Field
from cryptostitch.core.contract import TABLE as LOOKED_UP
from cryptostitch.core.ir import GENERAL, VECTOR, Code, Constant, Imm, Ins, Mem, Place, Reg, Window
from cryptostitch.core.program import Part, Program, Recipe
from cryptostitch.core.stream import Stream

_DEFAULT = {VECTOR: 512, GENERAL: 64, "k": 64}


def reg(text: str) -> Reg:
    """v3, v.name, g1:32, k1; v%0 is physical."""
    body, _, bits = text.partition(":")
    name = body[1:].lstrip(".%")
    return Reg(body[0], int(name) if name.isdigit() else name, int(bits or _DEFAULT[body[0]]), "%" in body)


def mem(text: str) -> Mem:
    """[g0+64]:512, [g.p+g.position*1+8], [@name+4]:32{16}"""
    inner, bits, copies = re.fullmatch(r"\[(.*)\](?::(\d+))?(?:\{(\d+)\})?", text).groups()
    base = index = symbol = None
    scale, disp = 1, 0
    for term in inner.replace("-", "+-").split("+"):
        if term.startswith("@"):
            symbol = term[1:]
        elif re.fullmatch(r"-?\d+", term):
            disp += int(term)
        elif "*" in term:
            index, scale = reg(term.split("*")[0]), int(term.split("*")[1])
        else:
            base = reg(term)
    return Mem(base, disp, int(bits or 512), index, scale, int(copies or 0), symbol)


def ins(text: str, line: int = 1) -> Ins:
    """One instruction; a final & is glue, {k1} and {z} a mask."""
    glue = text.endswith("&")
    text = text.rstrip("& ")
    zeroing, text = text.endswith("{z}"), text.removesuffix("{z}")
    found = re.search(r"\{(k[^}]*)\}$", text)
    mask = reg(found[1]) if found else None
    op, _, rest = (text[: found.start()] if found else text).partition(" ")
    operands = tuple(
        mem(o) if o.startswith("[") else Imm(int(o)) if re.fullmatch(r"-?\d+", o) else reg(o)
        for o in (x.strip() for x in rest.split(","))
        if o
    )
    return Ins(op, operands, mask, zeroing, glue, (Place("streams/sample.j2", line),))


def code(enter: str, body: str, leave: str) -> Code:
    def section(text: str, start: int) -> tuple[Ins, ...]:
        return tuple(ins(line.strip(), start + n) for n, line in enumerate(text.strip().splitlines()) if line.strip())

    return Code(section(enter, 100), section(body, 200), section(leave, 300))


ROUND = Constant("round", bytes(range(4)))
TABLE = Constant("table", bytes(range(64)))

FIELDS = (
    Field(HAND, 0, 2, 128, 128, align=256),
    Field(CHAIN, 256, 2, 64, 4, tuple(range(0, 64, 4)), align=64),
    Field(KEY, 384, 1, 64, 16, (0, 16, 32, 48), align=64),
    Field(SCRATCH, 448, 1, 64, 64, align=64),
    Field(IN, 512, 1, 16, 8, (0, 8), secret=False),
    Field(OUT, 528, 1, 16, 8, (0, 8), secret=False),
)
FROM = Field(FROM_HAND, 544, 1, 8, 8, (0,), secret=False)
SPILLS = (Field(SPILL, 576, 2, 64, 64, align=64), Field("spill_words", 704, 2, 8, 8))

VIRTUAL = code(
    """
    mov g.position, 0
    vmovdqa64 v.a, [g.state+256]
    vmovdqa64 v.b, [g.state+320]
    lea g.hand, [g.state+0]
    """,
    """
    mov g.p, [g.state+512]:64
    mov g.q, [g.state+520]:64
    vmovdqu64 v.w, [g.p+g.position*1]
    vmovdqu64 v.x, [g.q+g.position*1]
    vpaddd v.w, v.w, v.round
    vpsubd v.y, v.w, v.x
    vpxord v.a, v.a, v.y
    vpaddd v.b, v.a, v.b
    vpandd v.z, v.b, v.key
    vmovdqa64 [g.hand+0], v.z
    vmovdqa64 [g.hand+64], v.w
    xor g.hand, 128
    mov g.o, [g.state+528]:64
    vmovdqu64 [g.o+g.position*1], v.y
    mov g.o2, [g.state+536]:64
    vmovdqu64 [g.o2+g.position*1], v.z
    add g.position, 64
    """,
    """
    vmovdqa64 [g.state+256], v.a
    vmovdqa64 [g.state+320], v.b
    """,
)
KEEP = {"round": mem("[@round]:32{16}"), "key": mem("[g.state+384]")}

# Four vector registers: a lives in v0, b in spill slot 0, the key in v3, the position in g1, hand in g2.
ALLOCATED = code(
    """
    mov g1, 0
    vmovdqa64 v0, [g0+256]
    vmovdqa64 v1, [g0+320]
    vmovdqa64 [g0+576], v1
    lea g2, [g0+0]
    vmovdqa64 v3, [g0+384]
    """,
    """
    mov g3, [g0+512]:64
    mov g4, [g0+520]:64
    vmovdqu64 v1, [g3+g1*1]
    vmovdqu64 v2, [g4+g1*1]
    vpaddd v1, v1, [@round]:32{16}
    vpsubd v2, v1, v2
    vmovdqa64 [g0+640], v2
    vpxord v0, v2, v0
    vpaddd v2, v0, [g0+576]
    vmovdqa64 [g0+576], v2
    vpandd v2, v3, v2
    vmovdqa64 [g2+0], v2
    vmovdqa64 [g2+64], v1
    xor g2, 128
    mov g3, [g0+528]:64
    vmovdqa64 v1, [g0+640]
    vmovdqu64 [g3+g1*1], v1
    mov g3, [g0+536]:64
    vmovdqu64 [g3+g1*1], v2
    add g1, 64
    """,
    """
    vmovdqa64 [g0+256], v0
    vmovdqa64 v1, [g0+576]
    vmovdqa64 [g0+320], v1
    """,
)
FEATURES = frozenset(("avx512f",))


def sample_stream(virtual: Code = VIRTUAL, name: str = "sample_x2") -> Stream:
    return Stream(name, "sample", "avx512", 2, 64, virtual, FIELDS, (ROUND, TABLE), KEEP, True, FEATURES)


def sample_program(real: Code = ALLOCATED, name: str = "sample_x2") -> Program:
    # lanes * bytes = 128 is half of the hand-over buffer
    contract = Contract(2, 64, FIELDS + SPILLS, 768, 256, True, (ROUND, TABLE), FEATURES)
    return Program(f"{name}@avx512#4", name, "sample", "avx512", real, Window(4, 5, 0), contract)


def spoil(real: Code, section: str, index: int, text: str | None, count: int = 1) -> Code:
    """The code with ``count`` instructions from ``index`` replaced by the lines of ``text`` (None: removed)."""
    lines = list(getattr(real, section))
    new = [ins(line.strip(), 900) for line in (text or "").split("\n") if line.strip()]
    lines[index : index + count] = new
    return replace(real, **{section: tuple(lines)})


def sample_recipe(lags: tuple[int, ...] = (0, 1), ratios: tuple[int, ...] = (1, 1)) -> Recipe:
    parts = tuple(Part(sample_program(), ratio, 0, lag) for ratio, lag in zip(ratios, lags))
    return Recipe("sample_x2+sample_x2@avx512", "avx512", parts)


def looked_up(text: str, allocated: Code = ALLOCATED) -> Program:
    """The sample with a table of 64 numbers, which ``text`` uses; g4 holds input."""
    real = spoil(allocated, "body", 5, f"mov g4, [g3+g1*1]:64\nvpsubd v2, v1, v2\n{text}")
    program = sample_program(real)
    contract = replace(
        program.contract,
        fields=(*program.contract.fields, Field(LOOKED_UP, 768, 64, 4, 4, (0,), align=64)),
        state_bytes=1024,
    )
    return replace(program, contract=contract)
