"""A hash with a key that the project does not have (SipHash-2-4), in the library: from rows and templates alone."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
from array import array
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptostitch import Context
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import ALLOW_PACKS, OPEN, SEAL, Job, RuntimeFailure
from cryptostitch.core.errors import RowError
from cryptostitch.core.own import own_rows
from cryptostitch.core.row_rules import PADDINGS
from cryptostitch.emit.pack import write_pack
from handmade import run_tool
from jobs.samples import LEVELS
from own_example import assert_found, copied, module_of, run
from painted_stack import PROMISED, PaintedStack
from test_api_parts import Message, cut
from test_api_parts import run as run_parts

SUITE = "siphash-2-4"
KEY = bytes(range(16))
PAPER = bytes.fromhex("e545be4961ca29a1")
"""Appendix A of the paper: of the bytes 00 to 0e under KEY."""
KERNELS = {
    "siphash_x1@scalar": "bmi2",
    "siphash_x2@sse": "sse2",
    "siphash_x4@avx2": "avx2",
    "siphash_x8@avx512": "avx512vl",
}


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, away from the checkout."""
    return copied(root / "examples/own_mac", tmp_path_factory.mktemp("own") / "my mac")


@pytest.fixture(scope="module")
def example(folder: Path) -> ModuleType:
    return module_of(folder)


@pytest.fixture(scope="module")
def pack(folder: Path, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "sip.pack"
    assert f"{SUITE}: 5 known answers are right" in run("pack", folder, "--kernels", "siphash*", "-o", path)
    return path


@pytest.fixture(scope="module", params=LEVELS)
def context(request: pytest.FixtureRequest, pack: Path) -> Context:
    context = Context(ALLOW_PACKS, target=request.param)
    context.load_pack(pack.read_bytes())
    return context


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_check_of_the_ladder(folder: Path, build: Path, cpu: set[str], kernel: str) -> None:
    """The checks that run suites are skipped for the kernel of a start, because keys call it and bursts do not; all
    other checks run."""
    text, at, rest = kernel.partition("_")
    names = [kernel, *(f"{text}_{step}{at}{rest}" for step in ("start", "finish"))]
    for name in names:
        (found,) = json.loads(run("verify", name, "--templates", folder, "--jobs", 1, "--format", "json"))["kernels"]
        assert found["kernel"] == name and {r.partition(":")[0] for r in found["checks"].values()} <= {"pass", "skip"}
        assert found["checks"]["values"] == found["checks"]["model"] == "pass"
        if KERNELS[kernel] in cpu:
            by_suites = {found["checks"][check].partition(":")[0] for check in ("answers", "lengths", "fuzz")}
            assert by_suites == {"skip" if "start" in name else "pass"}
            assert {found["checks"][check] for check in ("guards", "abi", "upper", "residue", "trace")} == {"pass"}


def test_tags(context: Context, example: ModuleType) -> None:
    """Tags are right for one message, and for bursts of all lengths under several keys; forged ones are refused."""
    suite = context.suite(SUITE)
    assert (suite.kind, suite.tag_max, suite.mac_key_max) == (runtime.MAC, 8, 16)
    assert suite.key(mac_key=KEY).digest(KEY[:15]) == PAPER
    rng = random.Random(1)
    for n in (1, 3, 40, 200):
        secrets = [rng.randbytes(16) for _ in range(3)]
        keys = [suite.key(mac_key=secret) for secret in secrets]
        texts = [rng.randbytes(rng.choice((0, 1, 7, 8, 9, 15, 16, 255, 256, rng.randrange(700)))) for _ in range(n)]
        jobs = [Job(keys[i % 3], SEAL, data=text, tag=bytearray(8)) for i, text in enumerate(texts)]
        context.burst(jobs)
        tags = [example.siphash(secrets[i % 3], text) for i, text in enumerate(texts)]
        assert [bytes(job.tag) for job in jobs] == tags
        forged = rng.randrange(n)
        tags[forged] = bytes([tags[forged][0] ^ 1]) + tags[forged][1:]
        opened = [Job(keys[i % 3], OPEN, data=text, tag=tags[i]) for i, text in enumerate(texts)]
        context.burst(opened)
        assert [job.status for job in opened] == [runtime.ERR_AUTH * (i == forged) for i in range(n)]


def test_scattered_and_flat_calls(context: Context, example: ModuleType) -> None:
    key, rng = context.suite(SUITE).key(mac_key=KEY), random.Random(2)
    text = rng.randbytes(777)
    job = Job(key, SEAL, data=[text[:5], text[5:6], text[6:500], b"", text[500:]], tag=bytearray(8))
    context.burst([job])
    assert bytes(job.tag) == example.siphash(KEY, text)
    items = [rng.randbytes(n) for n in (0, 3, 8, 64, 100) * 9]
    offsets = [0]
    for item in items:
        offsets.append(offsets[-1] + len(item))
    column = bytearray(8 * len(items))
    key.digest_column(b"".join(items), array("Q", offsets), column)
    assert bytes(column) == b"".join(example.siphash(KEY, item) for item in items)


def test_parts(context: Context, example: ModuleType) -> None:
    """Messages cut anywhere, side by side: tags as of whole ones, and states that are wiped."""
    key, rng = context.suite(SUITE).key(mac_key=KEY), random.Random(3)
    messages = []
    for _ in range(150):
        length = rng.choice((0, 1, 7, 8, 9, 16, 63, 64, 65, rng.randrange(600)))
        messages.append(Message(SUITE, key, rng.randbytes(length), cut(rng, length, rng.randrange(8))))
    run_parts(context, messages)
    for message in messages:
        assert bytes(message.tag) == example.siphash(KEY, message.data)
        assert not any(bytes(message.state))


@pytest.mark.parametrize("length", [0, 15, 17, 32])
def test_other_keys_are_refused(context: Context, length: int) -> None:
    with pytest.raises(RuntimeFailure):
        context.suite(SUITE).key(mac_key=bytes(length))


@pytest.mark.parametrize("length", [0, 1, 7, 9, 16])
def test_other_tags_are_refused(context: Context, length: int) -> None:
    job = Job(context.suite(SUITE).key(mac_key=KEY), SEAL, data=b"x", tag=bytearray(length) or None)
    context.burst([job])
    assert job.status == runtime.ERR_LENGTH


def test_suites_that_are_not_there(context: Context) -> None:
    """Neither HMAC with it, nor a cipher with it; nor a suite of its steps."""
    assert [name for name in context.suites() if "siphash" in name] == [SUITE]


def test_the_kernels_test_themselves(context: Context) -> None:
    found = context.selftest("siphash*")
    assert found[SUITE] == runtime.OK and len(found) == 1 + 3 * len(KERNELS)
    assert set(found.values()) <= {runtime.OK, runtime.ERR_UNSUPPORTED}
    ran = {name.partition("_x")[0] for name, result in found.items() if result == runtime.OK}
    assert ran == {SUITE, "siphash", "siphash_start", "siphash_finish"}


@pytest.mark.parametrize("target", LEVELS)
def test_nothing_is_left(pack: Path, target: str) -> None:
    """Neither of keys and messages nor of the states between two steps."""
    code, said = run_tool("cst-residue", "--pack", pack, "--suite", SUITE, "siphash*", target=target)
    assert code == 0, said


def test_no_call_needs_more_of_the_stack_than_promised(pack: Path) -> None:
    fresh = Context(ALLOW_PACKS)
    with PaintedStack(fresh.lib) as stack:
        fresh.load_pack(pack.read_bytes())
        key = fresh.suite(SUITE).key(mac_key=KEY)
        for n in (1, 3, 200):
            assert fresh.burst([Job(key, SEAL, data=bytes(n), tag=bytearray(8)) for _ in range(n)]) == runtime.OK
        assert key.digest(KEY[:15]) == PAPER and fresh.selftest("siphash*")
        depths = stack.depths()
    assert {"cst_key_new", "cst_burst", "cst_digest"} <= set(depths) and max(depths.values()) <= PROMISED, depths


BROKEN: dict[str, tuple[str, str, str]] = {
    "a finish of three rounds": ("algorithms.py", '"finalizations": FINALIZATIONS', '"finalizations": 3'),
    "a start that leaves a word": ("streams/siphash_start.j2", "in sip.V", "in sip.V[:3]"),
    "another padding": ("algorithms.py", 'padding="low_length"', 'padding="sponge", domain=1, last=0'),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_fault_is_found(folder: Path, tmp_path: Path, build: Path, fault: str) -> None:
    """By the known answers before a pack is written, and by `verify`."""
    pads = fault == "another padding"
    kernel = "siphash_x2@sse" if pads else f"siphash_{fault.split()[1]}_x2@sse"
    check = "lengths" if pads else "model"
    assert_found(folder, BROKEN[fault], tmp_path / "wrong", "siphash*_x2@sse", kernel, check)


def test_a_pack_without_a_step_has_no_suite(folder: Path, tmp_path: Path, build: Path) -> None:
    """Without the start there is none; without the finish there is another MAC, whose answers are wrong."""
    own = Path(shutil.copytree(folder, tmp_path / "less"))
    file = own / "algorithms.py"
    text = file.read_text()
    start, finish = (
        next(line for line in text.splitlines() if f'kind="{kind}"' in line) for kind in ("start", "finish")
    )
    file.write_text(text.replace(start + "\n", ""))
    assert f"{SUITE}: not checked" in run("pack", own, "--kernels", "siphash*_x2@sse", "-o", own / "x.pack")
    file.write_text(text.replace(finish + "\n", ""))
    assert "known answers" in run("pack", own, "--kernels", "siphash*_x2@sse", "-o", own / "x.pack", code=1)


def test_a_state_of_128_bytes(folder: Path, tmp_path: Path, build: Path, example: ModuleType) -> None:
    """The longest: twelve words more that nothing changes. Keys hold it, and what keys are fetched with."""
    own = Path(shutil.copytree(folder, tmp_path / "long"))
    for name, right, wrong in (
        ("algorithms.py", "words=4", "words=16"),
        ("streams/sip.j2", "s.words('chain', 4)", "s.words('chain', 16)"),
    ):
        text = (own / name).read_text()
        assert right in text
        (own / name).write_text(text.replace(right, wrong))
    assert "5 known answers are right" in run("pack", own, "--kernels", "siphash*_x[12]@s*", "-o", own / "x.pack")
    context = Context(ALLOW_PACKS)
    context.load_pack((own / "x.pack").read_bytes())
    keys = [context.suite(SUITE).key(mac_key=bytes([n] * 16)) for n in range(3)]
    jobs = [Job(keys[n % 3], SEAL, data=bytes(200 - n), tag=bytearray(8)) for n in range(40)]
    assert context.burst(jobs) == runtime.OK
    assert [bytes(job.tag) for job in jobs] == [example.siphash(bytes([n % 3] * 16), bytes(200 - n)) for n in range(40)]


@pytest.mark.parametrize("finishes", [True, False])
def test_a_sponge_with_a_key(folder: Path, tmp_path: Path, build: Path, example: ModuleType, finishes: bool) -> None:
    """Another padding, and a suite without a finish, whose state is the tag."""
    own = Path(shutil.copytree(folder, tmp_path / "sponge"))
    file = own / "algorithms.py"
    text = file.read_text().replace('padding="low_length"', 'padding="sponge", domain=1, last=0')
    text = re.sub(r"        suite_answers=.*\n", "", text)
    file.write_text(text if finishes else re.sub(r'    row\("siphash_finish".*\n', "", text))
    assert "siphash-2-4" in run("pack", own, "--kernels", "siphash*_x2@sse", "-o", own / "x.pack")
    context = Context(ALLOW_PACKS)
    context.load_pack((own / "x.pack").read_bytes())
    key = context.suite(SUITE).key(mac_key=KEY)
    for length in range(40):
        message = bytes(range(length))
        padded = message + b"\x01" + bytes(7 - length % 8)
        state = example.started(struct.pack("<4Q", *example.INITIAL), KEY)
        for at in range(0, len(padded), 8):
            state = example.compressed(state, padded[at : at + 8])
        tag = (example.finished(state, b"") if finishes else state)[:8]
        assert key.digest(message) == tag
        with pytest.raises(RuntimeFailure):
            key.open(message, tag[:7] + bytes([tag[7] ^ 1]))


@pytest.mark.parametrize(
    "row, change, says",
    [
        (0, {"hmac": True}, "hmac=False"),
        (0, {"padding": "length", "length_bytes": 8, "bytes": 64, "block_bytes": 64}, "a hash with a key has one of"),
        (0, {"words": 25}, "at most 200 bytes together"),
        (
            0,
            {"padding": "sponge", "domain": 1, "squeeze_bytes": 8, "digest_bytes": 9},
            "at most what it outputs at once",
        ),
        (0, {"block_bytes": 32}, "bytes holds a block whose last byte is the length"),
        (1, {"bytes": 8}, "bytes of a start holds key and IV"),
        (1, {"bytes": 48}, "a power of two"),
        (1, {"iv_bytes": 1}, "bytes of a start holds key and IV"),
        (2, {"bytes": 16}, "bytes of a finish holds the key"),
        (2, {"words": 0, "initial": ()}, "the chaining value of a step has words"),
    ],
)
def test_rows_that_the_library_refuses(folder: Path, build: Path, row: int, change: dict[str, Any], says: str) -> None:
    """Python says it where the row is made, and the library of a pack that nobody checked."""
    made = own_rows(folder / "algorithms.py")[row]
    with pytest.raises(RowError, match=says):
        replace(made, **change)
    record = made.record
    names = {"bytes": "input_bytes"}
    wrong = replace(record, **{names.get(k, k): v for k, v in change.items() if k != "padding"})
    if "padding" in change:
        wrong = replace(wrong, padding=PADDINGS[change["padding"]])
    assert says in Context(ALLOW_PACKS).why_refused(write_pack([wrong], []))


def test_the_program(folder: Path, pack: Path, root: Path, example: ModuleType) -> None:
    """`tags.py`, beside OpenSSL where it has SipHash."""
    files = ["algorithms.py", "siphash-2-4.txt", "streams/sip.j2"]
    said = subprocess.run(
        [sys.executable, "tags.py", pack, KEY.hex(), *files],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(root / "generator")},
    ).stdout
    tags = dict(reversed(line.split("  ")) for line in said.splitlines())
    assert tags == {name: example.siphash(KEY, (folder / name).read_bytes()).hex() for name in files}
    done = [
        subprocess.run(
            ["openssl", "mac", "-macopt", f"hexkey:{KEY.hex()}", "-macopt", "size:8", "-in", folder / name, "SIPHASH"],
            capture_output=True,
            text=True,
        )
        for name in files
    ]
    if not any(each.returncode for each in done):
        assert [each.stdout.strip().lower() for each in done] == list(tags.values())
