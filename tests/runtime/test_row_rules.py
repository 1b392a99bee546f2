"""The rules for records of algorithms: Python judges a row as the library judges the record of a pack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cryptostitch.binding.runtime import ALLOW_PACKS, Context
from cryptostitch.core.catalog import ALGORITHMS
from cryptostitch.core.errors import CryptostitchError, RowError
from cryptostitch.core.own import own_rows
from cryptostitch.core.program import Algorithm
from cryptostitch.core.row_rules import BASE_RULES, RULES, broken_base_rule, broken_rule
from cryptostitch.emit.pack import write_pack
from cryptostitch.pipeline import Generator

NUMBERS = (0, 1, 2, 4, 7, 8, 16, 17, 21, 25, 26, 32, 33, 64, 65, 128, 200, 201, 255, 256, 257, 1024, 1025, 1 << 20)
FIELDS = ("block_bytes", "word_bytes", "words", "digest_bytes", "length_bytes", "key_bytes", "iv_bytes", "rounds")
SPONGE_FIELDS = ("padding", "input_bytes", "domain", "last", "squeeze_bytes")
MARKS = ("big_endian", "extendable", "hmac")
OWN = ("own_mac", "own_aead")
"""Examples with rows of kinds and paddings that the project's own algorithms do not have."""
EXAMPLES = Path(__file__).parents[2] / "examples"
TREE_FIELDS = ("leaf_domain", "node_domain", "leaf_bytes")


def examples() -> list[Algorithm]:
    """A record of each kind and padding, and one with a tree."""
    rows = [*ALGORITHMS, *(row for own in OWN for row in own_rows(EXAMPLES / own / "algorithms.py"))]
    found = {(row.record.kind, row.record.padding): row.record for row in rows if not row.base}
    return [*found.values(), *(row.record for row in ALGORITHMS if row.tree)][:60]


def changed(record: Algorithm) -> Iterator[Algorithm]:
    """The record with each of its numbers changed, one at a time."""
    yield record
    for name in (*FIELDS, *SPONGE_FIELDS):
        for number in NUMBERS:
            made = replace(record, **{name: number})
            yield replace(made, initial=made.initial[: made.words])
    for name in MARKS:
        yield replace(record, **{name: not getattr(record, name)})
    for name in TREE_FIELDS if record.tree else ():
        for number in (1, 7, 128, 255):
            yield replace(record, tree=replace(record.tree, **{name: number}))


def test_the_library_judges_as_python_does(build) -> None:
    context = Context(ALLOW_PACKS)
    broken: set[str] = set()
    for record in examples():
        bases = [row.record for row in ALGORITHMS if row.name == record.base]
        for each in changed(record):
            said = broken_rule(each) or next((broken_base_rule(each, base) for base in bases), "")
            broken.add(said)
            why = context.why_refused(write_pack([*bases, each], []))
            assert (f"algorithm {each.name}: {said}" in why) if said else not why, (each, said, why)
    assert len(broken) > len(RULES) * 0.8, "many rules are broken by no record"


def test_the_library_judges_bases_as_python_does(build) -> None:
    context, broken = Context(ALLOW_PACKS), set()
    for row in (row for row in ALGORITHMS if row.base):
        base = next(other.record for other in ALGORITHMS if other.name == row.base)
        for each in changed(row.record):
            if not broken_rule(each):
                said = broken_base_rule(each, base)
                broken.add(said)
                why = context.why_refused(write_pack([base, each], []))
                assert (f"algorithm {each.name}: {said}" in why) if said else not why, (each, said, why)
    assert len(broken) >= len(BASE_RULES) // 2


SHA1 = next(row for row in ALGORITHMS if row.name == "sha1")


@pytest.mark.parametrize(
    "change, says",
    [
        ({"kind": "ctr"}, "no kind named 'ctr'; nearest: counter"),
        ({"padding": "count"}, "no padding named 'count'; nearest: counted"),
        ({"words": 40}, "sha1: a chaining value has at most 25 words"),
        ({"kind": "counter", "key_bytes": 16}, "sha1: a block cipher has rounds"),
        ({"initial": (1 << 32,)}, "sha1: initial has at most"),
        ({"initial": (0,) * 6}, "sha1: initial has at most"),
    ],
)
def test_a_row_is_judged_where_it_is_made(change: dict, says: str) -> None:
    with pytest.raises(CryptostitchError, match=says):
        replace(SHA1, **change)


def test_a_row_beside_another_base_than_it_wants() -> None:
    with pytest.raises(RowError, match="own, with the base sha1: its base has the same words"):
        Generator([replace(SHA1, name="own", forms=(), base="sha1", words=4, digest_bytes=16, initial=())])
    with pytest.raises(CryptostitchError, match="no algorithm named 'sha3'"):
        Generator([replace(SHA1, name="own", forms=(), base="sha3")])


def test_the_line_of_a_wrong_row_is_said(tmp_path) -> None:
    file = tmp_path / "algorithms.py"
    file.write_text(
        "from dataclasses import replace\nfrom cryptostitch.core.catalog import ALGORITHMS\n\n"
        "ALGORITHMS = [replace(ALGORITHMS[0], words=40)]\n"
    )
    with pytest.raises(CryptostitchError, match=r"algorithms.py:4: sha1: a chaining value has at most 25 words$"):
        own_rows(file)
    file.write_text("\n1 / 0\n")
    with pytest.raises(CryptostitchError, match=r"algorithms.py:2: ZeroDivisionError: .* must set ALGORITHMS"):
        own_rows(file)
