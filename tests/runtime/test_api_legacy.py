"""The legacy suites: there only with ALLOW_LEGACY, and right: published vectors, random jobs against other
implementations, limits."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptostitch.binding.runtime import (
    ALLOW_LEGACY,
    ALLOW_PACKS,
    ERR_LENGTH,
    ERR_NAME,
    NAME_KERNEL,
    NAME_SUITE,
    OPEN,
    SEAL,
    Context,
    Job,
    RuntimeFailure,
    Suite,
)
from cryptostitch.emit.artefacts import algorithm_records
from cryptostitch.emit.pack import write_pack
from cryptostitch.ladder.vectors import published
from cryptostitch.pipeline import Generator
from jobs.builder import OWN_KEY, Bench, JobSpec
from targets import runs

RC4 = ("rc4-vartime", "rc4-vartime+hmac-md5-etm", "rc4-vartime+hmac-sha1-etm")
DES = (
    "des-ede3-cbc",
    "des-ede3-cbc+hmac-md5-etm",
    "des-ede3-cbc+hmac-sha1-etm",
    "des-ede3-cbc+hmac-md5-96",
    "des-ede3-cbc+hmac-sha1-96",
)
SUITES = RC4 + DES
RC4_SINGLES = (
    "rc4_vartime_x1@scalar",
    "rc4_vartime_x1_by1@scalar",
    "rc4_vartime_x2@scalar",
    "rc4_vartime_x2_by1@scalar",
)
RC4_PAIRS = ("rc4_vartime_x1+md5_x1@scalar", "rc4_vartime_x1+sha1_ni_x1@sse_shani_bmi2")
DES_SEALING = tuple(f"des_ede3_cbc_enc_{shape}@avx512_gfni" for shape in ("x8_by1", "x16_by1", "x16", "x32_by1"))
DES_OPENING = tuple(f"des_ede3_cbc_dec_x1{by}@avx512_gfni" for by in ("_by1", "", "_by8", "_by16"))
DES_PAIRS = ("des_ede3_cbc_enc_x16+md5_x16@avx512_gfni", "des_ede3_cbc_enc_x16+sha1_x16@avx512_gfni")
DES_SLICED = (
    *(f"des_ede3_cbc_enc_sliced_{shape}_by1@{isa}" for shape, isa in (("x16", "sse"), ("x32", "avx2"))),
    *(f"des_ede3_cbc_dec_sliced_x1{shape}" for shape in ("_by1@sse", "_by8@sse", "_by16@avx2")),
)
DES_KERNELS = DES_SEALING + DES_OPENING + DES_PAIRS + DES_SLICED
KERNELS = RC4_SINGLES + RC4_PAIRS + DES_KERNELS


@pytest.fixture(scope="module")
def legacy(library: str) -> Context:
    return Context(ALLOW_LEGACY, library=library)


def get(legacy: Context, name: str) -> Suite:
    return legacy.suite(name)


def test_they_are_hidden(shared_context: Context) -> None:
    assert not [
        name
        for kind in (NAME_SUITE, NAME_KERNEL)
        for name in shared_context.names(kind)
        if "rc4" in name or "des" in name
    ]
    for name in SUITES:
        with pytest.raises(RuntimeFailure) as failure:
            shared_context.suite(name)
        assert failure.value.code == ERR_NAME and not {"rc4", "des"} & set(
            re.findall("[a-z0-9]+", failure.value.nearest)
        )
    for name in KERNELS:
        with pytest.raises(RuntimeFailure) as failure:
            shared_context.kernel(name)
        assert failure.value.code == ERR_NAME
    for glob in ("rc4*", "des*"):
        with pytest.raises(RuntimeFailure) as failure:
            shared_context.selftest(glob)
        assert failure.value.code == ERR_NAME


def test_they_are_there_when_asked_for(legacy: Context, shared_context: Context) -> None:
    assert set(legacy.suites()) - set(shared_context.suites()) == set(SUITES)
    assert set(legacy.kernels()) - set(shared_context.kernels()) == set(KERNELS)
    for name in RC4:
        suite = legacy.suite(name)
        assert (suite.key_min, suite.key_bytes, suite.key_max, suite.iv_bytes, suite.block_bytes) == (5, 16, 32, 0, 1)
    results = legacy.selftest("rc4*")
    assert set(results) == {*RC4, *RC4_SINGLES, *RC4_PAIRS}
    assert {name for name, code in results.items() if code} == {name for name in RC4_PAIRS if not runs(legacy, name)}


def test_3des_is_there_when_asked_for(legacy: Context) -> None:
    for name in DES:
        suite = get(legacy, name)
        assert (suite.key_min, suite.key_bytes, suite.key_max, suite.iv_bytes, suite.block_bytes) == (24, 24, 24, 8, 8)
    results = legacy.selftest("des*")
    assert set(results) == {*DES, *DES_KERNELS}
    assert {name for name, code in results.items() if code} == {n for n in DES_KERNELS if not runs(legacy, n)}


@pytest.mark.parametrize("target", ["host-no_avx512", "sse_aesni"])
@pytest.mark.parametrize("name", DES)
def test_3des_by_shuffles_of_bytes(library: str, target: str, name: str) -> None:
    """Without AVX-512 there are the byte-sliced kernels alone: bursts with lanes left over, and lone messages."""
    bench = Bench(Context(ALLOW_LEGACY, target=target, library=library), f"{target} {name}")
    for n, way in itertools.product((1, 2, 17, 40), (SEAL, OPEN)):
        bench.burst(
            JobSpec(name, way, 8 * bench.rng.randrange(150), OWN_KEY, bench.rng.randrange(70)) for _ in range(n)
        )


def test_a_packs_kernels_of_variable_time_are_hidden_too(library: str) -> None:
    generator, name = Generator(proves=False), "mine_vartime_x1@scalar"
    recipe = replace(generator.recipe(RC4_SINGLES[0]), name=name)
    pack = write_pack(algorithm_records([generator.algorithms["rc4_vartime"]]), [recipe])
    for flags, there in ((ALLOW_PACKS, False), (ALLOW_PACKS | ALLOW_LEGACY, True)):
        context = Context(flags, library=library)
        context.load_pack(pack)
        assert (name in context.kernels()) == there


def test_published_streams(legacy: Context, count_cases: Callable[[str, int], None]) -> None:
    vectors = published(RC4[0])
    for v in vectors:
        key = legacy.suite(RC4[0]).key(v.key)
        assert key.seal(v.data)[0] == v.out and key.open(v.out) == v.data, v.source
    count_cases("rc4-vartime, RFC 6229", 18 * len(vectors))  # so many places of each stream are published


def test_published_answers_of_3des(legacy: Context, count_cases: Callable[[str, int], None]) -> None:
    """Each alone, and all in one burst."""
    suite, vectors = get(legacy, DES[0]), published(DES[0])
    keys = [suite.key(v.key) for v in vectors]
    for key, v in zip(keys, vectors):
        assert key.seal(v.data, iv=v.iv)[0] == v.out and key.open(v.out, iv=v.iv) == v.data, v.source
    for direction in (SEAL, OPEN):
        jobs = [
            Job(key, direction, iv=v.iv, data=v.data if direction == SEAL else v.out, out=bytearray(len(v.out)))
            for key, v in zip(keys, vectors)
        ]
        legacy.burst(jobs)
        assert [bytes(job.out) for job in jobs] == [v.out if direction == SEAL else v.data for v in vectors]
    for source in ("CAVP", "ipsec-mb"):
        count_cases(f"des-ede3-cbc, {source}", sum((v.source == "ipsec-mb") == (source == "ipsec-mb") for v in vectors))


@pytest.mark.parametrize(
    "name, size", [(RC4[0], 4), (RC4[0], 33), *((name, size) for name in DES[:2] for size in (0, 8, 16, 23, 25, 32))]
)
def test_keys_of_other_lengths_are_refused(legacy: Context, name: str, size: int) -> None:
    with pytest.raises(RuntimeFailure) as failure:
        get(legacy, name).key(bytes(size), b"mac" if "hmac" in name else None)
    assert failure.value.code == ERR_LENGTH


@pytest.mark.parametrize("size, iv", [(1, 8), (7, 8), (12, 8), (1020, 8), (16, 0), (16, 7), (16, 16)])
def test_3des_takes_whole_blocks_and_ivs(legacy: Context, size: int, iv: int) -> None:
    key = get(legacy, DES[0]).key(bytes(range(24)))
    for call in (key.seal, key.open):
        with pytest.raises(RuntimeFailure) as failure:
            call(bytes(size), iv=bytes(iv))
        assert failure.value.code == ERR_LENGTH


def test_parity_of_keys_does_not_count(legacy: Context) -> None:
    suite, key = get(legacy, DES[0]), bytes(range(24))
    assert suite.key(key).seal(bytes(64), iv=bytes(8)) == suite.key(bytes(byte ^ 1 for byte in key)).seal(
        bytes(64), iv=bytes(8)
    )


@pytest.mark.parametrize("name", SUITES)
def test_random_jobs(legacy: Context, name: str) -> None:
    """Sealed and opened, in place and not, in pieces and not, forged and not; lengths about the blocks of kernels and
    hashes."""
    get(legacy, name)
    bench = Bench(legacy, name)
    rng = bench.rng
    for _ in range(12):
        bench.burst(
            JobSpec(
                name,
                rng.choice((SEAL, OPEN)),
                rng.choice((0, 1, 15, 16, 17, 63, 64, 65, 700, 800, 1023, 1024, rng.randrange(3000))),
                OWN_KEY,
                rng.choice((0, 5, 13, 16, 48, rng.randrange(300))),
                in_place=rng.random() < 0.5,
                pieces=rng.choice((0, 0, 3)),
                damage=rng.choice(("", "", "", "tag", "data")),
            )
            for _ in range(rng.choice((1, 3, 17)))
        )


@pytest.mark.parametrize("name", DES)
def test_every_length(legacy: Context, name: str) -> None:
    """In one burst, under one key."""
    get(legacy, name)
    for direction in (SEAL, OPEN):
        Bench(legacy, name).burst(JobSpec(name, direction, length, 0, length % 50) for length in range(0, 1040, 8))


@pytest.mark.parametrize("name", RC4[1:])
def test_one_job_runs_the_pair(library: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """MD5's in general registers; SHA-1's by the SHA extensions. Zen 4's table of costs decides."""
    monkeypatch.setenv("CRYPTOSTITCH_CPU", "zen4")
    try:
        context = Context(ALLOW_LEGACY, library=library)
    except RuntimeFailure:
        pytest.skip("this CPU lacks features of zen4")
    assert context.suite(name).choice(1, 16384).kernel in RC4_PAIRS


def test_every_message_begins_with_the_same_stream(legacy: Context) -> None:
    key = legacy.suite(RC4[0]).key(bytes(range(16)))
    assert key.seal(bytes(100))[0] == key.seal(bytes(200))[0][:100]
