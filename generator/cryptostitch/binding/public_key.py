"""Public-key operations in lanes (cst_pk): `PublicKey`, `agree_many`. The interpreter's lock is released while the
library works."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from ctypes import sizeof

from .capi import ERR_POINT, NAME_KERNEL, OK, PkJob
from .handles import Handle, make
from .library import Library, wanted
from .many import shared_context
from .values import Buffer, name, place, several

X25519_BYTES = 32
AT_ONCE = 1024
"""Jobs of a call: what they take does not grow with their number."""


class PublicKey(Handle):
    """An operation with public keys, by name: "x25519" (RFC 7748). ``kernel``: for tests, the one that does everything.
    RuntimeFailure for unknown names, and where this CPU has no kernel. Several threads may share one."""

    _what = "public-key operation"

    def __init__(self, operation: str, context: Library | None = None, kernel: str | None = None):
        self._context = shared_context() if context is None else wanted(Library, context, "the context")
        self.lib = self._context.lib
        forced = None if kernel is None else name(kernel, "the name of a kernel")
        of = self._context.live()
        operation_name = name(operation, "the name of an operation")
        code, self._owned = make(self.lib.cst_pk_new, self.lib.cst_pk_free, of, of.pointer, operation_name, forced)
        self._context.check(code, kernel or operation, NAME_KERNEL)

    def agree_many(self, secrets: Iterable[Buffer], peers: Iterable[Buffer] | None = None) -> list[bytes | None]:
        """The shared secrets of scalars and the other sides' public keys, 32 bytes each; None where a public key is a
        point of small order, which must not be used. Without ``peers``: the scalars' own public keys. ValueError for as
        many secrets as peers are not, RuntimeFailure for other lengths."""
        scalars = list(several(secrets))
        others = None if peers is None else list(several(peers))
        if others is not None and len(others) != len(scalars):
            raise ValueError(f"{len(scalars)} secrets and {len(others)} public keys")
        found: list[bytes | None] = []
        for first in range(0, len(scalars), AT_ONCE):
            some = scalars[first : first + AT_ONCE]
            found += self._burst(some, None if others is None else others[first : first + AT_ONCE])
        return found

    def _burst(self, scalars: list[Buffer], others: list[Buffer] | None) -> list[bytes | None]:
        n = len(scalars)
        results = bytearray(X25519_BYTES * n)
        to, _, keep = place(results, write=True)
        kept: list[object] = [keep]
        jobs = (PkJob * n)()
        for i, job in enumerate(jobs):
            job.size = sizeof(PkJob)
            job.key, job.key_len, held = place(scalars[i])
            kept.append(held)
            if others is not None:
                address, length, held = place(others[i])
                # An empty buffer has no address, and no length that is right.
                setattr(job, "in", address or to)
                job.in_len = length
                kept.append(held)
            job.out, job.out_cap = (to or 0) + X25519_BYTES * i, X25519_BYTES
        code = self.call(self.lib.cst_pk_burst, jobs, n)
        del kept
        if code not in (OK, ERR_POINT):
            self._context.check(code)
        return [
            None if job.status else bytes(results[X25519_BYTES * i : X25519_BYTES * (i + 1)])
            for i, job in enumerate(jobs)
        ]


_shared: dict[str, PublicKey] = {}
_making = threading.Lock()


def _operation(operation: str) -> PublicKey:
    with _making:
        if operation not in _shared or _shared[operation].closed:
            _shared[operation] = PublicKey(operation)
        return _shared[operation]


def agree_many(secrets: Iterable[Buffer], peers: Iterable[Buffer] | None = None) -> list[bytes | None]:
    """X25519 of many (RFC 7748): ``PublicKey("x25519").agree_many``."""
    return _operation("x25519").agree_many(secrets, peers)
