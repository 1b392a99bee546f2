"""Every number of every record at its extremes, through cst_pack_check: an error with a reason, or a pack that is
taken."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import itertools

from cryptostitch.core.contract import Field
from cryptostitch.core.program import CostTable
from cryptostitch.emit.pack import SECTIONS, VERSION, write_pack
from handmade import ALGORITHM, program, recipe, tool
from pack_fields import changed, extremes, mended, numbers
from test_pack_checks import pack_of, reader, sample_program

PAIR = pack_of(sample_program(), reader(), lags=(0, 1))


@pytest.fixture(scope="module")
def context():
    from cryptostitch.binding import runtime

    return runtime.Context()


def test_the_map_covers_every_kind_of_number() -> None:
    kinds = Counter(n.name.split(".")[0] for n in numbers(PAIR))
    assert {
        "header",
        "mnemonic",
        "algorithm",
        "leaves",
        "program",
        "field",
        "lane",
        "constant",
        "instruction",
        "operand",
        "register",
        "memory",
        "immediate",
        "kernel",
        "stream",
    } <= set(kinds)
    places = sorted((n.offset, n.bytes) for n in numbers(PAIR))
    assert all(a + size <= b for (a, size), (b, _) in itertools.pairwise(places)), "two numbers at one place"
    assert changed(PAIR, numbers(PAIR)[0], VERSION) == PAIR, "the first number is the version"


def test_extremes(context) -> None:
    judged_as = Counter()
    for number in numbers(PAIR):
        for value in extremes(PAIR, number):
            judged_as[context.why_refused(changed(PAIR, number, value)) == ""] += 1
    print(f"{sum(judged_as.values())} packs, {judged_as[True]} accepted")
    assert judged_as[False] > judged_as[True] > 0


def test_extremes_under_the_sanitizers(tmp_path: Path) -> None:
    packs = [changed(PAIR, number, value) for number in numbers(PAIR) for value in extremes(PAIR, number)]
    (tmp_path / "packs").write_bytes(b"".join(struct.pack("<I", len(pack)) + pack for pack in packs))
    run = subprocess.run(
        [tool("cst-pack-damage"), "--each", tmp_path / "packs"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0 and run.stdout.startswith(f"{len(packs)} packs tried"), run.stdout + run.stderr
    print(run.stdout)


COPIES = 65536
COSTED = pack_of(sample_program(), reader(), lags=(0, 1), costs=[CostTable("zen9", {"kernel@avx512": (100, 100)})])


def overlapping(whole: bytes, section: str) -> bytes:
    """The pack with the first record of a section listed many times: a small file that asks for much work."""
    pack, header = bytearray(whole), 24 + 8 * SECTIONS.index(section)
    records = struct.unpack_from("<2I", pack, header)
    record = struct.unpack_from("<I", pack, records[0])[0]
    struct.pack_into("<2I", pack, header, len(pack), COPIES)
    pack += struct.pack("<I", record) * COPIES
    struct.pack_into("<I", pack, 12, len(pack))
    return mended(pack)


@pytest.mark.parametrize(
    "section, reason",
    [
        ("programs", "its programs overlap"),
        ("kernels", "its kernels use its programs too often"),
        ("costs", "its cost tables overlap"),
    ],
)
def test_records_that_share_their_bytes(context, section: str, reason: str) -> None:
    assert context.why_refused(COSTED) == ""
    assert context.why_refused(overlapping(COSTED, section)) == reason


def test_fields_of_many_entries(context) -> None:
    made = program(
        "sample_x4@sse#1",
        "add g1, 64",
        fields=(Field("chain", 0, 5, 64, 4, (0, 4, 8, 12)), Field("scratch", 512, 1 << 12, 16, 4, (0, 4, 8, 12))),
        state_bytes=1 << 17,
    )
    assert (
        context.why_refused(write_pack([ALGORITHM], [recipe("k@sse", made)]))
        == "its fields have more entries than a pack of its size may"
    )
