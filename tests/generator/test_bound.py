"""The cost model: chains and pressures that are known by arithmetic, the shipped tables, and the bounds of real kernels
against what was measured."""

from __future__ import annotations

import pytest
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.core.instructions import features_of
from cryptostitch.cpus.costs import shipped_costs
from cryptostitch.instruction_probe.resources import SATURATORS
from cryptostitch.model.bound import CHAIN, bound
from cryptostitch.model.chain import chain, chains
from cryptostitch.model.forms import REGISTER_BITS, Form, all_forms, form_of
from cryptostitch.model.loop import Step, loop_of
from cryptostitch.model.pressure import pressure, total
from cryptostitch.model.table import Row, Table, read_table, table_of, tables
from cryptostitch.passes.frame import frame
from cryptostitch.pipeline import Generator
from written_streams import written

ZMM, YMM = "zmm zmm zmm", "ymm ymm ymm"


def table(**rows: tuple) -> Table:
    """A CPU with an adder and a rotator; loads take 5 cycles, forwarding 12. Keys have _ for a blank."""
    forms = {name.replace("_", " "): row for name, row in rows.items()}
    return Table(
        "made up",
        "made up",
        "made up",
        {"adder": "", "rotator": "", "dispatch": ""},
        5,
        {"zmm": 12, "r64": 12},
        ((1, 0.25), (10, 0.5)),
        ((1000, 0.1),),
        {name: Row(name, *row) for name, row in forms.items()},
    )


ADD = ((None, 1, 1), 0.5, {"adder": 0.5, "dispatch": 0.25})
ROTATE = ((None, 2, None), 1, {"adder": 0.5, "rotator": 1, "dispatch": 0.25})
SLOW = ((None, 4, 1), 1, {"rotator": 1, "dispatch": 0.25})
MOVE = ((None, 0), 0.25, {"dispatch": 0.25})
CPU = table(
    vpaddd_zmm_zmm_zmm=ADD,
    vprold_zmm_zmm_i=ROTATE,
    vaesenc_zmm_zmm_zmm=SLOW,
    vmovdqa64_zmm_zmm=MOVE,
    vpxord_zmm_zmm_zmm=ADD,
    vpaddd_zmm_zmm_m512=((None, 1, None), 0.5, {"adder": 0.5}),
    vmovdqa64_m512_zmm=((None, None), 1, {}),
    vmovdqa64_zmm_m512=((None, None), 1, {}),
    mov_r64_r64=MOVE,
    mov_r64_m64=((None, None), 1, {}),
    lea_r64_m=((None, None), 1, {}),
)


def steps(body: str) -> list[Step]:
    return [Step(ins, 0, form_of(ins), n) for n, ins in enumerate(written("avx512", body).code.body)]


@pytest.mark.parametrize(
    "body, cycles",
    [
        ("vpaddd a, a, b\nvpaddd a, a, b\nvpaddd a, a, b", 3),
        ("vprold t, a, 5\nvpaddd a, t, b\nvprold t, a, 5\nvpaddd a, t, b", 6),
        # what nothing waits for is not on the chain
        ("vprold t, b, 5\nvpaddd a, a, t\nvpaddd u, a, t\nvprold u, u, 1", 1),
        ("vaesenc a, a, k", 4),
        ("vaesenc a, k, a", 1),  # from the block, from the key
        ("vpaddd c, a, k\nvmovdqa64 a, b\nvmovdqa64 b, c", 0.5),  # one addition per turn of two iterations
        ("vaesenc c, a, k\nvpaddd a, b, k\nvmovdqa64 b, c", 2.5),
        ("vpxord a, a, a\nvaesenc a, a, k\nvpaddd a, a, k", 0),  # zero whatever it was
        ("vpaddd a, a, [state.scratch]\nvmovdqa64 [state.scratch], a", 13),  # the store is loaded in the next iteration
        ("vmovdqa64 t, [state.scratch]\nvpaddd t, t, k\nvmovdqa64 [state.scratch+64], t", 0),  # another place
        ("vmovdqa64 t, [state.scratch+64]\nvpaddd t, t, k\nvmovdqa64 [state.scratch+64], t", 13),
        ("mov p, [p+0]", 5),
        ("lea p, [p+8]", 1),
    ],
)
def test_chain_of_a_stream_known_by_arithmetic(body: str, cycles: float) -> None:
    assert chain(steps(body), CPU).cycles == pytest.approx(cycles, abs=1e-9)


def test_chain_names_its_instructions() -> None:
    found = chain(steps("vprold t, a, 5\nvpaddd x, x, b\nvpaddd a, t, b\nvaesenc y, x, k"), CPU)
    assert found.counts == {"vprold": 1, "vpaddd": 1} and found.cycles == 3
    assert [s.place for s in found.steps] == [0, 2]


def test_every_stream_has_a_chain_of_its_own() -> None:
    one, two = steps("vpaddd a, a, b"), [Step(s.ins, 1, s.form, s.place) for s in steps("vaesenc c, c, k")]
    assert {s: c.cycles for s, c in chains([*one, *two], CPU).items()} == {0: 1, 1: 4}


def test_pressure_of_a_kernel_known_by_arithmetic() -> None:
    body = steps("\n".join(["vpaddd a, a, b"] * 6 + ["vprold t, a, 5"] * 4))
    body = [*body[:8], *(Step(s.ins, 1, s.form, s.place) for s in body[8:])]
    found = pressure(body, CPU)
    assert found == {"adder": {0: 4, 1: 1}, "rotator": {0: 2, 1: 2}, "dispatch": {0: 2, 1: 0.5}}
    assert total(found["adder"]) == 5
    assert (CPU.fetching(9, 90), CPU.fetching(10, 100), CPU.fetching(10, 1000)) == (2.25, 5, 100)
    # the least is that of loops that fit: a loop that outgrows a cache may keep a part of itself there
    assert CPU.least_fetching(10, 100) == 2.5


def test_a_form_without_a_row_is_named() -> None:
    with pytest.raises(CryptostitchError, match=r"no row 'vpsrld zmm zmm i'.*cryptostitch probe"):
        pressure(steps("vpsrld a, a, 3"), CPU)


def test_forms() -> None:
    forms = {str(f): f for f in all_forms()}
    assert (
        forms["vpaddd zmm zmm b32"].loads and forms["vextracti32x4 m128 zmm i"].stores and not forms["lea r64 m"].loads
    )
    assert forms["vinserti32x4 zmm zmm m128 i"].in_registers() == Form("vinserti32x4", ("zmm", "zmm", "xmm", "i"))
    assert forms["vpbroadcastd zmm m32"].in_registers() is None and forms[f"vpaddd {ZMM}"].in_registers() is None


# ---- the shipped tables


@pytest.mark.parametrize("name", sorted(tables()))
def test_table_is_plausible_and_stable(name: str) -> None:
    found = table_of(name)
    assert found.text() == tables()[name].read_text()
    assert list(found.rows) == sorted(found.rows)
    for row in found.rows.values():
        latencies = [latency for latency in row.latency if latency is not None]
        form = Form(row.form.split()[0], tuple(row.form.split()[1:]))
        assert row.throughput > 0 and all(0 < use <= row.throughput * 1.01 for use in row.uses.values()), row
        assert set(row.uses) <= set(found.resources), row
        folded = form.row.name in ("add", "sub") and form.operands == ("r64", "i") and name == "sapphire_rapids"
        renamed = folded or (form.row.move and form.memory is None)
        assert renamed or form.row.kind == "sha" or all(latency >= row.throughput * 0.85 for latency in latencies), row
        assert (
            all(latency == 0 for latency in latencies) if renamed else all(0 < latency < 10 for latency in latencies)
        ), row
        assert len(row.latency) == len(form.operands), row


LATER = {"crc32", "psadbw", "vpsadbw", "pmaddubsw", "vpmaddubsw", "pmaddwd", "vpmaddwd"}
NEWER = {"sar", "bzhi", "movq", "movhps", "pinsrd"}  # of pinsrd the form with memory
LACKED: dict[str, tuple[str, ...]] = {"zen2": ("avx512", "vaes", "vpclmulqdq", "gfni")}
"""How the features begin that a core lacks."""
# Instructions that no kernel had yet when the core was measured.
UNMEASURED = {
    "zen2": NEWER,
    "zen4": {"imul", *NEWER},
    "sapphire_rapids": {"imul", *LATER, *NEWER},
    "zen5": {
        "imul",
        "bzhi",
        "vmovdqu8",
        "pclmulqdq",
        "vpclmulqdq",
        "vpmadd52luq",
        "vpmadd52huq",
        "pmuludq",
        "vpmuludq",
        "vmovq",
        "mulx",
        "adc",
        "vpermi2b",
        "vpmultishiftqb",
        "vgf2p8affineqb",
        *LATER,
    },
}


@pytest.mark.parametrize("name", sorted(tables()))
def test_table_has_every_form(name: str) -> None:
    """All that the CPU has, but movbe's, a feature that the library does not look for."""
    there = [f for f in all_forms() if not any(x.startswith(LACKED.get(name, ())) for x in features_of(f.row, f.bits))]
    missing = {str(f) for f in there} - set(table_of(name).rows)
    assert {text.split()[0] for text in missing} <= {"movbe"} | UNMEASURED.get(name, set())


@pytest.mark.parametrize("name", sorted(tables()))
def test_scalar_units_are_counted_alike(name: str) -> None:
    """Whatever a table was made with: an addition of a register keeps them busy for one turn."""
    found = table_of(name)
    turn = found.rows[SATURATORS["scalar"][0]]
    assert turn.uses["scalar"] == turn.throughput == found.rows[found.resources["scalar"]].uses["scalar"]


def test_registers_and_memory_differ_only_by_the_load() -> None:
    rows = table_of("zen4").rows
    for form in all_forms():
        other = form.in_registers()
        if form.loads and other and form.row.kind in ("logic", "shift", "aes") and str(form) in rows:
            mine, theirs = rows[str(form)], rows[str(other)]
            ways = {"dispatch", "load", "vector load", "load or store"}
            assert {"load"} <= mine.uses.keys() & ways
            assert {r: use for r, use in mine.uses.items() if r not in ways} == {
                r: use for r, use in theirs.uses.items() if r not in ways
            }, form


def test_what_is_not_a_table(tmp_path) -> None:
    with pytest.raises(CryptostitchError, match="zen4.*cryptostitch probe -o zen9.json"):
        table_of("zen9")
    with pytest.raises(CryptostitchError, match="there is no file"):
        table_of(str(tmp_path / "a.json"))
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(CryptostitchError, match="is not an instruction table"):
        read_table(tmp_path / "a.json")


# ---- real kernels

KERNELS = [
    "sha1_x16@avx512",
    "aes128_cbc_enc_x16@avx512_vaes",
    "aes128_cbc_enc_x16_hand+sha1_x16_hand@avx512_vaes",
    "sha256_ni_x2@sse_shani",
    "aes128_cbc_enc_x1@sse_aesni",
    "md5_x1@scalar",
    "aes128_cbc_dec_x1_by16@avx512_vaes",
    "sha1_x8@avx2",
]
NOISE = 0.03  # of the calibrated costs


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


@pytest.mark.parametrize("name", KERNELS)
def test_no_kernel_was_measured_below_its_bound(generator: Generator, name: str) -> None:
    measured = shipped_costs("zen4")[name]
    found = bound(frame(generator.recipe(name)), table_of("zen4"))
    assert (1 - NOISE) * found.cycles <= measured <= 2 * found.cycles


@pytest.mark.parametrize(
    "name, cpu, binds, per_byte",
    [
        # per block 10 rounds of 4 cycles; one more exclusive or per 64 bytes
        ("aes128_cbc_enc_x1@sse_aesni", "zen4", CHAIN, 161 / 64),
        ("sha256_ni_x1@sse_shani", "zen4", CHAIN, 129 / 64),  # 32 sha256rnds2 of 4 cycles and an addition
        # 80 rounds of a rotate and an addition, 2 cycles each, and an addition
        ("sha1_x16@avx512", "zen5", CHAIN, 322 / 1024),
        # 4 blocks of 10 rounds of 4 cycles and a ternary exclusive or
        ("aes128_cbc_enc_x16@avx512_vaes", "zen5", CHAIN, 168 / 1024),
    ],
)
def test_bounds_known_by_arithmetic(generator: Generator, name: str, cpu: str, binds: str, per_byte: float) -> None:
    found = bound(frame(generator.recipe(name)), table_of(cpu))
    assert (found.binds, found.cycles_per_byte) == (binds, pytest.approx(per_byte))


def test_pressure_of_aes_is_its_rounds(generator: Generator) -> None:
    """16 lanes of 64 bytes: four vectors of four blocks, ten rounds each; on Zen 4 a 512-bit round takes both AES units
    for a cycle."""
    kernel = frame(generator.recipe("aes128_cbc_enc_x16@avx512_vaes"))
    loop = loop_of(kernel)
    rounds = [s for s in loop if s.ins.op.startswith("vaes")]
    assert len(rounds) == 16 * 10
    assert total(pressure(rounds, table_of("zen4"))["aes"]) == pytest.approx(160)
    assert total(pressure(rounds, table_of("zen5"))["aes"]) == pytest.approx(80)
    assert bound(kernel, table_of("zen4")).bytes == 1024


def test_latencies_belong_to_registers() -> None:
    for row in table_of("zen4").rows.values():
        for latency, operand in zip(row.latency, row.form.split()[1:]):
            assert latency is None or operand in REGISTER_BITS, row
