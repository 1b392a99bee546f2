"""RSA's private operations: vectors of Wycheproof, libcrypto, keys that differ in lanes, each kernel by name, keys that
are refused, faults, errors."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import itertools
import mmap
import os
import random
import signal
import threading
import time
from collections.abc import Callable

import pytest
from built import kernel_names
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptostitch import PublicKey
from cryptostitch.binding.capi import (
    ERR_ARGUMENT,
    ERR_LENGTH,
    ERR_NAME,
    ERR_SELFTEST,
    ERR_UNSUPPORTED,
    NOT_RUN,
    OK,
    PkJob,
)
from cryptostitch.binding.public_key import RsaKey
from cryptostitch.binding.runtime import Context, RuntimeFailure
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import given
from jobs.memory import Guarded
from sanitized import LONG

PSS = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
HASHES = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}


def oaep(label: bytes = b"") -> padding.OAEP:
    return padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), label or None)


@functools.cache
def private(number: int, bits: int = 2048, e: int = 65537) -> rsa.RSAPrivateKey:
    """Keys by libcrypto, several of each size."""
    return rsa.generate_private_key(e, bits)


def der(key: rsa.RSAPrivateKey, pkcs8: bool = False) -> bytes:
    form = serialization.PrivateFormat.PKCS8 if pkcs8 else serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.DER, form, serialization.NoEncryption())


def operation(name: str, context: Context, kernel: str | None = None) -> PublicKey:
    try:
        return PublicKey(name, context, kernel)
    except RuntimeFailure as failure:
        if failure.code == ERR_UNSUPPORTED:
            pytest.skip("this CPU cannot run it")
        raise


@pytest.fixture
def rsa_context(shared_context: Context) -> Context:
    operation("rsa-private", shared_context)
    return shared_context


def integers(*numbers: int) -> bytes:
    """RSAPrivateKey in DER."""

    def element(tag: int, content: bytes) -> bytes:
        size = len(content)
        length = (
            bytes([size])
            if size < 128
            else (s := size.to_bytes(2 if size > 255 else 1, "big")) and bytes([0x80 | len(s)]) + s
        )
        return bytes([tag]) + length + content

    content = b"".join(element(2, n.to_bytes(n.bit_length() // 8 + 1, "big")) for n in numbers)
    return element(0x30, content)


def numbers_of(key: rsa.RSAPrivateKey) -> list[int]:
    its = key.private_numbers()
    public = its.public_numbers
    return [0, public.n, public.e, its.d, its.p, its.q, its.dmp1, its.dmq1, its.iqmp]


# ---- what is right


def check(context: Context, privates: list[rsa.RSAPrivateKey], rng: random.Random, kernel: str | None = None) -> None:
    """All operations, a job for each key."""
    keys = [RsaKey(der(key, rng.random() < 0.5), context) for key in privates]
    messages = [rng.randbytes(rng.randrange(300)) for _ in privates]
    for name, algorithm in HASHES.items():
        made = operation(f"rsa-sign-pkcs1-{name}", context, kernel).sign_many(keys, messages)
        assert made == [key.sign(m, padding.PKCS1v15(), algorithm) for key, m in zip(privates, messages)]
        digests = [hashlib.new(name, message).digest() for message in messages]
        assert operation(f"rsa-sign-pkcs1-{name}-digest", context, kernel).sign_many(keys, digests) == made
    salts = [rng.randbytes(32) for _ in privates]
    made = operation("rsa-sign-pss-sha256", context, kernel).sign_many(keys, messages, salts)
    for key, message, signature in zip(privates, messages, made):
        key.public_key().verify(signature, message, PSS, hashes.SHA256())
    digests = [hashlib.sha256(message).digest() for message in messages]
    assert operation("rsa-sign-pss-sha256-digest", context, kernel).sign_many(keys, digests, salts) == made
    texts = [message[:190] for message in messages]
    sealed = [key.public_key().encrypt(text, oaep()) for key, text in zip(privates, texts)]
    assert operation("rsa-decrypt-oaep-sha256", context, kernel).decrypt_many(keys, sealed) == texts
    inputs = [rng.randrange(key.private_numbers().public_numbers.n) for key in privates]
    raw = operation("rsa-private", context, kernel).powers(
        keys, [n.to_bytes(key.key_size // 8, "big") for n, key in zip(inputs, privates)]
    )
    for number, key, power in zip(inputs, privates, raw):
        its = key.private_numbers()
        assert power == pow(number, its.d, its.public_numbers.n).to_bytes(key.key_size // 8, "big")


def test_any_number_of_jobs(rsa_context: Context) -> None:
    rng = random.Random(1)
    for n in range(18):
        check(rsa_context, [private(rng.randrange(5)) for _ in range(n)], rng)


@pytest.mark.parametrize("bits", [3072, 4096])
def test_longer_keys(rsa_context: Context, bits: int) -> None:
    check(rsa_context, [private(i % 2, bits) for i in range(5)], random.Random(bits))


def test_keys_of_all_lengths_and_exponents_in_a_burst(rsa_context: Context) -> None:
    keys = [private(0), private(0, 4096), private(0, 2048, 3), private(0, 3072), private(1)]
    check(rsa_context, keys, random.Random(3))


@pytest.mark.parametrize("kernel", [name for name in kernel_names() if name.startswith("montgomery")])
def test_each_kernel_by_name(rsa_context: Context, kernel: str) -> None:
    bits = {"20": 2048, "30": 3072, "40": 4096}[kernel[len("montgomery") :][:2]]
    before = rsa_context.kernel(kernel).calls()
    check(rsa_context, [private(0, bits), private(1, bits)], random.Random(kernel), kernel)
    assert rsa_context.kernel(kernel).calls() > before


def test_edges(rsa_context: Context) -> None:
    """0, 1, n - 1, and multiples of a prime."""
    key = private(0)
    its = key.private_numbers()
    n = its.public_numbers.n
    some = [0, 1, 2, n - 1, n - 2, its.p, its.q, n - its.p, its.q * (its.p - 1), its.p - 1, its.q - 1]
    found = PublicKey("rsa-private", rsa_context).powers(
        [RsaKey(der(key), rsa_context)] * len(some), [x.to_bytes(256, "big") for x in some]
    )
    assert [int.from_bytes(x or b"", "big") for x in found] == [pow(x, its.d, n) for x in some]


def test_the_greater_prime_may_be_the_second(rsa_context: Context) -> None:
    """By PKCS#1 either may be p."""
    key = private(0)
    its = key.private_numbers()
    swapped = [0, its.public_numbers.n, its.public_numbers.e, its.d, its.q, its.p, its.dmq1, its.dmp1]
    both = [RsaKey(integers(*swapped, pow(its.p, -1, its.q)), rsa_context), RsaKey(der(key), rsa_context)]
    made = PublicKey("rsa-sign-pkcs1-sha256", rsa_context).sign_many(both, [b"a", b"a"])
    assert made == [key.sign(b"a", padding.PKCS1v15(), hashes.SHA256())] * 2


def test_salts_of_any_length(rsa_context: Context) -> None:
    key = private(0)
    pk = PublicKey("rsa-sign-pss-sha256", rsa_context)
    for size in (0, 1, 32, 222):
        (signature,) = pk.sign_many([RsaKey(der(key), rsa_context)], [b"text"], [bytes(size)])
        rules = padding.PSS(padding.MGF1(hashes.SHA256()), size)
        key.public_key().verify(signature, b"text", rules, hashes.SHA256())
        with pytest.raises(InvalidSignature):
            key.public_key().verify(signature, b"Text", rules, hashes.SHA256())
    with pytest.raises(RuntimeFailure) as caught:
        pk.sign_many([RsaKey(der(key), rsa_context)], [b"text"], [bytes(223)])
    assert caught.value.code == ERR_LENGTH


def test_messages_of_every_length_and_labels(rsa_context: Context) -> None:
    key, pk = private(0), PublicKey("rsa-decrypt-oaep-sha256", rsa_context)
    prepared, rng = RsaKey(der(key), rsa_context), random.Random(4)
    texts = [rng.randbytes(size) for size in (*range(0, 191, 7), 189, 190)]
    for label in (b"", b"label"):
        sealed = [key.public_key().encrypt(text, oaep(label)) for text in texts]
        keys = [prepared] * len(texts)
        assert pk.decrypt_many(keys, sealed, [label] * len(texts)) == texts
        assert pk.decrypt_many(keys, sealed, [b"another"] * len(texts)) == [None] * len(texts)


def encoded(rng: random.Random, change: Callable[[bytearray, bytearray], None]) -> int:
    """EME-OAEP of a message, whose first byte or data block `change` alters before it is masked."""
    import hashlib

    def mask(seed: bytes, size: int) -> bytes:
        return b"".join(hashlib.sha256(seed + i.to_bytes(4, "big")).digest() for i in range(8))[:size]

    first, block = bytearray(1), bytearray(hashlib.sha256().digest() + bytes(180) + b"\1" + b"message!!!")
    assert len(block) == 223
    change(first, block)
    seed = rng.randbytes(32)
    masked = bytes(a ^ b for a, b in zip(block, mask(seed, 223)))
    return int.from_bytes(first + bytes(a ^ b for a, b in zip(seed, mask(masked, 32))) + masked, "big")


def test_wrong_encodings_have_one_error(rsa_context: Context) -> None:
    key, rng = private(0), random.Random(5)
    public = key.public_key().public_numbers()

    def first(a: bytearray, block: bytearray) -> None:
        a[0] = 1

    def label(a: bytearray, block: bytearray) -> None:
        block[31] ^= 1

    def no_end(a: bytearray, block: bytearray) -> None:
        block[32:] = bytes(191)

    def early(a: bytearray, block: bytearray) -> None:
        block[40] = 2

    changes = [lambda a, block: None, first, label, no_end, early]
    numbers = [encoded(rng, change) for change in changes]
    assert numbers[1] < public.n, "else another key"
    sealed = [pow(number, public.e, public.n).to_bytes(256, "big") for number in numbers]
    sealed += [public.n.to_bytes(256, "big"), b"\xff" * 256]
    prepared = RsaKey(der(key), rsa_context)
    found = PublicKey("rsa-decrypt-oaep-sha256", rsa_context).decrypt_many([prepared] * len(sealed), sealed)
    assert found == [b"message!!!"] + [None] * 6


def test_vectors_of_wycheproof(rsa_context: Context) -> None:
    """Signatures that were generated, with the private key."""
    try:
        tests = list(given("wycheproof/rsa_pkcs1_2048_sig_gen"))
    except Skip as absent:
        pytest.skip(str(absent))
    seen = 0
    for name in HASHES:
        some = [(g, t) for g, t in tests if g["sha"].replace("-", "").lower() == name and t["result"] == "valid"]
        keys, messages, wanted = [], [], []
        for group, test in some:
            keys.append(RsaKey(bytes.fromhex(group["privateKeyPkcs8"]), rsa_context))
            messages.append(bytes.fromhex(test["msg"]))
            wanted.append(bytes.fromhex(test["sig"]))
        seen += len(some)
        assert PublicKey(f"rsa-sign-pkcs1-{name}", rsa_context).sign_many(keys, messages) == wanted
    assert seen


# ---- keys that are refused


def test_wrong_keys(rsa_context: Context) -> None:
    right = numbers_of(private(0))
    other = numbers_of(private(1))
    n, p, q = right[1], right[4], right[5]

    def changed(**numbers: int) -> bytes:
        names = ("version", "n", "e", "d", "p", "q", "dp", "dq", "qinv")
        return integers(*(numbers.get(name, number) for name, number in zip(names, right)))

    def code(encoding: bytes) -> int:
        with pytest.raises(RuntimeFailure) as caught:
            RsaKey(encoding, rsa_context)
        return caught.value.code

    RsaKey(changed(), rsa_context)
    wrong = {
        "version": 2, "n": n + 2, "e": 65539, "d": right[3] + 2, "p": other[4], "q": other[5], "dp": right[6] + 1,
        "dq": right[7] + 1, "qinv": right[8] ^ 1,
    }  # fmt: skip
    for name, number in wrong.items():
        assert code(changed(**{name: number})) == ERR_ARGUMENT, name
    assert code(changed(e=65536)) == code(changed(e=1)) == code(changed(e=2**64 + 1)) == ERR_ARGUMENT
    assert code(changed(p=p + 1)) == code(changed(q=q - 1)) == ERR_ARGUMENT
    assert code(changed(p=p, q=p, n=p * p)) == ERR_ARGUMENT
    assert code(changed(qinv=right[8] + p)) == code(changed(dp=right[6] + p - 1)) == ERR_ARGUMENT
    for bits in (1024, 2056):
        assert code(der(private(0, bits))) == ERR_LENGTH
    whole = changed()
    assert {code(whole[:size]) for size in (0, 1, 2, 4, 100, len(whole) - 1)} == {ERR_ARGUMENT}
    assert code(whole + b"\0") == code(b"\x31" + whole[1:]) == ERR_ARGUMENT
    wrapped = der(private(0), True)
    RsaKey(wrapped, rsa_context)
    other_algorithm = wrapped.replace(bytes.fromhex("2a864886f70d010101"), bytes.fromhex("2a864886f70d010107"))
    assert code(other_algorithm) == code(changed(version=1)) == ERR_UNSUPPORTED
    assert code(wrapped + b"\0") == ERR_ARGUMENT


def with_algorithm(key: bytes, algorithm: str) -> bytes:
    """PKCS#8's PrivateKeyInfo of an RSAPrivateKey."""

    def element(tag: int, content: bytes) -> bytes:
        size = len(content).to_bytes(2, "big")
        return bytes([tag, 0x82]) + size + content if len(content) > 127 else bytes([tag, len(content)]) + content

    parts = element(2, b"\0") + element(0x30, bytes.fromhex(algorithm)) + element(4, key)
    return element(0x30, parts)


def test_keys_of_other_shapes(rsa_context: Context) -> None:
    """What OpenSSL reads, too, and either can be used or is said to have no kernel."""

    def code(encoding: bytes) -> int:
        try:
            RsaKey(encoding, rsa_context)
        except RuntimeFailure as failure:
            return failure.code
        return OK

    plain, oid = der(private(0)), "06092a864886f70d0101"
    assert code(with_algorithm(plain, f"{oid}010500")) == code(with_algorithm(plain, f"{oid}01")) == OK
    assert code(with_algorithm(plain, f"{oid}0a")) == OK
    assert code(with_algorithm(plain, f"{oid}0a3000")) == code(with_algorithm(plain, f"{oid}07")) == ERR_UNSUPPORTED
    numbers = numbers_of(private(0))
    d, phi = numbers[3], (numbers[4] - 1) * (numbers[5] - 1)
    long_d = d + phi * (1 << 70)
    assert code(integers(*numbers[:3], long_d, *numbers[4:])) == ERR_UNSUPPORTED
    p, q = unequal_primes()
    e = 65537
    d = pow(e, -1, (p - 1) * (q - 1))
    assert code(integers(0, p * q, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p))) == ERR_UNSUPPORTED


def unequal_primes() -> tuple[int, int]:
    """Primes of 1088 and 960 bits, whose product has 2048: they need not be more than probable ones."""
    rng, found = random.Random(7), []
    for bits in (1088, 960):
        number = rng.getrandbits(bits) | 3 << (bits - 2) | 1
        while pow(2, number - 1, number) != 1 or (number - 1) % 65537 == 0:
            number += 2
        found.append(number)
    return found[0], found[1]


def test_a_key_for_pss_signs_with_pss_alone(rsa_context: Context) -> None:
    key = RsaKey(with_algorithm(der(private(0)), "06092a864886f70d01010a"), rsa_context)
    (signature,) = operation("rsa-sign-pss-sha256", rsa_context).sign_many([key], [b"text"], [bytes(32)])
    private(0).public_key().verify(signature, b"text", PSS, hashes.SHA256())
    for name in ("rsa-sign-pkcs1-sha256", "rsa-sign-pkcs1-sha512-digest"):
        with pytest.raises(RuntimeFailure) as caught:
            operation(name, rsa_context).sign_many([key], [bytes(64 if "512" in name else 32)])
        assert caught.value.code == ERR_UNSUPPORTED
    raw, oaep_sha256 = (operation(name, rsa_context) for name in ("rsa-private", "rsa-decrypt-oaep-sha256"))
    for call in (raw.powers, oaep_sha256.decrypt_many):
        with pytest.raises(RuntimeFailure) as caught:
            call([key], [bytes(256)])
        assert caught.value.code == ERR_UNSUPPORTED


def test_primes_that_are_none(rsa_context: Context) -> None:
    """A number that belongs to the others in all equations that do not factor it."""
    right = numbers_of(private(0))
    rng, q, e = random.Random(6), right[5], right[2]
    while True:
        p = rng.getrandbits(1024) | 1 | 3 << 1022
        try:
            d = pow(e, -1, (p - 1) * (q - 1))
            inverse = pow(q, -1, p)
        except ValueError:
            continue
        if (p * q).bit_length() == 2048 and pow(2, p - 1, p) != 1:
            break
    with pytest.raises(RuntimeFailure) as caught:
        RsaKey(integers(0, p * q, e, d, p, q, d % (p - 1), d % (q - 1), inverse), rsa_context)
    assert caught.value.code == ERR_ARGUMENT


# ---- the C API itself


class Jobs:
    """Jobs of raw powers in guarded memory: buffers end where a page begins that must not be touched."""

    def __init__(self, keys: list[RsaKey], inputs: list[bytes]):
        self.memory = Guarded(2 * len(keys), 1, True)
        self.array, self.keys = (PkJob * len(keys))(), keys
        self.out = []
        for job, key, data in zip(self.array, keys, inputs):
            into, out = self.memory.put(data, writable=False), self.memory.put(bytes(256))
            self.out.append(out)
            job.__init__(in_len=256, out=out, out_cap=256, prepared=key.prepared().pointer, **{"in": into})

    def run(self, pk: PublicKey) -> int:
        return int(pk.lib.cst_pk_burst(pk.handle, self.array, len(self.array)))

    def outputs(self) -> list[bytes]:
        return [ctypes.string_at(out, 256) for out in self.out]


def test_a_fault_gives_no_output_and_does_not_disturb_others(rsa_context: Context) -> None:
    """A bit of the prepared key is changed: of an exponent, a prime, the coefficient, or what the kernels take."""
    privates = [private(i) for i in range(4)]
    pk = PublicKey("rsa-private", rsa_context)
    rng = random.Random(7)
    inputs = [rng.randbytes(256) for _ in range(4)]
    inputs = [b"\0" + data[1:] for data in inputs]
    powers = []
    for key, data in zip(privates, inputs):
        its = key.private_numbers()
        powers.append(pow(int.from_bytes(data, "big"), its.d, its.public_numbers.n).to_bytes(256, "big"))
    its = privates[2].private_numbers()
    for part in (its.dmp1, its.dmq1, its.p, its.q, its.iqmp * 2**1024 % its.p):
        keys = [RsaKey(der(key), rsa_context) for key in privates]
        address = keys[2].prepared().pointer
        image = ctypes.string_at(address, 8000)
        at = image.index(part.to_bytes(128, "little"))
        place = ctypes.c_uint8.from_address(address + at + 60)
        place.value ^= 4
        jobs = Jobs(keys, inputs)
        before = jobs.outputs()
        assert jobs.run(pk) == ERR_SELFTEST
        assert [job.status for job in jobs.array] == [OK, OK, ERR_SELFTEST, OK]
        assert [job.out_len for job in jobs.array] == [256, 256, 0, 256]
        assert jobs.outputs() == [*powers[:2], before[2], powers[3]]
        place.value ^= 4
        if part not in (its.p, its.q):  # else the blinding factors are wrong from now on, and so all results
            assert jobs.run(pk) == OK and jobs.outputs() == powers


def test_errors(rsa_context: Context) -> None:
    key = RsaKey(der(private(0)), rsa_context)
    pk = PublicKey("rsa-private", rsa_context)
    for change, error in (
        ({"prepared": None}, ERR_ARGUMENT), ({"out": None}, ERR_ARGUMENT), ({"in": None}, ERR_ARGUMENT),
        ({"key": 1 << 46, "key_len": 32}, ERR_ARGUMENT), ({"key_len": 32}, ERR_ARGUMENT),
        ({"in": None, "in_len": 0}, ERR_LENGTH), ({"in_len": 255}, ERR_LENGTH),
        ({"in_len": 257}, ERR_LENGTH), ({"out_cap": 255}, ERR_LENGTH),
    ):  # fmt: skip
        jobs = Jobs([key, key], [bytes(256)] * 2)
        for name, value in change.items():
            setattr(jobs.array[1], name, value)
        before = jobs.outputs()
        assert jobs.run(pk) == error
        assert [job.status for job in jobs.array] == [NOT_RUN, error] and jobs.outputs() == before
    large = Jobs([key, key], [b"\xff" * 256, bytes(256)])
    assert large.run(pk) == ERR_ARGUMENT and [job.status for job in large.array] == [ERR_ARGUMENT, NOT_RUN]
    with pytest.raises(RuntimeFailure) as caught:
        PublicKey("rsa-private", rsa_context, "x25519_ladder64_x1@scalar")
    assert caught.value.code == ERR_NAME
    other = PublicKey("x25519", rsa_context)
    made = ctypes.c_void_p()
    assert other.lib.cst_pk_key_new(other.handle, der(private(0)), 10, ctypes.byref(made)) == ERR_ARGUMENT
    jobs = Jobs([key], [bytes(256)])
    assert jobs.run(other) == ERR_ARGUMENT, "it has no `key`"
    other.lib.cst_pk_key_free(None)


def test_a_key_of_another_context_is_refused(rsa_context: Context) -> None:
    """It would be blinded, and its powers computed, by kernels that its own context has not chosen."""
    key, other = RsaKey(der(private(0)), rsa_context), RsaKey(der(private(0)), Context())
    pk = PublicKey("rsa-private", rsa_context)
    jobs = Jobs([key, other], [bytes(256)] * 2)
    before = jobs.outputs()
    assert jobs.run(pk) == ERR_ARGUMENT and [job.status for job in jobs.array] == [NOT_RUN, ERR_ARGUMENT]
    assert jobs.outputs() == before
    with pytest.raises(RuntimeFailure, match="another context") as caught:
        pk.powers([key, other], [bytes(256)] * 2)
    assert caught.value.code == ERR_ARGUMENT


def test_results_in_the_place_of_inputs(rsa_context: Context) -> None:
    key = private(0)
    its = key.private_numbers()
    jobs = Jobs([RsaKey(der(key), rsa_context)], [bytes(255) + b"\2"])
    setattr(jobs.array[0], "in", jobs.out[0])
    ctypes.memmove(jobs.out[0], bytes(255) + b"\2", 256)
    assert jobs.run(PublicKey("rsa-private", rsa_context)) == OK
    assert jobs.outputs()[0] == pow(2, its.d, its.public_numbers.n).to_bytes(256, "big")


def test_blinding_goes_on(rsa_context: Context) -> None:
    """The same job again and again, alone and many times in a burst; and by threads at the same time."""
    key = private(0)
    prepared = RsaKey(der(key), rsa_context)
    pk = PublicKey("rsa-sign-pkcs1-sha256", rsa_context)
    wanted = key.sign(b"x", padding.PKCS1v15(), hashes.SHA256())
    wrong = []

    def work() -> None:
        for n in itertools.chain(range(1, 10), [33]):
            if pk.sign_many([prepared] * n, [b"x"] * n) != [wanted] * n:
                wrong.append(n)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


BLINDING = slice(4400, 6456)
"""Of a prepared key (public_key/rsa_key.hpp, public_key/blinding.hpp): two pairs of factors for each prime."""


def child_signs(pk: PublicKey, key: RsaKey, jobs: Jobs, wanted: list[bytes], report: mmap.mmap) -> int:
    """Forks; the child runs the jobs and reports the blinding factors. Returns its process id."""
    pid = os.fork()
    if pid == 0:
        try:
            right = jobs.run(pk) == OK and jobs.outputs() == wanted
            report[:] = ctypes.string_at(key.prepared().pointer, BLINDING.stop)[BLINDING]
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    return pid


def end_of(pid: int, seconds: float = 60) -> int | None:
    """Returns a child's exit code; None if it hangs."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def forked_jobs(context: Context) -> tuple[PublicKey, RsaKey, Jobs, list[bytes], mmap.mmap]:
    its = private(0).private_numbers()
    key, pk = RsaKey(der(private(0)), context), PublicKey("rsa-private", context)
    power = pow(2, its.d, its.public_numbers.n).to_bytes(256, "big")
    jobs = Jobs([key], [(2).to_bytes(256, "big")])
    return pk, key, jobs, [power], mmap.mmap(-1, BLINDING.stop - BLINDING.start)


def test_children_of_a_process_whose_threads_sign(rsa_context: Context) -> None:
    """Most are forked while another thread takes blinding factors."""
    pk, key, jobs, wanted, report = forked_jobs(rsa_context)
    # As many jobs as possible in a call, and no Python between two calls.
    busy = Jobs([key] * 64, [bytes(255) + b"\3"] * 64)
    stop = threading.Event()

    def work() -> None:
        array = (PkJob * 64).from_buffer_copy(busy.array)
        while not stop.is_set():
            pk.lib.cst_pk_burst(pk.handle, array, 64)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(200 if LONG else 40):
            assert end_of(child_signs(pk, key, jobs, wanted, report)) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert jobs.run(pk) == OK and jobs.outputs() == wanted


def test_a_child_of_a_process_whose_thread_was_inside(rsa_context: Context) -> None:
    """What such a fork leaves in the child's memory: a holder of another process, and unfinished factors."""
    pk, key, jobs, wanted, _ = forked_jobs(rsa_context)
    address = key.prepared().pointer
    current, holder = (ctypes.c_int.from_address(address + at) for at in (BLINDING.stop - 8, BLINDING.stop + 4))
    assert jobs.run(pk) == OK and holder.value == 0
    pid = os.fork()
    if pid == 0:
        holder.value = os.getppid()
        ctypes.memset(address + BLINDING.start + 1024 * (1 - current.value), 0xA5, 1024)
        os._exit(0 if jobs.run(pk) == OK and jobs.outputs() == wanted and holder.value == 0 else 1)
    assert end_of(pid) == 0


def test_processes_have_blinding_of_their_own(rsa_context: Context) -> None:
    """A process and three children of it, which begin with the same factors: none takes what another one takes."""
    pk, key, jobs, wanted, report = forked_jobs(rsa_context)
    assert jobs.run(pk) == OK
    seen = []
    for _ in range(3):
        assert end_of(child_signs(pk, key, jobs, wanted, report)) == 0
        seen.append(report[:])
    assert jobs.run(pk) == OK and jobs.outputs() == wanted
    seen.append(ctypes.string_at(key.prepared().pointer, BLINDING.stop)[BLINDING])
    factors = [[image[at : at + 128] for at in range(0, 2048, 256)] for image in seen]
    current = int.from_bytes(seen[-1][2048:2052], "little")
    mine = factors[-1][4 * current : 4 * current + 4]
    assert len(set(mine)) == 4 and bytes(128) not in mine
    taken = [factor for its in factors[:-1] for factor in its] + mine
    assert len(set(taken)) == len(taken)


def test_a_passing_fault_is_seen(rsa_context: Context) -> None:
    """What brings inputs into the lanes is wrong for a while, and right again when the result is checked."""
    its = private(0).private_numbers()
    pk, key, jobs, _, _ = forked_jobs(rsa_context)
    data = b"\0" + random.Random(9).randbytes(255)
    wanted = pow(int.from_bytes(data, "big"), its.d, its.public_numbers.n).to_bytes(256, "big")
    jobs = Jobs([key], [data])
    factor = pow(2, 1024 + 2 * 1040, its.p).to_bytes(128, "little")  # of the upper half
    at = ctypes.string_at(key.prepared().pointer, BLINDING.start).index(factor)
    place = ctypes.c_uint8.from_address(key.prepared().pointer + at + 60)
    right, stop = place.value, threading.Event()

    def disturb() -> None:
        rng = random.Random(10)
        while not stop.is_set():
            place.value = right ^ 4
            time.sleep(rng.random() * 1e-4)
            place.value = right
            time.sleep(rng.random() * 1e-4)

    thread = threading.Thread(target=disturb)
    thread.start()
    codes = []
    try:
        for _ in range(2000):
            codes.append(jobs.run(pk))
            assert codes[-1] == ERR_SELFTEST or jobs.outputs() == [wanted]
    finally:
        stop.set()
        thread.join()
        place.value = right
    assert set(codes) == {OK, ERR_SELFTEST}
    assert jobs.run(pk) == OK and jobs.outputs() == [wanted]


@pytest.mark.parametrize("make", [lambda c: PublicKey("rsa-private", c), lambda c: RsaKey(der(private(0)), c)])
def test_what_the_cpu_lacks_has_a_name(make: Callable[[Context], object], library: str) -> None:
    with pytest.raises(RuntimeFailure, match="RSA needs AVX-512 IFMA") as caught:
        make(Context(target="host-avx512ifma", library=library))
    assert caught.value.code == ERR_UNSUPPORTED
