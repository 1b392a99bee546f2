"""cst_pk_manager: jobs of several operations come back once each, those of an operation in their order, with the
results of a burst; limits, and what is refused."""

from __future__ import annotations

import ctypes
import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import addressof, byref, c_void_p, create_string_buffer

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptostitch import PublicKey
from cryptostitch.binding.capi import (
    ERR_ARGUMENT,
    ERR_AUTH,
    ERR_FULL,
    ERR_LENGTH,
    NOT_RUN,
    OK,
    ManagerOptions,
    PkJob,
)
from cryptostitch.binding.runtime import Context


class Submitted:
    """A job with its buffers. ``wanted``: its result, or None for a signature that is wrong."""

    def __init__(self, key: bytes, text: bytes, signature: bytes = b"", wanted: bytes | None = b""):
        self.wanted = wanted
        self.buffers = [create_string_buffer(part, max(1, len(part))) for part in (key, text, signature)]
        self.out = create_string_buffer(64)
        at, of, tag = map(addressof, self.buffers)
        self.job = PkJob(size=ctypes.sizeof(PkJob), key=at, key_len=len(key), in_len=len(text), **{"in": of})
        self.job.signature, self.job.signature_len = tag, len(signature)
        self.job.out, self.job.out_cap = addressof(self.out), 64

    def check(self) -> None:
        assert self.job.status == (OK if self.wanted is not None else ERR_AUTH)
        assert self.out.raw[: self.job.out_len] == (self.wanted or b"")


def agreement(rng: random.Random) -> Submitted:
    secret, peer = rng.randbytes(32), X25519PrivateKey.from_private_bytes(rng.randbytes(32)).public_key()
    wanted = X25519PrivateKey.from_private_bytes(secret).exchange(peer)
    return Submitted(secret, peer.public_bytes_raw(), wanted=wanted)


def signature(rng: random.Random) -> Submitted:
    secret, message = rng.randbytes(32), rng.randbytes(rng.randrange(1, 99))
    return Submitted(secret, message, wanted=Ed25519PrivateKey.from_private_bytes(secret).sign(message))


def verification(rng: random.Random) -> Submitted:
    key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(9)
    tag = key.sign(message)
    right = bool(rng.randrange(2))
    return Submitted(key.public_key().public_bytes_raw(), message if right else b"other", tag, b"" if right else None)


MADE = {"x25519": agreement, "ed25519-sign": signature, "ed25519-verify": verification}


@contextmanager
def manager(context: Context, **options: int) -> Iterator[c_void_p]:
    handle, limits = c_void_p(), ManagerOptions(**options)
    assert context.lib.cst_pk_manager_new(context.handle, byref(limits), byref(handle)) == OK
    try:
        yield handle
    finally:
        context.lib.cst_pk_manager_free(handle)


def taken(context: Context, handle: c_void_p) -> list[int]:
    """The addresses of finished jobs."""
    found = []
    while address := context.lib.cst_pk_manager_take(handle):
        found.append(address)
    return found


@pytest.mark.parametrize(("min_fill", "max_age"), [(0, 0), (1, 0), (4, 6), (32, 5), (9, 1)])
def test_every_job_comes_back_once(shared_context: Context, min_fill: int, max_age: int) -> None:
    rng = random.Random(min_fill)
    operations = {name: PublicKey(name, shared_context) for name in MADE}
    inside: dict[int, tuple[str, int, Submitted]] = {}
    last: dict[str, int] = defaultdict(int)

    def look() -> None:
        for address in taken(shared_context, handle):
            name, order, one = inside.pop(address)
            one.check()
            assert order > last[name]
            last[name] = order

    with manager(shared_context, min_fill=min_fill, max_age=max_age) as handle:
        for order in range(1, 121):
            name = rng.choice(list(MADE))
            one = MADE[name](rng)
            inside[addressof(one.job)] = name, order, one
            pk = operations[name].handle
            assert shared_context.lib.cst_pk_manager_submit(handle, pk, addressof(one.job)) == OK
            if rng.random() < 0.3:
                look()
                waiting: dict[str, int] = defaultdict(int)
                for its, since, _ in inside.values():
                    waiting[its] += 1
                    assert order - since < (max_age or 256)
                assert all(n < (min_fill or 8) for n in waiting.values())
        assert shared_context.lib.cst_pk_manager_flush(handle) == OK
        look()
        assert not inside and taken(shared_context, handle) == []


def test_limits(shared_context: Context) -> None:
    rng, lib = random.Random(1), shared_context.lib
    pk = PublicKey("x25519", shared_context)
    with manager(shared_context, min_fill=3, capacity=3) as handle:
        some = [agreement(rng) for _ in range(4)]
        for one in some[:3]:
            assert lib.cst_pk_manager_submit(handle, pk.handle, addressof(one.job)) == OK
        assert lib.cst_pk_manager_submit(handle, pk.handle, addressof(some[3].job)) == ERR_FULL
        assert lib.cst_pk_manager_take(handle) == addressof(some[0].job)
        assert lib.cst_pk_manager_submit(handle, pk.handle, addressof(some[3].job)) == OK
        assert lib.cst_pk_manager_cancel(handle, addressof(some[1].job)) == ERR_ARGUMENT  # it is done
        assert lib.cst_pk_manager_cancel(handle, addressof(some[3].job)) == OK
        assert some[3].job.status == NOT_RUN and some[3].out.raw == bytes(64)
        assert taken(shared_context, handle) == [addressof(one.job) for one in some[1:3]]
        for one in some[:3]:
            one.check()


def test_what_is_refused(shared_context: Context) -> None:
    lib, handle = shared_context.lib, c_void_p()
    for options in ({"min_fill": 1025}, {"min_fill": 9, "capacity": 8}, {"capacity": 1 << 25}):
        limits = ManagerOptions(**options)
        assert lib.cst_pk_manager_new(shared_context.handle, byref(limits), byref(handle)) == ERR_ARGUMENT
    assert lib.cst_pk_manager_new(None, None, byref(handle)) == ERR_ARGUMENT
    assert lib.cst_pk_manager_flush(None) == ERR_ARGUMENT and lib.cst_pk_manager_take(None) is None
    lib.cst_pk_manager_free(None)
    pk, one = PublicKey("x25519", shared_context), agreement(random.Random(2))
    with manager(shared_context) as handle:
        assert lib.cst_pk_manager_submit(handle, None, addressof(one.job)) == ERR_ARGUMENT
        assert lib.cst_pk_manager_submit(handle, pk.handle, None) == ERR_ARGUMENT
        one.job.key_len = 31
        assert lib.cst_pk_manager_submit(handle, pk.handle, addressof(one.job)) == ERR_LENGTH
        assert lib.cst_pk_manager_flush(handle) == OK and taken(shared_context, handle) == []
