"""X25519 and Ed25519's signing run in constant time. The tests compare every instruction and every address of a whole
cst_pk_burst (stepped.py), for secrets and public keys that differ, some of which are at the edges of a ladder and a
reduction."""

from __future__ import annotations

import ctypes
import random

import pytest
from built import kernel_names
from cryptostitch import PublicKey
from cryptostitch.binding.capi import PkJob
from cryptostitch.binding.runtime import ERR_UNSUPPORTED, Context, RuntimeFailure
from cryptostitch.core.arithmetic import P25519
from engine.entries import address
from engine.stepped import NotTraceable, Stepped, shared
from jobs.samples import LONG

QUICK = {"x25519": "x25519_ladder64_x1@scalar", "ed25519-sign": "ed25519_double64_x1@scalar"}
KERNELS = [
    (operation, name)
    for operation, quick in QUICK.items()
    for name in kernel_names()
    if name.startswith(quick.partition("64")[0]) and (LONG or name == quick)
]
SECRETS = [bytes(32), b"\xff" * 32, bytes.fromhex("55" * 32)]
POINTS = [(P25519 - 2).to_bytes(32, "little"), b"\xff" * 32, (9).to_bytes(32, "little")]
TRIES = 8  # because what the library allocates need not be at the same place
JOB, AWAY = 128, 1024  # bytes from a job's buffers to the next one's; of the first from the structs


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
    for i, job in enumerate(structs):
        key = base + AWAY + JOB * i
        job.__init__(key=key, key_len=32, in_len=32, out=key + 64, out_cap=64, **{"in": key + 32})  # type: ignore[misc]

    def put(cases: list[tuple[bytes, bytes]]) -> None:
        for i, (secret, point) in enumerate(cases):
            at = AWAY + JOB * i
            memory[at : at + 64] = secret + point

    put([(rng.randbytes(32), rng.randbytes(32)) for _ in range(n)])
    burst = pk.lib.cst_pk_burst
    assert burst(pk.handle, structs, n) == 0
    try:
        stepped = Stepped(address(burst), lambda: burst(pk.handle, structs, n))
    except NotTraceable as error:
        pytest.skip(f"no single steps here: {error}")
    put([(rng.randbytes(32), rng.randbytes(32)) for _ in range(n)])
    first = stepped.trace()
    assert len(first.steps) > 64 * 900
    for secret, point in zip(SECRETS, POINTS) if LONG else [(SECRETS[1], POINTS[0])]:
        put([(secret, point)] * n)
        for _ in range(TRIES):
            trace = stepped.trace()
            assert [job.status for job in structs] == [0] * n
            if trace.steps == first.steps:
                break
        at = first.common(trace)
        assert trace.steps == first.steps, f"step {at} is {stepped.where(trace.steps[at])}"
