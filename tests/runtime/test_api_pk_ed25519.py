"""Ed25519: vectors of RFC 8032 and Wycheproof, libcrypto, plain integers (tests/edwards.py) where rules differ, each
kernel by name, all numbers of jobs, errors."""

from __future__ import annotations

import ctypes
import itertools
import random

import pytest
from built import kernel_names
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptostitch import PublicKey, sign_many, verify_many
from cryptostitch.binding.capi import ERR_ARGUMENT, ERR_AUTH, ERR_LENGTH, ERR_NAME, ERR_UNSUPPORTED, NOT_RUN, OK, PkJob
from cryptostitch.binding.runtime import Context, RuntimeFailure
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import given, package
from edwards import BASE, NEUTRAL, L, add, challenge, decode, encode, encodings, is_right, multiple, small_order
from jobs.memory import Guarded
from jobs.samples import LEVELS
from jobs.signatures import Signed, damaged, run, verify
from targets import context_for

RULES = ("ed25519-verify", "ed25519-verify-zip215")


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def signed(rng: random.Random, n: int, most: int = 300) -> list[Signed]:
    """Returns n messages that libcrypto has signed."""
    made = []
    for _ in range(n):
        secret, message = rng.randbytes(32), rng.randbytes(rng.randrange(most))
        key = Ed25519PrivateKey.from_private_bytes(secret)
        made.append((secret, key.public_key().public_bytes_raw(), message, key.sign(message)))
    return made


def check(context: Context, some: list[Signed], rng: random.Random, kernel: str | None = None) -> None:
    """Public keys, signatures, and verdicts on right and damaged ones in any order."""
    secrets = [s[0] for s in some]
    assert PublicKey("ed25519-public-key", context, kernel).public_keys(secrets) == [s[1] for s in some]
    signing = PublicKey("ed25519-sign", context, kernel)
    keys = [s[0] + s[1] * rng.randrange(2) for s in some]
    assert signing.sign_many(keys, [s[2] for s in some]) == [s[3] for s in some]
    wrong = [rng.random() < 0.4 for _ in some]
    given_ = [damaged(rng, s) if bad else s for s, bad in zip(some, wrong)]
    for rules in RULES:
        assert verify(PublicKey(rules, context, kernel), given_) == [not bad for bad in wrong]


def test_vectors_of_rfc_8032(context: Context) -> None:
    """7.1, among others."""
    folder = package("cryptography_vectors")
    if folder is None:
        pytest.skip("pip install cryptography-vectors==50.0.2")
    some = []
    for line in (folder / "asymmetric/Ed25519/sign.input").read_text().split():
        secret, public, message, both = (bytes.fromhex(part) for part in line.split(":")[:4])
        some.append((secret[:32], public, message, both[:64]))
    assert len(some) == 1024
    check(context, some, random.Random(0))


def test_vectors_of_wycheproof(context: Context) -> None:
    try:
        tests = list(given("wycheproof/ed25519"))
    except Skip as absent:
        pytest.skip(str(absent))
    some = [
        (bytes.fromhex(g["publicKey"]["pk"]), bytes.fromhex(t["msg"]), bytes.fromhex(t["sig"]), t["result"] == "valid")
        for g, t in tests
    ]
    of_length = [test for test in some if len(test[2]) == 64]
    assert not any(test[3] for test in some if len(test[2]) != 64)
    found = PublicKey("ed25519-verify", context).verify_many(*([t[k] for t in of_length] for k in range(3)))
    assert found == [test[3] for test in of_length]


def test_any_number_of_jobs(context: Context) -> None:
    rng = random.Random(1)
    for n in (*range(0, 20), 63, 64, 65, 73, 129):
        check(context, signed(rng, n), rng)


def test_long_messages(context: Context) -> None:
    rng = random.Random(2)
    check(context, signed(rng, 5, 100_000), rng)


def test_points_of_small_order(context: Context) -> None:
    """The cases of ZIP 215: every encoding of the eight points as A and as R, S = 0. It takes all of them, and RFC 8032
    few."""
    forms = [form for point in small_order() for form in encodings(point)]
    assert len(forms) == 14
    pairs = [(b"", a, b"Zcash", r + bytes(32)) for a, r in itertools.product(forms, forms)]
    assert verify(PublicKey(RULES[1], context), pairs) == [True] * len(pairs)
    found = verify(PublicKey(RULES[0], context), pairs)
    assert found == [is_right(key, message, s, False) for _, key, message, s in pairs]
    assert 0 < found.count(True) < len(pairs)


def test_keys_and_nonces_with_a_part_of_small_order(context: Context) -> None:
    """A = aB + T, R = rB + T': only the equation with the cofactor may hold."""
    rng, torsion, some = random.Random(3), small_order(), []
    for t, u in itertools.product(torsion[:4], torsion[4:] + torsion[:1]):
        a, r, message = rng.randrange(L), rng.randrange(L), rng.randbytes(20)
        key, nonce = (encode(add(multiple(n, BASE), extra)) for n, extra in ((a, t), (r, u)))
        s = (r + challenge(nonce, key, message) * a) % L
        some.append((b"", key, message, nonce + s.to_bytes(32, "little")))
    assert verify(PublicKey(RULES[1], context), some) == [True] * len(some)
    found = verify(PublicKey(RULES[0], context), some)
    assert found == [is_right(key, message, s, False) for _, key, message, s in some]
    assert 0 < found.count(True) < len(some)


@pytest.mark.cpu
def test_tables_are_read_without_avx2(library: str) -> None:
    """By a single lane, whose kernels need BMI2 alone."""
    rng = random.Random(5)
    check(context_for("host-avx2", library), signed(rng, 5), rng)


def test_scalars_at_the_edges(context: Context) -> None:
    """S is given, and A the neutral point, so that R = S B: S of zeros, ones, and digits of 8 bits at their ends."""
    neutral = encode(NEUTRAL)
    scalars = [*range(130), *(L - i for i in range(1, 130)), *(2**i + d for i in range(7, 253, 7) for d in (-1, 0, 1))]
    scalars += [sum(digit << 8 * i for i in range(31)) for digit in (127, 128, 129, 255)]
    some = [
        (b"", neutral, b"", encode(multiple(s, BASE) if s else NEUTRAL) + s.to_bytes(32, "little")) for s in scalars
    ]
    wrong = [(*one[:3], one[3][:32] + ((s + 1) % L).to_bytes(32, "little")) for one, s in zip(some, scalars)]
    for rules in RULES:
        pk = PublicKey(rules, context)
        assert verify(pk, some) == [True] * len(some) and not any(verify(pk, wrong))
        assert all(verify(pk, [one]) == [True] for one in some)


def test_what_is_no_point_and_no_scalar(context: Context) -> None:
    """Wrong jobs among right ones, of which each keeps its verdict."""
    rng = random.Random(4)
    right, wrong = signed(rng, 30), []
    for secret, key, message, signature in signed(rng, 12):
        s = int.from_bytes(signature[32:], "little")
        no_point = next(e for e in iter(lambda: rng.randbytes(32), b"") if decode(e, True) is None)
        wrong += [
            (secret, no_point, message, signature),
            (secret, key, message, no_point + signature[32:]),
            (secret, key, message, signature[:32] + (s + L).to_bytes(32, "little")),
            (secret, key, message, signature[:32] + b"\xff" * 32),
            (secret, b"\xff" * 32, message, signature),
            (secret, bytes(32), message, signature),
        ]
    some = right + wrong
    rng.shuffle(some)
    for rules in RULES:
        assert verify(PublicKey(rules, context), some) == [s in right for s in some]


@pytest.mark.cpu
@pytest.mark.parametrize("kernel", [n for n in kernel_names() if n.startswith("ed25519")])
def test_each_kernel_by_name(shared_context: Context, kernel: str) -> None:
    rng = random.Random(kernel)
    try:
        before = shared_context.kernel(kernel).calls()
        for n in (1, 2, 9, 17):
            check(shared_context, signed(rng, n), rng, kernel)
    except RuntimeFailure as failure:
        assert failure.code == ERR_UNSUPPORTED
        pytest.skip("this CPU cannot run it")
    assert shared_context.kernel(kernel).calls() > before


@pytest.mark.parametrize("at_end", (False, True))
def test_guard_pages(context: Context, at_end: bool) -> None:
    """Inputs where nothing can be written; every buffer at the edge of its pages."""
    rng, memory = random.Random(5), Guarded(40, 1, at_end)
    for n in (1, 9):
        verifying, signing = PublicKey(RULES[0], context), PublicKey("ed25519-sign", context)
        jobs, wanted = [], []
        for secret, _, message, signature in signed(rng, n):
            out = memory.put(bytes(64))
            key, text = memory.put(secret, writable=False), memory.put(message, writable=False)
            jobs.append(PkJob(key=key, key_len=32, in_len=len(message), out=out, out_cap=64, **{"in": text}))
            wanted.append((out, signature))
        assert run(signing, *jobs) == (OK,) * (n + 1)
        for out, signature in wanted:
            memory.expect(out, signature)
        assert not memory.problem()
        memory.clear()
        jobs = []
        for _, public, message, signature in signed(rng, n):
            key, text, tag = (memory.put(part, writable=False) for part in (public, message, signature))
            jobs.append(
                PkJob(key=key, key_len=32, in_len=len(message), signature=tag, signature_len=64, **{"in": text})
            )
        assert run(verifying, *jobs) == (OK,) * (n + 1)
        assert not memory.problem()
        memory.clear()


def test_bad_input_changes_nothing(shared_context: Context) -> None:
    secret, public, message, signature = signed(random.Random(6), 1)[0]
    keep = [ctypes.create_string_buffer(part, 64) for part in (secret, public, message[:32], signature, b"\x07" * 64)]
    key, point, text, tag, out = map(ctypes.addressof, keep)
    cases = {
        "ed25519-sign": (
            {"key": key, "key_len": 32, "in": text, "in_len": 32, "out": out, "out_cap": 64},
            [
                ({"key": None}, ERR_ARGUMENT),
                ({"in": None}, ERR_ARGUMENT),
                ({"out": None}, ERR_ARGUMENT),
                ({"key_len": 31}, ERR_LENGTH),
                ({"key_len": 63}, ERR_LENGTH),
                ({"out_cap": 63}, ERR_LENGTH),
            ],
        ),
        "ed25519-public-key": (
            {"key": key, "key_len": 32, "out": out, "out_cap": 32},
            [({"key_len": 64}, ERR_LENGTH), ({"out_cap": 31}, ERR_LENGTH), ({"out": None}, ERR_ARGUMENT)],
        ),
        "ed25519-verify": (
            {"key": point, "key_len": 32, "in": text, "in_len": 32, "signature": tag, "signature_len": 64},
            [
                ({"signature": None}, ERR_ARGUMENT),
                ({"signature_len": 63}, ERR_LENGTH),
                ({"signature_len": 65}, ERR_LENGTH),
                ({"key_len": 33}, ERR_LENGTH),
                ({"in": None}, ERR_ARGUMENT),
            ],
        ),
    }
    for operation, (right, wrong) in cases.items():
        pk = PublicKey(operation, shared_context)
        for change, error in wrong:
            assert run(pk, PkJob(**right), PkJob(**(right | change))) == (error, NOT_RUN, error)
            assert keep[4].raw == b"\x07" * 64
    right = cases["ed25519-verify"][0]
    assert run(PublicKey("ed25519-verify", shared_context), PkJob(**right)) == (ERR_AUTH, ERR_AUTH)


def test_what_python_refuses(shared_context: Context) -> None:
    secret, public, message, signature = signed(random.Random(7), 1)[0]
    assert sign_many([secret], [message]) == [signature]
    assert verify_many([public], [message], [bytearray(signature)]) == [True]
    assert verify_many([public], [message + b"!"], [signature], zip215=True) == [False]
    assert verify_many([], [], []) == [] == sign_many([], [])
    with pytest.raises(ValueError, match="1 public keys and 2 signatures"):
        verify_many([public], [message], [signature] * 2)
    with pytest.raises(ValueError, match="1 secret keys and 0 messages"):
        sign_many([secret], [])
    with pytest.raises(RuntimeFailure):
        verify_many([public], [message], [signature[:63]])
    with pytest.raises(ValueError, match="'x25519' does not do that"):
        PublicKey("x25519", shared_context).sign_many([secret], [message])
    with pytest.raises(RuntimeFailure) as failure:
        PublicKey("ed25519-sign", shared_context, "x25519_ladder64_x1@scalar")
    assert failure.value.code == ERR_NAME
