"""What the ladder says of a wrong result: where it differs first, what was found and what is expected."""

from __future__ import annotations

from cryptostitch.ladder.scene import Expected


def test_a_block() -> None:
    data = bytes(range(64))
    said = Expected("output", 0, data).difference(data[:40] + b"\xff" + data[41:])
    assert said == f" from byte 32 on: found {data[32:40].hex()}ff{data[41:48].hex()}, expected {data[32:48].hex()}"


def test_a_short_value() -> None:
    assert Expected("word", 0, b"\1\2\3\4").difference(b"\1\2\3\5") == ": found 01020305, expected 01020304"


def test_numbers() -> None:
    assert Expected("number", 0, b"\5", 7).difference(b"\6") == ": found 0x6, expected 0x5"
    limbs = b"".join(n.to_bytes(8, "little") for n in (9, 0, 0, 0))
    assert Expected("number", 0, b"\5", 7, 4, 8, 4).difference(limbs) == ": found 0x2, expected 0x5"
