"""Packs: round trip, determinism, refusal of nonsense, and damage in every place through the runtime's reader."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from cryptostitch.core.contract import Field
from cryptostitch.core.ir import Constant
from cryptostitch.core.program import CIPHER_ENC, Algorithm, CostTable
from cryptostitch.emit.compress import compressed
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack
from handmade import ALGORITHM, Part, jit_code, program, recipe, tool

AES = Algorithm("aes128_cbc_enc", "aes-128-cbc", CIPHER_ENC, 16, key_bytes=16, iv_bytes=16, rounds=10)
CUT = replace(ALGORITHM, name="cut", suite="cut", digest_bytes=16, base=ALGORITHM.name)
HASH = program(
    "hash_x4@sse#3",
    "movdqa v0x, [g1+g2*4-8]:128~\npaddd v0x, @c0:128\nmovdqa xmm0, v0x\nrol g1d, -3\nmov g2, 81985529216486895",
    enter="mov g1, [g0]:64",
    leave="lea g2d, [g1+0x5a827999]",
    constants=(Constant("c0", bytes(16)),),
)
WIDE = program(
    "cipher_x16_by1_1key@avx512#9",
    "vpaddd {k0z} v0z, v8z, @c1:32*16\nvmovdqu32 {k0} [g0+64]:512, v0z",
    features="avx512f,aes",
    constants=(Constant("c0", b"8bytes!!"), Constant("c1", b"four")),
    lanes=2,
    fields=(
        Field("key", 64, 11, 64, 16, (0, 16), shared=True),
        Field("hand", 2048, 2, 1024, 16),
        Field("in", 0, 1, 16, 8, (0, 8), False),
    ),
)
WIDE = replace(WIDE, algorithm=AES.name)
RECIPES = [
    recipe("hash_x4@sse", HASH, static=True),
    recipe("cipher_x16_by1_1key+hash_x4@avx512", Part(WIDE, 2, -5, 0), Part(HASH, 1, 1000, 1)),
    recipe("hash_x8@sse", HASH, HASH, strategy="sequential"),
]
COSTS = [
    CostTable("zen5", {"hash_x8@sse": (200, 3), "hash_x4@sse": (100, 2)}, message=45701),
    CostTable("zen3", {"hash_x4@sse": (100, 2)}, derived=True),
    CostTable("generic", {}),
]


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "test.pack"
    path.write_bytes(write_pack([ALGORITHM, AES, CUT], RECIPES, COSTS))
    return path


def test_round_trip(pack: Path) -> None:
    back = read_pack(pack.read_bytes())
    assert back.algorithms == (ALGORITHM, AES, CUT)
    assert [p.name for p in back.programs] == [HASH.name, WIDE.name]
    for before, after in zip((HASH, WIDE), back.programs):
        assert after.code == before.code and after.window == before.window and after.contract == before.contract
        assert after == replace(before)
    assert list(back.recipes) == RECIPES
    assert back.costs == tuple(COSTS)
    assert write_pack(back.algorithms, back.recipes, back.costs) == pack.read_bytes()


def test_compressed_code(tmp_path: Path) -> None:
    """The same kernels, in fewer bytes, and the bytes of Zstandard 1.5.7 on every machine."""
    rounds = program(
        "hash_x4@sse#4",
        "\n".join(f"paddd v{i % 7}x, v{i % 5}x\nmovdqa v{i % 3}x, [g1+{16 * i}]:128" for i in range(200)),
    )
    recipes = [*RECIPES, recipe("hash_x4_long@sse", rounds)]
    small, plain = (write_pack([ALGORITHM, AES, CUT], recipes, COSTS, store=store) for store in (compressed, bytes))
    assert len(small) < len(plain) - 1500 and read_pack(small) == read_pack(plain)
    (tmp_path / "small.pack").write_bytes(small)
    (tmp_path / "plain.pack").write_bytes(plain)
    assert jit_code(tmp_path / "small.pack") == jit_code(tmp_path / "plain.pack")
    assert (
        hashlib.sha256(compressed(bytes(i * i % 251 for i in range(9999)))).hexdigest()
        == "2ff98d69c968d1c56d0300a35191ef367edf48a0356f7be4e596091944305cdc"
    )
    assert compressed(b"short") == b"short"


def test_same_input_same_bytes(pack: Path) -> None:
    script = (
        "import runpy,sys; sys.path[:0]=%r; m=runpy.run_path(%r); "
        "sys.stdout.buffer.write(m['write_pack']([m['ALGORITHM'],m['AES'],m['CUT']],m['RECIPES'],m['COSTS']))"
    )
    for seed in ("1", "2"):
        child = subprocess.run(
            [sys.executable, "-c", script % (sys.path, __file__)],
            capture_output=True,
            env={"PYTHONHASHSEED": seed},
            check=True,
        )
        assert child.stdout == pack.read_bytes()


def test_refuses_nonsense() -> None:
    with pytest.raises(ValueError, match="no algorithm record"):
        write_pack([ALGORITHM], RECIPES)
    with pytest.raises(ValueError, match="two kernels"):
        write_pack([ALGORITHM], [RECIPES[0], RECIPES[0]])
    other = replace(HASH, window=replace(HASH.window, vectors=9))
    with pytest.raises(ValueError, match="two different programs"):
        write_pack([ALGORITHM], [RECIPES[0], recipe("other@sse", other)])
    with pytest.raises(ValueError, match="not a pack"):
        read_pack(write_pack([ALGORITHM], RECIPES[:1])[:-1])


def test_runtime_reads_it(pack: Path) -> None:
    assert set(jit_code(pack)) == {r.name for r in RECIPES}


@pytest.mark.parametrize(
    "body", ["push g0", "syscall", "ret", "paddbogus v0x, v0x", "paddd v0x, g1", "jmp g0", "vpaddd v0x, v0x"]
)
def test_runtime_refuses_foreign_code(body: str, tmp_path: Path) -> None:
    path = tmp_path / "foreign.pack"
    path.write_bytes(write_pack([ALGORITHM], [recipe("bad@sse", program("bad@sse#1", body))]))
    run = subprocess.run([tool("cst-jitdump"), "--foreign", path], capture_output=True, text=True)
    assert run.returncode == 1 and "error -8" in run.stderr
