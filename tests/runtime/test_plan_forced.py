"""A forced kernel narrows the choice and changes no answer: kernels of the smallest iteration, at every border of every
other one."""

from __future__ import annotations

import pytest
from cryptostitch.binding.runtime import OPEN, SEAL, Context
from jobs.builder import OWN_KEY, Bench, JobSpec, forced
from jobs.samples import EDGES, HEADS, LONGER, STRIDES

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
    if NARROW[suite] not in context.kernels():
        pytest.skip(f"no {NARROW[suite]} here")
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
