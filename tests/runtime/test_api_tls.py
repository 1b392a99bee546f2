"""cst_tls_seal: a long text as records. They are checked by the oracle; `test_plan_lengths` has their seal and open."""

from __future__ import annotations

import ctypes
import random

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import OPEN, Context, Job, Key, RuntimeFailure, TlsWrite
from cryptostitch.ladder import oracle

SUITE = "aes-128-cbc+hmac-sha256-tls"


def records_of(stream: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """(header, IV, ciphertext) of each record."""
    found = []
    while stream:
        size = int.from_bytes(stream[3:5], "big")
        assert len(stream) >= 5 + size
        found.append((stream[:5], stream[5:21], stream[21 : 5 + size]))
        stream = stream[5 + size :]
    return found


@pytest.mark.parametrize("size", [0, 1, 15, 1023, 1024, 1025, 16384, 16385, 131072, 300001])
@pytest.mark.parametrize("fragment", [0, 1, 1000, 16384])
def test_records(shared_context: Context, size: int, fragment: int) -> None:
    if fragment == 1 and size > 2000:
        fragment = 7
    rng = random.Random(f"{size} {fragment}")
    secrets = rng.randbytes(16), rng.randbytes(32)
    key = shared_context.suite(SUITE).key(*secrets)
    data, sequence = rng.randbytes(size), rng.randrange(1 << 60)
    count, total = key.tls_size(size, fragment)
    ivs = rng.randbytes(16 * count)
    stream = key.tls_records(data, ivs=ivs, sequence=sequence, kind=22, version=0x0302, fragment=fragment)
    records = records_of(stream)
    assert len(stream) == total and len(records) == count
    if fragment:
        assert count == max(1, -(-size // fragment))
    at = 0
    jobs = []
    for i, (header, iv, text) in enumerate(records):
        assert header[:3] == b"\x16\x03\x02" and iv == ivs[16 * i : 16 * i + 16]
        aad = (sequence + i).to_bytes(8, "big") + header[:3]
        out = bytearray(len(text))
        jobs.append(Job(key, OPEN, iv=iv, aad=aad, data=text, out=out))
        # the length of the text is in the decryption
        plain = oracle.unsealed(secrets[0], iv, text)
        n = len(plain) - plain[-1] - 1 - 32
        assert oracle.seal(SUITE, *secrets, iv, aad, plain[:n]) == (text, b"")
        assert plain[:n] == data[at : at + n] and n <= (fragment or 16384)
        at += n
    assert at == size
    assert shared_context.burst(jobs) == 0
    assert b"".join(bytes(job.out[: job.out_len]) for job in jobs) == data


def test_fragments_fill_lanes(shared_context: Context) -> None:
    """How many lanes are best depends on the CPU; none of them stays empty."""
    suite = shared_context.suite(SUITE)
    key = suite.key(bytes(16), bytes(20))
    for size in (64 << 10, 128 << 10, 1 << 20):
        records = key.tls_size(size)[0]
        lanes = suite.choice(records, size // records, one_key=True).lanes
        assert records >= size >> 14 and records % lanes == 0, (size, records, lanes)
    assert key.tls_size(100)[0] == 1 and key.tls_size(16 << 20)[0] == 1024


def write_of(key: Key, **changes: object) -> TlsWrite:
    good = {
        "sequence": 0,
        "type": 23,
        "version": 0x0303,
        "fragment": 1024,
        "iv": 1 << 20,
        "iv_len": 64,
        "in": 1 << 21,
        "in_len": 4096,
        "out": 1 << 22,
        "out_cap": 1 << 16,
    }
    write = TlsWrite(key=key.handle)
    for name, value in {**good, **changes}.items():
        setattr(write, name, value)
    return write


@pytest.mark.parametrize(
    "changes,code",
    [
        ({"iv": None}, runtime.ERR_ARGUMENT),
        ({"iv_len": 63}, runtime.ERR_LENGTH),
        ({"in": None}, runtime.ERR_ARGUMENT),
        ({"out": None}, runtime.ERR_ARGUMENT),
        ({"out_cap": 4 * (21 + 1072) - 1}, runtime.ERR_LENGTH),
        ({"fragment": 16385}, runtime.ERR_LENGTH),
        ({"in_len": 1 << 62}, runtime.ERR_LENGTH),
        ({"version": 0x0301}, runtime.ERR_ARGUMENT),
        ({"version": 0x0304}, runtime.ERR_ARGUMENT),
        ({"sequence": (1 << 64) - 3}, runtime.ERR_LENGTH),
        ({"out": (1 << 21) + 4095}, runtime.ERR_OVERLAP),
        ({"out": (1 << 20) + 63}, runtime.ERR_OVERLAP),
        ({"size": 8}, runtime.ERR_ARGUMENT),
    ],
)
def test_bad_arguments(shared_context: Context, changes: dict[str, object], code: int) -> None:
    """No byte is touched: every address is a bad one."""
    key = shared_context.suite(SUITE).key(bytes(16), bytes(20))
    write = write_of(key, **changes)
    assert shared_context.lib.cst_tls_seal(ctypes.byref(write)) == code


def test_other_keys_are_refused(shared_context: Context) -> None:
    key = shared_context.suite("aes-128-cbc+hmac-sha256-etm").key(bytes(16), bytes(20))
    write = write_of(key)
    assert shared_context.lib.cst_tls_seal(ctypes.byref(write)) == runtime.ERR_ARGUMENT
    assert shared_context.lib.cst_tls_seal(None) == runtime.ERR_ARGUMENT
    with pytest.raises(RuntimeFailure) as failure:
        key.tls_size(100)
    assert failure.value.code == runtime.ERR_ARGUMENT
