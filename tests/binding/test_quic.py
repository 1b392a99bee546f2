"""QUIC packets from Python: `QuicKey`, `quic_seal`, `quic_open`, against the model."""

from __future__ import annotations

import gc
import random
from typing import Any

import numpy
import pytest
from cryptostitch import (
    Context,
    QuicKey,
    QuicPacket,
    QuicReceived,
    RuntimeFailure,
    quic_next_secret,
    quic_open,
    quic_retry_tag,
    quic_seal,
)
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_LENGTH, ERR_NAME, ERR_UNSUPPORTED
from quic_model import ALGORITHMS, Keys, initial_secrets, next_secret

SECRETS = {"aes-128-gcm": 32, "aes-256-gcm": 48, "chacha20-poly1305": 32}


def connection(algorithm: str, seed: int) -> tuple[Keys, QuicKey]:
    secret = random.Random(seed).randbytes(SECRETS[algorithm])
    return Keys.of(algorithm, 1, secret), QuicKey.from_secret(algorithm, secret)


@pytest.mark.parametrize("n", [0, 1, 40, 300])
def test_bursts(n: int) -> None:
    rng = random.Random(n)
    connections = [connection(ALGORITHMS[i % 3], i) for i in range(7)]
    wanted, packets, received = [], [], []
    for i in range(n):
        keys, key = rng.choice(connections)
        size, header = rng.randint(1, 4), bytes([0x40]) + rng.randbytes(rng.randrange(20))
        payload: Any = bytearray(rng.randbytes(rng.randrange(4, 1400)))
        wanted.append(keys.seal(header + bytes(size), 1000 + i, size, bytes(payload)))
        packets.append(QuicPacket(key, header, 1000 + i, numpy.frombuffer(payload, "u1") if i & 1 else payload, size))
        received.append(QuicReceived(key, wanted[-1], len(header), 999 + i))
    assert quic_seal(packets) == wanted
    for opened, packet in zip(quic_open(received), packets, strict=True):
        assert opened is not None and opened.key is packet.key
        assert (opened.number, opened.payload) == (packet.number, bytes(packet.payload))
        assert opened.header[1 : len(packet.header)] == packet.header[1:]
        opened.payload.clear()  # nothing holds it any more


def test_what_is_not_opened() -> None:
    keys, key = connection("chacha20-poly1305", 1)
    whole = keys.seal(b"\x40\0", 5, 1, bytes(50))
    opened = quic_open([(key, whole, 1, 4), (key, whole[:-1], 1, 4), (key, whole[:20], 1), (key, b"", 1)])
    assert opened[0] is not None and opened[1:] == [None] * 3
    assert (key.failed, key.sealed, key.most_sealed, key.most_failed) == (1, 0, None, 1 << 36)


def test_key_update() -> None:
    secret = bytes(range(32))
    following = quic_next_secret("aes-128-gcm", secret)
    assert following == next_secret("aes-128-gcm", 1, secret)
    key = QuicKey.from_secret("aes-128-gcm", secret)
    updated = QuicKey.from_secret("aes-128-gcm", following, before=key)
    hp, its = Keys.of("aes-128-gcm", 1, secret).hp, Keys.of("aes-128-gcm", 1, following)
    packet = Keys("aes-128-gcm", its.key, its.iv, hp).seal(b"\x44abc\0\0", 9, 2, b"a payload")
    for next_, phase, by in ((updated, 0, updated), (None, 0, None), (None, 1, None)):
        (opened,) = quic_open([QuicReceived(key, packet, 4, 8, key, next_, phase, phase_first=0)])
        assert (opened and opened.key) is by
    assert key.failed == updated.failed == 2 and updated.most_sealed == 1 << 23


def test_initial_and_retry() -> None:
    for version in (1, 0x6B3343CF):
        for key, secret in zip(
            QuicKey.initial(b"12345678", version), initial_secrets(version, b"12345678"), strict=True
        ):
            packet = Keys.of("aes-128-gcm", version, secret).seal(b"\xc0abc\0", 0, 1, b"hello")
            (sealed,) = quic_seal([(key, b"\xc0abc", 0, b"hello", 1)])
            assert sealed == packet
    retry = bytes.fromhex("ff000000010008f067a5502a4262b5746f6b656e04a265ba2eff4d829058fb3f0f2496ba")
    assert quic_retry_tag(bytes.fromhex("8394c8f03e515708"), retry[:-16]) == retry[-16:]


def test_errors_say_what_is_wrong() -> None:
    _, key = connection("aes-128-gcm", 1)
    other = QuicKey("aes-128-gcm", bytes(16), bytes(12), bytes(16), context=Context())
    good = QuicPacket(key, b"@", 1, b"text")
    for packets, code, words in (
        ([good, good._replace(payload=b"", number_len=3)], ERR_LENGTH, "packet 1: number and payload have 3 bytes"),
        ([good._replace(header=b"")], ERR_LENGTH, "packet 0: a header before the number is wanted"),
        ([good._replace(number=1 << 62)], ERR_ARGUMENT, "packet 0: .* below 2\\^62"),
        ([good, good._replace(key=other)], ERR_ARGUMENT, "packet 1: its key is of another context"),
    ):
        with pytest.raises(RuntimeFailure, match=words) as failure:
            quic_seal(packets)
        assert failure.value.code == code
    with pytest.raises(RuntimeFailure, match="packet 0: phase is 0 or 1"):
        quic_open([QuicReceived(key, bytes(50), 1, phase=2)])
    for made, code in (
        (lambda: QuicKey.from_secret("aes-192-gcm", bytes(32)), ERR_NAME),
        (lambda: QuicKey.from_secret("aes-128-gcm", bytes(48)), ERR_LENGTH),
        (lambda: QuicKey.from_secret("aes-128-gcm", bytes(32), version=2), ERR_UNSUPPORTED),
        (lambda: QuicKey.from_secret("aes-256-gcm", bytes(48), before=key), ERR_ARGUMENT),
        (lambda: QuicKey("aes-128-gcm", bytes(16), bytes(11), bytes(16)), ERR_LENGTH),
    ):
        with pytest.raises(RuntimeFailure) as failure:
            made()
        assert failure.value.code == code
    with pytest.raises(RuntimeFailure, match="packet 0: .*largest below"):
        quic_open([QuicReceived(key, bytes(50), 1, largest=(1 << 64) - 1)])
    for bad, error in (
        (good._replace(header=memoryview(bytes(8))[::2]), BufferError),
        (good._replace(key=1), TypeError),
    ):
        with pytest.raises(error) as failure:
            quic_seal([good, bad])
        assert failure.value.__notes__ == ["packet 1"]
    key.close()
    with pytest.raises(RuntimeFailure, match="closed"):
        quic_seal([good])


def test_keys_outlive_those_that_they_follow() -> None:
    _, key = connection("chacha20-poly1305", 3)
    updated = QuicKey.from_secret("chacha20-poly1305", bytes(32), before=key)
    key.close()
    del key
    gc.collect()
    assert quic_open([(updated, bytes(60), 1)]) == [None] and updated.failed == 1
