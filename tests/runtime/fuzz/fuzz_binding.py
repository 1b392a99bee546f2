"""Random calls of the Python interface, from several threads, with right arguments and with wrong ones, while objects
are closed and buffers change. What must hold: the process lives, nothing but the documented exceptions is raised, every
failure names its cause, and what was right is answered as hashlib, zlib or the other direction answer it.

    tests/runtime/fuzz/fuzz_binding.py [--seed N] [--seconds S] [--rounds N] [--tally] [--bug NAME]

Rounds with an even number have one thread, and repeat by their seed, which is printed before each; those with an odd
number have several. The library is chosen as everywhere, by CRYPTOSTITCH_LIBRARY. test_fuzz_binding.py runs it.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import ctypes
import faulthandler
import gc
import hashlib
import hmac
import mmap
import operator
import pickle
import random
import sys
import tempfile
import threading
import time
import traceback
import zlib
from array import array
from collections import Counter
from itertools import accumulate
from typing import Any

import cryptostitch
import numpy
from cryptostitch import Context, ErasureCode, RuntimeFailure, SomeForged
from cryptostitch.binding import capi, codes, jobs, keys, manager, suites
from cryptostitch.binding.capi import ALLOW_LEGACY, ALLOW_PACKS, NO_JIT, OPEN, SEAL
from cryptostitch.binding.handles import Handle
from cryptostitch.binding.keys import CrcKey
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.runtime import Job

THREADS, ACTIONS = 3, 600
DOCUMENTED = (TypeError, ValueError, OverflowError, BufferError, IndexError, KeyError, RuntimeFailure)
HASHES = ("sha1", "sha224", "sha256", "sha384", "sha512", "md5", "sha3_256")
SUITES = (
    "sha256", "sha1", "blake3", "shake128", "crc32c", "crc32", "hmac-sha256", "hmac-md5", "aes-128-cmac",
    "aes-128-cbc", "aes-256-ctr", "aes-128-xts", "aes-128-ecb", "chacha20", "aes-128-gcm", "aes-128-ccm",
    "chacha20-poly1305", "aes-128-cbc+hmac-sha1-etm", "aes-128-ctr+hmac-sha256-etm", "a128cbc-hs256",
    "aes-128-cbc+hmac-sha1-96", "aes-128-cbc+hmac-sha1-tls", "rc4-vartime",
)  # fmt: skip
KERNELS = ("sha256_x4@sse", "md5_x4@sse", "aes128_cbc_enc_x4@sse_aesni", "nothing")
NUMBERS = (-1, 0, 1, 2, 7, 16, 17, 255, 256, 1023, 65536, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, 1 << 64, -(1 << 64))
LENGTHS = (-1, 0, 1, 4, 12, 16, 20, 31, 32, 33, 64, 65, 5000, 1 << 61, 1 << 63, 1 << 64, (1 << 64) + 16, 16 - (1 << 64))
"""Of tags: nothing that would be allocated."""

JUDGED = (
    "seal", "seal_many", "digest", "checksum", "combine", "column", "hash_column", "hash_many", "shake_many",
    "hmac_many", "encode", "digests_by_manager",
)  # fmt: skip
"""Calls whose arguments are right, unless one was spoilt."""


class Wrong(Exception):
    """A wrong answer."""


class Liar(bytes):
    """Says that it is longer."""

    def __len__(self) -> int:
        return 1 << 30


class Index:
    """A whole number that is no int."""

    def __init__(self, value: int):
        self.value = value

    def __index__(self) -> int:
        return self.value


def buffers(rng: random.Random) -> list[Any]:
    """Returns buffers of every kind, and objects that are none."""
    size = rng.choice((0, 1, 12, 16, 20, 32, 64, 96, 1000, 5000))
    data = rng.randbytes(size)
    table = numpy.frombuffer(bytearray(data.ljust(64, b"\0")), numpy.uint8)
    mapped = mmap.mmap(-1, 4096)
    mapped[: min(size, 4096)] = data[:4096]
    return [
        data, bytearray(data), bytearray(data), memoryview(data), memoryview(bytearray(data)), Liar(data), mapped,
        array("B", data), array("I", range(size // 4)), array("d", [0.5] * (size // 8)), table, table[::2],
        table[: len(table) // 4 * 4].reshape(-1, 4), table[: len(table) // 4 * 4].reshape(-1, 4).T, table[:0],
        numpy.arange(size // 8, dtype=">u8"), numpy.zeros((0, 3)), numpy.array(5), numpy.array([None], dtype=object),
        (ctypes.c_uint16 * 9)(), (ctypes.c_char * 16)(), ctypes.c_uint64(7), memoryview(bytearray(data))[::-1],
    ]  # fmt: skip


def anything(rng: random.Random) -> Any:
    return rng.choice(
        [
            *(None, 0, 1, -1, 1.5, 1 << 64, True, Index(5), Index(-1), numpy.int64(3), numpy.float64(0.5), range(3)),
            *("text", "", "nul\0", "\ud800", b"", b"x", (), (1, 1000), (104, 101), [], [None], [b"x"], {}),
            *(object(), Job, len),
        ]
    )


class World:
    """The objects that all threads of a round use and change."""

    def __init__(self, seed: int):
        rng = random.Random(seed)
        self.contexts = [Context(flags=ALLOW_PACKS)]
        self.suites: list[Any] = []
        self.keys: list[Any] = []
        self.codes: list[Any] = []
        self.managers = [Manager(self.contexts[0], rng.choice((0, 1, 3)), 0, 0)]
        self.jobs: list[Any] = []
        self.buffers = buffers(rng) + buffers(rng)
        self.streams: list[Any] = []
        self.canaries = [bytearray(b"\xa5" * size) for size in (1, 16, 24, 32, 64, 200, 4096)]

    def put(self, objects: list[Any], one: Any, most: int, rng: random.Random) -> None:
        """Keeps an object, in the place of another one when there are many."""
        if len(objects) < most:
            objects.append(one)
        else:
            objects[rng.randrange(most)] = one


class Caller:
    """The calls of one thread. Methods whose names begin with `do_` are drawn."""

    def __init__(self, world: World, seed: int):
        self.world, self.rng = world, random.Random(seed)
        self.right, self.must_raise = True, False
        self.tally: Counter[str] = Counter()
        self.actions = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("do_")]

    # ---- arguments

    def spoilt(self, likely: float) -> bool:
        if self.rng.random() < likely:
            self.right = False
            return True
        return False

    def maybe(self, value: Any, likely: float = 0.04) -> Any:
        """The value, or anything."""
        return anything(self.rng) if self.spoilt(likely) else value

    def buffer(self, value: Any, likely: float = 0.12) -> Any:
        """The value, or a buffer that others change meanwhile."""
        if self.spoilt(likely):
            return self.rng.choice(self.world.buffers) if self.rng.random() < 0.8 else anything(self.rng)
        return value

    def number(self, value: int, numbers: tuple[int, ...] = NUMBERS) -> Any:
        if not self.spoilt(0.08):
            return value
        other = self.rng.choice(numbers)
        self.must_raise |= other < 0 or bool(other >> 64)
        return self.rng.choice((other, Index(other)))

    def of(self, objects: list[Any]) -> Any:
        """One of them. What it is and whether it is closed is not known, unless the caller has made it."""
        return self.rng.choice(objects) if objects else None

    def bytes(self, *sizes: int) -> bytes:
        return self.rng.randbytes(self.rng.choice(sizes or (0, 1, 16, 63, 64, 100, 1000, 4096)))

    def key(self, name: str | None = None) -> Any:
        """A new key, or an old one."""
        rng = self.rng
        if name is None and self.world.keys and rng.random() < 0.6:
            return self.of(self.world.keys)
        suite = self.of(self.world.contexts).suite(name or rng.choice(SUITES))
        mac = rng.randbytes(max(suite.mac_key_min, min(20, suite.mac_key_max)))
        key = suite.key(rng.randbytes(suite.key_bytes), mac)
        self.world.put(self.world.keys, key, 20, rng)
        return key

    def text(self, suite: Any) -> bytes:
        block = max(suite.block_bytes, 1)
        return self.rng.randbytes(max(self.rng.choice((0, 16, 64, 100, 1000)) // block * block, suite.min_bytes))

    def iv_and_aad(self, suite: Any) -> tuple[bytes | None, bytes | None]:
        aad = suite.aad_min or (self.rng.choice((0, 13)) if suite.aad_max else 0)
        return self.rng.randbytes(suite.iv_bytes) or None, self.rng.randbytes(aad) or None

    def wanted(self, right: bool, what: str) -> None:
        """Of an answer to a call whose arguments were right."""
        if self.right and not right:
            raise Wrong(what)

    # ---- calls

    def do_context(self) -> None:
        if self.rng.random() < 0.9:
            return
        flags = self.number(self.rng.choice((0, NO_JIT, ALLOW_PACKS, ALLOW_LEGACY)), (1 << 31, 1 << 32, -1, 16))
        target = self.maybe(self.rng.choice((None, "host", "sse_aesni", "host-no_avx512", "nothing")))
        context = Context(flags=flags, target=target, pack_key=self.rng.choice((None, None, bytes(32), b"x")))
        self.world.put(self.world.contexts, context, 3, self.rng)

    def do_close_context(self) -> None:
        if self.rng.random() < 0.1 and len(self.world.contexts) > 1:
            self.of(self.world.contexts).close()

    def do_suite(self) -> None:
        suite = self.of(self.world.contexts).suite(self.maybe(self.rng.choice((*SUITES, "sha257", "sha1\0x"))))
        self.world.put(self.world.suites, suite, 10, self.rng)

    def do_key(self) -> None:
        suite = self.of(self.world.suites)
        if suite:
            key = self.buffer(self.rng.randbytes(suite.key_bytes) or None)
            mac = self.buffer(self.rng.randbytes(suite.mac_key_min) or None)
            memory = self.maybe(None, 0.02) if self.rng.random() < 0.9 else bytearray(4096)
            self.world.put(self.world.keys, suite.key(key, mac, memory), 20, self.rng)

    def do_crc_key(self) -> None:
        width = self.rng.choice((8, 16, 32, 64, 7, 65))
        polynomial = self.rng.getrandbits(width) | 1
        context = self.maybe(self.of(self.world.contexts))
        key = CrcKey(
            context, self.number(width), self.number(polynomial), self.number(0), self.number(0), self.maybe(True)
        )
        self.world.put(self.world.keys, key, 20, self.rng)

    def do_close_key(self) -> None:
        if self.world.keys and self.rng.random() < 0.3:
            self.of(self.world.keys).close()

    def do_seal(self) -> None:
        key = self.key()
        suite = key.suite
        if not isinstance(suite, cryptostitch.Suite):
            return
        text, (iv, aad) = self.text(suite), self.iv_and_aad(suite)
        tag_len = self.number(suite.tag_max, LENGTHS) if self.rng.random() < 0.2 else None
        out, tag = key.seal(self.buffer(text), iv=self.buffer(iv), aad=self.buffer(aad), tag_len=tag_len)
        if self.right:
            opened = key.open(out if suite.kind >= 3 else text, tag or None, iv=iv, aad=aad, tag_len=tag_len)
            self.wanted(opened == (text if suite.kind >= 3 else b""), "open of seal")

    def do_open(self) -> None:
        key = self.key()
        if isinstance(key.suite, cryptostitch.Suite):
            iv, aad = self.iv_and_aad(key.suite)
            tag = self.rng.randbytes(key.suite.tag_max) or None
            key.open(self.buffer(self.text(key.suite)), self.buffer(tag), iv=self.buffer(iv), aad=self.buffer(aad))

    def do_digest(self) -> None:
        name = self.rng.choice(HASHES)
        data, key = self.bytes(), self.key(name.replace("_", "-"))
        length = self.number(key.suite.tag_max, LENGTHS) if self.rng.random() < 0.2 else None
        found = key.digest(self.buffer(data), length)
        self.wanted(found == hashlib.new(name, data).digest(), "digest")

    def do_any_digest(self) -> None:
        self.key().digest(self.buffer(self.bytes()), self.number(16, LENGTHS))

    def do_checksum(self) -> None:
        key, data, before = self.key("crc32"), self.bytes(), self.rng.getrandbits(32)
        found = key.checksum(self.buffer(data), self.number(before))
        self.wanted(found == zlib.crc32(data, before), "checksum")

    def do_combine(self) -> None:
        key, one, two = self.key("crc32"), self.bytes(), self.bytes()
        found = key.combine(self.number(zlib.crc32(one)), self.number(zlib.crc32(two)), self.number(len(two)))
        self.wanted(found == zlib.crc32(one + two), "combine")

    def do_any_checksum(self) -> None:
        self.key().checksum(self.buffer(self.bytes()), self.number(5))
        self.key().combine(self.number(1), self.number(2), self.number(3))

    def do_column(self) -> None:
        items = [self.bytes(0, 1, 20, 64, 300) for _ in range(self.rng.randrange(30))]
        key, kind = self.key("sha256"), self.rng.choice("iIqQlL")
        offsets = array(kind, accumulate(map(len, items), initial=0))
        tags = bytearray(32 * len(items))
        length = self.number(32, LENGTHS) if self.rng.random() < 0.3 else None
        stride = self.number(0, LENGTHS)
        key.digest_column(self.buffer(b"".join(items)), self.buffer(offsets), self.buffer(tags), length, stride)
        self.wanted(tags == b"".join(hashlib.sha256(item).digest() for item in items), "digest_column")

    def do_hash_column(self) -> None:
        items = [self.bytes(0, 1, 20, 64, 300) for _ in range(self.rng.randrange(30))]
        offsets = array("q", accumulate(map(len, items), initial=0))
        data = self.buffer(b"".join(items))
        if self.rng.random() < 0.5:
            found = cryptostitch.hash_column(self.maybe("sha1"), data, self.buffer(offsets))
            self.wanted(found == b"".join(hashlib.sha1(item).digest() for item in items), "hash_column")
        else:
            found = cryptostitch.hmac_column(self.maybe("sha1"), self.buffer(b"key"), data, self.buffer(offsets))
            self.wanted(found == b"".join(hmac.digest(b"key", item, "sha1") for item in items), "hmac_column")

    def do_hash_many(self) -> None:
        name = self.rng.choice(HASHES)
        items = [self.bytes() for _ in range(self.rng.choice((0, 1, 5, 40, 1025)))]
        given = self.maybe([self.buffer(item, 0.01) for item in items])
        found = cryptostitch.hash_many(self.maybe(name.replace("_", "-")), given)
        self.wanted(found == [hashlib.new(name, item).digest() for item in items], "hash_many")

    def do_shake_many(self) -> None:
        length, items = self.rng.randrange(1, 300), [self.bytes() for _ in range(5)]
        found = cryptostitch.hash_many("shake128", items, self.number(length, LENGTHS))
        self.wanted(found == [hashlib.shake_128(item).digest(length) for item in items], "shake128")

    def do_hmac_many(self) -> None:
        key, items = self.bytes(), [self.bytes() for _ in range(self.rng.randrange(20))]
        given = self.maybe([self.buffer(item, 0.01) for item in items])
        found = cryptostitch.hmac_many(self.maybe("sha256"), self.buffer(key), given)
        self.wanted(found == [hmac.digest(key, item, "sha256") for item in items], "hmac_many")

    def do_seal_many(self) -> None:
        key = self.key()
        suite = key.suite
        if not isinstance(suite, cryptostitch.Suite):
            return
        texts = [self.text(suite) for _ in range(self.rng.choice((0, 1, 3, 20)))]
        heads = [self.iv_and_aad(suite) for _ in texts]
        ivs = [iv for iv, _ in heads] if suite.iv_bytes else None
        aads = [aad or b"" for _, aad in heads] if suite.aad_max else None
        mine = self.maybe(key)
        given = [self.buffer(text, 0.02) for text in texts]
        if self.spoilt(0.05):
            suite = self.of(self.world.suites) or suite
        tag_len = self.number(suite.tag_max, LENGTHS)
        sealed = suite.seal_many(mine, self.maybe(ivs), self.maybe(given), self.maybe(aads), tag_len)
        if self.right:
            if suite.kind < 3:
                sealed = [(text, tag) for text, (_, tag) in zip(texts, sealed)]
            opened = suite.open_many(key, ivs, sealed, aads, tag_len)
            self.wanted(opened == (texts if suite.kind >= 3 else [b""] * len(texts)), "open_many of seal_many")

    def do_open_many(self) -> None:
        key = self.key()
        suite = key.suite
        if not isinstance(suite, cryptostitch.Suite):
            return
        sealed: list[Any] = []
        for _ in range(self.rng.randrange(6)):
            pair = self.buffer(self.text(suite), 0.05), self.buffer(self.rng.randbytes(suite.tag_max), 0.05)
            sealed.append(self.maybe(pair))
        ivs = [self.buffer(self.rng.randbytes(suite.iv_bytes), 0.05) for _ in sealed] if suite.iv_bytes else None
        suite.open_many(key, self.maybe(ivs), self.maybe(sealed), None)

    def do_tls(self) -> None:
        key = self.key("aes-128-cbc+hmac-sha1-tls") if self.rng.random() < 0.8 else self.key()
        text, fragment = self.bytes(0, 1, 100, 5000), self.rng.choice((0, 100, 1024, 16384))
        numbers = {"sequence": 0, "kind": 23, "version": 0x0303, "fragment": fragment}
        given = {name: self.number(value) for name, value in numbers.items()}
        key.tls_records(self.buffer(text), ivs=self.buffer(bytes(16 * 60)), **given)
        key.tls_size(self.number(100), self.number(fragment))

    def do_code(self) -> None:
        shape = self.number(self.rng.randrange(1, 6)), self.number(self.rng.randrange(1, 4))
        context = self.maybe(self.of([None, *self.world.contexts]))
        matrix = self.maybe(self.rng.choice(("cauchy", "vandermonde")))
        code = ErasureCode(*shape, matrix, context, self.rng.choice((None, None, None, "nothing")))
        self.world.put(self.world.codes, code, 5, self.rng)

    def do_encode(self) -> None:
        code, size = self.of(self.world.codes), self.rng.choice((0, 1, 64, 1000))
        if not code:
            return
        data = [self.rng.randbytes(size) for _ in range(code.data)]
        given = self.maybe([self.buffer(block, 0.04) for block in data])
        parity = code.encode(given)
        change, at = self.rng.randbytes(size), self.rng.randrange(code.data)
        code.update(self.number(at), self.buffer(change), self.maybe([self.buffer(block, 0.04) for block in parity]))
        if not self.right:
            return
        data[at] = bytes(a ^ b for a, b in zip(data[at], change))
        whole: list[Any] = [*data, *parity]
        self.wanted(code.check(whole), "check of encode and update")
        whole[self.rng.randrange(len(whole))] = None
        self.wanted(code.decode(whole) == [*data, *parity], "decode")

    def do_decode(self) -> None:
        code = self.of(self.world.codes)
        if code:
            blocks = [self.buffer(self.rng.choice((None, bytes(64)))) for _ in range(code.data + code.parity)]
            code.decode(self.maybe(blocks))
            code.check(self.maybe(blocks))

    def do_close_code(self) -> None:
        if self.world.codes and self.rng.random() < 0.1:
            self.of(self.world.codes).close()

    def job(self) -> Any:
        """A new one, or an old one with other buffers."""
        rng = self.rng
        if self.world.jobs and rng.random() < 0.3:
            job = self.of(self.world.jobs)
            if rng.random() < 0.5:
                setattr(job, rng.choice(("iv", "aad", "data", "out", "tag")), self.buffer(self.bytes(), 1))
            return job
        key = self.key()
        suite = key.suite
        if not isinstance(suite, cryptostitch.Suite):
            return Job(key, data=self.bytes(), tag=bytearray(8))
        text, (iv, aad) = self.text(suite), self.iv_and_aad(suite)
        out: Any = bytearray(len(text) + suite.expansion) if suite.kind >= 3 else None
        data: Any = text
        if out is not None and rng.random() < 0.2:
            data = [text[:7], text[7:]]
            out = [bytearray(len(text) // 2), bytearray(len(text) - len(text) // 2 + suite.expansion)]
        direction = self.maybe(rng.choice((SEAL, OPEN)))
        tag = bytearray(suite.tag_max) or None
        fields = {"iv": iv, "aad": aad, "data": data, "out": out, "tag": tag}
        job = Job(self.maybe(key), direction, **{name: self.buffer(value, 0.05) for name, value in fields.items()})
        self.world.put(self.world.jobs, job, 30, rng)
        return job

    def do_burst(self) -> None:
        jobs = [self.maybe(self.job(), 0.01) for _ in range(self.rng.choice((0, 1, 3, 20)))]
        self.of(self.world.contexts).burst(self.maybe(jobs))

    def do_run_alone(self) -> None:
        self.job().run_alone()

    def do_manager(self) -> None:
        limits = [self.number(self.rng.choice((0, 1, 8))) for _ in range(2)]
        manager = Manager(
            self.maybe(self.of(self.world.contexts)), *limits, self.number(0, (1, 7, 1 << 20, 1 << 64, -1))
        )
        self.world.put(self.world.managers, manager, 4, self.rng)

    def do_submit(self) -> None:
        manager = self.of(self.world.managers)
        for _ in range(self.rng.choice((1, 5, 40))):
            manager.submit(self.maybe(self.job()))

    def do_take(self) -> None:
        manager = self.of(self.world.managers)
        self.rng.choice((manager.flush, manager.info, manager.take, lambda: manager.cancel(self.job())))()
        while manager.take():
            pass

    def do_digests_by_manager(self) -> None:
        """One that no other thread knows."""
        manager = Manager(self.of(self.world.contexts), self.rng.choice((0, 2)))
        key = manager.context.suite("sha256").key()
        data = [self.bytes() for _ in range(self.rng.randrange(1, 20))]
        job, tags = Job(key), [bytearray(32) for _ in data]
        for job.data, job.tag in zip([bytearray(each) for each in data], tags):
            manager.submit(job)
        if self.rng.random() < 0.5:
            key.close()
        manager.flush()
        while manager.take():
            pass
        self.wanted(tags == [hashlib.sha256(each).digest() for each in data], "digests of a manager")

    def do_close_manager(self) -> None:
        if self.rng.random() < 0.1:
            self.of(self.world.managers).close()

    def do_look(self) -> None:
        context = self.of(self.world.contexts)
        self.rng.choice(
            (
                lambda: context.names(self.number(1)),
                lambda: context.cpu(),
                lambda: context.nearest(self.number(1), self.maybe("sha")),
                lambda: context.kernel(self.maybe(self.rng.choice(KERNELS))).calls(),
                lambda: context.selftest(self.maybe(self.rng.choice(("crc32c", "md5", "nothing", "crc32c\0x")))),
                lambda: context.save_costs(self.maybe("costs")),
                lambda: context.why_refused(self.buffer(b"x")),
                lambda: context.load_pack(self.buffer(b"x", 0.5)),
                lambda: context.handle,
            )
        )()

    def do_choice(self) -> None:
        suite = self.of(self.world.suites)
        if suite:
            suite.choice(self.number(1), self.number(64), self.maybe(False), self.number(0))
            assert suite.key_memory % 64 == 0

    def do_force(self) -> None:
        if self.rng.random() < 0.3:
            kernel = self.maybe(self.rng.choice((None, *KERNELS)))
            self.of(self.world.contexts).force(self.maybe(self.rng.choice(("sha256", "md5", "aes-128-cbc"))), kernel)

    def do_calibrate(self) -> None:
        if self.rng.random() > 0.05:
            return
        said = self.rng.choice((0, 0, 0, 5, -5, 1 << 40, "text", None))

        def progress(done: int, total: int, kernel: str) -> Any:
            if self.rng.random() < 0.3:
                self.rng.choice(self.actions)()
            return said

        seconds = self.maybe(self.rng.choice((0.001, -1, float("nan"))))
        glob = self.rng.choice(("md5_x4@sse", "nothing", "md5_x4@sse\0"))
        found = self.of(self.world.contexts).calibrate(glob, seconds, self.maybe(progress))
        self.wanted(found in (0, said), "calibrate")

    def do_streams(self) -> None:
        kernel = self.of(self.world.contexts).kernel(self.rng.choice(KERNELS[:2]))
        self.world.put(self.world.streams, kernel.streams[0], 4, self.rng)
        stream = self.of(self.world.streams)
        name = self.maybe(self.rng.choice(("in", "chain", "nothing")))
        stream.field(name)
        stream.entry(name, self.number(0), self.number(1))

    def do_copies(self) -> None:
        world = self.world
        one = self.of(self.rng.choice((world.contexts, world.keys, world.suites, world.codes, world.managers)))
        if one is not None:
            try:
                self.rng.choice((copy.copy, copy.deepcopy, pickle.dumps))(one)
            except TypeError:
                return
            raise Wrong(f"a copy of {one}")

    def do_change(self) -> None:
        """Buffers that calls may have in hand."""
        one = self.of(self.world.buffers)
        if isinstance(one, bytearray):
            self.rng.choice((lambda: one.extend(b"xyz"), lambda: one.__delitem__(slice(5)), lambda: one.clear()))()
        elif isinstance(one, (array, mmap.mmap)) and len(one):
            one[self.rng.randrange(len(one))] = 1
        elif isinstance(one, memoryview) and self.rng.random() < 0.2:
            one.release()
        elif isinstance(one, numpy.ndarray) and one.size and one.dtype != object and one.flags.writeable:
            one.flat[0] = self.rng.randrange(200)

    def do_new_buffers(self) -> None:
        if self.rng.random() < 0.2:
            for one in self.rng.sample(buffers(self.rng), 5):
                self.world.put(self.world.buffers, one, 60, self.rng)

    def do_close_shared(self) -> None:
        if self.rng.random() < 0.02:
            cryptostitch.suite("sha1").context.close()

    def do_collect(self) -> None:
        if self.rng.random() < 0.02:
            gc.collect()

    # ---- a thread

    def one(self) -> None:
        """One call. Anything that is not documented goes up."""
        action = self.rng.choice(self.actions)
        self.right, self.must_raise = True, False
        try:
            action()
            self.tally[action.__name__, "answered" if self.right else "answered, though something was odd"] += 1
            if self.must_raise:
                raise Wrong("a number that C cannot hold was taken")
        except DOCUMENTED as failure:
            self.tally[action.__name__, type(failure).__name__] += 1
            self.judge(action.__name__[3:], failure)
        except RuntimeError as failure:
            if "under way in this thread" not in str(failure):
                raise
        except (OSError, MemoryError):
            if self.right:
                raise

    def judge(self, action: str, failure: Exception) -> None:
        """What was right may fail where another thread closed something, and with odd objects anyhow."""
        if isinstance(failure, RuntimeFailure):
            again = pickle.loads(pickle.dumps(failure))
            assert (type(again), str(again), again.code) == (type(failure), str(failure), failure.code)
            if isinstance(failure, SomeForged):
                assert again.forged == failure.forged
            if "null pointer" in str(failure):
                raise Wrong("a failure that does not say why") from failure
        expected = "closed" in str(failure) or "rc4" in str(failure)  # which only some contexts offer
        if self.right and action in JUDGED and not expected:
            raise Wrong("what was right is refused") from failure

    def run(self, actions: int, found: list[str]) -> None:
        try:
            for _ in range(actions):
                self.one()
        except BaseException:
            found.append(traceback.format_exc())


def frees_at_once() -> None:
    """`close` does not wait for calls."""

    def close(self: Handle) -> None:
        if self._owned:
            self._owned._release()

    Handle.close = close  # type: ignore[method-assign]


def forgets_buffers() -> None:
    """A manager does not keep what a job was submitted with."""
    manager.filled = lambda *arguments: jobs.filled(*arguments)[:1]  # type: ignore[attr-defined]


def cuts_numbers() -> None:
    """Seeds a fault: numbers are cut to their types, as ctypes does."""
    for module in (keys, capi, suites, codes):
        module.number = lambda value, what, bits=64: operator.index(value) & (1 << bits) - 1  # type: ignore[attr-defined]


BUGS = {bug.__name__: bug for bug in (frees_at_once, forgets_buffers, cuts_numbers)}
"""Seeded ones, each of which must be found."""


def play(seed: int, threads: int) -> tuple[list[str], Counter[str]]:
    """A round: what went wrong, and what the calls ended in."""
    world, found = World(seed), list[str]()
    callers = [Caller(world, seed * 100 + n) for n in range(threads)]
    if threads == 1:
        callers[0].run(ACTIONS, found)
    else:
        running = [threading.Thread(target=caller.run, args=(ACTIONS // threads, found)) for caller in callers]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
    if any(canary != b"\xa5" * len(canary) for canary in world.canaries):
        found.append("memory beside the buffers was written to")
    return found, sum((caller.tally for caller in callers), Counter())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rounds", type=int, default=1 << 30)
    parser.add_argument("--tally", action="store_true")
    parser.add_argument("--bug", choices=BUGS)
    given = parser.parse_args()
    if given.bug:
        BUGS[given.bug]()
    faulthandler.enable()
    faulthandler.dump_traceback_later(given.seconds + 120, exit=True)
    capi.load()  # its path may be relative
    end, tally = time.monotonic() + given.seconds, Counter[str]()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # names of files are drawn too
        for seed in range(given.seed, given.seed + given.rounds):
            print(f"round {seed}", flush=True)
            found, told = play(seed, THREADS if seed % 2 else 1)
            tally += told
            if found:
                sys.exit("\n".join(found))
            if time.monotonic() > end:
                break
    never = {name for name, _ in tally} - {name for name, how in tally if how == "answered"}
    for (name, how), n in sorted(tally.items()) if given.tally else ():
        print(f"{n:8} {name[3:]}: {how}")
    print(f"{sum(tally.values())} calls, {sum(n for (_, how), n in tally.items() if how == 'answered')} answered")
    if never and given.rounds > 3:
        sys.exit(f"never answered: {', '.join(sorted(never))}")


if __name__ == "__main__":
    main()
