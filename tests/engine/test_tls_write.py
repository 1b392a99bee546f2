"""cst_tls_seal against the oracle's opener: a long text as records, their headers, numbers and IVs, and nothing beside
them (tests/runtime/test_api_tls.py has its arguments)."""

from __future__ import annotations

import random
from ctypes import byref

import pytest
from cryptostitch.binding.runtime import Context, TlsWrite
from engine.records import SUITES, Connection
from hypothesis import given
from hypothesis import strategies as st
from jobs.memory import Arena
from jobs.samples import EDGES, LANES
from jobs.strategies import effort
from jobs.tls_oracle import MOST_TEXT

HEADER, IV = 5, 16
LAST = 1 << 64


def written(
    connection: Connection, arena: Arena, text: bytes, fragment: int, sequence: int, kind: int, version: int, shift: int
) -> tuple[bytes, bytes]:
    """(all records, their IVs)."""
    arena.clear()
    records, size = connection.key.tls_size(len(text), fragment)
    ivs = random.Random(len(text)).randbytes(IV * records)
    write = TlsWrite(key=connection.key.handle, sequence=sequence, type=kind, version=version, fragment=fragment)
    write.iv, write.iv_len = arena.put(ivs, 5), len(ivs)
    setattr(write, "in", arena.put(text, shift))
    write.in_len = len(text)
    write.out, write.out_cap = arena.put(bytes(size + 7), shift * 3), size + 7
    code = connection.context.lib.cst_tls_seal(byref(write))
    assert (code, write.records, write.out_len) == (0, records, size)
    at = arena.offset(write.out)
    stream = bytes(arena.raw[at : at + size])
    arena.expect(write.out, stream)
    assert not arena.problem(), arena.problem()
    return stream, ivs


@pytest.mark.parametrize("suite", SUITES)
def test_any_write(host: Context, suite: str) -> None:
    arena, connection = Arena(2 << 20), Connection(host, suite)
    lengths = st.one_of(st.sampled_from(EDGES), st.integers(0, 3000), st.integers(0, 200_000))

    @effort(quick=25, long=500)
    @given(
        length=lengths,
        fragment=st.one_of(st.just(0), st.integers(16, 400), st.integers(1, MOST_TEXT), st.just(MOST_TEXT)),
        back=st.integers(0, 2**40),
        kind=st.sampled_from((20, 21, 22, 23, 255)),
        version=st.sampled_from((0x0302, 0x0303)),
        shift=st.integers(0, 63),
    )
    def any_write(length: int, fragment: int, back: int, kind: int, version: int, shift: int) -> None:
        if fragment and length > 60 * LANES * fragment:
            length = 60 * LANES * fragment
        text = random.Random(length).randbytes(length)
        records = connection.key.tls_size(length, fragment)[0]
        sequence = LAST - records - back  # the last record's number may be the last there is
        stream, ivs = written(connection, arena, text, fragment, sequence, kind, version, shift)
        found, number = [], 0
        while stream:
            head, size = stream[:3], int.from_bytes(stream[3:HEADER], "big")
            assert head == bytes([kind]) + version.to_bytes(2, "big") and len(stream) >= HEADER + size
            iv, record, stream = (
                stream[HEADER : HEADER + IV],
                stream[HEADER + IV : HEADER + size],
                stream[HEADER + size :],
            )
            assert iv == ivs[IV * number : IV * number + IV]
            opened = connection.tls.open(iv, (sequence + number).to_bytes(8, "big") + head, record)
            assert opened is not None and len(opened) <= (fragment or MOST_TEXT), number
            assert connection.tls.seal(iv, (sequence + number).to_bytes(8, "big") + head, opened) == record, (
                "the fewest bytes of padding"
            )
            found.append(opened)
            number += 1
        assert b"".join(found) == text and number == records
        assert all(len(part) == (fragment or len(found[0])) for part in found[:-1])

    any_write()
