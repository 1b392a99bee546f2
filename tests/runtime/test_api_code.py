"""Erasure codes: parities against sums of products byte by byte and against ISA-L's, every loss restored, every length,
each kernel by name, guard pages, and what is no code."""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools
import random
from typing import Any

import pytest
from built import kernel_names
from cryptostitch import ErasureCode
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_LOST, ERR_NAME, ERR_OVERLAP, ERR_UNSUPPORTED, CodeShape
from cryptostitch.binding.runtime import Context, RuntimeFailure
from erasure import MATRICES, SHAPES, encoded, random_blocks
from jobs.memory import Guarded
from jobs.samples import LEVELS
from targets import context_for


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.mark.parametrize("matrix", MATRICES)
def test_parities(context: Context, matrix: str) -> None:
    rng = random.Random(1)
    for data, parity in SHAPES:
        code = ErasureCode(data, parity, matrix, context)
        for size in (0, 1, 31, 256, 700, 5000):
            blocks = random_blocks(rng, data, size)
            made = code.encode(blocks)
            assert made == encoded(matrix, parity, blocks), (data, parity, size)
            assert code.check([*blocks, *made])
            if size:
                made[-1][rng.randrange(size)] ^= 1 << rng.randrange(8)
                assert not code.check([*blocks, *made])


def test_every_length(context: Context) -> None:
    rng, code = random.Random(2), ErasureCode(5, 3, context=context)
    whole = random_blocks(rng, 5, 1100)
    parity = encoded("cauchy", 3, whole)
    for size in range(1100):
        assert code.encode([b[:size] for b in whole]) == [p[:size] for p in parity]


@pytest.mark.parametrize("name", [n for n in kernel_names() if n.startswith("codec")])
def test_every_kernel(shared_context: Context, name: str) -> None:
    """Alone, of fewer and of more inputs and outputs than it has."""
    try:
        kernel = shared_context.kernel(name)
    except RuntimeFailure as failure:
        assert failure.code == ERR_UNSUPPORTED
        pytest.skip("this CPU cannot run it")
    rng, before = random.Random(3), kernel.calls()
    for data, parity in SHAPES:
        code = ErasureCode(data, parity, context=shared_context, kernel=name)
        blocks = random_blocks(rng, data, 4 * 256 + 77)
        made = code.encode(blocks)
        assert made == encoded("cauchy", parity, blocks)
        changed, change = rng.randrange(data), rng.randbytes(len(blocks[0]))
        blocks[changed] = bytes(a ^ b for a, b in zip(blocks[changed], change))
        code.update(changed, change, made)
        assert made == encoded("cauchy", parity, blocks)
    assert kernel.calls() > before


def test_every_loss_of_ten_and_four(shared_context: Context) -> None:
    rng, code = random.Random(4), ErasureCode(10, 4, context=shared_context)
    data = random_blocks(rng, 10, 100)
    whole: list[Any] = [*data, *code.encode(data)]
    patterns = list(itertools.combinations(range(14), 4))
    assert len(patterns) == 1001
    for lost in patterns:
        assert code.decode([None if i in lost else b for i, b in enumerate(whole)]) == whole


def test_random_losses(context: Context) -> None:
    rng = random.Random(5)
    for data, parity in ((1, 1), (3, 2), (16, 2), (100, 20), (250, 5), (3, 252)):
        code = ErasureCode(data, parity, context=context)
        blocks = random_blocks(rng, data, 300)
        whole: list[Any] = [*blocks, *code.encode(blocks)]
        for _ in range(8):
            lost = rng.sample(range(data + parity), rng.randint(0, parity))
            assert code.decode([None if i in lost else b for i, b in enumerate(whole)]) == whole


def test_raid6_restores_any_two(context: Context) -> None:
    rng, code = random.Random(6), ErasureCode(7, 2, "vandermonde", context)
    data = random_blocks(rng, 7, 513)
    whole: list[Any] = [*data, *code.encode(data)]
    assert bytes(whole[7]) == bytes(a ^ b ^ c ^ d ^ e ^ f ^ g for a, b, c, d, e, f, g in zip(*data))
    for lost in itertools.combinations(range(9), 2):
        assert code.decode([None if i in lost else b for i, b in enumerate(whole)]) == whole


def test_what_cannot_be_restored(shared_context: Context) -> None:
    code = ErasureCode(4, 2, context=shared_context)
    with pytest.raises(RuntimeFailure) as failure:
        code.decode([None, None, None, b"d", b"p", b"q"])
    assert failure.value.code == ERR_LOST
    # x^(3 j) has the period 85: with parities 0 and 3 data 0 and 85 cannot be told apart.
    code = ErasureCode(86, 4, "vandermonde", shared_context)
    blocks = random_blocks(random.Random(7), 86, 8)
    whole: list[Any] = [*blocks, *code.encode(blocks)]
    for lost, restored in (({0, 85, 87, 88}, False), ({0, 84, 87, 88}, True), ({0, 85, 86, 89}, True)):
        missing = [None if i in lost else b for i, b in enumerate(whole)]
        if restored:
            assert code.decode(missing) == whole
            continue
        with pytest.raises(RuntimeFailure) as failure:
            code.decode(missing)
        assert failure.value.code == ERR_LOST


def test_parities_of_isa_l(shared_context: Context) -> None:
    name = ctypes.util.find_library("isal")
    if not name:
        pytest.skip("no ISA-L here")
    isal, rng = ctypes.CDLL(name), random.Random(8)
    for matrix, made in (("cauchy", isal.gf_gen_cauchy1_matrix), ("vandermonde", isal.gf_gen_rs_matrix)):
        for data, parity in ((10, 4), (16, 2), (23, 7)):
            rows = (ctypes.c_ubyte * ((data + parity) * data))()
            made(rows, data + parity, data)
            tables = (ctypes.c_ubyte * (32 * data * parity))()
            isal.ec_init_tables(data, parity, ctypes.byref(rows, data * data), tables)
            size = 4096
            blocks = random_blocks(rng, data, size)
            ins = [ctypes.create_string_buffer(b, size) for b in blocks]
            outs = [ctypes.create_string_buffer(size) for _ in range(parity)]
            pointers = [(ctypes.c_void_p * len(x))(*map(ctypes.addressof, x)) for x in (ins, outs)]
            isal.ec_encode_data(size, data, parity, tables, *pointers)
            assert ErasureCode(data, parity, matrix, shared_context).encode(blocks) == [o.raw for o in outs]


def test_what_is_no_code(shared_context: Context) -> None:
    for data, parity in ((0, 1), (1, 0), (255, 1), (1, 2**32 - 1)):
        with pytest.raises(RuntimeFailure) as failure:
            ErasureCode(data, parity, context=shared_context)
        assert failure.value.code == ERR_ARGUMENT
    with pytest.raises(ValueError, match="cauchy or vandermonde"):
        ErasureCode(2, 2, "hilbert", shared_context)
    for kernel in ("sha1_x16@avx512", "codec9"):
        with pytest.raises(RuntimeFailure) as failure:
            ErasureCode(2, 2, context=shared_context, kernel=kernel)
        assert failure.value.code == ERR_NAME
    lib, made = shared_context.lib, ctypes.c_void_p()
    shape = CodeShape(data=2, parity=1, matrix=2)
    assert lib.cst_code_new(shared_context.handle, ctypes.byref(shape), ctypes.byref(made)) == ERR_ARGUMENT
    shape.matrix, shape.size = 0, 8
    assert lib.cst_code_new(shared_context.handle, ctypes.byref(shape), ctypes.byref(made)) == ERR_ARGUMENT
    assert not made
    lib.cst_code_free(None)


def test_bad_blocks(shared_context: Context) -> None:
    """Nothing is written."""
    code, lib = ErasureCode(2, 1, context=shared_context), shared_context.lib
    memory = ctypes.create_string_buffer(bytes(range(200)) * 2, 400)
    at, before = ctypes.addressof(memory), memory.raw
    handle = code.handle

    def pointers(*offsets: int | None) -> Any:
        return (ctypes.c_void_p * len(offsets))(*(None if o is None else at + o for o in offsets))

    for data, parity, error in (
        (pointers(0, 100), pointers(199), ERR_OVERLAP),
        (pointers(0, 100), pointers(1), ERR_OVERLAP),
        (pointers(0, 100), pointers(0), ERR_OVERLAP),
        (pointers(0, None), pointers(200), ERR_ARGUMENT),
        (pointers(0, 100), pointers(None), ERR_ARGUMENT),
        (None, pointers(200), ERR_ARGUMENT),
    ):
        assert lib.cst_code_encode(handle, 100, data, parity) == error
    assert lib.cst_code_update(handle, 100, 2, at, pointers(200)) == ERR_ARGUMENT
    assert lib.cst_code_update(handle, 100, 0, at + 150, pointers(200)) == ERR_OVERLAP
    lost = (ctypes.c_uint8 * 3)(1, 0, 0)
    assert lib.cst_code_decode(handle, 100, pointers(50, 100, 200), lost) == ERR_OVERLAP
    assert lib.cst_code_decode(handle, 100, pointers(0, None, 200), lost) == ERR_ARGUMENT
    assert lib.cst_code_check(handle, 100, pointers(0, 100, 200), None) == ERR_ARGUMENT
    assert memory.raw == before
    # Inputs may be the same; a lost block without a place is left out.
    assert lib.cst_code_decode(handle, 100, pointers(None, 100, 200), lost) == 0
    assert memory.raw == before
    with pytest.raises(ValueError, match="of 1 and of 2 bytes"):
        code.encode([b"a", b"bb"])
    with pytest.raises(ValueError, match="3 blocks, not 2"):
        code.encode([b"a", b"b", b"c"])


def test_several_threads(shared_context: Context) -> None:
    from concurrent.futures import ThreadPoolExecutor

    code, rng = ErasureCode(10, 4, context=shared_context), random.Random(9)
    sets = [random_blocks(rng, 10, 3000) for _ in range(16)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(code.encode, sets)) == [encoded("cauchy", 4, blocks) for blocks in sets]


@pytest.mark.parametrize("at_end", (False, True))
def test_guard_pages(context: Context, at_end: bool) -> None:
    """Inputs where nothing can be written, and every block at the edge of its pages."""
    rng, memory = random.Random(10), Guarded(12, 1, at_end)
    code, lib = ErasureCode(6, 3, context=context), context.lib
    for size in (1, 15, 33, 256, 257, 700, 4096):
        data = random_blocks(rng, 6, size)
        ins = (ctypes.c_void_p * 6)(*(memory.put(block, writable=False) for block in data))
        outs = [memory.put(bytes(size)) for _ in range(3)]
        assert lib.cst_code_encode(code.handle, size, ins, (ctypes.c_void_p * 3)(*outs)) == 0
        for address, parity in zip(outs, encoded("cauchy", 3, data)):
            memory.expect(address, parity)
        assert not memory.problem()
        memory.clear()
