"""For every kernel, what asmjit assembles at run time equals, byte for byte, what LLVM MC assembles at build time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

sys.path[:0] = [str(folder) for folder in Path(__file__).resolve().parents[:2]]
import handmade  # noqa: E402
from cryptostitch.core.ir import VECTOR, Constant, Ins, Reg, Window  # noqa: E402
from cryptostitch.core.program import Recipe  # noqa: E402
from cryptostitch.emit.artefacts import pack_of  # noqa: E402
from cryptostitch.emit.assembly import symbol_name  # noqa: E402
from cryptostitch.emit.objects import elf_functions, machine_code  # noqa: E402
from cryptostitch.emit.pack import write_pack  # noqa: E402
from cryptostitch.emit.unpack import read_pack  # noqa: E402
from cryptostitch.ladder.bytes import unexplained  # noqa: E402
from cryptostitch.passes.frame import frame  # noqa: E402
from cryptostitch.pipeline import Generator  # noqa: E402
from handmade import ALGORITHM, Part, program, recipe  # noqa: E402
from operand_forms import FORMS, THREE_REGISTERS  # noqa: E402

KERNELS_AT_ONCE = 30  # bounds the memory of the assembler's process


def check(recipes: Sequence[Recipe], tmp_path: Path, abi: str = "sysv", pack: Path | None = None) -> None:
    """Every recipe through both assemblers. ``pack``: an existing pack that holds them."""
    if pack is None:
        pack = tmp_path / "test.pack"
        pack.write_bytes(write_pack(algorithms_of(recipes), recipes))
    jit = handmade.jit_code(pack, *(r.name for r in recipes), win64=abi == "win64")
    llvm = machine_code(frame(r, abi) for r in recipes)
    wrong = {}
    for r in recipes:
        if lines := unexplained(llvm[r.name], jit[r.name]):
            wrong[r.name] = lines
    assert not wrong, "\n".join(f"{name}: {line}" for name, lines in wrong.items() for line in lines)


def algorithms_of(recipes: Sequence[Recipe]) -> list:
    names = {part.program.algorithm for r in recipes for part in r.parts}
    return [replace(ALGORITHM, name=name) for name in sorted(names)]


CONSTANTS = (
    Constant("k32", bytes(range(4))),
    Constant("k64", bytes(range(8))),
    Constant("k128", bytes(range(16))),
    Constant("k256", bytes(range(32))),
    Constant("k512", bytes(range(64))),
)


@pytest.mark.parametrize("isa", FORMS)
@pytest.mark.parametrize("abi", ["sysv", "win64"])
def test_every_operand_form(isa: str, abi: str, tmp_path: Path) -> None:
    body, features = FORMS[isa]
    p = program(
        f"forms@{isa}#32",
        body,
        enter="mov g1, [g0]:64",
        leave="mov [g0+8]:64, g1",
        features=features,
        constants=CONSTANTS,
    )
    check([recipe(f"forms@{isa}", p)], tmp_path, abi)


def test_two_byte_prefixes(tmp_path: Path) -> None:
    """Every three-register VEX instruction with low and high registers in each place."""
    body = "\n".join(
        f"{op} v{a}{w}, v{b}{w}, v{c}{w}"
        for op in THREE_REGISTERS
        for w in ("y" if op == "vpermd" else "xy")
        for a in (1, 9)
        for b in (2, 10)
        for c in (3, 11)
    )
    check([recipe("vex@avx2", program("vex@avx2#16", body, features="avx2"))], tmp_path)


def test_windows_far_up(tmp_path: Path) -> None:
    """The same forms in windows that begin at other registers, and stitched."""
    sse = program("low@sse#2", "paddd v0x, v1x\nmov g1d, [g0+8]:32\nrol g1d, 7\nmov [g0+8]:32, g1d", features="sse")
    rnds = program("sha@sse#4", "movdqa xmm0, v2x~\nsha256rnds2 v1x, v0x\npaddd v0x, v3x", features="sha")
    avx = program(
        "wide@avx512#20",
        "vpternlogd v0z, v19z, @k32:32*16, 0x96\nkmovq k0, g1\nvpaddd {k0} v3z, v4z, [g1+64]:512\n"
        "vpxor v1x, v2x, v3x\nvmovdqa v1x, v3x",
        enter="mov g1, [g0]:64",
        features="avx512f",
        constants=CONSTANTS,
    )
    vex = program(
        "vex@avx2#6",
        "vpxor v1y, v2y, v5y\nvmovdqa v0y, v4y\nvpaddd v3y, v1y, @k256:256",
        features="avx2",
        constants=CONSTANTS[::-1],
    )
    recipes = [
        recipe("low+sha@sse_shani", sse, rnds),
        recipe("sha+low@sse_shani", rnds, sse),
        recipe("sha_x3@sse_shani", rnds, rnds, rnds),
        recipe(
            "wide+low+sha@avx512", Part(avx, ratio=2, lead=100), Part(sse, ratio=3, lag=1), Part(rnds, lead=-300, lag=2)
        ),
        recipe("vex+vex@avx2", Part(vex), Part(vex, lag=1)),
        recipe("vex+low+wide@avx512", vex, sse, avx, strategy="sequential"),
        recipe("low4@sse", Part(sse), Part(sse, lag=1), Part(sse), Part(sse, lag=1)),
        recipe(
            "generals@scalar", *[program("g@scalar#0", "add g1d, g2d\nxor g2, g1\nrol g1d, 5", features="bmi2")] * 4
        ),
    ]
    check(recipes, tmp_path)
    check(recipes, tmp_path, "win64")


def test_long_loop(tmp_path: Path) -> None:
    """The jump back is two bytes long as far as it reaches, then six."""
    step = "paddd v0x, v1x\n"
    check([recipe(f"n{n}@sse", program(f"n{n}@sse#2", step * n)) for n in (1, 29, 30, 31, 32, 200)], tmp_path)


def test_registers_of_all_sizes(tmp_path: Path) -> None:
    """Generals beyond the eighth, and byte and word uses."""
    body = "\n".join(
        f"add g{i}d, 1\nmov g{i}, g1\nrol g{i}w, 8\nxor g{i}b, g1b\nmovzx g{i}d, g1b\nmovbe g{i}d, [g{i}+4]:32"
        for i in range(14)
    )
    check([recipe("g14@scalar", program("g14@scalar#0", body, window=Window(0, 14, 0)))], tmp_path)
    check([recipe("g14@scalar", program("g14@scalar#0", body, window=Window(0, 14, 0)))], tmp_path, "win64")


def test_the_comparison_sees_one_bit(tmp_path: Path) -> None:
    """Seeded bug: LLVM is given a kernel in which one register differs."""
    good = program("bit@sse#3", "paddd v0x, v1x\npxor v1x, v2x")
    bad = replace(
        good, code=replace(good.code, body=(good.code.body[0], Ins("pxor", (Reg(VECTOR, 1, 128), Reg(VECTOR, 1, 128)))))
    )
    pack = tmp_path / "good.pack"
    pack.write_bytes(write_pack([ALGORITHM], [recipe("bit@sse", good)]))
    with pytest.raises(AssertionError, match="pxor"):
        check([recipe("bit@sse", bad)], tmp_path, pack=pack)


def test_shipped_static_kernels() -> None:
    """The objects that were linked into the library, against its pack: no generation, so it takes a second."""
    generated = handmade.ROOT / "build" / "generated"
    if not (generated / "static_kernels.o").exists():
        pytest.skip("the static kernels are not built")
    shipped = elf_functions((generated / "static_kernels.o").read_bytes())
    jit = {symbol_name(name): code for name, code in handmade.jit_code(generated / "default.pack").items()}
    assert shipped and not [name for name, code in shipped.items() if jit[name] != code]


@pytest.mark.slow
def test_default_pack_for_windows(tmp_path: Path) -> None:
    """Every fourth kernel that the library brings, under the other calling convention. Under SysV the ladder's check
    `bytes` compares all of them (ladder/test_default_pack.py)."""
    path = handmade.ROOT / "build" / "generated" / "default.pack"
    if not path.exists():
        pytest.skip("the default pack is not built")
    recipes = read_pack(path.read_bytes()).recipes[::4]
    for start in range(0, len(recipes), KERNELS_AT_ONCE):
        check(recipes[start : start + KERNELS_AT_ONCE], tmp_path, "win64", path)


def test_generating_again_gives_the_same_bytes() -> None:
    """A sample of the pack's kernels, compiled again in this process (with another seed of Python's hashes) and one at
    a time."""
    path = handmade.ROOT / "build" / "generated" / "default.pack"
    if not path.exists():
        pytest.skip("the default pack is not built")
    generator, shipped = Generator(), read_pack(path.read_bytes()).recipes[::16]
    again = [replace(generator.recipe(r.name), static=r.static) for r in shipped]
    assert len(shipped) > 10 and pack_of(generator, again) == pack_of(generator, list(shipped))
