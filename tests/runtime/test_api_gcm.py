"""AES in counter mode and GCM: published vectors, counters that wrap, IVs and fields of GHASH that are rare, limits,
forgeries. Lengths, heads, places and bursts are in test_plan_*."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import OPEN, SEAL, Address, Context, Job, RuntimeFailure
from cryptostitch.ladder import oracle
from cryptostitch.ladder.ghash import ghash
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import published

CountCases = Callable[[str, int], None]
GCM = ("aes-128-gcm", "aes-192-gcm", "aes-256-gcm")
CTR = ("aes-128-ctr", "aes-192-ctr", "aes-256-ctr")


def gcm(key: bytes, iv: bytes, aad: bytes, data: bytes) -> tuple[bytes, bytes]:
    """SP 800-38D, 7.1, from AES and GHASH alone: `cryptography` refuses some lengths of IV."""
    aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    h = aes.update(bytes(16))
    pad = lambda x: x + bytes(-len(x) % 16)  # noqa: E731
    first = (
        iv + bytes(3) + b"\1"
        if len(iv) == 12
        else ghash(h, bytes(16), pad(iv) + bytes(8) + (8 * len(iv)).to_bytes(8, "big"))
    )
    count = int.from_bytes(first[12:], "big")
    blocks = [first[:12] + ((count + i) % 2**32).to_bytes(4, "big") for i in range(1 + -(-len(data) // 16))]
    stream = aes.update(b"".join(blocks))
    text = bytes(a ^ b for a, b in zip(data, stream[16:]))
    y = ghash(
        h, bytes(16), pad(aad) + pad(text) + (8 * len(aad)).to_bytes(8, "big") + (8 * len(text)).to_bytes(8, "big")
    )
    return text, bytes(a ^ b for a, b in zip(y, stream))


@pytest.mark.parametrize("name", CTR + GCM)
def test_published(shared_context: Context, count_cases: CountCases, name: str) -> None:
    try:
        vectors = published(name)
    except Skip as skip:
        pytest.skip(str(skip))
    suite = shared_context.suite(name)
    for v in vectors:
        key = suite.key(v.key)
        if v.valid:
            assert key.seal(v.data, iv=v.iv, aad=v.aad or None, tag_len=len(v.tag)) == (v.out, v.tag), v.source
            assert key.open(v.out, v.tag or None, iv=v.iv, aad=v.aad or None, tag_len=len(v.tag)) == v.data, v.source
            continue
        with pytest.raises(RuntimeFailure) as failure:
            key.open(v.out, v.tag, iv=v.iv or None, aad=v.aad or None, tag_len=len(v.tag))
        assert failure.value.code in (runtime.ERR_AUTH, runtime.ERR_LENGTH), v.source
    theirs = sum(v.source.startswith("Wycheproof") for v in vectors)
    count_cases(f"{name}, {'RFC' if name in CTR else 'CAVP'}", len(vectors) - theirs)
    if theirs:
        count_cases(f"{name}, Wycheproof", theirs)
    assert len(vectors) > 2


@pytest.mark.parametrize("name", CTR)
@pytest.mark.parametrize(
    "start",
    [
        "00" * 12 + "fffffffe",
        "00" * 12 + "ffffffff",
        "ab" * 8 + "ffffffff" + "fffffff0",
        "ff" * 15 + "fe",
        "ff" * 16,
        "ff" * 12 + "00" * 4,
    ],
)
def test_counter_wraps(shared_context: Context, name: str, start: str) -> None:
    """The whole block counts (SP 800-38A, B.1), beyond the 32 bits that kernels count in."""
    rng, iv = random.Random(start), bytes.fromhex(start)
    key = rng.randbytes(int(name.split("-")[1]) // 8)
    ours = shared_context.suite(name).key(key)
    for length in (1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 250, 255, 256, 257, 511, 512, 513, 1000, 4097):
        data = rng.randbytes(length)
        out = oracle.seal(name, key, b"", iv, b"", data)[0]
        assert ours.seal(data, iv=iv)[0] == out, length
        assert ours.open(out, None, iv=iv) == data, length


@pytest.mark.parametrize("name, iv_bytes", list(zip(GCM * 3, (1, 2, 7, 127, 128, 129, 255, 257, 1000))))
def test_ivs_that_nobody_else_takes(shared_context: Context, name: str, iv_bytes: int) -> None:
    """Libcrypto takes 8 to 128 bytes: test_plan_heads.py."""
    rng = random.Random(f"{name} {iv_bytes}")
    key = rng.randbytes(int(name.split("-")[1]) // 8)
    for length, aad_bytes in (
        (0, 0),
        (1, 1),
        (480, 241),
        (777, 1000),
    ):
        iv, aad, data = rng.randbytes(iv_bytes), rng.randbytes(aad_bytes), rng.randbytes(length)
        wanted = gcm(key, iv, aad, data)
        ours = shared_context.suite(name).key(key)
        assert ours.seal(data, iv=iv, aad=aad) == wanted, (length, aad_bytes)
        assert ours.open(wanted[0], wanted[1], iv=iv, aad=aad) == data, (length, aad_bytes)


def test_counter_of_gcm_wraps_in_32_bits(shared_context: Context) -> None:
    """An IV that is not 96 bits long may begin anywhere (SP 800-38D, 7.1, step 2; inc32). One whose first block is near
    the end is made with the inverse of H."""
    key = bytes(range(16))
    aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    h = aes.update(bytes(16))
    inverse = bytes([0x80]) + bytes(15)  # H^(2^128 - 2)
    square = h
    for _ in range(127):
        square = ghash(square, bytes(16), square)
        inverse = ghash(square, bytes(16), inverse)
    ours = shared_context.suite("aes-128-gcm").key(key)
    for low in (0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFF0, 0xFFFFFF00):
        first = b"\xff" * 12 + low.to_bytes(4, "big")
        # first = (IV H + lengths) H
        lengths = bytes(8) + (128).to_bytes(8, "big")
        iv = ghash(inverse, bytes(16), bytes(a ^ b for a, b in zip(ghash(inverse, bytes(16), first), lengths)))
        assert ghash(h, bytes(16), iv + lengths) == first
        for length in (16, 100, 480, 500, 4096, 5000):
            data = random.Random(length).randbytes(length)
            wanted = gcm(key, iv, b"", data)
            assert ours.seal(data, iv=iv) == wanted
            assert ours.open(wanted[0], wanted[1], iv=iv) == data


@pytest.mark.parametrize("pattern", ["00", "ff", "80", "01", "0f", "8000000000000000000000000000000000"])
def test_rare_blocks(shared_context: Context, pattern: str) -> None:
    """Texts whose ciphertext, and AAD that, are all zeros, all ones, single coefficients."""
    rng = random.Random(pattern)
    for length in (16, 128, 256, 512, 1024, 4096):
        key, iv = rng.randbytes(16), rng.randbytes(12)
        ours = shared_context.suite("aes-128-gcm").key(key)
        block = (bytes.fromhex(pattern) * length)[:length]
        data = gcm(key, iv, b"", block)[0]  # its own inverse
        out, tag = ours.seal(data, iv=iv, aad=block)
        assert out == block and (out, tag) == gcm(key, iv, block, data)


def test_tags_and_limits(shared_context: Context) -> None:
    key = shared_context.suite("aes-128-gcm").key(bytes(16))
    whole = key.seal(b"text", iv=bytes(12), aad=b"aad")[1]
    for n in range(18):
        if n in (4, 8, 12, 13, 14, 15, 16):
            out, tag = key.seal(b"text", iv=bytes(12), aad=b"aad", tag_len=n)
            assert tag == whole[:n] and key.open(out, tag, iv=bytes(12), aad=b"aad", tag_len=n) == b"text"
            continue
        with pytest.raises(RuntimeFailure) as failure:
            key.seal(b"text", iv=bytes(12), aad=b"aad", tag_len=n)
        assert failure.value.code == runtime.ERR_LENGTH
    with pytest.raises(RuntimeFailure) as failure:
        key.seal(b"text", iv=None)
    assert failure.value.code == runtime.ERR_LENGTH
    suite = shared_context.suite("aes-128-gcm")
    assert suite.max_bytes == 2**36 - 32 and suite.block_bytes == 1  # SP 800-38D, 5.2.1.1
    for length, code in ((2**36 - 31, runtime.ERR_LENGTH), (2**63, runtime.ERR_LENGTH)):
        with pytest.raises(RuntimeFailure) as failure:
            places = {"data": Address(1 << 20, length), "out": Address(1 << 40, length)}
            Job(key, SEAL, iv=bytes(12), tag=bytearray(16), **places).run_alone()
        assert failure.value.code == code
    for name, iv in (("aes-128-ctr", bytes(15)), ("aes-128-ctr", bytes(17)), ("aes-128-ctr", None)):
        with pytest.raises(RuntimeFailure) as failure:
            shared_context.suite(name).key(bytes(16)).seal(b"text", iv=iv)
        assert failure.value.code == runtime.ERR_LENGTH
    for wrong in (bytes(15), bytes(17), bytes(24), b"", None):
        with pytest.raises(RuntimeFailure) as failure:
            suite.key(wrong)
        assert failure.value.code == (runtime.ERR_ARGUMENT if wrong is None else runtime.ERR_LENGTH)


@pytest.mark.parametrize("length", [0, 1, 480, 20000])
def test_forgeries(shared_context: Context, length: int) -> None:
    """Any single bit of tag, text, AAD or IV; the output is wiped."""
    rng = random.Random(length)
    key = shared_context.suite("aes-256-gcm").key(rng.randbytes(32))
    iv, aad, data = rng.randbytes(12), rng.randbytes(20), rng.randbytes(length)
    out, tag = key.seal(data, iv=iv, aad=aad)
    parts = [iv, aad, out, tag]
    for which in range(4):
        for _ in range(6):
            if not parts[which]:
                continue
            spoilt = [bytearray(p) for p in parts]
            spoilt[which][rng.randrange(len(spoilt[which]))] ^= 1 << rng.randrange(8)
            place = bytearray(b"\xaa" * length)
            job = Job(
                key, OPEN, iv=bytes(spoilt[0]), aad=bytes(spoilt[1]), data=bytes(spoilt[2]), out=place, tag=spoilt[3]
            )
            with pytest.raises(RuntimeFailure) as failure:
                job.run_alone()
            assert failure.value.code == runtime.ERR_AUTH and bytes(place) == bytes(length)


@pytest.mark.parametrize("n", [1, 5, 70])
@pytest.mark.parametrize("name", ["aes-128-gcm", "aes-256-gcm"])
def test_bursts_without_aad_and_with_short_tags(shared_context: Context, name: str, n: int) -> None:
    """Kernels of lists make whole tags and need an address of AAD; jobs get what they ask for, and no more."""
    rng = random.Random(f"{name} {n}")
    suite = shared_context.suite(name)
    for equal in (64, 200, 1000, 0):
        for aad_bytes in (0, 0, 13):
            keys = [rng.randbytes(suite.key_bytes) for _ in range(n)]
            made = [suite.key(key) for key in keys]
            ivs, aads = [rng.randbytes(12) for _ in keys], [rng.randbytes(aad_bytes) for _ in keys]
            texts = [rng.randbytes(equal or rng.randrange(1, 1700)) for _ in keys]
            tag_lens = [rng.choice((4, 8, 12, 13, 16)) for _ in keys]
            wanted = [oracle.seal(name, *parts[:1], b"", *parts[1:]) for parts in zip(keys, ivs, aads, texts)]
            areas = [bytearray(b"\xaa" * 32) for _ in keys]
            tags = [(ctypes.c_uint8 * 32).from_buffer(area) for area in areas]

            def jobs(direction: int, data: list[bytes]) -> list[Job]:
                return [
                    Job(
                        key,
                        direction,
                        iv=iv,
                        aad=aad or None,
                        data=text,
                        out=bytearray(len(text)),
                        tag=Address(ctypes.addressof(tag), tag_len),
                    )
                    for key, iv, aad, text, tag, tag_len in zip(made, ivs, aads, data, tags, tag_lens)  # noqa: B023
                ]

            sealed = jobs(SEAL, texts)
            assert shared_context.burst(sealed) == runtime.OK
            for job, area, tag_len, (out, tag) in zip(sealed, areas, tag_lens, wanted):
                assert bytes(job.out) == out and bytes(area) == tag[:tag_len] + b"\xaa" * (32 - tag_len)
            forged = rng.randrange(n)
            opened = jobs(OPEN, [bytes(job.out) for job in sealed])
            assert shared_context.burst(opened) == runtime.OK
            assert [bytes(job.out) for job in opened] == texts
            areas[forged][tag_lens[forged] - 1] ^= 0x80
            opened = jobs(OPEN, [bytes(job.out) for job in sealed])
            assert shared_context.burst(opened) == runtime.ERR_AUTH
            for i, (job, text) in enumerate(zip(opened, texts)):
                assert (bytes(job.out), job.status) == (
                    (bytes(len(text)), runtime.ERR_AUTH) if i == forged else (text, runtime.OK)
                )
