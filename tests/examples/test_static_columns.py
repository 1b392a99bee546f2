"""Digests of columns without the library (`cryptostitch_add_columns`): built as a user builds them, from an installed
prefix, beside hashlib."""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import random
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptostitch.cpus.costs import measured_rows
from cryptostitch.emit.assembly import symbol_name
from cryptostitch.emit.objects import elf_functions
from jobs.memory import LIBC, PAGE, PROT_NONE

OK, ARGUMENT, OFFSETS, UNSUPPORTED = 0, -1, -2, -3
MOST_BYTES = 100_000  # of a hash
LANES = ("avx512", "avx2", "sse")
ALONE = {"sha512": "sse_bmi2", "sha384": "sse_bmi2", "sha512_256": "sse_bmi2"}
NI = ("sha1", "sha256", "sha224")
HASHES = ("md5", "sha1", "sha256", "sha224", "sha512", "sha384", "sha512_256", "sm3")
TARGETS = [
    (name, target)
    for name in HASHES
    for target in (*LANES, ALONE.get(name, "scalar"), *(["sse_shani"] if name in NI else []))
]
COUNTED = "md5_x1@scalar"

PROJECT = f"""
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C)
find_package(cryptostitch REQUIRED)
cryptostitch_add_columns(TARGET hashes HASHES {" ".join(HASHES)})
add_library(consumer SHARED counter.c)
add_dependencies(consumer hashes)
target_link_libraries(consumer PRIVATE -Wl,--whole-archive $<TARGET_FILE:hashes> -Wl,--no-whole-archive
                      -Wl,--no-undefined -Wl,--wrap={symbol_name("column_" + COUNTED)})
"""
COUNTER = f"""
void __real_{symbol_name("column_" + COUNTED)}(const void *);
unsigned calls;
void __wrap_{symbol_name("column_" + COUNTED)}(const void *args) {{
    calls++;
    __real_{symbol_name("column_" + COUNTED)}(args);
}}
"""


def run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Guarded:
    """Bytes that end where a page without access begins, or begin where one ends."""

    def __init__(self, content: bytes, at_end: bool = True):
        pages = -(-len(content) // PAGE) * PAGE
        self.map = mmap.mmap(-1, pages + 2 * PAGE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.address = base + PAGE + (pages - len(content) if at_end else 0)
        ctypes.memmove(self.address, content, len(content))
        for page in (base, base + PAGE + pages):
            assert LIBC.mprotect(page, PAGE, PROT_NONE) == 0


class Columns:
    """The functions of one hash."""

    def __init__(self, library: ctypes.CDLL, name: str, digest_bytes: int = 0):
        self.name, self.digest_bytes = name, digest_bytes or hashlib.new(name).digest_size
        parameters = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
        self.call = getattr(library, f"cst_column_{name}")
        self.call_by = getattr(library, f"cst_column_{name}_by")
        self.call.argtypes, self.call_by.argtypes = parameters, [ctypes.c_size_t, *parameters]
        kernel = getattr(library, f"cst_column_{name}_kernel")
        kernel.argtypes, kernel.restype = [ctypes.c_size_t], ctypes.c_char_p
        self.kernels = [found.decode() for i in range(33) if (found := kernel(i))]

    def runs(self, kernel: str) -> bool:
        """Whether this CPU does."""
        result = self.call_by(self.kernels.index(kernel), None, None, 4, 0, None)
        assert result in (OK, UNSUPPORTED)
        return result == OK

    def on(self, target: str) -> list[str]:
        """The kernels of a target; skips what this CPU has none for."""
        found = [k for k in self.kernels if k.endswith("@" + target)]
        assert found
        if not all(map(self.runs, found)):
            pytest.skip(f"this CPU has no {target}")
        return found

    def digests(
        self, items: Sequence[bytes], kernel: str | None = None, wide: bool = False, first: int = 0
    ) -> list[bytes]:
        """By the library; ``first``: the offset of the first item. All buffers lie at the ends of pages."""
        offsets = [first]
        for item in items:
            offsets.append(offsets[-1] + len(item))
        size = 8 if wide else 4
        data = Guarded(b"".join(items))
        places = Guarded(b"".join(o.to_bytes(size, "little") for o in offsets))
        made = Guarded(bytes(len(items) * self.digest_bytes))
        arguments = (data.address - first, places.address, size, len(items), made.address)
        result = self.call(*arguments) if kernel is None else self.call_by(self.kernels.index(kernel), *arguments)
        assert result == OK
        found = ctypes.string_at(made.address, len(items) * self.digest_bytes)
        return [found[i : i + self.digest_bytes] for i in range(0, len(found), self.digest_bytes)]

    def wanted(self, items: Sequence[bytes]) -> list[bytes]:
        return [hashlib.new(self.name, item).digest() for item in items]


@pytest.fixture(scope="module")
def folder(example: Callable[[str], Path], build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's build folder."""
    example("embed")  # installs the prefix
    source = tmp_path_factory.mktemp("columns")
    (source / "CMakeLists.txt").write_text(PROJECT)
    (source / "counter.c").write_text(COUNTER)
    prefix = f"-DCMAKE_PREFIX_PATH={build / 'prefix'}"
    run("cmake", "-S", source, "-B", source / "b", prefix, f"-DCST_PYTHON={sys.executable}")
    run("cmake", "--build", source / "b")
    return source / "b"


@pytest.fixture(scope="module")
def library(folder: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(folder / "libconsumer.so"))


def test_without_the_generator_the_message_says_what_to_install(folder: Path, build: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty")
    options = (f"-DCMAKE_PREFIX_PATH={build / 'prefix'}", f"-DCST_PYTHON={tmp_path / 'empty/bin/python'}")
    command = ("cmake", "-S", folder.parent, "-B", tmp_path / "b", *options)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    said = " ".join(done.stderr.split())
    assert done.returncode and "cryptostitch_add_columns needs the generator" in said
    assert 'pip install "$(ls cryptostitch-*.whl)[generator]"' in said and "-DCST_PYTHON=" in said


def test_two_copies_as_assembly_text_in_one_library(build: Path, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("cryptostitch")
    prefixes = {"ours": "cst_column_", "theirs": "theirs_"}
    for folder, prefix in prefixes.items():
        options = ("--hash", "sha256", "--targets", "sse", "--columns-assembly")
        run(program, "emit", "--columns", tmp_path / folder, *options, "--prefix", prefix)
        assert not list((tmp_path / folder).glob("*.o"))
    sources = [path for folder in prefixes for path in sorted((tmp_path / folder).glob("*.[cS]"))]
    run("cc", "-O1", "-shared", "-fPIC", *sources, "-o", tmp_path / "both.so")
    both = ctypes.CDLL(str(tmp_path / "both.so"))
    offsets, digests = (ctypes.c_uint32 * 3)(0, 3, 7), ctypes.create_string_buffer(64)
    for prefix in prefixes.values():
        assert (
            getattr(both, f"{prefix}sha256")(b"abcdefg", offsets, ctypes.c_size_t(4), ctypes.c_size_t(2), digests) == OK
        )
        assert digests.raw == b"".join(hashlib.sha256(item).digest() for item in (b"abc", b"defg"))
        ctypes.memset(digests, 0, 64)


def test_a_prefix_that_no_name_in_c_can_have(build: Path, tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("cryptostitch"), "emit", "--columns", tmp_path / "new", "--hash", "md5"]
    done = subprocess.run([*map(str, command), "--prefix", "9_"], capture_output=True, text=True)
    assert done.returncode == 2 and "--prefix begins names in C" in done.stderr and not (tmp_path / "new").exists()


@pytest.fixture
def columns(library: ctypes.CDLL, name: str) -> Columns:
    return Columns(library, name)


def text(length: int, seed: int = 0) -> bytes:
    return random.Random(length * 1000 + seed).randbytes(length)


@pytest.mark.parametrize("name", HASHES)
def test_no_kernel_is_left_out(columns: Columns) -> None:
    assert {k.partition("@")[2] for k in columns.kernels} == {t for n, t in TARGETS if n == columns.name}


@pytest.mark.parametrize("name, target", TARGETS)
def test_every_length(columns: Columns, target: str) -> None:
    items = [text(n) for n in range(301)]
    for kernel in columns.on(target):
        for wide in (False, True):
            assert columns.digests(items, kernel, wide) == columns.wanted(items)


@pytest.mark.parametrize("name, target", TARGETS)
def test_every_last_item(columns: Columns, target: str) -> None:
    """What is read behind an item that is not the last one may not be read behind the last."""
    for kernel in columns.on(target):
        for length in range(0, 301):
            items = [b"before", text(length)]
            assert columns.digests(items, kernel) == columns.wanted(items)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 1023, 1025, 5000])
@pytest.mark.parametrize("name", HASHES)
def test_numbers_of_items(columns: Columns, n: int) -> None:
    """Of lengths as they come: most are short, some are long, few are very long; some windows have but one of these."""
    drawn = random.Random(n)
    most = [200] * 95 + [3000] * 4 + [50_000]
    items = [text(drawn.randrange(drawn.choice(most)), i) for i in range(n)]
    wanted = columns.wanted(items)
    for kernel in [None, *filter(columns.runs, columns.kernels)]:
        assert columns.digests(items, kernel) == wanted
    assert columns.digests(items, wide=True, first=5 << 32) == wanted
    assert columns.digests(items, first=77) == wanted


@pytest.mark.parametrize("name", HASHES)
def test_long_items(columns: Columns) -> None:
    """Each number of blocks about the borders of buckets, and one that outlasts all others."""
    items = [text(64 * blocks + extra) for blocks in (*range(28, 70), 127, 128, 4096) for extra in (0, 55, 56, 63)]
    items.append(text(10_000_000))
    assert columns.digests(items) == columns.wanted(items)


@pytest.mark.parametrize("name", ["sha256"])
def test_nothing_is_read_before_the_first_item(columns: Columns) -> None:
    items = [text(n) for n in range(200, 230)]
    data = Guarded(b"".join(items), at_end=False)
    offsets = (ctypes.c_uint64 * 31)(*(sum(map(len, items[:i])) for i in range(31)))
    made = ctypes.create_string_buffer(30 * 32)
    assert columns.call(data.address, offsets, 8, 30, made) == OK
    assert made.raw == b"".join(columns.wanted(items))


@pytest.mark.parametrize("name", ["md5", "sha512"])
def test_wrong_arguments_write_nothing(columns: Columns) -> None:
    data = ctypes.create_string_buffer(b"abcdef" * 100)
    made = ctypes.create_string_buffer(b"\xaa" * 64 * 200)
    right = (ctypes.c_uint32 * 4)(0, 1, 2, 3)
    falling = (ctypes.c_uint32 * 200)(*range(199), 100)
    wide = (ctypes.c_uint64 * 3)(0, 1 << 32, 5)
    aligned = ctypes.create_string_buffer(64)
    misaligned = ctypes.addressof(aligned) + 1
    before = made.raw
    for arguments, error in (
        ((data, right, 3, 3, made), ARGUMENT),
        ((data, right, 0, 0, made), ARGUMENT),
        ((None, right, 4, 3, made), ARGUMENT),
        ((data, None, 4, 3, made), ARGUMENT),
        ((data, right, 4, 3, None), ARGUMENT),
        ((data, misaligned, 4, 3, made), ARGUMENT),
        ((data, falling, 4, 199, made), OFFSETS),
        ((data, wide, 8, 2, made), OFFSETS),
    ):
        assert columns.call(*arguments) == error
        assert made.raw == before
    assert columns.call_by(len(columns.kernels), data, right, 4, 3, made) == UNSUPPORTED
    assert made.raw == before
    assert columns.call(None, None, 4, 0, None) == OK
    assert columns.call(None, (ctypes.c_uint32 * 3)(7, 7, 7), 4, 2, made) == OK
    assert made.raw[: 2 * columns.digest_bytes] == hashlib.new(columns.name).digest() * 2


@pytest.mark.parametrize("name", ["md5"])
def test_the_kernel_that_is_asked_for_runs(columns: Columns, library: ctypes.CDLL) -> None:
    calls = ctypes.c_uint.in_dll(library, "calls")
    if not columns.runs(COUNTED):
        pytest.skip("this CPU has no BMI2")
    for kernel in filter(columns.runs, columns.kernels):
        calls.value = 0
        columns.digests([b"abc"] * 100, kernel)
        assert (calls.value > 0) == (kernel == COUNTED)
    for n, alone in ((1, True), (1000, False)):
        calls.value = 0
        columns.digests([b"abc"] * n)
        assert (calls.value > 0) == alone


@pytest.mark.parametrize("name", ["sha1"])
def test_threads(columns: Columns) -> None:
    items = [text(n % 150, n) for n in range(3000)]
    wanted = columns.wanted(items)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == wanted for found in pool.map(lambda _: columns.digests(items), range(16)))


def test_kernels_are_chosen_by_what_was_measured(folder: Path) -> None:
    tables = measured_rows().values()
    for name in HASHES:
        source = (folder / f"hashes.columns/column_{name}.c").read_text()
        names, numbers = (re.findall(rf"\.{field} = (\S+),", source) for field in ("name", "cycles"))
        assert len(names) == len(numbers) > 3
        for kernel, cycles in zip(names, numbers):
            measured = [table[kernel.strip('"')][0] for table in tables if kernel.strip('"') in table]
            assert round(min(measured)) <= int(cycles) <= round(max(measured))


def test_sizes(folder: Path, library: ctypes.CDLL) -> None:
    """What a program takes for a hash: its kernels with their constants, the driver, the tables."""
    kernels = elf_functions((folder / "hashes.columns/column_kernels.o").read_bytes())
    objects = {path.name: path for path in folder.rglob("column_*.c.o")}
    for name in HASHES:
        driver = run("size", objects[f"column_{name}.c.o"]).splitlines()[1].split()
        code = [len(kernels[symbol_name("column_" + kernel)]) for kernel in Columns(library, name).kernels]
        assert int(driver[3]) > 1000 and min(code) > 500
        assert int(driver[3]) + sum(code) < MOST_BYTES, name


def test_nothing_else_is_linked(folder: Path) -> None:
    names: dict[str, set[str]] = {"U": set(), "T": set(), "t": set()}
    for line in run("nm", folder / "libhashes.a").splitlines():
        kind, _, name = line.rpartition(" ")
        if kind[-1:] in names:
            names[kind[-1]].add(name)
    may = {"memcpy", "memset", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}  # the last where the compiler is told to
    assert names["U"] - names["T"] <= may and "memcpy" in names["U"]
    exported = {line.split()[-1] for line in run("nm", "-D", "--defined-only", folder / "libconsumer.so").splitlines()}
    assert {f"cst_column_{name}" for name in HASHES} <= exported
    kernels = {name for name in exported if name.startswith("cst_k_")}
    assert kernels == {symbol_name("column_" + COUNTED)}, (
        "but for the one that counter.c names, kernels are not exported"
    )


def test_a_hash_of_ones_own(root: Path, tmp_path: Path) -> None:
    """One whose kernels nobody has timed."""
    rows = root / "examples/new_pair"
    options = ["--columns", tmp_path, "--hash", "fletcher", "--templates", rows]
    run(sys.executable, "-m", "cryptostitch", "emit", *options)
    objects = [tmp_path / "column_fletcher.c", tmp_path / "column_kernels.o"]
    run("cc", "-O2", "-shared", "-fPIC", "-Wl,--no-undefined", *objects, "-o", tmp_path / "fletcher.so")
    columns = Columns(ctypes.CDLL(str(tmp_path / "fletcher.so")), "fletcher", 8)
    reference = runpy.run_path(str(rows / "algorithms.py"))["fletcher"]
    items = [text(n) for n in range(301)]
    wanted = [reference(item) for item in items]
    ran = [kernel for kernel in columns.kernels if columns.runs(kernel)]
    assert ran
    for kernel in ran:
        assert columns.digests(items, kernel) == wanted


@pytest.mark.parametrize("model", ["Nehalem", "Haswell", "Haswell,-xsave", "EPYC"])
def test_other_cpus(example: Callable[[str], Path], tmp_path: Path, model: str) -> None:
    """Of what a CPU lacks, or its operating system does not save, nothing runs."""
    if not shutil.which("qemu-x86_64"):
        pytest.skip("qemu-x86_64 (package qemu-user) is not installed")
    file, lines = tmp_path / "lines", [b"x" * (i * 7 % 300) for i in range(500)]
    file.write_bytes(b"\n".join(lines))
    program = example("columns") / "static_columns"
    for name in ("sha256", "md5"):
        found = run("qemu-x86_64", "-cpu", model, program, name, file).split()
        assert found == [hashlib.new(name, line).hexdigest() for line in lines]
