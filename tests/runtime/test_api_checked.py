"""Suites of a cipher and a checksum of the same bytes: the tag is the cipher's, if it has one, then the checksum."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import OPEN, SEAL, Context, Job, RuntimeFailure
from jobs.builder import OWN_KEY, Bench, JobSpec, force
from jobs.samples import EDGES, LEVELS, LONG, NUMBERS, STRIDES
from targets import context_for

SUITES = [
    f"{pair}{end}"
    for pair in ("aes-128-xts+crc32c", "aes-256-xts+crc32c", "aes-256-xts+crc16-t10-dif", "aes-256-gcm+crc32c")
    for end in ("", "-plaintext")
]
CHECKSUM_BYTES = {"crc32c": 4, "crc16-t10-dif": 2}


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.fixture(params=SUITES)
def suite(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def checksum_of(suite: str) -> str:
    return suite.partition("+")[2].removesuffix("-plaintext")


def crc(text: bytes, width: int, polynomial: int, ends: int) -> int:
    """The definition, bit by bit, of a polynomial that is not reflected."""
    value = ends
    for byte in text:
        value ^= byte << (width - 8)
        for _ in range(8):
            value = (value << 1) ^ (polynomial if value >> (width - 1) & 1 else 0)
            value &= (1 << width) - 1
    return value ^ ends


def reversed_bits(value: int, bits: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)


def test_by_the_definitions(context: Context, suite: str) -> None:
    """The ciphertext is what `cryptography` makes; the checksum follows from the polynomial alone."""
    rng = random.Random(suite)
    key, iv, text = rng.randbytes(64 if "256-xts" in suite else 32), rng.randbytes(16), rng.randbytes(517)
    if "gcm" in suite:
        iv = iv[:12]
    if "gcm" in suite:
        sealed = AESGCM(key).encrypt(iv, text, None)
        out, tag = sealed[:-16], sealed[-16:]
    else:
        out, tag = Cipher(algorithms.AES(key), modes.XTS(iv)).encryptor().update(text), b""
    summed = text if suite.endswith("plaintext") else out
    if checksum_of(suite) == "crc32c":
        turned = bytes(reversed_bits(byte, 8) for byte in summed)
        checksum = reversed_bits(crc(turned, 32, 0x1EDC6F41, 0xFFFFFFFF), 32).to_bytes(4, "little")
    else:
        checksum = crc(summed, 16, 0x8BB7, 0).to_bytes(2, "big")
    its = context.suite(suite).key(key)
    assert its.seal(text, iv=iv) == (out, tag + checksum)
    assert its.open(out, its.seal(text, iv=iv)[1], iv=iv) == text


@pytest.mark.parametrize("direction", (SEAL, OPEN))
def test_every_length(context: Context, suite: str, direction: int) -> None:
    """Alone, in place and not, and all of them in one burst."""
    bench = Bench(context, f"{suite} {direction}")
    lengths = (*range(16, 130), *EDGES, *STRIDES) if LONG else (*range(16, 83), *EDGES, *STRIDES[::4])
    specs = [JobSpec(suite, direction, n, aad=n % 40, in_place=n % 2 == 1) for n in lengths]
    for spec in specs:
        bench.burst([spec])
    bench.burst(specs)


@pytest.mark.parametrize("direction", (SEAL, OPEN))
def test_bursts(context: Context, suite: str, direction: int) -> None:
    """Of any number, equally long or not, under one key or several, in pieces or not."""
    rng, bench = random.Random(suite), Bench(context, suite)
    for number in NUMBERS if LONG else (1, 3, 17, 130):
        for length in (64, 512, 0) if number > 3 else (4096, 0):
            some = [length or rng.randrange(9000 if number < 99 else 500) for _ in range(number)]
            bench.burst(JobSpec(suite, direction, n, key=OWN_KEY if length % 512 else 0) for n in some)
            bench.burst(
                JobSpec(suite, direction, n, pieces=rng.choice((0, 1, 3)), in_place=rng.random() < 0.5) for n in some
            )


def test_long_texts(context: Context, suite: str) -> None:
    """Longer than what a burst copies of pieces, and than what is processed together."""
    bench = Bench(context, suite)
    for direction in (SEAL, OPEN):
        for pieces in (0, 4):
            bench.burst(JobSpec(suite, direction, n, pieces=pieces, in_place=n % 2 == 0) for n in (33_001, 20_000))


@pytest.mark.parametrize("number", (1, 2, 9, 40))
def test_damage_is_found(context: Context, suite: str, number: int) -> None:
    """A changed bit of the tag, of the checksum or of the text: of one job alone and beside right ones. The output is
    wiped, and others are not touched."""
    bench = Bench(context, suite)
    for length in (32, 500):
        for damage in ("tag", "data", "aad"):
            for at in {0, number - 1}:
                bench.burst(
                    JobSpec(suite, OPEN, length, aad=20, damage=damage * (i == at), in_place=i % 2 == 0)
                    for i in range(number)
                )


def test_every_byte_of_the_tag_counts(context: Context, suite: str) -> None:
    its, iv = context.suite(suite), bytes(12 if "gcm" in suite else 16)
    key = its.key(bytes(range(its.key_bytes)))
    out, tag = key.seal(b"sixteen bytes or more", iv=iv)
    for at in range(len(tag)):
        wrong = bytearray(tag)
        wrong[at] ^= 0x40
        job = Job(key, OPEN, iv=iv, data=out, out=bytearray(b"x" * len(out)), tag=wrong)
        assert context.burst([job]) == runtime.ERR_AUTH
        assert (job.status, job.out_len, bytes(job.out)) == (runtime.ERR_AUTH, 0, bytes(len(out)))


@pytest.mark.parametrize("suite", [name for name in SUITES if "xts" in name])
def test_what_is_damaged_can_be_read(context: Context, suite: str) -> None:
    """With the cipher's own suite, where that does not authenticate."""
    its, iv = context.suite(suite), bytes(16)
    secret = bytes(range(its.key_bytes))
    out, tag = its.key(secret).seal(b"one sector of a disk", iv=iv)
    with pytest.raises(RuntimeFailure) as failure:
        its.key(secret).open(out, bytes(len(tag)), iv=iv)
    assert failure.value.code == runtime.ERR_AUTH
    assert context.suite(suite.partition("+")[0]).key(secret).open(out, b"", iv=iv) == b"one sector of a disk"


def test_lengths_and_keys(context: Context, suite: str) -> None:
    """Those of the cipher; the tag is whole."""
    its, cipher = context.suite(suite), context.suite(suite.partition("+")[0])
    whole = cipher.tag_max + CHECKSUM_BYTES[checksum_of(suite)]
    assert (its.kind, its.tag_min, its.tag_max, its.tag_lengths) == (cipher.kind, whole, whole, [whole])
    for field in ("key_bytes", "iv_bytes", "iv_min", "iv_max", "min_bytes", "max_bytes", "aad_max", "block_bytes"):
        assert getattr(its, field) == getattr(cipher, field), field
    key, iv = its.key(bytes(range(its.key_bytes))), bytes(its.iv_bytes)
    for size in (0, 1, whole - 1, whole + 1):
        with pytest.raises(RuntimeFailure) as failure:
            key.seal(bytes(32), iv=iv, tag_len=size)
        assert failure.value.code == runtime.ERR_LENGTH
    if "xts" in suite:
        with pytest.raises(RuntimeFailure) as failure:
            its.key(bytes(its.key_bytes))  # both halves are the same
        assert failure.value.code == runtime.ERR_ARGUMENT
        with pytest.raises(RuntimeFailure) as failure:
            key.seal(bytes(15), iv=iv)
        assert failure.value.code == runtime.ERR_LENGTH


def test_what_would_run(context: Context, suite: str) -> None:
    """The choice names a kernel of the cipher and one of the checksum, or one that is stitched of both, which alone can
    be forced."""
    its = context.suite(suite)
    choice = its.choice(16, 4096)
    if "+" in choice.kernel:
        assert "one after the other" in choice.why and "crc32c_words" in choice.kernel and "xts+crc32c" in suite
        assert force(context, suite, choice.kernel) == runtime.OK
        assert "forced by name" in its.choice(16, 4096).why
        context.force(suite, None)
        apart = its.choice(16, 256)  # shorter than what such a kernel takes
        assert "+" not in apart.kernel and "crc_" in apart.why
        return
    assert "aes" in choice.kernel and "crc_" in choice.why
    with pytest.raises(RuntimeFailure) as failure:
        context.force(suite, choice.kernel)
    assert failure.value.code == runtime.ERR_NAME


def stitched(context: Context, suite: str) -> list[str]:
    """The kernels that are stitched of the suite's cipher and checksum."""
    names = [name for name in context.kernels() if "crc32c_words" in name and "+" in name]
    return [name for name in names if force(context, suite, name) == runtime.OK]


@pytest.mark.parametrize("direction", (SEAL, OPEN))
def test_stitched_kernels(context: Context, suite: str, direction: int) -> None:
    """Forced, of every length that they take and others; in place and not, alone and in bursts; and that they ran."""
    bench, before = Bench(context, f"stitched {suite}"), {}
    for kernel in stitched(context, suite):
        context.force(suite, kernel)
        before[kernel] = context.kernel(kernel).calls()
        lengths = range(16, 4200, 16) if LONG else (*range(480, 1056, 16), 512, 1008, 4080, 4096, 4112)
        specs = [JobSpec(suite, direction, n, in_place=n // 16 % 2 == 1) for n in (*lengths, 513, 4097)]
        for spec in specs:
            bench.burst([spec])
        bench.burst(specs)
        bench.burst(JobSpec(suite, direction, n, pieces=n % 3) for n in (512, 528, 4096, 777))
    ran = [kernel for kernel, calls in before.items() if context.kernel(kernel).calls() > calls]
    assert len(ran) == (1 if before else 0)
    context.force(suite, None)


@pytest.mark.parametrize("number", (1, 5))
def test_damage_is_found_by_stitched_kernels(context: Context, suite: str, number: int) -> None:
    bench = Bench(context, f"damage {suite}")
    for kernel in stitched(context, suite):
        context.force(suite, kernel)
        for damage in ("tag", "data"):
            for at in {0, number - 1}:
                bench.burst(
                    JobSpec(suite, OPEN, 1024 + 16 * i, damage=damage * (i == at), in_place=i % 2 == 0)
                    for i in range(number)
                )
    context.force(suite, None)


@pytest.mark.parametrize("direction", (SEAL, OPEN))
def test_forced_kernels_of_the_halves(context: Context, suite: str, direction: int) -> None:
    """Whatever kernel the cipher's suite is given runs here too, with right answers."""
    cipher, bench = suite.partition("+")[0], Bench(context, suite)
    ran = 0
    for kernel in context.kernels():
        if not kernel.startswith(cipher[:7].replace("-", "")) or force(context, cipher, kernel) != runtime.OK:
            continue
        before = context.kernel(kernel).calls()
        bench.burst(JobSpec(suite, direction, n, aad=16) for n in (16, 64, 640, 4096, 5000))
        ran += context.kernel(kernel).calls() > before
        context.force(cipher, None)
    assert ran
