"""Public-key operations in lanes (cst_pk): `PublicKey`, and `agree_many`, `sign_many`, `verify_many` for many. The
interpreter's lock is released while the library works."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from ctypes import sizeof
from difflib import get_close_matches
from typing import Any

from .capi import (
    ERR_ARGUMENT,
    ERR_AUTH,
    ERR_LENGTH,
    ERR_NAME,
    ERR_POINT,
    ERR_UNSUPPORTED,
    NAME_KERNEL,
    NOT_RUN,
    OK,
    PkJob,
)
from .failures import RuntimeFailure
from .handles import Handle, Owned, make
from .library import Library, wanted
from .many import shared_context
from .rsa import MOST_BYTES, OPERATIONS, SALTED, SIGNATURES
from .turns import Turns
from .values import Buffer, name, place, several

RESULT_BYTES = {
    "x25519": 32,
    "x25519-public-key": 32,
    "ed25519-sign": 64,
    "ed25519-public-key": 32,
    "ecdsa-p256-sign": 64,
    "ecdh-p256": 32,
    "p256-public-key": 65,
    **dict.fromkeys(OPERATIONS, MOST_BYTES),
}
DIGEST = "-digest"
VERIFICATIONS = ("ed25519-verify", "ed25519-verify-zip215", "ecdsa-p256-verify")
OF_DIGESTS = ("ecdsa-p256-sign", "ecdsa-p256-verify", *SIGNATURES)
NAMES = (*RESULT_BYTES, *VERIFICATIONS, *(name_ + DIGEST for name_ in OF_DIGESTS))
"""All operations."""
AT_ONCE = 1024
"""Jobs of a call: what they take does not grow with their number."""


class PublicKey(Handle):
    """An operation with public keys, by name: "x25519" and "x25519-public-key" (RFC 7748); of Ed25519 (RFC 8032)
    "ed25519-verify", "ed25519-verify-zip215" (by the rules of ZIP 215), "ed25519-sign" and "ed25519-public-key"; of
    P-256 "ecdsa-p256-verify", "ecdsa-p256-sign" (FIPS 186-5, RFC 6979), "ecdh-p256" and "p256-public-key"; of RSA
    (RFC 8017), with keys that are `RsaKey`, those of `rsa.OPERATIONS`. Where ECDSA or RSA signs or verifies, "-digest"
    behind the name says that the messages are digests. ``kernel``: for tests, the one that does everything.
    RuntimeFailure for unknown names, and where this CPU has no kernel. Several threads may share one."""

    _what = "public-key operation"

    def __init__(self, operation: str, context: Library | None = None, kernel: str | None = None):
        self._context = shared_context() if context is None else wanted(Library, context, "the context")
        self.lib = self._context.lib
        forced = None if kernel is None else name(kernel, "the name of a kernel")
        of = self._context.live()
        operation_name = name(operation, "the name of an operation")
        self._operation = operation.removesuffix(DIGEST)
        code, self._owned = make(self.lib.cst_pk_new, self.lib.cst_pk_free, of, of.pointer, operation_name, forced)
        lacks = code == ERR_UNSUPPORTED and operation.startswith("rsa-")
        cause = "RSA needs AVX-512 IFMA, which this CPU or the chosen target lacks" if lacks else ""
        if code == ERR_NAME and operation not in NAMES:
            near = get_close_matches(operation.lower(), NAMES, cutoff=0.5)
            raise RuntimeFailure(code, "no public-key operation of that name", operation, ", ".join(near))
        self._context.check(code, kernel or operation, NAME_KERNEL, cause)

    def check(self, code: int, what: str) -> None:
        """Raises RuntimeFailure for an error."""
        self._context.check(code, what)

    def _need(self, *operations: str) -> None:
        if self._operation not in operations:
            raise ValueError(f"'{self._operation}' does not do that: {' or '.join(operations)} does")

    def agree_many(self, secrets: Iterable[Buffer], peers: Iterable[Buffer]) -> list[bytes | None]:
        """The shared secrets, 32 bytes each, of secret keys and the other sides' public keys; None where a key must not
        be used: a point of small order, or not on the curve. ValueError for as many secrets as peers are not,
        RuntimeFailure for other lengths."""
        self._need("x25519", "ecdh-p256")
        scalars = list(several(secrets))
        return self._results(scalars, _as_many(scalars, peers, "secrets", "public keys"))

    def public_keys(self, secrets: Iterable[Buffer]) -> list[bytes | None]:
        """The public keys of secret keys of 32 bytes: 32 bytes each of X25519 and Ed25519, 65 of P-256, where it is
        None for what is no secret key."""
        self._need("x25519-public-key", "ed25519-public-key", "p256-public-key")
        return self._results(list(several(secrets)))

    def sign_many(
        self,
        secrets: Iterable[Buffer] | Iterable[RsaKey],
        messages: Iterable[Buffer],
        salts: Iterable[Buffer] | None = None,
    ) -> list[bytes | None]:
        """A signature for each secret key and message. ``salts``: one for each, of PSS and of nothing else; they may be
        empty. A secret key of Ed25519, 32 bytes, may have its public key behind it, which saves time; it is not
        checked, and a wrong one gives the secret key away. Of P-256 it is None for what is no secret key. ValueError
        for as many keys as messages are not, RuntimeFailure for other lengths, which names the item."""
        self._need("ed25519-sign", "ecdsa-p256-sign", *SIGNATURES)
        keys = list(several(secrets))
        texts = _as_many(keys, messages, "secret keys", "messages")
        if (salts is None) == (self._operation in SALTED):
            raise ValueError(f"'{self._operation}' takes {'a salt with each message' if salts is None else 'no salts'}")
        return self._results(keys, texts, None if salts is None else _as_many(keys, salts, "secret keys", "salts"))

    def decrypt_many(
        self, keys: Iterable[RsaKey], ciphertexts: Iterable[Buffer], labels: Iterable[Buffer] | None = None
    ) -> list[bytes | None]:
        """The messages of RSA's ciphertexts; None where one cannot be opened, for whatever reason: another length is
        one, too."""
        self._need("rsa-decrypt-oaep-sha256")
        privates = list(keys)
        texts = _as_many(privates, ciphertexts, "keys", "ciphertexts")
        told = None if labels is None else _as_many(privates, labels, "keys", "labels")
        return self._results(privates, texts, told, lengths_are_forged=True)

    def powers(self, keys: Iterable[RsaKey], numbers: Iterable[Buffer]) -> list[bytes | None]:
        """The powers of numbers by RSA's private exponents, as big-endian bytes; of the key's length all."""
        self._need("rsa-private")
        privates = list(keys)
        return self._results(privates, _as_many(privates, numbers, "keys", "numbers"))

    def verify_many(
        self, keys: Iterable[Buffer], messages: Iterable[Buffer], signatures: Iterable[Buffer]
    ) -> list[bool]:
        """Whether each signature is right for its public key and message. ValueError where there are not as many of
        each, RuntimeFailure for lengths that the operation does not take."""
        self._need("ed25519-verify", "ed25519-verify-zip215", "ecdsa-p256-verify")
        publics = list(several(keys))
        texts = _as_many(publics, messages, "public keys", "messages")
        tags = _as_many(publics, signatures, "public keys", "signatures")
        return [job.status == OK for job, _ in self._run(publics, texts, tags)]

    def _results(
        self,
        keys: Sequence[Buffer | RsaKey],
        inputs: list[Buffer] | None = None,
        signatures: list[Buffer] | None = None,
        lengths_are_forged: bool = False,
    ) -> list[bytes | None]:
        ran = self._run(keys, inputs, signatures, lengths_are_forged)
        return [None if job.status else result for job, result in ran]

    def _run(
        self,
        keys: Sequence[Buffer | RsaKey],
        inputs: list[Buffer] | None,
        signatures: list[Buffer] | None = None,
        lengths_are_forged: bool = False,
    ) -> Iterator[tuple[Any, bytes]]:
        """Each job, and what it wrote. RuntimeFailure names the first job with a wrong length; with
        ``lengths_are_forged`` its status says so, and the others run."""
        size = RESULT_BYTES.get(self._operation, 0)
        for first in range(0, len(keys), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            jobs, results, code = self._burst(
                keys[some], inputs and inputs[some], signatures and signatures[some], lengths_are_forged
            )
            if code not in (OK, ERR_POINT, ERR_AUTH):
                elsewhere = code == ERR_ARGUMENT and any(self._is_elsewhere(key) for key in keys[some])
                cause = _cause(jobs, first) if code == ERR_LENGTH else ""
                self._context.check(code, cause="a key is of another context" if elsewhere else cause)
            for i, job in enumerate(jobs):
                yield job, bytes(results[size * i : size * i + job.out_len])

    def _is_elsewhere(self, key: Buffer | RsaKey) -> bool:
        return isinstance(key, RsaKey) and key.live().gate is not self.live().gate

    def _burst(
        self,
        keys: Sequence[Buffer | RsaKey],
        inputs: list[Buffer] | None,
        signatures: list[Buffer] | None,
        lengths_are_forged: bool,
    ) -> tuple[Any, bytearray, int]:
        size = RESULT_BYTES.get(self._operation, 1)
        results = bytearray(size * len(keys))
        to, _, keep = place(results, write=True)
        kept: list[object] = [keep]
        jobs = (PkJob * len(keys))()

        def at(buffer: Buffer) -> tuple[int | None, int]:
            address, length, held = place(buffer)
            kept.append(held)
            # An empty buffer has no address, but is there.
            return address or to, length

        for i, job in enumerate(jobs):
            job.size = sizeof(PkJob)
            key = keys[i]
            if isinstance(key, RsaKey):
                kept.append(owned := key.prepared())
                job.prepared = owned.pointer
            else:
                job.key, job.key_len = at(key)
            if inputs is not None:
                address, job.in_len = at(inputs[i])
                setattr(job, "in", address)
            if signatures is not None:
                job.signature, job.signature_len = at(signatures[i])
            job.out, job.out_cap = (to or 0) + size * i, size
        code = self.call(self.lib.cst_pk_burst, jobs, len(keys))
        if code == ERR_LENGTH and lengths_are_forged:
            right = [i for i, job in enumerate(jobs) if job.status == NOT_RUN]
            others = (PkJob * len(right))(*(jobs[i] for i in right))
            code = self.call(self.lib.cst_pk_burst, others, len(right))
            for i, job in zip(right, others):
                jobs[i] = job
        return jobs, results, code


class RsaKey(Handle):
    """A private key of RSA with 2048, 3072 or 4096 bits, prepared for all operations of its context (cst_pk_key).
    ``der``: RSAPrivateKey, or PrivateKeyInfo of PKCS#8 with it. RuntimeFailure for other encodings, and for numbers
    that do not belong together. Several threads may share one."""

    _what = "key"

    def __init__(self, der: Buffer, context: Library | None = None):
        operation = PublicKey("rsa-private", context)
        self.lib = operation.lib
        of = operation.live()
        address, size, held = place(der)
        code, self._owned = make(
            self.lib.cst_pk_key_new, self.lib.cst_pk_key_free, of, of.pointer, address or None, size
        )
        del held
        operation.check(code, "a private key of RSA")

    def prepared(self) -> Owned:
        """Keeps the C object alive."""
        return self.live()


def _cause(jobs: Any, first: int) -> str:
    """Says which job has a length that the operation does not take. ``first``: the number of the first job."""
    for at, job in enumerate(jobs, first):
        if job.status == ERR_LENGTH:
            told = {"a key": job.key_len, "an input": job.in_len, "a signature, salt or label": job.signature_len}
            lengths = ", ".join(f"{what} of {n} bytes" for what, n in told.items() if n)
            return f"item {at} has {lengths or 'no bytes'}: the operation takes other lengths"
    return ""


def _as_many(first: Sequence[object], others: Iterable[Buffer], what: str, other: str) -> list[Buffer]:
    found = list(several(others))
    if len(found) != len(first):
        raise ValueError(f"{len(first)} {what} and {len(found)} {other}")
    return found


_shared: dict[str, PublicKey] = {}
_making = Turns()


def _shared_operation(operation: str) -> PublicKey:
    found = _shared.get(operation)
    if found is not None and not found.closed:
        return found
    with _making:
        if operation not in _shared or _shared[operation].closed:
            _shared[operation] = PublicKey(operation)
        return _shared[operation]


def agree_many(secrets: Iterable[Buffer], peers: Iterable[Buffer]) -> list[bytes | None]:
    """X25519 of many (RFC 7748): ``PublicKey("x25519").agree_many``."""
    return _shared_operation("x25519").agree_many(secrets, peers)


def sign_many(secrets: Iterable[Buffer], messages: Iterable[Buffer]) -> list[bytes | None]:
    """Ed25519 of many (RFC 8032): ``PublicKey("ed25519-sign").sign_many``."""
    return _shared_operation("ed25519-sign").sign_many(secrets, messages)


def verify_many(
    keys: Iterable[Buffer], messages: Iterable[Buffer], signatures: Iterable[Buffer], zip215: bool = False
) -> list[bool]:
    """Ed25519 of many: ``PublicKey("ed25519-verify").verify_many``; ``zip215``: by the rules of ZIP 215."""
    operation = "ed25519-verify-zip215" if zip215 else "ed25519-verify"
    return _shared_operation(operation).verify_many(keys, messages, signatures)
