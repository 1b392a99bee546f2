"""Keys: in memory of the library's and of the caller's; MAC keys of every length; what errors leave."""

from __future__ import annotations

import ctypes
import hmac
import random
from array import array

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import KEY_ALIGN
from cryptostitch.binding.runtime import (
    AEAD,
    ERR_ARGUMENT,
    ERR_LENGTH,
    ERR_OVERLAP,
    MAC,
    SEAL,
    Address,
    Context,
    Job,
    Key,
    RuntimeFailure,
    Suite,
)
from cryptostitch.ladder import oracle

BLANK = 0xA5


class Memory:
    """Aligned memory of so many bytes, with some on both sides that must stay blank."""

    def __init__(self, size: int):
        self.block = (ctypes.c_uint8 * (size + 4 * KEY_ALIGN))()
        ctypes.memset(self.block, BLANK, len(self.block))
        self.start = -ctypes.addressof(self.block) % KEY_ALIGN + KEY_ALIGN
        self.address, self.size = ctypes.addressof(self.block) + self.start, size

    @property
    def room(self) -> Address:
        return Address(self.address, self.size)

    def content(self) -> bytes:
        return bytes(self.block[self.start : self.start + self.size])

    def blank_beside(self) -> bool:
        return not bytes(self.block[: self.start] + self.block[self.start + self.size :]).strip(bytes([BLANK]))

    def blank(self) -> bool:
        return self.blank_beside() and not self.content().strip(bytes([BLANK]))


def secrets_of(suite: Suite, rng: random.Random) -> tuple[bytes | None, bytes | None]:
    mac = min(max(suite.mac_key_min, 20), suite.mac_key_max)
    return rng.randbytes(suite.key_bytes) or None, rng.randbytes(mac) or None


def sealed(key: Key, rng: random.Random) -> tuple[bytes, bytes]:
    suite = key.suite
    iv, aad = rng.randbytes(suite.iv_bytes), rng.randbytes(suite.aad_min)
    return key.seal(rng.randbytes(320), iv=iv or None, aad=aad or None)


@pytest.mark.parametrize("name", suite_names())
def test_in_the_callers_memory(shared_context: Context, name: str) -> None:
    suite = shared_context.suite(name)
    size = suite.key_memory
    secrets = secrets_of(suite, random.Random(name))
    assert size % KEY_ALIGN == 0 and 64 <= size <= 4096
    memory, other = Memory(size), Memory(size)
    inside, outside = suite.key(*secrets, memory=memory.room), suite.key(*secrets)
    assert inside.handle.value == memory.address
    wanted = sealed(outside, random.Random(1))
    assert sealed(inside, random.Random(1)) == wanted
    ctypes.memmove(other.address, memory.address, size)
    before = memory.content()
    made, lib = ctypes.c_void_p(), shared_context.lib
    lengths = [part for secret in secrets for part in (secret, len(secret or b""))]
    assert lib.cst_key_init(suite.handle, *memory.room, *lengths, ctypes.byref(made)) == runtime.OK
    assert made.value == memory.address and memory.content() == before, "the same bytes from the same key, over it"
    copy = suite.key(*secrets, memory=other.room)
    ctypes.memmove(other.address, before, size)  # a copy is the same key
    assert sealed(inside, random.Random(1)) == sealed(copy, random.Random(1)) == wanted
    for key, where in ((inside, memory), (copy, other)):
        key.close()
        assert where.content() == bytes(size) and where.blank_beside(), "it is wiped"


def test_sizes(shared_context: Context) -> None:
    """As large as the suite needs: of a digest nothing but the suite, of a checksum what a polynomial leads to, of two
    digests a key of each."""
    size = {name: shared_context.suite(name).key_memory for name in suite_names()}
    digests = [name for name in size if shared_context.suite(name).kind == runtime.DIGEST]
    both = {name: size[name] for name in digests if "+" in name and not name.startswith("mh-")}
    assert both == {name: 64 + sum(size[half] for half in name.split("+")) for name in both} and both
    assert {size[name] for name in digests if not name.startswith(("crc", "adler")) and name not in both} == {64}
    assert max(size[name] for name in digests) <= 2560
    assert size["chacha20"] == size["chacha20-poly1305"] == 128
    assert size["hmac-sha256"] == 128
    if "aes-128-ctr" not in size:
        pytest.skip("this CPU lacks AES-NI: the sizes of AES's keys are left out")
    assert size["aes-128-cbc+hmac-sha1-etm"] <= 448 and size["aes-256-cbc+hmac-sha512-etm"] <= 704
    assert size["aes-128-ctr"] == size["aes-128-ccm"] == 256 and size["aes-128-gcm"] <= 1920


@pytest.mark.parametrize("name", ["aes-128-cbc+hmac-sha1-etm", "sha256", "aes-128-gcm", "aes-128-xts"])
def test_errors_write_nothing(shared_context: Context, name: str) -> None:
    suite = shared_context.suite(name)
    key, mac_key = secrets_of(suite, random.Random(name))
    size = suite.key_memory
    memory = Memory(size)

    def refused(code: int, room: Address, key: object = key, mac_key: object = mac_key) -> None:
        with pytest.raises(RuntimeFailure) as failure:
            suite.key(key, mac_key, memory=room)
        assert failure.value.code == code and memory.blank()

    for shift in (1, 8, 16, 32, 63):
        refused(ERR_ARGUMENT, Address(memory.address + shift, size))
    refused(ERR_ARGUMENT, Address(None, size))
    for room in (0, 1, 63, size - 1):
        refused(ERR_LENGTH, Address(memory.address, room))
        refused(ERR_ARGUMENT, Address(memory.address + 8, room))
    refused(ERR_LENGTH, memory.room, key=bytes(suite.key_bytes + 1))
    refused(ERR_LENGTH, Address(2**64 - 64, size), key=key)
    if suite.key_bytes:
        refused(ERR_ARGUMENT, memory.room, key=Address(None, suite.key_bytes))
        refused(ERR_OVERLAP, memory.room, key=Address(memory.address + size - 1, suite.key_bytes))
        refused(ERR_OVERLAP, memory.room, key=Address(memory.address - suite.key_bytes + 1, suite.key_bytes))
        beside = Address(memory.address - suite.key_bytes, suite.key_bytes)
        suite.key(beside if name != "aes-128-xts" else key, mac_key, memory=Memory(size).room)
    if suite.mac_key_max:
        refused(ERR_OVERLAP, memory.room, mac_key=Address(memory.address, 20))
    if name == "aes-128-xts":
        refused(ERR_ARGUMENT, memory.room, key=bytes(32))  # equal halves


def test_null_arguments(shared_context: Context) -> None:
    lib, suite = shared_context.lib, shared_context.suite("aes-128-cbc")
    memory, out = Memory(suite.key_memory), ctypes.c_void_p(7)
    key = ctypes.create_string_buffer(16)
    assert lib.cst_key_bytes(None) == 0
    lib.cst_key_clear(None)
    room = memory.address, memory.size
    assert lib.cst_key_init(None, *room, key, 16, None, 0, ctypes.byref(out)) == ERR_ARGUMENT
    assert lib.cst_key_init(suite.handle, *room, key, 16, None, 0, None) == ERR_ARGUMENT
    assert lib.cst_key_init(suite.handle, *room, key, 15, None, 0, ctypes.byref(out)) == ERR_LENGTH
    assert out.value == 7 and memory.blank()


@pytest.mark.parametrize("name", suite_names())
def test_a_key_that_is_not_given_is_not_an_empty_one(shared_context: Context, name: str) -> None:
    """Whatever stands for it; and an empty one, which has an address, is taken by MACs alone."""
    suite = shared_context.suite(name)
    key, mac_key = bytes(range(suite.key_bytes)), bytes(max(suite.mac_key_min, min(suite.mac_key_max, 20)))
    suite.key(key, mac_key).close()
    absent = [(wrong, mac_key) for wrong in (None, Address(None, 0), Address(None, 16)) if suite.key_max]
    absent += [(key, wrong) for wrong in (None, Address(None, 0), Address(None, 20)) if suite.mac_key_max]
    for wrong in absent:
        with pytest.raises(RuntimeFailure) as failure:
            suite.key(*wrong)
        assert failure.value.code == ERR_ARGUMENT, wrong
    for empty in (b"", bytearray(), memoryview(b""), array("B")):
        if suite.kind == MAC and not suite.mac_key_min:
            assert suite.key(key, empty).digest(b"text") == suite.key(key, b"").digest(b"text")
        elif suite.mac_key_max:
            with pytest.raises(RuntimeFailure) as failure:
                suite.key(key, empty)
            assert failure.value.code == ERR_LENGTH
    assert suite.mac_key_min or suite.kind != AEAD or not suite.mac_key_max


@pytest.mark.parametrize("name", [name for name in suite_names() if name.startswith("hmac-")])
def test_mac_keys_of_every_length(shared_context: Context, name: str) -> None:
    """RFC 2104: filled up to a block, or hashed."""
    digest = name.removeprefix("hmac-")
    suite, rng = shared_context.suite(name), random.Random(name)
    memory = Memory(suite.key_memory)
    for size in (*range(0, 300), 511, 512, 513, 1000, 4096, 100001):
        secret, text = rng.randbytes(size), rng.randbytes(rng.randrange(200))
        key = suite.key(None, secret, memory.room if size % 2 else None)
        wanted = hmac.new(secret, text, digest).digest()
        assert key.digest(text) == wanted, size
        key.close()


@pytest.mark.parametrize("target", ["host", "host-no_avx512", "sse_aesni"])
@pytest.mark.parametrize("name", ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"])
def test_all_powers_of_a_gcm_key(library: str, name: str, target: str) -> None:
    """A text of so many blocks uses each of them; and the ways of making them agree."""
    context, rng = Context(target=target, library=library), random.Random(name)
    suite = context.suite(name)
    for size in (0, 16, 160, 400, 576, 577, 1040, 20000):
        secret, iv, text = rng.randbytes(suite.key_bytes), rng.randbytes(12), rng.randbytes(size)
        assert suite.key(secret).seal(text, iv=iv, aad=b"aad") == oracle.seal(name, secret, b"", iv, b"aad", text)


def test_many_keys_in_one_table(shared_context: Context) -> None:
    """A session's structure: keys side by side, each its own, in a burst with one that has memory of its own."""
    suite, rng = shared_context.suite("aes-128-cbc+hmac-sha256-etm"), random.Random(3)
    size, n = suite.key_memory, 50
    table = Memory(size * n)
    keys = [
        suite.key(*secrets_of(suite, rng), memory=Address(table.address + size * i, size)) if i != 7 else None
        for i in range(n)
    ]
    keys[7] = suite.key(*secrets_of(suite, rng))
    again = random.Random(3)
    secrets = [secrets_of(suite, again) for i in range(n) if i != 7]
    secrets.insert(7, secrets_of(suite, again))
    jobs = []
    for key in keys:
        out, tag = bytearray(160), bytearray(32)
        jobs.append(Job(key, SEAL, iv=rng.randbytes(16), data=rng.randbytes(160), out=out, tag=tag))
    assert shared_context.burst(jobs) == 0
    for job, (key, mac_key) in zip(jobs, secrets):
        assert (bytes(job.out), bytes(job.tag)) == oracle.seal(suite.name, key, mac_key, job.iv, b"", job.data)
