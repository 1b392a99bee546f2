"""Feature detection and lowering on CPUs that are not this one (cpuid/)."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cpuid_files import DUMPS, EXPECTED, Expected, expectations

REGISTERS = ("eax", "ebx", "ecx", "edx")
# Where the manuals put a feature: leaf, register, bit, and the state in XCR0 that the operating system must save for
# it.
AVX_STATE, AVX512_STATE = 0x06, 0xE6  # SDM volume 1, 14.3 (SSE, AVX) and 15.2 (and opmask, ZMM_Hi256, Hi16_ZMM)
BITS = {
    "sse2": ("1", "edx", 26, 0), "pclmul": ("1", "ecx", 1, 0), "ssse3": ("1", "ecx", 9, 0),
    "fma": ("1", "ecx", 12, AVX_STATE), "sse4.1": ("1", "ecx", 19, 0), "sse4.2": ("1", "ecx", 20, 0),
    "popcnt": ("1", "ecx", 23, 0), "aes": ("1", "ecx", 25, 0), "avx": ("1", "ecx", 28, AVX_STATE),
    "bmi1": ("7", "ebx", 3, 0), "avx2": ("7", "ebx", 5, AVX_STATE), "bmi2": ("7", "ebx", 8, 0),
    "adx": ("7", "ebx", 19, 0), "sha": ("7", "ebx", 29, 0), "avx512f": ("7", "ebx", 16, AVX512_STATE),
    "avx512dq": ("7", "ebx", 17, AVX512_STATE), "avx512ifma": ("7", "ebx", 21, AVX512_STATE),
    "avx512cd": ("7", "ebx", 28, AVX512_STATE), "avx512bw": ("7", "ebx", 30, AVX512_STATE),
    "avx512vl": ("7", "ebx", 31, AVX512_STATE), "avx512vbmi": ("7", "ecx", 1, AVX512_STATE),
    "avx512vbmi2": ("7", "ecx", 6, AVX512_STATE), "gfni": ("7", "ecx", 8, 0), "vaes": ("7", "ecx", 9, AVX_STATE),
    "vpclmulqdq": ("7", "ecx", 10, AVX_STATE), "avx512vnni": ("7", "ecx", 11, AVX512_STATE),
    "avx512bitalg": ("7", "ecx", 12, AVX512_STATE), "avx512vpopcntdq": ("7", "ecx", 14, AVX512_STATE),
    "sha512": ("7.1", "eax", 0, AVX_STATE), "sm3": ("7.1", "eax", 1, AVX_STATE), "sm4": ("7.1", "eax", 2, AVX_STATE),
}  # fmt: skip
# Detection of each asks for these too (SDM volume 1, 12.13 AES and SHA, 14.3 and 14.7 AVX and AVX2, 15.2 to 15.4
# AVX-512).
NEEDS = {
    "ssse3": "sse2", "sse4.1": "ssse3", "sse4.2": "sse4.1", "aes": "sse2", "pclmul": "sse2", "sha": "ssse3",
    "gfni": "sse2", "avx": "sse4.1", "fma": "avx", "avx2": "avx", "vaes": "avx aes", "vpclmulqdq": "avx pclmul",
    "sha512": "avx2", "sm3": "avx", "sm4": "avx2", "avx512f": "avx2", "avx512dq": "avx512f", "avx512ifma": "avx512f",
    "avx512cd": "avx512f", "avx512bw": "avx512f", "avx512vl": "avx512f", "avx512vbmi": "avx512bw",
    "avx512vbmi2": "avx512bw", "avx512bitalg": "avx512bw", "avx512vnni": "avx512f", "avx512vpopcntdq": "avx512f",
}  # fmt: skip
DECISIVE = (
    "ssse3 aes pclmul sha avx avx2 bmi2 adx vaes vpclmulqdq gfni avx512f avx512bw avx512vl avx512vbmi sha512".split()
)
REAL = 25


@dataclass
class Dump:
    """The leaves of one CPU, read without the help of dump.hpp."""

    leaves: dict[str, list[int]] = field(default_factory=dict)
    xcr0: int | None = None
    real: bool = False

    def get(self, leaf: str, register: str) -> int:
        highest = self.leaves.get("0", [0])[0]
        if leaf != "80000000" and int(leaf.split(".")[0], 16) > highest:
            return 0  # must not be asked
        if leaf == "7.1" and not self.get("7", "eax"):
            return 0
        return self.leaves.get(leaf, [0] * 4)[REGISTERS.index(register)]

    def features(self) -> set[str]:
        saved = 0
        if self.get("1", "ecx") >> 27 & 1:
            saved = self.xcr0 if self.xcr0 is not None else self.leaves.get("d", [0])[0]
        found = {
            n
            for n, (leaf, register, bit, state) in BITS.items()
            if self.get(leaf, register) >> bit & 1 and saved & state == state
        }
        while missing := {n for n in found if not set(NEEDS.get(n, "").split()) <= found}:
            found -= missing
        return found


def read(path: Path = DUMPS) -> dict[str, Dump]:
    dumps: dict[str, Dump] = {}
    for words in (line.split() for line in path.read_text().splitlines()):
        match words:
            case [] | ["#" | "assumed", *_]:
                pass
            case ["cpu", name, *_]:
                dumps[name] = dump = Dump()
            case ["from", *_]:
                dump.real = True
            case ["like", name]:
                dump.leaves = {leaf: list(values) for leaf, values in dumps[name].leaves.items()}
            case ["xcr0", value]:
                dump.xcr0 = int(value, 16)
            case ["set" | "clear" as verb, leaf, register, *bits]:
                mask = sum(1 << int(bit) for bit in bits)
                values = dump.leaves.setdefault(leaf, [0] * 4)
                i = REGISTERS.index(register)
                values[i] = values[i] | mask if verb == "set" else values[i] & ~mask
            case _:
                leaf, *values = words[1:] if words[0] == "leaf" else words
                dump.leaves[leaf] = [int(value, 16) for value in values]
    return dumps


@dataclass(frozen=True)
class Decoded:
    family: str
    model: str
    name: str
    registers: str
    features: frozenset[str]
    brand: str


@pytest.fixture(scope="module")
def objects(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Compiles cpu_test's files, all but cpu.cpp."""
    folder = tmp_path_factory.mktemp("objects")
    sources = [
        root / "tests/runtime/cpu_test.cpp",
        root / "runtime/select/features.cpp",
        root / "runtime/select/lesser_cpu.cpp",
        root / "runtime/select/target.cpp",
    ]
    made = []
    for source in sources:
        made.append(folder / f"{source.stem}.o")
        subprocess.run(
            ["c++", "-std=c++17", f"-I{root / 'include'}", f"-I{root / 'runtime'}", "-c", source, "-o", made[-1]],
            check=True,
        )
    return made


@pytest.fixture(scope="module")
def program(root: Path, objects: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(root, objects, tmp_path_factory.mktemp("cpu"), {})


def build(root: Path, objects: list[Path], folder: Path, changes: dict[str, str]) -> Path:
    """cpu_test, optionally with a piece of cpu.cpp replaced (a seeded bug)."""
    cpu = (root / "runtime/select/cpu.cpp").read_text()
    for old, new in changes.items():
        assert cpu.count(old) == 1, f"{old!r} is not in cpu.cpp exactly once"
        cpu = cpu.replace(old, new)
    (folder / "cpu.cpp").write_text(cpu)
    subprocess.run(
        ["c++", "-std=c++17", f"-I{root / 'runtime/select'}", folder / "cpu.cpp", *objects, "-o", folder / "cpu_test"],
        check=True,
    )
    return folder / "cpu_test"


def decode(program: Path) -> dict[str, Decoded]:
    done = subprocess.run([program, "decode", DUMPS], capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stderr
    return dict(decoded(line) for line in done.stdout.splitlines())


def decoded(line: str) -> tuple[str, Decoded]:
    cpu, family, model, name, registers, features, brand = line.split("\t")
    return cpu, Decoded(family, model, name, registers, frozenset(filter(None, features.split(","))), brand)


def is_name(name: str, cpu: Decoded | Expected, wanted: str) -> bool:
    """``wanted``: generic for a CPU of which only maker, family and model are known."""
    numbers = rf"[a-z0-9]{{1,10}}_family_{cpu.family}_model_{cpu.model}"
    return re.fullmatch(numbers, name) is not None if wanted == "generic" else name == wanted


def problems(cpus: dict[str, Decoded], dumps: dict[str, Dump], expected: dict[str, Expected]) -> list[str]:
    """Where the library's answers, the bits as the manuals place them, and what a person wrote down are not the
    same."""
    found = []
    for name, want in expected.items():
        got = cpus[name]
        derived = dumps[name].features()
        if got.features != derived:
            found.append(f"{name}: by the manuals' bits {sorted(got.features ^ derived)} are wrong")
        if decisive := set(DECISIVE) & got.features ^ set(want.features):
            found.append(f"{name}: expected.txt disagrees about {sorted(decisive)}")
        same = (got.family, got.model, got.registers) == (want.family, want.model, want.registers)
        if not same or not is_name(got.name, want, want.name):
            found.append(f"{name}: {got.family} {got.model} {got.name} {got.registers}")
    return found


def test_every_cpu_is_expected() -> None:
    dumps = read()
    assert list(dumps) == list(expectations())
    assert sum(dump.real for dump in dumps.values()) >= REAL
    assert not [name for name, want in expectations().items() if set(want.features) - set(DECISIVE)], EXPECTED


def test_detection(program: Path, count_cases) -> None:
    expected = expectations()
    assert not problems(decode(program), read(), expected)
    count_cases("CPUID dumps", len(expected))


def test_brands(program: Path) -> None:
    cpus = decode(program)
    assert cpus["haswell"].brand == "Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz"
    assert cpus["zen5"].brand == "AMD Ryzen 7 9700X 8-Core Processor"
    assert cpus["zhaoxin"].brand == "ZHAOXIN KaiXian KX-7000"
    assert cpus["no_extended_leaves"].brand == "" and cpus["nothing"].brand == ""


@pytest.mark.parametrize(
    "old,new,noticed",
    [
        ("(leaves.xcr0 & 0xe6) == 0xe6", "(leaves.xcr0 & 0x06) == 0x06", "xcr0_without_zmm"),
        ("(leaves.xcr0 & 0xe6) == 0xe6", "(leaves.xcr0 & 0x66) == 0x66", "xcr0_low_zmm_only"),
        ("(leaves.xcr0 & 0xe6) == 0xe6", "(leaves.xcr0 & 0xa6) == 0xa6", "xcr0_high_zmm_only"),
        ("(leaves.xcr0 & 0x06) == 0x06", "(leaves.xcr0 & 0x02) == 0x02", "xcr0_without_ymm"),
        ('{"sha", kLeaf7Ebx, 29, kNothing}', '{"sha", kLeaf7Ebx, 28, kNothing}', "skylake_sp"),
        ('{"sha", kLeaf7Ebx, 29, kNothing}', '{"sha", kLeaf7Ebx, 29, kAvx}', "goldmont_plus"),
        ('{"vaes", kLeaf7Ecx, 9, kAvx}', '{"vaes", kLeaf7Ecx, 9, kAvx512}', "zen3"),
        ('{"vaes", kLeaf7Ecx, 9, kAvx}', '{"vaes", kLeaf7Ebx, 9, kAvx}', "haswell"),
        ('{"aes", kLeaf1Ecx, 25, kNothing}', '{"aes", kLeaf1Ecx, 26, kNothing}', "hygon"),
        ('{"avx512bw", kLeaf7Ebx, 30, kAvx512}', '{"avx512bw", kLeaf7Ebx, 16, kAvx512}', "knights_landing"),
        ("cpu.features = close_features(cpu.features);", "", "vaes_without_aes"),
        ("if (last >= 7) {", "if (true) {", "cpuid_limit"),
        ("if (r[2] >> 27 & 1) leaves", "leaves", "XGETBV"),
        ("<< 4;\n    cpu.stepping", "<< 0;\n    cpu.stepping", "haswell"),
    ],
)
def test_seeded(root: Path, objects: list[Path], tmp_path: Path, old: str, new: str, noticed: str) -> None:
    program = build(root, objects, tmp_path, {old: new})
    if noticed == "XGETBV":
        assert "that is a fault" in subprocess.run([program, "decode", DUMPS], capture_output=True, text=True).stderr
        return
    found = problems(decode(program), read(), expectations())
    assert any(problem.startswith(f"{noticed}:") for problem in found)


def test_seeded_brand(root: Path, objects: list[Path], tmp_path: Path) -> None:
    program = build(root, objects, tmp_path, {"last_extended < 0x80000004u || last_extended > 0x8000ffffu": "false"})
    assert decode(program)["no_extended_leaves"].brand


# ---- CRYPTOSTITCH_CPU: lesser CPUs than the one at hand

SAME_AS = {
    "nehalem": "nehalem", "westmere": "westmere", "haswell": "haswell", "skylake_server": "cascade_lake",
    "zen2": "zen2", "zen3": "zen3", "zen4": "zen4", "sapphire_rapids": "emerald_rapids", "unknown_sse": "goldmont_plus",
    "unknown_avx2": "alder_lake", "unknown_avx512": "emerald_rapids",
}  # fmt: skip


def lesser(program: Path, host: str) -> dict[str, tuple[int, Decoded]]:
    """Returns what a host becomes by the name of each lesser CPU."""
    done = subprocess.run([program, "lesser", DUMPS, host], capture_output=True, text=True, check=True)
    rows = [line.partition("\t") for line in done.stdout.splitlines()]
    return {name: (int(error), cpu) for error, _, rest in rows for name, cpu in [decoded(rest)]}


def test_lesser_cpus_are_as_real_ones(program: Path) -> None:
    dumps = decode(program)
    found = lesser(program, "zen5")
    assert set(found) == {*SAME_AS, "unknown"}
    for name, real in SAME_AS.items():
        error, cpu = found[name]
        assert error == 0 and (cpu.features, cpu.registers) == (dumps[real].features, dumps[real].registers), name
        assert is_name(cpu.name, cpu, "generic" if name.startswith("unknown") else expectations()[real].name), name
        assert cpu.brand.endswith(f"CRYPTOSTITCH_CPU={name}")


def test_an_unknown_cpu_lacks_nothing_but_a_name(program: Path) -> None:
    _, cpu = lesser(program, "zen5")["unknown"]
    real = decode(program)["zen5"]
    assert is_name(cpu.name, cpu, "generic") and (cpu.features, cpu.registers) == (real.features, real.registers)


@pytest.mark.parametrize("host", ["haswell", "zen3", "raptor_lake", "goldmont_plus"])
def test_a_lesser_cpu_never_has_more(program: Path, host: str) -> None:
    real = decode(program)[host]
    for name, (error, cpu) in lesser(program, host).items():
        has_more = name in SAME_AS and not decode(program)[SAME_AS[name]].features <= real.features
        assert error == (-6 if has_more else 0), name
        assert cpu.features <= real.features and (not error or cpu == real), name


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
    code, features = lowered(program, target).rstrip("\n").split(" ")
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
    assert lowered(program, target).startswith("-2 ")


def lowered(program: Path, target: str) -> str:
    return subprocess.run([program, "lower", target], capture_output=True, text=True, check=True).stdout
