"""The checks through the C API with the kernel forced (answers, lengths, fuzz): kernels of every kind pass, and each
seeded bug is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import Job
from cryptostitch.ladder import answers, forced, fuzz, lengths, vectors
from cryptostitch.ladder.forced import Forced
from cryptostitch.ladder.result import FAIL, PASS, Effort, Result, Skip
from cryptostitch.ladder.subject import Subject
from cryptostitch.pipeline import Generator

KERNELS = (
    "md5_x1@scalar",
    "sha256_ni_x2@sse_shani",
    "aes128_cbc_enc_x1+sha256_x1@sse_aesni_bmi2",
    "aes256_cbc_dec_x1_by16@avx512_vaes",
    "sha1_x8@avx2",
    "aes128_cbc_enc_x16_1key_hand+sha1_x16_hand@avx512_vaes",
)
SAMPLES = ("sha1_x8@avx2", "aes128_cbc_enc_x4+sha1_x4@sse_aesni")
CHECKS = {"answers": answers, "lengths": lengths, "fuzz": fuzz}
BURST = Forced.burst


@pytest.fixture(scope="module")
def get(build) -> Callable[[str], Subject]:
    generator, library = Generator(proves=False), runtime.Context(runtime.ALLOW_PACKS)

    def subject(name: str) -> Subject:
        made = Subject(generator, generator.recipe(name), library)
        try:
            made.native()
        except Skip as skip:
            pytest.skip(str(skip))
        return made

    return subject


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("check", CHECKS)
def test_kernel_passes(check: str, kernel: str, get) -> None:
    result = CHECKS[check].check(get(kernel), Effort())
    assert result.status == PASS and result.cases > 10, result.problems


@pytest.mark.parametrize("check", CHECKS)
def test_suites_that_cannot_run_are_left_out_and_said(check: str, build, monkeypatch: pytest.MonkeyPatch) -> None:
    """AES needs AES-NI, SHA-1 nothing."""
    monkeypatch.setenv("CRYPTOSTITCH_CPU", "nehalem")
    library = runtime.Context(runtime.ALLOW_PACKS | runtime.ALLOW_LEGACY)
    generator = Generator(proves=False)
    result = CHECKS[check].check(Subject(generator, generator.recipe("sha1_x4@sse"), library), Effort())
    assert result.status == PASS and result.cases > 10, result.problems
    assert "cannot run here: " in result.detail and "aes-128-cbc+hmac-sha1-etm" in result.detail


@pytest.mark.parametrize(
    "name,most", [("aes256_cbc_mac_x1@sse_aesni", 31), ("aes128_ctr_x1+sha256_ni_x1@sse_aesni_shani", 128)]
)
def test_short_vectors_leave_a_kernel_to_the_self_test(
    name: str, most: int, get, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CMAC keeps its last block from the kernel of several, encrypt-then-MAC the text up to a boundary of the hash."""
    all_of = answers.chosen

    def short(*arguments) -> tuple:
        return tuple(v for v in all_of(*arguments) if len(v.data) <= most and v.aad != vectors.HEAD)

    monkeypatch.setattr(answers, "chosen", short)
    result = answers.check(get(name), Effort())
    assert result.status == PASS and "so the library's self-test ran it" in result.detail, result.problems


def test_a_seed_gives_the_same_jobs_again(get) -> None:
    subject = get(SAMPLES[0])
    details = [fuzz.check(subject, Effort(seed=seed)).detail for seed in (3, 3)]
    assert details[0] == details[1] and "seed 3" in details[0]


# ---- a library whose kernel is wrong somewhere


def spoiled(
    monkeypatch: pytest.MonkeyPatch, check: ModuleType, subject: Subject, spoil: Callable[[Job], None], least: int = 1
) -> Result:
    """``spoil`` is done to the last job of every burst that is long enough."""

    def burst(self: Forced, jobs: Sequence[Job]) -> int:
        calls = BURST(self, jobs)
        done = [j for j in jobs if j.status == 0 and len(j.data if not isinstance(j.data, tuple) else b"") >= least]
        if done:
            spoil(done[-1])
        return calls

    monkeypatch.setattr(forced.Forced, "burst", burst)
    return check.check(subject, Effort())


def wrong_result(job: Job) -> None:
    target = job.out if job.out is not None and len(job.out) else job.tag
    target[0] ^= 1


def wrong_status(job: Job) -> None:
    job.status = runtime.ERR_AUTH


@pytest.mark.parametrize("spoil", [wrong_result, wrong_status])
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("check", CHECKS)
def test_one_wrong_job_is_found(check: str, name: str, spoil, get, monkeypatch: pytest.MonkeyPatch) -> None:
    result = spoiled(monkeypatch, CHECKS[check], get(name), spoil, 16)
    assert result.status == FAIL and result.problems


def test_one_wrong_length_is_found(get, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the answer for 3,333 bytes is wrong."""

    def burst(self: Forced, jobs: Sequence[Job]) -> int:
        calls = BURST(self, jobs)
        for job in jobs:
            if len(job.data) == 3333:
                wrong_result(job)
        return calls

    monkeypatch.setattr(forced.Forced, "burst", burst)
    result = lengths.check(get(SAMPLES[0]), Effort())
    (problem,) = result.problems
    assert problem.startswith("sha1: the answer for 3333 bytes is wrong (status 0): from byte 0 on found ")


@pytest.mark.parametrize("check", CHECKS)
def test_a_kernel_that_never_ran_is_a_failure(check: str, get, monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(self: Forced, jobs: Sequence[Job]) -> int:
        BURST(self, jobs)
        return 0

    monkeypatch.setattr(forced.Forced, "burst", burst)
    result = CHECKS[check].check(get(SAMPLES[0]), Effort())
    assert result.status == FAIL and "no burst called it" in result.problems[-1]


def test_a_written_byte_beside_the_output_is_found(get, monkeypatch: pytest.MonkeyPatch) -> None:
    from cryptostitch.ladder import placed

    made = []
    original = placed.Placed.__init__

    def remember(self, *arguments) -> None:
        original(self, *arguments)
        made.append(self)

    monkeypatch.setattr(placed.Placed, "__init__", remember)
    result = spoiled(
        monkeypatch, fuzz, get(SAMPLES[1]), lambda job: made[0].out_buffer.__setitem__(-1, made[0].out_buffer[-1] ^ 1)
    )
    assert result.status == FAIL and any("beside it" in p for p in result.problems)
