"""Public-key operations: X25519 by RFC 7748 and against libcrypto, each kernel by name, all numbers of jobs, errors."""

from __future__ import annotations

import ctypes
import itertools
import random

import pytest
from built import kernel_names
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptostitch import PublicKey, agree_many
from cryptostitch.binding.capi import (
    ERR_ARGUMENT,
    ERR_LENGTH,
    ERR_NAME,
    ERR_POINT,
    ERR_UNSUPPORTED,
    NOT_RUN,
    OK,
    PkJob,
)
from cryptostitch.binding.public_key import NAMES
from cryptostitch.binding.runtime import Context, RuntimeFailure
from cryptostitch.core.arithmetic import P25519
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import given, records
from jobs.memory import Guarded
from jobs.samples import LEVELS
from sanitized import LONG
from targets import context_for

BASE = (9).to_bytes(32, "little")
BASE_POINT_P256 = bytes.fromhex("036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")  # SEC 2, 2.4.2
# RFC 7748, 5.2
SCALAR_1 = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
U_1 = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
RESULT_1 = bytes.fromhex("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
AFTER_1 = bytes.fromhex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
AFTER_1000 = bytes.fromhex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
AFTER_1000000 = bytes.fromhex("7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424")
# Points of order 1, 2, 4 and 8, on the curve and on its twist (RFC 7748, 6.1), and the same not below p.
SMALL = [
    *(n.to_bytes(32, "little") for n in (0, 1, P25519 - 1, P25519, P25519 + 1)),
    bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
]


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def expected(secret: bytes, peer: bytes) -> bytes | None:
    try:
        return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(peer))
    except ValueError:
        return None


def edges() -> list[bytes]:
    """Public keys at the edges of limbs and of the field, canonical or not."""
    starts = {0, 25, 26, 51, 52, 64, 102, 104, 128, 153, 156, 192, 204, 208, 230, 254, 255}
    near = {(1 << bit) + d for bit in starts for d in (-1, 0, 1)} | {P25519 + d for d in (-2, -1, 0, 1, 18)}
    return [n.to_bytes(32, "little") for n in sorted(near) if 0 <= n < 1 << 256] + [b"\xff" * 32]


def check(pk: PublicKey, pairs: list[tuple[bytes, bytes]]) -> None:
    secrets, peers = [a for a, _ in pairs], [b for _, b in pairs]
    assert pk.agree_many(secrets, peers) == list(itertools.starmap(expected, pairs))


def test_vectors_of_rfc_7748(context: Context) -> None:
    pk = PublicKey("x25519", context)
    assert pk.agree_many([SCALAR_1] * 3, [U_1] * 3) == [RESULT_1] * 3
    for test in records("asymmetric/X25519/rfc7748.txt", "COUNT"):
        scalar, u, out = (bytes.fromhex(test[k]) for k in ("INPUT_SCALAR", "INPUT_U", "OUTPUT_U"))
        assert pk.agree_many([scalar], [u]) == [out]
    k = u = BASE
    for n in range(1000):
        (result,) = pk.agree_many([k], [u])
        assert result is not None
        k, u = result, k
        if n == 0:
            assert k == AFTER_1
    assert k == AFTER_1000


def test_vectors_of_wycheproof(context: Context) -> None:
    try:
        tests = [test for _, test in given("wycheproof/x25519")]
    except Skip as absent:
        pytest.skip(str(absent))
    pk = PublicKey("x25519", context)
    secrets, peers, shared = ([bytes.fromhex(t[k]) for t in tests] for k in ("private", "public", "shared"))
    assert pk.agree_many(secrets, peers) == [None if s == bytes(32) else s for s in shared]


def test_any_number_of_jobs(context: Context) -> None:
    rng, pk = random.Random(1), PublicKey("x25519", context)
    for n in (*range(0, 20), 63, 64, 65, 73, 150):
        check(pk, [(rng.randbytes(32), rng.randbytes(32)) for _ in range(n)])


def test_edges_of_the_field(context: Context) -> None:
    rng, pk = random.Random(2), PublicKey("x25519", context)
    check(pk, [(rng.choice((rng.randbytes(32), bytes(32), b"\xff" * 32)), u) for u in edges()])


def test_small_order_disturbs_no_other_job(context: Context) -> None:
    rng, pk = random.Random(3), PublicKey("x25519", context)
    pairs = [(rng.randbytes(32), u) for u in (*SMALL, *(rng.randbytes(32) for _ in SMALL))]
    rng.shuffle(pairs)
    found = pk.agree_many([a for a, _ in pairs], [b for _, b in pairs])
    assert found == list(itertools.starmap(expected, pairs))
    assert found.count(None) == len(SMALL)


def test_public_keys(context: Context) -> None:
    rng, pk = random.Random(4), PublicKey("x25519-public-key", context)
    secrets = [rng.randbytes(32) for _ in range(21)]
    own = [X25519PrivateKey.from_private_bytes(s).public_key().public_bytes_raw() for s in secrets]
    assert pk.public_keys(secrets) == own == PublicKey("x25519", context).agree_many(secrets, [BASE] * 21)


AGREEMENTS = {"x25519": BASE, "ecdh-p256": BASE_POINT_P256}
PUBLIC_KEYS = ("x25519-public-key", "ed25519-public-key", "p256-public-key")
OTHERS = ("ed25519-verify", "ed25519-verify-zip215", "ed25519-sign", "ecdsa-p256-verify", "ecdsa-p256-sign")


@pytest.mark.parametrize("operation", (*AGREEMENTS, *PUBLIC_KEYS, *OTHERS))
def test_a_prepared_key_is_for_operations_that_take_one(shared_context: Context, operation: str) -> None:
    """Elsewhere it would be ignored, and `key` used in its place. It is not looked at."""
    pk = PublicKey(operation, shared_context)
    memory = ctypes.create_string_buffer(bytes(range(1, 201)), 200)
    size = 33 if operation == "ecdsa-p256-verify" else 32
    right = {"key": ctypes.addressof(memory), "key_len": size, "out": ctypes.addressof(memory) + 100, "out_cap": 65}
    right |= {"in": ctypes.addressof(memory), "in_len": 32}
    if operation == "ecdh-p256":
        right["in_len"] = 33
    if "verify" in operation:
        right |= {"signature": ctypes.addressof(memory), "signature_len": 64}
    before = memory.raw
    assert run(pk, PkJob(**right), PkJob(**right, prepared=1 << 46)) == (ERR_ARGUMENT, NOT_RUN, ERR_ARGUMENT)
    assert memory.raw == before


@pytest.mark.parametrize("operation", AGREEMENTS)
def test_an_absent_public_key_is_an_error(shared_context: Context, operation: str) -> None:
    """It must never stand for another one, such as the base point."""
    pk = PublicKey(operation, shared_context)
    key, out = (ctypes.create_string_buffer(b"\x07" * 32, 32) for _ in range(2))
    peer = ctypes.create_string_buffer(AGREEMENTS[operation], len(AGREEMENTS[operation]))
    right = {"key": ctypes.addressof(key), "key_len": 32, "out": ctypes.addressof(out), "out_cap": 32}
    for at, length in ((None, 0), (None, len(peer)), (ctypes.addressof(peer), 0)):
        good = PkJob(**right, **{"in": ctypes.addressof(peer), "in_len": len(peer)})
        job = PkJob(**right, **{"in": at, "in_len": length})
        error = ERR_ARGUMENT if length and not at else ERR_LENGTH
        assert run(pk, good, job) == (error, NOT_RUN, error)
        assert out.raw == b"\x07" * 32
    for nothing in (b"", bytearray(), memoryview(b"")):
        with pytest.raises(RuntimeFailure) as failure:
            pk.agree_many([bytes(31) + b"\x01"], [nothing])
        assert failure.value.code == ERR_LENGTH
    for peers in (None, [None]):
        with pytest.raises(TypeError):
            pk.agree_many([bytes(32)], peers)  # type: ignore[arg-type]


@pytest.mark.parametrize("operation", PUBLIC_KEYS)
def test_public_keys_have_operations_of_their_own(shared_context: Context, operation: str) -> None:
    pk = PublicKey(operation, shared_context)
    for do in (pk.agree_many, pk.sign_many):
        with pytest.raises(ValueError, match="does not do that"):
            do([bytes(32)], [BASE])
    with pytest.raises(RuntimeFailure):
        pk.public_keys([b""])


@pytest.mark.cpu
@pytest.mark.parametrize("kernel", [n for n in kernel_names() if n.startswith("x25519")])
def test_each_kernel_by_name(shared_context: Context, kernel: str) -> None:
    try:
        pk = PublicKey("x25519", shared_context, kernel)
    except RuntimeFailure as failure:
        assert failure.code == ERR_UNSUPPORTED
        pytest.skip("this CPU cannot run it")
    rng, before = random.Random(kernel), shared_context.kernel(kernel).calls()
    for n in (1, 2, 8, 9, 17):
        check(pk, [(rng.randbytes(32), rng.randbytes(32)) for _ in range(n)])
    check(pk, [(rng.randbytes(32), u) for u in edges()])
    assert shared_context.kernel(kernel).calls() > before


@pytest.mark.parametrize("at_end", (False, True))
def test_guard_pages(context: Context, at_end: bool) -> None:
    """Inputs where nothing can be written; every buffer at the edge of its pages; the output in the input's place."""
    pk, rng, memory = PublicKey("x25519", context), random.Random(5), Guarded(36, 1, at_end)
    for n in (1, 9):
        jobs, wanted = [], []
        for i in range(n):
            secret, peer = rng.randbytes(32), rng.randbytes(32)
            key, u = memory.put(secret, writable=False), memory.put(peer, writable=i % 2 == 1)
            out = u if i % 2 else memory.put(bytes(32))
            jobs.append(PkJob(key=key, key_len=32, in_len=32, out=out, out_cap=32, **{"in": u}))
            wanted.append((out, expected(secret, peer)))
        assert run(pk, *jobs) == (OK,) * (n + 1)
        for out, shared in wanted:
            memory.expect(out, shared)
        assert not memory.problem()
        memory.clear()


def run(pk: PublicKey, *jobs: PkJob) -> tuple[int, ...]:
    array = (PkJob * len(jobs))(*jobs)
    code = pk.call(pk.lib.cst_pk_burst, array, len(jobs))
    for job, after in zip(jobs, array):
        job.status, job.out_len = after.status, after.out_len
    return code, *(job.status for job in jobs)


def test_bad_input_changes_nothing(shared_context: Context) -> None:
    pk = PublicKey("x25519", shared_context)
    buffers = [ctypes.create_string_buffer(b"\x07" * 32, 32) for _ in range(3)]
    key, peer, out = map(ctypes.addressof, buffers)
    right = {"key": key, "key_len": 32, "in": peer, "in_len": 32, "out": out, "out_cap": 32}
    for change, error in (
        ({"key": None}, ERR_ARGUMENT),
        ({"out": None}, ERR_ARGUMENT),
        ({"in": None}, ERR_ARGUMENT),
        ({"key_len": 31}, ERR_LENGTH),
        ({"key_len": 33}, ERR_LENGTH),
        ({"in_len": 0}, ERR_LENGTH),
        ({"in_len": 64}, ERR_LENGTH),
        ({"out_cap": 31}, ERR_LENGTH),
    ):
        assert run(pk, PkJob(**right), PkJob(**(right | change))) == (error, NOT_RUN, error)
        assert buffers[2].raw == b"\x07" * 32
    wrong_size = PkJob(**right)
    wrong_size.size -= 8
    wrong_size.status = 5
    assert run(pk, wrong_size) == (ERR_ARGUMENT, 5)  # of another struct, which has no status
    assert pk.lib.cst_pk_burst(None, None, 0) == ERR_ARGUMENT
    assert run(pk) == (OK,)
    buffers[1].raw = bytes(32)
    assert run(pk, PkJob(**right)) == (ERR_POINT, ERR_POINT)
    assert buffers[2].raw == b"\x07" * 32


def test_names(shared_context: Context) -> None:
    for arguments in (("x448",), ("x25519", "no_kernel"), ("x25519", "sha1_x1@scalar")):
        with pytest.raises(RuntimeFailure) as failure:
            PublicKey(arguments[0], shared_context, *arguments[1:])
        assert failure.value.code == ERR_NAME
    with pytest.raises(ValueError, match="2 secrets and 1 public keys"):
        agree_many([bytes(32)] * 2, [BASE])
    with pytest.raises(RuntimeFailure):
        agree_many([bytes(31)], [BASE])
    assert agree_many([SCALAR_1], [bytearray(U_1)]) == [RESULT_1]


@pytest.mark.skipif(not LONG, reason="a minute: CRYPTOSTITCH_LONG=1")
def test_a_million_iterations_in_every_lane(shared_context: Context) -> None:
    """RFC 7748, 5.2."""
    pk, lanes = PublicKey("x25519", shared_context), 9
    k, u = [BASE] * lanes, [BASE] * lanes
    for _ in range(1_000_000):
        k, u = [r or b"" for r in pk.agree_many(k, u)], k
    assert k == [AFTER_1000000] * lanes


@pytest.mark.parametrize(
    "name, near", [("X25519", "x25519"), ("ed25519-verfy", "ed25519-verify"), ("ecdsa-p256", "ecdsa-p256-sign")]
)
def test_a_wrong_name_is_answered_by_operations(name: str, near: str) -> None:
    """And every operation that the table names is one."""
    with pytest.raises(RuntimeFailure) as failure:
        PublicKey(name)
    told = failure.value.nearest.split(", ")
    assert near in told and set(told) <= set(NAMES)
    assert "no public-key operation" in str(failure.value)
    for known in NAMES:
        try:
            PublicKey(known)
        except RuntimeFailure as refused:
            assert refused.code == ERR_UNSUPPORTED
