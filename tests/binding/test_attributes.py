"""What C is given is measured by attributes of Python's objects: those of the public cannot be changed."""

from __future__ import annotations

from typing import Any

import pytest
from cryptostitch import (
    Context,
    ErasureCode,
    Protection,
    PublicKey,
    QuicKey,
)
from cryptostitch.binding.fixed import Fixed
from cryptostitch.binding.keys import CrcKey
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.runtime import RawStream


@pytest.fixture(scope="module")
def context() -> Context:
    return Context()


@pytest.fixture(scope="module")
def objects(context: Context) -> list[Any]:
    """Makes one object of each class."""
    suite = context.suite("aes-128-gcm")
    kernel = context.kernel(suite.choice().kernel)
    key = suite.key(bytes(16))
    protection = Protection(context.suite("crc16-t10-dif").key())
    crc, code = CrcKey(context, 32, 7), ErasureCode(2, 1)
    quic = QuicKey("aes-128-gcm", bytes(16), bytes(12), bytes(16))
    made = [context, suite, key, crc, Manager(context), code, protection, PublicKey("x25519"), quic]
    return [*made, kernel, *kernel.streams]


def test_public_attributes_are_read_only(objects: list[Any]) -> None:
    changed = 0
    for one in objects:
        for name in [name for name in dir(one) if not name.startswith("_")]:
            if callable(getattr(one, name)) and name not in vars(one):
                continue
            for change in (lambda o=one, n=name: setattr(o, n, 1 << 20), lambda o=one, n=name: delattr(o, n)):
                with pytest.raises(AttributeError):
                    change()
                changed += 1
    assert changed > 100
    protection: Any = objects[6]
    with pytest.raises(AttributeError, match="the data_bytes of a Protection cannot be changed"):
        protection.data_bytes = 1
    assert len(protection.insert(bytes(512))) == 520


def test_the_table_has_all_classes(objects: list[Any]) -> None:
    """Those that hold what C was told."""

    def derived(of: type) -> set[type]:
        return {of}.union(*map(derived, of.__subclasses__()))

    abstract = {"Fixed", "Handle", "Library", "OfKeys", "BaseKey", "RsaKey", "_Chunker", "_Rolling"}
    assert {one.__name__ for one in derived(Fixed)} - abstract == {type(one).__name__ for one in objects}
    assert any(isinstance(one, RawStream) for one in objects)


def test_a_suite_says_what_it_takes(objects: list[Any]) -> None:
    with pytest.raises(AttributeError):
        objects[3].suite.tag_max = 100
