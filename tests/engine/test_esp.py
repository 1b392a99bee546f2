"""ESP packets against an oracle of our own (esp_oracle.py), many in one burst, with short and extended sequence
numbers."""

from __future__ import annotations

import random

import pytest
from cryptostitch.binding.runtime import ERR_AUTH, ERR_LENGTH, NOT_RUN, OPEN, SEAL, Context, Job, Key
from cryptostitch.ladder import oracle
from jobs.esp_oracle import ICV_BYTES, XCBC_SUITE, Esp, Header
from jobs.memory import GAP

SUITES = [
    f"aes-{bits}-cbc+hmac-{hash_}-{8 * size}" for bits in (128, 192, 256) for hash_, size in ICV_BYTES.items()
] + [XCBC_SUITE]
LENGTHS = (*range(0, 321, 16), 1408, 1504, 9008, 65520)
CANARY = b"\xc5" * GAP


class Association:
    """Keys, and the headers that follow each other; extended sequence numbers pass from one high half to the next."""

    def __init__(self, context: Context, suite: str):
        self.rng = random.Random(suite)
        self.context = context
        key, mac_key = oracle.secrets(self.rng, suite)
        self.esp = Esp.of(suite, key, mac_key)
        self.key: Key = context.suite(suite).key(key, mac_key)
        self.spi, self.sequence = self.rng.randrange(1 << 32), (7 << 32) - 3

    def header(self, extended: bool) -> Header:
        self.sequence += 1
        return Header(self.spi, self.sequence if extended else self.sequence & 0xFFFFFFFF, extended)

    def opens(self, iv: bytes, aad: bytes, text: bytes, icv: bytes) -> tuple[Job, bytearray]:
        out = bytearray(b"\x5a" * len(text)) + CANARY
        return Job(self.key, OPEN, iv=iv, aad=aad, data=text, out=memoryview(out)[: len(text)], tag=icv), out


@pytest.fixture(params=SUITES)
def association(request: pytest.FixtureRequest, host: Context) -> Association:
    return Association(host, request.param)


def changed(content: bytes, bit: int) -> bytes:
    return content[: bit // 8] + bytes([content[bit // 8] ^ 1 << bit % 8]) + content[bit // 8 + 1 :]


def test_no_suite_is_left_out(host: Context) -> None:
    assert sorted(SUITES) == [name for name in host.suites() if oracle.meaning(name).kind == "esp"]


@pytest.mark.parametrize("extended", [False, True], ids=["32 bits", "64 bits"])
def test_every_length(association: Association, extended: bool) -> None:
    esp, rng = association.esp, association.rng
    packets = []
    for length in LENGTHS:
        header, iv, payload = association.header(extended), rng.randbytes(16), rng.randbytes(length)
        packets.append((header, iv, payload, *esp.seal(header, iv, payload)))
    outs = [
        bytearray(payload if at % 2 else bytes(len(payload))) + CANARY for at, (_, _, payload, *_) in enumerate(packets)
    ]
    tags = [bytearray(esp.icv_bytes) + CANARY for _ in packets]
    jobs = []
    for at, ((header, iv, payload, text, _), out, tag) in enumerate(zip(packets, outs, tags)):
        room = memoryview(out)[: len(text)]
        jobs.append(
            Job(
                association.key,
                SEAL,
                iv=iv,
                aad=header.aad(),
                data=room if at % 2 else payload,
                out=room,
                tag=memoryview(tag)[: esp.icv_bytes],
            )
        )
    assert association.context.burst(jobs) == 0
    for (_, _, _, text, icv), job, out, tag in zip(packets, jobs, outs, tags):
        assert (job.status, job.out_len, bytes(out), bytes(tag)) == (0, len(text), text + CANARY, icv + CANARY), len(
            text
        )
    opened = [association.opens(iv, header.aad(), text, icv) for header, iv, _, text, icv in packets]
    assert association.context.burst([job for job, _ in opened]) == 0
    for (_, _, payload, *_), (job, out) in zip(packets, opened):
        assert (job.status, job.out_len, bytes(out)) == (0, len(payload), payload + CANARY)


@pytest.mark.parametrize("extended", [False, True], ids=["32 bits", "64 bits"])
def test_every_bit_of_a_packet(association: Association, extended: bool) -> None:
    """One bit of SPI, sequence number, IV, ciphertext or ICV is another: refused, and zeros. In one burst with good
    packets."""
    header, iv = association.header(extended), association.rng.randbytes(16)
    text, icv = association.esp.seal(header, iv, association.rng.randbytes(32))
    whole = iv, header.aad(), text, icv
    packets = [whole]
    for part, content in enumerate(whole):
        for bit in range(8 * len(content)):
            packets.append((*whole[:part], changed(content, bit), *whole[part + 1 :]))
            if bit % 50 == 0:
                packets.append(whole)
    opened = [association.opens(*packet) for packet in packets]
    assert association.context.burst([job for job, _ in opened]) == ERR_AUTH
    for (iv, aad, text, icv), (job, out) in zip(packets, opened):
        right = association.esp.open(Header.of(aad), iv, text, icv)
        assert (right is None) == ((iv, aad, text, icv) != whole)
        assert job.status == (ERR_AUTH if right is None else 0)
        assert job.out_len == len(right or b"") and bytes(out) == (right or bytes(len(text))) + CANARY


def test_the_high_half_is_behind_the_ciphertext(association: Association) -> None:
    """Not in front of the IV, not left out, and not taken where the number is short."""
    esp, rng = association.esp, association.rng
    header, iv = association.header(True), rng.randbytes(16)
    short = Header(header.spi, header.sequence & 0xFFFFFFFF)
    text, icv = esp.seal(header, iv, rng.randbytes(48))
    other = association.esp.icv(short, header.behind_packet() + iv, text)
    packets = [
        (header.aad(), icv, 0),
        (short.aad(), icv, ERR_AUTH),
        (header.aad(), esp.icv(short, iv, text), ERR_AUTH),
        (header.aad(), other, ERR_AUTH),
        (short.aad(), esp.icv(short, iv, text), 0),
    ]
    opened = [association.opens(iv, aad, text, tag)[0] for aad, tag, _ in packets]
    association.context.burst(opened)
    assert [job.status for job in opened] == [status for *_, status in packets]


@pytest.mark.parametrize(
    "name,sizes",
    [
        ("aad", (0, 1, 7, 9, 10, 11, 13, 16)),
        ("tag", (0, 10, 11, 13, 15, 17, 20, 23, 25, 31, 33, 48)),
        ("iv", (0, 8, 15, 17)),
        ("data", (1, 15, 17)),
    ],
)
@pytest.mark.parametrize("direction", [SEAL, OPEN], ids=["seal", "open"])
def test_lengths_that_esp_does_not_have(
    association: Association, name: str, sizes: tuple[int, ...], direction: int
) -> None:
    """Of what is opened, the length of the data is the peer's affair: a forgery."""
    for size in sizes:
        jobs = [
            Job(
                association.key,
                direction,
                iv=bytes(16),
                aad=bytes(8),
                data=bytes(16),
                out=bytearray(32),
                tag=bytearray(association.esp.icv_bytes),
            )
            for _ in range(2)
        ]
        setattr(jobs[1], name, bytearray(size) or None)
        if (name, direction) == ("data", OPEN):
            assert association.context.burst(jobs) == ERR_AUTH, size
            assert [job.status for job in jobs] == [ERR_AUTH, ERR_AUTH] and not any(jobs[0].out + jobs[1].out)
            continue
        assert association.context.burst(jobs) == ERR_LENGTH, size
        assert [job.status for job in jobs] == [NOT_RUN, ERR_LENGTH] and not any(jobs[0].out) and not any(jobs[1].out)
