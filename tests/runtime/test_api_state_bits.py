"""States of parts that their caller has changed: whatever bit of one is flipped, a call with it returns, reads and
writes nothing outside of its buffers, and where it refuses the state it writes nothing at all. (Not the key in it: that
is compared with the part's.)"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from api_table.hostile import run
from built import suite_names
from cryptostitch.binding.capi import (
    ERR_ARGUMENT,
    ERR_AUTH,
    ERR_LENGTH,
    OK,
    OPEN,
    SEAL,
    STATE_BYTES,
    PartStruct,
    TextPartStruct,
)
from cryptostitch.binding.runtime import Context, Key
from cryptostitch.ladder import oracle
from jobs.memory import Guarded
from jobs.samples import LONG

DIGESTS = [name for name in suite_names() if oracle.meaning(name).kind in ("digest", "mac", "tree_mac")]
OF_EACH_KIND = (
    *(
        "sha256",
        "hmac-sha512",
        "sha3-256",
        "hmac-sha3-512",
        "shake128",
        "blake2b-512",
        "blake2s-256",
        "crc32c",
        "adler32",
    ),
    *("blake3", "blake3-keyed", "mh-sha1", "mh-sha256", "mh-sha1+murmur3-x64-128", "md5+sha256", "sha256+crc32c"),
)
TEXTS = ("aes-128-gcm", "chacha20-poly1305")
KEY_BYTES = 8
"""In front of a state is the key's address."""
PIECE = 5000
"""Bytes of a part that follows a flipped bit: several chunks of BLAKE3."""
MOMENTS: dict[str, tuple[int, ...]] = {
    "before the first part": (),
    "behind nothing": (0,),
    "within a block": (33,),
    "behind some chunks": (7 * 1024 + 5,),
    "behind chunks one by one": (1024, 1024, 1024, 1024),
}
TEXT_MOMENTS: dict[str, tuple[int, tuple[int, ...], tuple[int, ...]]] = {  # bytes of IV; of AAD; of text
    "before the first part": (12, (), ()),
    "behind the IV": (12, (0,), ()),
    "behind some AAD": (12, (5, 8), ()),
    "behind long AAD": (12, (200, 3), ()),
    "behind another IV": (16, (5,), ()),
    "behind a part": (12, (5,), (100,)),
    "behind whole blocks": (12, (), (64, 48)),
    "within a block": (12, (7,), (33, 600, 5)),
}


@dataclass
class Under:
    """A message under way, in guarded memory whose pages end with the state or begin with it."""

    key: Key
    struct: Any
    call: Callable[..., int]
    memory: Guarded
    direction: int | None = None
    iv: bytes = b""
    tag_len: int = 0
    begun: bool = False
    buffers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.memory.clear()
        fill = random.Random(1).randbytes(PIECE + 4096)
        for name, content, writable in (
            ("state", bytes(STATE_BYTES), True),
            ("in", fill, False),
            ("out", bytes(len(fill)), True),
            ("tag", bytes(self.tag_len), True),
            ("iv", self.iv, False),
        ):
            self.buffers[name] = self.memory.put(content, writable=writable)

    def part(self, size: int, aad: int = 0, last: bool = False) -> int:
        part: Any = self.struct(key=self.key.handle, state=self.buffers["state"], in_len=size, last=last)
        setattr(part, "in", self.buffers["in"])
        if self.direction is not None:
            part.direction, part.out, part.out_cap = self.direction, self.buffers["out"], size
            part.aad, part.aad_len = self.buffers["in"], aad
            if not self.begun:
                part.iv, part.iv_len = self.buffers["iv"], len(self.iv)
        if last:
            part.tag, part.tag_len = self.buffers["tag"], self.tag_len
        self.begun = True
        return self.call(ctypes.byref(part))

    def written(self) -> bytes:
        names = ("state", "out", "tag")
        sizes = (STATE_BYTES, PIECE + 4096, self.tag_len)
        return b"".join(ctypes.string_at(self.buffers[name], size) for name, size in zip(names, sizes))


def flipped_bits() -> list[int]:
    """Counts are in front; what is behind them has chaining values and waiting bytes for the most part."""
    front, all_bits = 8 * 256, 8 * STATE_BYTES
    return [*range(8 * KEY_BYTES, front), *range(front, all_bits, 1 if LONG else 61)]


def problems(make: Callable[[], Under], begin: Callable[[Under], None]) -> list[str]:
    bits = flipped_bits()
    made = make()
    begin(made)
    before, begun = ctypes.string_at(made.buffers["state"], STATE_BYTES), made.begun

    def each(at: int) -> list[str]:
        bit = bits[at]
        changed = bytearray(before)
        changed[bit // 8] ^= 1 << bit % 8
        found = []
        # The message goes on and ends; or it ends; or it goes on by single bytes.
        for sizes in ((PIECE, 70), (1,), (1, 1, 20, 0)):
            ctypes.memmove(made.buffers["state"], bytes(changed), STATE_BYTES)
            made.begun = begun
            for number, size in enumerate(sizes, 1):
                seen = made.written()
                code = made.part(size, last=number == len(sizes))
                if code not in (OK, ERR_ARGUMENT, ERR_LENGTH, ERR_AUTH):
                    found.append(f"{sizes}: returned {code}")
                if code in (ERR_ARGUMENT, ERR_LENGTH) and made.written() != seen:
                    found.append(f"{sizes}: a refused part wrote")
                if code != OK:
                    break
        return found

    return run(len(bits), each, lambda at: f"bit {bits[at] % 8} of byte {bits[at] // 8}")


@pytest.fixture(params=(True, False), ids=("at the end of a page", "at its begin"))
def memory(request: pytest.FixtureRequest) -> Guarded:
    return Guarded(5, 3, request.param)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("suite", DIGESTS if LONG else OF_EACH_KIND)
def test_digests(shared_context: Context, memory: Guarded, suite: str, moment: str) -> None:
    secrets = oracle.secrets(random.Random(suite), suite)
    key = shared_context.suite(suite).key(secrets[0], secrets[1])

    def call(part: Any) -> int:
        return int(key.lib.cst_digest_parts(shared_context.handle, part, 1))

    def begin(made: Under) -> None:
        for size in MOMENTS[moment]:
            assert made.part(size) == OK

    assert not problems(lambda: Under(key, PartStruct, call, memory, tag_len=key.suite.tag_max), begin)


@pytest.mark.parametrize("moment", TEXT_MOMENTS)
@pytest.mark.parametrize("direction", (SEAL, OPEN), ids=("sealed", "opened"))
@pytest.mark.parametrize("suite", TEXTS)
def test_texts(shared_context: Context, memory: Guarded, suite: str, direction: int, moment: str) -> None:
    iv, aads, texts = TEXT_MOMENTS[moment]
    if suite == "chacha20-poly1305":
        iv = 12
    key = shared_context.suite(suite).key(bytes(range(16 if "128" in suite else 32)))

    def call(part: Any) -> int:
        return int(key.lib.cst_text_parts(shared_context.handle, part, 1))

    def begin(made: Under) -> None:
        for aad in aads:
            assert made.part(0, aad) == OK
        for size in texts:
            assert made.part(size) == OK

    assert not problems(
        lambda: Under(key, TextPartStruct, call, memory, direction, bytes(range(iv)), tag_len=16), begin
    )


def test_a_crash_is_a_finding() -> None:
    """What the tests above run would tell: a child that reads a page without access is one finding."""

    def each(at: int) -> list[str]:
        if at == 1:
            ctypes.string_at(8, 1)
        return []

    found = run(3, each, lambda at: f"call {at}")
    assert found == ["call 1: crashes (SIGSEGV)"]
