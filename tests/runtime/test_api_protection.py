"""Sectors with protection information, against protection_model.py: sizes of sectors, numbers of them, tags that
overflow, every field damaged, escapes, guard pages, each kernel by name, and arguments that are refused."""

from __future__ import annotations

import dataclasses
import pickle
import random
from ctypes import byref
from typing import Any

import pytest
from built import kernel_names
from cryptostitch import Protection, SectorFault
from cryptostitch.binding import capi
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_AUTH, ERR_LENGTH, ERR_OVERLAP, OK
from cryptostitch.binding.runtime import Address, Context, RuntimeFailure
from jobs.memory import Guarded
from jobs.samples import LEVELS
from protection_model import BITS, Model
from targets import context_for

SUITES = sorted(BITS)
SECTORS = (512, 520, 4096, 4104, 1, 17, 255, 5000)
"""Of real disks, and of lengths that make other ends of kernels."""


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.fixture(params=SUITES)
def suite(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def protection(context: Context, model: Model) -> Protection:
    given = {f.name: getattr(model, f.name) for f in dataclasses.fields(model) if f.name != "suite"}
    return Protection(context.suite(model.suite).key(), **given)


def any_model(rng: random.Random, suite: str, sector: int) -> Model:
    bits = rng.choice((0, 0, 1, 18, BITS[suite][1]))
    return Model(
        suite,
        sector,
        rng.choice((1, 2, 3)),
        application=rng.getrandbits(16) & 0xFFFE,
        application_ignored=rng.choice((0, 0, 0xFF, 0x8001)),
        storage=rng.getrandbits(bits),
        storage_bits=bits,
        streaming=rng.random() < 0.5,
    )


def found(its: Protection, sectors: Any, reference: int) -> tuple[int, list[str]]:
    """Returns the result of `check`."""
    try:
        its.check(sectors, reference)
    except SectorFault as fault:
        assert fault.code == ERR_AUTH
        return fault.sector, sorted(fault.fields)
    return len(sectors) // its.sector_bytes, []


def test_guards_of_the_standards(context: Context) -> None:
    """NVM Command Set specification, "64b CRC Test Cases"; SBC-4, 4.21, examples of CRCs: zeros, ones, counting."""
    up, down = bytes(range(256)), bytes(range(255, -1, -1))
    texts = [pattern * 16 for pattern in (bytes(256), b"\xff" * 256, up, down)]
    its = Protection(context.suite("crc64-nvme").key(), 4096, application=0x1234)
    guards = (0x6482D367EB22B64E, 0xC0DDBA7302ECA3AC, 0x3E729F5F6750449C, 0x9A2DF64B8E9E517E)
    made = its.insert(b"".join(texts), 0xFFFFFFFFFFFE)
    references = (0xFFFFFFFFFFFE, 0xFFFFFFFFFFFF, 0, 1)
    for i, (text, guard, reference) in enumerate(zip(texts, guards, references)):
        behind = guard.to_bytes(8, "big") + b"\x12\x34" + reference.to_bytes(6, "big")
        assert made[4112 * i : 4112 * (i + 1)] == text + behind
    its = Protection(context.suite("crc16-t10-dif").key(), 32, application=0x1234)
    texts = [bytes(32), b"\xff" * 32, up[:32], b"\xff\xff" + bytes(30), down[:32]]
    made = its.insert(b"".join(texts), 0x100FFFFFFFF)
    guards = (0, 0xA293, 0x0224, 0x21B8, 0xA0B7)
    for i, (text, guard, tag) in enumerate(zip(texts, guards, (0xFFFFFFFF, 0, 1, 2, 3))):
        behind = guard.to_bytes(2, "big") + b"\x12\x34" + tag.to_bytes(4, "big")
        assert made[40 * i : 40 * (i + 1)] == text + behind


@pytest.mark.parametrize("sector", SECTORS)
def test_sectors(context: Context, suite: str, sector: int) -> None:
    """Any number of them, at any alignment."""
    rng = random.Random(sector)
    for n in range(9):
        model = any_model(rng, suite, sector)
        its, reference = protection(context, model), rng.choice((0, 2**32 - 2, 2**48 - 3, rng.getrandbits(64)))
        if reference + n >= 1 << 64:
            reference = 5
        data, at = rng.randbytes(n * sector), rng.randrange(64)
        whole = model.insert(data, reference)
        room, from_ = bytearray(b"x" * (len(whole) + 64)), bytearray(at) + data
        out = memoryview(room)[at : at + len(whole)]
        its.insert(memoryview(from_)[at:], reference, out)
        assert room == b"x" * at + whole + b"x" * (64 - at)
        assert found(its, out, reference) == (n, [])
        plain = bytearray(b"y" * (len(data) + 64))
        its.strip(out, reference, memoryview(plain)[64 - at : 64 - at + len(data)])
        assert plain == b"y" * (64 - at) + data + b"y" * at


def test_many_sectors(context: Context, suite: str) -> None:
    model, rng = Model(suite, 512, application=7), random.Random(1)
    its, data = protection(context, model), rng.randbytes(512 * 300)
    assert its.insert(data, 10**9) == model.insert(data, 10**9)
    assert its.strip(its.insert(data, 3), 3) == data


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_damage(shared_context: Context, suite: str, kind: int, streaming: bool) -> None:
    """Every bit behind the sector in the middle, and some of its data."""
    rng, n, bad = random.Random(kind), 3, 1
    model = Model(suite, 64, kind, (), 0x5A5A, storage=0x2A, storage_bits=7, streaming=streaming)
    its, data = protection(shared_context, model), rng.randbytes(64 * n)
    whole, names = model.insert(data, 0xFFFF), set()
    for bit in [rng.randrange(512), *range(512, 8 * its.sector_bytes)]:
        damaged = bytearray(whole)
        damaged[bad * its.sector_bytes + bit // 8] ^= 128 >> bit % 8
        sector, fields = found(its, damaged, 0xFFFF)
        assert (sector, fields) == model.faults(damaged, 0xFFFF) and sector == bad and len(fields) == 1
        names.update(fields)
        kept, out = bytes(damaged), bytearray(b"x" * len(data))
        with pytest.raises(SectorFault) as fault:
            its.strip(damaged, 0xFFFF, out)
        assert (fault.value.sector, fault.value.fields) == (bad, fields) and damaged == kept
        assert out == data[: 64 * bad] + bytes(64) + b"x" * 64 * (n - bad - 1)
        for ignored in (fields, ["guard", "application", "reference", "storage"]):
            lax = protection(shared_context, dataclasses.replace(model, ignored=tuple(ignored)))
            lax.check(damaged, 0xFFFF)
            assert len(lax.strip(damaged, 0xFFFF)) == len(data)
    assert names == {"guard", "application", "reference", "storage"}


def test_any_damage(context: Context, suite: str) -> None:
    """Of any sectors and fields at once; misplaced sectors; another beginning."""
    rng = random.Random(2)
    for _ in range(150):
        model = any_model(rng, suite, rng.choice((16, 100)))
        model = dataclasses.replace(
            model, ignored=tuple(rng.sample(["guard", "application", "reference"], rng.choice((0, 1))))
        )
        its, n = protection(context, model), rng.randrange(1, 6)
        whole = bytearray(model.insert(rng.randbytes(n * model.sector), 99))
        for _ in range(rng.choice((0, 1, 1, 2, 5))):
            at = rng.randrange(n) * its.sector_bytes + model.sector + rng.randrange(model.behind)
            whole[at] = rng.choice((0xFF, whole[at] ^ 1 << rng.randrange(8)))
        if rng.random() < 0.2:
            whole = whole[-its.sector_bytes :] + whole[: -its.sector_bytes]
        reference = rng.choice((99, 99, 99, 98))
        sector, fields = model.faults(whole, reference)
        assert found(its, whole, reference) == (sector, sorted(fields))


@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("storage_bits", [0, 8, 48])
def test_escapes(shared_context: Context, suite: str, kind: int, storage_bits: int) -> None:
    """An application tag of all ones, in type 3 with a reference tag of all ones, if there is one; nothing less."""
    bits = min(storage_bits, BITS[suite][1])
    model = Model(suite, 32, kind, storage_bits=bits)
    its, ones = protection(shared_context, model), (1 << BITS[suite][1] - bits) - 1
    data = bytes(range(96))
    for application in (0xFFFF, 0xFFFE, 0x7FFF):
        for reference in {ones, ones >> 1, ones - 1 & ones, 0}:
            fields = model.unpack(model.insert(data, 0)[32 : its.sector_bytes])
            fields |= {"guard": fields["guard"] ^ 1, "application": application, "reference": reference}
            whole = bytearray(model.insert(data, 0))
            whole[its.sector_bytes + 32 : 2 * its.sector_bytes] = model.pack(fields)
            escaped = application == 0xFFFF and (kind < 3 or reference == ones)
            assert model.escaped(fields) == escaped
            sector, names = found(its, whole, 0)
            assert (sector, names) == (3, []) if escaped else sector == 1 and {"application", "guard"} <= set(names)
            if escaped:
                assert its.strip(whole, 0) == data


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("at_end", [False, True])
def test_guard_pages(context: Context, suite: str, at_end: bool, streaming: bool) -> None:
    memory, rng = Guarded(2, 3, at_end), random.Random(3)
    for sector, n in ((512, 3), (4096, 2), (1, 1), (33, 5)):
        model = Model(suite, sector, streaming=streaming)
        its, data = protection(context, model), rng.randbytes(n * sector)
        whole = model.insert(data, 1)
        for source, result, function in ((data, whole, its.insert), (whole, data, its.strip)):
            memory.clear()
            from_ = Address(memory.put(source, writable=False), len(source))
            out = memory.put(bytes(len(result)))
            memory.expect(out, result)
            function(from_, 1, Address(out, len(result)))
            assert not memory.problem()
        memory.clear()
        its.check(Address(memory.put(whole, writable=False), len(whole)), 1)


@pytest.mark.parametrize("name", [n for n in kernel_names() if n.startswith("crc_")])
def test_every_kernel(library: str, name: str) -> None:
    suite = "crc64-nvme" if "reflected" in name else "crc16-t10-dif"
    context, rng = Context(library=library), random.Random(4)
    if not context.try_force(suite, name):
        pytest.skip("this CPU cannot run it")
    for sector in (1, 255, 512, 4096):
        model, before = Model(suite, sector), context.kernel(name).calls()
        its, data = protection(context, model), rng.randbytes(3 * sector)
        whole = its.insert(data, 8)
        assert whole == model.insert(data, 8)
        assert its.strip(whole, 8) == data
        assert context.kernel(name).calls() == before + 6


def test_what_python_refuses(shared_context: Context) -> None:
    key = shared_context.suite("crc16-t10-dif").key()
    other = shared_context.suite("crc32c").key()
    for call, error, text in (
        (lambda: Protection(other), ValueError, "crc16-t10-dif or crc64-nvme"),
        (lambda: Protection(None), TypeError, "NoneType"),  # type: ignore[arg-type]
        (lambda: Protection(key, ignored=["tag"]), ValueError, "no field 'tag'"),
        (lambda: Protection(key, application=1 << 16), OverflowError, "16 bits"),
        (lambda: Protection(key).insert(bytes(511)), ValueError, "511 bytes"),
        (lambda: Protection(key).check(bytes(512)), ValueError, "520"),
        (lambda: Protection(key).strip(bytes(520), out=bytearray(511)), ValueError, "an output of 511"),
        (lambda: Protection(key).insert(bytes(512), out=bytes(520)), TypeError, "writable"),
        (lambda: Protection(key).insert(bytes(512), 1 << 64), OverflowError, "64 bits"),
    ):
        with pytest.raises(error, match=text):
            call()
    for wrong in ({"type": 0}, {"type": 4}, {"storage": 1}, {"storage_bits": 33}, {"storage": 4, "storage_bits": 2}):
        with pytest.raises(RuntimeFailure) as failure:
            Protection(key, **wrong)
        assert failure.value.code == ERR_ARGUMENT
    with pytest.raises(RuntimeFailure) as failure:
        Protection(key, 0)
    assert failure.value.code == ERR_LENGTH
    closed = shared_context.suite("crc16-t10-dif").key()
    its = Protection(closed)
    closed.close()
    with pytest.raises(RuntimeFailure, match="closed"):
        its.insert(bytes(512))
    fault = SectorFault(RuntimeFailure(ERR_AUTH, "x", "y"), 3, ["guard"])
    again = pickle.loads(pickle.dumps(fault))
    assert (again.sector, again.fields, str(again)) == (3, ["guard"], str(fault))
    assert "sector 3 does not match: guard" in str(fault)


def test_what_c_refuses(shared_context: Context) -> None:
    lib, key = shared_context.lib, shared_context.suite("crc64-nvme").key()
    other = shared_context.suite("sha256").key()
    memory = (capi.c_uint8 * 4096)(*([7] * 4096))
    base = capi.ctypes.addressof(memory)

    def pi(**given: Any) -> Any:
        return capi.ProtectionStruct(**{"key": key.handle, "sector_bytes": 512, "type": 1} | given)

    def fault(size: int | None = None) -> Any:
        made: Any = capi.ProtectionFault(sector=77, fields=78)
        made.size = made.size if size is None else size
        return made

    small = pi()
    small.size -= 1
    for given, code in (
        (None, ERR_ARGUMENT),
        (small, ERR_ARGUMENT),
        (pi(key=None), ERR_ARGUMENT),
        (pi(key=other.handle), ERR_ARGUMENT),
        (pi(type=0), ERR_ARGUMENT),
        (pi(type=4), ERR_ARGUMENT),
        (pi(ignored=16), ERR_ARGUMENT),
        (pi(flags=2), ERR_ARGUMENT),
        (pi(storage_bits=49), ERR_ARGUMENT),
        (pi(storage_tag=1), ERR_ARGUMENT),
        (pi(storage_tag=8, storage_bits=3), ERR_ARGUMENT),
        (pi(sector_bytes=0), ERR_LENGTH),
        (pi(sector_bytes=2**64 - 16), ERR_LENGTH),
        (pi(sector_bytes=2**63), ERR_LENGTH),
    ):
        told = fault()
        n = 2 if code == ERR_LENGTH else 1
        at = None if given is None else byref(given)
        assert lib.cst_pi_insert(at, base, n, base + 2048) == code
        assert lib.cst_pi_check(at, base, n, byref(told)) == code
        assert lib.cst_pi_strip(at, base, n, base + 2048, byref(told)) == code
        assert (told.sector, told.fields) == (77, 78)
    right, top = pi(), 2**64 - 100
    for start, n, out, code in (
        (base, 1, base + 1000, OK),
        (None, 1, base, ERR_ARGUMENT),
        (base, 1, None, ERR_ARGUMENT),
        (None, 0, None, OK),
        (top, 1, base, ERR_LENGTH),
        (base, 1, top, ERR_LENGTH),
        (base, 1, base, ERR_OVERLAP),
        (base + 511, 1, base, ERR_OVERLAP),
        (base, 1, base + 511, ERR_OVERLAP),
    ):
        assert lib.cst_pi_insert(byref(right), start, n, out) == code
    whole = bytes(memory[1000 : 1000 + 528])
    for start, n, out, code in (
        (base + 1000, 1, base, OK),
        (None, 1, base, ERR_ARGUMENT),
        (base, 1, None, ERR_ARGUMENT),
        (None, 0, None, OK),
        (top, 1, base, ERR_LENGTH),
        (base + 1000, 1, top, ERR_LENGTH),
        (base + 1000, 1, base + 1527, ERR_OVERLAP),
        (base + 1000, 1, base + 489, ERR_OVERLAP),
    ):
        told = fault()
        assert lib.cst_pi_strip(byref(right), start, n, out, byref(told)) == code
        assert (told.sector, told.fields) == ((n, 0) if code == OK else (77, 78))
        if out is not None:
            assert lib.cst_pi_strip(byref(right), start, n, out, None) == code
    assert lib.cst_pi_check(byref(right), None, 1, None) == ERR_ARGUMENT
    assert lib.cst_pi_check(byref(right), None, 0, None) == OK
    assert lib.cst_pi_check(byref(right), top, 1, None) == ERR_LENGTH
    assert lib.cst_pi_check(byref(right), base + 1000, 1, byref(fault(23))) == ERR_ARGUMENT
    assert lib.cst_pi_check(byref(right), base + 1000, 1, base + 1000) == ERR_ARGUMENT  # no size there
    inside = capi.ProtectionFault.from_buffer(memory, 1504)
    kept, inside.size = inside.size, capi.ctypes.sizeof(capi.ProtectionFault)
    assert lib.cst_pi_check(byref(right), base + 1000, 1, byref(inside)) == ERR_OVERLAP
    assert lib.cst_pi_strip(byref(right), base + 1000, 1, base, byref(inside)) == ERR_OVERLAP
    assert lib.cst_pi_strip(byref(right), base, 1, base + 1200, byref(inside)) == ERR_OVERLAP
    inside.size = kept
    assert bytes(memory[1000:1528]) == whole
