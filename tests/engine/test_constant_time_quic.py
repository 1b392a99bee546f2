"""What the protection of QUIC packets tells by its time: lengths, that of the packet number among them, and which
packets were opened. Every instruction and every address of whole calls is compared (stepped.py)."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest
from cryptostitch.binding.capi import (
    ERR_AUTH,
    OK,
    QUIC_KEY_BYTES,
    QUIC_SECRET_BYTES,
    QuicPacketStruct,
    QuicReceivedStruct,
)
from cryptostitch.binding.runtime import Context
from engine.entries import address
from engine.stepped import shared
from engine.test_constant_time import Judge, Stepped, changed, traced
from jobs.samples import LONG
from quic_calls import Quic
from quic_model import Keys

STRIDE, AT, TEXT = 1024, 9, 60


class Scene:
    """Packets whose buffers stay where they are while their contents change, in place."""

    def __init__(self, context: Context, struct: Any, function: Any, n: int):
        self.memory = shared(4096 + STRIDE * n)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.structs = (struct * n).from_buffer(self.memory)
        self.call = lambda: function(context.handle, self.structs, n)
        self.function = address(function)

    def place(self, i: int) -> int:
        return 4096 + STRIDE * i + 64

    def put(self, i: int, content: bytes, **members: Any) -> None:
        self.memory[self.place(i) : self.place(i) + len(content)] = content
        self.structs[i].size = ctypes.sizeof(self.structs[i])
        for name, value in members.items():
            setattr(self.structs[i], name, value)

    def stepped(self) -> Stepped:
        """The call is made once before the child copies this process: it assembles the kernels."""
        self.call()
        return traced(self.function, self.call)

    def outcome(self) -> tuple[tuple[int, int], ...]:
        return tuple((struct.status, 0) for struct in self.structs)


def secret_keys(quic: Quic, algorithm: str, rng: random.Random) -> tuple[Keys, int]:
    secret = rng.randbytes(QUIC_SECRET_BYTES[algorithm])
    return Keys.of(algorithm, 1, secret), quic.from_secret(algorithm, 1, secret)


@pytest.mark.parametrize("n, size", [(1, 4), (3, 1), *([(9, 1)] if LONG else [])])
@pytest.mark.parametrize("algorithm", QUIC_KEY_BYTES)
def test_opening(host: Context, algorithm: str, n: int, size: int) -> None:
    """Packets of one length with packet numbers of one length: numbers that wrap or do not, masks and payloads, what is
    wrong with one, and whether its key phase is one that has no key."""
    rng, quic = random.Random(f"{algorithm} {size} {n}"), Quic(host)
    keys, key = secret_keys(quic, algorithm, rng)
    scene = Scene(host, QuicReceivedStruct, host.lib.cst_quic_open, n)
    window = 1 << 8 * size

    def packet(number: int) -> bytes:
        header = bytes([0x40 | rng.randrange(2) << 5]) + rng.randbytes(AT - 1) + bytes(size)
        return keys.seal(header, number, size, rng.randbytes(TEXT))

    def put(i: int, content: bytes, largest: int = 10 * window) -> None:
        members = {"in": scene.base + scene.place(i), "out": scene.base + scene.place(i), "in_len": len(content)}
        scene.put(
            i, content, key=key, number_at=AT, out_cap=len(content), expected=largest + 1, **members
        )  # fmt: skip

    for i in range(n):
        put(i, packet(10 * window + 1))
    with scene.stepped() as stepped:
        judge = Judge(stepped)

        def add(name: str, content: bytes, largest: int = 10 * window) -> None:
            for i in range(n):
                put(i, packet(10 * window + 1 + i % 100))
            put(n // 2, content, largest)
            trace = stepped.trace()
            judge.add(name, scene.outcome(), trace)

        for number in (10 * window, 10 * window - 100, 10 * window + 100, 3 * window, 0, (1 << 62) - 1):
            largest = max(number - rng.randrange(1, window // 2), 0)
            add(f"number {number} after {largest}", packet(number), largest)
        good = scene.outcome()
        assert {status for status, _ in good} == {OK}
        whole = packet(10 * window + 1)
        add("forged tag", changed(whole, -1, 0x80))
        add("forged text", changed(whole, AT + 25))  # behind the sample
        add("forged connection", changed(whole, 3))
        add("another number", packet(11 * window + 1))
        beyond = keys.seal(bytes([0x40]) + bytes(AT - 1 + size), (1 << 62) + 1, size, bytes(TEXT))
        add("a number beyond all", changed(beyond, -1), (1 << 62) - 1)
        add("a key phase without a key", changed(whole, 0, 4))
        assert len(judge.first) == 2
        assert [status for status, _ in scene.outcome()].count(ERR_AUTH) == 1


@pytest.mark.parametrize("n", [1, 9] if LONG else [3])
@pytest.mark.parametrize("algorithm", QUIC_KEY_BYTES)
def test_sealing(host: Context, algorithm: str, n: int) -> None:
    rng, quic = random.Random(f"{algorithm} {n}"), Quic(host)
    _, key = secret_keys(quic, algorithm, rng)
    scene = Scene(host, QuicPacketStruct, host.lib.cst_quic_seal, n)

    def put(i: int, content: bytes) -> None:
        at = scene.base + scene.place(i)
        members = {"in": at + AT + 2, "out": at + AT + 2, "header": at, "header_len": AT + 2}
        scene.put(
            i, content, key=key, number=rng.getrandbits(62), number_len=2, in_len=TEXT, out_cap=TEXT + 16, **members
        )  # fmt: skip

    for i in range(n):
        put(i, bytes([0x40]) + bytes(AT + 1 + TEXT))
    with scene.stepped() as stepped:
        judge = Judge(stepped)
        for name in ("one", "two", "three"):
            for i in range(n):
                put(i, bytes([rng.randrange(64, 256)]) + rng.randbytes(AT + 1 + TEXT))
            judge.add(name, scene.outcome()[:0], stepped.trace())
        assert len(judge.first) == 1 and {struct.status for struct in scene.structs} == {OK}
