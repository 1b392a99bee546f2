"""Hand-made stream programs for tests of the back end, in a shorthand of one instruction per line.

Registers: v3x v3y v3z (128, 256, 512 bits), g2 g2d g2w g2b, k1, xmm0 itself; memory: [g0+64]:128 [g0+g1*4+8]:32 [g0+8]
(no size: lea); constants: @name:128, with broadcast @name:32*16; immediates: numbers; a mask stands before the
operands: {k0} or {k0z}; a line that ends with ~ is glued to the next.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from cryptostitch.core.contract import Contract, Field
from cryptostitch.core.ir import (
    GENERAL,
    MASK,
    SHARED,
    VECTOR,
    Code,
    Constant,
    Imm,
    Ins,
    Mem,
    Operand,
    Place,
    Reg,
    Window,
)
from cryptostitch.core.program import HASH, Algorithm, Part, Program, Recipe

ROOT = Path(__file__).resolve().parents[1]
ALGORITHM = Algorithm("nohash", "nohash", HASH, 64, 4, 5, 20, True, 8, initial=(1, 2, 3, 4, 5))
BITS = {"vx": 128, "vy": 256, "vz": 512, "g": 64, "gd": 32, "gw": 16, "gb": 8, "k": 64}
MEMORY = re.compile(r"\[g(\d+)(?:\+g(\d+)\*(\d))?([+-](?:0x[0-9a-f]+|\d+))?\](?::(\d+)(?:\*(\d+))?)?$")
CONSTANT = re.compile(r"@(\w+):(\d+)(?:\*(\d+))?$")
REGISTER = re.compile(r"([vgk])(\d+)([xyzdwb]?)$")


def operand(text: str) -> Operand:
    if text in SHARED:
        return SHARED[text]
    if m := REGISTER.match(text):
        return Reg({"v": VECTOR, "g": GENERAL, "k": MASK}[m[1]], int(m[2]), BITS[m[1] + m[3]])
    if m := MEMORY.match(text):
        index = Reg(GENERAL, int(m[2]), 64) if m[2] else None
        return Mem(
            Reg(GENERAL, int(m[1]), 64), int(m[4] or "0", 0), int(m[5] or 0), index, int(m[3] or 1), int(m[6] or 0)
        )
    if m := CONSTANT.match(text):
        return Mem(None, bits=int(m[2]), broadcast=int(m[3] or 0), symbol=m[1])
    return Imm(int(text, 0))


def assemble(text: str, file: str = "handmade") -> tuple[Ins, ...]:
    out = []
    for number, line in enumerate(text.strip().splitlines(), 1):
        line, glue = line.strip(), line.strip().endswith("~")
        if not line or line.startswith("#"):
            continue
        op, _, rest = line.removesuffix("~").strip().partition(" ")
        mask = None
        if m := re.match(r"\{k(\d)(z?)\}\s*", rest):
            mask, rest = m, rest[m.end() :]
        operands = tuple(operand(o.strip()) for o in rest.split(",") if o.strip())
        out.append(
            Ins(
                op,
                operands,
                Reg(MASK, int(mask[1]), 64) if mask else None,
                bool(mask and mask[2]),
                glue,
                (Place(file, number),),
            )
        )
    return tuple(out)


def program(
    name: str,
    body: str,
    enter: str = "",
    leave: str = "",
    window: Window | None = None,
    features: str = "sse",
    constants: tuple[Constant, ...] = (),
    state_bytes: int = 4096,
    lanes: int = 4,
    fields: tuple[Field, ...] | None = None,
) -> Program:
    """``name`` is <stream>@<isa>#<budget>. The window is as large as the registers that the code names."""
    code = Code(assemble(enter), assemble(body), assemble(leave))
    used = [r for _, section in code.sections() for ins in section for r in ins.registers()]
    size = {
        c: 1 + max((r.id for r in used if r.cls == c and not r.physical), default=-1) for c in (VECTOR, GENERAL, MASK)
    }
    window = window or Window(size[VECTOR], max(1, size[GENERAL]), size[MASK])
    if fields is None:
        fields = (
            Field("in", 0, 1, 32, 8, tuple(range(0, 8 * lanes, 8)), secret=False),
            Field("chain", 64, 5, 64, 4, tuple(range(0, 4 * lanes, 4))),
        )
    contract = Contract(lanes, 64, fields, state_bytes, 64, True, constants, frozenset(features.split(",")))
    stream, _, rest = name.partition("@")
    return Program(name, stream, ALGORITHM.name, rest.partition("#")[0], code, window, contract)


def recipe(name: str, *parts: Part | Program, strategy: str = "proportional", static: bool = False) -> Recipe:
    all_parts = tuple(p if isinstance(p, Part) else Part(p) for p in parts)
    return Recipe(name, name.partition("@")[2], all_parts, strategy, static)


def tool(name: str) -> Path:
    """A test program that CMake builds; skips the test when it is not there."""
    for path in (Path(os.environ.get("CST_TOOLS", ROOT / "build")) / name,):
        if path.exists():
            return path
    pytest.skip(f"{name} is not built")


def run_tool(name: str, *arguments: str | Path, target: str = "host", seconds: float = 900) -> tuple[int, str]:
    """The exit status and what was written of a test program; skips the test when it says that it cannot run here."""
    done = subprocess.run(
        [tool(name), *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        env=os.environ | {"CRYPTOSTITCH_TARGET": target},
    )
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    return done.returncode, done.stdout + done.stderr


def jit_code(pack: Path, *kernels: str, win64: bool = False, foreign: bool = False) -> dict[str, bytes]:
    """The bytes that the runtime assembles for the kernels of a pack (all: no names)."""
    flags = ["--win64"] * win64 + ["--foreign"] * foreign
    result = subprocess.run([tool("cst-jitdump"), *flags, pack, *kernels], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return {name: bytes.fromhex(code) for name, _, code in (line.partition(" ") for line in result.stdout.splitlines())}
