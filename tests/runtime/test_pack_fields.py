"""Every number of every record at its extremes, through cst_pack_check: an error with a reason, or a pack that is taken."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from handmade import tool  # noqa: E402
from cryptostitch.emit.pack import VERSION  # noqa: E402
from pack_fields import changed, extremes, mended, numbers  # noqa: E402
from test_pack_checks import pack_of, reader, sample_program  # noqa: E402


PAIR = pack_of(sample_program(), reader(), lags=(0, 1))


@pytest.fixture(scope="module")
def context():
    from cryptostitch import runtime

    return runtime.Context()


def test_the_map_covers_every_kind_of_number() -> None:
    kinds = Counter(n.name.split(".")[0] for n in numbers(PAIR))
    assert {"header", "mnemonic", "algorithm", "program", "field", "lane", "constant", "instruction", "operand", "register", "memory", "immediate",
            "kernel", "stream"} <= set(kinds)
    places = sorted((n.offset, n.bytes) for n in numbers(PAIR))
    assert all(a + size <= b for (a, size), (b, _) in zip(places, places[1:])), "two numbers at one place"
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
    run = subprocess.run([tool("cst-pack-damage"), "--each", tmp_path / "packs"], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0 and run.stdout.startswith(f"{len(packs)} packs tried"), run.stdout + run.stderr
    print(run.stdout)


def overlapping(copies: int) -> bytes:
    """The pack with its first program listed many times: a small file that asks for much work."""
    pack = bytearray(PAIR)
    programs = struct.unpack_from("<2I", pack, 24 + 3 * 8)
    record = struct.unpack_from("<I", pack, programs[0])[0]
    struct.pack_into("<2I", pack, 24 + 3 * 8, len(pack), copies)
    pack += struct.pack("<I", record) * copies
    struct.pack_into("<I", pack, 12, len(pack))
    return mended(pack)


def test_records_that_share_their_bytes(context) -> None:
    assert context.why_refused(overlapping(65536)) == "its programs overlap"
