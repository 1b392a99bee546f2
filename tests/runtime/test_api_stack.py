"""No call needs more than 16 KiB of its caller's stack (PROMISED; cryptostitch.h): every entry, in sizes and numbers
that take all paths, in fresh contexts, so that kernels are made inside. The fixture `shallow` (conftest.py) measures
and asserts, here and in all tests of this folder; what the calls compute is tested elsewhere."""

from __future__ import annotations

import ctypes
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from ctypes import addressof, byref
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import (
    ColumnStruct,
    JobStruct,
    ManagerOptions,
    PartStruct,
    PieceStruct,
    TextColumnStruct,
    TlsWrite,
)
from cryptostitch.binding.chunks import chunks as chunks_of
from cryptostitch.binding.codes import ErasureCode
from cryptostitch.binding.protection import Protection
from cryptostitch.binding.rolling import rolling_cuts
from cryptostitch.binding.runtime import CIPHER, OPEN, SEAL, Context, Key
from cryptostitch.ladder import oracle
from handmade import ROOT
from jobs.samples import LEVELS, one_of_each
from painted_stack import PROMISED, PaintedStack
from targets import context_for, runs
from test_api_parts import Message

SUITES = one_of_each(suite_names())
SIZES = (0, 1, 64, 1000, 100_000)
NUMBERS = (1, 3, 17, 200)
MOST = 4 << 20
"""Bytes of all texts of a call."""
PITCH_BESIDE = 512
TEXT = ctypes.create_string_buffer(bytes(range(256)) * (SIZES[-1] // 256 + 2))
OUT = (ctypes.c_char * (MOST + NUMBERS[-1] * PITCH_BESIDE))()
TAGS = (ctypes.c_char * (NUMBERS[-1] * 64))()


def at(memory: Any, offset: int = 0) -> int:
    return addressof(memory) + offset


class Calls:
    """The entries, with n texts of one suite and length under keys that take turns."""

    def __init__(self, context: Context, name: str, keys: list[Key], n: int, size: int):
        self.lib, self.context, self.keys, self.n = context.lib, context, keys, n
        suite = self.suite = keys[0].suite
        self.size = oracle.meaning(name).fit_input(size)
        self.pitch = (self.size + PITCH_BESIDE) & ~63
        self.enciphers, self.tag_len = suite.kind >= CIPHER, suite.tag_max
        self.aad_len = oracle.meaning(name).fit_aad(13)
        self.iv = ctypes.create_string_buffer(max(suite.iv_bytes, 1))

    def jobs(self, direction: int, pieces: int = 0) -> Any:
        """Sealing, texts are in TEXT and go to OUT; opening, they are what sealing has left there."""
        array = (JobStruct * self.n)()
        self.cuts = (PieceStruct * (4 * self.n))()
        for i, job in enumerate(array):
            out = at(OUT, i * self.pitch)
            source, length = (at(TEXT), self.size)
            if direction == OPEN and self.enciphers:
                source, length = out, self.sealed[i]
            job.size = ctypes.sizeof(JobStruct)
            job.key, job.direction = self.keys[i % len(self.keys)].handle, direction
            job.iv, job.iv_len = at(self.iv), self.suite.iv_bytes
            if self.enciphers:
                job.aad, job.aad_len = at(TEXT), self.aad_len
                job.out, job.out_cap = out, max(length, self.size) + self.suite.expansion
            setattr(job, "in", source)
            job.in_len = length
            job.tag, job.tag_len = (at(TAGS, 64 * i), self.tag_len) if self.tag_len else (None, 0)
            if pieces:
                self.cut(job, i, source, length)
        return array

    def cut(self, job: Any, i: int, source: int, length: int) -> None:
        """Input and output are two pieces each."""
        half, room, out, first = length // 2, job.out_cap, job.out, 4 * i
        setattr(job, "in", None)
        job.in_pieces, job.n_in_pieces = at(self.cuts, first * ctypes.sizeof(PieceStruct)), 2
        cuts = [(source, half), (source + half, length - half)]
        if out:
            job.out, job.out_pieces, job.n_out_pieces = None, job.in_pieces + 2 * ctypes.sizeof(PieceStruct), 2
            cuts += [(out, half), (out + half, room - half)]
        for piece, (data, size) in zip(self.cuts[first : first + 4], cuts):
            piece.data, piece.bytes = data, size

    def burst(self, pieces: int = 0) -> None:
        self.sealed = [self.size] * self.n
        for direction in (SEAL, OPEN):
            jobs = self.jobs(direction, pieces)
            assert self.lib.cst_burst(self.context.handle, jobs, self.n) == runtime.OK
            self.sealed = [job.out_len for job in jobs]

    def alone(self) -> None:
        self.sealed = [self.size] * self.n
        for direction, call in ((SEAL, self.lib.cst_seal), (OPEN, self.lib.cst_open)):
            job, length = self.jobs(direction)[0], ctypes.c_size_t()
            code = call(
                *(job.key, job.iv, job.iv_len, job.aad, job.aad_len, getattr(job, "in"), job.in_len),
                *(job.out, job.out_cap, byref(length), job.tag, job.tag_len),
            )
            assert code == runtime.OK
            self.sealed[0] = length.value

    def manager(self) -> None:
        manager, options = ctypes.c_void_p(), ManagerOptions(min_fill=self.n)
        assert self.lib.cst_manager_new(self.context.handle, byref(options), byref(manager)) == runtime.OK
        jobs = self.jobs(SEAL)
        for job in jobs[: self.n - 1]:
            assert self.lib.cst_manager_submit(manager, byref(job)) == runtime.OK
        assert self.lib.cst_manager_flush(manager) == runtime.OK
        for job in jobs:
            assert self.lib.cst_manager_submit(manager, byref(job)) == runtime.OK
        while self.lib.cst_manager_take(manager):
            pass
        self.lib.cst_manager_free(manager)

    def digests(self) -> None:
        key, n, tag = self.keys[0].handle, self.n, self.tag_len
        assert self.lib.cst_digest(key, at(TEXT), self.size, at(TAGS), tag) == runtime.OK
        texts = (ctypes.c_void_p * n)(*[at(TEXT)] * n)
        sizes = (ctypes.c_size_t * n)(*(self.size - (i & 1 and self.size > 1) for i in range(n)))
        assert self.lib.cst_digest_many(key, n, texts, sizes, at(TAGS), tag, 0) == runtime.OK
        for width, kind in ((4, ctypes.c_uint32), (8, ctypes.c_uint64)):
            offsets = (kind * (n + 1))(*(i * self.size for i in range(n + 1)))
            column = ColumnStruct(key=key, data=at(OUT), data_bytes=n * self.size, offsets=at(offsets), n=n)
            column.offset_bytes, column.tags, column.tag_len = width, at(TAGS), tag
            assert self.lib.cst_digest_column(byref(column)) == runtime.OK

    def columns(self) -> None:
        for width, kind in ((4, ctypes.c_uint32), (8, ctypes.c_uint64)):
            offsets = (kind * (self.n + 1))(*(i * self.size for i in range(self.n + 1)))
            column = TextColumnStruct(key=self.keys[0].handle, in_=at(OUT), out=at(OUT), bytes=self.n * self.size)
            column.offsets, column.offset_bytes, column.n = at(offsets), width, self.n
            ivs = ctypes.create_string_buffer(max(self.n * self.suite.iv_bytes, 1))
            column.ivs, column.iv_len = at(ivs), self.suite.iv_bytes
            aads = ctypes.create_string_buffer(max(self.n * self.aad_len, 1))
            column.aads, column.aad_len = at(aads), self.aad_len
            column.tags, column.tag_len = at(TAGS), self.tag_len
            assert self.lib.cst_seal_column(byref(column)) == runtime.OK
            assert self.lib.cst_open_column(byref(column)) == runtime.OK

    def tls(self) -> None:
        size, out_len = self.n * self.size, ctypes.c_size_t()
        records = ctypes.c_size_t()
        key = self.keys[0].handle
        assert self.lib.cst_tls_seal_size(key, size, self.size, byref(records), byref(out_len)) == runtime.OK
        ivs = ctypes.create_string_buffer(16 * max(records.value, 1))
        text = ctypes.create_string_buffer(max(size, 1))
        out = ctypes.create_string_buffer(out_len.value)
        write = TlsWrite(key=key, type=23, version=0x0303, fragment=self.size, iv=at(ivs), iv_len=16 * records.value)
        setattr(write, "in", at(text))
        write.in_len, write.out, write.out_cap = size, at(out), out_len.value
        assert self.lib.cst_tls_seal(byref(write)) == runtime.OK

    def all(self) -> None:
        self.burst()
        if self.n in (1, 17):
            self.burst(pieces=2)
        self.alone()
        self.manager()
        if not self.enciphers:
            self.digests()
        elif not self.suite.expansion:
            self.columns()
        if oracle.meaning(self.suite.name).kind == "tls" and self.size:
            self.tls()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SUITES)
def test_suites(name: str, level: str, library: str) -> None:
    context = context_for(level, library)
    secrets = [oracle.secrets(random.Random(i), name) for i in range(2)]
    keys = [context.suite(name).key(key, mac) for key, mac in secrets]
    for n in NUMBERS:
        for size in SIZES:
            if n * (size + PITCH_BESIDE) > MOST:
                continue
            Calls(context, name, keys[: 1 + (n == 17)], n, size).all()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SUITES)
def test_the_first_call_of_a_context(name: str, level: str, library: str) -> None:
    """Which makes the code of all kernels that it needs, however deep it is then."""
    key, mac = oracle.secrets(random.Random(1), name)
    for size in (64, 1000):
        for entry in (Calls.alone, Calls.burst):
            context = context_for(level, library)
            entry(Calls(context, name, [context.suite(name).key(key, mac)], 1, size))


def codes(context: Context) -> None:
    crc = context.suite("crc32c").key()
    for data, parity, size in ((4, 2, 1), (10, 4, 1000), (250, 5, 300), (16, 2, 100_000)):
        blocks = [bytearray(size) for _ in range(data)]
        code = ErasureCode(data, parity, context=context)
        parities = code.encode(blocks)
        assert code.check([*blocks, *parities])
        code.decode([None, *blocks[1:], *parities])
        code.update(0, bytes(size), parities)
        made, sums = code.encode_checked(blocks, crc)
        code.update_checked(0, bytes(size), made, sums, crc)
        code.check_blocks([*blocks, *made], sums, crc)


def checksums(context: Context) -> None:
    for name in ("crc32c", "crc64-nvme", "crc16-t10-dif", "adler32"):
        key = context.suite(name).key()
        for size in SIZES:
            text = bytes(size)
            value = key.checksum(text)
            assert key.checksum_copy(text, bytearray(size), streaming=size > 64) == value
            key.combine(value, value, size)


def protection(context: Context) -> None:
    for name, size in (("crc16-t10-dif", 512), ("crc64-nvme", 4096)):
        its = Protection(context.suite(name).key(), size)
        sectors = its.insert(bytes(17 * size))
        its.check(sectors)
        its.strip(sectors)


def chunks(context: Context) -> None:
    for name in ("sha256", "blake3", "md5"):
        assert list(chunks_of(bytes(300_000), hash=name, context=context))
    assert list(rolling_cuts(bytes(10_000), 0xFFF, window=48)) is not None


def parts(context: Context) -> None:
    for name in ("sha256", "hmac-sha512", "sha3-256", "blake2b-512", "blake3", "kt128", "md5+sha256", "mh-sha256"):
        if name not in context.suites():
            continue
        key = context.suite(name).key(None, b"key" if context.suite(name).mac_key_max else None)
        for n, size in ((1, 1), (17, 1000), (130, 64), (3, 100_000)):
            messages = [Message(name, key, bytes(3 * size), [size] * 3) for _ in range(n)]
            for _ in range(3):
                structs = [message.part() for message in messages]
                array = (PartStruct * n)(*structs)
                assert context.lib.cst_digest_parts(context.handle, array, n) == runtime.OK


def text_parts(context: Context) -> None:
    for name in ("aes-128-gcm", "chacha20-poly1305"):
        key = context.suite(name).key(bytes(16 if "128" in name else 32))
        for size in SIZES:
            sealing, opening = key.sealing(iv=bytes(12), aad=bytes(100)), key.opening(iv=bytes(12), aad=bytes(100))
            for cut in (size, 1, size // 2 or 1, 77):
                opening.update(sealing.update(bytes(cut)))
            opening.finish(sealing.finish())


def trees(context: Context) -> None:
    key = context.suite("blake3").key()
    chains = [key.tree_part(i << 16, bytes(1 << 16)) for i in range(5)]
    for tag_len in (32, 500):
        key.tree_root(chains, tag_len)


def contexts(context: Context) -> None:
    """Creation with all that an option makes of it, and what a context alone is asked for."""
    with TemporaryDirectory() as folder:
        costs = Path(folder) / "costs"
        other = Context(runtime.ALLOW_LEGACY | runtime.ALLOW_PACKS)
        other.calibrate("sha*", 0.05)
        other.save_costs(costs)
        other = Context(costs=costs)
    other.cpu()
    for kind in range(1, 5):
        other.names(kind)
    with pytest.raises(runtime.RuntimeFailure):
        other.suite("sha255")


def kernels(context: Context) -> None:
    for name in context.kernels():
        if runs(context, name):
            assert context.kernel(name).streams


def packs(context: Context) -> None:
    pack = (ROOT / "build/generated/default.pack").read_bytes()
    assert not context.why_refused(pack)
    Context(runtime.ALLOW_PACKS).load_pack(pack)
    assert context.why_refused(pack[:1000]) and context.why_refused(pack[:-1] + b"x")


def selftest(context: Context) -> None:
    for glob in ("aes*", "chacha*", "sha*", "blake*", "crc*", "codec*", "md5*", "mh-*", "ghash*"):
        assert set(context.selftest(glob).values()) <= {runtime.OK, runtime.ERR_UNSUPPORTED}


OTHERS = (
    codes, checksums, protection, chunks, parts, text_parts, trees, contexts, kernels, packs, selftest,
)  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("entries", OTHERS, ids=[entries.__name__ for entries in OTHERS])
def test_other_entries(entries: Callable[[Context], None], level: str, library: str, painted: PaintedStack) -> None:
    entries(context_for(level, library))
    assert painted.deepest


def test_a_deep_call_is_seen(painted: PaintedStack) -> None:
    """A function that needs 20,000 bytes, and one whose argument is a callback, which has a stack of its own."""
    stack = PaintedStack(painted.helper, ["painted_deep"])
    stack.own["painted_deep"].argtypes = [ctypes.c_size_t]
    assert stack.function("painted_deep")(100) == 1 and stack.depths()["painted_deep"] < PROMISED
    assert stack.function("painted_deep")(20_000) == 1 and stack.depths()["painted_deep"] >= 20_000


DEEP = """
import ctypes, sys
from painted_stack import PaintedStack
from cryptostitch.binding import runtime
helper = PaintedStack(runtime.load()).helper
stack = PaintedStack(helper, ["painted_deep"], size=16384)
stack.own["painted_deep"].argtypes = [ctypes.c_size_t]
with stack:
    helper.painted_deep(int(sys.argv[1]))
"""


@pytest.mark.parametrize("depth, code", [(12_000, 0), (20_000, -signal.SIGSEGV)])
def test_there_is_a_guard_page(depth: int, code: int) -> None:
    done = subprocess.run([sys.executable, "-c", DEEP, str(depth)], cwd=ROOT / "tests", capture_output=True, text=True)
    assert done.returncode == code, done.stderr


THREAD = """
import threading
from cryptostitch.binding import many, runtime
texts = [bytes(i) for i in range(300)]
key = runtime.Context().suite("aes-128-cbc+hmac-sha1-etm").key(bytes(16), bytes(20))
work = [
    lambda: [many.hash_many(name, texts) for name in ("md5", "sha256", "sha512", "sha3-256", "blake2b-512", "blake3")],
    lambda: many.hmac_many("hmac-sha256", b"key", texts),
    lambda: many.hash_column("sha256", bytes(1000), memoryview(bytes(4 * 8)).cast("I")),
]
threading.stack_size(40960)
for each in work:
    thread = threading.Thread(target=each)
    thread.start()
    thread.join()
"""


def test_small_threads() -> None:
    """40 KiB, of which the interpreter takes the most."""
    done = subprocess.run([sys.executable, "-c", THREAD], cwd=ROOT / "tests", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
