"""A forced kernel narrows the choice and changes no answer: kernels of the smallest iteration, at every border of every
other one."""

from __future__ import annotations

import pytest
from cryptostitch.binding.runtime import OPEN, SEAL, Context, RuntimeFailure
from drawn_cpu import CPU
from jobs.builder import OWN_KEY, Bench, JobSpec, forced
from jobs.samples import EDGES, HEADS, LONGER, STRIDES
from targets import runs

NARROW = {
    "aes-128-gcm": "aes128_ctr_x1_by1@sse_aesni",
    "aes-256-gcm": "aes256_ctr_x1_by1@sse_aesni",
    "aes-192-ctr": "aes192_ctr_x1_by1@sse_aesni",
    "aes-128-cbc": "aes128_cbc_enc_x1_by1@sse_aesni",
    "aes-128-cbc+hmac-sha1-etm": "aes128_cbc_enc_x1_by1@sse_aesni",
    "aes-128-ccm": "aes128_ctr_x1_by1@sse_aesni",
    "hmac-sha256": "sha256_x4@sse",
    "chacha20": "chacha20_x1@sse",
    "chacha20-poly1305": "chacha20_x1@sse",
}


@pytest.mark.parametrize("one_key", [False, True], ids=["own keys", "one key"])
@pytest.mark.parametrize("suite", NARROW)
def test_the_smallest_iteration(context: Context, suite: str, one_key: bool) -> None:
    """In one burst and each alone; in place, scattered and forged ones among them."""
    if not runs(context, NARROW[suite]):
        pytest.skip("this CPU cannot run it")
    bench, kernel = Bench(context, (suite, one_key)), context.kernel(NARROW[suite])
    rng = bench.rng
    with forced(context, NARROW[suite], [suite]) as fitting:
        assert fitting == [suite]
        before = kernel.calls()
        for direction in (SEAL, OPEN):
            specs = [
                JobSpec(
                    suite,
                    direction,
                    length,
                    0 if one_key else OWN_KEY,
                    rng.choice(HEADS),
                    in_place=rng.random() < 0.5,
                    pieces=rng.choice((0, 0, 0, 3)),
                    damage=rng.choice(("", "", "", "tag")),
                )
                for length in (*EDGES, *STRIDES, *LONGER)
            ]
            bench.burst(specs)
            for spec in specs:
                bench.burst([spec])
        assert kernel.calls() > before


@pytest.mark.parametrize(
    "name", ("aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani", "aes128_cbc_enc_x1+sha1_x1@sse_aesni_bmi2")
)
def test_some_in_place(context: Context, name: str) -> None:
    """Of records that are sealed one after the other some overwrite what is hashed, and the first does not."""
    suite = "aes-128-cbc+hmac-sha1-tls"
    if not runs(context, name):
        pytest.skip("this CPU cannot run it")
    bench, kernel = Bench(context, suite), context.kernel(name)
    with forced(context, name, [suite]) as fitting:
        assert fitting == [suite]
        before = kernel.calls()
        for length in (100, 200, 500, 1000, 4096):
            bench.burst(JobSpec(suite, SEAL, length, OWN_KEY, 11, in_place=at > 0) for at in range(3))
        assert kernel.calls() > before


@pytest.mark.parametrize("direction, role", [(SEAL, "enc"), (OPEN, "dec")])
def test_a_stitched_kernel_beside_others(context: Context, direction: int, role: str) -> None:
    """A text that is empty, or in pieces too long to be copied, keeps no other from the stitched kernel."""
    name, suite = f"aes128_cbc_{role}_x1+sha1_ni_x1@sse_aesni_shani", "aes-128-cbc+hmac-sha1-etm"
    if not runs(context, name):
        pytest.skip("this CPU cannot run it")
    bench, kernel = Bench(context, (suite, direction)), context.kernel(name)
    with forced(context, name, [suite]) as fitting:
        assert fitting == [suite]
        for stranger in (JobSpec(suite, direction, 0, OWN_KEY, 8), JobSpec(suite, direction, 33008, 0, 8, pieces=3)):
            before = kernel.calls()
            bench.burst([stranger, *(JobSpec(suite, direction, length, OWN_KEY, 8) for length in (4096, 2048, 3008))])
            assert kernel.calls() >= before + 3


@pytest.mark.parametrize(
    "direction, name", [(SEAL, "chacha_poly_enc_short_x1@avx2"), (OPEN, "chacha_poly_dec_short_x1@avx2")]
)
def test_of_some_lengths_only(direction: int, name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel of short messages, in a burst of all lengths that by Zen 3's table are cheaper side by side in steps."""
    monkeypatch.setenv(CPU, "zen3")
    suite = "chacha20-poly1305"
    try:
        context = Context(library=library)
    except RuntimeFailure:
        pytest.skip("this CPU lacks features of zen3")
    bench, kernel = Bench(context, name), context.kernel(name)
    with forced(context, name, [suite]) as fitting:
        assert fitting == [suite]
        bench.burst(JobSpec(suite, direction, length, OWN_KEY, 13) for length in range(128))
        assert kernel.calls() > 0
