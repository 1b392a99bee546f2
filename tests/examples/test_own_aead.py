"""AEADs of one state that the project does not have (Ascon-AEAD128, SP 800-232; AEGIS-128L), in the library: from rows
and templates alone."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptostitch import Context
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import ALLOW_PACKS, OPEN, SEAL, Job, RuntimeFailure
from cryptostitch.core.errors import RowError
from cryptostitch.core.own import own_rows
from cryptostitch.emit.pack import write_pack
from cryptostitch.ladder.oracle import Case
from cryptostitch.ladder.placed import Placed
from handmade import run_tool
from jobs.samples import LEVELS
from own_example import assert_found, module_of, run
from own_example import copied as copied_to
from painted_stack import PROMISED, PaintedStack

SUITE = "ascon-aead128"


@dataclass(frozen=True)
class Own:
    """An example: its folder, its suite, what the names of its texts begin with, the known answers that it brings, and
    the features that its kernels want, by the ends of their names."""

    folder: str
    suite: str
    stem: str
    answers: int
    kernels: dict[str, str]

    @property
    def texts(self) -> set[str]:
        return {f"{self.stem}_{kind}" for kind in ("duplex", "start", "finish")}


LANES = {"x1@scalar": "bmi2", "x2@sse": "ssse3", "x4@avx2": "avx2", "x8@avx512": "avx512vl"}
ASCON = Own("own_aead", SUITE, "ascon", 13, LANES)
AEGIS = Own("own_aegis", "aegis-128l", "aegis", 5, {"x1@sse_aesni": "aes"})
OWN = {own.suite: own for own in (ASCON, AEGIS)}
# ascon-c's LWC_AEAD_KAT_128_128.txt: its last answers but one, which the example does not have
KEY, NONCE = bytes(range(16)), bytes(range(16, 32))
REFUSED = (
    (
        *("10000200000000000000000000000000", "10010000000000000000000000000000", "0001020304050607"),
        *("79d94593d8c2119d7e8fd9b8fc77", "5c04b3dba849b2701effbe32c7f0fab7"),
    ),
    (
        *("10010000000000000000000000000000", "10000200000000000000000000000000", "0001020304050607"),
        *("79d94593d8c2119d7e8fd9b8fc78", "5c04b3dba849b2701effbe32c7f0fab7"),
    ),
    (
        *("10010000000000000000000000000000", "10000200000000000000000000000000", "0001020304050608"),
        *("79d94593d8c2119d7e8fd9b8fc77", "5c04b3dba849b2701effbe32c7f0fab7"),
    ),
    (
        *("10010000000000000000000000000000", "10000200000000000000000000000000", "0001020304050607"),
        *("79d94593d8c2119d7e8fd9b8fc77", "6c04b3dba849b2701effbe32c7f0fab8"),
    ),
)
"""AEGIS-128L's test vectors 6 to 9 of draft-irtf-cfrg-aegis-aead: key, nonce, AAD, ciphertext, tag."""
LAST = (bytes(range(0x20, 0x40)), bytes(range(0x30, 0x4F)))
LAST_ANSWER = "4b392e5fa60e0cbbca547db96e3262bd8382d6c0e608e24f441aaafc4726e5ad779233da0ae25e0bde856e4805896ec2"


@pytest.fixture(scope="module")
def copied(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Own], Path]:
    """Copies an example away from the checkout, once."""
    made: dict[str, Path] = {}

    def copy(own: Own) -> Path:
        if own.folder not in made:
            made[own.folder] = copied_to(root / "examples" / own.folder, tmp_path_factory.mktemp("own") / "my aead")
        return made[own.folder]

    return copy


@pytest.fixture(scope="module")
def folder(copied: Callable[[Own], Path]) -> Path:
    return copied(ASCON)


@pytest.fixture(scope="module")
def ascon(folder: Path) -> ModuleType:
    return module_of(folder)


@pytest.fixture(scope="module", params=OWN)
def own(request: pytest.FixtureRequest, build: Path) -> Own:
    its = OWN[request.param]
    if not set(its.kernels.values()) & set(Context().cpu()["features"]):
        pytest.skip(f"this CPU has no {', '.join(its.kernels.values())}")
    return its


@pytest.fixture(scope="module")
def example(own: Own, copied: Callable[[Own], Path]) -> ModuleType:
    return module_of(copied(own))


@pytest.fixture(scope="module")
def pack(own: Own, copied: Callable[[Own], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "own.pack"
    assert f"{own.suite}: {own.answers} known answers are right" in run("pack", copied(own), "-o", path)
    return path


@pytest.fixture(scope="module", params=LEVELS)
def context(request: pytest.FixtureRequest, pack: Path) -> Context:
    context = Context(ALLOW_PACKS, target=request.param)
    context.load_pack(pack.read_bytes())
    return context


@pytest.mark.parametrize(
    "own, shape, kind",
    [(own, shape, kind) for own in OWN.values() for shape in own.kernels for kind in ("duplex", "start", "finish")],
    ids=lambda each: getattr(each, "suite", each),
)
def test_every_check_of_the_ladder(
    copied: Callable[[Own], Path], build: Path, cpu: set[str], own: Own, shape: str, kind: str
) -> None:
    name = f"{own.stem}_{kind}_{shape}"
    (found,) = json.loads(run("verify", name, "--templates", copied(own), "--jobs", 1, "--format", "json"))["kernels"]
    assert found["kernel"] == name and {r.partition(":")[0] for r in found["checks"].values()} <= {"pass", "skip"}
    assert {found["checks"][check] for check in ("values", "bounds", "taint", "model")} == {"pass"}
    if own.kernels[shape] in cpu:
        ran = ("answers", "lengths", "fuzz", "guards", "abi", "upper", "residue", "trace")
        assert {found["checks"][check] for check in ran} == {"pass"}


def test_the_reference_beside_its_parts(ascon: ModuleType) -> None:
    """The AEAD as the standard has it, and as the three iterations make it of frames, which `verify` compares
    kernels with."""
    rng = random.Random(4)
    for _ in range(60):
        key, nonce = rng.randbytes(16), rng.randbytes(16)
        aad, text = (rng.randbytes(rng.choice((0, 1, 15, 16, 17, 40))) for _ in range(2))
        state = ascon.started(ascon.struct.pack("<5Q", ascon.INITIAL, 0, 0, 0, 0), key + nonce)
        cut = [(w, False) for w in ascon.blocks(aad)] if aad else []
        cut += [(w, True) for w in ascon.blocks(text)]
        out = b""
        for n, (words, is_text) in enumerate(cut):
            first = is_text and not (n and cut[n - 1][1])
            marks = (2**64 - 1) * first, (2**64 - 1) * (n == len(cut) - 1)
            state, made = ascon.crossed(state, ascon.struct.pack("<6Q", *words, 0, 0, *marks) + bytes(16))
            out += made if is_text else b""
        assert (out[: len(text)], ascon.finished(state, key)[:16]) == ascon.sealed(key, nonce, aad, text)


def case_of(own: Own, example: ModuleType, rng: random.Random, key: bytes, length: int, aad_len: int) -> Case:
    iv, aad, data = rng.randbytes(16), rng.randbytes(aad_len), rng.randbytes(length)
    return Case(own.suite, key, b"", iv, aad, data, *example.sealed(key, iv, aad, data))


def test_bursts(own: Own, context: Context, example: ModuleType) -> None:
    """Bursts of all lengths under several keys give the right texts and tags: in both directions, in place and apart,
    in one piece and several. Forged messages leave zeros, and nothing beside the outputs is written."""
    suite, rng = context.suite(own.suite), random.Random(5)
    assert (suite.kind, suite.tag_max, suite.key_bytes, suite.iv_bytes) == (runtime.AEAD, 16, 16, 16)
    lengths = (0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 257)
    for n in (1, 2, 7, 40, 200):
        secrets = [rng.randbytes(16) for _ in range(3)]
        keys = [suite.key(secret) for secret in secrets]
        placed = []
        for i in range(n):
            length, aad_len = (rng.choice((*lengths, rng.randrange(900 if n < 40 else 100))) for _ in range(2))
            case = case_of(own, example, rng, secrets[i % 3], length, aad_len)
            placed.append(Placed(rng, case, keys[i % 3], scattered=0.3))
        context.burst([each.job for each in placed])
        assert not [problem for each in placed if (problem := each.problem())]
    assert any(each.forged for each in placed)


def test_every_length(own: Own, context: Context, example: ModuleType) -> None:
    """AAD of 0 to 50 bytes with texts of 0 to 50."""
    key, rng = context.suite(own.suite).key(KEY), random.Random(6)
    for aad_len in range(51):
        cases = [case_of(own, example, rng, KEY, length, aad_len) for length in range(51)]
        jobs = [
            Job(key, SEAL, iv=c.iv, aad=c.aad or None, data=c.data, out=bytearray(len(c.data)), tag=bytearray(16))
            for c in cases
        ]
        assert context.burst(jobs) == runtime.OK
        assert [(bytes(job.out), bytes(job.tag)) for job in jobs] == [(c.out, c.tag) for c in cases]


def test_answers_that_are_in_no_file_of_the_example(own: Own, context: Context) -> None:
    """An answer of Ascon's authors comes out, and the messages that the draft of AEGIS calls invalid are refused."""
    suite = context.suite(own.suite)
    if own is ASCON:
        text, aad = LAST
        out, tag = suite.key(KEY).seal(text, iv=NONCE, aad=aad)
        assert (out + tag).hex() == LAST_ANSWER
        return
    for key, nonce, aad, out, tag in REFUSED:
        job = Job(
            suite.key(bytes.fromhex(key)),
            OPEN,
            iv=bytes.fromhex(nonce),
            aad=bytes.fromhex(aad),
            data=bytes.fromhex(out),
            out=bytearray(14),
            tag=bytes.fromhex(tag),
        )
        assert context.burst([job]) == job.status == runtime.ERR_AUTH and not any(job.out)


def test_what_a_peer_may_change(own: Own, context: Context, example: ModuleType) -> None:
    """One error for each, and zeros: another tag, ciphertext, AAD, nonce, key; a text cut off or longer."""
    suite, rng = context.suite(own.suite), random.Random(7)
    c = case_of(own, example, rng, KEY, 50, 20)

    def opened(key: bytes = KEY, iv: bytes = c.iv, aad: bytes = c.aad, out: bytes = c.out, tag: bytes = c.tag) -> Job:
        job = Job(suite.key(key), OPEN, iv=iv, aad=aad, data=out, out=bytearray(b"x" * len(out)), tag=tag)
        context.burst([job])
        return job

    def flipped(data: bytes, at: int) -> bytes:
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

    right = opened()
    assert right.status == runtime.OK and right.out == c.data
    wrong = [opened(tag=flipped(c.tag, at)) for at in range(16)]
    wrong += [opened(out=flipped(c.out, at)) for at in (0, 15, 16, 49)]
    wrong += [opened(aad=flipped(c.aad, 0)), opened(aad=c.aad[:-1]), opened(aad=c.aad + b"\1")]
    wrong += [
        opened(iv=flipped(c.iv, 3)),
        opened(key=flipped(KEY, 15)),
        opened(out=c.out[:-1]),
        opened(out=c.out + b"\1"),
    ]
    assert {job.status for job in wrong} == {runtime.ERR_AUTH}
    assert not any(any(job.out) for job in wrong) and {job.out_len for job in wrong} == {0}


@pytest.mark.parametrize("length", [0, 4, 12, 15, 17])
def test_other_tags_and_nonces_are_refused(own: Own, context: Context, length: int) -> None:
    key = context.suite(own.suite).key(KEY)
    for iv, tag in ((NONCE, bytearray(length) or None), (bytes(length) or None, bytearray(16))):
        job = Job(key, SEAL, iv=iv, data=b"x", out=bytearray(1), tag=tag)
        assert context.burst([job]) == job.status == runtime.ERR_LENGTH and job.out == b"\0"


def test_calls_of_other_shapes(own: Own, context: Context, example: ModuleType) -> None:
    """A column; and parts of a text, which are for other suites."""
    key, rng = context.suite(own.suite).key(KEY), random.Random(8)
    cases = [case_of(own, example, rng, KEY, length, 0) for length in (0, 5, 16, 100, 64) * 5]
    offsets = [0]
    for c in cases:
        offsets.append(offsets[-1] + len(c.data))
    ivs = b"".join(c.iv for c in cases)
    out, tags = key.seal_column(b"".join(c.data for c in cases), array("Q", offsets), ivs=ivs)
    assert (bytes(out), bytes(tags)) == (b"".join(c.out for c in cases), b"".join(c.tag for c in cases))
    with pytest.raises(RuntimeFailure):
        key.sealing(iv=NONCE)


def test_explained(own: Own, context: Context) -> None:
    for n, size in ((1, 0), (1, 64), (64, 1024)):
        chosen = context.suite(own.suite).choice(n, size, False, OPEN)
        assert chosen.kernel.startswith(f"{own.stem}_duplex_x") and f"{size} byte" in chosen.why


def test_the_kernels_test_themselves(own: Own, context: Context) -> None:
    found = context.selftest(f"{own.stem}*")
    assert found[own.suite] == runtime.OK and len(found) == 1 + 3 * len(own.kernels)
    assert set(found.values()) <= {runtime.OK, runtime.ERR_UNSUPPORTED}
    ran = {name.partition("_x")[0] for name, result in found.items() if result == runtime.OK}
    assert ran == {own.suite, *own.texts}


@pytest.mark.parametrize("target", LEVELS)
def test_nothing_is_left(own: Own, pack: Path, target: str) -> None:
    """Neither of keys and texts nor of the states between two steps."""
    code, said = run_tool("cst-residue", "--pack", pack, "--suite", own.suite, f"{own.stem}*", target=target)
    assert code == 0, said


def test_no_call_needs_more_of_the_stack_than_promised(own: Own, pack: Path, example: ModuleType) -> None:
    fresh, rng = Context(ALLOW_PACKS), random.Random(9)
    with PaintedStack(fresh.lib) as stack:
        fresh.load_pack(pack.read_bytes())
        key = fresh.suite(own.suite).key(KEY)
        for n in (1, 3, 200):
            cases = [case_of(own, example, rng, KEY, n, 13) for _ in range(n)]
            placed = [Placed(rng, case, key, scattered=0.3) for case in cases]
            fresh.burst([each.job for each in placed])
            assert not [problem for each in placed if (problem := each.problem())]
        assert fresh.selftest(f"{own.stem}*")
        depths = stack.depths()
    assert {"cst_key_new", "cst_burst"} <= set(depths) and max(depths.values()) <= PROMISED, depths


BROKEN = {
    "duplex: no mask": ("streams/ascon_duplex.j2", "xor_where(word, out, word, mask)", "copy(word, out)"),
    "duplex: no domains": ("streams/ascon_duplex.j2", "xor('x4', 'x4', 'first')", "xor('x4', 'x4', 'x4')"),
    "duplex: a permutation behind the last block": (
        "streams/ascon_duplex.j2",
        "name, 'old' ~ name, 'last'",
        "name, 'old' ~ name, 'm0'",
    ),
    "start: a key once": ("streams/ascon_start.j2", "{{ v.xor('x4', 'x4', 'k1') }}\n", ""),
    "finish: eleven rounds": ("streams/ascon_finish.j2", "permute(12)", "permute(11)"),
    "duplex: another padding": ("algorithms.py", "domain=0x01", "domain=0x80"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_fault_is_found(folder: Path, tmp_path: Path, build: Path, fault: str) -> None:
    """By the known answers before a pack is written, whose ciphertexts are opened, too; and by `verify`."""
    check = "lengths" if BROKEN[fault][0] == "algorithms.py" else "model"
    kernel = f"ascon_{fault.partition(':')[0]}_x2@sse"
    assert_found(folder, BROKEN[fault], tmp_path / "wrong", "ascon_*_x2@sse", kernel, check)


@pytest.mark.parametrize(
    "row, change, says",
    [
        (0, {"block_bytes": 8}, "a block of a duplex is rows of 16 bytes"),
        (0, {"bytes": 32}, "bytes of a duplex holds a block, its mask"),
        (0, {"bytes": 96}, "bytes is a power of two"),
        (0, {"digest_bytes": 41}, "digest_bytes of a duplex"),
        (0, {"digest_bytes": 0}, "digest_bytes of a duplex"),
        (0, {"domain": 256}, "domain is 0 to 255"),
        (0, {"iv_bytes": 0}, "a duplex has iv_bytes"),
        (0, {"words": 17}, "the state of a duplex has at most 128 bytes"),
        (1, {"iv_bytes": 17}, "bytes of a start holds key and IV"),
    ],
)
def test_rows_that_the_library_refuses(folder: Path, build: Path, row: int, change: dict[str, Any], says: str) -> None:
    """Python says it where the row is made, and the library of a pack that nobody checked."""
    made = own_rows(folder / "algorithms.py")[row]
    with pytest.raises(RowError, match=says):
        replace(made, **change)
    wrong = replace(made.record, **{"input_bytes" if k == "bytes" else k: v for k, v in change.items()})
    assert says in Context(ALLOW_PACKS).why_refused(write_pack([wrong], []))


def test_steps_of_another_shape_make_no_suite(folder: Path, build: Path, tmp_path: Path) -> None:
    """A start whose nonce has another length than the duplex's is not its start."""
    own = Path(shutil.copytree(folder, tmp_path / "other"))
    file = own / "algorithms.py"
    file.write_text(file.read_text().replace("bytes=32, iv_bytes=16", "bytes=32, iv_bytes=12"))
    assert f"{SUITE}: not checked" in run("pack", own, "--kernels", "ascon_*_x2@sse", "-o", own / "x.pack")


def test_the_program(folder: Path, tmp_path: Path, root: Path, ascon: ModuleType) -> None:
    pack = tmp_path / "ascon.pack"
    run("pack", folder, "--kernels", "ascon_*_x[12]@s*", "-o", pack)
    files = ["algorithms.py", "seal.py", "streams/ascon_state.j2"]
    said = subprocess.run(
        [sys.executable, "seal.py", pack, KEY.hex(), NONCE.hex(), *files],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(root / "generator")},
    ).stdout
    first = int.from_bytes(NONCE, "big")
    for i, (line, name) in enumerate(zip(said.splitlines(), files, strict=True)):
        nonce = (first + i).to_bytes(16, "big")
        tag = ascon.sealed(KEY, nonce, name.encode(), (folder / name).read_bytes())[1]
        assert line == f"{tag.hex()}  {name}"
