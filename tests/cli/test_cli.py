"""The command line: what each command prints, and that wrong input gets one line that says what to do."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptostitch.binding import runtime
from cryptostitch.cli import main
from cryptostitch.commands.common import Numbers
from cryptostitch.emit.objects import elf_functions
from cryptostitch.instruction_probe.bench import Bench
from cryptostitch.listing import Catalogue
from cryptostitch.report.choices import family
from cryptostitch.report.tables import listing_text
from cryptostitch.tuning import measure
from cryptostitch.tuning.measure import CHAIN_ADDS, Laboratory, MeasureError, check_clock, pinned
from jobs.samples import suites_of

COMMANDS = (
    "list",
    "show",
    "stitch",
    "matrix",
    "tune",
    "predict",
    "probe",
    "bound",
    "emit",
    "verify",
    "mutate",
    "cpu",
    "calibrate",
    "regret",
    "learn",
    "report",
    "openssl-config",
    "bench",
    "pack",
)
PAIR = "aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"
OF_NO_SUITE = ("ghash", "poly1305", "cbc_mac", "codec", "arithmetic")
"""Kinds that are parts of AEADs only, or of erasure codes."""


def run(*arguments: str, code: int = 0, color: bool = False) -> Any:
    result = CliRunner().invoke(main, [str(a) for a in arguments], color=color)
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture(scope="module")
def listed() -> dict[str, list]:
    return json.loads(run("list", "--format", "json").stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    text = run(command, "--help").output
    assert f"cryptostitch {command}" in text and re.search(r"Examples?:", text)
    assert re.search(r"--format \[[^]]*json", re.sub(r"\s+", " ", text))


def test_every_command_is_tested_for_its_help() -> None:
    assert set(COMMANDS) == set(main.commands)


def test_list_agrees_with_the_library(listed: dict[str, list], build: Path) -> None:
    context = runtime.Context()
    rows = Catalogue().algorithms.values()
    alone = {row.suite for row in rows if row.kind not in OF_NO_SUITE and row.padding != "rest"}
    alone -= {suite for suite in alone if "vartime" in suite or suite.startswith("des")}  # off unless asked for
    assert alone < set(listed["suites"]) == set(context.suites())
    assert {k["name"] for k in listed["kernels"]} >= set(context.kernels())
    streams = {s["name"]: s for s in listed["streams"]}
    assert streams["sha1_x16"]["isa"] == "avx512" and streams["sha1_x16"]["lanes"] == 16
    pair = next(k for k in listed["kernels"] if k["name"] == PAIR)
    assert (
        pair["streams"] == ["aes128_cbc_enc_x1", "sha1_ni_x1"]
        and pair["static"]
        and pair["target"] == "sse_aesni_shani"
    )


@pytest.mark.parametrize(
    "name",
    [
        "aes128_cbc_enc_x16_by1@avx512_vaes",
        "aes256_cbc_enc_x8_1key@avx2_vaes",
        "sha256_ni_x4@sse_shani",
        "md5_x16@avx512",
        "aes128_cbc_enc_x1+sha1_x1@sse_aesni_bmi2",
    ],
)
def test_listed_features_are_those_of_the_compiled_kernel(listed: dict[str, list], name: str) -> None:
    kernel = next(k for k in listed["kernels"] if k["name"] == name)
    assert kernel["features"] == sorted(Catalogue().recipe(name).features)


def test_list_as_text(listed: dict[str, list]) -> None:
    text = listing_text(listed)
    assert "sha1_x16" in text and PAIR in text and "hmac-sha256" in text


def test_show() -> None:
    text = run("show", PAIR).stdout
    assert "\x1b" not in text
    sections = re.findall(r"^---- (\w+):", text, re.M)
    assert sections == ["entry", "enter", "ramp", "loop", "drain", "leave", "wipe", "exit"]
    assert re.search(r"^ 0 +aesenc xmm\d+, .* streams/aes_cbc_enc\.j2:\d+ < isa/sse\.j2:\d+$", text, re.M)
    assert re.search(r"^ 1 +sha1rnds4 .* streams/sha1_ni_block\.j2:\d+ < isa/sse\.j2:\d+$", text, re.M)
    loop = next(line for line in text.split("\n") if line.startswith("---- loop"))
    counts = [int(n) for n in re.findall(r"stream \d: (\d+)", loop)]
    body = text[text.index("---- loop") : text.index("---- drain")]
    assert [len(re.findall(rf"^ {i} ", body, re.M)) for i in (0, 1)] == counts


def test_three_streams_of_which_one_has_its_suites_name(needs_pair: None) -> None:
    found = run("stitch", "aes128_cbc_enc_x1", "sha1_ni_x1", "crc32c", "--isa", "sse", "--seconds", "0.02")
    assert "crc32c is crc_reflected_x1" in found.stderr
    assert "sha1_ni_x1 and crc_reflected_x1 read what aes128_cbc_enc_x1 writes" in found.stdout
    assert re.search(
        r"^why: aes128_cbc_enc waits for its chain .*(over best apart \(by the table of |that table is wrong)",
        found.stdout,
        re.M,
    )
    picture = re.search(r"cryptostitch report (\S+) -o page.html", found.stdout)
    assert picture and picture[1].startswith("aes128_cbc_enc_x1+sha1_ni_x1+crc_reflected_x1@sse")


def test_a_text_by_its_name(needs_pair: None) -> None:
    found = run("stitch", "aes-128-cbc", "sha1_ni", "--isa", "sse", "--seconds", "0.02")
    assert "sha1_ni is sha1_ni_x1" in found.stderr and "sha1_ni_x1 reads what aes128_cbc_enc_x1 writes" in found.stdout


def test_parts_that_take_unequal_bytes_say_so(needs_pair: None, cpu: set[str]) -> None:
    """Blocks of 136 and of 64 bytes have no common multiple that a loop has room for."""
    if not {"bmi1", "bmi2"} <= cpu:
        pytest.skip("this CPU has no bmi1, bmi2")
    found = run("stitch", "sha3-256", "sha1_ni", "--isa", "scalar:sse", "--seconds", "0.02").stdout
    assert "keccak_x1 takes 136 bytes of each message, sha1_ni_x1 takes 64 bytes" in found
    assert "read the same bytes" not in found


def test_names_of_nothing() -> None:
    """The message for an unknown name lists the nearest streams, algorithms and suites."""
    for name, near in (("sha-256", "sha256"), ("aes-128-cba", "aes-128-cbc"), ("md6_x4", "md5_x4")):
        said = run("stitch", name, "sha1_ni_x1", "--isa", "sse", code=1).stderr
        assert f"no stream, algorithm or suite named '{name}'; nearest: " in said and near in said


def test_show_with_colours() -> None:
    text = run("show", "sha1_ni_x1@sse_shani", "--color", color=True).stdout
    assert "\x1b[36m 0 " in text


def test_stitch(needs_pair: None) -> None:
    found = json.loads(
        run("stitch", "aes128_cbc_enc_x1", "sha1_ni_x1", "--isa", "sse", "--seconds", "0.1", "--format", "json").stdout
    )
    assert found["kernel"] == PAIR and found["verified"]
    cycles = found["cycles_per_iteration"]
    assert cycles["sum"] == pytest.approx(sum(cycles["parts"].values()), abs=0.2)
    assert 0 < cycles["larger"] <= cycles["sum"] and cycles["woven"] > 0
    assert (found["speedup"] is None) == bool(found["disturbed"])
    if found["speedup"]:
        assert found["speedup"] == pytest.approx(cycles["sum"] / cycles["woven"], rel=0.01)
    assert found["cycles_per_byte"]["woven"] == pytest.approx(cycles["woven"] / 64, rel=0.01)


def test_stitch_options_reach_the_kernel(needs_pair: None) -> None:
    found = json.loads(
        run(
            "stitch",
            "aes128_cbc_enc_x1",
            "sha1_ni_x1",
            "--isa",
            "sse",
            "--seconds",
            "0.02",
            "--format",
            "json",
            "--ratio",
            "1:2",
            "--lead",
            "0:100",
            "--lag",
            "2",
            "--budget",
            "8:8",
            "--strategy",
            "sequential",
            "--iterations",
            "20",
        ).stdout
    )
    assert found["strategy"] == "sequential"
    assert [(s["ratio"], s["lead"], s["lag"]) for s in found["streams"]] == [(1, 0, 0), (2, 100, 2)]
    assert all(s["vectors"] <= 8 for s in found["streams"])


def test_stitch_as_text(needs_pair: None) -> None:
    text = run("stitch", "aes128_cbc_enc_x1", "sha1_ni_x1", "--isa", "sse", "--seconds", "0.02").output
    for word in ("verified:", "assembled:", "sum of the parts", "woven"):
        assert word in text
    assert "speed-up over best apart (" in text or "disturbed: again on a quiet machine (" in text


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["stich"], "did you mean `cryptostitch stitch`"),
        (["show", "sha1_x16"], "write e.g. sha1_x16@avx512"),
        (["show", "sha1_y16@avx512"], "write <algorithm>_x<lanes>"),
        (["show", "sha1_x16@avx51"], "sha1_x16@avx512"),
        (["show", "aes128_cbc_en_x16@avx512"], "aes128_cbc_enc_x16"),
        (["emit", "--pack", "x", "sha_x16@avx512"], "sha1_x16"),
        (["emit"], "--default-pack"),
        (["emit", "--static", "x", "--static-kernels", "all", "sha1_x16@avx512"], "without KERNELS"),
        (["emit", "--columns", "x"], "--hash"),
        (["emit", "--hash", "md5", "--pack", "x", "md5_x1@scalar"], "--columns DIR"),
        (["emit", "--columns", "x", "--hash", "md5", "md5_x1@scalar"], "no KERNELS"),
        (["emit", "--columns", "x", "--hash", "sha257"], "nearest: sha256"),
        (["emit", "--columns", "x", "--hash", "sha3-256"], "there are md5, sha1"),
        (["emit", "--columns", "x", "--hash", "md5", "--targets", "avx2,ssse"], "nearest: sse"),
        (["stitch", "aes128_cbc_enc_x16", "sha_x16", "--isa", "avx512"], "sha1_x16"),
        (["stitch", "aes128_cbc_enc_x16", "sha1_x16"], "--isa"),
        (["stitch", "aes128_cbc_enc_x16", "sha1_x16", "--isa", "avx51"], "avx512"),
        (["stitch", "aes128_cbc_enc_x16", "sha1_x64", "--isa", "avx512"], "sha1_x16, sha1_x32"),
        (["stitch", "aes128_cbc_enc_x64", "sha1_x16", "--isa", "avx512"], "give both parts the same number"),
        (["stitch", "aes128_cbc_enc_x8", "sha1_x8", "--isa", "sse"], "try fewer lanes"),
        (["stitch", "aes128_cbc_enc_x1", "sha1_x16", "--isa", "avx512"], "take aes128_cbc_enc_x8, aes128_cbc_enc_x16"),
        (["stitch", "aes128_cbc_enc_x16", "sha1_ni_x1", "--isa", "avx512"], "use --isa sse"),
        (["stitch", "aes128_cbc_enc_x16", "sha1_x16", "--isa", "avx512", "--budget", "1:2"], "try another --budget"),
        (["stitch", "aes128_cbc_enc_x16_hand", "sha1_x16", "--isa", "avx512"], "_hand on both parts"),
        (["stitch", "a_x1", "b_x1", "--isa", "sse", "--ratio", "1:x"], "like 1:2"),
        (
            ["emit", "--format", "elf", "--format", "macho", "--object", "x", "sha1_x16@avx512"],
            "one of elf, coff, macho",
        ),
        (["emit", "--format", "json", "--assembly", "-", "sha1_x16@avx512"], "--assembly FILE"),
        (["stitch", "a_x1", "b_x1", "--isa", "sse", "--lag", "9"], "at most 8"),
        (["report", "sha1_x4@sse", "-o", "/nowhere/x.html"], "mkdir -p /nowhere"),
        (["matrix", "--html", "/nowhere/x.html"], "mkdir -p /nowhere"),
        (["verify", "--html", "/nowhere/x.html"], "mkdir -p /nowhere"),
        (["matrix", "--rows", "zz"], "cryptostitch list"),
        (["stitch", "md5_x4", "--isa", "sse"], "two to 4 streams"),
        (["stitch", "md5_x4", "sha1_x4", "crc32c", "--isa", "sse:scalar"], "like sse:scalar"),
        (["stitch", "md5_x4", "sha1_x4", "--isa", "sse", "--ratio", "1:2:1"], "3 numbers for 2 parts"),
        (["stitch", "md5_x4", "sha1_x4", "crc32", "--isa", "scalar"], "no text for scalar"),
        (["verify", "zz*"], "cryptostitch list"),
        (["mutate", "zz*"], "cryptostitch list"),
        (["emit", "--recipe", str(Path(__file__)), "--pack", "x"], "cryptostitch tune A B"),
        (["cpu", "--costs", str(Path(__file__))], "cryptostitch calibrate --costs"),
        (["cpu", "--suite", "zz*"], "cryptostitch list"),
        (["cpu", "--jobs", "four"], "1,4,16,64"),
        (["cpu", "--target", "avx9"], "avx2"),
        (["calibrate", "--kernels", "zz*"], "cryptostitch list"),
    ],
)
def test_wrong_input_gets_one_line(arguments: list[str], says: str, build: Path) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code in (1, 2)
    assert says in result.stderr and result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "all_alike, text, parts, numbers",
    [(True, "2", 2, [2, 2]), (False, "2", 3, [0, 0, 2]), (True, "1:3", 2, [1, 3]), (True, "1:2:3", 3, [1, 2, 3])],
)
def test_numbers_of_parts(all_alike: bool, text: str, parts: int, numbers: list[int]) -> None:
    kind = Numbers(all_alike)
    assert kind.of_parts(kind.convert(text, None, None), parts, "--x") == numbers


def test_cpu(build: Path) -> None:
    found = json.loads(run("cpu", "--jobs", "1,64", "--suite", "*sha1*", "--format", "json").stdout)
    assert found["cpu"]["brand"] and "sse2" in found["cpu"]["features"]
    assert {(r["direction"], r["jobs"]) for r in found["choices"] if r["suite"] == "sha1"} == {
        ("seal", 1),
        ("seal", 64),
    }
    here = set(suites_of(runtime.Context(runtime.ALLOW_LEGACY)))
    assert all(r["why"] and bool(r["kernel"]) == (r["suite"] in here) for r in found["choices"])
    text = run("cpu", "--suite", "sha1").output
    assert found["cpu"]["brand"] in text and "XCR0" in text and "sha1_" in text


def test_cpu_shows_where_kernels_change(build: Path) -> None:
    """A border is the first range of lengths with another choice: the kernel that stands there is chosen at its
    beginning, and another one at that of the range before. Inside of a range the choice may go to and fro."""
    from cryptostitch.binding import runtime
    from cryptostitch.report.borders import lengths

    before_it = {length: before for before, length in pairwise(lengths())}
    name = "aes-128-cbc+hmac-sha1-etm"
    found = json.loads(run("cpu", "--suite", name, "--jobs", "1,64", "--format", "json").stdout)["borders"]
    suite = runtime.Context().suite(name)
    assert {(row["direction"], row["jobs"]) for row in found} == {(d, n) for d in ("seal", "open") for n in (1, 64)}
    assert len(found) > 4
    last: dict = {}
    for row in found:
        direction = runtime.OPEN if row["direction"] == "open" else runtime.SEAL
        assert suite.choice(row["jobs"], row["from"], False, direction).kernel == row["kernel"]
        place = (row["direction"], row["jobs"])
        if place in last:
            assert row["kernel"] != last[place]
            before = suite.choice(row["jobs"], before_it[row["from"]], False, direction)
            assert before.kernel == last[place]
        last[place] = row["kernel"]
    text = run("cpu", "--suite", name).output
    assert re.search(r"seal +1 +16 +\S+ +(\d|estimated)", text) and "from bytes" in text


def test_cpu_is_a_screen(build: Path) -> None:
    """The machine, the grade of the costs, and a line for each family, of which every suite is one."""
    text, every = run("cpu").output, run("cpu", "--all").output
    data = json.loads(run("cpu", "--format", "json").stdout)
    lines = text.splitlines()
    assert f"library: {data['cpu']['library']}" in lines  # a line of its own, as long as the path
    assert len(lines) <= 51 and len(every.splitlines()) > 10 * len(lines)
    assert max(len(line) for line in lines if not line.startswith("library: ")) <= 120
    assert f"costs: {data['cpu']['microarchitecture']}" in text and data["cpu"]["costs"] in text
    assert re.search(r"1 job +8 jobs +64 jobs\n", text)
    suites = {row["suite"] for row in data["choices"]}
    table = text.split("\n\n")[1].splitlines()[1:]
    counted = [int(re.search(r" {2,}(\d+) ", line)[1]) for line in table]
    assert len(table) == len({family(suite) for suite in suites}) and sum(counted) == len(suites)
    one = next(r for r in data["choices"] if (r["suite"], r.get("jobs")) == ("sha1", 64))
    assert any(line.startswith("sha1 ") and f"x{one['lanes']} " in line for line in table)
    assert "give one of the two" in run("cpu", "--all", "--suite", "sha1", code=2).stderr


@pytest.mark.parametrize(
    "suite, of",
    [
        ("a192cbc-hs384", "aes-cbc+sha512"),
        ("aes-256-cbc+hmac-sha1-96", "aes-cbc+sha1"),
        ("aes-128-cbc+aes-xcbc-96", "aes-cbc+aes-xcbc"),
        ("hmac-sha224", "sha256"),
        ("shake128", "sha3, shake"),
        ("chacha20-poly1305", "chacha20-poly1305"),
        ("rc4-vartime+hmac-md5-etm", "rc4-vartime+md5"),
    ],
)
def test_families(suite: str, of: str) -> None:
    assert family(suite) == of


def test_grades_of_costs(unknown_cpu: None) -> None:
    assert "costs: generic, default: none, estimates decide" in run("cpu").output


def test_cpu_lowered(build: Path) -> None:
    found = json.loads(run("cpu", "--target", "host-no_avx2-no_avx512f", "--suite", "sha1", "--format", "json").stdout)
    assert ("avx2" not in found["cpu"]["features"] and "ymm" not in found["cpu"]["os_saves"]) or "avx" in found["cpu"][
        "features"
    ]
    assert all("avx" not in r["kernel"] for r in found["choices"])


def test_emit_lists_what_it_wrote(tmp_path: Path) -> None:
    kernel = "sha1_ni_x1@sse_shani"
    found = json.loads(
        run(
            "emit",
            "--format",
            "coff",
            "--format",
            "json",
            "--object",
            tmp_path / "o",
            "--assembly",
            tmp_path / "s",
            "--pack",
            tmp_path / "p",
            "--static",
            tmp_path / "out",
            kernel,
        ).stdout
    )
    assert found["objects"] == "coff" and {f["file"] for f in found["files"]} == {
        str(p) for p in tmp_path.rglob("*") if p.is_file()
    }
    assert all(f["bytes"] == Path(f["file"]).stat().st_size > 0 and f["kernels"] == [kernel] for f in found["files"])


def test_calibrate_says_what_it_wrote(build: Path, tmp_path: Path) -> None:
    said = json.loads(
        run(
            "calibrate",
            "--kernels",
            "sha1_x4@sse",
            "-o",
            tmp_path / "t.json",
            "--microarchitecture",
            "t",
            "--format",
            "json",
        ).stdout
    )
    assert said["file"] == str(tmp_path / "t.json") and said["kernels"] == 1 and said["microarchitecture"] == "t"
    said = json.loads(
        run(
            "calibrate", "--kernels", "sha1_x4@sse", "--costs", tmp_path / "c", "--seconds", "0.01", "--format", "json"
        ).stdout
    )
    assert said["file"] == str(tmp_path / "c") and "calibrated" in said["microarchitecture"]


def test_calibrate(build: Path, tmp_path: Path, needs_pair: None) -> None:
    table = tmp_path / "testing.json"
    run("calibrate", "--kernels", "sha1_ni_x1@*", "-o", table, "--microarchitecture", "testing")
    said = {"basis": "by hand", "message": 400.5}
    table.write_text(json.dumps(said | json.loads(table.read_text())))
    run("calibrate", "--kernels", "sha256_ni_x1@*", "-o", table, "--microarchitecture", "testing")
    found = json.loads(table.read_text())
    assert said.items() <= found.items(), "what was not measured now stays"
    assert found["microarchitecture"] == "testing" and found["cpu"] and 0.3 < found["ghz"] < 8
    assert set(found["kernels"]) == {"sha1_ni_x1@sse_shani", "sha256_ni_x1@sse_shani"}
    for per_iteration, per_call in found["kernels"].values():
        assert 40 < per_iteration < 2000 and 0 <= per_call < 100_000


def test_the_clock_counts_core_cycles(build: Path) -> None:
    """A chain of dependent additions takes a cycle each, by the clock that is made of another run of it."""
    with pinned():
        laboratory = Laboratory()
        (cost,) = laboratory.measure([laboratory._clock], 0.3)
    assert cost.per_iteration == pytest.approx(CHAIN_ADDS, rel=0.15)


@pytest.mark.parametrize("instrument", [Laboratory, Bench])
def test_a_clock_that_is_folded_is_refused(instrument: type, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that do not wait for each other stand for those that a core folds."""
    monkeypatch.setattr(measure, "CLOCK_RETAKES", 3)
    monkeypatch.setitem(measure.CHAINS, measure.CLOCK, "add y:q, one, one")
    with pinned(), pytest.raises(MeasureError, match=r"clock cannot be told: a chain of additions takes 0\.\d\d times"):
        instrument()


def test_a_disturbed_clock_is_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A neighbour lengthens most samples of one chain; the chains are alike all the same. Others never are."""
    monkeypatch.setattr(measure.time, "sleep", lambda _: None)
    disturbed = random.Random(1)

    def chain(cycles: float, share: float = 0.0) -> Callable[[int], float]:
        return lambda iterations: 10 + cycles * iterations * (1 + (disturbed.random() < share) * disturbed.random())

    for share in (0.0, 0.5, 0.9):
        check_clock(chain(1, share), chain(1.02, share))
    for cycles in (0.95, 1.06, 5.8):
        with pytest.raises(MeasureError, match="nothing was measured"):
            check_clock(chain(1), chain(cycles))


def test_setups_link_the_streams(build: Path, cpu: set[str]) -> None:
    """A hash in a pair reads what the cipher wrote: from its hand-over buffer, or from its output, lane by lane."""
    if not {"avx2", "vaes"} <= cpu:
        pytest.skip("this CPU has no VAES")
    laboratory = Laboratory()
    for name in ("aes128_cbc_enc_x8_hand+sha1_x8_hand@avx2_vaes", "aes128_cbc_enc_x8+sha1_x8@avx2_vaes"):
        setup = laboratory.open(name)
        cipher, hash_ = setup.kernel.streams
        for n, states in enumerate(setup.states):
            if hash_.field("from"):
                assert int.from_bytes(setup.read(n, 1, "from"), "little") == states[0] + cipher.entry("hand")
            else:
                assert [setup.read(n, 1, "in", 0, lane) for lane in range(8)] == [
                    setup.read(n, 0, "out", 0, lane) for lane in range(8)
                ]
                assert setup.read(n, 0, "in") != setup.read(n, 0, "out")


@pytest.mark.parametrize("fmt, magic", [("elf", b"\x7fELF"), ("coff", b"\x64\x86"), ("macho", b"\xcf\xfa\xed\xfe")])
def test_emit_objects(tmp_path: Path, fmt: str, magic: bytes) -> None:
    run("emit", "--format", fmt, "--object", tmp_path / "o", "sha1_ni_x1@sse_shani")
    assert (tmp_path / "o").read_bytes().startswith(magic)


def test_emit_no_static_kernels(tmp_path: Path) -> None:
    """What -DCST_STATIC_KERNELS=none links: an object and a table without kernels."""
    run("emit", "--static", tmp_path, "--static-kernels", "none")
    assert not elf_functions((tmp_path / "static_kernels_0.o").read_bytes())
    assert "cst_static_kernel_count = 0;" in (tmp_path / "static_kernels.c").read_text()


@pytest.mark.parametrize("fmt, first", [("elf", b"\x7fELF"), ("coff", b"\x64\x86"), ("macho", b"\xcf\xfa\xed\xfe")])
def test_emit_columns(tmp_path: Path, fmt: str, first: bytes) -> None:
    """What hashes that differ in their start share is there once; narrower targets have no wide kernels."""
    options = ["--hash", "sha1", "--hash", "md5", "--targets", "sse"]
    found = json.loads(run("emit", "--columns", tmp_path, *options, "--format", fmt, "--format", "json").stdout)
    names = {Path(f["file"]).name: f["kernels"] for f in found["files"]}
    assert {path.name for path in tmp_path.iterdir()} == names.keys()
    assert names["column_kernels.o"] == names["column_sha1.c"] + names["column_md5.c"]
    assert {k.partition("@")[2] for k in names["column_kernels.o"]} == {"sse", "sse_shani", "scalar"}
    assert (tmp_path / "column_kernels.o").read_bytes().startswith(first)
    assert "cst_column_sha1(" in (tmp_path / "cryptostitch_columns.h").read_text()


def test_emit_assembly() -> None:
    text = run("emit", "--assembly", "-", "sha1_ni_x1@sse_shani").stdout
    assert "cst_k_sha1_ni_x1_sse_shani:" in text and "sha1rnds4" in text
