"""Which kernels the library takes on CPUs that are not this one (dispatch_test.cpp); under qemu-user, where they also
run (emulated_test.cpp); and what is remembered of choices (choices_test.cpp)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from cpuid_files import DUMPS, expectations, tiers
from cryptostitch.core.names import WEAVE
from cryptostitch.cpus.costs import shipped_costs

UNSUPPORTED = "-6"
# The columns of a tier in expected.txt: suite, direction, jobs.
COLUMNS = [
    ("sha1", "seal", "1"), ("sha1", "seal", "64"), ("sha256", "seal", "1"), ("sha256", "seal", "64"),
    ("aes-128-cbc", "seal", "1"), ("aes-128-cbc", "seal", "64"), ("aes-128-cbc", "open", "64"),
    ("aes-128-cbc+hmac-sha1-etm", "seal", "1"), ("aes-128-cbc+hmac-sha1-etm", "seal", "64"),
]  # fmt: skip
# qemu's -cpu; of its instructions 256-bit VAES is wrong, AVX-512 is missing, and SHA-NI before 8.2 (and it says so in
# CPUID).
MODELS = {
    "Nehalem": ("sse", "ssse3", "aes avx avx2"),
    "Westmere": ("sse_aes", "ssse3 aes pclmul", "avx avx2"),
    "SandyBridge": ("sse_aes", "aes avx", "avx2"),
    "Haswell": ("avx2_aes", "aes avx avx2 bmi2", "avx512f sha"),
    "Haswell,-xsave": ("sse_aes", "aes ssse3", "avx avx2 avx512f"),
    "Haswell,-avx2": ("sse_aes", "aes avx", "avx2"),
    "EPYC,-sha-ni": ("avx2_aes", "aes avx avx2 bmi2", "avx512f sha"),
    "EPYC": ("avx2_aes_sha", "aes avx avx2 bmi2 sha", "avx512f"),
}
LOWERING = ("CRYPTOSTITCH_TARGET", "CRYPTOSTITCH_CPU")
LEAST = 12  # suites and kernels that the self-test gets through on any of them


def compiled(root: Path, library: str, folder: Path, name: str, *flags: str) -> Path:
    """A program of tests/runtime over the static library, whose insides it sees."""
    static = Path(library).resolve().with_name("libcryptostitch.a")
    if not static.exists():
        pytest.fail(f"{static} is not built", pytrace=False)
    includes = [f"-I{path}" for path in (root / "include", root / "runtime", root / "tests/runtime")]
    command = [
        "c++",
        "-std=c++17",
        "-O1",
        "-Wall",
        *includes,
        root / f"tests/runtime/{name}.cpp",
        static,
        "-lpthread",
        *flags,
        "-o",
        folder / name,
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return folder / name


@pytest.fixture(scope="module")
def choices(root: Path, library: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[str]]]:
    """Returns the choices by CPU: suite, direction, jobs, bytes, one_key, target, kernel."""
    program = compiled(root, library, tmp_path_factory.mktemp("dispatch"), "dispatch_test")
    env = {name: value for name, value in os.environ.items() if name not in LOWERING}
    done = subprocess.run([program, DUMPS], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    by_cpu: dict[str, list[list[str]]] = {}
    for line in done.stdout.splitlines():
        cpu, *choice = line.split("\t")
        by_cpu.setdefault(cpu, []).append(choice)
    return by_cpu


def problems(rows: list[list[str]], tier: list[set[str]]) -> list[str]:
    found = []
    for (suite, direction, jobs), allowed in zip(COLUMNS, tier, strict=True):
        wanted = {UNSUPPORTED} if allowed == {"no"} else allowed
        answers = [(r[5], r[6]) for r in rows if r[:3] == [suite, direction, jobs]]
        if not answers:
            found.append(f"{suite} {direction} {jobs}: no answer")
        found += [
            f"{suite} {direction} {jobs}: {kernel} of {target}, not of {wanted}"
            for target, kernel in answers
            if target not in wanted
        ]
    return found


@pytest.mark.parametrize("cpu", list(expectations()))
def test_choice(choices: dict[str, list[list[str]]], cpu: str) -> None:
    assert not problems(choices[cpu], tiers()[expectations()[cpu].tier])


def test_a_recipe_runs_where_it_was_measured(choices: dict[str, list[list[str]]]) -> None:
    """On the CPU that it was found on, and where another CPU's table has a row of it."""
    weaves = {cpu: {r[6] for r in rows if WEAVE in r[6]} for cpu, rows in choices.items()}
    assert {name.partition(WEAVE)[2] for name in weaves["zen4"]} == {"zen4"}
    assert "sapphire_rapids" in {name.partition(WEAVE)[2] for name in weaves["emerald_rapids"]}
    assert all(found <= set(shipped_costs(expectations()[cpu].name)) for cpu, found in weaves.items())


@pytest.mark.parametrize(
    "cpu,tier",
    [
        ("zen4", "avx2_vaes_sha"),
        ("haswell", "avx512_aes"),
        ("nehalem", "sse_aes"),
        ("sandy_bridge", "avx2_aes"),
        ("zen2", "avx2_vaes_sha"),
        ("ice_lake", "avx512_vaes"),
    ],
)
def test_seeded_another_tier(choices: dict[str, list[list[str]]], cpu: str, tier: str) -> None:
    assert problems(choices[cpu], tiers()[tier])


@pytest.fixture(scope="module")
def emulated(root: Path, library: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("qemu-x86_64"):
        pytest.skip("qemu-x86_64 (package qemu-user) is not installed")
    return compiled(
        root, library, tmp_path_factory.mktemp("emulated"), "emulated_test", "-static-libstdc++", "-static-libgcc"
    )


def run_emulated(program: Path, model: str) -> tuple[set[str], list[list[str]], list[str]]:
    """Features, choices, and the self-test's results that are not right."""
    env = {name: value for name, value in os.environ.items() if name not in LOWERING}
    done = subprocess.run(["qemu-x86_64", "-cpu", model, program], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    features = next(set(line[1].split(",")) for line in lines if line[0] == "features")
    tests = [line for line in lines if line[0] == "test"]
    assert len([t for t in tests if t[2] == "0"]) >= LEAST, "the self-test ran next to nothing"
    return (
        features,
        [line[1:] for line in lines if line[0] == "choice"],
        [t[1] for t in tests if t[2] not in ("0", UNSUPPORTED)],
    )


@pytest.mark.parametrize("model", MODELS)
def test_emulated(emulated: Path, model: str) -> None:
    tier, has, lacks = MODELS[model]
    features, choices, wrong = run_emulated(emulated, model)
    if "sha" in has.split() and "sha" not in features:
        pytest.skip("this qemu has no SHA-NI")
    assert set(has.split()) <= features and not set(lacks.split()) & features
    assert not problems(choices, tiers()[tier])
    assert not wrong


def test_seeded_emulated(emulated: Path) -> None:
    """A library that believes in AVX2 dies of it on a Nehalem (and not on a Haswell), and a wrong tier is noticed."""
    for model, code in (("Nehalem", -signal.SIGILL), ("Haswell", 0)):
        command = ["qemu-x86_64", "-cpu", model, emulated, "believe-avx2"]
        # cwd: for the core file
        assert subprocess.run(command, capture_output=True, cwd=emulated.parent).returncode == code
    assert problems(run_emulated(emulated, "Nehalem")[1], tiers()["avx2_aes"])


def test_choices_are_remembered_by_ranges_of_lengths(root: Path, library: str, tmp_path: Path) -> None:
    """Choices are not confused, and bursts of random lengths hardly ask for any."""
    suites = [
        "sha1", "hmac-sha256", "sha3-256", "blake3", "crc32c", "aes-128-cbc", "aes-128-cbc/open", "aes-128-ctr",
        "aes-128-cmac", "aes-128-gcm", "aes-128-gcm/open", "chacha20-poly1305", "aes-128-xts", "aes-128-ccm",
        "aes-128-cbc+hmac-sha1-etm", "aes-128-cbc+hmac-sha1-etm/open", "aes-128-cbc+hmac-sha1-tls",
        "aes-128-cbc+hmac-sha1-96",
    ]  # fmt: skip
    done = subprocess.run([compiled(root, library, tmp_path, "choices_test"), *suites], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "passed"), done.stdout
