"""Processes that are forked while other threads are inside the library: the child does the same call, and ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import cryptostitch
import pytest
from cryptostitch import Context, PublicKey, agree_many, hash_column, hash_many, hmac_many, sign_many, verify_many
from cryptostitch.binding import many, public_key
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.runtime import Job, Key
from cryptostitch.binding.turns import Turns

FORKS = 60
PATIENCE = 60
"""Seconds after which a child counts as one that waits for ever."""
TEXTS = [bytes([i]) * (40 * i) for i in range(60)]
IVS = [i.to_bytes(12, "big") for i in range(60)]
SECRETS = [bytes([i]) * 32 for i in range(1, 17)]
PEERS = [bytes([9, *bytes(31)])] * len(SECRETS)
"""The base point of X25519."""


def gcm() -> Key:
    return cryptostitch.suite("aes-128-gcm").key(bytes(16))


def sealed() -> object:
    key = gcm()
    return key.suite.seal_many(key, IVS, TEXTS)  # type: ignore[attr-defined]


def parts() -> tuple[bytes, bytes]:
    sealing = gcm().sealing(iv=IVS[0], aad=b"head")
    return sealing.update(TEXTS[9]), sealing.finish()


def verified() -> list[bool]:
    keys = PublicKey("ed25519-public-key").public_keys(SECRETS)
    texts = TEXTS[: len(SECRETS)]
    return verify_many([key or b"" for key in keys], texts, [made or b"" for made in sign_many(SECRETS, texts)])


CALLS: dict[str, Callable[[], object]] = {
    "hash_many": lambda: hash_many("sha256", TEXTS),
    "hmac_many": lambda: hmac_many("sha256", b"key", TEXTS),
    "hash_column": lambda: hash_column("sha256", bytes(6000), array("i", range(0, 6000, 100))),
    "seal_many": sealed,
    "sealing": parts,
    "agree_many": lambda: agree_many(SECRETS, PEERS),
    "sign_many": lambda: sign_many(SECRETS, TEXTS[: len(SECRETS)]),
    "verify_many": verified,
}


def forget() -> None:
    """Closes the shared contexts, so that the next call makes a new one under a lock."""
    for context in list(many._shared):
        context.close()


@contextmanager
def busy(call: Callable[[], object]) -> Iterator[None]:
    """Makes the call in two threads all the time."""
    stop, began = threading.Event(), threading.Barrier(3)

    def repeat() -> None:
        began.wait()
        while not stop.is_set():
            try:
                call()
                forget()
            except (cryptostitch.RuntimeFailure, ValueError) as error:
                assert "closed" in str(error) or "another context" in str(error)  # the other thread has closed it

    threads = [threading.Thread(target=repeat) for _ in range(2)]
    for thread in threads:
        thread.start()
    began.wait()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def child(call: Callable[[], object], wanted: object) -> None:
    os._exit(0 if call() == wanted else 1)


@pytest.mark.parametrize("name", CALLS)
def test_the_child_does_what_another_thread_was_doing(name: str) -> None:
    call, forks = CALLS[name], multiprocessing.get_context("fork")
    wanted = call()
    with busy(call):
        children = []
        for at in range(FORKS):
            time.sleep(0.0007 * (at % 5))
            children.append(forks.Process(target=child, args=(call, wanted)))
            children[-1].start()
            if len(children) > 4:
                ended(children.pop(0))
        for one in children:
            ended(one)


def ended(process: multiprocessing.process.BaseProcess) -> None:
    process.join(PATIENCE)
    if process.exitcode is None:
        process.kill()
        process.join()
        pytest.fail("a child waits for ever")
    assert process.exitcode == 0


def in_child(call: Callable[[], bool]) -> bool:
    """Returns the result of a call in a forked child; a signal ends a child that hangs."""
    pid = os.fork()
    if pid == 0:
        right = False
        try:
            signal.alarm(PATIENCE)
            right = call()
        finally:
            os._exit(0 if right else 1)
    return os.waitpid(pid, 0)[1] == 0


@contextmanager
def held(lock: Turns) -> Iterator[None]:
    """Holds the lock in another thread."""
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            inside.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        yield
    finally:
        leave.set()
        thread.join()


def raises(call: Callable[[], object]) -> bool:
    try:
        call()
    except RuntimeError as error:
        return "was using the" in str(error)
    return False


def test_locks_that_others_hold() -> None:
    """A lock of nobody's state is free in the child. What another thread was changing is refused there, by name."""
    for lock, call in (
        (many._making, lambda: hash_many("sha256", [b""])),
        (public_key._making, lambda: agree_many(SECRETS, PEERS)),
    ):
        forget()
        with held(lock):
            assert in_child(lambda call=call: bool(call()))
    context = Context()
    manager, sealing = Manager(context), gcm().sealing(iv=bytes(12))
    job = Job(context.suite("sha1").key(), data=b"x", tag=bytearray(20))
    for lock, call in ((manager._lock, lambda: manager.submit(job)), (sealing._lock, lambda: sealing.update(b"x"))):
        with held(lock):
            assert in_child(lambda call=call: raises(call))
        assert not raises(call), "in the parent it goes on"
        with lock:
            assert in_child(lambda call=call: not raises(call)), "the thread that forks goes on in the child"
    with held(manager._lock):
        assert in_child(lambda: manager.close() is None)
