"""Suites of a context; keys.py has their keys."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any

from .base_key import OfKeys
from .capi import ERR_ARGUMENT, NAME_SUITE, SEAL, ChoiceInfo, SuiteInfo
from .handles import Owned
from .keys import Key
from .library import Library, wanted
from .sealing import open_many, seal_many
from .values import Address, Buffer, name, number

_TOLD = [field for field, *_ in SuiteInfo._fields_ if field not in ("size", "name", "tag_lengths", "open_tag_lengths")]


@dataclass
class Choice:
    """The library's choice of a kernel, and the reason. ``cycles_per_byte`` is 0 where it is only an estimate."""

    kernel: str
    origin: str
    lanes: int
    cycles_per_byte: float
    why: str


class Suite(OfKeys):
    """cst_suite; lives as long as its context."""

    def __init__(self, context: Library, name_: str):
        self.context, self.name, self.lib = wanted(Library, context, "the context"), name_, context.lib
        owned, found = context.live(), c_void_p()
        encoded = name(name_, "the name of a suite")
        code = owned.gate.call(self.lib.cst_suite_get, owned.pointer, encoded, byref(found))
        context.check(code, name_, NAME_SUITE)
        assert found.value
        self._owned = Owned(found.value, lambda _: None, owned.gate, owned)  # it goes with its context
        info = SuiteInfo()
        context.check(self.call(self.lib.cst_suite_info_get, byref(info)))
        vars(self).update({field: getattr(info, field) for field in _TOLD})
        self.checksum_bits = 8 * self.tag_max
        self.tag_lengths, self.open_tag_lengths = (
            [n for n in range(1, 65) if lengths >> (n - 1) & 1] for lengths in (info.tag_lengths, info.open_tag_lengths)
        )

    def key(self, key: Any = None, mac_key: Any = None, memory: Address | None = None) -> Key:
        """A key of these bytes: see `Key`."""
        return Key(self, key, mac_key, memory)

    def seal_many(
        self,
        key: Key,
        ivs: Iterable[Buffer] | None,
        texts: Iterable[Buffer],
        aads: Iterable[Buffer] | None = None,
        tag_len: int | None = None,
    ) -> list[tuple[bytearray, bytes]]:
        """(output, tag) of each text under its IV, side by side in lanes. ``ivs``: None where the suite has none.
        Nothing is copied, and the interpreter's lock is released; may be called from several threads, with the same key
        too. RuntimeFailure when a length is wrong; ValueError when there are not as many of each, or the key is of
        another suite or context."""
        return seal_many(self._own(key), ivs, texts, aads, tag_len)

    def open_many(
        self,
        key: Key,
        ivs: Iterable[Buffer] | None,
        sealed: Iterable[tuple[Buffer, Buffer]],
        aads: Iterable[Buffer] | None = None,
        tag_len: int | None = None,
    ) -> list[bytearray]:
        """The texts of what `seal_many` made; of a digest or MAC, ``sealed`` are texts and tags. SomeForged (a
        RuntimeFailure, with those that are authentic) when at least one is not; ValueError for a tag that has not
        ``tag_len`` bytes (None: the suite's whole tag), as in `Key.open`; otherwise as `seal_many`."""
        return open_many(self._own(key), ivs, sealed, aads, tag_len)

    def _own(self, key: Any) -> Key:
        own = wanted(Key, key, "the key")
        suite = own.suite
        if suite.name != self.name:
            raise ValueError(f"a key of {suite.name}, where one of {self.name} is wanted")
        if suite.context is not self.context:
            raise ValueError("the key is of another context")
        return own

    @property
    def key_memory(self) -> int:
        """Bytes of memory that a key takes (cst_key_bytes)."""
        size: int = self.call(self.lib.cst_key_bytes)
        return size

    def choice(self, jobs: int = 1, size: int = 16384, one_key: bool = False, direction: int = SEAL) -> Choice:
        """Returns the choice for `jobs` jobs of `size` bytes."""
        info = ChoiceInfo()
        numbers = number(direction, "a direction", 31), number(jobs, "jobs"), number(size, "a size"), bool(one_key)
        code = self.call(self.lib.cst_suite_choice, *numbers, byref(info))
        self.context.check(code, self.name, cause="no jobs, or no direction" if code == ERR_ARGUMENT else "")
        return Choice(info.kernel.decode(), info.origin.decode(), info.lanes, info.cycles_per_byte, info.why.decode())
