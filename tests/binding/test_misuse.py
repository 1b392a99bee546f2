"""The Python interface misused: nothing that it is given crashes the process or makes a wrong answer."""

from __future__ import annotations

import ast
import copy
import gc
import hashlib
import importlib
import inspect
import multiprocessing
import os
import pickle
import pkgutil
import random
import re
import threading
import time
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cryptostitch
import cryptostitch.binding
import numpy
import pytest
from cryptostitch import (
    Context,
    ErasureCode,
    PublicKey,
    RuntimeFailure,
    SomeForged,
    hash_column,
    hash_many,
    hmac_column,
    hmac_many,
)
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import ERR_LOST
from cryptostitch.binding.fixed import Uncopied
from cryptostitch.binding.keys import CrcKey
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.readonly import Held
from cryptostitch.binding.runtime import ERR_ARGUMENT, ERR_AUTH, ERR_LENGTH, ERR_NAME, Address, Job, Key

GCM = "aes-128-gcm"
TLS = "aes-128-cbc+hmac-sha1-tls"
XTS = "aes-128-xts"
IV = bytes(12)
HUGE = 1 << 64


@pytest.fixture
def context() -> Context:
    return Context()


@pytest.fixture
def gcm(context: Context) -> Key:
    return context.suite(GCM).key(bytes(16))


@pytest.fixture
def sha256(context: Context) -> Key:
    return context.suite("sha256").key()


@pytest.fixture
def tls(context: Context) -> Key:
    return context.suite(TLS).key(bytes(16), bytes(20))


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


# ---- what jobs and managers keep


def test_a_job_that_is_submitted_again_is_another_one(context: Context, sha256: Key) -> None:
    """What it was at the first submit stays alive, and gets its answer."""
    rng, manager = random.Random(5), Manager(context)
    for _ in range(50):
        first, second = bytearray(32), bytearray(32)
        data = rng.randbytes(10_000)
        wanted = sha(data)
        job = Job(sha256, data=data, tag=first)
        del data
        manager.submit(job)
        job.data, job.tag = b"z" * 10, second
        manager.submit(job)
        churn = [bytearray(b"x" * 10_000) for _ in range(20)]  # where the first one's buffers were, if they are gone
        manager.flush()
        assert manager.take() is manager.take() is job and manager.take() is None
        assert (bytes(first), bytes(second)) == (wanted, sha(b"z" * 10))
        assert all(each == b"x" * 10_000 for each in churn)


def test_outputs_and_pieces_of_a_submitted_job_live(context: Context) -> None:
    key, manager = context.suite("aes-128-ctr").key(bytes(16)), Manager(context)
    job = Job(key, iv=bytes(16), data=[bytes(100), b"x" * 60], out=[bytearray(80), bytearray(80)])
    manager.submit(job)
    job.data, job.out = b"", None
    manager.submit(job)
    churn = [bytearray(80) for _ in range(1000)]
    manager.flush()
    assert manager.take() is job and job.status == 0 and not any(map(any, churn))


def test_a_key_lives_until_its_jobs_are_done(context: Context) -> None:
    key, manager, tag = context.suite("hmac-sha256").key(None, b"key"), Manager(context), bytearray(32)
    manager.submit(Job(key, data=b"text", tag=tag))
    key.close()
    manager.flush()
    taken = manager.take()
    assert taken and taken.status == 0 and bytes(tag) == hmac_many("sha256", b"key", [b"text"])[0]
    with pytest.raises(RuntimeFailure, match="the key is closed"):
        manager.submit(taken)


def test_a_manager_of_many_threads(context: Context, sha256: Key) -> None:
    manager, out = Manager(context, min_fill=4, capacity=1024), list[Job]()

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(200):
            manager.submit(Job(sha256, data=rng.randbytes(rng.randrange(200)), tag=bytearray(32)))
            if rng.random() < 0.2:
                manager.flush()
            while job := manager.take():
                out.append(job)

    run_all([lambda seed=seed: work(seed) for seed in range(4)])
    manager.flush()
    while job := manager.take():
        out.append(job)
    assert len(out) == 800 and all(job.status == 0 and bytes(job.tag) == sha(job.data) for job in out)


# ---- keys of others


def test_keys_of_other_suites_and_contexts(context: Context, gcm: Key) -> None:
    suite = context.suite("a128cbc-hs256")
    with pytest.raises(ValueError, match="a key of aes-128-gcm, where one of a128cbc-hs256"):
        suite.seal_many(gcm, [IV], [b"x"])
    with pytest.raises(ValueError, match="a key of aes-128-gcm"):
        suite.open_many(gcm, [IV], [(b"x", bytes(16))])
    with pytest.raises(ValueError, match="another context"):
        Context().suite(GCM).seal_many(gcm, [IV], [b"x"])
    assert context.suite(GCM).seal_many(gcm, [IV], [b"x"]) == [gcm.seal(b"x", iv=IV)]
    with pytest.raises(ValueError, match="a cst_crc"):
        context.suite("crc32c").seal_many(CrcKey(context, 32, 7), None, [b"x"])
    other = Manager(Context())
    with pytest.raises(RuntimeFailure, match="the key is of another context"):
        other.submit(Job(gcm, iv=IV, data=b"x", out=bytearray(1), tag=bytearray(16)))


@pytest.mark.parametrize("wrong", (None, 0, 1 << 20, "key", object()))
def test_objects_of_other_classes(context: Context, gcm: Key, wrong: Any) -> None:
    """A pointer to something else never reaches the library."""
    suite = context.suite(GCM)
    for call in (
        lambda: suite.seal_many(wrong, [IV], [b"x"]),
        lambda: context.burst([Job(wrong, data=b"x")]),
        lambda: context.burst([wrong]),
        lambda: Manager(context).submit(wrong),
        lambda: Manager(context).submit(Job(wrong)),
        lambda: Job(wrong).run_alone(),
        lambda: Manager(wrong),
        lambda: Key(wrong),
        lambda: CrcKey(wrong, 32, 7),
        lambda: runtime.Suite(wrong, GCM),
        lambda: runtime.RawKernel(wrong, "sha1_x1@scalar"),
        lambda: runtime.RawStream(wrong, 0),
        lambda: ErasureCode(2, 1, context=wrong) if wrong is not None else gcm.seal(wrong),
    ):
        with pytest.raises(TypeError):
            call()
    for other in (context, suite, Manager(context), ErasureCode(2, 1)):
        with pytest.raises(TypeError):
            context.burst([Job(other, data=b"x")])
    for other in (context, gcm, Manager(context), ErasureCode(2, 1)):
        with pytest.raises(TypeError):
            Key(other)


# ---- numbers and names

NUMBERS: dict[str, Callable[[Context], object]] = {
    "code index": lambda c: ErasureCode(4, 2).update(1 << 32, b"x", [bytearray(1)] * 2),
    "code data": lambda c: ErasureCode((1 << 32) + 4, 2),
    "code parity": lambda c: ErasureCode(4, -1),
    "tls sequence": lambda c: c.suite(TLS).key(bytes(16), bytes(20)).tls_records(b"x", ivs=bytes(16), sequence=HUGE),
    "tls kind": lambda c: c.suite(TLS).key(bytes(16), bytes(20)).tls_records(b"x", ivs=bytes(16), kind=279),
    "tls version": lambda c: c.suite(TLS).key(bytes(16), bytes(20)).tls_records(b"x", ivs=bytes(16), version=0x10303),
    "tls fragment": lambda c: (
        c.suite(TLS).key(bytes(16), bytes(20)).tls_records(b"x", ivs=bytes(16), fragment=HUGE + 100)
    ),
    "tls size": lambda c: c.suite(TLS).key(bytes(16), bytes(20)).tls_size(-1),
    "crc width": lambda c: CrcKey(c, 32 + (1 << 32), 0x04C11DB7),
    "crc polynomial": lambda c: CrcKey(c, 32, HUGE + 0x04C11DB7),
    "crc initial": lambda c: CrcKey(c, 32, 0x04C11DB7, -1),
    "checksum": lambda c: c.suite("crc32").key().checksum(b"x", HUGE),
    "combine": lambda c: c.suite("crc32").key().combine(1, 2, HUGE + 5),
    "flags": lambda c: Context(flags=1 << 32),
    "capacity": lambda c: Manager(c, capacity=HUGE + 64),
    "min_fill": lambda c: Manager(c, min_fill=-1),
    "jobs": lambda c: c.suite("sha1").choice(jobs=HUGE + 1),
    "size": lambda c: c.suite("sha1").choice(size=-1),
    "direction": lambda c: c.burst([Job(c.suite("sha1").key(), 1 << 32, data=b"", tag=bytearray(20))]),
    "kind of names": lambda c: c.names(1 << 32 | 1),
    "tag_len": lambda c: c.suite("sha256").key().digest(b"", -1),
    "length": lambda c: hash_many("shake128", [b""], HUGE + 16),
    "negative tag_len": lambda c: column(c, -HUGE + 32, 0),
    "negative stride": lambda c: column(c, 32, -HUGE + 32),
    "address": lambda c: c.suite("sha1").key().digest(Address(-1, 1)),
}


def column(context: Context, tag_len: int, stride: int) -> None:
    key = context.suite("sha256").key()
    key.digest_column(bytes(2001), array("q", range(2001)), bytearray(1), tag_len, stride)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_do_not_fit(context: Context, name: str) -> None:
    with pytest.raises(OverflowError):
        NUMBERS[name](context)


def test_numbers_that_are_none(context: Context, sha256: Key) -> None:
    class Liar(int):
        """Says that it is small."""

        def __lt__(self, other: object) -> bool:
            return False

        def __rshift__(self, other: object) -> int:
            return 0

        __ge__ = __le__ = __gt__ = lambda self, other: True

    with pytest.raises(OverflowError):
        CrcKey(context, Liar((1 << 32) + 32), 0x04C11DB7)
    for wrong in ("1", 1.0, None, b"1", (1,)):
        with pytest.raises(TypeError, match="a whole number"):
            context.suite("sha1").choice(jobs=wrong)
    assert sha256.digest(b"", numpy.int32(32)) == sha(b"")


NAMES: dict[str, Callable[[Context, Any], object]] = {
    "suite": lambda c, end: c.suite("sha256" + end),
    "hash_many": lambda c, end: hash_many("sha256" + end, [b""]),
    "hmac_many": lambda c, end: hmac_many("sha256" + end, b"", [b""]),
    "kernel": lambda c, end: c.kernel(c.kernels()[0] + end),
    "force": lambda c, end: c.force("sha256" + end, None),
    "forced": lambda c, end: c.force("sha256", c.suite("sha256").choice().kernel + end),
    "target": lambda c, end: Context(target="host" + end),
    "costs": lambda c, end: Context(costs="/dev/null" + end),
    "save_costs": lambda c, end: c.save_costs("/tmp" + end),
    "selftest": lambda c, end: c.selftest("crc32c" + end),
    "calibrate": lambda c, end: c.calibrate("none" + end),
    "nearest": lambda c, end: c.nearest(1, "sha" + end),
    "field": lambda c, end: c.kernel(c.suite("sha256").choice().kernel).streams[0].field("in" + end),
    "code": lambda c, end: ErasureCode(2, 1, kernel="x" + end),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_end_early(context: Context, name: str) -> None:
    with pytest.raises(ValueError, match="NUL"):
        NAMES[name](context, "\0x")


def test_names_that_are_no_text(context: Context) -> None:
    for wrong in (None, 5, b"sha256", ["sha256"]):
        with pytest.raises(TypeError):
            context.suite(wrong)
        with pytest.raises(TypeError):
            hash_many(wrong, [b""])


# ---- handles


def test_what_stands_for_memory_of_the_library_is_not_copied(context: Context, gcm: Key) -> None:
    """A copy of it would stand for the same memory, and one of the two would free, or change, the other's."""
    kernel = context.kernel(context.suite(GCM).choice().kernel)
    handles = (context, gcm, gcm.suite, CrcKey(context, 32, 7), ErasureCode(2, 1), Manager(context), kernel)
    others = (PublicKey("x25519"), gcm.sealing(iv=IV), gcm.opening(iv=IV), gcm.live(), Held(b"x"))
    for one in (*handles, *others):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="neither copied nor pickled"):
                way(one)
    assert gcm.seal(b"x", iv=IV) == context.suite(GCM).key(bytes(16)).seal(b"x", iv=IV)


def run_all(calls: list[Callable[[], object]]) -> None:
    """At once, in threads of their own; what one raises is raised."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> None:
        barrier.wait()
        call()

    with ThreadPoolExecutor(len(calls)) as pool:
        for done in [pool.submit(run, call) for call in calls]:
            done.result()


def test_two_threads_close_one_object(context: Context) -> None:
    suite, barrier = context.suite("sha256"), threading.Barrier(2)
    objects: list[Any] = [None]

    def closes(rounds: int, makes: Callable[[], Any]) -> None:
        for _ in range(rounds):
            if barrier.wait() == 0:
                objects[0] = makes()
            barrier.wait()
            objects[0].close()

    for rounds, makes in ((4000, suite.key), (300, lambda: Manager(context)), (60, Context)):
        run_all([lambda rounds=rounds, makes=makes: closes(rounds, makes)] * 2)


def test_a_call_outlives_its_key(context: Context) -> None:
    """A key that is closed while another thread uses it: the answer is right, or the key was closed before."""
    text, wanted = bytes(200_000), hmac_many("sha256", b"k", [bytes(200_000)])[0]
    outcomes = set[str]()
    for _ in range(100):
        key = context.suite("hmac-sha256").key(None, b"k")

        def digest(key: Key = key) -> None:
            try:
                while True:
                    assert key.digest(text) == wanted
                    outcomes.add("answered")
            except RuntimeFailure as failure:
                assert failure.code == ERR_ARGUMENT and "the key is closed" in str(failure)
                outcomes.add("closed")

        def close(key: Key = key) -> None:
            time.sleep(0.001)
            key.close()

        run_all([digest, close, close])
    assert outcomes == {"answered", "closed"}


def after(context: Context) -> dict[str, Callable[[], object]]:
    """Returns calls of the objects of a context, by name, to be made after it is closed."""
    suite, sha1, crc = context.suite(GCM), context.suite("sha1"), CrcKey(context, 32, 0x04C11DB7)
    key, manager, digest, tls = suite.key(bytes(16)), Manager(context), sha1.key(), context.suite(TLS)
    sealing, code, kernel = tls.key(bytes(16), bytes(20)), ErasureCode(2, 1, context=context), context.kernel
    raw = kernel(sha1.choice().kernel)
    job = Job(digest, data=b"x", tag=bytearray(20))
    manager.submit(job)
    return {
        "seal": lambda: key.seal(b"x", iv=IV),
        "open": lambda: key.open(b"x", bytes(16), iv=IV),
        "digest": lambda: digest.digest(b"x"),
        "digest_column": lambda: digest.digest_column(b"x", array("i", [0, 1]), bytearray(20)),
        "checksum": lambda: crc.checksum(b"x"),
        "combine": lambda: crc.combine(1, 2, 3),
        "tls_records": lambda: sealing.tls_records(b"x", ivs=bytes(16)),
        "tls_size": lambda: sealing.tls_size(5),
        "key": lambda: suite.key(bytes(16)),
        "crc key": lambda: CrcKey(context, 32, 7),
        "seal_many": lambda: suite.seal_many(key, [IV], [b"x"]),
        "open_many": lambda: suite.open_many(key, [IV], [(b"x", bytes(16))]),
        "choice": lambda: suite.choice(),
        "key_memory": lambda: suite.key_memory,
        "encode": lambda: code.encode([b"x", b"y"]),
        "update": lambda: code.update(0, b"x", [bytearray(1)]),
        "decode": lambda: code.decode([b"x", None, b"z"]),
        "check": lambda: code.check([b"x", b"y", b"z"]),
        "submit": lambda: manager.submit(job),
        "flush": lambda: manager.flush(),
        "take": lambda: manager.take(),
        "cancel": lambda: manager.cancel(job),
        "info": lambda: manager.info(),
        "manager": lambda: Manager(context),
        "burst": lambda: context.burst([job]),
        "run_alone": lambda: job.run_alone(),
        "raw kernel": lambda: raw.calls(),
        "run": lambda: raw.run(1, [0] * len(raw.streams)),
        "field": lambda: raw.streams[0].field("in"),
        "suite": lambda: context.suite("sha1"),
        "suites": lambda: context.suites(),
        "cpu": lambda: context.cpu(),
        "kernel": lambda: context.kernel(raw.name),
        "force": lambda: context.force("sha1", None),
        "selftest": lambda: context.selftest("crc32c"),
        "calibrate": lambda: context.calibrate("none"),
        "save_costs": lambda: context.save_costs("/dev/null/x"),
        "load_pack": lambda: context.load_pack(b"x"),
        "handle": lambda: key.handle,
    }


def test_nothing_is_used_after_the_context() -> None:
    context = Context()
    calls = after(context)
    context.close()
    context.close()
    for name, call in calls.items():
        with pytest.raises(RuntimeFailure, match="closed") as failure:
            call()
        assert failure.value.code == ERR_ARGUMENT, name


def test_nothing_is_used_after_its_own_close(context: Context, gcm: Key) -> None:
    manager, code = Manager(context), ErasureCode(2, 1, context=context)
    for handle, call, what in (
        (gcm, lambda: gcm.seal(b"x", iv=IV), "key"),
        (gcm, lambda: gcm.suite.seal_many(gcm, [IV], [b"x"]), "key"),
        (gcm, lambda: context.burst([Job(gcm, iv=IV, data=b"", tag=bytearray(16))]), "key"),
        (manager, lambda: manager.flush(), "manager"),
        (code, lambda: code.encode([b"x", b"y"]), "code"),
    ):
        handle.close()
        handle.close()
        assert handle.closed
        with pytest.raises(RuntimeFailure, match=f"the {what} is closed"):
            call()


def test_keys_are_wiped_after_their_context() -> None:
    import ctypes

    context = Context()
    suite = context.suite(GCM)
    block = (ctypes.c_uint8 * (suite.key_memory + 64))()
    start = -ctypes.addressof(block) % 64
    key = suite.key(b"k" * 16, memory=Address(ctypes.addressof(block) + start, suite.key_memory))
    assert b"k" * 16 in bytes(block)
    context.close()
    assert b"k" * 16 in bytes(block), "not before it is closed itself"
    key.close()
    assert not any(bytes(block))


def test_the_collector_frees_in_any_order() -> None:
    """Objects of a context in a cycle, the context among them."""
    for seed in range(20):
        context, rng = Context(), random.Random(seed)
        objects: list[Any] = [context, context.suite("sha1")]
        objects += [context.suite("sha1").key(), Manager(context), ErasureCode(2, 1, context=context)]
        objects.append(Job(objects[2], data=b"x", tag=bytearray(20)))
        objects[3].submit(objects[5])
        rng.shuffle(objects)
        for at, one in enumerate(objects):
            one.cycle = objects[at - 1]
        del context, one, objects
        gc.collect()


def test_the_shared_context_is_followed_by_another() -> None:
    suite = cryptostitch.suite(GCM)
    key = suite.key(bytes(16))
    suite.context.close()
    with pytest.raises(RuntimeFailure, match="closed"):
        key.seal(b"x", iv=IV)
    assert hash_many("sha256", [b"x"]) == [sha(b"x")]
    assert cryptostitch.suite(GCM).key(bytes(16)).seal(b"x", iv=IV)
    assert cryptostitch.suite("sha1").context is cryptostitch.suite("sha256").context


def test_what_must_be_alone_waits(context: Context) -> None:
    """cst_suite_force, cst_calibrate beside bursts of other threads."""
    suite, data = context.suite("sha256"), [bytes([n]) * 500 for n in range(64)]
    key, wanted, stop = suite.key(), [sha(each) for each in data], threading.Event()

    def hashes() -> None:
        while not stop.is_set():
            jobs = [Job(key, data=each, tag=bytearray(32)) for each in data]
            assert context.burst(jobs) == 0 and [bytes(job.tag) for job in jobs] == wanted
            assert key.digest(data[0]) == wanted[0]

    def forces() -> None:
        try:
            kernels = [name for name in context.kernels() if name.startswith("sha256_x")]
            for turn in range(60):
                try:
                    context.force("sha256", kernels[turn % len(kernels)])
                except RuntimeFailure:
                    context.force("sha256", None)
            assert context.calibrate("md5_x4@sse", 0.01) == 0
        finally:
            stop.set()

    run_all([hashes, hashes, forces])


def test_calls_from_inside_a_call(context: Context, sha256: Key) -> None:
    found = list[object]()

    def progress(done: int, total: int, kernel: str) -> int:
        found.append(sha256.digest(b"x"))
        context.force("sha256", None)
        return 0

    with pytest.raises(RuntimeError, match="under way in this thread"):
        context.calibrate("md5_x4@sse", 0.01, progress)
    assert found == [sha(b"x")]
    context.force("sha256", None)


def test_a_manager_inside_a_call_that_is_alone(context: Context, sha256: Key) -> None:
    """Threads that wait for the call do not hold what it wants."""
    manager, submitted, stop = Manager(context), threading.Event(), threading.Event()

    def submits() -> None:
        while not stop.is_set():
            manager.submit(Job(sha256, data=b"x", tag=bytearray(32)))
            submitted.set()
            manager.flush()
            while manager.take():
                pass

    def calibrates() -> None:
        def progress(*_: object) -> None:
            time.sleep(0.01)
            manager.submit(Job(sha256, data=b"x", tag=bytearray(32)))

        submitted.wait()
        try:
            for _ in range(20):
                context.calibrate("md5_x4@sse", 0.01, progress)
        finally:
            stop.set()

    run_all([submits, submits, calibrates])


def test_closing_inside_a_call() -> None:
    context = Context()
    assert context.calibrate("md5_x4@sse", 0.01, lambda done, total, kernel: context.close()) == 0
    assert context.closed


def test_a_child_process_does_not_wait_for_threads_of_its_parent(context: Context) -> None:
    inside, done = threading.Event(), threading.Event()

    def progress(*_: object) -> None:
        inside.set()
        done.wait(30)

    thread = threading.Thread(target=lambda: context.calibrate("md5_x4@sse", 0.01, progress))
    thread.start()
    assert inside.wait(30)
    child = os.fork()
    if child == 0:
        right = False
        try:
            right = context.cpu()["brand"] is not None
        finally:
            os._exit(0 if right else 1)
    status = os.waitpid(child, 0)[1]
    done.set()
    thread.join()
    assert status == 0


# ---- buffers

PAIR = (1, 1000)
TUPLES: dict[str, Callable[[Context, Key], object]] = {
    "digest": lambda c, k: c.suite("sha1").key().digest(PAIR),
    "seal": lambda c, k: k.seal(PAIR, iv=IV),
    "iv": lambda c, k: k.seal(b"x", iv=PAIR),
    "aad": lambda c, k: k.seal(b"x", iv=IV, aad=PAIR),
    "tag": lambda c, k: k.open(b"x", PAIR, iv=IV),
    "key": lambda c, k: c.suite(GCM).key((1, 16)),
    "mac_key": lambda c, k: c.suite("hmac-sha1").key(None, (1, 16)),
    "memory": lambda c, k: c.suite(GCM).key(bytes(16), memory=(64, 4096)),
    "memory as a buffer": lambda c, k: c.suite(GCM).key(bytes(16), memory=bytearray(4096)),
    "hmac_many": lambda c, k: hmac_many("sha256", (1, 100), [b"x"]),
    "hash_many": lambda c, k: hash_many("sha256", [PAIR]),
    "hash_column": lambda c, k: hash_column("sha256", PAIR, array("i", [0, 1])),
    "hmac_column": lambda c, k: hmac_column("sha256", PAIR, b"x", array("i", [0, 1])),
    "tags": lambda c, k: c.suite("sha1").key().digest_column(b"", array("i", [0, 0]), PAIR),
    "checksum": lambda c, k: c.suite("crc32").key().checksum(PAIR),
    "encode": lambda c, k: ErasureCode(1, 1).encode([PAIR]),
    "update": lambda c, k: ErasureCode(1, 1).update(0, PAIR, [bytearray(1000)]),
    "job": lambda c, k: c.burst([Job(k, data=PAIR)]),
    "piece": lambda c, k: c.burst([Job(k, data=[PAIR])]),
    "seal_many": lambda c, k: k.suite.seal_many(k, [IV], [PAIR]),
    "open_many": lambda c, k: k.suite.open_many(k, [IV], [(b"x", PAIR)]),
    "tls_records": lambda c, k: c.suite(TLS).key(bytes(16), bytes(20)).tls_records(PAIR, ivs=bytes(16)),
    "load_pack": lambda c, k: c.load_pack(PAIR),
}


def test_no_bytes_are_taken_for_others(gcm: Key, tls: Key) -> None:
    """Libraries differ in the order of nonce, text and AAD: all but the text, and the tag behind it, have names."""
    call: Any
    for call, arguments in (
        (gcm.seal, (IV, b"text")),
        (gcm.seal, (IV, b"text", b"aad")),
        (gcm.open, (IV, b"text" + bytes(16), b"aad")),
        (gcm.open, (b"text", bytes(16), IV)),
        (gcm.sealing, (IV,)),
        (gcm.opening, (IV, b"aad")),
        (tls.tls_records, (bytes(16), b"text")),
    ):
        with pytest.raises(TypeError, match="positional argument"):
            call(*arguments)
    with pytest.raises(RuntimeFailure, match="an IV of 0 bytes"):
        gcm.open(IV, bytes(16))


@pytest.mark.parametrize("name", TUPLES)
def test_tuples_are_no_addresses(context: Context, gcm: Key, name: str) -> None:
    with pytest.raises(TypeError):
        TUPLES[name](context, gcm)


def test_lengths_are_in_bytes(context: Context, gcm: Key, tls: Key) -> None:
    grid = numpy.arange(12, dtype=numpy.uint16).reshape(3, 4)
    for buffer in (
        numpy.arange(5),
        array("I", range(9)),
        grid,
        grid.astype(">u2"),
        numpy.array(5),
        numpy.zeros((0, 3)),
        numpy.zeros(3, dtype=[("Offset", "i4"), ("x", "f8")]),
        memoryview(bytes(24)).cast("B", (4, 6)),
    ):
        raw = bytes(buffer) if isinstance(buffer, (array, memoryview)) else buffer.tobytes()
        assert gcm.seal(buffer, iv=IV, aad=buffer) == gcm.seal(raw, iv=IV, aad=raw)
        assert gcm.suite.seal_many(gcm, [IV], [buffer], [buffer]) == [gcm.seal(raw, iv=IV, aad=raw)]
        assert hash_many("sha256", [buffer]) == [sha(raw)]
        assert tls.tls_records(buffer, ivs=bytes(16)) == tls.tls_records(raw, ivs=bytes(16))
        assert ErasureCode(1, 1).encode([buffer]) == ErasureCode(1, 1).encode([raw])
        out, tag = gcm.seal(raw, iv=IV)
        assert gcm.open(numpy.frombuffer(out, numpy.uint8), numpy.frombuffer(tag, numpy.uint64), iv=IV) == raw


def test_buffers_that_are_not_bytes_one_behind_the_other(context: Context, gcm: Key, sha256: Key) -> None:
    grid = numpy.arange(12, dtype=numpy.uint8).reshape(3, 4)
    objects = numpy.array([b"a", None], dtype=object)
    for wrong in (grid.T, grid[:, ::2], grid[::-1], memoryview(b"abcdef")[::2], objects, objects.reshape(1, 2)):
        for call in (
            lambda wrong=wrong: sha256.digest(wrong),
            lambda wrong=wrong: hash_many("sha256", [wrong]),
            lambda wrong=wrong: gcm.seal(b"x", iv=IV, aad=wrong),
            lambda wrong=wrong: hash_column("sha256", wrong, array("i", [0, 1])),
            lambda wrong=wrong: ErasureCode(1, 1).encode([wrong]),
        ):
            with pytest.raises((TypeError, BufferError)):
                call()
    with pytest.raises(TypeError, match="objects"):
        sha256.digest(numpy.zeros(2, dtype=[("a", "i4"), ("b", "O")]))


def test_bytes_that_lie_about_their_length(context: Context, sha256: Key) -> None:
    class Long(bytes):
        def __len__(self) -> int:
            return 1 << 40

    assert sha256.digest(Long(b"abc")) == sha(b"abc")
    assert hash_many("sha256", [Long(b"abc")]) == [sha(b"abc")]
    assert context.suite("hmac-sha1").key(None, Long(b"k")).digest(b"") == hmac_many("sha1", b"k", [b""])[0]


def test_read_only_outputs(context: Context, sha256: Key) -> None:
    with pytest.raises(TypeError, match="writable"):
        context.burst([Job(sha256, data=b"x", tag=bytes(32))])
    with pytest.raises(TypeError, match="writable"):
        sha256.digest_column(b"x", array("i", [0, 1]), bytes(32))
    with pytest.raises(TypeError, match="writable"):
        ErasureCode(1, 1).update(0, b"x", [b"y"])


def test_every_class_with_memory_of_the_library_cannot_be_copied() -> None:
    """Finds the classes of the binding that have a destructor, or keep an object of C or its state in an attribute."""
    found = set()
    for module in pkgutil.iter_modules(cryptostitch.binding.__path__, "cryptostitch.binding."):
        its = importlib.import_module(module.name)
        text = inspect.getsource(its)
        for node in ast.walk(ast.parse(text)):
            source = ast.get_source_segment(text, node) or "" if isinstance(node, ast.ClassDef) else ""
            if isinstance(node, ast.ClassDef) and re.search(r"__del__|self\._owned =|STATE_BYTES", source):
                found.add(node.name)
                assert issubclass(getattr(its, node.name), Uncopied), node.name
    assert {"Owned", "Held", "TextParts", "Context", "Key", "PublicKey", "RsaKey", "_Chunker", "_Rolling"} <= found


def test_one_buffer_is_no_list_of_buffers(context: Context, gcm: Key) -> None:
    suite: Any = gcm.suite
    for wrong in (b"abc", b"", bytearray(3), memoryview(b"abc"), "abc", ""):
        for call in (
            lambda wrong=wrong: hash_many("sha256", wrong),
            lambda wrong=wrong: hmac_many("sha256", b"k", wrong),
            lambda wrong=wrong: suite.seal_many(gcm, [IV] * 3, wrong),
            lambda wrong=wrong: suite.seal_many(gcm, wrong, [b"x"] * 3),
            lambda wrong=wrong: suite.open_many(gcm, [], wrong),
            lambda wrong=wrong: ErasureCode(3, 1).encode(wrong),
        ):
            with pytest.raises(TypeError, match="an iterable of buffers is wanted, not one"):
                call()
    with pytest.raises(TypeError):
        suite.seal_many(gcm, None, None)


@pytest.mark.parametrize("name", (GCM, "aes-128-ccm", "aes-128-cbc+hmac-sha1-etm", "hmac-sha256", "shake128"))
def test_the_sender_does_not_choose_the_length_of_a_tag(context: Context, name: str) -> None:
    """Whoever guesses a tag of 4 bytes is right once in 2^32: tags are whole, or as long as the caller says."""
    suite = context.suite(name)
    key = suite.key(bytes(suite.key_bytes), bytes(20) if suite.mac_key_max else None)
    iv, whole, text = bytes(suite.iv_bytes) or None, suite.tag_max, bytes(32)
    ivs = None if iv is None else [iv] * 3
    out, tag = key.seal(text, iv=iv)
    out = out or text
    key.open(out, tag, iv=iv)
    for short in sorted({*suite.open_tag_lengths, 0, 5}):
        if short == whole:
            continue
        told = f"a tag of {short} bytes, where {whole} are wanted"
        other: Any = (tag * 2)[:short]
        with pytest.raises(ValueError, match=told):
            key.open(out, other, iv=iv)
        with pytest.raises(ValueError, match=f"buffer 2: {told}"):
            suite.open_many(key, ivs, [(out, tag), (out, tag), (out, other)])
        with pytest.raises(ValueError, match=f"a tag of {whole} bytes, where {short} are wanted"):
            key.open(out, tag, iv=iv, tag_len=short)
        if short in suite.open_tag_lengths:
            right = key.seal(text, iv=iv, tag_len=short)[1]
            opened = suite.open_many(key, ivs, [(out, right)] * 3, None, short)
            assert opened == [key.open(out, right, iv=iv, tag_len=short)] * 3
        else:
            with pytest.raises(RuntimeFailure, match=f"a tag of {short} bytes"):
                key.open(out, other, iv=iv, tag_len=short)


def test_a_tag_of_a_suite_without_tags_is_refused(context: Context) -> None:
    suite = context.suite("aes-128-ctr")
    key, iv = suite.key(bytes(16)), bytes(16)
    for call in (
        lambda: key.open(b"text", bytes(16), iv=iv),
        lambda: suite.open_many(key, [iv], [(b"text", bytes(16))]),
    ):
        with pytest.raises(ValueError, match="a tag of 16 bytes, where 0 are wanted"):
            call()


@pytest.mark.parametrize("kind", "iIqQ")
def test_a_column_without_offsets(context: Context, sha256: Key, kind: str) -> None:
    """n items have n + 1 offsets; of none there is one."""
    for call in (
        lambda: hash_column("sha256", b"", array(kind)),
        lambda: hmac_column("sha256", b"key", b"text", array(kind)),
        lambda: sha256.digest_column(b"", array(kind), bytearray()),
    ):
        with pytest.raises(ValueError, match="no offsets"):
            call()
    assert hash_column("sha256", b"", array(kind, [0])) == b""


def test_nothing_is_no_block(context: Context) -> None:
    code = ErasureCode(4, 2)
    for call in (
        lambda: code.encode([None] * 4),
        lambda: code.check([None] * 6),
        lambda: code.update(0, None, [bytearray(1)] * 2),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(RuntimeFailure) as failure:
        code.decode([None] * 6)
    assert failure.value.code == ERR_LOST
    assert code.encode([b""] * 4) == [b"", b""]


def test_offsets_that_change_meanwhile(context: Context, sha256: Key) -> None:
    """They count as they were."""
    n, stop = 200_000, threading.Event()
    data, offsets = bytes(16 * n), array("q", range(0, 16 * n + 1, 16))

    def spoils() -> None:
        while not stop.is_set():
            offsets[n // 2] = 1 << 60
            time.sleep(0.0005)
            offsets[n // 2] = 8 * n
            time.sleep(0.002)

    def hashes() -> None:
        try:
            for _ in range(30):
                try:
                    hash_column("sha256", data, offsets)
                except RuntimeFailure as failure:
                    assert failure.code == ERR_LENGTH
        finally:
            stop.set()

    run_all([spoils, hashes])


def test_entries_of_a_state_block(context: Context) -> None:
    stream = context.kernel(context.suite("sha256").choice().kernel).streams[0]
    field = stream.field("chain")
    assert field and len(field.lane_offsets) == field.lanes
    for row, lane in ((0, 1 << 20), (0, -1), (1 << 40, 0), (-1, 0)):
        with pytest.raises(IndexError):
            stream.entry("chain", row, lane)


# ---- errors


def fails(what: str) -> None:
    key = cryptostitch.suite(GCM).key(bytes(16))
    if what == "forged":
        cryptostitch.suite(GCM).open_many(key, [IV] * 2, [(b"", bytes(16)), (b"x", bytes(16))])
    elif what == "auth":
        key.open(b"x", bytes(16), iv=IV)
    else:
        cryptostitch.suite("sha257")


def test_failures_come_out_of_other_processes() -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        with pytest.raises(SomeForged, match="2 of 2 messages") as forged:
            pool.map_async(fails, ["forged"]).get(60)
        assert (forged.value.code, forged.value.forged) == (ERR_AUTH, [0, 1])
        with pytest.raises(RuntimeFailure, match="authentication failed"):
            pool.map_async(fails, ["auth"]).get(60)
        with pytest.raises(RuntimeFailure, match="sha256") as named:
            pool.map_async(fails, ["name"]).get(60)
        assert named.value.code == ERR_NAME and "sha256" in named.value.nearest
    again = copy.copy(named.value)
    assert str(again) == str(named.value) and again.nearest == named.value.nearest


def test_what_matches_nothing_is_no_success(context: Context) -> None:
    with pytest.raises(RuntimeFailure, match="typo") as failure:
        context.selftest("typo")
    assert failure.value.code == ERR_NAME
    assert set(context.selftest("crc32c").values()) == {0}


@pytest.mark.parametrize("said", (-5, 7, 1 << 40, True))
def test_what_progress_says_is_no_error(context: Context, said: int) -> None:
    assert context.calibrate("md5_x4@sse", 0.01, lambda *_: said) == said


def of(context: Context, suite: str) -> Key:
    return context.suite(suite).key(bytes(16))


CAUSES: dict[str, tuple[Callable[[Context], object], str]] = {
    "key": (lambda c: c.suite(GCM).key(bytes(15)), "a key of 15 bytes, where the suite takes 16"),
    "no key": (lambda c: c.suite("sha1").key(b"x"), "a key of 1 bytes, where the suite takes none"),
    "mac key": (lambda c: c.suite("aes-128-cmac").key(None, b"x"), "a MAC key of 1 bytes, where the suite takes 16"),
    "xts": (lambda c: c.suite(XTS).key(bytes(32)), "the halves of the key are equal"),
    "iv": (lambda c: of(c, "aes-128-ctr").seal(b"x", iv=IV), "an IV of 12 bytes, .* takes 16"),
    "no iv": (lambda c: of(c, GCM).seal(b"x"), "an IV of 0 bytes"),
    "block": (lambda c: of(c, "aes-128-cbc").seal(b"x", iv=bytes(16)), "no multiple of 16"),
    "tag": (lambda c: of(c, GCM).seal(b"x", iv=IV, tag_len=17), "a tag of 17 bytes, .* 4, 8, 12, 13, 14"),
    "no tag": (lambda c: of(c, GCM).open(b"x", None, iv=IV, tag_len=0), "a tag of 0 bytes"),
    "aad": (lambda c: of(c, "aes-128-ctr").seal(b"x", iv=bytes(16), aad=b"a"), "AAD of 1 bytes, .* none"),
    "ccm": (lambda c: of(c, "aes-128-ccm").seal(bytes(70000), iv=bytes(13)), "too long for an IV of 13"),
    "esp": (lambda c: esp(c).seal(bytes(16), iv=bytes(16), aad=bytes(9)), "AAD of 9 bytes"),
    "hash length": (lambda c: hash_many("sha256", [b""], 40), "a tag of 40 bytes, where the suite takes 32"),
    "shake": (lambda c: hash_many("shake128", [b""], 0), "a tag of 0 bytes, where the suite takes 1 to"),
    "digest of a cipher": (lambda c: of(c, GCM).digest(b""), "the suite enciphers"),
    "column of a cipher": (lambda c: column_of_a_cipher(c), "the suite enciphers"),
    "which message": (lambda c: c.suite(GCM).seal_many(c.suite(GCM).key(bytes(16)), [IV, b""], [b"", b""]), "context"),
    "no checksum": (lambda c: c.suite("sha1").key().checksum(b""), "not a checksum"),
    "large checksum": (lambda c: c.suite("crc32").key().checksum(b"", 1 << 32), "more bits than the checksum"),
    "no tls": (lambda c: of(c, GCM).tls_records(b"", ivs=b""), "not one of TLS"),
    "tls version": (lambda c: records(c, b"", bytes(16), version=0x0304), "0x0304"),
    "tls ivs": (lambda c: c.suite(TLS).key(bytes(16), bytes(20)).tls_records(b"", ivs=b""), "1 records take 16"),
    "tls wrap": (
        lambda c: records(c, b"xy", bytes(32), sequence=(1 << 64) - 1, fragment=1),
        "sequence numbers would wrap",
    ),
    "tls fragment": (lambda c: c.suite(TLS).key(bytes(16), bytes(20)).tls_size(1, 16385), "a fragment of 16385 bytes"),
    "crc width": (lambda c: CrcKey(c, 7, 9), "a width of 7 bits"),
    "crc even": (lambda c: CrcKey(c, 8, 4), "0x4 is even"),
    "crc bits": (lambda c: CrcKey(c, 8, 0x107), "0x107 has more than 8 bits"),
    "shape": (lambda c: ErasureCode(200, 56), "200 blocks of data and 56 of parity"),
    "flags": (lambda c: Context(flags=1 << 31), "unknown flags"),
    "names": (lambda c: c.names(9), "no kind 9"),
    "manager": (lambda c: Manager(c, 2000), "min_fill is at most 1024"),
    "seconds": (lambda c: c.calibrate(seconds=-1), "0 to 3600 seconds"),
    "direction": (lambda c: Job(c.suite("sha1").key(), 2, data=b"", tag=bytearray(20)).run_alone(), "no direction 2"),
}
CAUSES["which message"] = (lambda c: second_message(c), "buffer 1: an IV of 0 bytes")


def records(context: Context, text: bytes, ivs: bytes, **more: int) -> None:
    context.suite(TLS).key(bytes(16), bytes(20)).tls_records(text, ivs=ivs, **more)


def esp(context: Context) -> Key:
    return context.suite("aes-128-cbc+hmac-sha1-96").key(bytes(16), bytes(20))


def column_of_a_cipher(context: Context) -> None:
    context.suite(GCM).key(bytes(16)).digest_column(b"", array("i", [0, 0]), bytearray(16))


def second_message(context: Context) -> None:
    suite = context.suite(GCM)
    suite.seal_many(suite.key(bytes(16)), [IV, b""], [b"", b""])


@pytest.mark.parametrize("name", CAUSES)
def test_messages_name_the_cause(context: Context, name: str) -> None:
    call, message = CAUSES[name]
    with pytest.raises(RuntimeFailure, match=message) as failure:
        call(context)
    assert "a null pointer" not in str(failure.value) and failure.value.code in (ERR_ARGUMENT, ERR_LENGTH)


def test_an_empty_name_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="empty"):
        Context(costs="")
    with pytest.raises(ValueError, match="empty"):
        Context().save_costs("")
