"""P-256: vectors of RFC 6979 and Wycheproof, libcrypto, multipliers at the edges, each kernel by name, all numbers of
jobs, errors. CPUs without kernels compute the same in C++."""

from __future__ import annotations

import ctypes
import hashlib
import random

import pytest
from built import kernel_names
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, SHA384, SHA512, HashAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptostitch import PublicKey
from cryptostitch.binding.capi import (
    ERR_ARGUMENT,
    ERR_AUTH,
    ERR_LENGTH,
    ERR_NAME,
    ERR_POINT,
    ERR_UNSUPPORTED,
    NOT_RUN,
    OK,
    PkJob,
)
from cryptostitch.binding.runtime import Context, RuntimeFailure
from cryptostitch.core.p256 import P256
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import given
from jobs.memory import Guarded
from jobs.samples import LEVELS
from jobs.signatures import Signed, damaged, run, verify
from targets import context_for

WITH_SHA256 = SHA256()
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
EDGES = [*range(1, 70), *(ORDER - i for i in range(1, 70)), (ORDER - 1) // 2, (ORDER + 1) // 2, 2**255, 2**252 - 1]
# Digits of 4, 5 and 6 bits that are all ones, all zeros, or as small or large as digits with signs are.
EDGES += [sum(digit << bits * i for i in range(255 // bits)) for bits in (4, 5, 6) for digit in (1, 2**bits // 2)]
EDGES += [ORDER - 2**i for i in range(7, 256, 8)] + [2**i - 1 for i in range(7, 256, 8)]


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


def private(secret: int) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(secret, ec.SECP256R1())


def encoded(key: ec.EllipticCurvePrivateKey, compressed: bool = False) -> bytes:
    form = PublicFormat.CompressedPoint if compressed else PublicFormat.UncompressedPoint
    return key.public_key().public_bytes(Encoding.X962, form)


def raw(signature: bytes) -> bytes:
    """r and s of a signature in DER."""
    return b"".join(n.to_bytes(32, "big") for n in decode_dss_signature(signature))


def signed(rng: random.Random, n: int, most: int = 300) -> list[Signed]:
    """Returns n messages that libcrypto has signed, with nonces of its own."""
    made = []
    for _ in range(n):
        secret, message = rng.randrange(1, ORDER), rng.randbytes(rng.randrange(most))
        key = private(secret)
        signature = raw(key.sign(message, ec.ECDSA(SHA256())))
        made.append((secret.to_bytes(32, "big"), encoded(key, bool(rng.randrange(2))), message, signature))
    return made


def is_right(one: Signed, algorithm: HashAlgorithm = WITH_SHA256) -> bool:
    """Returns whether libcrypto accepts the signature."""
    _, public, message, signature = one
    r, s = (int.from_bytes(signature[at : at + 32], "big") for at in (0, 32))
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
        key.verify(encode_dss_signature(r, s), message, ec.ECDSA(algorithm))
    except (InvalidSignature, ValueError):
        return False
    return True


def check(context: Context, some: list[Signed], rng: random.Random, kernel: str | None = None) -> None:
    """Public keys, shared secrets, signatures that libcrypto verifies, verdicts on right and damaged ones."""
    secrets = [s[0] for s in some]
    keys = [private(int.from_bytes(secret, "big")) for secret in secrets]
    assert PublicKey("p256-public-key", context, kernel).public_keys(secrets) == [encoded(key) for key in keys]
    others = [private(rng.randrange(1, ORDER)) for _ in some]
    points = [encoded(other, bool(rng.randrange(2))) for other in others]
    shared = [key.exchange(ec.ECDH(), other.public_key()) for key, other in zip(keys, others)]
    assert PublicKey("ecdh-p256", context, kernel).agree_many(secrets, points) == shared
    made = PublicKey("ecdsa-p256-sign", context, kernel).sign_many(secrets, [s[2] for s in some])
    ours = [(s[0], s[1], s[2], signature or b"") for s, signature in zip(some, made)]
    assert all(is_right(one) for one in ours)
    given_ = [damaged(rng, s) if rng.random() < 0.4 else s for s in some + ours]
    assert verify(PublicKey("ecdsa-p256-verify", context, kernel), given_) == [is_right(one) for one in given_]


def test_vectors_of_rfc_6979(context: Context) -> None:
    """A.2.5, with SHA-256."""
    secret = bytes.fromhex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
    known = {
        b"sample": "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
        "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8",
        b"test": "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367"
        "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083",
    }
    made = PublicKey("ecdsa-p256-sign", context).sign_many([secret] * len(known), list(known))
    assert [signature and signature.hex().upper() for signature in made] == list(known.values())


def test_digests_of_any_hash(context: Context) -> None:
    """Signatures of messages' digests, which libcrypto verifies; its own; those of SHA-256 are those of messages."""
    rng = random.Random(8)
    signing, verifying = (PublicKey(f"ecdsa-p256-{what}-digest", context) for what in ("sign", "verify"))
    for algorithm in (SHA1(), SHA256(), SHA384(), SHA512()):
        some = signed(rng, 9)
        digests = [hashlib.new(algorithm.name, message).digest() for _, _, message, _ in some]
        made = signing.sign_many([s[0] for s in some], digests)
        for (secret, public, message, _), signature in zip(some, made):
            assert is_right((secret, public, message, signature or b""), algorithm)
        theirs = [
            raw(private(int.from_bytes(s[0], "big")).sign(digest, ec.ECDSA(Prehashed(algorithm))))
            for s, digest in zip(some, digests)
        ]
        ours = [signature or b"" for signature in made]
        for signatures in (theirs, ours):
            verdicts = verifying.verify_many([s[1] for s in some], digests, signatures)
            assert verdicts == [True] * 9
            assert not any(verifying.verify_many([s[1] for s in some], [d[1:] for d in digests], signatures))
        if isinstance(algorithm, SHA256):
            messages = PublicKey("ecdsa-p256-sign", context).sign_many([s[0] for s in some], [s[2] for s in some])
            assert made == messages
    for length in (0, 65):
        with pytest.raises(RuntimeFailure) as failure:
            signing.sign_many([bytes(31) + b"\1"], [bytes(length)])
        assert failure.value.code == ERR_LENGTH


def wycheproof(name: str) -> list:
    try:
        return list(given(f"wycheproof/{name}"))
    except Skip as absent:
        pytest.skip(str(absent))


def test_signatures_of_wycheproof(context: Context) -> None:
    some, wanted = [], []
    for group, test in wycheproof("ecdsa_secp256r1_sha256_p1363"):
        public, signature = bytes.fromhex(group["publicKey"]["uncompressed"]), bytes.fromhex(test["sig"])
        if len(signature) == 64:
            some.append((b"", public, bytes.fromhex(test["msg"]), signature))
            wanted.append(test["result"] == "valid")
        else:
            assert test["result"] != "valid"
    assert verify(PublicKey("ecdsa-p256-verify", context), some) == wanted
    assert len(some) > 200


def test_agreements_of_wycheproof(context: Context) -> None:
    """Points that are not on the curve, secret keys at the edges, compressed points."""
    secrets, points, wanted = [], [], []
    for _, test in wycheproof("ecdh_secp256r1_ecpoint"):
        point, secret = bytes.fromhex(test["public"]), int(test["private"], 16)
        if len(point) in (33, 65):
            secrets.append(secret.to_bytes(32, "big"))
            points.append(point)
            wanted.append(bytes.fromhex(test["shared"]) if test["result"] != "invalid" else None)
        else:
            assert test["result"] == "invalid"
    assert PublicKey("ecdh-p256", context).agree_many(secrets, points) == wanted
    assert wanted.count(None) > 5 and len(wanted) > 300


def test_any_number_of_jobs(context: Context) -> None:
    rng = random.Random(1)
    for n in (*range(0, 18), 63, 64, 65, 73):
        check(context, signed(rng, n), rng)


def test_multipliers_at_the_edges(context: Context) -> None:
    """Some of them make the last addition one of equal points, or of opposite ones but for the order."""
    rng = random.Random(2)
    secrets = [n.to_bytes(32, "big") for n in EDGES]
    keys = [private(n) for n in EDGES]
    assert PublicKey("p256-public-key", context).public_keys(secrets) == [encoded(key) for key in keys]
    other = private(rng.randrange(1, ORDER))
    shared = [key.exchange(ec.ECDH(), other.public_key()) for key in keys]
    assert PublicKey("ecdh-p256", context).agree_many(secrets, [encoded(other)] * len(keys)) == shared


def test_inverses_at_the_edges(context: Context) -> None:
    """Right signatures with a given s, which verification inverts: d = (s k - e) / r."""
    rng, some = random.Random(7), []
    for s in EDGES + [2**i for i in range(0, 256, 5)]:
        message, k = rng.randbytes(9), rng.randrange(1, ORDER)
        e = int.from_bytes(hashlib.sha256(message).digest(), "big")
        r = private(k).public_key().public_numbers().x % ORDER
        public = encoded(private((s * k - e) * pow(r, -1, ORDER) % ORDER))
        some.append((b"", public, message, r.to_bytes(32, "big") + s.to_bytes(32, "big")))
    assert all(map(is_right, some))
    pk = PublicKey("ecdsa-p256-verify", context)
    assert all(verify(pk, some)) and all(verify(pk, [one])[0] for one in some)


def test_multipliers_of_sums_at_the_edges(context: Context) -> None:
    """Right signatures of digests whose multipliers u1 and u2 are given: r is of u1 G + u2 Q, s = r / u2, e = u1 s.
    Keys are multiples of the base point that tables have, so that some additions are of equal and opposite points."""
    rng, some = random.Random(9), []
    multipliers = [0, 1, 2, 3, 127, 128, 129, ORDER - 1, ORDER - 2, 2**128, 2**255, *EDGES[-40:]]
    for d in (1, 2, 3, 5, 15, 64, ORDER - 1, ORDER - 2, ORDER - 3, rng.randrange(1, ORDER)):
        for u1, u2 in [(rng.choice(multipliers), rng.choice(multipliers[1:])) for _ in range(30)] + [(0, 1), (1, 1)]:
            if (u1 + u2 * d) % ORDER:
                r = private((u1 + u2 * d) % ORDER).public_key().public_numbers().x % ORDER
                s = r * pow(u2, -1, ORDER) % ORDER
                signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
                some.append((encoded(private(d)), (u1 * s % ORDER).to_bytes(32, "big"), signature))
    wrong = [(key, digest, bytes([signature[0] ^ 1]) + signature[1:]) for key, digest, signature in some]
    pk = PublicKey("ecdsa-p256-verify-digest", context)
    assert pk.verify_many(*zip(*some)) == [True] * len(some)
    assert not any(pk.verify_many(*zip(*wrong)))
    assert all(pk.verify_many([key], [digest], [signature])[0] for key, digest, signature in some)


def add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """The sum of points that are neither equal nor opposite."""
    slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P256) % P256
    x = (slope * slope - a[0] - b[0]) % P256
    return x, (slope * (a[0] - x) - a[1]) % P256


def test_coordinates_above_the_order(context: Context) -> None:
    """Signatures whose point R has x from the order on, so that r = x - order: Q = (R - u1 G) / u2, u2 = 1. The same r
    is wrong for a point whose x is another number."""
    some = []
    for r in range(1, 40):
        x = r + ORDER
        square = (x**3 - 3 * x + B) % P256
        y = pow(square, (P256 + 1) // 4, P256)
        if y * y % P256 != square:
            continue
        u1 = 12345 + r
        base = private(ORDER - u1).public_key().public_numbers()
        key = ec.EllipticCurvePublicNumbers(*add((x, y), (base.x, base.y)), ec.SECP256R1()).public_key()
        point = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        some.append((point, (u1 * r % ORDER).to_bytes(32, "big"), 2 * r.to_bytes(32, "big")))
    assert len(some) > 10
    pk = PublicKey("ecdsa-p256-verify-digest", context)
    assert pk.verify_many(*zip(*some)) == [True] * len(some)
    others = [some[i - 1][2] for i in range(len(some))]
    assert not any(pk.verify_many([s[0] for s in some], [s[1] for s in some], others))


def test_sums_of_equal_and_opposite_points(context: Context) -> None:
    """Right signatures of which u2 Q is what an addition of the base point's multiples begins with, 2^256 G or its
    negative: u2 = r / s, s = (e + r d) / k, and u2 d = c make d = c e / (r (k - c)). And r for which u2 Q is u1 G or
    its negative."""
    rng, right, wrong = random.Random(3), [], []
    for c in (2**256, -(2**256)) * 6:
        message, k = rng.randbytes(9), rng.randrange(1, ORDER)
        e = int.from_bytes(hashlib.sha256(message).digest(), "big")
        r = private(k).public_key().public_numbers().x % ORDER
        d = c * e * pow(r * (k - c), -1, ORDER) % ORDER
        s = (e + r * d) * pow(k, -1, ORDER) % ORDER
        right.append((b"", encoded(private(d)), message, r.to_bytes(32, "big") + s.to_bytes(32, "big")))
        for sign in (1, -1):
            r = sign * e * pow(d, -1, ORDER) % ORDER
            wrong.append((b"", encoded(private(d)), message, r.to_bytes(32, "big") + s.to_bytes(32, "big")))
    assert all(map(is_right, right)) and not any(map(is_right, wrong))
    both = right + wrong
    assert verify(PublicKey("ecdsa-p256-verify", context), both) == [one in right for one in both]


@pytest.mark.cpu
def test_tables_are_read_without_avx2(library: str) -> None:
    """By a single lane, whose kernels need BMI2 alone."""
    rng = random.Random(10)
    check(context_for("host-avx2", library), signed(rng, 5), rng)


def test_what_is_no_key(context: Context) -> None:
    """Wrong jobs among right ones, which keep their results."""
    rng = random.Random(4)
    keys = [private(rng.randrange(1, ORDER)) for _ in range(9)]
    point = encoded(keys[0])
    x, y = point[1:33], point[33:]
    bad = [b"\x05" + x + y, b"\x04" + y + x, b"\x04" + x + (P256 - 1).to_bytes(32, "big"), b"\x04" + x + b"\xff" * 32,
           b"\x04" + b"\xff" * 32 + y, b"\x02" + b"\xff" * 32, b"\x04" + x, bytes(65), b"\x00" + x]  # fmt: skip
    off = next(n for n in range(1, 99) if pow(n**3 - 3 * n + B, (P256 - 1) // 2, P256) == P256 - 1)
    bad.append(b"\x03" + off.to_bytes(32, "big"))
    points, secrets, wanted = [], [], []
    for key in keys:
        secrets.append(key.private_numbers().private_value.to_bytes(32, "big"))
        points.append(point)
        wanted.append(key.exchange(ec.ECDH(), keys[0].public_key()))
    for wrong in bad:
        secrets.append(secrets[0])
        points.append(wrong)
        wanted.append(None)
    none = [n.to_bytes(32, "big") for n in (0, ORDER, ORDER + 1, 2**256 - 1)]
    for secret in none:
        secrets.append(secret)
        points.append(point)
        wanted.append(None)
    order = rng.sample(range(len(secrets)), len(secrets))
    pk = PublicKey("ecdh-p256", context)
    assert pk.agree_many([secrets[i] for i in order], [points[i] for i in order]) == [wanted[i] for i in order]
    some = signed(rng, 6)
    wrong = [(s[0], p, *s[2:]) for s, p in zip(some * 2, bad)]
    wrong += [(*s[:3], r + s[3][32:]) for s, r in zip(some, none)] + [
        (*s[:3], s[3][:32] + r) for s, r in zip(some, none)
    ]
    both = some + wrong
    rng.shuffle(both)
    assert verify(PublicKey("ecdsa-p256-verify", context), both) == [s in some for s in both]
    for operation in ("p256-public-key", "ecdsa-p256-sign"):
        pk = PublicKey(operation, context)
        given_ = [secrets[0], *none, secrets[1]]
        found = pk.public_keys(given_) if "key" in operation else pk.sign_many(given_, [b""] * len(given_))
        assert [result is not None for result in found] == [True, *[False] * len(none), True]


@pytest.mark.cpu
@pytest.mark.parametrize("kernel", [n for n in kernel_names() if n.startswith("p256")])
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
    rng, memory = random.Random(5), Guarded(60, 1, at_end)
    operations = [PublicKey(name, context) for name in ("ecdh-p256", "ecdsa-p256-verify", "ecdsa-p256-sign")]
    agreeing, verifying, signing = operations
    for n in (1, 9):
        jobs, outs = [], []
        for secret, public, message, signature in signed(rng, n):
            key, point, text, tag = (memory.put(part, writable=False) for part in (secret, public, message, signature))
            outs.append((memory.put(bytes(32)), secret, public))
            jobs.append(PkJob(key=key, key_len=32, in_len=len(public), out=outs[-1][0], out_cap=32, **{"in": point}))
            lens = {"key_len": len(public), "in_len": len(message), "signature_len": 64}
            assert run(verifying, PkJob(key=point, signature=tag, **lens, **{"in": text})) == (OK, OK)
        assert run(agreeing, *jobs) == (OK,) * (n + 1)
        for out, secret, public in outs:
            other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
            memory.expect(out, private(int.from_bytes(secret, "big")).exchange(ec.ECDH(), other))
        assert not memory.problem()
        memory.clear()
        jobs, wanted = [], []
        for secret, _, message, _ in signed(rng, n):
            key, text, out = (
                memory.put(secret, writable=False),
                memory.put(message, writable=False),
                memory.put(bytes(64)),
            )
            jobs.append(PkJob(key=key, key_len=32, in_len=len(message), out=out, out_cap=64, **{"in": text}))
            wanted.append((out, signing.sign_many([secret], [message])[0] or b""))
        assert run(signing, *jobs) == (OK,) * (n + 1)
        for out, signature in wanted:
            memory.expect(out, signature)
        assert not memory.problem()
        memory.clear()


def test_bad_input_changes_nothing(shared_context: Context) -> None:
    secret, public, message, signature = signed(random.Random(6), 1, 2)[0]
    keep = [ctypes.create_string_buffer(part, 65) for part in (secret, public, message, signature, b"\x07" * 65)]
    key, point, text, tag, out = map(ctypes.addressof, keep)
    cases = {
        "ecdsa-p256-sign": (
            {"key": key, "key_len": 32, "in": text, "in_len": len(message), "out": out, "out_cap": 64},
            [({"out": None}, ERR_ARGUMENT), ({"key_len": 31}, ERR_LENGTH), ({"key_len": 64}, ERR_LENGTH),
             ({"out_cap": 63}, ERR_LENGTH)],
        ),
        "p256-public-key": (
            {"key": key, "key_len": 32, "out": out, "out_cap": 65},
            [({"key_len": 33}, ERR_LENGTH), ({"out_cap": 64}, ERR_LENGTH), ({"out": None}, ERR_ARGUMENT)],
        ),
        "ecdh-p256": (
            {"key": key, "key_len": 32, "in": point, "in_len": len(public), "out": out, "out_cap": 32},
            [({"in_len": 64}, ERR_LENGTH), ({"in": None, "in_len": 0}, ERR_LENGTH), ({"out_cap": 31}, ERR_LENGTH)],
        ),
        "ecdsa-p256-verify": (
            {"key": point, "key_len": len(public), "in": text, "in_len": len(message), "signature": tag,
             "signature_len": 64},
            [({"signature": None}, ERR_ARGUMENT), ({"signature_len": 63}, ERR_LENGTH), ({"key_len": 32}, ERR_LENGTH)],
        ),
    }  # fmt: skip
    for operation, (right, wrong) in cases.items():
        pk = PublicKey(operation, shared_context)
        for change, error in wrong:
            assert run(pk, PkJob(**right), PkJob(**(right | change))) == (error, NOT_RUN, error)
            assert keep[4].raw == b"\x07" * 65
    right = cases["ecdsa-p256-verify"][0]
    assert run(PublicKey("ecdsa-p256-verify", shared_context), PkJob(**(right | {"signature": out}))) == (ERR_AUTH,) * 2
    keep[0].raw = bytes(65)
    assert run(PublicKey("ecdh-p256", shared_context), PkJob(**cases["ecdh-p256"][0])) == (ERR_POINT,) * 2
    assert keep[4].raw == b"\x07" * 65
    with pytest.raises(RuntimeFailure) as failure:
        PublicKey("ecdsa-p256-sign", shared_context, "x25519_ladder64_x1@scalar")
    assert failure.value.code == ERR_NAME
