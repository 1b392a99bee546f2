"""TLS records good and bad against an oracle of our own (tls_oracle.py), many in one burst: every padding, every fault,
every length."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cryptostitch.binding.runtime import ERR_AUTH, ERR_LENGTH, NOT_RUN, OPEN, SEAL, Context, Job, RuntimeFailure
from cryptostitch.ladder import oracle
from engine.records import AT_ONCE, MARGIN, SUITES, Connection, Record
from jobs.samples import LONG
from jobs.tls_oracle import BLOCK, MAC_BYTES, MOST_PADDING, MOST_TEXT

LENGTHS = (*range(301), MOST_TEXT - 17, MOST_TEXT - 1, MOST_TEXT)
MOST_RECORD = MOST_TEXT + 2048


@pytest.fixture(params=SUITES)
def connection(request: pytest.FixtureRequest, host: Context) -> Connection:
    return Connection(host, request.param)


def test_no_suite_is_left_out(host: Context) -> None:
    assert sorted(SUITES) == [name for name in host.suites() if oracle.meaning(name).kind == "tls"]


def changed(content: bytes, at: int, by: int) -> bytes:
    return content[:at] + bytes([content[at] ^ by]) + content[at + 1 :]


@pytest.mark.parametrize("in_place", [False, True])
def test_seal_every_length(connection: Connection, in_place: bool) -> None:
    tls, rng = connection.tls, connection.rng
    sealed: list[tuple[bytes, bytearray, Job]] = []
    for length in LENGTHS:
        iv, aad, text = rng.randbytes(16), connection.head(), rng.randbytes(length)
        right = tls.seal(iv, aad, text)
        assert len(right) - length <= connection.key.suite.expansion
        out = bytearray((text if in_place else b"").ljust(len(right), b"\x5a")) + MARGIN
        room = memoryview(out)
        job = Job(
            connection.key, SEAL, iv=iv, aad=aad, data=room[:length] if in_place else text, out=room[: len(right)]
        )
        sealed.append((right, out, job))
    assert connection.context.burst([job for *_, job in sealed]) == 0
    for (right, out, job), length in zip(sealed, LENGTHS):
        assert job.status == 0 and job.out_len == len(right), length
        assert bytes(out) == right + MARGIN, length


def test_open_every_length(connection: Connection) -> None:
    rng = connection.rng
    connection.judge([connection.record(rng.randbytes(n), rng.choice(connection.tls.paddings(n))) for n in LENGTHS])


def test_one_record_alone(connection: Connection) -> None:
    rng, key = connection.rng, connection.key
    for length in (0, 1, 55, 64, 300, 5000):
        record = connection.record(rng.randbytes(length), rng.choice(connection.tls.paddings(length)))
        assert key.open(record.text, None, iv=record.iv, aad=record.aad) == connection.tls.open(
            record.iv, record.aad, record.text
        )
        with pytest.raises(RuntimeFailure):
            key.open(changed(record.text, 0, 1), None, iv=record.iv, aad=record.aad)


@pytest.mark.parametrize("least", [0, 40, 300, 1000] if LONG else [0, 300])
def test_every_padding(connection: Connection, least: int) -> None:
    """1 to 256 bytes of it, each behind the text that wants it."""
    records = []
    for length in range(least, least + BLOCK):
        records += [
            connection.record(connection.rng.randbytes(length), padding) for padding in connection.tls.paddings(length)
        ]
    assert len(records) == MOST_PADDING
    connection.judge(records)


def paddings_and_places() -> Iterator[tuple[int, int]]:
    """(bytes of padding, place of the wrong one, the last being the length). The quick form: all of the short ones, and
    of the rest the ends and a few."""
    for count in range(1, MOST_PADDING + 1):
        every = LONG or count in (1, 2, 15, 16, 17, 32, 33, 64, 65, 255, 256)
        yield from (
            (count, at)
            for at in (range(count) if every else {0, count // 2, (count * 7) % count, count - 2, count - 1})
        )


def test_every_wrong_padding_byte(connection: Connection) -> None:
    rng, records = connection.rng, []
    for count, at in paddings_and_places():
        length = (-count - connection.tls.mac_bytes) % BLOCK + BLOCK * rng.choice((0, 0, 1, 5, 20))
        padding = changed(bytes([count - 1]) * count, at, rng.choice((1, 0x80, rng.randrange(1, 256))))
        records.append(connection.record(rng.randbytes(length), padding, bad=f"byte {at} of {count} of padding"))
    rng.shuffle(records)
    connection.judge(records)


def test_every_value_of_the_padding_length(connection: Connection) -> None:
    """All the bytes say the same wrong number; only where it is the right one is the record good."""
    for blocks in (0, 1, 7, 16, 17, 40):
        records = []
        for value in range(256):
            length = blocks * BLOCK
            count = connection.tls.paddings(length)[0]
            good = value == count - 1
            records.append(
                connection.record(
                    connection.rng.randbytes(length),
                    bytes([value]) * count,
                    bad="" if good else f"{count} bytes of padding say {value}",
                )
            )
        connection.judge(records)


def test_padding_longer_than_the_record(connection: Connection) -> None:
    """Nothing but padding bytes, that leave no room for a MAC or not even for themselves."""
    tls, rng, records = connection.tls, connection.rng, []
    for size in range((tls.mac_bytes + BLOCK) // BLOCK * BLOCK, MOST_PADDING + 3 * BLOCK, BLOCK):
        for value in range(256):
            if value + 1 + tls.mac_bytes > size:
                iv, aad = rng.randbytes(16), connection.head()
                records.append(Record(iv, aad, tls.encrypt(iv, bytes([value]) * size), f"{size} bytes of {value}"))
    connection.judge(records)


def test_padding_over_the_mac(connection: Connection) -> None:
    """No text, and the padding covers some bytes of the MAC, from one to all of it."""
    tls, rng, records = connection.tls, connection.rng, []
    for missing in range(1, tls.mac_bytes + 1):
        for padding in range(1, MOST_PADDING + 1):
            size = tls.mac_bytes - missing + padding
            if size % BLOCK == 0 and size > tls.mac_bytes:
                aad, iv = connection.head(), rng.randbytes(16)
                plain = tls.mac(aad, b"")[: tls.mac_bytes - missing] + bytes([padding - 1]) * padding
                records.append(Record(iv, aad, tls.encrypt(iv, plain), f"{missing} bytes of the MAC are padding"))
    connection.judge(records)


def test_every_wrong_mac_byte(connection: Connection) -> None:
    tls, rng, records = connection.tls, connection.rng, []
    for length in (0, 1, 16, 55, 64, 200, 1500):
        paddings = tls.paddings(length)
        for padding in paddings if LONG else {paddings[0], paddings[-1], rng.choice(paddings)}:
            for at in range(tls.mac_bytes):
                for bit in range(8) if LONG else (rng.randrange(8),):
                    text, aad, iv = rng.randbytes(length), connection.head(), rng.randbytes(16)
                    mac = changed(tls.mac(aad, text), at, 1 << bit)
                    records.append(
                        Record(
                            iv,
                            aad,
                            tls.seal(iv, aad, text, padding, mac),
                            f"bit {bit} of byte {at} of the MAC behind {length} bytes",
                        )
                    )
    rng.shuffle(records)
    connection.judge(records)


def test_both_wrong(connection: Connection) -> None:
    rng, records = connection.rng, []
    for length in range(0, 300, 7):
        padding = rng.choice(connection.tls.paddings(length))
        wrong = changed(bytes([padding - 1]) * padding, rng.randrange(padding), 0xFF)
        records.append(
            connection.record(rng.randbytes(length), wrong, rng.randbytes(connection.tls.mac_bytes), "padding and MAC")
        )
    connection.judge(records)


def test_every_bit_outside_the_record(connection: Connection) -> None:
    """Of IV and AAD; the former changes text, or MAC, or padding where there is no text."""
    for length in (0, 100):
        records = []
        for name, size in (("iv", 16), ("aad", 11)):
            for bit in range(8 * size):
                record = connection.record(connection.rng.randbytes(length), bad=f"bit {bit} of the {name}")
                setattr(record, name, changed(getattr(record, name), bit // 8, 1 << bit % 8))
                records.append(record)
        connection.judge(records)


def test_every_byte_of_the_ciphertext(connection: Connection) -> None:
    for length, padding in ((0, 0), (100, 0), (30, 200)):
        padding = padding and next(n for n in connection.tls.paddings(length) if n >= padding)
        whole = connection.record(connection.rng.randbytes(length), padding)
        connection.judge(
            [whole]
            + [
                Record(
                    whole.iv,
                    whole.aad,
                    changed(whole.text, at, 1 << connection.rng.randrange(8)),
                    f"byte {at} of the ciphertext",
                )
                for at in range(len(whole.text))
            ]
        )


def test_truncated(connection: Connection) -> None:
    """By blocks, by other numbers of bytes, to less than a MAC and padding: one error for all."""
    whole = connection.record(connection.rng.randbytes(700))
    least = (connection.tls.mac_bytes + BLOCK) // BLOCK * BLOCK
    connection.judge(
        [
            Record(whole.iv, whole.aad, whole.text[:n], f"{len(whole.text) - n} bytes cut off")
            for n in range(least, len(whole.text), BLOCK)
        ]
    )
    connection.judge(
        [
            Record(whole.text[n - BLOCK : n], whole.aad, whole.text[n:], f"{n} bytes cut off the head")
            for n in range(BLOCK, len(whole.text) - least + 1, BLOCK)
        ]
    )
    for n in [*range(0, least), *range(least + 1, least + BLOCK), len(whole.text) - 1]:
        with pytest.raises(RuntimeFailure) as failure:
            connection.key.open(whole.text[:n], None, iv=whole.iv, aad=whole.aad)
        assert failure.value.code == ERR_AUTH, n


def test_longest(connection: Connection) -> None:
    tls, rng = connection.tls, connection.rng
    text = rng.randbytes(MOST_TEXT)
    connection.judge([connection.record(text, padding) for padding in tls.paddings(MOST_TEXT)])
    connection.judge(
        [
            connection.record(text, changed(bytes([n - 1]) * n, 0, 1), bad=f"the first of {n} bytes of padding")
            for n in tls.paddings(MOST_TEXT)
        ]
    )
    noise = [
        Record(rng.randbytes(16), connection.head(), rng.randbytes(size), "noise")
        for size in (MOST_RECORD - BLOCK, MOST_RECORD)
    ]
    connection.judge(noise)
    for direction, size, code in ((OPEN, MOST_RECORD + BLOCK, ERR_AUTH), (SEAL, MOST_TEXT + 1, ERR_LENGTH)):
        job = Job(
            connection.key,
            direction,
            iv=bytes(16),
            aad=connection.head(),
            data=bytes(size),
            out=bytearray(b"\x5a" * (size + 64)),
        )
        assert connection.context.burst([job]) == job.status == code
        assert job.out == (bytes(size) if direction == OPEN else b"\x5a" * size) + b"\x5a" * 64


@pytest.mark.parametrize(
    "name,size",
    [("iv", 0), ("iv", 15), ("iv", 17), ("aad", 0), ("aad", 10), ("aad", 12), ("aad", 13), ("tag", 1), ("tag", 20)],
)
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_lengths_that_tls_does_not_have(connection: Connection, name: str, size: int, direction: int) -> None:
    """The record is refused, and no other of the burst is begun."""
    good = connection.record(bytes(64))
    arguments = {"iv": good.iv, "aad": good.aad, "data": good.text, "out": bytearray(len(good.text) + 64)}
    jobs = [Job(connection.key, direction, **{**arguments, "out": bytearray(len(good.text) + 64)}) for _ in range(3)]
    setattr(jobs[1], name, bytearray(size) or None)
    assert connection.context.burst(jobs) == ERR_LENGTH
    assert [job.status for job in jobs] == [NOT_RUN, ERR_LENGTH, NOT_RUN] and not any(any(job.out) for job in jobs)


def test_good_and_bad_of_many_connections(host: Context) -> None:
    """All suites and several keys in one burst."""
    connections = [Connection(host, suite, seed) for suite in SUITES for seed in range(3)]
    rng = connections[0].rng
    for n in (3, 16, 47, AT_ONCE):
        jobs, wanted = [], []
        for _ in range(n):
            connection = rng.choice(connections)
            text = rng.randbytes(rng.choice((0, 16, 63, 64, rng.randrange(2000))))
            record = connection.record(text, rng.choice(connection.tls.paddings(len(text))))
            if rng.random() < 0.4:
                record.text = changed(record.text, rng.randrange(len(record.text)), 1 << rng.randrange(8))
            jobs.append(
                Job(
                    connection.key,
                    OPEN,
                    iv=record.iv,
                    aad=record.aad,
                    data=record.text,
                    out=bytearray(b"\x5a" * len(record.text)),
                )
            )
            wanted.append(connection.tls.open(record.iv, record.aad, record.text))
        host.burst(jobs)
        for job, text in zip(jobs, wanted):
            assert (job.status == 0) == (text is not None)
            assert bytes(job.out) == (text or b"").ljust(len(job.out), b"\0") and job.out_len == len(text or b"")


def test_the_oracle_knows_good_from_bad(connection: Connection) -> None:
    """A record written out by hand: the oracle's sealer and opener are not only each other's mirror."""
    import hashlib

    tls = connection.tls
    block = hashlib.new(tls.hash).block_size
    key = (tls.mac_key if len(tls.mac_key) <= block else hashlib.new(tls.hash, tls.mac_key).digest()).ljust(
        block, b"\0"
    )
    message = bytes(7) + b"\x05" + b"\x17\x03\x03" + b"\x00\x05" + b"hello"
    inner = hashlib.new(tls.hash, bytes(b ^ 0x36 for b in key) + message).digest()
    mac = hashlib.new(tls.hash, bytes(b ^ 0x5C for b in key) + inner).digest()
    plain = b"hello" + mac + bytes([15 - (5 + MAC_BYTES[tls.hash]) % 16]) * (16 - (5 + MAC_BYTES[tls.hash]) % 16)
    assert tls.decrypt(bytes(16), tls.seal(bytes(16), message[:11], b"hello")) == plain
    assert tls.open(bytes(16), message[:11], tls.encrypt(bytes(16), plain)) == b"hello"
    assert connection.key.open(tls.encrypt(bytes(16), plain), None, iv=bytes(16), aad=message[:11]) == b"hello"
