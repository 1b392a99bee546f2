"""Suites of a cipher that the project does not have (ARIA, RFC 5794), by a loaded pack."""

from __future__ import annotations

import functools
import random
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cryptostitch import Context, RuntimeFailure
from cryptostitch.binding.runtime import ALLOW_PACKS, ERR_UNSUPPORTED, OPEN, SEAL
from cryptostitch.core.errors import RowError
from cryptostitch.core.own import own_rows
from cryptostitch.emit.artefacts import algorithm_records, own_pack, own_recipes
from cryptostitch.emit.pack import write_pack
from cryptostitch.ladder import oracle, own_cipher
from cryptostitch.listing import Catalogue
from jobs.builder import OWN_KEY, Bench, JobSpec

SUITES = ("aria-128-ctr", "aria-128-gcm")
WITH_MAC = "aria-128-ctr+hmac-sha256-etm"
LEVELS = ("host", "host-no_avx512", "sse_aesni")
SHORTEST = "aria128_schedule_x1@sse_aesni", "aria128_ctr_x1_by1@sse_aesni"
"""The kernels without which there is no suite: the key schedule, and counter mode of one block in an iteration."""


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("own") / "cipher"
    return Path(shutil.copytree(root / "examples/own_cipher", to, ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture(scope="module")
def catalogue(folder: Path) -> Iterator[Catalogue]:
    """The oracle knows the cipher meanwhile."""
    made = Catalogue(own_rows(folder / "algorithms.py"), (folder,))
    oracle.refer(made.given[0])
    yield made
    own_cipher.CIPHERS.clear()


@pytest.fixture(scope="module")
def pack(catalogue: Catalogue) -> bytes:
    return own_pack(catalogue, own_recipes(catalogue))


@pytest.fixture(scope="module")
def context(pack: bytes, build: Path) -> Context:
    return loaded(pack)


def loaded(pack: bytes, target: str = "host") -> Context:
    made = Context(ALLOW_PACKS, target)
    if not {"aes", "pclmul"} <= set(made.cpu()["features"]):
        pytest.skip("this CPU lacks AES-NI or PCLMUL")
    made.load_pack(pack)
    return made


@functools.cache
def shared(pack: bytes, target: str) -> Context:
    """One for all tests that change nothing, so that its kernels are assembled once."""
    return loaded(pack, target)


def test_the_suites_and_their_known_answers(context: Context) -> None:
    """RFC 5794 and RFC 8269, from the pack itself."""
    assert set(SUITES) | {WITH_MAC} <= set(context.suites())
    for name in SUITES:
        assert context.suite(name).known_answers == 1
        assert context.selftest(name) == {name: 0}
    assert not any(code for code in context.selftest("aria128*").values() if code != ERR_UNSUPPORTED)
    gcm, aes = context.suite("aria-128-gcm"), context.suite("aes-128-gcm")
    for limit in ("kind", "key_bytes", "iv_bytes", "tag_min", "tag_max", "aad_max", "in_max"):
        assert getattr(gcm, limit, None) == getattr(aes, limit, None), limit


def test_a_wrong_answer_is_found(catalogue: Catalogue, pack: bytes, build: Path) -> None:
    """The self-test can fail: a pack whose answer has another bit."""
    row = next(row for row in catalogue.given[0] if row.suite_answers)
    answer = next(a for a in row.suite_answers if a.suite == "aria-128-gcm")
    changed = bytearray(pack)
    at = changed.index(answer.tag)
    changed[at] ^= 1
    changed[16:20] = zlib.crc32(changed[24:]).to_bytes(4, "little")
    assert loaded(bytes(changed)).selftest("aria-128-gcm")["aria-128-gcm"]


@pytest.mark.parametrize("target", LEVELS)
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("direction", [SEAL, OPEN])
def test_all_lengths(pack: bytes, suite: str, target: str, direction: int) -> None:
    Bench(shared(pack, target), f"{suite} {target} {direction}").burst(
        JobSpec(suite, direction, length, aad=length % 37, in_place=length % 2 == 1) for length in range(201)
    )


@pytest.mark.parametrize("suite", [*SUITES, WITH_MAC])
@pytest.mark.parametrize("jobs", [1, 8, 17])
def test_bursts_of_own_keys(pack: bytes, suite: str, jobs: int) -> None:
    """Long texts too: what GCM stitches; counters that wrap; scattered pieces. All levels get the same jobs, whose
    blocks the oracle enciphers once."""
    for target in LEVELS:
        bench = Bench(shared(pack, target), f"{suite} {jobs}")
        for length, carry, pieces in ((13, 0, 0), (160, 3, 0), (1040, 20, 0), (1500, 0, 5), (2064, 0, 0)):
            specs = [
                JobSpec(suite, way, length, OWN_KEY, aad=13, carry=carry, pieces=pieces) for way in (SEAL, OPEN) * jobs
            ]
            bench.burst(specs[:jobs])
            bench.burst(specs)


@pytest.mark.parametrize("suite", ["aria-128-gcm", WITH_MAC])
def test_what_is_not_authentic_is_refused(context: Context, suite: str) -> None:
    bench = Bench(context, suite)
    for damage in ("tag", "iv", "aad", "data"):
        bench.burst(JobSpec(suite, OPEN, length, OWN_KEY, aad=20, damage=damage) for length in (1, 16, 100, 1500))
        bench.burst(JobSpec(suite, OPEN, 64, OWN_KEY, aad=20, damage=way) for way in (damage, "", damage))


def test_nonces_of_other_lengths(context: Context) -> None:
    """SP 800-38D, 7.1: GHASH makes the counter of them."""
    Bench(context, "nonces").burst(
        JobSpec("aria-128-gcm", way, 33, OWN_KEY, iv=size) for size in (1, 8, 13, 16, 60) for way in (SEAL, OPEN)
    )


def test_the_pair_kernel_runs(context: Context) -> None:
    """GCM's texts go through cipher and GHASH in one loop, with the kernel forced."""
    pair = "aria128_ctr_x1+ghash_x1@sse_aesni"
    kernel = context.kernel(pair)
    context.force("aria-128-gcm", pair)
    before = kernel.calls()
    Bench(context, pair).burst(JobSpec("aria-128-gcm", way, 1500, OWN_KEY, aad=13) for way in (SEAL, OPEN))
    context.force("aria-128-gcm", None)
    assert kernel.calls() > before


def test_the_same_as_openssl(context: Context, folder: Path) -> None:
    text, key, iv = (folder / "README.md").read_bytes(), bytes(range(16)), bytes(range(16, 32))
    done = subprocess.run(
        ["openssl", "enc", "-aria-128-ctr", "-K", key.hex(), "-iv", iv.hex()], input=text, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert context.suite("aria-128-ctr").key(key).seal(text, iv=iv)[0] == done.stdout


def test_the_smallest_pack(catalogue: Catalogue, build: Path) -> None:
    """The key schedule and one block suffice; without either there is no suite."""
    made = [catalogue.recipe(name) for name in SHORTEST]
    context = loaded(own_pack(catalogue, made))
    for suite in SUITES:
        Bench(context, suite).burst(JobSpec(suite, OPEN, length, OWN_KEY, aad=3) for length in (0, 5, 16, 40))
    with pytest.raises(RuntimeFailure) as failure:
        loaded(own_pack(catalogue, made[:1])).suite(SUITES[0])
    assert failure.value.code == ERR_UNSUPPORTED
    with pytest.raises(RuntimeFailure) as failure:
        loaded(own_pack(catalogue, made[1:])).suite(SUITES[0])
    assert failure.value.code == ERR_UNSUPPORTED


@pytest.mark.parametrize(
    "changes, suites",
    [
        ({}, True),
        ({"block_cipher": "aria-129"}, False),  # another cipher's schedule
        ({"block_cipher": ""}, False),
        ({"rounds": 11}, False),
        ({"key_bytes": 32}, False),
    ],
)
def test_what_joins_a_schedule_and_a_mode(
    catalogue: Catalogue, build: Path, changes: dict[str, object], suites: bool
) -> None:
    """The cipher's name, and its sizes."""
    recipes = [catalogue.recipe(name) for name in SHORTEST]
    rows = [replace(r, **changes) if r.kind == "schedule" else r for r in catalogue.given[0]]  # type: ignore[arg-type]
    context = Context(ALLOW_PACKS)
    context.load_pack(write_pack(algorithm_records(rows), recipes))
    assert ("aria-128-ctr" in context.suites()) == suites
    assert context.kernel(SHORTEST[1]).name == SHORTEST[1]


def test_a_name_of_the_project_is_refused(catalogue: Catalogue, build: Path) -> None:
    """No row makes suites of AES by a schedule of its own, or has more round keys than the library's ciphers may."""
    for changes, says in ({"block_cipher": "aes-999"}, "AES has keys of"), ({"rounds": 63}, "less than 24 rounds"):
        with pytest.raises(RowError, match=says):
            for row in catalogue.given[0]:
                replace(row, **changes)  # type: ignore[arg-type]


def test_a_program_in_c(example, folder: Path, pack: bytes, context: Context) -> None:
    (folder / "aria.pack").write_bytes(pack)
    key, iv = bytes(range(16)), bytes(range(12))
    program = example("own_cipher") / "own_cipher"
    done = subprocess.run(
        [program, folder / "aria.pack", "aria-128-gcm", key.hex(), iv.hex(), "one text", "another"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    sealed = [context.suite("aria-128-gcm").key(key).seal(text, iv=iv) for text in (b"one text", b"another")]
    assert done.stdout.splitlines() == [f"{out.hex()} {tag.hex()}" for out, tag in sealed]


def test_the_oracle_is_right() -> None:
    """Plain Python against the published vector: what the other tests compare with."""
    noise = random.Random(1)
    row = next(iter(own_cipher.CIPHERS.values()))
    for answer in row.suite_answers:
        found = oracle.seal(answer.suite, answer.key, b"", answer.iv, answer.aad, answer.text)
        assert found == (answer.out, answer.tag)
    key, iv, text = noise.randbytes(16), b"\xff" * 16, noise.randbytes(33)
    assert oracle.seal("aria-128-ctr", key, b"", iv, b"", text)[0] != text
