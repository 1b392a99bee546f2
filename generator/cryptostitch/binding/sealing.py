"""Many messages under one key by one call: what `Suite.seal_many` and `Suite.open_many` do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from .alike import AT_ONCE, Alike
from .base_key import BaseKey
from .capi import CIPHER, ERR_AUTH, OK, OPEN, SEAL
from .failures import RuntimeFailure, SomeForged
from .values import several

__all__ = ["SomeForged", "open_many", "seal_many"]

Column = list[Any] | None


def _bursts(
    ivs: Iterable[Any] | None, texts: Iterable[Any], aads: Iterable[Any] | None
) -> Iterator[tuple[Column, list[Any], Column]]:
    """The columns cut alike. ValueError when one is longer than another."""
    rests = [None if column is None else iter(several(column)) for column in (ivs, aads)]
    rest = iter(several(texts))
    more = True
    while more:
        some = list(islice(rest, AT_ONCE))
        more = len(some) == AT_ONCE
        beside = [None if column is None else list(islice(column, AT_ONCE)) for column in rests]
        if any(column is not None and len(column) != len(some) for column in beside):
            raise ValueError("as many messages as IVs, and as AADs where there are any")
        if some:
            yield beside[0], some, beside[1]


def _outputs(key: BaseKey, sizes: Sequence[int], direction: int) -> list[bytearray]:
    if key.suite.kind < CIPHER:
        return [bytearray()] * len(sizes)
    more = key.suite.expansion if direction == SEAL else 0
    return [bytearray(size + more) for size in sizes]


def _cut(outputs: Sequence[bytearray], lengths: Sequence[int]) -> None:
    """A buffer that is shortened stays where it is."""
    for output, length in zip(outputs, lengths):
        if length < len(output):
            del output[length:]


def _alike(key: BaseKey, direction: int, ivs: Column, texts: list[Any], aads: Column) -> tuple[Alike, list[bytearray]]:
    """The jobs, all but their tags; and their outputs."""
    jobs = Alike(key, direction, len(texts))
    sizes = jobs.read("in", "in_len", texts)
    if ivs is not None:
        jobs.read("iv", "iv_len", ivs)
    if aads is not None:
        jobs.read("aad", "aad_len", aads)
    outputs = _outputs(key, sizes, direction)
    jobs.write(outputs)
    return jobs, outputs


def seal_many(
    key: BaseKey,
    ivs: Iterable[Any] | None,
    texts: Iterable[Any],
    aads: Iterable[Any] | None,
    tag_len: int | None,
) -> list[tuple[bytearray, bytes]]:
    """See `Suite.seal_many`."""
    length = key.tag_bytes(tag_len)
    sealed: list[tuple[bytearray, bytes]] = []
    for some_ivs, some_texts, some_aads in _bursts(ivs, texts, aads):
        jobs, outputs = _alike(key, SEAL, some_ivs, some_texts, some_aads)
        tags = jobs.tags(length)
        jobs.check(jobs.run(key.suite.context), len(sealed))
        _cut(outputs, jobs.lengths())
        sealed += ((output, bytes(tags[at * length : (at + 1) * length])) for at, output in enumerate(outputs))
    return sealed


def open_many(
    key: BaseKey,
    ivs: Iterable[Any] | None,
    sealed: Iterable[tuple[Any, Any]],
    aads: Iterable[Any] | None,
    tag_len: int | None,
) -> list[bytearray]:
    """See `Suite.open_many`."""
    opened: list[bytearray | None] = []
    for some_ivs, some_sealed, some_aads in _bursts(ivs, sealed, aads):
        some_sealed = [(text, tag) for text, tag in some_sealed]  # read once: they may be of any class
        jobs, outputs = _alike(key, OPEN, some_ivs, [text for text, _ in some_sealed], some_aads)
        for at, length in enumerate(jobs.read("tag", "tag_len", [tag for _, tag in some_sealed]), len(opened)):
            key.check_tag(length, tag_len, f"buffer {at}")
        code = jobs.run(key.suite.context)
        if code != ERR_AUTH:
            jobs.check(code, len(opened))
        _cut(outputs, jobs.lengths())
        opened += (output if status == OK else None for output, status in zip(outputs, jobs.statuses()))
    texts_only = [text for text in opened if text is not None]
    if len(texts_only) < len(opened):
        try:
            key.check(ERR_AUTH)
        except RuntimeFailure as failure:
            raise SomeForged(failure, opened) from None
    return texts_only
