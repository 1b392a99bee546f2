"""Packs that an application loads: one seeded bug per rule, each refused with its reason before anything is
assembled."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from handmade import ALGORITHM, program, recipe, tool
from verify_samples import ALLOCATED as SAMPLE
from verify_samples import (
    looked_up,
    spoil,
)
from verify_samples import sample_program as sample_of

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cryptostitch.core.catalog import PADDINGS
from cryptostitch.core.contract import Field
from cryptostitch.core.ir import Code, Window
from cryptostitch.core.kinds import KINDS
from cryptostitch.core.program import CIPHER_ENC, HASH, Algorithm, CostTable, Part, Program, Recipe
from cryptostitch.core.tree import Tree
from cryptostitch.emit.compress import LEVEL, compressed
from cryptostitch.emit.instruction_table import table_text
from cryptostitch.emit.pack import PROGRAM, SECTIONS, VERSION, write_pack
from pack_fields import mended

CIPHER = Algorithm("sample", "sample", CIPHER_ENC, 16, key_bytes=16, iv_bytes=16, rounds=10)
READER = Algorithm("reader", "reader", HASH, 64, 4, 5, 20, True, 8, initial=(1, 2, 3, 4, 5))
CUT = replace(READER, name="cut", suite="cut", digest_bytes=16, initial=(6, 7, 8, 9, 10), base="reader")
SPONGE = Algorithm(
    *("sponge", "sponge", HASH, 168, 8, 25, 32, False, 0),
    initial=(0,) * 25,
    padding=PADDINGS["sponge"],
    input_bytes=256,
    domain=0x1F,
    hmac=False,
    last=0x80,
    squeeze_bytes=168,
)
TREE = replace(SPONGE, name="tree", base="sponge", tree=Tree(8192, 32, 11, 6, b"\0", b"\3" + bytes(7), b"\xff\xff"))


ALLOCATED = spoil(SAMPLE, "enter", 4, "lea g2, [g0+0]:0")  # a pack says that an address has no size


def sample_program(code: Code = ALLOCATED) -> Program:
    return sample_of(code)


def pack_of(
    *programs: Program,
    lags: tuple[int, ...] = (0, 0),
    costs: Sequence[CostTable] = (),
    store: Callable[[bytes], bytes] = bytes,
) -> bytes:
    parts = tuple(Part(p, 1, 0, lag) for p, lag in zip(programs, lags))
    return write_pack(
        [CIPHER, READER, CUT, ALGORITHM, SPONGE, TREE],
        [Recipe("kernel@avx512", "avx512", parts, "proportional", False)],
        costs,
        store=store,
    )


def judged(tmp_path: Path, pack: bytes) -> tuple[int, str]:
    path = tmp_path / "foreign.pack"
    path.write_bytes(pack)
    run = subprocess.run([tool("cst-jitdump"), "--foreign", path], capture_output=True, text=True, timeout=60)
    return run.returncode, run.stderr


def reader(toggle: int = 128, load: str = "[g1+64]:512") -> Program:
    """A hash of two lanes of 64 bytes that takes its blocks from the sample's hand-over buffer."""
    made = program(
        "reader_x2@avx512#1",
        f"vmovdqa64 v0z, {load}\nxor g1, {toggle}",
        enter="mov g1, [g0+256]:64",
        features="avx512f",
        lanes=2,
        state_bytes=512,
        fields=(Field("chain", 0, 5, 8, 4, (0, 4)), Field("from", 256, 1, 8, 8, (0,), secret=False)),
    )
    return replace(made, algorithm="reader")


def test_what_is_right_is_accepted(tmp_path: Path) -> None:
    assert judged(tmp_path, pack_of(sample_program())) == (0, "")
    assert judged(tmp_path, pack_of(sample_program(), reader(), lags=(0, 1))) == (0, "")
    assert judged(tmp_path, pack_of(sample_program(), reader(), lags=(0, 1), store=compressed)) == (0, "")


FRAME = zstandard.ZstdCompressor(level=LEVEL).compress


@pytest.mark.parametrize(
    "store",
    [
        lambda code: FRAME(code[:-1]),
        lambda code: FRAME(code + b"\0"),
        lambda code: FRAME(code)[:-1],
        lambda code: FRAME(code)[1:],
        lambda code: b"",
        lambda code: FRAME(b""),
    ],
    ids=["too little", "too much", "cut", "no magic", "nothing", "an empty frame"],
)
def test_frames_that_do_not_hold_the_code(store: Callable[[bytes], bytes], tmp_path: Path) -> None:
    code, why = judged(tmp_path, pack_of(sample_program(), store=store))
    assert code == 1 and "cannot be decoded" in why, why


@pytest.mark.parametrize(
    "size, reason",
    [(1 << 20, "more code than a pack of its size may"), ((1 << 20) + 1, "the record of program 0 is damaged")],
)
def test_code_that_grows_out_of_proportion(size: int, reason: str, tmp_path: Path) -> None:
    """A frame of a hundred bytes that claims, rightly, to hold a megabyte is not restored."""
    pack = bytearray(pack_of(sample_program(), store=lambda code: FRAME(bytes(size))))
    (record,) = struct.unpack_from("<I", pack, struct.unpack_from("<I", pack, 24 + 8 * SECTIONS.index("programs"))[0])
    struct.pack_into("<I", pack, record + PROGRAM.size - 8, size)
    code, why = judged(tmp_path, mended(pack))
    assert code == 1 and reason in why, why


@pytest.mark.parametrize("version", [*range(1, VERSION), VERSION + 1])
def test_packs_of_other_versions(version: int, tmp_path: Path) -> None:
    pack = bytearray(pack_of(sample_program()))
    struct.pack_into("<I", pack, 8, version)
    code, why = judged(tmp_path, bytes(pack))
    assert (
        code == 1 and "error -8" in why and f"a pack of version {version}; this library reads version {VERSION}" in why
    ), why


# section, index, instead (None: removed), the reason
SPOILED = {
    "load past bytes": ("body", 2, "vmovdqu64 v1, [g3+g1*1+1]", "accesses bytes 1 to 65 of the 64"),
    "load before": ("body", 2, "vmovdqu64 v1, [g3+g1*1-1]", "accesses bytes -1 to 63"),
    "store to in": ("body", 16, "mov g3, [g0+512]:64\nvmovdqu64 [g3+g1*1], v1", "stores to the input"),
    "read of out": ("body", 2, "mov g3, [g0+528]:64\nvmovdqu64 v1, [g3+g1*1]", "reads the output"),
    "store to key": ("body", 6, "vmovdqa64 [g0+384], v2", "field key, which is read-only"),
    "store to a pointer": ("body", 6, "mov [g0+512]:64, g3", "field in, which is read-only"),
    "outside the state": ("body", 6, "vmovdqa64 [g0+768], v2", "lie in no field"),
    "before the state": ("body", 6, "vmovdqa64 [g0-64], v2", "lie in no field"),
    "over the field's end": ("body", 6, "vmovdqu64 [g0+488], v2", "lie in no field"),
    "made by arithmetic": ("body", 2, "add g3, g3\nvmovdqu64 v1, [g3+g1*1]", "not known to lie"),
    "two pointers": ("body", 2, "vmovdqu64 v1, [g3+g4*1]", "not known to lie"),
    "from data": ("body", 0, "mov g3, [g0+448]:64", "not known to lie"),
    "a scaled position": ("body", 2, "vmovdqu64 v1, [g3+g1*2]", "not known to lie"),
    "no position": ("body", 2, "vmovdqu64 v1, [g3]", "otherwise than in the body at the position"),
    "in leave": ("leave", 0, "mov g3, [g0+512]:64\nvmovdqu64 v0, [g3+g1*1]", "otherwise than in the body"),
    "starts late": ("enter", 0, "mov g1, 64", "accesses bytes 64 to 128"),
    "advances too far": ("body", 19, "add g1, 128", "not known to lie"),
    "advances twice": ("body", 19, "add g1, 64\nadd g1, 64", "not known to lie"),
    "stands still": ("body", 19, None, "otherwise than in the body at the position"),
    "half a position": ("body", 19, "add g1:32, 64", "not known to lie"),
    "the state pointer": ("body", 19, "add g0, 64", "register 0, which holds the state pointer"),
    "a wrong toggle": ("body", 13, "xor g2, 64", "toggles"),
    "out of its half": ("body", 12, "vmovdqa64 [g2+128], v1", "leaves its half"),
    "misaligned": ("body", 6, "vmovdqa64 [g0+456], v2", "lie in no field"),
    "aligned load of input": ("body", 2, "vmovdqa64 v1, [g3+g1*1]", "needs an aligned operand"),
    "too much of a constant": ("body", 4, "vpaddd v1, v1, [@round]:512", "reads 64 bytes of a constant of 4"),
    "a store to a constant": ("body", 4, "vmovdqu64 [@table]:512, v1", "writes a constant"),
    "an address of a constant": ("body", 4, "lea g3, [@table]:0", "takes the address of a constant"),
    "an unknown hint": ("body", 0, "prefetcht0 [g4]:0", "not known to lie"),
    "undeclared features": ("body", 5, "vpshufb v2, v1, v2", "CPU feature"),
    "glued to nothing": ("leave", 2, "vmovdqa64 [g0+320], v1 &", "glued to nothing"),
    **{
        op: ("body", 5, text, "not in the instruction table")
        for op, text in {
            "push": "push g1",
            "pop": "pop g1",
            "syscall": "syscall",
            "jmp": "jmp g1",
            "call": "call g1",
            "ret": "ret",
            "gather": "vpgatherdd v1, [g0+256]:512",
            "rdtsc": "rdtsc",
            "cpuid": "cpuid",
            "int3": "int3",
            "in": "in g1:32, g2:32",
            "xsave": "xsave [g0+256]:512",
            "div": "div g1",
            "movs": "movsb",
            "std": "std",
            "ldmxcsr": "ldmxcsr [g0+256]:32",
            "clflush": "clflush [g0+256]:8",
            "nothing": "bogus v1",
        }.items()
    },
    "a wrong operand": ("body", 5, "vpaddd v1, v1, g1", "operands that the instruction does not take"),
    "mixed widths": ("body", 5, "vpaddd v1:512, v1:512, v2:256", "operands that the instruction does not take"),
    "a wide scalar": ("body", 5, "add g1:16, 1", "operands that the instruction does not take"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_spoiled_program_is_refused(case: str, tmp_path: Path) -> None:
    section, index, text, reason = SPOILED[case]
    code, why = judged(tmp_path, pack_of(sample_program(spoil(ALLOCATED, section, index, text))))
    assert code == 1 and "error -8" in why and reason in why, why


@pytest.mark.parametrize(
    "text, reason",
    [
        ("and g4:32, 63\nmov g4:32, [g0+g4*4+768]:32", ""),
        ("and g4, 60\nmov g4, [g0+g4*4+776]:64", ""),
        ("and g4:32, 63\nmov [g0+g4*4+768]:32, g2:32", ""),
        ("and g4:32, 64\nmov g4:32, [g0+g4*4+768]:32", "outside the table"),
        ("and g4:32, 63\nmov g4, [g0+g4*4+768]:64", "outside the table"),
        ("and g4:32, 63\nmov g4:32, [g0+g4*4+764]:32", "outside the table"),
        ("and g4:32, 1\nmov g4:32, [g0+g4*4+448]:32", "outside the table"),
        ("and g4:32, 63\nadd g4:32, 1\nmov g4:32, [g0+g4*4+768]:32", "not known to lie"),
        ("and g4:32, -4\nmov g4:32, [g0+g4*4+768]:32", "not known to lie"),
        ("and g4, -4\nmov g4:32, [g0+g4*4+768]:32", "not known to lie"),
        ("and g4:32, g3:32\nmov g4:32, [g0+g4*4+768]:32", "not known to lie"),
        ("or g4:32, 63\nmov g4:32, [g0+g4*4+768]:32", "not known to lie"),
        ("and g4:32, 7\nmov g3, [g0+512]:64\nmov g4:32, [g3+g4*1]:32", "outside the state block"),
        ("and g4, 192\nvmovdqa64 v2, [g0+g4*1+768]", "its address is computed"),
    ],
)
def test_a_masked_number_may_index_the_table(text: str, reason: str, tmp_path: Path) -> None:
    code, why = judged(tmp_path, pack_of(looked_up(text, ALLOCATED)))
    assert code == (1 if reason else 0) and reason in why, why


def test_spill_slots_hold_addresses_only_until_they_are_overwritten(tmp_path: Path) -> None:
    kept = "mov [g0+704]:64, g3\nmov g3, [g0+704]:64\nvmovdqu64 v1, [g3+g1*1]"
    assert judged(tmp_path, pack_of(sample_program(spoil(ALLOCATED, "body", 2, kept))))[0] == 0
    lost = kept.replace("g3\nmov g3", "g3\nmov [g0+704]:64, g1\nmov g3")
    code, why = judged(tmp_path, pack_of(sample_program(spoil(ALLOCATED, "body", 2, lost))))
    assert code == 1 and "not known to lie" in why
    other = kept.replace("mov g3, [g0+704]", "mov [g0+708]:32, g1:32\nmov g3, [g0+704]")
    assert judged(tmp_path, pack_of(sample_program(spoil(ALLOCATED, "body", 2, other))))[0] == 1


def test_hints_may_look_ahead(tmp_path: Path) -> None:
    ahead = "prefetcht0 [g3+g1*1+100000]:0\nvmovdqu64 v1, [g3+g1*1]"
    assert judged(tmp_path, pack_of(sample_program(spoil(ALLOCATED, "body", 2, ahead)))) == (0, "")


def fields(*changed: Field, drop: str = "") -> Program:
    sample = sample_program()
    names = {f.name for f in changed}
    kept = tuple(f for f in sample.contract.fields if f.name not in names and f.name != drop)
    return replace(sample, contract=replace(sample.contract, fields=kept + changed))


@pytest.mark.parametrize(
    "sample, reason",
    [
        (fields(Field("spill", 448, 2, 64, 64)), "overlaps"),
        (fields(Field("in", 512, 1, 16, 8, (0, 4), secret=False)), "entries of field in overlap"),
        (fields(Field("in", 512, 1, 16, 8, (0,), secret=False)), "one pointer per lane"),
        (fields(Field("out", 528, 1, 16, 4, (0, 8), secret=False)), "one pointer per lane"),
        (fields(Field("from", 736, 1, 8, 8, (0,), secret=False)), "other side of a pair"),
        (
            replace(
                sample_program(),
                contract=replace(
                    sample_program().contract,
                    fields=(*sample_program().contract.fields, Field("key", 736, 1, 8, 8, (0,))),
                ),
            ),
            "two fields",
        ),
        (replace(sample_program(), algorithm="reader"), "other side of a pair"),
        (replace(sample_program(), name="a name with spaces"), "no proper name"),
        (replace(sample_program(), contract=replace(sample_program().contract, features=frozenset())), "CPU feature"),
        (
            replace(sample_program(), contract=replace(sample_program().contract, reads_input=False)),
            "reads input, which the program denies",
        ),
    ],
)
def test_contracts_that_contradict_themselves(sample: Program, reason: str, tmp_path: Path) -> None:
    code, why = judged(tmp_path, pack_of(sample))
    assert code == 1 and reason in why, why


@pytest.mark.parametrize(
    "changes",
    [
        {"base": "cut"},
        {"base": "sample"},
        {"block_bytes": 128},
        {"word_bytes": 8, "digest_bytes": 16},
        {"words": 4, "initial": (1, 2, 3, 4)},
        {"big_endian": False},
        {"length_bytes": 16},
        {"kind": CIPHER_ENC, "block_bytes": 16, "key_bytes": 16, "iv_bytes": 16, "rounds": 10},
    ],
)
def test_algorithms_that_cannot_run_on_their_base(changes: dict, tmp_path: Path) -> None:
    algorithms = [CIPHER, READER, replace(CUT, **changes), ALGORITHM]
    parts = (Part(sample_program(), 1, 0, 0),)
    code, why = judged(
        tmp_path, write_pack(algorithms, [Recipe("kernel@avx512", "avx512", parts, "proportional", False)])
    )
    assert code == 1 and "algorithm cut: " in why, why


@pytest.mark.parametrize("kind", [0, max(kind.number for kind in KINDS.values()) + 1, (1 << 32) - 1])
def test_a_kind_of_a_later_library(kind: int, tmp_path: Path) -> None:
    pack = write_pack([CIPHER, READER, replace(CUT, base="", kind=kind)], [], programs=[reader()])
    code, why = judged(tmp_path, pack)
    assert code == 1 and f"algorithm 2 is of kind {kind}, which this library does not know" in why, why


def test_bases_of_bases(tmp_path: Path) -> None:
    third = replace(CUT, name="third", suite="third", base="cut")
    code, why = judged(tmp_path, write_pack([READER, CUT, third], [], programs=[reader()]))
    assert code == 1 and "algorithm third: its base has no base" in why, why


def test_programs_belong_to_the_base(tmp_path: Path) -> None:
    code, why = judged(tmp_path, pack_of(sample_program(), replace(reader(), algorithm="cut"), lags=(0, 1)))
    assert code == 1 and "runs on another's" in why, why


@pytest.mark.parametrize("window", [Window(3, 5, 0), Window(4, 4, 0)])
def test_registers_outside_the_window(window: Window, tmp_path: Path) -> None:
    code, why = judged(tmp_path, pack_of(replace(sample_program(), window=window)))
    assert code == 1 and "cannot be decoded" in why, why


@pytest.mark.parametrize(
    "second, lags, reason",
    [
        (reader(), (0, 0), "one iteration behind"),
        (reader(), (0, 2), "one iteration behind"),
        (reader(), (1, 0), "one iteration behind"),
        (reader(toggle=64), (0, 1), "toggles by 64"),
        (reader(load="[g1+65]:512"), (0, 1), "leaves its half"),
        (reader(load="[g1+128]:512"), (0, 1), "leaves its half"),
        (
            replace(
                reader(toggle=64, load="[g1]:512"),
                contract=replace(
                    reader().contract,
                    lanes=1,
                    fields=(Field("chain", 0, 5, 4, 4, (0,)), Field("from", 256, 1, 8, 8, (0,), secret=False)),
                ),
            ),
            (0, 1),
            "is not the one",
        ),
    ],
)
def test_hand_over(second: Program, lags: tuple[int, ...], reason: str, tmp_path: Path) -> None:
    code, why = judged(tmp_path, pack_of(sample_program(), second, lags=lags))
    assert code == 1 and reason in why, why


def test_windows_that_do_not_fit(tmp_path: Path) -> None:
    code, why = judged(tmp_path, pack_of(*[replace(sample_program(), window=Window(12, 5, 0))] * 3, lags=(0, 0, 0)))
    assert code == 1 and "do not fit the registers" in why


def test_xmm0_belongs_to_all_streams(tmp_path: Path) -> None:
    right = program("x@sse#1", "movdqa xmm0, [g0+64]:128~\nsha256rnds2 v0x, v1x", features="sha")
    wrong = program("x@sse#1", "movdqa xmm0, [g0+64]:128\nsha256rnds2 v0x, v1x", features="sha")
    assert judged(tmp_path, write_pack([ALGORITHM], [recipe("k@sse", right)])) == (0, "")
    code, why = judged(tmp_path, write_pack([ALGORITHM], [recipe("k@sse", wrong)]))
    assert code == 1 and "reads xmm0" in why


@pytest.mark.parametrize(
    "first, second, what",
    [
        ("mov rdx, [g0+64]:64", "mulx g1, g2, [g0+72]:64", "rdx"),
        ("add g1, g2", "adc g2, 0", "flags"),
    ],
)
def test_what_streams_share_is_read_only_where_it_was_written(
    first: str, second: str, what: str, tmp_path: Path
) -> None:
    right, wrong = (program("x@scalar#4", f"{first}{glue}\n{second}", features="bmi2") for glue in ("~", ""))
    assert judged(tmp_path, write_pack([ALGORITHM], [recipe("k@scalar", right)])) == (0, "")
    code, why = judged(tmp_path, write_pack([ALGORITHM], [recipe("k@scalar", wrong)]))
    assert code == 1 and f"reads {what}, which another stream may have written" in why


def test_a_shift_may_leave_the_flags(tmp_path: Path) -> None:
    code, why = judged(
        tmp_path, write_pack([ALGORITHM], [recipe("k@scalar", program("x@scalar#4", "shl g1, 0~\nadc g2, 0"))])
    )
    assert code == 1 and "reads flags" in why


@pytest.mark.parametrize("target", ("g1, g2", "g2, g1"))
def test_both_results_of_mulx_are_no_address(target: str, tmp_path: Path) -> None:
    body = f"mov g1, [g0]:64~\nmov rdx, [g0+64]:64~\nmulx {target}, [g0+72]:64\nmov g3, [g1]:64"
    code, why = judged(
        tmp_path, write_pack([ALGORITHM], [recipe("k@scalar", program("x@scalar#4", body, features="bmi2"))])
    )
    assert code == 1 and "an address that is not known" in why


def test_rdx_takes_a_general_register(tmp_path: Path) -> None:
    sharing = program(
        "x@scalar#14", "mov rdx, [g0+64]:64~\nmulx g1, g2, [g0+72]:64", features="bmi2", window=Window(0, 14, 0)
    )
    code, why = judged(tmp_path, write_pack([ALGORITHM], [recipe("k@scalar", sharing)]))
    assert code == 1 and "do not fit the registers" in why


def test_the_table_is_the_same_everywhere() -> None:
    script = "from cryptostitch.emit.instruction_table import table_text; print(table_text(), end='')"
    for seed in ("1", "2"):
        child = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )
        assert child.stdout == table_text()
