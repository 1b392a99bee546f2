"""Random bursts: any mix of suites, keys, lengths, alignments, directions, in place or not, in pieces or not, forged or not.

Nothing but the outputs changes.
"""

from __future__ import annotations

import random

import pytest

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.ladder.placed import Placed
from cryptostitch.runtime import Context, Key

def lengths(rng: random.Random) -> int:
    return rng.choice((rng.randrange(64), rng.randrange(700), rng.randrange(700), rng.randrange(8000)))


@pytest.mark.parametrize("seed", range(25))
def test_any_mix(shared_context: Context, seed: int) -> None:
    rng = random.Random(seed)
    names = rng.sample(shared_context.suites(), rng.randrange(1, 5))
    keys: list[tuple[str, tuple[bytes, bytes], Key]] = []
    for name in names:
        for _ in range(rng.randrange(1, 4)):
            secrets = oracle.secrets(rng, name)
            keys.append((name, secrets, shared_context.suite(name).key(secrets[0] or None, secrets[1] or None)))
    placed = []
    for _ in range(rng.randrange(1, 200)):
        name, secrets, key = rng.choice(keys)
        placed.append(
            Placed(rng, oracle.case(rng, name, lengths(rng), rng.choice((0, 0, 13, rng.randrange(200))), secrets), key, scattered=0.3)
        )
    code = shared_context.burst([p.job for p in placed])
    for p in placed:
        assert not p.problem(), p.problem()
    assert code == (runtime.ERR_AUTH if any(p.forged for p in placed) else 0)


@pytest.mark.parametrize("one_key", [False, True])
@pytest.mark.parametrize(
    "name",
    ["aes-128-cbc+hmac-sha1-etm", "aes-256-cbc+hmac-sha256-etm", "aes-128-cbc", "a128cbc-hs256", "aes-192-cbc+hmac-md5-96", "aes-128-cbc+hmac-sha1-tls",
     "aes-256-cbc+hmac-sha512-etm", "aes-256-cbc+hmac-sha384-192", "aes-256-cbc+hmac-sha384-tls", "a256cbc-hs512", "hmac-sha512_256"],
)
def test_wide_bursts_in_place(shared_context: Context, name: str, one_key: bool) -> None:
    """Lanes without a job must not write to anybody's buffer, also when input and output are the same."""
    rng = random.Random(f"{name}{one_key}")
    secrets = oracle.secrets(rng, name)
    shared = shared_context.suite(name).key(secrets[0] or None, secrets[1] or None)
    for n in (2, 7, 20, 40):
        placed = []
        for _ in range(n):
            key, own = shared, secrets
            if not one_key:
                own = oracle.secrets(rng, name)
                key = shared_context.suite(name).key(own[0] or None, own[1] or None)
            placed.append(
                Placed(
                    rng,
                    oracle.case(rng, name, rng.choice((4096, rng.randrange(20000))), 16 * rng.randrange(3), own),
                    key,
                    scattered=0.1,
                )
            )
        shared_context.burst([p.job for p in placed])
        for p in placed:
            assert not p.problem(), p.problem()


def test_empty_burst(shared_context: Context) -> None:
    assert shared_context.burst([]) == 0
