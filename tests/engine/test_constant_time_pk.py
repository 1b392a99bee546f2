"""X25519, and signing by Ed25519 and ECDSA, run in constant time. The tests compare every instruction and every address
of a whole cst_pk_burst (stepped.py), for secrets and public keys that differ, some of which are at the edges of a
ladder and a reduction."""

from __future__ import annotations

import ctypes
import random

import pytest
from built import kernel_names
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptostitch import PublicKey
from cryptostitch.binding.capi import PkJob
from cryptostitch.binding.runtime import ERR_UNSUPPORTED, Context, RuntimeFailure
from cryptostitch.core.arithmetic import P25519
from engine.entries import address
from engine.stepped import NotTraceable, Stepped, shared
from jobs.samples import LONG

QUICK = {
    "x25519": "x25519_ladder64_x1@scalar",
    "ed25519-sign": "ed25519_double64_x1@scalar",
    "ecdsa-p256-sign": "p256_double64_x1@scalar",
}
KERNELS = [
    (operation, name)
    for operation, quick in QUICK.items()
    for name in kernel_names()
    if name.startswith(quick[: quick.index("_x")].rstrip("0123456789")) and (LONG or name == quick)
]
if LONG:
    KERNELS.append(("ecdh-p256", QUICK["ecdsa-p256-sign"]))
SECRETS = [bytes(32), b"\xff" * 32, bytes.fromhex("55" * 32)]
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256 (SP 800-186, 3.2.1.3)
# Not 2, 34 and ORDER less that: the last addition is then of equal points, and the job is computed again.
SECRETS_P256 = [n.to_bytes(32, "big") for n in (5, ORDER - 5, ORDER // 3)]
POINTS = [(P25519 - 2).to_bytes(32, "little"), b"\xff" * 32, (9).to_bytes(32, "little")]
TRIES = 8  # because what the library allocates need not be at the same place
IN, OUT = 32, 80  # behind a job's key
JOB, AWAY = 160, 1024  # bytes from a job's buffers to the next one's; of the first from the structs


def secret_and_input(operation: str, rng: random.Random) -> tuple[bytes, bytes]:
    if operation != "ecdh-p256":
        return b"\x7f" + rng.randbytes(31), rng.randbytes(32)
    key = ec.derive_private_key(rng.randrange(1, ORDER), ec.SECP256R1()).public_key()
    return b"\x7f" + rng.randbytes(31), key.public_bytes(Encoding.X962, PublicFormat.CompressedPoint)


@pytest.mark.parametrize(("operation", "kernel"), KERNELS)
def test_one_trace_for_all_secrets(host: Context, operation: str, kernel: str) -> None:
    """Two jobs: the second one's lane is another, or another call. The message of a signature is the point."""
    try:
        pk = PublicKey(operation, host, kernel)
    except RuntimeFailure as failure:
        assert failure.code == ERR_UNSUPPORTED
        pytest.skip("this CPU cannot run it")
    n = 1 if kernel in QUICK.values() else 2
    memory, rng = shared(8192), random.Random(kernel)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    structs = (PkJob * n).from_buffer(memory)
    some = [secret_and_input(operation, rng) for _ in range(n)]
    for i, job in enumerate(structs):
        key = base + AWAY + JOB * i
        in_ = {"in": key + IN, "in_len": len(some[i][1])}
        job.__init__(key=key, key_len=32, out=key + OUT, out_cap=64, **in_)  # type: ignore[misc]

    def put(cases: list[tuple[bytes, bytes]]) -> None:
        for i, (secret, point) in enumerate(cases):
            at = AWAY + JOB * i
            memory[at : at + len(secret + point)] = secret + point

    put(some)
    burst = pk.lib.cst_pk_burst
    assert burst(pk.handle, structs, n) == 0
    try:
        stepped = Stepped(address(burst), lambda: burst(pk.handle, structs, n))
    except NotTraceable as error:
        pytest.skip(f"no single steps here: {error}")
    put([secret_and_input(operation, rng) for _ in range(n)])
    first = stepped.trace()
    assert len(first.steps) > 64 * 900
    secrets = SECRETS_P256 if "p256" in operation else SECRETS
    inputs = [secret_and_input(operation, rng)[1] for _ in secrets] if operation == "ecdh-p256" else POINTS
    for secret, point in list(zip(secrets, inputs))[slice(None) if LONG else slice(1, 2)]:
        put([(secret, point)] * n)
        for _ in range(TRIES):
            trace = stepped.trace()
            assert [job.status for job in structs] == [0] * n
            if trace.steps == first.steps:
                break
        at = first.common(trace)
        assert trace.steps == first.steps, f"step {at} is {stepped.where(trace.steps[at])}"
