"""Many messages under one key by one call: what `Suite.seal_many` and `Suite.open_many` do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from .alike import AT_ONCE, Alike
from .capi import CIPHER, ERR_AUTH, OK, OPEN, SEAL
from .jobs import KeyOfJob
from .library import Library, RuntimeFailure


class SuiteOfMany(Protocol):
    """What is asked of the suite."""

    context: Library
    name: str
    kind: int
    expansion: int
    tag_max: int


class SomeForged(RuntimeFailure):
    """At least one message is not authentic. ``opened``: all texts in their order, None where a message was forged;
    ``forged``: the numbers of those."""

    def __init__(self, failure: RuntimeFailure, opened: list[bytearray | None]):
        self.opened = opened
        self.forged = [at for at, text in enumerate(opened) if text is None]
        super().__init__(failure.code, f"{failure}: {len(self.forged)} of {len(opened)} messages")


def _bursts(*columns: Iterable[Any] | None) -> Iterator[list[list[Any] | None]]:
    """The columns cut alike. ValueError when one is longer than another."""
    rests = [None if column is None else iter(column) for column in columns]
    while True:
        cut = [None if rest is None else list(islice(rest, AT_ONCE)) for rest in rests]
        if len({len(some) for some in cut if some is not None}) > 1:
            raise ValueError("as many messages as IVs, and as AADs where there are any")
        if not any(cut):
            return
        yield cut


def _outputs(suite: SuiteOfMany, texts: Sequence[Any], direction: int) -> list[bytearray]:
    if suite.kind < CIPHER:
        return [bytearray()] * len(texts)
    more = suite.expansion if direction == SEAL else 0
    return [bytearray(memoryview(text).nbytes + more) for text in texts]


def _cut(outputs: Sequence[bytearray], lengths: Sequence[int]) -> None:
    """A buffer that is shortened stays where it is."""
    for output, length in zip(outputs, lengths):
        if length < len(output):
            del output[length:]


def _alike(key: KeyOfJob, direction: int, ivs: list[Any] | None, texts: list[Any], aads: list[Any] | None) -> Alike:
    jobs = Alike(key, direction, len(texts))
    jobs.read("in", "in_len", texts)
    if ivs is not None:
        jobs.read("iv", "iv_len", ivs)
    if aads is not None:
        jobs.read("aad", "aad_len", aads)
    return jobs


def seal_many(
    suite: SuiteOfMany,
    key: KeyOfJob,
    ivs: Iterable[Any] | None,
    texts: Iterable[Any],
    aads: Iterable[Any] | None,
    tag_len: int | None,
) -> list[tuple[bytearray, bytes]]:
    """See `Suite.seal_many`."""
    length = suite.tag_max if tag_len is None else tag_len
    sealed: list[tuple[bytearray, bytes]] = []
    for some_ivs, some_texts, some_aads in _bursts(ivs, texts, aads):
        assert some_texts is not None
        jobs = _alike(key, SEAL, some_ivs, some_texts, some_aads)
        outputs, tags = _outputs(suite, some_texts, SEAL), jobs.tags(length)
        jobs.write(outputs)
        key.check(jobs.run(suite.context))
        _cut(outputs, jobs.lengths())
        sealed += ((output, bytes(tags[at * length : (at + 1) * length])) for at, output in enumerate(outputs))
    return sealed


def open_many(
    suite: SuiteOfMany,
    key: KeyOfJob,
    ivs: Iterable[Any] | None,
    sealed: Iterable[tuple[Any, Any]],
    aads: Iterable[Any] | None,
) -> list[bytearray]:
    """See `Suite.open_many`."""
    opened: list[bytearray | None] = []
    for some_ivs, some_sealed, some_aads in _bursts(ivs, sealed, aads):
        assert some_sealed is not None
        texts = [text for text, _ in some_sealed]
        jobs = _alike(key, OPEN, some_ivs, texts, some_aads)
        if suite.tag_max:
            jobs.read("tag", "tag_len", [tag for _, tag in some_sealed])
        outputs = _outputs(suite, texts, OPEN)
        jobs.write(outputs)
        code = jobs.run(suite.context)
        if code != ERR_AUTH:
            key.check(code)
        _cut(outputs, jobs.lengths())
        opened += (output if status == OK else None for output, status in zip(outputs, jobs.statuses()))
    texts_only = [text for text in opened if text is not None]
    if len(texts_only) < len(opened):
        try:
            key.check(ERR_AUTH)
        except RuntimeFailure as failure:
            raise SomeForged(failure, opened) from None
    return texts_only
