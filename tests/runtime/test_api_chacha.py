"""ChaCha20 and ChaCha20-Poly1305 where the general tests do not look: counters that wrap, heads of many blocks before
the lengths at which calls are divided, forgeries."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable

import pytest
from built import kernel_names
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptostitch.binding.runtime import ERR_AUTH, OPEN, SEAL, Context, Job, RuntimeFailure
from cryptostitch.ladder import oracle
from cryptostitch.ladder.vectors import published
from jobs.builder import forced
from targets import runs

SUITE = "chacha20-poly1305"
M = (1 << 32) - 1


def quarter_round(x: list[int], a: int, b: int, c: int, d: int) -> None:
    """RFC 8439, 2.1."""
    for i, j, k, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[i] = x[i] + x[j] & M
        x[k] = (x[k] ^ x[i]) << n & M | (x[k] ^ x[i]) >> 32 - n


def block(key: bytes, counter: int, last: bytes) -> bytes:
    """RFC 8439, 2.3, with a counter of 64 bits, of which 8 bytes of ``last`` follow."""
    state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574]
    rest = key + counter.to_bytes(8, "little") + last
    state += [int.from_bytes(rest[i : i + 4], "little") for i in range(0, 48, 4)]
    x = list(state)
    for _ in range(10):
        for i in range(4):
            quarter_round(x, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter_round(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return b"".join((a + b & M).to_bytes(4, "little") for a, b in zip(x, state))


def test_the_plain_cipher_here_is_right() -> None:
    """RFC 8439, 2.3.2."""
    nonce = bytes.fromhex("000000090000004a00000000")
    assert block(bytes(range(32)), 1 | int.from_bytes(nonce[:4], "little") << 32, nonce[4:])[:8] == bytes.fromhex(
        "10f1e7e4d13b5915"
    )


@pytest.mark.parametrize("before", [0, 1, 7, 16])
@pytest.mark.parametrize("size", [1, 65, 500, 2500])
def test_the_counter_carries(shared_context: Context, before: int, size: int) -> None:
    """As OpenSSL has it: the counter's 32 bits carry into the next word."""
    rng = random.Random(f"{before} {size}")
    key, start, last, data = (
        rng.randbytes(32),
        (rng.randrange(1 << 31) << 32) + (1 << 32) - before,
        rng.randbytes(8),
        rng.randbytes(size),
    )
    stream = b"".join(block(key, start + i, last) for i in range(-(-size // 64)))
    out = bytearray(size)
    iv = start.to_bytes(8, "little") + last
    job = Job(shared_context.suite("chacha20").key(key, None), SEAL, iv=iv, data=data, out=out)
    assert shared_context.burst([job]) == 0
    assert bytes(out) == bytes(a ^ b for a, b in zip(data, stream))


@pytest.mark.parametrize("before", [1, 3, 16])
@pytest.mark.parametrize("size", [65, 300, 2500])
def test_the_carry_ends_behind_the_nonces_first_word(shared_context: Context, before: int, size: int) -> None:
    rng = random.Random(f"{before} {size}")
    key, last, data = rng.randbytes(32), b"\xff" * 8, rng.randbytes(size)
    start = (1 << 64) - before
    stream = b"".join(block(key, (start + i) % (1 << 64), last) for i in range(-(-size // 64)))
    out, iv = bytearray(size), start.to_bytes(8, "little") + last
    job = Job(shared_context.suite("chacha20").key(key, None), SEAL, iv=iv, data=data, out=out)
    assert shared_context.burst([job]) == 0
    assert bytes(out) == bytes(a ^ b for a, b in zip(data, stream))
    openssl = shutil.which("openssl")
    if openssl:
        command = [openssl, "enc", "-chacha20", "-K", key.hex(), "-iv", iv.hex()]
        assert subprocess.run(command, input=data, capture_output=True, check=True).stdout == bytes(out)


LENGTHS = sorted(
    {
        n + d
        for n in (64, 128, 192, 256, 448, 960, 1024, 1984, 2048, 3072, 4096, 5120)
        for d in (-17, -16, -1, 0, 1, 15, 16, 63)
    }
)


@pytest.mark.parametrize("aad", [16, 2100])
def test_lengths_where_calls_divide(shared_context: Context, aad: int) -> None:
    rng = random.Random(aad)
    cases = [oracle.case(rng, SUITE, n, aad) for n in LENGTHS]
    for case in cases:
        key = shared_context.suite(SUITE).key(case.key, None)
        assert key.seal(case.data, iv=case.iv, aad=case.aad or None) == (case.out, case.tag), len(case.data)
        buffer = bytearray(case.out)
        job = Job(key, OPEN, iv=case.iv, aad=case.aad or None, data=memoryview(buffer), out=buffer, tag=case.tag)
        assert shared_context.burst([job]) == 0 and bytes(buffer) == case.data, len(case.data)


def whole_kernels() -> list[str]:
    return [name for name in kernel_names() if name.startswith("chacha_poly_")]


@pytest.mark.parametrize("name", whole_kernels())
def test_ciphertexts_of_ones_and_of_zeros(context: Context, name: str) -> None:
    """The least and the largest numbers that Poly1305 adds, with all numbers of blocks at an end and AADs of all
    lengths."""
    if not runs(context, name):
        pytest.skip("this CPU cannot run it")
    rng, direction = random.Random(name), SEAL if "_enc_" in name else OPEN
    with forced(context, name, [SUITE]):
        kernel = context.kernel(name)
        before, most = kernel.calls(), kernel.streams[0].bytes * (1 if "_short_" in name else 3)
        for size in sorted({*range(0, most + 1, 16), *range(1, most, 61), most - 1}):
            for byte in (b"\0", b"\xff"):
                text, aad = byte * size, byte * (size % 49)
                secret, iv = rng.randbytes(32), rng.randbytes(12)
                aead = ChaCha20Poly1305(secret)
                stream = aead.encrypt(iv, bytes(size), None)[:size]
                plain = bytes(a ^ b for a, b in zip(stream, text))
                sealed = aead.encrypt(iv, plain, aad)
                assert sealed[:size] == text
                key = context.suite(SUITE).key(secret, None)
                if direction == SEAL:
                    assert key.seal(plain, iv=iv, aad=aad or None) == (text, sealed[size:]), (size, byte)
                else:
                    assert key.open(text, sealed[size:], iv=iv, aad=aad or None) == plain, (size, byte)
        assert kernel.calls() > before


@pytest.mark.parametrize("size", [1, 961, 20000])
def test_one_error_and_a_wiped_output(shared_context: Context, size: int) -> None:
    rng = random.Random(size)
    case = oracle.case(rng, SUITE, size, 20)
    key = shared_context.suite(SUITE).key(case.key, None)

    def spoilt(data: bytes, at: int) -> bytes:
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]

    for iv, aad, text, tag in (
        (spoilt(case.iv, 3), case.aad, case.out, case.tag),
        (case.iv, spoilt(case.aad, 19), case.out, case.tag),
        (case.iv, case.aad, spoilt(case.out, size - 1), case.tag),
        (case.iv, case.aad, case.out, spoilt(case.tag, 15)),
    ):
        for in_place in (False, True):
            out = bytearray(text) if in_place else bytearray(b"\x55" * size)
            job = Job(key, OPEN, iv=iv, aad=aad, data=memoryview(out) if in_place else text, out=out, tag=tag)
            assert shared_context.burst([job]) == ERR_AUTH
            assert job.status == ERR_AUTH and job.out_len == 0 and not any(out)


def pairs(context: Context) -> list[str]:
    return sorted(name for name in context.kernels() if name.startswith("chacha20") and "poly1305" in name)


def test_opening_goes_through_the_pairs_too(context: Context) -> None:
    """In place and not; the hash reads what the cipher overwrites, so that it must be ahead of it."""
    ran = 0
    for name in pairs(context):
        try:
            kernel = context.kernel(name)
            context.force(SUITE, name)
        except RuntimeFailure:
            continue  # not on this CPU
        rng, before = random.Random(name), kernel.calls()
        for size in (1024, 1535, 4096, 5000, 6143, 20000):
            case = oracle.case(rng, SUITE, size, 13)
            key = context.suite(SUITE).key(case.key, None)
            for in_place in (False, True):
                for tag, status in ((case.tag, 0), (bytes(16), ERR_AUTH)):
                    out = bytearray(case.out) if in_place else bytearray(b"\x55" * size)
                    job = Job(
                        key,
                        OPEN,
                        iv=case.iv,
                        aad=case.aad or None,
                        data=memoryview(out) if in_place else case.out,
                        out=out,
                        tag=tag,
                    )
                    context.burst([job])
                    assert (job.status, bytes(out)) == (status, bytes(size) if status else case.data), (
                        name,
                        size,
                        in_place,
                    )
        assert kernel.calls() > before, name
        ran += 1
    if not ran:
        pytest.skip("no kernel of both runs on this CPU")


@pytest.mark.parametrize("suite", ["chacha20", SUITE])
def test_published(shared_context: Context, suite: str, count_cases: Callable[[str, int], None]) -> None:
    found: Counter[str] = Counter()
    for v in published(suite):
        key = shared_context.suite(suite).key(v.key, None)
        if v.valid:
            out, tag = bytearray(len(v.out)), bytearray(len(v.tag))
            assert (
                shared_context.burst(
                    [Job(key, SEAL, iv=v.iv, aad=v.aad or None, data=v.data, out=out, tag=tag or None)]
                )
                == 0
            )
            assert (bytes(out), bytes(tag)) == (v.out, v.tag)
        back = bytearray(len(v.out))
        job = Job(key, OPEN, iv=v.iv, aad=v.aad or None, data=v.out, out=back, tag=v.tag or None)
        shared_context.burst([job])
        assert (job.status, bytes(back)) == ((0, v.data) if v.valid else (ERR_AUTH, bytes(len(back))))
        found[v.source] += 1
    for source, n in found.items():
        count_cases(f"{suite}, {source}", n)
