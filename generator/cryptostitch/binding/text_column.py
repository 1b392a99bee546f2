"""Texts that lie one behind the other, each with an IV, an AAD and a tag (cst_seal_column, cst_open_column)."""

from __future__ import annotations

from array import array
from ctypes import byref, string_at
from itertools import pairwise
from typing import Any

from . import causes
from .arrow import column, is_arrow
from .base_key import BaseKey
from .capi import CIPHER, ERR_ARGUMENT, ERR_AUTH, ERR_LENGTH, ERR_UNSUPPORTED, NOT_RUN, OK, TextColumnStruct
from .column import Offsets
from .failures import RuntimeFailure, SomeForged
from .values import Place, optional, place


class TextColumn:
    """A column of texts under one key. ``data`` may be an array of Arrow, without offsets. ValueError for columns of
    which the others have not as many items as there are texts."""

    def __init__(self, key: BaseKey, data: Any, offsets: Any, ivs: Any, aads: Any):
        self.key = key
        if offsets is None:
            if not is_arrow(data):
                raise TypeError(f"offsets are wanted with {type(data).__name__}, which is no array of Arrow")
            items = column(data)
            self.offsets, self.data, self._kept = items.offsets, items.data, items.kept
        else:
            self.offsets, self.data = Offsets(offsets), data
        self.text, n = place(self.data), self.offsets.n
        self.ivs, self.aads = optional(ivs), optional(aads)
        self.iv_len = self._each(self.ivs, n, "IVs") if n else key.suite.iv_bytes
        self.aad_len = self._each(self.aads, n, "AADs") if n else key.suite.aad_min

    @staticmethod
    def _each(given: Place, n: int, what: str) -> int:
        if given[1] % n:
            raise ValueError(f"{given[1]} bytes of {what}, which is no multiple of {n} texts")
        return given[1] // n

    def run(self, function: Any, out: Any, tags: Place, tag_len: int) -> list[int]:
        """The status of each text: OK, or ERR_AUTH. RuntimeFailure for any other error."""
        key, n = self.key, self.offsets.n
        to = place(out, write=True)
        if to[1] != self.text[1]:
            raise ValueError(f"an output of {to[1]} bytes, for {self.text[1]} bytes of texts")
        offsets, statuses = place(self.offsets.bytes), array("i", [NOT_RUN]) * n
        owned = key.live()
        given: Any = TextColumnStruct(
            key=owned.pointer, in_=self.text[0], out=to[0], bytes=to[1], n=n,
            offsets=offsets[0], offset_bytes=self.offsets.width, ivs=self.ivs[0], iv_len=self.iv_len,
            aads=self.aads[0], aad_len=self.aad_len, tags=tags[0], tag_len=tag_len,
            statuses=statuses.buffer_info()[0] if n else None,
        )  # fmt: skip
        code = owned.gate.call(function, byref(given))
        del to, owned
        if code == ERR_AUTH:
            return statuses.tolist()
        key.check(code, self._cause(code, statuses, tag_len))
        return [OK] * n

    def _cause(self, code: int, statuses: array[int], tag_len: int) -> str:
        suite = self.key.suite
        if code == ERR_ARGUMENT and suite.kind < CIPHER:
            return "the suite does not encipher"
        if code == ERR_UNSUPPORTED:
            return "the suite pads, so that a text's output does not fit into its place"
        if code != ERR_LENGTH:
            return ""
        wrong = self.offsets.fault(self.text[1])
        if wrong:
            return wrong
        numbers = memoryview(self.offsets.bytes).cast("I" if self.offsets.width == 4 else "Q")
        for at, status in enumerate(statuses):
            if status not in (OK, NOT_RUN):
                size = numbers[at + 1] - numbers[at]
                return f"text {at}: {causes.of_job(suite, self.iv_len, self.aad_len, size, tag_len)}"
        return causes.of_job(suite, self.iv_len, self.aad_len, suite.min_bytes, tag_len)


def seal_column(
    key: BaseKey, data: Any, offsets: Any, ivs: Any, aads: Any, out: Any, tag_len: int | None
) -> tuple[Any, bytes]:
    """See `Key.seal_column`."""
    texts, length = TextColumn(key, data, offsets, ivs, aads), key.tag_bytes(tag_len)
    out, tags = bytearray(texts.text[1]) if out is None else out, bytearray(texts.offsets.n * length)
    texts.run(key.lib.cst_seal_column, out, place(tags, write=True), length)
    return out, bytes(tags)


def open_column(
    key: BaseKey, data: Any, offsets: Any, tags: Any, ivs: Any, aads: Any, out: Any, tag_len: int | None
) -> Any:
    """See `Key.open_column`."""
    texts, its_tags = TextColumn(key, data, offsets, ivs, aads), optional(tags)
    n = texts.offsets.n
    length = key.suite.tag_max if tag_len is None else key.tag_bytes(tag_len)
    if its_tags[1] != n * length:
        raise ValueError(f"{its_tags[1]} bytes of tags, where {n} of {length} bytes are wanted")
    if n:
        key.check_tag(length, tag_len)
    out = bytearray(texts.text[1]) if out is None else out
    statuses = texts.run(key.lib.cst_open_column, out, its_tags, length)
    if any(statuses):
        start, _, keep = place(out, write=True)
        numbers = memoryview(texts.offsets.bytes).cast("I" if texts.offsets.width == 4 else "Q")
        opened = [
            bytearray(string_at((start or 0) + first, end - first) if end > first else b"") if status == OK else None
            for status, (first, end) in zip(statuses, pairwise(numbers))
        ]
        del keep
        try:
            key.check(ERR_AUTH)
        except RuntimeFailure as failure:
            raise SomeForged(failure, opened) from None
    return out
