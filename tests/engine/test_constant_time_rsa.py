"""RSA's private operations run in constant time: every instruction and every address of a whole cst_pk_burst
(stepped.py) is the same for two private keys, and for ciphertexts that are wrong in different ways. One trace has 2.7
million steps, so this is for long runs."""

from __future__ import annotations

import ctypes
import hashlib
import random

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptostitch import PublicKey
from cryptostitch.binding.capi import ERR_AUTH, OK, PkJob
from cryptostitch.binding.public_key import RsaKey
from cryptostitch.binding.runtime import ERR_UNSUPPORTED, Context, RuntimeFailure
from engine.entries import address
from engine.stepped import NotTraceable, Stepped, shared
from jobs.samples import LONG

PLAIN_BYTES = 6456
"""Of a prepared key in front of its process and lock (public_key/blinding.hpp): numbers, whose places do not depend on
the key, and which of the blinding factors are the current ones."""
SHARING_BYTES = 8
"""Of that process and lock. What is behind them is the same for both keys, and ends with the key's context."""
PREPARED_BYTES = PLAIN_BYTES + SHARING_BYTES + 16
AT_MODULUS = 16
TRIES = 8  # because what the library allocates need not be at the same place


def der(key: rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def wrong(rng: random.Random, public: rsa.RSAPublicNumbers, first: int, end: bytes) -> bytes:
    """A ciphertext whose encoding begins with `first` and ends with `end` behind zeros (RFC 8017, 7.1.1)."""

    def mask(seed: bytes, size: int) -> bytes:
        return b"".join(hashlib.sha256(seed + i.to_bytes(4, "big")).digest() for i in range(8))[:size]

    block = hashlib.sha256().digest() + bytes(191 - len(end)) + end
    seed = rng.randbytes(32)
    masked = bytes(a ^ b for a, b in zip(block, mask(seed, 223)))
    number = bytes([first]) + bytes(a ^ b for a, b in zip(seed, mask(masked, 32))) + masked
    return pow(int.from_bytes(number, "big"), public.e, public.n).to_bytes(256, "big")


@pytest.mark.skipif(not LONG, reason="millions of single steps: CRYPTOSTITCH_LONG=1")
@pytest.mark.parametrize("operation", ["rsa-private", "rsa-decrypt-oaep-sha256"])
def test_one_trace_for_all_secrets(host: Context, operation: str) -> None:
    try:
        pk = PublicKey(operation, host)
    except RuntimeFailure as failure:
        assert failure.code == ERR_UNSUPPORTED
        pytest.skip("this CPU cannot run it")
    privates = [rsa.generate_private_key(65537, 2048) for _ in range(2)]
    keys = [RsaKey(der(key), host) for key in privates]
    images = [ctypes.string_at(key.prepared().pointer, PREPARED_BYTES) for key in keys]
    publics = [key.public_key().public_numbers() for key in privates]
    for image, public in zip(images, publics):
        assert image[AT_MODULUS:].startswith(public.n.to_bytes(256, "little"))
        assert image.endswith(host.handle.value.to_bytes(8, "little"))
    rng = random.Random(operation)
    if operation == "rsa-private":
        inputs, status = [b"\0" + rng.randbytes(255), bytes(255) + b"\2"], OK
    else:
        inputs, status = [wrong(rng, publics[0], 1, b"\1text"), wrong(rng, publics[1], 0, b"\2" + bytes(100))], ERR_AUTH
    memory = shared(16384)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    (job,) = structs = (PkJob * 1).from_buffer(memory)
    job.__init__(in_len=256, out=base + 2048, out_cap=256, prepared=base + 4096, **{"in": base + 1024})
    behind = images[0][PLAIN_BYTES + SHARING_BYTES :]
    memory[4096 + PLAIN_BYTES : 4096 + PREPARED_BYTES] = bytes(SHARING_BYTES) + behind  # no process, no holder

    def put(which: int) -> None:
        memory[1024:1280] = inputs[which]
        memory[4096 : 4096 + PLAIN_BYTES] = images[which][:PLAIN_BYTES]

    burst = pk.lib.cst_pk_burst
    put(0)
    assert burst(pk.handle, structs, 1) == status
    try:
        stepped = Stepped(address(burst), lambda: burst(pk.handle, structs, 1))
    except NotTraceable as error:
        pytest.skip(f"no single steps here: {error}")
    put(0)
    first = stepped.trace()
    assert len(first.steps) > 2_000_000
    for _ in range(TRIES):
        put(1)
        trace = stepped.trace()
        assert job.status == status
        if trace.steps == first.steps:
            return
    at = first.common(trace)
    raise AssertionError(f"step {at} is {stepped.where(trace.steps[at])}")
