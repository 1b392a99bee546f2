"""Each algorithm with each call that takes algorithms, against models that are not the library: a call that cannot do
an algorithm says so, and never answers something else.

The algorithms are those that the library lists, so that a new one is asked at once."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator
from ctypes import addressof, byref, c_char, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

import pytest
from built import suite_names
from cryptostitch import ErasureCode, Protection
from cryptostitch.binding.capi import (
    ERR_ARGUMENT,
    ERR_UNSUPPORTED,
    OK,
    STATE_BYTES,
    ChunkerOptions,
    ChunkStruct,
    ColumnStruct,
    PartStruct,
    ProtectionStruct,
)
from cryptostitch.binding.keys import CrcKey
from cryptostitch.binding.runtime import OPEN, SEAL, Context, Job, Key, RuntimeFailure
from cryptostitch.core.adler import ADLER32, Adler
from cryptostitch.core.crc import CATALOGUE, Crc
from cryptostitch.ladder import oracle
from erasure import encoded, random_blocks

READING = [name for name in suite_names() if oracle.meaning(name).only_reads]
MODELS: dict[str, Crc | Adler] = {**CATALOGUE, "adler32": ADLER32}
WIDTHS = range(8, 65)
SIZES = (0, 1, 3, 64, 300, 5000)
PROTECTING = ("crc16-t10-dif", "crc64-nvme")


def buffer(data: bytes) -> Any:
    return ctypes.create_string_buffer(data, max(len(data), 1))


# ---- Calls that make digests. Each returns the digests of the texts, or raises RuntimeFailure.


def alone(key: Key, texts: list[bytes]) -> list[bytes]:
    return [key.digest(text) for text in texts]


def bursts(key: Key, texts: list[bytes]) -> list[bytes]:
    tags = [bytearray(key.suite.tag_max) for _ in texts]
    context: Any = key.suite.context
    context.burst([Job(key, SEAL, data=text, tag=tag) for text, tag in zip(texts, tags)])
    jobs = [Job(key, OPEN, data=text, tag=tag) for text, tag in zip(texts, tags)]
    context.burst(jobs)
    assert [job.status for job in jobs] == [OK] * len(jobs)
    return [bytes(tag) for tag in tags]


def check(key: Key, code: int) -> None:
    key.suite.context.check(code, "")


def many(key: Key, texts: list[bytes]) -> list[bytes]:
    kept, size = [buffer(text) for text in texts], key.suite.tag_max
    places = (c_void_p * len(texts))(*map(addressof, kept))
    lengths, tags = (c_size_t * len(texts))(*map(len, texts)), (c_char * (size * len(texts)))()
    check(key, key.lib.cst_digest_many(key.handle, len(texts), places, lengths, tags, size, 0))
    return [tags.raw[at : at + size] for at in range(0, len(tags), size)]


def columns(key: Key, texts: list[bytes]) -> list[bytes]:
    data, size = buffer(b"".join(texts)), key.suite.tag_max
    offsets = (c_uint32 * (len(texts) + 1))(*(sum(map(len, texts[:i])) for i in range(len(texts) + 1)))
    tags = (c_char * (size * len(texts)))()
    column = ColumnStruct(key=key.handle, data=addressof(data), data_bytes=offsets[len(texts)])
    column.offsets, column.offset_bytes, column.n = addressof(offsets), 4, len(texts)
    column.tags, column.tag_len = addressof(tags), size
    check(key, key.lib.cst_digest_column(byref(column)))
    return [tags.raw[at : at + size] for at in range(0, len(tags), size)]


def parts(key: Key, texts: list[bytes]) -> list[bytes]:
    """Computes digests in three parts, of which the last one has what is left."""
    states = [(c_uint64 * (STATE_BYTES // 8))() for _ in texts]
    tags = [(c_char * key.suite.tag_max)() for _ in texts]
    for i in range(3):
        array, kept = (PartStruct * len(texts))(*(PartStruct() for _ in texts)), []
        for struct, text, state, tag in zip(array, texts, states, tags):
            kept.append(buffer(text[i * len(text) // 3 : (i + 1) * len(text) // 3]))
            struct.key, struct.state = key.handle, addressof(state)
            setattr(struct, "in", addressof(kept[-1]))
            struct.in_len = (i + 1) * len(text) // 3 - i * len(text) // 3
            if i == 2:
                end_part(struct, tag)
        check(key, key.lib.cst_digest_parts(key.suite.context.handle, array, len(array)))
    return [tag.raw for tag in tags]


def end_part(struct: Any, tag: Any) -> None:
    struct.tag, struct.tag_len = addressof(tag), len(tag)
    if hasattr(struct, "last"):
        struct.last = 1


def chunks(key: Key, texts: list[bytes]) -> list[bytes]:
    """Of texts that are not cut; the empty text has no chunk, and its digest is made by another call."""
    chunker, options = c_void_p(), ChunkerOptions(least_bytes=1 << 14, average_bytes=1 << 15, most_bytes=1 << 16)
    options.key = key.handle
    check(key, key.lib.cst_chunker_new(key.suite.context.handle, byref(options), byref(chunker)))
    found, n, used, made = (ChunkStruct * 2)(), c_size_t(), c_size_t(), []
    for text in texts:
        kept = buffer(text)
        check(
            key,
            key.lib.cst_chunker_feed(chunker, addressof(kept), len(text), 1, found, 2, byref(n), byref(used)),
        )
        assert n.value == (1 if text else 0)
        made.append(bytes(found[0].digest[: key.suite.tag_max]) if text else key.digest(text))
    key.lib.cst_chunker_free(chunker)
    return made


DIGESTS: tuple[Callable[[Key, list[bytes]], list[bytes]], ...] = (alone, bursts, many, columns, parts, chunks)
BLOCK_MACS = ("cmac", "xcbc")  # which cst_digest_parts does not take, as the header says


@pytest.mark.parametrize("call", DIGESTS, ids=[call.__name__ for call in DIGESTS])
@pytest.mark.parametrize("name", READING)
def test_digests(shared_context: Context, name: str, call: Callable[[Key, list[bytes]], list[bytes]]) -> None:
    rng = random.Random(name)
    secrets = oracle.secrets(rng, name)
    key = shared_context.suite(name).key(secrets[0], secrets[1])
    texts = [rng.randbytes(size) for size in SIZES]
    if call is parts and oracle.meaning(name).kind in BLOCK_MACS:
        with pytest.raises(RuntimeFailure) as failure:
            call(key, texts)
        assert failure.value.code == ERR_ARGUMENT
        return
    assert call(key, texts) == [oracle.seal(name, *secrets, b"", b"", text)[1] for text in texts]


# ---- Calls that take checksums.


def checksums(context: Context) -> Iterator[tuple[str, Any, Crc | Adler]]:
    """Returns the library's checksums: those whose numbers can be combined; and a polynomial of each width, both
    ways."""
    for name in READING:
        secrets = oracle.secrets(random.Random(name), name)
        key = context.suite(name).key(secrets[0], secrets[1])
        number = c_uint64()
        if context.lib.cst_checksum_combine(key.handle, 0, 0, 0, byref(number)) == OK:
            yield name, key, MODELS[name]  # KeyError: a checksum without a model
    rng = random.Random(1)
    for width in WIDTHS:
        for reflected in (False, True):
            polynomial, initial, final = (rng.getrandbits(width) for _ in range(3))
            crc = Crc(width, polynomial | 1, initial, final, reflected)
            yield str(crc), CrcKey(context, width, polynomial | 1, initial, final, reflected), crc


def test_all_checksums_are_asked(shared_context: Context) -> None:
    found = [name for name, _, _ in checksums(shared_context)]
    assert set(MODELS) <= set(found) and len(found) == len(MODELS) + 2 * len(WIDTHS)


def test_updates_copies_and_combinations(shared_context: Context) -> None:
    rng = random.Random(2)
    for name, key, model in checksums(shared_context):
        nothing = model.value(b"")
        for size in SIZES:
            data, cut = rng.randbytes(size), rng.randrange(size + 1)
            first, second, whole = model.value(data[:cut]), model.value(data[cut:]), model.value(data)
            out = bytearray(size)
            assert key.checksum(data[:cut], nothing) == first, name
            assert key.checksum(data[cut:], first) == whole, name
            for streaming in (False, True):
                assert key.checksum_copy(data, out, nothing, streaming) == whole and out == data, name
            assert key.combine(first, second, size - cut) == whole, name


def exclusive_or(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b))


def test_codes_with_checksums(shared_context: Context) -> None:
    """A change is refused by cst_code_update_checked where the checksum does not follow, and nothing is written."""
    rng, code, refused = random.Random(3), ErasureCode(4, 2, context=shared_context), set()
    for name, key, model in checksums(shared_context):
        for size in (0, 1, 10, 257):
            blocks = random_blocks(rng, 4, size)
            parity = encoded("cauchy", 2, blocks)
            sums = [model.value(block) for block in [*blocks, *parity]]
            made, found = code.encode_checked(blocks, key)
            assert (list(map(bytes, made)), found) == (parity, sums), name
            assert code.check_blocks([*blocks, *parity], sums, key) == ([], True), name
            change, before = rng.randbytes(size), [bytes(p) for p in made]
            try:
                found = code.update_checked(1, change, made, sums, key)
            except RuntimeFailure as failure:
                assert failure.code == ERR_UNSUPPORTED and list(map(bytes, made)) == before
                refused.add(name)
                continue
            blocks[1] = exclusive_or(blocks[1], change)
            parity = encoded("cauchy", 2, blocks)
            assert list(map(bytes, made)) == parity, name
            assert found == [model.value(block) for block in [*blocks, *parity]], name
            if size:
                blocks[3] = exclusive_or(blocks[3], b"\1" + bytes(size - 1))
                assert code.check_blocks([*blocks, *parity], found, key) == ([3], False), name
    assert refused == {"adler32"}


def test_protection_information(shared_context: Context) -> None:
    """Of the checksums that standards name, and of no others."""
    data, out = random.Random(4).randbytes(3 * 512), ctypes.create_string_buffer(3 * 528)
    for name, key, model in checksums(shared_context):
        if name not in PROTECTING:
            pi = ProtectionStruct(key=key.handle, sector_bytes=512, type=1)
            assert shared_context.lib.cst_pi_insert(byref(pi), data, 3, out) == ERR_ARGUMENT, name
            continue
        sectors = bytes(Protection(key).insert(data))
        size = len(sectors) // 3
        for i in range(3):
            guard = model.value(data[i * 512 :][:512]).to_bytes(model.digest_bytes, "big")
            assert sectors[i * size + 512 :].startswith(guard), name
