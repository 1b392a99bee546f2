"""What opening tells by its time: nothing but the outcome. Every instruction and every address of a whole cst_burst is
compared (stepped.py), for TLS records of one length with right and wrong padding and MACs, and for wrong tags.

- The trace is a function of public things: lengths, places, and of each job its status and out_len.
- Good and bad records part at one and the same step, whatever is wrong, and however much padding there is: there the
  verdict is known.
"""

from __future__ import annotations

import ctypes
import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest
from cryptostitch.binding.runtime import ERR_AUTH, OPEN, SEAL, Address, Context, Job, JobStruct, Key
from cryptostitch.ladder import oracle
from engine.entries import Entry, burst
from engine.records import SUITES, Connection, Record
from engine.stepped import LIBC, NotTraceable, Stepped, Trace, shared
from jobs import answers
from jobs.samples import LONG
from jobs.tls_oracle import BLOCK, MOST_PADDING

LEVELS = ["host", "host-no_avx512", "sse_aesni_shani", "sse_aesni"]
LEAST = {"sha1": 32, "sha256": 48, "sha384": 64}
"""Bytes of the shortest record."""
STRIDE = 4096
Outcome = tuple[tuple[int, int], ...]
"""(status, out_len) of each job."""


class Scene:
    """Jobs whose buffers stay where they are while their contents change."""

    def __init__(
        self,
        context: Context,
        keys: list[Key],
        direction: int,
        sizes: list[int],
        out_bytes: int = 0,
        pieces: int = 0,
        in_place: bool = False,
        entry: Entry = burst,
        right: tuple[bytes, ...] = (),
    ):
        """``sizes``: bytes of the inputs. ``out_bytes``: by how much the outputs are larger. ``pieces``: of how many
        the buffers consist; 0: not scattered. ``right``: of a job that is not refused, if other kernels run then."""
        self.memory = shared(STRIDE * (1 + len(sizes)))
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.structs = (JobStruct * len(sizes)).from_buffer(self.memory)
        self.jobs, self.sizes, self._in_place = [], sizes, in_place
        self._kept: list[object] = []
        for at, size in enumerate(sizes):
            iv, aad, tag, data, out = (self._base + place for place in self._places(at))
            suite = keys[at].suite
            aad_bytes = oracle.meaning(suite.name).fit_aad(8)
            self.jobs.append(
                Job(
                    keys[at],
                    direction,
                    iv=Address(iv, suite.iv_bytes) if suite.iv_bytes else None,
                    aad=Address(aad, aad_bytes) if aad_bytes else None,
                    data=self._cut(data, size, pieces),
                    out=self._cut(data if in_place else out, size + out_bytes, pieces) if suite.kind >= 3 else None,
                    tag=Address(tag, suite.tag_max) if suite.tag_max else None,
                )
            )
            self._kept.append(self.jobs[-1].fill(self.structs[at]))
        for at in range(len(sizes) if right else 0):
            self.put(at, *right)
        function, call = entry(context, self.structs)
        call()  # assembles the kernels before the child copies this process
        self.stepped = traced(function, call)

    def _places(self, at: int) -> tuple[int, int, int, int, int]:
        start = STRIDE * (at + 1)
        return start + 3, start + 64 + at, start + 131, start + 256 + 5 * at, start + STRIDE // 2 + 7 * at

    @staticmethod
    def _cut(address: int, size: int, pieces: int) -> Address | list[Address]:
        edges = [size * i // pieces for i in range(pieces + 1)] if pieces else []
        return [Address(address + a, b - a) for a, b in itertools.pairwise(edges)] or Address(address, size)

    def put(self, at: int, iv: bytes, aad: bytes, text: bytes, tag: bytes = b"") -> None:
        assert len(text) == self.sizes[at]
        for place, content in zip(self._places(at), (iv, aad, tag, text)):
            self.memory[place : place + len(content)] = content

    def trace(self) -> tuple[Outcome, Trace]:
        trace = self.stepped.trace()
        return tuple((struct.status, struct.out_len) for struct in self.structs), trace


def traced(function: int, call: Callable[[], object]) -> Stepped:
    try:
        return Stepped(function, call)
    except NotTraceable as error:
        pytest.skip(f"no single steps here: {error}")


class Judge:
    """Collects traces. The first of an outcome is what others are compared with."""

    def __init__(self, stepped: Stepped):
        self.stepped = stepped
        self.first: dict[Outcome, tuple[str, Trace]] = {}
        self.runs: dict[Outcome, int] = defaultdict(int)

    def add(self, name: str, outcome: Outcome, trace: Trace) -> None:
        self.runs[outcome] += 1
        known, reference = self.first.setdefault(outcome, (name, trace))
        assert trace.steps == reference.steps, self.difference(known, reference, name, trace)

    def difference(self, one: str, a: Trace, other: str, b: Trace) -> str:
        at = a.common(b)
        ends = [self.stepped.where(trace.steps[at]) if at < len(trace.steps) else "the end" for trace in (a, b)]
        return f"step {at} of {one} is {ends[0]}, of {other} {ends[1]}"

    def parting(self, one: Outcome, other: Outcome) -> int:
        """The first step that differs."""
        return self.first[one][1].common(self.first[other][1])


def open_scene(connections: list[Connection], sizes: list[int], **more: int) -> Scene:
    return Scene(connections[0].context, [connection.key for connection in connections], OPEN, sizes, **more)


def changed(content: bytes, at: int, by: int = 1) -> bytes:
    """The last byte is -1."""
    at %= len(content)
    return content[:at] + bytes([content[at] ^ by]) + content[at + 1 :]


def good(connection: Connection, size: int, padding: int) -> Record:
    """Returns a sound record of ``size`` bytes."""
    return connection.record(connection.rng.randbytes(size - connection.tls.mac_bytes - padding), padding)


def with_padding(connection: Connection, size: int, padding: bytes, bad: str, wrong_mac: int = 0) -> Record:
    """``wrong_mac``: the bits of its last byte that are others. The padding need not fit: then it ends what is random
    else."""
    room = size - connection.tls.mac_bytes - len(padding)
    aad, iv, text = connection.head(), connection.rng.randbytes(BLOCK), connection.rng.randbytes(max(0, room))
    plain = (text + changed(connection.tls.mac(aad, text), -1, wrong_mac) + padding)[-size:]
    return Record(iv, aad, connection.tls.encrypt(iv, plain), bad)


def faults(connection: Connection, size: int) -> Iterator[Record]:
    """Records that must not be told from each other."""
    mac = connection.tls.mac_bytes
    most = min(MOST_PADDING, size - mac)
    for count in sorted({1, 7, most} if LONG else {1, most}):
        yield with_padding(connection, size, bytes([count - 1]) * count, f"the MAC, with {count} bytes of padding", 1)
    for count in sorted({2, min(BLOCK, most), most} if LONG else {2, most}):
        places = {0, count // 2, count - 2} if LONG else {0}
        for at in sorted(places):
            yield with_padding(
                connection, size, changed(bytes([count - 1]) * count, at), f"byte {at} of {count} of padding"
            )
    for value in sorted({min(most, 255), most - 1, 5} if LONG else {min(most, 255)}):
        yield with_padding(connection, size, bytes([value]), f"one byte of padding says {value}")
    yield with_padding(connection, size, changed(bytes([most - 1]) * most, most // 2), "padding and MAC", 0x80)
    if LONG:
        yield Record(connection.rng.randbytes(BLOCK), connection.head(), connection.rng.randbytes(size), "all")
        yield with_padding(connection, size, b"\xff" * size, "all of it says 255")


class Opening:
    """Records of given sizes that are opened together, each under a key of its own."""

    def __init__(self, context: Context, suite: str, sizes: list[int], **more: int):
        self.connections = [Connection(context, suite, at) for at in range(len(sizes))]
        self.scene = open_scene(self.connections, sizes, **more)
        self.judge = Judge(self.scene.stepped)

    def __enter__(self) -> Opening:
        return self

    def __exit__(self, *_: object) -> None:
        self.scene.stepped.close()

    def run(self, records: list[Record]) -> Outcome:
        wanted = []
        for at, (connection, record) in enumerate(zip(self.connections, records)):
            self.scene.put(at, record.iv, record.aad, record.text)
            text = connection.tls.open(record.iv, record.aad, record.text)
            assert (text is None) == bool(record.bad), f"the oracle says otherwise: {record.bad}"
            wanted.append((ERR_AUTH, 0) if text is None else (0, len(text)))
        outcome, trace = self.scene.trace()
        assert outcome == tuple(wanted)
        self.judge.add(
            " | ".join(record.bad or f"right, {size} bytes" for record, (_, size) in zip(records, outcome)),
            outcome,
            trace,
        )
        return outcome


def check_one(context: Context, suite: str, size: int, **more: int) -> None:
    with Opening(context, suite, [size], **more) as opening:
        connection = opening.connections[0]
        most = min(MOST_PADDING, size - connection.tls.mac_bytes)
        bad = {opening.run([record]) for record in faults(connection, size)}
        paddings = sorted({1, min(BLOCK, most), most // 2, most} if LONG else {1, most})
        right = [opening.run([good(connection, size, padding)]) for padding in (*paddings, 1)]
        assert len(bad) == 1 and len(set(right)) == len(paddings), "the same outcome is compared"
        partings = {opening.judge.parting(*bad, outcome) for outcome in right}
        assert len(partings) == 1, f"good records of one length part from bad ones at the steps {sorted(partings)}"


def check_right(context: Context, suite: str, size: int, **more: int) -> None:
    """How much padding a right record has does not show either, though the text's length tells it in the end."""
    with Opening(context, suite, [size], **more) as opening:
        connection = opening.connections[0]
        most = min(MOST_PADDING, size - connection.tls.mac_bytes)
        edge = 128 - connection.tls.mac_bytes  # where padding and MAC together have 128 bytes
        paddings = {1, 2, BLOCK, edge, edge + 1, most // 2, most}
        outcomes = [
            opening.run([good(connection, size, padding)]) for padding in sorted(paddings) if 0 < padding <= most
        ]
        first = opening.judge.first[outcomes[0]]
        for other in (opening.judge.first[outcome] for outcome in outcomes[1:]):
            assert other[1].steps == first[1].steps, opening.judge.difference(*first, *other)


@pytest.mark.parametrize("suite,size", [("aes-128-cbc+hmac-sha1-tls", 320), ("aes-256-cbc+hmac-sha256-tls", 64)])
def test_one_right_record(host: Context, suite: str, size: int) -> None:
    check_right(host, suite, size)


@pytest.mark.parametrize("suite,size", [("aes-128-cbc+hmac-sha1-tls", 320), ("aes-256-cbc+hmac-sha256-tls", 64)])
def test_one_record(host: Context, suite: str, size: int) -> None:
    check_one(host, suite, size)


@pytest.mark.skipif(
    not LONG, reason="every suite on several levels of instructions, single-stepped: CRYPTOSTITCH_LONG=1"
)
@pytest.mark.parametrize("target", LEVELS)
@pytest.mark.parametrize("suite", SUITES)
def test_one_record_anywhere(contexts: dict[str, Context], suite: str, target: str) -> None:
    for size in (LEAST[oracle.meaning(suite).hash], 272):
        check_one(contexts[target], suite, size)
        check_right(contexts[target], suite, size)
    if target == "host":
        check_one(contexts[target], suite, 560)
        check_one(contexts[target], suite, 368, pieces=3)
        check_one(contexts[target], suite, 368, in_place=True)
        check_right(contexts[target], suite, 368, pieces=3)
        check_right(contexts[target], suite, 368, in_place=True)


def check_many(context: Context, suite: str, sizes: list[int], runs: int) -> None:
    """Right and wrong ones in all places: of each pattern two bursts, that have nothing else in common."""
    with Opening(context, suite, sizes) as opening:
        rng = random.Random(suite)
        for run in range(runs):
            pattern = [run > 0 and (at == 0 or rng.random() < 0.5) for at in range(len(sizes))]
            paddings = [
                rng.randrange(1, min(MOST_PADDING, size - connection.tls.mac_bytes) + 1)
                for connection, size in zip(opening.connections, sizes)
            ]
            outcomes = set()
            for _ in range(2):
                records = []
                for connection, size, right, padding in zip(opening.connections, sizes, pattern, paddings):
                    records.append(
                        good(connection, size, padding) if right else rng.choice(list(faults(connection, size)))
                    )
                outcomes.add(opening.run(records))
            assert len(outcomes) == 1
        first = [outcome for outcome in opening.judge.first if outcome[0][0] == 0]
        failed = next(iter(opening.judge.first))
        partings = {opening.judge.parting(failed, outcome) for outcome in first}
        assert len(partings) == 1, (
            f"bursts whose first record is right part from one that is all wrong at the steps {sorted(partings)}"
        )


def test_some_records(host: Context) -> None:
    check_many(host, SUITES[1], [48, 64, 48], 3)


@pytest.mark.skipif(not LONG, reason="full lanes, single-stepped: CRYPTOSTITCH_LONG=1")
@pytest.mark.parametrize("target", LEVELS[:2])
@pytest.mark.parametrize("suite", SUITES[:2])
def test_full_lanes(contexts: dict[str, Context], suite: str, target: str) -> None:
    check_many(contexts[target], suite, [64, 96] * 9, 3)


AUTHENTICATED = [
    "aes-128-cbc+hmac-sha1-etm",
    "aes-256-cbc+hmac-sha256-128",
    "a128cbc-hs256",
    "hmac-sha256",
    "aes-128-gcm",
    "chacha20-poly1305",
]


OTHERS = [
    ("host", "chacha20-poly1305", 1100, 1),
    ("sse_aesni", "aes-128-gcm", 1400, 1),  # on a stitched kernel
    ("host", "hmac-sha256", 100, 3),
    ("sse_aesni", "hmac-sha1", 100, 3),  # chaining values that lie apart
]


@pytest.mark.parametrize("target,suite,size,jobs", [*(("host", suite, 48, 1) for suite in AUTHENTICATED), *OTHERS])
def test_wrong_tags(contexts: dict[str, Context], target: str, suite: str, size: int, jobs: int) -> None:
    """Where a tag is wrong, and in how many bytes, is not to be seen. Of several jobs it is the last one's."""
    context, rng = contexts[target], random.Random(suite)
    secrets = oracle.secrets(rng, suite)
    key = context.suite(suite).key(secrets[0], secrets[1])
    iv, aad, text = (
        rng.randbytes(key.suite.iv_bytes),
        rng.randbytes(oracle.meaning(suite).fit_aad(8)),
        rng.randbytes(size),
    )
    out, tag = answers.sealed(suite, secrets, iv, aad, text, key.suite.tag_max)
    data = out or text
    key.open(data, tag, iv=iv or None, aad=aad or None)  # assembles what only a right tag needs
    scene = Scene(context, [key] * jobs, OPEN, [len(data)] * jobs)
    with scene.stepped:
        judge = Judge(scene.stepped)
        tags = [
            changed(tag, 0),
            changed(tag, len(tag) // 2, 0x80),
            changed(tag, -1),
            bytes(len(tag)),
            bytes(byte ^ 0xFF for byte in tag),
        ]
        for at in range(jobs):
            scene.put(at, iv, aad, data, tag)
        for at, wrong in enumerate(tags):
            scene.put(jobs - 1, iv, aad, data, wrong)
            outcome, trace = scene.trace()
            assert [status for status, _ in outcome] == [0] * (jobs - 1) + [ERR_AUTH] and outcome[-1][1] == 0
            judge.add(f"tag {at}", outcome, trace)
        failed = next(iter(judge.first.values()))[1]
        scene.put(jobs - 1, iv, aad, data, tag)
        outcome, trace = scene.trace()
        assert not any(status for status, _ in outcome) and trace.steps != failed.steps


@pytest.mark.parametrize(
    "target,suite",
    [
        ("host", SUITES[0]),
        ("host", "aes-128-cbc+hmac-sha256-etm"),
        ("host", "a128cbc-hs256"),
        ("host", "chacha20-poly1305"),
        ("host", "aes-128-ctr"),
        ("sse_aesni", "aes-128-ctr"),
        ("sse_aesni", "aes-256-ecb"),
    ],
)
def test_sealing(contexts: dict[str, Context], target: str, suite: str) -> None:
    """Texts of one length are sealed alike, whatever they are."""
    context, rng = contexts[target], random.Random(suite)
    secrets = oracle.secrets(rng, suite)
    key = context.suite(suite).key(secrets[0], secrets[1])
    aad_bytes, size = oracle.meaning(suite).fit_aad(8), 112
    scene = Scene(context, [key], SEAL, [size], out_bytes=key.suite.expansion)
    with scene.stepped:
        judge = Judge(scene.stepped)
        for name, text in (("zeros", bytes(size)), ("ones", b"\xff" * size), ("random", rng.randbytes(size))):
            scene.put(0, rng.randbytes(key.suite.iv_bytes), rng.randbytes(aad_bytes), text)
            judge.add(name, *scene.trace())
        assert len(judge.first) == 1


def seeded(function: str) -> Callable[[bytes], tuple[Judge, Trace]]:
    """The trace of a function of libc whose first argument is a string."""
    memory = shared(4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    call = LIBC[function]
    call.argtypes, pointer = [ctypes.c_void_p], ctypes.cast(call, ctypes.c_void_p).value
    assert pointer
    stepped = traced(pointer, lambda: call(address))

    def run(content: bytes) -> tuple[Judge, Trace]:
        memory[: len(content) + 1] = content + b"\0"
        return Judge(stepped), stepped.trace()

    return run


def test_a_branch_is_seen() -> None:
    """The check can fail: strlen takes longer for longer strings."""
    run = seeded("strlen")
    judge, first = run(b"secret")
    assert run(b"public")[1].steps == first.steps
    judge.add("6 bytes", (), first)
    with pytest.raises(AssertionError, match="step .* of 6 bytes is .*, of 600 bytes "):
        judge.add("600 bytes", (), run(b"x" * 600)[1])


def test_an_address_is_seen() -> None:
    """So can it where the instructions are the same: a64l looks the digits up in a table."""
    run = seeded("a64l")
    judge, first = run(b"abcdef")
    assert run(b"abcdef")[1].steps == first.steps
    judge.add("a to f", (), first)
    other = run(b"ABCDEF")[1]
    assert [step[0] for step in other.steps] == [step[0] for step in first.steps]
    with pytest.raises(AssertionError, match="step .* of a to f is "):
        judge.add("A to F", (), other)


def test_a_length_is_seen(host: Context) -> None:
    """What is public shows: records of other sizes have other traces."""
    steps = []
    for size in (64, 80):
        with Opening(host, SUITES[0], [size]) as opening:
            opening.run([good(opening.connections[0], size, 1)])
            steps += [len(trace.steps) for _, trace in opening.judge.first.values()]
    assert steps[0] != steps[1]
