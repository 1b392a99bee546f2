"""The one builder of jobs: each is made as its spec says, laid in memory, and knows what must be there when it ran."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cryptostitch.binding.runtime import (
    ERR_AUTH,
    ERR_JIT,
    ERR_NAME,
    ERR_UNSUPPORTED,
    OK,
    OPEN,
    SEAL,
    Address,
    Context,
    Job,
    Key,
    Suite,
)
from cryptostitch.ladder import oracle

from . import answers
from .memory import PAGE, Arena, Memory
from .tls_oracle import Tls

OWN_KEY = -1
ELSEWHERE = 1361  # bytes from one place in a page to the next
MOST_BESIDE = 1 << 10
"""Bytes of a job beside its text: IV, AAD as a rule, tag, expansion, gaps."""


@dataclass(frozen=True)
class JobSpec:
    """``key``: a number of a shared key, or OWN_KEY. ``iv``: its bytes; 0: as many as usual. ``carry``: after so many
    blocks the low 32 bits of AES's counter carry; 0: by chance. ``tag``: 0 the shortest .. 100 the longest. ``damage``:
    what has one bit flipped, of an open. ``pieces``: of how many the scattered buffers consist; 0: not scattered.
    ``room``: bytes of `out` beyond what is written."""

    suite: str
    direction: int = SEAL
    length: int = 64
    key: int = 0
    aad: int = 0
    iv: int = 0
    carry: int = 0
    tag: int = 100
    in_place: bool = False
    shifts: tuple[int, int] = (0, 0)
    pieces: int = 0
    room: int = 0
    damage: str = ""


class Keys:
    """Made when first wanted; the shared ones kept."""

    def __init__(self, context: Context, rng: random.Random):
        self.context, self.rng = context, rng
        self._shared: dict[tuple[str, int], tuple[tuple[bytes, bytes], Key]] = {}
        self._suites: dict[str, Suite] = {}

    def get(self, suite: str, number: int) -> tuple[tuple[bytes, bytes], Key]:
        if number != OWN_KEY and (suite, number) in self._shared:
            return self._shared[suite, number]
        secrets = oracle.secrets(self.rng, suite)
        if suite not in self._suites:
            self._suites[suite] = self.context.suite(suite)
        made = secrets, self._suites[suite].key(secrets[0], secrets[1])
        if number != OWN_KEY:
            self._shared[suite, number] = made
        return made


def damaged(rng: random.Random, content: bytes) -> bytes:
    """One bit is another."""
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def cut(rng: random.Random, content: bytes, pieces: int) -> list[bytes]:
    """The content in so many pieces, some of them perhaps empty."""
    if pieces == 1:
        return [content]
    places = sorted(rng.randrange(len(content) + 1) for _ in range(pieces - 1))
    return [content[a:b] for a, b in zip([0, *places], [*places, len(content)])]


class BuiltJob:
    """Draws its bytes from ``rng``, so that two with equal specs and equally seeded generators do the same."""

    def __init__(self, memory: Memory, spec: JobSpec, rng: random.Random, keys: Keys, number: int = 0):
        self.memory, self.spec, self.number = memory, spec, number
        secrets, key = keys.get(spec.suite, spec.key)
        meaning = oracle.meaning(spec.suite)
        suite = key.suite
        opens, self.enciphers = spec.direction == OPEN, suite.kind >= 3
        tag_len = meaning.fit_tag(suite.tag_min + (suite.tag_max - suite.tag_min) * spec.tag // 100)
        if opens and suite.open_tag_lengths:
            tag_len = max(tag_len, suite.open_tag_lengths[0])
        iv = rng.randbytes(spec.iv or suite.iv_bytes)
        if spec.carry:
            iv = iv[:12] + ((1 << 32) - spec.carry).to_bytes(4, "big")
        aad = rng.randbytes(meaning.fit_aad(spec.aad))
        source = rng.randbytes(meaning.fit_input(spec.length))
        padding = 0
        if opens and meaning.kind == "tls":
            padding = rng.choice(Tls.of(spec.suite, *secrets).paddings(len(source)))
        self.answer, tag = answers.sealed(spec.suite, secrets, iv, aad, source, tag_len, padding)
        self.refused = False
        if opens:
            # What was sealed is opened to what it was (harness/test_answers.py).
            source, self.answer = (self.answer, source) if self.enciphers else (source, b"")
            parts = {"tag": tag, "iv": iv, "aad": aad, "data": source}
            if parts.get(spec.damage):
                parts[spec.damage] = damaged(rng, parts[spec.damage])
                tag, iv, aad, source = parts["tag"], parts["iv"], parts["aad"], parts["data"]
                plain = answers.opened(spec.suite, secrets, iv, aad, source, tag)
                self.refused, self.answer = plain is None, plain or b""
        self.written = bytes(self.answer).ljust(len(source), b"\0") if opens and self.enciphers else self.answer
        self.tag = tag
        self._lay(rng, key, iv, aad, source)

    def _lay(self, rng: random.Random, key: Key, iv: bytes, aad: bytes, source: bytes) -> None:
        spec, memory, opens = self.spec, self.memory, self.spec.direction == OPEN
        in_place = spec.in_place and self.enciphers
        out_cap = len(self.written) + spec.room
        blank = rng.randbytes(max(out_cap, len(source)))
        count = spec.pieces or 1
        ins = cut(rng, source, count)
        outs = cut(rng, blank[:out_cap], count) if self.enciphers else []
        if in_place:
            outs = [*ins[:-1], ins[-1] + blank[: max(0, out_cap - len(source))]]
        in_shift, out_shift = spec.shifts
        self.out_places: list[tuple[int, int]] = []
        for content in outs:
            self.out_places.append((memory.put(content, out_shift), len(content)))
            out_shift += rng.getrandbits(6)
        if in_place:
            in_places = [(address, len(content)) for (address, _), content in zip(self.out_places, ins)]
        else:
            in_places = []
            for content in ins:
                in_places.append((memory.put(content, in_shift, writable=False), len(content)))
                in_shift += rng.getrandbits(6)
        self.tag_place = memory.put(
            self.tag if opens else rng.randbytes(len(self.tag)), rng.getrandbits(6), writable=not opens
        )
        iv_place, aad_place = (memory.put(content, rng.getrandbits(6), writable=False) for content in (iv, aad))
        scattered = spec.pieces > 0

        def pieces(places: list[tuple[int, int]]) -> list[Address]:
            return [Address(address if size or rng.random() < 0.5 else None, size) for address, size in places]

        self.job = Job(
            key,
            spec.direction,
            iv=Address(iv_place, len(iv)) if iv else None,
            aad=Address(aad_place, len(aad)) if aad else None,
            data=pieces(in_places) if scattered else Address(*in_places[0]),
            out=(pieces(self.out_places) if scattered else Address(*self.out_places[0])) if self.enciphers else None,
            tag=Address(self.tag_place, len(self.tag)) if self.tag else None,
        )

    def expect(self) -> None:
        """Tells the memory what the job writes."""
        rest = self.written
        for address, size in self.out_places:
            self.memory.expect(address, rest[:size])
            rest = rest[size:]
        self.memory.expect(self.tag_place, self.tag)

    def result(self) -> tuple[int, int, bytes, bytes]:
        """(status, out_len, what lies in `out`, tag) after the job ran."""
        memory = self.memory
        read = [
            bytes(memory.raw[memory.offset(a) : memory.offset(a) + n])
            for a, n in [*self.out_places, (self.tag_place, len(self.tag))]
        ]
        return self.job.status, self.job.out_len, b"".join(read[:-1])[: len(self.written)], read[-1]

    def wanted(self) -> tuple[int, int, bytes, bytes]:
        return ERR_AUTH if self.refused else 0, len(self.answer) if self.enciphers else 0, self.written, self.tag

    def untouched(self) -> bool:
        """Whether a job that did not run has written nothing."""
        return all(
            self.memory.right(address, size) for address, size in [*self.out_places, (self.tag_place, len(self.tag))]
        )

    def problem(self) -> str:
        """Says what is wrong after the job ran; empty when nothing is."""
        names = "status", "number of output bytes", "output", "tag"
        wrong = [name for name, got, right in zip(names, self.result(), self.wanted()) if got != right]
        return (
            f"wrong {', '.join(wrong)} (status {self.job.status}, out_len {self.job.out_len}): {self.spec}"
            if wrong
            else ""
        )


def run(context: Context, memory: Memory, built: list[BuiltJob]) -> str:
    """One burst; the first problem of a job, of the memory beside the outputs, or of what the burst returned."""
    code = context.burst([one.job for one in built])
    wanted = ERR_AUTH if any(one.refused for one in built) else 0
    return problem_after(memory, built) or ("" if code == wanted else f"the burst returned {code}, not {wanted}")


def problem_after(memory: Memory, built: list[BuiltJob]) -> str:
    """The first problem of jobs that ran, or of the memory beside their outputs; empty: there is none."""
    for one in built:
        one.expect()
    for at, one in enumerate(built):
        if problem := one.problem():
            return f"job {at} of {len(built)}: {problem}"
    return memory.problem()


class Bench:
    """Builds jobs in one memory and runs them; whatever is not as it must be fails the test."""

    def __init__(self, context: Context, seed: object, memory: Memory | None = None):
        self.context, self.rng = context, random.Random(repr(seed))
        self.keys = Keys(context, self.rng)
        self._memory = memory
        self._start = 0

    def elsewhere(self) -> None:
        """Moves the place in a page where the next build begins: a kernel of lists does not take what ends near a
        page's end, and a test tries it again."""
        self._start = (self._start + ELSEWHERE) % PAGE

    def build(self, specs: Iterable[JobSpec]) -> list[BuiltJob]:
        """Builds jobs from specs, in the place of those that were built before."""
        specs = list(specs)
        bytes_ = PAGE + sum(2 * (spec.length + spec.room) + spec.aad + MOST_BESIDE for spec in specs)
        self.memory = self._memory or arena(max(1 << 20, 1 << bytes_.bit_length()))
        self.memory.clear()
        self.memory.used = self._start
        return [BuiltJob(self.memory, spec, self.rng, self.keys, at) for at, spec in enumerate(specs)]

    def add(self, spec: JobSpec) -> BuiltJob:
        """One more, beside what was built."""
        return BuiltJob(self.memory, spec, self.rng, self.keys)

    def check(self, built: list[BuiltJob]) -> None:
        """After they ran, by whatever entry."""
        problem = problem_after(self.memory, built)
        assert not problem, problem

    def burst(self, specs: Iterable[JobSpec]) -> list[BuiltJob]:
        """One cst_burst."""
        built = self.build(specs)
        problem = run(self.context, self.memory, built)
        assert not problem, problem
        return built


@functools.cache
def arena(size: int) -> Arena:
    """Shared by all tests of a process."""
    return Arena(size)


def force(context: Context, suite: str, kernel: str) -> int:
    """The code of cst_suite_force. Without the names that may have been meant, slow to find."""
    return context.lib.cst_suite_force(context.handle, suite.encode(), kernel.encode())


@contextmanager
def forced(context: Context, kernel: str, suites: list[str]) -> Iterator[list[str]]:
    """The kernel is forced for those of the suites that it fits and this CPU can run it for."""
    codes = {suite: force(context, suite, kernel) for suite in suites}
    fitting = [suite for suite, code in codes.items() if code == OK]
    try:
        assert set(codes.values()) <= {OK, ERR_NAME, ERR_UNSUPPORTED, ERR_JIT}
        yield fitting
    finally:
        for suite in fitting:
            context.force(suite, None)
