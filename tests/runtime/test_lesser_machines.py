"""Jobs of every kind, and the self-test, on machines that have less: old CPUs of qemu-user, which die of what they
lack, and this one with its features taken away one by one, and in pairs.

qemu 7.2 has no SHA-NI and no AVX-512, and its VAES on 256 bits is wrong; none of these models has VAES, and what they
run agrees with this CPU's results.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cryptostitch.binding.runtime import Context
from lesser import DIGESTS, PARTS, PUBLIC, SEALS, UNSUPPORTED, VERIFICATIONS, answers, compiled, wrong

AES = frozenset(SEALS[:3])
NO_GCM = frozenset({"aes-128-gcm"})
VECTORS = frozenset({"crc32c", "chacha20-poly1305", "aes-128-gcm"})
HASHED = frozenset(name for name in (*PUBLIC, *VERIFICATIONS) if name.startswith(("ed25519", "ecdsa")))
EVERY = frozenset((*SEALS, *DIGESTS)) | HASHED
"""All that needs kernels; X25519 and points of P-256 do without."""
# qemu's -cpu, and what the model need not have
MODELS = {
    "qemu64": EVERY,
    "kvm64": EVERY,
    "Nehalem": AES | {"crc32c"},
    "Westmere,-aes": AES,
    "Haswell,-avx2": frozenset[str](),
}
FEATURES = (
    *("bmi1", "bmi2", "adx", "popcnt", "sse2", "ssse3", "sse4.1", "sse4.2", "aes", "pclmul", "sha", "avx", "fma"),
    *("avx2", "vaes", "vpclmulqdq", "gfni", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512cd", "avx512ifma"),
    *("avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vnni", "avx512vpopcntdq"),
)
PAIRS = ("bmi2-ssse3", "bmi2-sse2", "aes-pclmul", "avx-sha", "bmi1-ssse3", "avx-bmi2", "sha-avx512f", "aes-avx512f")
LACKING = {
    "sse2": EVERY - set(DIGESTS) | {"crc32c"},
    "ssse3": VECTORS,
    "aes": AES,
    "pclmul": NO_GCM | {"crc32c"},
}


def may_lack(gone: str) -> frozenset[str]:
    features = set(gone.split("-"))
    if "bmi2" in features and features & {"ssse3", "sse2"}:
        return EVERY
    if "bmi1" in features and features & {"ssse3", "sse2"}:
        return VECTORS | {"md5", "sha3-256"}
    return frozenset().union(*(LACKING.get(feature, frozenset()) for feature in features))


@pytest.fixture(scope="module")
def program(root: Path, library: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(root, library, tmp_path_factory.mktemp("lesser"))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("model", MODELS)
def test_emulated(program: Path, model: str, part: str) -> None:
    if not shutil.which("qemu-x86_64"):
        pytest.skip("qemu-x86_64 (package qemu-user) is not installed")
    found = answers(["qemu-x86_64", "-cpu", model, program, part], program.parent)
    assert not wrong(part, found, MODELS[model])


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("gone", (*FEATURES, *PAIRS))
def test_without(program: Path, cpu: set[str], gone: str, part: str) -> None:
    """A feature that this CPU lacks is gone anyhow."""
    found = answers([program, part], program.parent, CRYPTOSTITCH_TARGET=f"host-{gone}")
    lacking = "".join(f"-{feature}" for feature in ("bmi2", "ssse3", "aes", "pclmul") if feature not in cpu)
    assert not wrong(part, found, may_lack(gone + lacking))


def test_a_feature_that_is_taken_away_is_gone(program: Path, cpu: set[str]) -> None:
    for gone in FEATURES:
        found = answers([program, "features"], program.parent, CRYPTOSTITCH_TARGET=f"host-{gone}")
        assert gone not in found["features"]["0"].split(",")


def test_every_feature_is_taken_away() -> None:
    assert set(Context().cpu()["features"]) - {"sha512", "sm3", "sm4"} <= set(FEATURES)


def test_what_is_wrong_is_seen(program: Path) -> None:
    """A wrong byte, a missing job, a suite that is missing without a reason."""
    found = answers([program, "digests"], program.parent, CRYPTOSTITCH_TARGET="host-avx512f")
    assert not wrong("digests", found, frozenset())
    its = found["md5"]["3"]
    found["md5"]["3"] = its[:-1] + ("0" if its[-1] != "0" else "1")
    assert wrong("digests", found, EVERY) == [f"md5, job 3: {found['md5']['3']}"]
    found["md5"] = {"0": UNSUPPORTED}
    assert len(wrong("digests", found, frozenset())) == 1 and not wrong("digests", found, frozenset({"md5"}))
    assert wrong("selftest", {"sha1": {"0": "-10"}, "selftest": {"9": "-10"}}, EVERY) == [
        "sha1: {'0': '-10'}",
        "9 right, -10",
    ]
