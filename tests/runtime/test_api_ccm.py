"""CCM: published vectors, the lengths that SP 800-38C allows, long AAD, scattered and forged messages."""

from __future__ import annotations

import random
from typing import Callable

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.ladder.placed import Placed
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.vectors import published
from cryptostitch.runtime import OPEN, SEAL, Context, RuntimeFailure

CountCases = Callable[[str, int], None]
SUITES = ("aes-128-ccm", "aes-256-ccm")
# About whole blocks, whole iterations of the kernels, and the longest that are put together, are alone, and go side by side (runtime/run/ccm_abreast.hpp).
LENGTHS = (0, 1, 15, 16, 17, 64, 100, 255, 463, 464, 465, 480, 481, 496, 511, 512, 1000, 1024, 1535, 2048, 2049, 4101, 1 << 16, (1 << 16) + 1)
AAD = (0, 8, 13, 14, 15, 30, 46, 47, 100)


@pytest.mark.parametrize("name", SUITES)
def test_published(shared_context: Context, count_cases: CountCases, name: str) -> None:
    try:
        vectors = published(name)
    except Skip as skip:
        pytest.skip(str(skip))
    suite = shared_context.suite(name)
    for v in vectors:
        key = suite.key(v.key)
        if v.valid:
            assert key.seal(v.data, v.iv, v.aad or None, len(v.tag)) == (v.out, v.tag), v.source
            assert key.open(v.out, v.tag, v.iv, v.aad or None) == v.data, v.source
            continue
        with pytest.raises(RuntimeFailure) as failure:
            key.open(v.out, v.tag, v.iv or None, v.aad or None)
        assert failure.value.code in (runtime.ERR_AUTH, runtime.ERR_LENGTH), v.source
    theirs = sum(v.source.startswith("Wycheproof") for v in vectors)
    count_cases(f"{name}, CAVP", len(vectors) - theirs)
    count_cases(f"{name}, Wycheproof", theirs)


def test_limits(shared_context: Context) -> None:
    suite, rng = shared_context.suite("aes-128-ccm"), random.Random(3)
    secret, text = rng.randbytes(16), rng.randbytes(1 << 16)
    key, both = suite.key(secret), AESCCM(secret)
    assert (suite.iv_min, suite.iv_bytes, suite.iv_max, suite.tag_min, suite.tag_max) == (7, 12, 13, 4, 16)
    for iv, tag, length in ((6, 16, 0), (14, 16, 0), (12, 2, 0), (12, 5, 0), (12, 15, 0), (12, 18, 0), (13, 16, 1 << 16)):
        with pytest.raises(RuntimeFailure) as failure:
            key.seal(text[:length], bytes(iv), None, tag)
        assert failure.value.code == runtime.ERR_LENGTH, (iv, tag, length)
    for iv, tag, length in ((7, 4, 0), (13, 16, (1 << 16) - 1), (12, 16, 1 << 16), (7, 12, 1 << 16)):
        nonce = rng.randbytes(iv)
        out, mac = key.seal(text[:length], nonce, None, tag)
        assert out + mac == AESCCM(secret, tag).encrypt(nonce, text[:length], b"")
    for aad in (1, 13, 14, 15, 30, 700, 737, 738, 750, 751, 752, 767, 768, 800, 0xFEFF, 0xFF00, 0xFF01, 70000):  # 2.2: the length has two forms
        head = rng.randbytes(aad)
        out, mac = key.seal(text[:100], bytes(12), head)
        assert out + mac == both.encrypt(bytes(12), text[:100], head), aad
        assert key.open(out, mac, bytes(12), head) == text[:100]


@pytest.mark.parametrize("seed", range(12))
def test_scattered_mixes(shared_context: Context, seed: int) -> None:
    rng = random.Random(seed)
    name = rng.choice(SUITES)
    keys = [(secrets, shared_context.suite(name).key(secrets[0])) for secrets in (oracle.secrets(rng, name) for _ in range(rng.randrange(1, 4)))]
    placed = []
    for _ in range(rng.randrange(1, 100)):
        secrets, key = rng.choice(keys)
        length = rng.choice((rng.randrange(64), rng.randrange(700), rng.randrange(8000)))
        placed.append(Placed(rng, oracle.case(rng, name, length, rng.choice((0, 13, rng.randrange(1000))), secrets), key, scattered=0.5))
    code = shared_context.burst([p.job for p in placed])
    assert [problem for p in placed if (problem := p.problem())] == []
    assert code == (runtime.ERR_AUTH if any(p.forged for p in placed) else 0)


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("direction", [SEAL, OPEN], ids=["seal", "open"])
def test_bursts_of_one_length(shared_context: Context, name: str, direction: int) -> None:
    """Any number of jobs, in place and not, some forged."""
    rng, suite = random.Random(f"{name} {direction}"), shared_context.suite(name)
    for length in LENGTHS:
        for n in {1, 2, rng.randrange(3, 9), rng.randrange(9, 70 if length < 3000 else 20)}:
            aad_len, one_key = rng.choice(AAD), rng.random() < 0.2
            secrets = oracle.secrets(rng, name)
            cases = [oracle.case(rng, name, length, aad_len, secrets if one_key else None) for _ in range(n)]
            key = suite.key(cases[0].key)
            placed = [Placed(rng, case, key if one_key else suite.key(case.key), direction) for case in cases]
            code = shared_context.burst([p.job for p in placed])
            assert [problem for p in placed if (problem := p.problem())] == [], n
            assert code == (runtime.ERR_AUTH if any(p.forged for p in placed) else 0)


@pytest.mark.parametrize("seed", range(4))
def test_few_lengths_mixed(shared_context: Context, seed: int) -> None:
    """Jobs of both directions and suites, of lengths that many of them have, and of some that few have."""
    rng = random.Random(seed)
    keys = {name: [(secrets, shared_context.suite(name).key(secrets[0])) for secrets in (oracle.secrets(rng, name) for _ in range(3))] for name in SUITES}
    placed = []
    for _ in range(rng.choice((9, 40, 150))):
        name = rng.choice(SUITES)
        secrets, key = rng.choice(keys[name])
        length = rng.choice((16, 64, 64, 64, 570, 570, 1408, rng.randrange(3000)))
        placed.append(Placed(rng, oracle.case(rng, name, length, rng.choice((8, 8, 20)), secrets), key))
    code = shared_context.burst([p.job for p in placed])
    assert [problem for p in placed if (problem := p.problem())] == []
    assert code == (runtime.ERR_AUTH if any(p.forged for p in placed) else 0)


def test_one_call_of_the_mac_for_many(context: Context) -> None:
    """Where there are kernels of eight lanes, short messages of one length share their calls; each text is one call of the cipher."""
    rng, suite = random.Random(5), context.suite("aes-128-ccm")
    kernels = [context.kernel(name) for name in context.kernels() if runnable(context, name)]
    if not any("mac_x8" in kernel.name for kernel in kernels):
        pytest.skip("no kernel of eight lanes here")
    for length in (64, 300, 480):
        before = calls(kernels, "aes128_cbc_mac"), calls(kernels, "aes128_ctr")
        context.burst([Placed(rng, case, suite.key(case.key), SEAL).job for case in [oracle.case(rng, "aes-128-ccm", length, 8) for _ in range(32)]])
        assert calls(kernels, "aes128_cbc_mac") - before[0] <= 4 and calls(kernels, "aes128_ctr") - before[1] == 32


def runnable(context: Context, name: str) -> bool:
    if "+" in name or not name.startswith(("aes128_cbc_mac", "aes128_ctr_x1")):
        return False
    try:
        context.kernel(name)
    except RuntimeFailure:
        return False
    return True


def calls(kernels: list[runtime.Kernel], algorithm: str) -> int:
    return sum(kernel.calls() for kernel in kernels if kernel.name.startswith(algorithm))
