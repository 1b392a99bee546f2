"""Costs measured on this machine: cst_calibrate, files of costs, and CST_CALIBRATE."""

from __future__ import annotations

import ctypes
import os
import re
import socket
import stat
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from cost_files import FULL_DISK, MOST, Costs, fnv1a, refused, signature, table, umask
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import PROGRESS, Options
from cryptostitch.binding.runtime import (
    ALLOW_PACKS,
    CALIBRATE,
    ERR_COSTS,
    ERR_FILE,
    NO_JIT,
    SEAL,
    Context,
    Job,
    RuntimeFailure,
)
from cryptostitch.emit.artefacts import pack_of
from cryptostitch.pipeline import Generator
from cryptostitch.tuning.measure import Laboratory, MeasureError, pinned
from handmade import tool
from sanitized import LONG, ROOT

HERE = "calibrated on this machine"
LOW = "sse"  # few kernels: quick to measure
PLAIN = "sha256_x8@sse"  # every CPU with SSSE3 runs it, and none chooses it
CHAIN = "aes128_cbc_enc_x1_by1@sse_aesni"
UNKNOWN = "rot13_x64@avx9"
HASTE = 0.01  # seconds: the least number of samples


@pytest.fixture(scope="module")
def measured(library: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All kernels, in haste."""
    path = tmp_path_factory.mktemp("costs") / "all"
    context = Context(library=library)
    assert context.calibrate(seconds=HASTE) == 0
    context.save_costs(path)
    return path


@pytest.fixture(scope="module")
def low(library: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Few kernels, by CST_CALIBRATE."""
    path = tmp_path_factory.mktemp("costs") / "low"
    Context(CALIBRATE, target=LOW, costs=path, library=library)
    return path


# ---- measuring


def test_a_context_measures_and_says_so(context: Context) -> None:
    before = table(context)
    assert (
        not context.calibrated
        and HERE not in before
        and context.calibrate("sha256_*", HASTE) == 0
        and context.calibrated
    )
    assert table(context) == before + " + calibrated"
    choice = context.suite("sha256").choice(64)
    assert HERE in choice.why and choice.cycles_per_byte > 0
    assert HERE not in context.suite("sha1").choice(64).why
    assert context.calibrate(seconds=0 if LONG else HASTE) == 0 and table(context) == HERE
    assert HERE in context.suite("sha1").choice(64).why


def test_every_figure_says_where_it_comes_from(context: Context) -> None:
    """For 1, 4, 16 and 64 jobs: measured here, by a table, or estimated; said again only where it differs."""
    sources = f"(as {HERE}|by the table for {re.escape(table(context))}|by an estimate from instruction counts)"
    assert context.calibrate("sha256_x*", HASTE) == 0
    for jobs in (1, 4, 16, 64):
        why = context.suite("sha256").choice(jobs, 1024).why
        found = re.fullmatch(
            rf"for {jobs} jobs? of 1024 bytes: [\d.e+-]+ cycles per byte {sources}; the next best, (\S+), [\d.e+-]+(?: "
            rf"{sources})?(?: \(.*\))?",
            why,
        )
        assert found, why
        chosen, other, differs = context.suite("sha256").choice(jobs, 1024).kernel, found[2], found[3]
        here = [name.startswith("sha256_x") for name in (chosen, other)]
        assert (HERE in found[1]) == here[0] and bool(differs) == (here[0] != here[1]), why
        context.force("sha256", other)
        assert (HERE in context.suite("sha256").choice(jobs, 1024).why) == here[1]
        context.force("sha256", None)


def test_costs_are_core_cycles(measured: Path) -> None:
    """A chain of ten rounds of AES takes what the other clock, made of a kernel and called from Python, says."""
    costs = Costs.read(measured).kernels
    assert all(10 <= a <= MOST and b <= MOST for _, a, b in costs.values())
    if CHAIN not in costs:
        pytest.skip("this CPU has no AES-NI")
    try:
        with pinned():
            laboratory = Laboratory()
            (cost,) = laboratory.measure([laboratory.open(CHAIN)], 0.1)
    except MeasureError as error:
        pytest.skip(str(error))
    assert costs[CHAIN][1] / 100 == pytest.approx(cost.per_iteration, rel=0.25)


def test_progress(context: Context) -> None:
    seen: list[tuple[int, int, str]] = []
    assert context.calibrate("sha1_*", HASTE, lambda *step: seen.append(step)) == 0
    assert [done for done, _, _ in seen] == list(range(len(seen))) and {total for _, total, _ in seen} == {len(seen)}
    assert {kernel for _, _, kernel in seen} <= set(context.kernels()) and all(
        kernel.startswith("sha1_") for _, _, kernel in seen
    )


def test_progress_ends_it(context: Context) -> None:
    before, choice = table(context), context.suite("sha1").choice(64)
    seen: list[int] = []

    def stop(done: int, total: int, kernel: str) -> int:
        seen.append(done)
        return 7 if done > total // 2 else 0

    assert context.calibrate("sha1_*", HASTE, stop) == 7
    assert seen[-1] == len(seen) - 1 > 0 and table(context) == before and context.suite("sha1").choice(64) == choice

    def fail(done: int, total: int, kernel: str) -> int:
        raise KeyError(kernel)

    with pytest.raises(KeyError):
        context.calibrate("sha1_*", HASTE, fail)
    assert table(context) == before


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf"), 3601.0])
def test_bad_seconds(shared_context: Context, seconds: float) -> None:
    with pytest.raises(RuntimeFailure) as failure:
        shared_context.calibrate("sha1_*", seconds)
    assert failure.value.code == runtime.ERR_ARGUMENT


def test_bad_arguments(shared_context: Context) -> None:
    lib, handle = shared_context.lib, shared_context.handle
    with pytest.raises(RuntimeFailure) as failure:
        shared_context.calibrate("sha1_y*")
    assert failure.value.code == runtime.ERR_NAME
    assert lib.cst_calibrate(None, None, 0, PROGRESS(), None) == runtime.ERR_ARGUMENT
    assert [lib.cst_costs_save(*a) for a in ((None, b"x"), (handle, None), (handle, b""))] == [runtime.ERR_ARGUMENT] * 3
    options, out = Options(costs=b""), ctypes.c_void_p()
    assert lib.cst_ctx_new(ctypes.byref(out), ctypes.byref(options)) == runtime.ERR_ARGUMENT and not out


@pytest.mark.parametrize("member", ["pack_key", "costs"])
def test_options_of_earlier_sizes(shared_context: Context, member: str) -> None:
    """What lies behind the stated size is not looked at."""
    options, out = Options(pack_key=bytes(32), costs=b"/nonexistent"), ctypes.c_void_p()
    options.size = getattr(Options, member).offset
    assert shared_context.lib.cst_ctx_new(ctypes.byref(out), ctypes.byref(options)) == 0
    shared_context.lib.cst_ctx_free(out)


# ---- files


def test_round_trip(measured: Path, tmp_path: Path) -> None:
    context = Context(costs=measured)
    assert table(context) == HERE
    context.save_costs(tmp_path / "again")
    assert sorted((tmp_path / "again").read_text().splitlines()[:-1]) == sorted(measured.read_text().splitlines()[:-1])
    assert os.listdir(tmp_path) == ["again"]
    assert set(Costs.read(measured).kernels) <= set(context.kernels())


def test_measuring_again_replaces_only_what_matches(measured: Path, tmp_path: Path) -> None:
    doctored = Costs.read(measured).winner(PLAIN, "sha")
    context = Context(costs=doctored.write(tmp_path / "costs"))
    assert context.calibrate("sha256_*", HASTE) == 0
    context.save_costs(tmp_path / "costs")
    after = Costs.read(tmp_path / "costs").kernels
    assert after.keys() == doctored.kernels.keys()
    for name, cost in after.items():
        assert (cost == doctored.kernels[name]) == (not name.startswith("sha256_")), name


def test_costs_make_the_choice(measured: Path, tmp_path: Path) -> None:
    """The doctored kernel wins, and bursts run on it."""
    path = Costs.read(measured).winner(PLAIN, "sha256_").write(tmp_path / "costs")
    assert Context().suite("sha256").choice(64).kernel != PLAIN
    context = Context(costs=path)
    choice = context.suite("sha256").choice(64, 1 << 20)
    assert choice.kernel == PLAIN and choice.cycles_per_byte == pytest.approx(1 / 64 / 8, rel=0.02)  # and loads
    assert HERE in choice.why and context.suite("sha256").choice(64).kernel == PLAIN
    kernel = context.kernel(PLAIN)
    burst(context)
    assert kernel.calls() > 0


def burst(context: Context) -> None:
    key = context.suite("sha256").key()
    assert context.burst([Job(key, SEAL, data=bytes(1024), tag=bytearray(32)) for _ in range(64)]) == 0


def test_choices_made_before_are_forgotten(measured: Path, tmp_path: Path) -> None:
    context = Context(costs=Costs.read(measured).winner(PLAIN, "sha256_").write(tmp_path / "costs"))
    kernel = context.kernel(PLAIN)
    burst(context)
    assert context.calibrate("sha256_*", 0.05) == 0
    if context.suite("sha256").choice(64, 1024).kernel == PLAIN:
        pytest.skip(f"{PLAIN} is the best for this machine")
    before = kernel.calls()
    burst(context)
    assert kernel.calls() == before


def test_other_code_keeps_its_cost(measured: Path, tmp_path: Path) -> None:
    """The name alone does not count."""
    costs = Costs.read(measured).winner(PLAIN, "sha256_")
    _, a, b = costs.kernels[PLAIN]
    costs.kernels[PLAIN] = ("0123456789abcdef", a, b)
    context = Context(costs=costs.write(tmp_path / "costs"))
    assert table(context) == table(Context()) + " + calibrated"
    context.force("sha256", PLAIN)
    assert HERE not in context.suite("sha256").choice(64).why


def test_missing_and_unknown_kernels(measured: Path, tmp_path: Path) -> None:
    costs = Costs.read(measured)
    only = replace(costs, kernels={PLAIN: costs.kernels[PLAIN], UNKNOWN: ("0" * 16, 100, 0)})
    context = Context(costs=only.write(tmp_path / "costs"))
    assert table(context) == table(Context()) + " + calibrated"
    context.save_costs(tmp_path / "again")
    assert Costs.read(tmp_path / "again") == only
    none = replace(costs, kernels={})
    assert table(Context(costs=none.write(tmp_path / "none"))) == table(Context())


def test_costs_of_a_pack_that_comes_later(measured: Path, tmp_path: Path) -> None:
    generator = Generator(proves=False)
    again = f"{PLAIN}~again"
    foreign = pack_of(generator, [replace(generator.recipe(PLAIN), name=again)])
    first = Context(ALLOW_PACKS)
    first.load_pack(foreign)
    assert first.calibrate(again, HASTE) == 0
    first.save_costs(tmp_path / "costs")
    assert list(Costs.read(tmp_path / "costs").kernels) == [again]
    costs = Costs.read(measured).winner("none", "sha256_")
    costs.kernels |= Costs.read(tmp_path / "costs").winner(again, "sha256_").kernels
    second = Context(ALLOW_PACKS, costs=costs.write(tmp_path / "costs"))
    assert second.suite("sha256").choice(64).kernel != again
    second.load_pack(foreign)
    assert second.suite("sha256").choice(64).kernel == again


# ---- another CPU, no file, no right file


@pytest.mark.parametrize(
    "line, pattern, by",
    [
        ("brand", "$", " II"),
        ("cpu", r"^\d+", "99"),
        ("cpu", r" \d+ ", " 99 "),
        ("cpu", r"\d+$", "99"),
        ("features", ",ssse3", ""),
    ],
)
def test_another_cpu(line: str, pattern: str, by: str, low: Path, tmp_path: Path) -> None:
    costs = Costs.read(low)
    costs.head[line] = re.sub(pattern, by, costs.head[line], count=1)
    assert costs != Costs.read(low)
    path = costs.write(tmp_path / "costs")
    assert table(Context(target=LOW, costs=path)) == table(Context(target=LOW))
    assert table(Context(CALIBRATE, target=LOW, costs=path)) == HERE
    assert Costs.read(path).head == Costs.read(low).head and os.listdir(tmp_path) == ["costs"]


def test_lowered_by_the_environment(low: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert table(Context(costs=low)) != HERE
    monkeypatch.setenv("CRYPTOSTITCH_TARGET", LOW)
    assert table(Context(costs=low)) == HERE


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    refused(ERR_FILE, costs=tmp_path / "absent")
    for flags in (0, CALIBRATE):
        refused(ERR_FILE, flags, costs=tmp_path)
        refused(ERR_FILE, flags, costs=tmp_path / "absent" / "costs")
        refused(ERR_FILE, flags, costs="/dev/zero")
    os.mkfifo(tmp_path / "fifo")
    refused(ERR_FILE, costs=tmp_path / "fifo")
    assert os.listdir(tmp_path) == ["fifo"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 100,
        b"#!/bin/sh\necho hello\n",
        b"cryptostitch costs 1\n" * 1000,
        b"cryptostitch costs 2\n",
        b"x" * (5 << 20),
    ],
)
def test_what_is_no_file_of_costs_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "costs"
    path.write_bytes(content)
    before = signature(path)
    for flags in (0, CALIBRATE):
        refused(ERR_COSTS, flags, target=LOW, costs=path)
    assert signature(path) == before and os.listdir(tmp_path) == ["costs"]


def test_damaged_files(low: Path, tmp_path: Path) -> None:
    """Beginnings, changed bytes, and figures out of range with a right checksum; cost_damage.cpp gives many more to the
    reader alone."""
    path = tmp_path / "costs"
    whole = low.read_bytes()
    for i in range(0, len(whole), 1 if LONG else 31):
        for text in (whole[:i], whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :], whole[:i] + whole[i + 1 :]):
            path.write_bytes(text)
            refused(ERR_COSTS, target=LOW, costs=path)
    costs = Costs.read(low)
    digest = costs.kernels[PLAIN][0]
    row = f"kernel {PLAIN} "
    doubled = re.sub(f"({row}.*\n)", r"\1\1", low.read_text().rpartition("end ")[0])
    path.write_text(f"{doubled}end {fnv1a(doubled.encode()):016x}\n")
    assert doubled.count(row) == 2
    refused(ERR_COSTS, target=LOW, costs=path)
    for a, b in ((0, 0), (MOST + 1, 0), (100, MOST + 1), (-5, 0), ("nan", 0), (100, "1e3")):
        costs.kernels[PLAIN] = (digest, a, b)
        refused(ERR_COSTS, target=LOW, costs=costs.write(path))
    costs.kernels[PLAIN] = (digest, MOST, MOST)
    assert table(Context(target=LOW, costs=costs.write(path))) == HERE


@pytest.mark.parametrize("seed, says", [("", "0 wrong"), ("behind", "heap-buffer-overflow"), ("blind", "wrong (0)")])
def test_the_reader_withstands_damage(seed: str, says: str, low: Path, tmp_path: Path) -> None:
    costs = Costs.read(low)
    few = replace(costs, kernels=dict(list(costs.kernels.items())[:3]))
    done = subprocess.run(
        [tool("cst-cost-damage"), few.write(tmp_path / "costs"), *filter(None, [seed])], capture_output=True, text=True
    )
    assert says in done.stdout + done.stderr and (done.returncode != 0) == bool(seed), done.stdout + done.stderr
    if not seed:
        texts, accepted, _ = map(int, re.findall(r"\d+", done.stdout.splitlines()[-1]))
        assert texts > 5000 and 100 < accepted < texts // 2


# ---- CST_CALIBRATE


def test_at_start(low: Path, tmp_path: Path) -> None:
    """Measured once; a file that is right and complete is only read."""
    before = signature(low)
    context = Context(CALIBRATE, target=LOW, costs=low)
    assert table(context) == HERE and signature(low) == before
    assert os.listdir(low.parent) == ["low"] and low.stat().st_mode & 0o777 == 0o666 & ~umask()
    incomplete = Costs.read(low)
    del incomplete.kernels[PLAIN]
    incomplete.kernels[UNKNOWN] = ("0" * 16, 100, 0)
    path = incomplete.write(tmp_path / "costs")
    assert table(Context(CALIBRATE, target=LOW, costs=path)) == HERE
    after = Costs.read(path).kernels
    assert after.keys() == Costs.read(low).kernels.keys() | {UNKNOWN} and after[UNKNOWN] == incomplete.kernels[UNKNOWN]


def test_at_start_in_memory_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert table(Context(CALIBRATE, target=LOW)) == HERE and os.listdir(tmp_path) == []


def test_without_jit(measured: Path, tmp_path: Path) -> None:
    """Static kernels alone; their costs are those of the same code made at run time."""
    before = signature(measured)
    static = Context(NO_JIT | CALIBRATE, costs=measured)
    assert table(static) == HERE and signature(measured) == before
    path = tmp_path / "costs"
    context = Context(NO_JIT)
    assert context.calibrate(seconds=HASTE) == 0 and table(context) == HERE
    context.save_costs(path)
    costs, all_costs = Costs.read(path).kernels, Costs.read(measured).kernels
    assert costs and all(all_costs[name][0] == digest for name, (digest, _, _) in costs.items())
    if Context().cpu()["jit"]:
        assert len(costs) < len(all_costs) and table(Context(costs=path)) == table(Context()) + " + calibrated"


# ---- writing


def test_a_file_is_replaced_at_once(low: Path, tmp_path: Path) -> None:
    """Whoever reads the old file meanwhile reads all of it."""
    path = tmp_path / "costs"
    costs = Costs.read(low)
    costs.kernels[PLAIN] = (costs.kernels[PLAIN][0], MOST, MOST)  # what no measurement gives
    old = costs.write(path).read_bytes()
    context = Context(target=LOW, costs=path)
    with path.open("rb") as reader:
        start = reader.read(50)
        assert context.calibrate(PLAIN, HASTE) == 0
        context.save_costs(path)
        assert start + reader.read() == old
    assert (
        path.read_bytes() != old
        and table(Context(target=LOW, costs=path)) == HERE
        and os.listdir(tmp_path) == ["costs"]
    )


def test_paths_that_cannot_be_written(low: Path, tmp_path: Path) -> None:
    context = Context(target=LOW, costs=low)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for path in (
        tmp_path / "absent" / "costs",
        tmp_path / "file" / "costs",
        tmp_path / "folder",
        "/proc/costs",
        tmp_path / ("x" * 300),
    ):
        with pytest.raises(RuntimeFailure) as failure:
            context.save_costs(path)
        assert failure.value.code == ERR_FILE and str(path) in str(failure.value)
        refused(ERR_FILE, CALIBRATE, target=LOW, costs=path)
    assert (
        sorted(os.listdir(tmp_path)) == ["file", "folder"]
        and os.listdir(tmp_path / "folder") == []
        and table(context) == HERE
    )


def test_only_a_file_is_replaced(low: Path, tmp_path: Path) -> None:
    """Not a device (which root could replace), a pipe, a socket or a link."""
    context = Context(target=LOW, costs=low)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("costs")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "costs").write_bytes(b"old")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        if os.geteuid() == 0:
            with suppress(PermissionError):  # in containers without the capability
                os.mknod(tmp_path / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 7))
        before = {path: path.lstat() for path in tmp_path.iterdir()}
        for path in sorted(before):
            if path.name == "costs":
                continue
            with pytest.raises(RuntimeFailure) as failure:
                context.save_costs(path)
            assert failure.value.code == ERR_FILE
            if path.name != "link":  # is followed for reading
                refused(ERR_FILE, CALIBRATE, target=LOW, costs=path)
        assert {path: path.lstat().st_ino for path in tmp_path.iterdir()} == {
            path: found.st_ino for path, found in before.items()
        }
    context.save_costs(tmp_path / "costs")
    assert (tmp_path / "costs").read_bytes() != b"old"


def test_a_full_disk(low: Path, tmp_path: Path) -> None:
    """The old file stays, of the other one nothing is left."""
    path = tmp_path / "costs"
    path.write_bytes(low.read_bytes())
    before = signature(path)
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, path, LOW, f"{LOW}-popcnt"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "generator")},
    )
    assert done.returncode == 0, done.stderr
    assert signature(path) == before and os.listdir(tmp_path) == ["costs"]
