"""Feature detection and lowering on CPUs that are not this one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def program(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cpu") / "cpu_test"
    select = root / "runtime/select"
    sources = [root / "tests/runtime/cpu_test.cpp", select / "cpu.cpp", select / "features.cpp", select / "target.cpp"]
    subprocess.run(
        ["c++", "-std=c++17", "-I", root / "include", "-I", root / "runtime", *sources, "-o", path], check=True
    )
    return path


def test_leaves(program: Path) -> None:
    cpus = {}
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        name, family, model, micro, *features = line.split(" ")
        cpus[name] = (family, model, micro, set(features[0].split(",")) if features else set())
    assert {name: cpu[2] for name, cpu in cpus.items()} == {
        "zen4": "zen4",
        "zen4_client": "zen4",
        "zen5": "zen5",
        "zen3": "zen3",
        "icelake": "icelake",
        "sapphire_rapids": "sapphire_rapids",
        "unknown": "generic",
        "no_osxsave": "zen4",
        "no_ymm": "zen4",
        "no_zmm": "zen4",
        "half_zmm": "zen4",
        "nothing": "generic",
    }
    assert cpus["zen4"][:2] == ("19", "11") and cpus["zen5"][:2] == ("1a", "2") and cpus["icelake"][:2] == ("6", "6a")
    everything = {
        "aes",
        "sha",
        "ssse3",
        "avx",
        "avx2",
        "vaes",
        "vpclmulqdq",
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512vbmi",
        "gfni",
    }
    assert everything <= cpus["zen4"][3]
    assert {"avx2", "vaes"} <= cpus["zen3"][3] and "avx512f" not in cpus["zen3"][3]
    for name in ("no_osxsave", "no_ymm"):  # the OS saves no upper halves: legacy SSE only
        assert {"aes", "sha", "ssse3", "bmi2"} <= cpus[name][3]
        assert not [f for f in cpus[name][3] if f.startswith(("avx", "v"))]
    for name in ("no_zmm", "half_zmm"):
        assert {"avx2", "vaes"} <= cpus[name][3] and not [f for f in cpus[name][3] if f.startswith("avx512")]
    assert not cpus["nothing"][3] - {"sse2", ""}


@pytest.mark.parametrize(
    "target,has,lacks",
    [
        ("host", "avx512f vaes sha aes", ""),
        ("host-no_avx512", "avx2 vaes sha", "avx512f avx512bw avx512vbmi"),
        ("host-avx512f", "avx2 vaes", "avx512f avx512bw avx512vbmi"),
        ("host-avx512bw", "avx512f avx512vl", "avx512bw avx512vbmi"),
        ("host-avx512f-vaes", "avx2 aes", "avx512f vaes"),
        ("host-avx", "aes sha ssse3", "avx avx2 avx512f vaes fma"),
        ("host-no_aesni", "sha avx2", "aes vaes"),
        ("scalar", "bmi2", "ssse3 aes avx"),
        ("sse", "ssse3 sse4.1", "aes sha avx bmi2"),
        ("sse_aesni", "ssse3 aes", "sha avx vaes"),
        ("sse_aesni_shani", "ssse3 aes sha", "avx"),
        ("avx2_vaes", "avx2 vaes aes bmi2", "avx512f sha"),
        ("avx512_vaes", "avx512f avx512bw avx512vl vaes", "sha"),
        ("avx512_vaes_shani-avx512vbmi", "avx512f sha", "avx512vbmi"),
    ],
)
def test_targets(program: Path, target: str, has: str, lacks: str) -> None:
    code, features = (
        subprocess.run([program, target], capture_output=True, text=True, check=True).stdout.rstrip("\n").split(" ")
    )
    assert code == "0"
    assert set(has.split()) <= set(features.split(",")) and not set(lacks.split()) & set(features.split(","))


@pytest.mark.parametrize(
    "target",
    [
        "avx1024",
        "host-",
        "host-no_",
        "hos",
        "sse_",
        "sse__aesni",
        "_sse",
        "aesni",
        "host+sha",
        "host-avx512f-",
        "sse_avx2",
    ],
)
def test_unknown_words(program: Path, target: str) -> None:
    assert subprocess.run([program, target], capture_output=True, text=True, check=True).stdout.startswith("-2 ")
