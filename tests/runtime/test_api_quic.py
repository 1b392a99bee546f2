"""QUIC packets against RFC 9001's and RFC 9369's appendices, and bursts against the model (quic_model.py)."""

from __future__ import annotations

import ctypes
import json
import random
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from cryptostitch.binding import capi
from cryptostitch.binding.capi import (
    ERR_ARGUMENT,
    ERR_AUTH,
    ERR_LENGTH,
    ERR_LIMIT,
    ERR_OVERLAP,
    ERR_UNSUPPORTED,
    NOT_RUN,
    OK,
    QUIC_NONE,
)
from cryptostitch.binding.runtime import Context
from handmade import tool
from jobs.samples import LONG
from quic_calls import Opening, Quic, Sealing
from quic_model import ALGORITHMS, KEY_BYTES, Keys, decode, initial_secrets, next_secret

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/quic.json").read_text())
SECRET_BYTES = {"aes-128-gcm": 32, "aes-256-gcm": 48, "chacha20-poly1305": 32}
VERSIONS = (1, 0x6B3343CF)
NUMBERS = 1 << 62


@pytest.fixture(scope="module")
def quic() -> Quic:
    return Quic(Context())


def unhex(text: str) -> bytes:
    return bytes.fromhex(text)


def some_keys(algorithm: str, rng: random.Random) -> Keys:
    size = KEY_BYTES[algorithm]
    return Keys(algorithm, rng.randbytes(size), rng.randbytes(12), rng.randbytes(size))


def some_header(rng: random.Random, number_len: int, long: bool | None = None) -> bytes:
    """The number is yet to come, as are the bits that tell its length."""
    long = rng.random() < 0.3 if long is None else long
    first = (0xC0 | rng.randrange(64)) if long else (0x40 | rng.randrange(64) & ~4)
    return bytes([first]) + rng.randbytes(rng.choice([0, 4, 8, 20, 30])) + rng.randbytes(number_len)


_held: list[Any] = []


def memory_of(size: int) -> int:
    """The address of memory that lives as long as the tests do."""
    _held.append(ctypes.create_string_buffer(size))
    return ctypes.addressof(_held[-1])


# ---- published answers


@pytest.mark.parametrize("source", VECTORS)
def test_appendix_keys(quic: Quic, source: str) -> None:
    """A.1 and the secrets of A.5. What follows from them is compared by packets, in the next test."""
    of = VECTORS[source]
    client, server = quic.initial_secrets(of["version"], unhex(of["connection_id"]))
    assert client.hex() == of["keys"]["client"]["secret"] and server.hex() == of["keys"]["server"]["secret"]
    secret = unhex(of["keys"]["chacha"]["secret"])
    assert quic.next_secret("chacha20-poly1305", of["version"], secret).hex() == of["next_secret"]


@pytest.mark.parametrize("source", VECTORS)
@pytest.mark.parametrize("from_secret", [False, True])
def test_appendix_packets(quic: Quic, source: str, from_secret: bool) -> None:
    """A.2, A.3 and A.5 as one burst, by the published keys, and by keys that the library derives."""
    of, keys = VECTORS[source], {}
    for who, parts in of["keys"].items():
        algorithm = "chacha20-poly1305" if who == "chacha" else "aes-128-gcm"
        known = Keys(algorithm, *(unhex(parts[name]) for name in ("key", "iv", "hp")))
        secret = unhex(parts["secret"])
        keys[who] = quic.from_secret(algorithm, of["version"], secret) if from_secret else quic.key(known)
    sealing, opening = [], []
    for each in of["packets"]:
        header, payload = unhex(each["header"]), unhex(each["payload"]) + bytes(each["padding"])
        size = (header[0] & 3) + 1
        blank = bytes([header[0] & ~3]) + header[1:-size] + b"\xee" * size
        sealing.append(Sealing(keys[each["who"]], blank, each["number"], size, payload))
        opening.append(Opening(keys[each["who"]], unhex(each["packet"]), len(header) - size, each["number"] - 1))
    assert quic.seal(sealing) == OK and quic.open(opening) == OK
    for each, sealed, opened in zip(of["packets"], sealing, opening, strict=True):
        assert sealed.packet.hex() == each["packet"] and sealed.status == OK
        assert opened.header.hex() == each["header"] and opened.number == each["number"]
        assert opened.payload == unhex(each["payload"]) + bytes(each["padding"])


@pytest.mark.parametrize("source", VECTORS)
def test_appendix_retry(quic: Quic, source: str) -> None:
    """A.4."""
    of = VECTORS[source]
    packet = unhex(of["retry"])
    assert quic.retry_tag(of["version"], unhex(of["connection_id"]), packet[:-16]) == packet[-16:]


# ---- the model


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("version", VERSIONS)
def test_keys_of_secrets(quic: Quic, algorithm: str, version: int) -> None:
    rng = random.Random(f"{algorithm} {version}")
    for connection_id in map(rng.randbytes, (0, 1, 8, 20)):
        assert quic.initial_secrets(version, connection_id) == initial_secrets(version, connection_id)
    secret, before, hp = rng.randbytes(SECRET_BYTES[algorithm]), None, None
    for _ in range(3):
        keys = Keys.of(algorithm, version, secret)
        hp = hp or keys.hp  # which an update does not change
        keys = Keys(algorithm, keys.key, keys.iv, hp)
        before = quic.from_secret(algorithm, version, secret, before)
        header, payload = some_header(rng, 2), rng.randbytes(50)
        sealing = Sealing(before, header, 700, 2, payload)
        assert quic.seal([sealing]) == OK
        assert sealing.packet == keys.seal(header, 700, 2, payload)
        following = quic.next_secret(algorithm, version, secret)
        assert following == next_secret(algorithm, version, secret)
        secret = following


def burst(quic: Quic, rng: random.Random, n: int, connections: list[tuple[Keys, int]]) -> list[tuple[Keys, Sealing]]:
    made = []
    for _ in range(n):
        keys, key = rng.choice(connections)
        size = rng.randint(1, 4)
        payload = rng.randbytes(rng.choice([4 - size, rng.randrange(4, 80), rng.randrange(4, 1500)]))
        in_place = rng.random() < 0.5
        cuts = sorted(rng.randint(0, len(payload)) for _ in range(rng.randrange(4))) if rng.random() < 0.2 else None
        sealing = Sealing(
            key, some_header(rng, size), rng.getrandbits(rng.choice([3, 8, 16, 32, 62])), size, payload,
            in_place=in_place and cuts is None, cuts=cuts,
        )  # fmt: skip
        made.append((keys, sealing))
    return made


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 40, 127, 128, 129, 300])
@pytest.mark.parametrize("of", [*ALGORITHMS, "mixed"])
def test_bursts(quic: Quic, n: int, of: str) -> None:
    """Seal and open, in every place, with any mix of headers, numbers and connections."""
    rng = random.Random(f"{of} {n}")
    connections = [some_keys(rng.choice(ALGORITHMS) if of == "mixed" else of, rng) for _ in range(rng.randint(1, 9))]
    made = burst(quic, rng, n, [(keys, quic.key(keys)) for keys in connections])
    assert quic.seal([sealing for _, sealing in made]) == OK
    opening = []
    for keys, sealing in made:
        wanted = keys.seal(sealing.header, sealing.number, sealing.number_len, sealing.payload)
        assert (sealing.status, sealing.out_len, sealing.packet) == (OK, len(sealing.payload) + 16, wanted)
        at, window = len(sealing.header) - sealing.number_len, 1 << 8 * sealing.number_len
        largest = max(sealing.number - rng.randint(1, window // 2), -1)
        opening.append(Opening(sealing.key, wanted, at, largest, in_place=rng.random() < 0.5))
    assert quic.open(opening) == OK
    for (keys, sealing), opened in zip(made, opening, strict=True):
        expected = keys.open(opened.packet, opened.at, opened.largest)
        assert (opened.header, opened.number, opened.payload) == expected
        assert opened.number == sealing.number and opened.payload == sealing.payload
        assert opened.status == OK and opened.opened_by == opened.key


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_numbers_at_every_wrap(quic: Quic, size: int) -> None:
    """Packets open under the number that A.3 of RFC 9000 says, and under no other; never at 2^62 or beyond."""
    rng = random.Random(size)
    keys = some_keys("aes-128-gcm", rng)
    key, window = quic.key(keys), 1 << 8 * size
    half, edges = window // 2, {0, window, 2 * window, 5 * window, NUMBERS - window, NUMBERS - 2 * window, NUMBERS}
    near = {e + by for e in edges for by in (-half, 0, half)}
    largest = sorted(n for e in near for n in range(e - 3, e + 3) if -1 <= n < NUMBERS)
    cases = []
    for each in largest:
        for by in (-half - 1, -half, -half + 1, -1, 0, 1, half - 1, half, half + 1, half + 2, window - 1):
            cases.append((each, (each + by) % window, decode(each, (each + by) % window, 8 * size)))
    header = bytes([0x40]) + bytes(size)
    opening = []
    for each, _, number in cases:
        opening.append(Opening(key, keys.seal(header, number, size, b"text"), 1, each))
    code = quic.open(opening)
    beyond = 0
    for opened, (_, truncated, number) in zip(opening, cases, strict=True):
        if number >= NUMBERS:
            assert opened.status == ERR_AUTH and opened.told == (0, 0, 0, 0, 0)
            beyond += 1
        else:
            assert (opened.status, opened.number) == (OK, number) and number % window == truncated
    assert beyond and code == ERR_AUTH
    others = [Opening(key, keys.seal(header, number + window, size, b"text"), 1, each) for each, _, number in cases]
    assert quic.open(others) == ERR_AUTH and {opened.status for opened in others} == {ERR_AUTH}


# ---- packets that do not open


def refused(opened: Opening, at: int, status: int) -> None:
    assert opened.status == status and opened.told == (0, 0, 0, 0, 0)
    if status != ERR_AUTH:
        assert not opened.changed
    elif opened.in_place:
        kept = opened.packet[: at + 1], opened.packet[-16:]
        assert (opened.out[: at + 1], opened.out[-16:]) == kept, "the header, and the tag, are as they were"
        assert opened.out[at + 4 : -16] == bytes(len(opened.out) - 16 - at - 4)
    else:
        assert opened.out == bytes(len(opened.out))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("in_place", [False, True])
def test_any_bit_flipped(quic: Quic, algorithm: str, in_place: bool) -> None:
    """Each bit of a packet, in one burst beside the packet itself."""
    rng = random.Random(algorithm)
    keys = some_keys(algorithm, rng)
    key = quic.key(keys)
    for long, size in ((False, 1), (False, 4), (True, 2)):
        header = some_header(rng, size, long)
        packet, at = keys.seal(header, 1000, size, b"a text of some bytes"), len(header) - size
        flipped = []
        for bit in range(8 * len(packet)):
            changed = bytearray(packet)
            changed[bit // 8] ^= 1 << bit % 8
            flipped.append(Opening(key, bytes(changed), at, 999, in_place=in_place))
        flipped.insert(17, Opening(key, packet, at, 999, in_place=in_place))
        failed = quic.info(key).failed
        assert quic.open(flipped) == ERR_AUTH
        good = flipped.pop(17)
        assert (good.status, good.payload, good.number) == (OK, b"a text of some bytes", 1000)
        for opened in flipped:
            refused(opened, at, ERR_AUTH)
        assert quic.info(key).failed == failed + len(flipped)


@pytest.mark.parametrize("n", [1, 3, 8, 17, 64, 200])
@pytest.mark.parametrize("what", ["forged", "short", "wrong key", "wrong number"])
def test_one_bad_packet(quic: Quic, n: int, what: str) -> None:
    """Among others of several connections and algorithms, which open as without it."""
    rng = random.Random(f"{n} {what}")
    connections = [(keys, quic.key(keys)) for keys in (some_keys(ALGORITHMS[i % 3], rng) for i in range(7))]
    for bad in sorted({0, n // 2, n - 1}):
        packets = []
        for i in range(n):
            keys, key = connections[rng.randrange(7)]
            size = rng.randint(1, 4)
            header, number = some_header(rng, size), rng.getrandbits(40)
            sealed = keys.seal(header, number, size, rng.randbytes(rng.choice([20, 300, 1400])))
            at = len(header) - size
            opening = Opening(key, sealed, at, max(number - 1, -1), in_place=bool(i & 1))
            if i == bad:
                match what:
                    case "forged":
                        opening.packet = sealed[:-1] + bytes([sealed[-1] ^ 128])
                    case "short":
                        opening.packet = sealed[: at + rng.randrange(20)]
                    case "wrong key":
                        opening.key = next(its for _, its in connections if its != key)
                    case "wrong number":
                        opening.largest = number + (1 << 36)
            packets.append((keys, opening))
        assert quic.open([opening for _, opening in packets]) == ERR_AUTH
        for i, (keys, opened) in enumerate(packets):
            if i == bad:
                refused(opened, opened.at, ERR_LENGTH if what == "short" else ERR_AUTH)
            else:
                expected = keys.open(opened.packet, opened.at, opened.largest)
                assert opened.status == OK and (opened.header, opened.number, opened.payload) == expected


@pytest.mark.parametrize("at", [1, 9, 30])
def test_too_short_for_a_sample(quic: Quic, at: int) -> None:
    """Of all lengths up to the shortest right one. They are no failures of authentication."""
    keys = some_keys("aes-256-gcm", random.Random(at))
    key = quic.key(keys)
    whole = keys.seal(bytes([0x41]) + bytes(at - 1) + b"\0\0\0\0", 5, 4, b"")
    assert len(whole) == at + 20
    for in_place in (False, True):
        short = [Opening(key, whole[:size], at, 4, in_place=in_place) for size in range(at + 20)]
        assert quic.open(short) == ERR_AUTH
        for opened in short:
            refused(opened, at, ERR_LENGTH)
        assert quic.info(key).failed == 0
    opened = Opening(key, whole, at, 4)
    assert quic.open([opened]) == OK and opened.payload == b"" and opened.number == 5


# ---- key update


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_key_phases(quic: Quic, algorithm: str) -> None:
    """Packets of three phases in one burst, with and without the keys of the other ones."""
    rng = random.Random(algorithm)
    secrets = [rng.randbytes(SECRET_BYTES[algorithm])]
    while len(secrets) < 3:
        secrets.append(next_secret(algorithm, 1, secrets[-1]))
    hp = Keys.of(algorithm, 1, secrets[0]).hp
    models = [Keys(algorithm, (its := Keys.of(algorithm, 1, s)).key, its.iv, hp) for s in secrets]
    before = None
    handles = [before := quic.from_secret(algorithm, 1, secret, before) for secret in secrets]
    old, key, new = handles
    for phase in (0, 1):
        sent = []  # in the phases before, of, and after the current one, which has begun with packet 100
        for model, handle, numbers, bit in (
            (models[0], old, (90, 99), phase ^ 1),
            (models[1], key, (100, 109), phase),
            (models[2], new, (110, 119), phase ^ 1),
        ):
            sent += [
                (handle, number, model.seal(bytes([0x40 | bit << 2, 7, 7, 0, 0]), number, 2, rng.randbytes(30)))
                for number in numbers
            ]
        for previous in (0, old):
            for following in (0, new):
                opening = [
                    Opening(key, packet, 3, 109, previous, following, phase, phase_first=100) for *_, packet in sent
                ]
                there = {key, previous, following}
                assert quic.open(opening) == (OK if there >= set(handles) else ERR_AUTH)
                for opened, (handle, number, _) in zip(opening, sent, strict=True):
                    if handle in there:
                        assert (opened.status, opened.opened_by, opened.number) == (OK, handle, number)
                    else:
                        refused(opened, 3, ERR_AUTH)
        none_yet = Opening(key, sent[0][2], 3, 90, old, new, phase)
        assert quic.open([none_yet]) == OK and none_yet.opened_by == old
        for largest, first in ((109, -1), (-1, -1), (109, 100), (-1, QUIC_NONE - 1)):  # whatever was lost before
            updated = Opening(key, sent[4][2], 3, largest, 0, new, phase, phase_first=first)
            assert quic.open([updated]) == OK and updated.opened_by == new
        at_once = Opening(key, sent[4][2], 3, 109, old, new, phase, phase_first=0)  # updated before the first packet
        assert quic.open([at_once]) == OK and at_once.opened_by == new
    failed = {quic.info(handle).failed for handle in handles}
    assert len(failed) == 1 and failed.pop() > 0, "one count of all phases"


def test_long_headers_have_no_key_phase(quic: Quic) -> None:
    rng = random.Random(4)
    keys = some_keys("aes-128-gcm", rng)
    key, other = quic.key(keys), quic.key(some_keys("aes-128-gcm", rng))
    for first in range(0xC0, 0x100, 4):
        packet = keys.seal(bytes([first]) + bytes(10), 3, 2, b"hello")
        for phase in (0, 1):
            opening = Opening(key, packet, 9, 2, other, other, phase, phase_first=1)
            assert quic.open([opening]) == OK and opening.payload == b"hello"


# ---- counters


def test_packets_are_counted(quic: Quic) -> None:
    rng = random.Random(8)
    for algorithm in ALGORITHMS:
        key = quic.key(some_keys(algorithm, rng))
        info = quic.info(key)
        assert (info.algorithm.decode(), info.sealed, info.failed) == (algorithm, 0, 0)
        chacha = algorithm.startswith("chacha")
        assert info.most_sealed == (QUIC_NONE if chacha else 1 << 23)
        assert info.most_failed == (1 << 36 if chacha else 1 << 52)

        def work(its: int = key) -> None:
            for _ in range(20):
                assert quic.seal([Sealing(its, bytes([0x40, 0]), 1, 1, bytes(30)) for _ in range(9)]) == OK
                assert quic.open([Opening(its, bytes(60), 1) for _ in range(5)]) == ERR_AUTH

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (quic.info(key).sealed, quic.info(key).failed) == (4 * 20 * 9, 4 * 20 * 5)


def test_a_key_is_used_up(quic: Quic) -> None:
    """2^23 packets are sealed, and then none: the burst that goes beyond is sealed in part, and other keys go on."""
    keys = some_keys("aes-128-gcm", random.Random(1))
    key, other, most, each = quic.key(keys), quic.key(keys), 1 << 23, 1 << 15
    structs: Any = (capi.QuicPacketStruct * each)()
    header, text = memory_of(8), memory_of(32)
    for struct in structs:
        struct.key, struct.header, struct.header_len, struct.number_len = key, header, 8, 2
        setattr(struct, "in", text)
        struct.in_len, struct.out, struct.out_cap, struct.size = 2, text, 18, ctypes.sizeof(struct)
    for _ in range(most // each - 1):
        assert quic.lib.cst_quic_seal(quic.context.handle, structs, each) == OK
    assert quic.lib.cst_quic_seal(quic.context.handle, structs, each - 5) == OK
    assert quic.info(key).sealed == most - 5
    last = [Sealing(other if i % 4 == 3 else key, bytes([0x40, 0, 0]), i, 1, bytes(30)) for i in range(12)]
    assert quic.seal(last) == ERR_LIMIT
    statuses = [OK] * 6 + [ERR_LIMIT, OK] + [ERR_LIMIT] * 3 + [OK]
    assert [sealing.status for sealing in last] == statuses
    for sealing in last:
        done = sealing.status == OK
        assert sealing.changed == done and sealing.out_len == (46 if done else 0)
        if done:
            assert sealing.packet == keys.seal(sealing.header, sealing.number, 1, sealing.payload)
    assert quic.info(key).sealed == most and quic.info(other).sealed == 3
    opening = Opening(key, last[0].packet, 2)
    assert quic.seal(last[:3]) == ERR_LIMIT and not any(sealing.changed for sealing in last[:3])
    assert quic.open([opening]) == OK, "a key that has sealed as many as it may still opens"


def test_keys_whose_packets_failed_too_often() -> None:
    done = subprocess.run([tool("cst-quic-limits")], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "limits are kept\n")


# ---- arguments


WRONG: list[tuple[dict[str, Any], int]] = [
    ({"key": None}, ERR_ARGUMENT),
    ({"number_len": 0}, ERR_ARGUMENT),
    ({"number_len": 5}, ERR_ARGUMENT),
    ({"number": NUMBERS}, ERR_ARGUMENT),
    ({"number": QUIC_NONE}, ERR_ARGUMENT),
    ({"header": None}, ERR_ARGUMENT),
    ({"out": None}, ERR_ARGUMENT),
    ({"in": None}, ERR_ARGUMENT),
    ({"header_len": 2}, ERR_LENGTH),
    ({"header_len": 0}, ERR_LENGTH),
    ({"in_len": 1}, ERR_LENGTH),
    ({"in_len": 65536}, ERR_LENGTH),
    ({"out_cap": 45}, ERR_LENGTH),
    ({"out_cap": 0}, ERR_LENGTH),
]


@pytest.mark.parametrize("wrong, error", WRONG, ids=[f"{next(iter(w.items()))}" for w, _ in WRONG])
@pytest.mark.parametrize("n, at", [(1, 0), (3, 1), (40, 39)])
def test_one_wrong_packet_is_refused_with_all(quic: Quic, wrong: dict[str, Any], error: int, n: int, at: int) -> None:
    key = quic.key(some_keys("chacha20-poly1305", random.Random(3)))
    packets = [Sealing(key, bytes([0x40, 1, 2]), 9, 2, bytes(30), in_place=False) for _ in range(n)]
    packets[at].members = wrong
    assert quic.seal(packets) == error
    assert [packet.status for packet in packets] == [error if i == at else NOT_RUN for i in range(n)]
    assert not any(packet.changed for packet in packets) and {packet.out_len for packet in packets} == {77}
    assert quic.info(key).sealed == 0


WRONG_RECEIVED: list[tuple[dict[str, Any], int]] = [
    ({"key": None}, ERR_ARGUMENT),
    ({"phase": 2}, ERR_ARGUMENT),
    ({"expected": NUMBERS + 1}, ERR_ARGUMENT),
    ({"expected": QUIC_NONE}, ERR_ARGUMENT),
    ({"number_at": 0}, ERR_ARGUMENT),
    ({"in": None}, ERR_ARGUMENT),
    ({"out": None}, ERR_ARGUMENT),
    ({"out_cap": 48}, ERR_LENGTH),
    ({"in_len": 65536}, ERR_LENGTH),
]


@pytest.mark.parametrize("wrong, error", WRONG_RECEIVED, ids=[f"{next(iter(w.items()))}" for w, _ in WRONG_RECEIVED])
@pytest.mark.parametrize("n, at", [(1, 0), (3, 1), (40, 39)])
def test_one_wrong_received_packet_is_refused_with_all(
    quic: Quic, wrong: dict[str, Any], error: int, n: int, at: int
) -> None:
    keys = some_keys("aes-128-gcm", random.Random(3))
    key = quic.key(keys)
    whole = keys.seal(bytes([0x40, 1, 2]), 9, 2, bytes(46))
    packets = [Opening(key, whole, 1, 8, in_place=False) for _ in range(n)]
    packets[at].members = wrong
    assert quic.open(packets) == error
    assert [packet.status for packet in packets] == [error if i == at else NOT_RUN for i in range(n)]
    assert not any(packet.changed for packet in packets) and {packet.told for packet in packets} == {(77,) * 5}


def test_keys_of_others(quic: Quic) -> None:
    """Keys of another context or algorithm, for packets, phases, and updates."""
    rng, other = random.Random(2), Quic(Context())
    keys = some_keys("aes-128-gcm", rng)
    key, foreign = quic.key(keys), other.key(keys)
    of_256 = quic.key(some_keys("aes-256-gcm", rng))
    sealing = Sealing(foreign, bytes([0x40, 0]), 1, 1, bytes(30))
    assert quic.seal([sealing]) == ERR_ARGUMENT and not sealing.changed
    packet = keys.seal(bytes([0x40, 0]), 1, 1, bytes(30))
    for wrong in ({"previous": foreign}, {"next": foreign}, {"previous": of_256}, {"next": of_256}):
        opening = Opening(key, packet, 1, members=wrong)
        assert quic.open([opening]) == ERR_ARGUMENT and not opening.changed
    call, out = quic.lib.cst_quic_key_from_secret, ctypes.byref(ctypes.c_void_p())
    for before in (foreign, of_256):
        assert call(quic.context.handle, b"aes-128-gcm", 1, bytes(32), 32, before, out) == ERR_ARGUMENT
    for version in (0, 2, 0xFF00001D, 0x6B3343CE):
        assert call(quic.context.handle, b"aes-128-gcm", version, bytes(32), 32, None, out) == ERR_UNSUPPORTED


def test_places(quic: Quic) -> None:
    """The header may not meet the payload; `out` only as a whole."""
    key = quic.key(some_keys("aes-128-gcm", random.Random(3)))
    memory = ctypes.create_string_buffer(200)
    at = ctypes.addressof(memory)
    whole: dict[str, Any] = {"header": at, "header_len": 20, "in": at + 20, "out": at + 20}
    for members, code in (
        (whole, OK),
        (whole | {"in": at + 19}, ERR_OVERLAP),
        (whole | {"in": at + 21}, ERR_OVERLAP),
        (whole | {"out": at + 19, "in": at + 100}, ERR_OVERLAP),
        (whole | {"out": at + 100, "in": at + 19}, ERR_OVERLAP),
        (whole | {"out": at + 100, "in": at}, ERR_OVERLAP),
        (whole | {"out": at + 36}, ERR_OVERLAP),
        (whole | {"header": at + 60}, ERR_OVERLAP),
        (whole | {"header": at + 66}, OK),
    ):
        assert quic.seal([Sealing(key, bytes(3), 1, 2, bytes(30), members=members)]) == code, members


@pytest.mark.parametrize("seed", range(300 if LONG else 3))
def test_more_bursts(quic: Quic, seed: int) -> None:
    test_bursts(quic, random.Random(seed).randint(1, 200), "mixed" if seed % 2 else ALGORITHMS[seed % 3])


def test_the_model_is_right() -> None:
    """Or a library that is wrong in the same way would pass: its keys, and its packets, are the published ones."""
    of = VECTORS["RFC 9001"]
    for who, parts in of["keys"].items():
        algorithm = "chacha20-poly1305" if who == "chacha" else "aes-128-gcm"
        keys = Keys.of(algorithm, of["version"], unhex(parts["secret"]))
        assert [keys.key.hex(), keys.iv.hex(), keys.hp.hex()] == [parts[name] for name in ("key", "iv", "hp")]
        for each in of["packets"]:
            if each["who"] == who:
                header, payload = unhex(each["header"]), unhex(each["payload"]) + bytes(each["padding"])
                size = (header[0] & 3) + 1
                packet = keys.seal(header, each["number"], size, payload)
                assert packet.hex() == each["packet"]
                assert keys.open(packet, len(header) - size, each["number"] - 1) == (header, each["number"], payload)
                assert keys.open(packet[:-1] + bytes([packet[-1] ^ 1]), len(header) - size, 0) is None
