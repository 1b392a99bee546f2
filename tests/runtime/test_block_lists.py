"""AES-CTR and AES-GCM on kernels that take lists of jobs and do not mask bytes: all lengths about those that they take,
in place too, AADs that they do not take, other jobs beside, forged tags; and a tier that has no others."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptostitch.binding.runtime import ERR_AUTH, OPEN, SEAL, Context, Job, Key, RawKernel, RuntimeFailure

TIER = "sse_aesni"
KERNELS = {
    f"aes{bits}_{kind}@{TIER}": (f"aes-{bits}-{mode}", OPEN if "_dec_" in kind else SEAL)
    for bits in (128, 192, 256)
    for mode, kinds in {
        "ctr": ("ctr_block_list_x1_by1",),
        "gcm": [f"gcm_{way}_{form}" for way in ("enc", "dec") for form in ("block_list_x1_by1", "stride_list_x1")],
    }.items()
    for kind in kinds
}
LENGTHS = (*range(1, 150), *range(250, 262), *range(500, 530), 1000, 1024, 1472, 4096, 16_385, 65_535, 65_536, 65_537)


class Message:
    """A job with its right answer. A text is in the middle of a buffer whose other bytes must stay as they are; out is
    another, or the same."""

    def __init__(
        self, key: Key, secret: bytes, direction: int, length: int, aad: int, rng: random.Random, in_place: bool
    ):
        text = rng.randbytes(length)
        self.gcm = key.suite.name.endswith("-gcm")
        iv = rng.randbytes(12) + (b"" if self.gcm else bytes(3) + rng.randbytes(1))
        aads = rng.randbytes(aad) if self.gcm else None
        if self.gcm:
            sealed = AESGCM(secret).encrypt(iv, text, aads)
            sealed, self.tag = sealed[:-16], sealed[-16:]
        else:
            cipher = Cipher(algorithms.AES(secret), modes.CTR(iv)).encryptor()
            sealed, self.tag = cipher.update(text), b""
        given, self.wanted = (text, sealed) if direction == SEAL else (sealed, text)
        before = rng.randrange(40)
        room = bytearray(b"~" * before + given + b"~" * 40)
        other = room if in_place else bytearray(b"~" * len(room))
        self.room, self.place = other, slice(before, before + length)
        tag = None if not self.gcm else bytearray(16 if direction == SEAL else self.tag)
        self.job = Job(
            key,
            direction,
            iv=iv,
            aad=aads or None,
            data=memoryview(room)[self.place],
            out=memoryview(other)[self.place],
            tag=tag,
        )

    def check(self) -> None:
        assert (self.job.status, self.job.out_len) == (0, len(self.wanted))
        assert self.room[self.place] == self.wanted
        assert not self.gcm or bytes(self.job.tag) == self.tag
        assert set(self.room[: self.place.start] + self.room[self.place.stop :]) <= {ord("~")}


class Forced:
    def __init__(self, context: Context, name: str):
        self.context, self.name = context, name
        self.suite, self.direction = KERNELS[name]
        self.kernel: RawKernel = context.kernel(name)
        self.secret = bytes(range(int(self.suite[4:7]) // 8))
        self.key: Key = context.suite(self.suite).key(self.secret, None)
        self.least = 65 if "stride" in name else 17
        self.most = 512 if "_gcm_" in name and "block" in name else 65_536

    def messages(self, lengths: tuple[int, ...], aad: int, in_place: bool) -> list[Message]:
        rng = random.Random(repr((lengths, aad)))
        return [Message(self.key, self.secret, self.direction, length, aad, rng, in_place) for length in lengths]

    def run(self, lengths: tuple[int, ...], aad: int, in_place: bool = False) -> int:
        """Runs a burst; returns how many of its jobs the kernel ran."""
        messages, before = self.messages(lengths, aad, in_place), self.kernel.calls()
        self.context.burst([message.job for message in messages])
        for message in messages:
            message.check()
        return self.kernel.calls() - before


@pytest.fixture(params=KERNELS)
def tested(request: pytest.FixtureRequest, shared_context: Context) -> Iterator[Forced]:
    try:
        found = Forced(shared_context, request.param)
    except RuntimeFailure:
        pytest.skip("no AES-NI")
    shared_context.force(found.suite, found.name)
    yield found
    shared_context.force(found.suite, None)


@pytest.mark.parametrize("in_place", [False, True])
def test_every_length(tested: Forced, in_place: bool) -> None:
    for length in LENGTHS:
        taken = tested.least <= length <= tested.most
        for n in (1, 3):
            assert tested.run(n * (length,), 12, in_place) == n * taken, length


def test_other_lengths_beside(tested: Forced) -> None:
    rng = random.Random(1)
    for n in (2, 7, 64, 65, 200):
        lengths = tuple(rng.randrange(1, 1500) for _ in range(n))
        assert tested.run(lengths, 8, n % 2 > 0) == sum(tested.least <= m <= tested.most for m in lengths)


@pytest.mark.parametrize("tested", [name for name in KERNELS if "_gcm_" in name], indirect=True)
def test_every_aad(tested: Forced) -> None:
    for aad in (*range(40), 48, 49, 200):
        lengths = (65, 100, 333)
        assert tested.run(lengths, aad) == len(lengths) * (8 <= aad <= 16), aad
        assert tested.run(lengths[:1], aad) == (8 <= aad <= 16), aad


@pytest.mark.parametrize("wrong", [*range(0, 128, 9), None])
@pytest.mark.parametrize("tested", [name for name, its in KERNELS.items() if its[1] == OPEN], indirect=True)
def test_forged(tested: Forced, wrong: int | None) -> None:
    messages = tested.messages((70, 100, 200, 16, 400), 13, True)
    if wrong is not None:
        messages[1].job.tag[wrong // 8] ^= 1 << wrong % 8
    tested.context.burst([message.job for message in messages])
    assert [message.job.status for message in messages] == [0, ERR_AUTH * (wrong is not None), 0, 0, 0]
    if wrong is not None:
        assert bytes(messages[1].room[messages[1].place]) == bytes(100)


@pytest.mark.parametrize("mode", ["ctr", "gcm"])
def test_the_tier_takes_lists(mode: str) -> None:
    """Where bytes are not masked, texts run on these kernels."""
    try:
        context = Context(target=TIER)
    except RuntimeFailure:
        pytest.skip("no AES-NI")
    suite = context.suite(f"aes-128-{mode}")
    for direction in (SEAL, OPEN):
        assert "_list_" in suite.choice(64, 64, True, direction).kernel
        assert "_list_" in suite.choice(1, 64, True, direction).kernel
        assert "_list_" not in suite.choice(64, 16, True, direction).kernel
