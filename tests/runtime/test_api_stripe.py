"""Erasure codes with a checksum of every block: parities and checksums by their definitions, damaged blocks by their
numbers, every kind of bad argument, guard pages."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest
from cryptostitch import ErasureCode
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_OVERLAP
from cryptostitch.binding.keys import CrcKey, Key
from cryptostitch.binding.runtime import Context, RuntimeFailure
from erasure import MATRICES, SHAPES, encoded, random_blocks
from jobs.memory import Guarded
from jobs.samples import LEVELS
from targets import context_for


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def crc_by_definition(data: bytes, width: int, polynomial: int, initial: int, final: int, reflected: bool) -> int:
    """Bit by bit (Rocksoft model)."""
    top, register = 1 << (width - 1), initial
    for byte in data:
        for bit in range(8):
            register ^= top * (byte >> (bit if reflected else 7 - bit) & 1)
            register = register << 1 ^ (polynomial ^ 1 << width if register & top else 0)
            register &= (1 << width) - 1
    if reflected:
        register = int(f"{register:0{width}b}"[::-1], 2)
    return register ^ final


def crc32c(data: bytes) -> int:
    return crc_by_definition(data, 32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, True)


def test_the_definition_of_crc32c() -> None:
    assert crc32c(b"123456789") == 0xE3069283


def changed(rng: random.Random, block: bytes) -> bytes:
    other = bytearray(block)
    other[rng.randrange(len(block))] ^= 1 << rng.randrange(8)
    return bytes(other)


@pytest.mark.parametrize("matrix", MATRICES)
def test_checksums_of_all_blocks(context: Context, matrix: str) -> None:
    rng, key = random.Random(11), context.suite("crc32c").key()
    for data, parity in SHAPES:
        code = ErasureCode(data, parity, matrix, context)
        for size in (0, 1, 63, 300):
            blocks = random_blocks(rng, data, size)
            made, sums = code.encode_checked(blocks, key)
            assert made == encoded(matrix, parity, blocks)
            assert sums == [crc32c(block) for block in [*blocks, *made]]
            assert code.check_blocks([*blocks, *made], sums, key) == ([], True)


def test_checksums_of_many_kinds(context: Context) -> None:
    rng, code = random.Random(12), ErasureCode(10, 4, context=context)
    keys: list[tuple[Key, int]] = [(context.suite(name).key(), 0) for name in ("crc32c", "crc64-nvme", "crc16-t10-dif")]
    initial, final = 0x123456789, 0x987654321
    keys.append((CrcKey(context, 61, 0x1234567890ABCDEF, initial, final), initial ^ final))
    whole = random_blocks(rng, 10, 2305)
    parity = encoded("cauchy", 4, whole)
    for size in (255, 256, 257, 2047, 2048, 2049, 2305):
        blocks = [block[:size] for block in whole]
        for key, start in keys:
            made, sums = code.encode_checked(blocks, key)
            assert made == [p[:size] for p in parity]
            assert sums == [key.checksum(block, start) for block in [*blocks, *made]], size


@pytest.mark.parametrize("shape", [(10, 4), (250, 5)])
def test_blocks_of_several_pieces(shared_context: Context, shape: tuple[int, int]) -> None:
    """Blocks that together are larger than the caches of a core."""
    data, parity = shape
    rng, key = random.Random(16), shared_context.suite("crc32c").key()
    code = ErasureCode(data, parity, context=shared_context)
    for size in ((4 << 20) // (data + parity), (5 << 20) // (data + parity) // 256 * 256):
        blocks: list[Any] = random_blocks(rng, data, size)
        made, sums = code.encode_checked(blocks, key)
        assert made == code.encode(blocks)
        assert sums == [key.checksum(block) for block in [*blocks, *made]]
        change = rng.randbytes(size)
        blocks[3] = (int.from_bytes(blocks[3], "big") ^ int.from_bytes(change, "big")).to_bytes(size, "big")
        sums = code.update_checked(3, change, made, sums, key)
        assert (made, sums) == code.encode_checked(blocks, key)
        assert code.check_blocks([*blocks, *made], sums, key) == ([], True)
        made[1][-1] ^= 1
        assert code.check_blocks([*blocks, *made], sums, key) == ([data + 1], False)


def test_damaged_blocks_are_named(context: Context) -> None:
    rng, key, size = random.Random(13), context.suite("crc32c").key(), 5000
    code = ErasureCode(6, 3, context=context)
    blocks = random_blocks(rng, 6, size)
    parity, sums = code.encode_checked(blocks, key)
    whole = [*blocks, *map(bytes, parity)]
    for count in range(1, 10):
        damaged = sorted(rng.sample(range(9), count))
        seen = [changed(rng, block) if i in damaged else block for i, block in enumerate(whole)]
        assert code.check_blocks(seen, sums, key) == (damaged, False)
        if count <= 3:
            assert code.decode([None if i in damaged else block for i, block in enumerate(seen)]) == whole
    for i in range(9):  # a checksum is damaged, and its block is not
        wrong = [value ^ (i == j) for j, value in enumerate(sums)]
        assert code.check_blocks(whole, wrong, key) == ([i], False)
    # Every block is as its checksum says, but one is of another stripe.
    other = rng.randbytes(size)
    assert code.check_blocks([other, *whole[1:]], [key.checksum(other), *sums[1:]], key) == ([], False)


def test_a_changed_block_with_its_checksums(context: Context) -> None:
    rng, code = random.Random(14), ErasureCode(5, 3, context=context)
    for key in (context.suite("crc32c").key(), context.suite("crc32-bzip2").key()):
        for size in (0, 1, 256, 4999):
            blocks = random_blocks(rng, 5, size)
            parity, sums = code.encode_checked(blocks, key)
            index, change = rng.randrange(5), rng.randbytes(size)
            blocks[index] = bytes(a ^ b for a, b in zip(blocks[index], change))
            sums = code.update_checked(index, change, parity, sums, key)
            assert (parity, sums) == code.encode_checked(blocks, key)
    with pytest.raises(IndexError, match="no block 5"):
        code.update_checked(5, change, parity, sums, key)


def test_what_cannot_be_checked(shared_context: Context) -> None:
    """Nothing is written."""
    code, lib = ErasureCode(2, 1, context=shared_context), shared_context.lib
    key, other = shared_context.suite("crc32c").key(), shared_context.suite("sha256").key()
    memory = ctypes.create_string_buffer(bytes(range(250)) * 2, 500)
    at, before = ctypes.addressof(memory), memory.raw

    def pointers(*offsets: int | None) -> Any:
        return (ctypes.c_void_p * len(offsets))(*(None if o is None else at + o for o in offsets))

    data, parity, sums = pointers(0, 100), pointers(200), at + 304
    encode, update = lib.cst_code_encode_checked, lib.cst_code_update_checked
    for handle, of, data_, parity_, sums_, error in (
        (None, key.handle, data, parity, sums, ERR_ARGUMENT),
        (code.handle, None, data, parity, sums, ERR_ARGUMENT),
        (code.handle, other.handle, data, parity, sums, ERR_ARGUMENT),
        (code.handle, key.handle, None, parity, sums, ERR_ARGUMENT),
        (code.handle, key.handle, data, None, sums, ERR_ARGUMENT),
        (code.handle, key.handle, data, parity, None, ERR_ARGUMENT),
        (code.handle, key.handle, pointers(0, None), parity, sums, ERR_ARGUMENT),
        (code.handle, key.handle, data, pointers(150), sums, ERR_OVERLAP),
        (code.handle, key.handle, data, parity, at + 280, ERR_OVERLAP),
        (code.handle, key.handle, data, parity, at + 96, ERR_OVERLAP),
    ):
        assert encode(handle, of, 100, data_, parity_, sums_) == error
        if data_ is data:
            change = at if parity_ is not None and parity_[0] == at + 200 else at + 150
            assert update(handle, of, 100, 0, change, parity_, sums_) == error
    assert update(code.handle, key.handle, 100, 2, at, parity, sums) == ERR_ARGUMENT
    assert update(code.handle, key.handle, 100, 0, None, parity, sums) == ERR_ARGUMENT
    assert update(code.handle, key.handle, 100, 0, at, parity, sums) == ERR_ARGUMENT  # a number of more than 32 bits
    blocks, right, bad = pointers(0, 100, 200), ctypes.c_int(7), (ctypes.c_uint8 * 3)()
    given = (code.handle, key.handle, 100, blocks, sums, bad, ctypes.byref(right))
    for i in (0, 1, 3, 4, 5, 6):
        assert lib.cst_code_check_blocks(*(None if i == j else a for j, a in enumerate(given))) == ERR_ARGUMENT
    assert lib.cst_code_check_blocks(code.handle, other.handle, *given[2:]) == ERR_ARGUMENT
    assert lib.cst_code_check_blocks(*given[:3], pointers(0, None, 200), *given[4:]) == ERR_ARGUMENT
    assert memory.raw == before
    assert right.value == 7
    with pytest.raises(ValueError, match="2 checksums, not 3"):
        code.check_blocks([b"a", b"b", b"c"], [1, 2], key)
    with pytest.raises(RuntimeFailure, match="not one of a checksum"):
        code.encode_checked([b"a", b"b"], other)


@pytest.mark.parametrize("at_end", (False, True))
def test_checked_blocks_at_guard_pages(context: Context, at_end: bool) -> None:
    rng, memory, key = random.Random(15), Guarded(12, 2, at_end), context.suite("crc32c").key()
    code, lib = ErasureCode(6, 3, context=context), context.lib
    for size in (1, 15, 33, 256, 257, 4096, 4099):
        data = random_blocks(rng, 6, size)
        ins = (ctypes.c_void_p * 6)(*(memory.put(block, writable=False) for block in data))
        outs = [memory.put(bytes(size)) for _ in range(3)]
        sums = (ctypes.c_uint64 * 9)()
        out = (ctypes.c_void_p * 3)(*outs)
        assert lib.cst_code_encode_checked(code.handle, key.handle, size, ins, out, sums) == 0
        parity = encoded("cauchy", 3, data)
        for address, block in zip(outs, parity):
            memory.expect(address, block)
        assert list(sums) == [key.checksum(block) for block in [*data, *parity]]
        assert not memory.problem()
        memory.clear()
