"""TurboSHAKE and KangarooTwelve (RFC 9861) as an own pack: rows without a template, two of them trees. What the
library makes of them is compared with the RFC and with pycryptodome."""

from __future__ import annotations

import ctypes
import itertools
import json
import random
import shutil
import subprocess
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from Crypto.Hash import KangarooTwelve, TurboSHAKE128, TurboSHAKE256
from cryptostitch import Context, Tree, hash_many
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import STATE_BYTES, PartStruct
from cryptostitch.binding.runtime import ALLOW_PACKS, OPEN, SEAL, Job, RuntimeFailure
from cryptostitch.cli import main
from cryptostitch.core.catalog import Algorithm
from cryptostitch.core.own import own_rows
from cryptostitch.core.tree import length_encode
from cryptostitch.emit.artefacts import algorithm_records
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack
from handmade import run_tool
from jobs.samples import LEVELS

LEAF = 8192
EDGES = [n * LEAF + d for n in (1, 2, 3, 8, 9, 17) for d in (-169, -168, -167, -2, -1, 0, 1, 167, 168)]
WAVES = [n * LEAF + d for n in (127, 128, 129, 255, 256, 257, 300) for d in (-1, 0)]
"""Around the leaves that are hashed at once."""
LENGTHS = [*range(0, 340, 13), 167, 168, 169, 335, 336, 337, 5000, *EDGES]


def ptn(n: int) -> bytes:
    """RFC 9861, 5: 00 to FA, again and again."""
    return (bytes(range(251)) * (n // 251 + 1))[:n]


TURBOSHAKE128_RFC = [
    (3, "d4976eb56bcf118520582b709f73e1d6853e001fdaf80e1b13e0d0599d5fb372"),
    (4, "da67c7039e98bf530cf7a37830c6664e14cbab7f540f58403b1b82951318ee5c"),
    (5, "b97a906fbf83ef7c812517abf3b2d0aea0c4f60318ce11cf103925127f59eecd"),
]
"""RFC 9861, 5: of ptn(17**i) bytes, D = 1F. Shorter ones are known answers of the row."""
KT128_RFC = [
    (b"", b"", "1ac2d450fc3b4205d19da7bfca1b37513c0803577ac7167f06fe2ce1f0ef39e5"),
    (ptn(17**2), b"", "0c315ebcdedbf61426de7dcf8fb725d1e74675d7f5327a5067f367b108ecb67c"),
    (ptn(17**3), b"", "cb552e2ec77d9910701d578b457ddf772c12e322e4ee7fe417f92c758f0d59d0"),
    (ptn(17**4), b"", "8701045e22205345ff4dda05555cbb5c3af1a771c2b89baef37db43d9998b9fe"),
    (ptn(17**5), b"", "844d610933b1b9963cbdeb5ae3b6b05cc7cbd67ceedf883eb678a0a8e0371682"),
    (ptn(17**6), b"", "3c390782a8a4e89fa6367f72feaaf13255c8d95878481d3cd8ce85f58e880af8"),
    (b"", ptn(1), "fab658db63e94a246188bf7af69a133045f46ee984c56e3c3328caaf1aa1a583"),
    (b"\xff", ptn(41), "d848c5068ced736f4462159b9867fd4c20b808acc3d5bc48e0b06ba0a3762ec4"),
    (b"\xff" * 3, ptn(41**2), "c389e5009ae57120854c2e8c64670ac01358cf4c1baf89447a724234dc7ced74"),
    (ptn(8191), b"", "1b577636f723643e990cc7d6a659837436fd6a103626600eb8301cd1dbe553d6"),
    (ptn(8192), b"", "48f256f6772f9edfb6a8b661ec92dc93b95ebd05a08a17b39ae3490870c926c3"),
    (ptn(8192), ptn(8189), "3ed12f70fb05ddb58689510ab3e4d23c6c6033849aa01e1d8c220a297fedcd0b"),
    (ptn(8192), ptn(8190), "6a7c1b6a5cd0d8c9ca943a4a216cc64604559a2ea45f78570a15253d67ba00ae"),
]
"""RFC 9861, 5: message, customization, the first 32 bytes."""
KT256_RFC = [
    (
        b"",
        "b23d2e9cea9f4904e02bec06817fc10ce38ce8e93ef4c89e6537076af8646404"
        "e3e8b68107b8833a5d30490aa33482353fd4adc7148ecb782855003aaebde4a9",
    ),
    (
        ptn(8192),
        "c6ee8e2ad3200c018ac87aaa031cdac22121b412d07dc6e0dccbb53423747e9a"
        "1c18834d99df596cf0cf4b8dfafb7bf02d139d0c9035725adc1a01b7230a41fa",
    ),
]


def sponge(text: bytes, domain: int, output: int) -> bytes:
    return TurboSHAKE128.new(domain=domain, data=text).read(output)


def sponge256(text: bytes, domain: int, output: int) -> bytes:
    return TurboSHAKE256.new(domain=domain, data=text).read(output)


KANGAROO = Tree(LEAF, 32, 0x0B, 0x06, b"\0", b"\x03" + bytes(7), b"\xff\xff")
CUSTOM = [customization for _, customization, _ in KT128_RFC if customization]
TREES = {f"kt128-{len(c)}": replace(KANGAROO, behind=c + length_encode(len(c))) for c in CUSTOM} | {
    "small": Tree(200, 33, 0x31, 0x12, b"behind", b"abc", b""),
    "long-end": Tree(168, 64, 0x55, 0x07, ptn(700), b"", b"12345678"),
    "nothing": Tree(1000, 1, 0x07, 0x07),
}
"""Rows that a test adds to the example's. `long-end`: what stands behind the message is longer than a leaf."""
MORE_ROWS = """
from dataclasses import replace

ALGORITHMS += [
    replace(ALGORITHMS[2], name=name.replace("-", "_"), suite=name, tree=tree, answers=(), reference=None)
    for name, tree in {trees}.items()
]
"""


def wanted(suite: str, text: bytes, length: int = 0) -> bytes:
    if suite == "kt128":
        return KangarooTwelve.new(text).read(length or 32)
    if suite == "kt256":
        return replace(KANGAROO, digest_bytes=64).digest(text, 0x07, sponge256, length or 64)
    return TREES[suite].digest(text, 0x07, sponge, length or 32)


def loaded(pack: Path, target: str = "host") -> Context:
    """Skips where the CPU has less than the target."""
    try:
        context = Context(ALLOW_PACKS, target=target)
    except RuntimeFailure:
        pytest.skip(f"no {target} here")
    context.load_pack(pack.read_bytes())
    return context


def packed(folder: Path) -> Path:
    result = CliRunner().invoke(main, ["pack", str(folder), "-o", str(folder / "own.pack")])
    assert result.exit_code == 0, result.output
    for suite, answers in (("turboshake128", 4), ("turboshake256", 3), ("kt128", 5), ("kt256", 5)):
        assert f"{suite}: {answers} known answers are right" in result.stdout
    return folder / "own.pack"


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example with more rows, away from the checkout."""
    to = tmp_path_factory.mktemp("own") / "my tree"
    shutil.copytree(root / "examples/own_tree", to, ignore=shutil.ignore_patterns("__pycache__"))
    with (to / "algorithms.py").open("a") as file:
        file.write(MORE_ROWS.format(trees=TREES))
    return to


@pytest.fixture(scope="module")
def pack(folder: Path, build: Path) -> Path:
    return packed(folder)


@pytest.fixture(scope="module")
def context(pack: Path) -> Context:
    return loaded(pack)


@pytest.fixture(params=LEVELS)
def leveled(request: pytest.FixtureRequest, pack: Path) -> Context:
    return loaded(pack, request.param)


def pieces(text: bytes, rng: random.Random) -> list[bytes]:
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(7))
    return [text[a:b] for a, b in itertools.pairwise([0, *cuts, len(text)])]


def test_turboshake128(context: Context) -> None:
    texts = [ptn(17**i) for i, _ in TURBOSHAKE128_RFC]
    digests = hash_many("turboshake128", texts, context=context)
    assert [digest.hex() for digest in digests] == [answer for _, answer in TURBOSHAKE128_RFC]


@pytest.mark.parametrize("message, customization, answer", KT128_RFC, ids=lambda x: str(len(x)))
def test_rfc_kt128(context: Context, message: bytes, customization: bytes, answer: str) -> None:
    suite = f"kt128-{len(customization)}" if customization else "kt128"
    assert hash_many(suite, [message], context=context)[0].hex() == answer == wanted(suite, message).hex()


def test_rfc_kt256(context: Context) -> None:
    for message, answer in KT256_RFC:
        assert hash_many("kt256", [message], context=context)[0].hex() == answer == wanted("kt256", message).hex()


def test_output_of_any_length(context: Context) -> None:
    """RFC 9861, 5: the last 32 of 10,032 bytes; and outputs of a text of leaves, cut about blocks."""
    for suite, answer in (
        ("turboshake128", "a3b9b0385900ce761f22aed548e754da10a5242d62e8c658e3f3a923a7555607"),
        ("kt128", "e8dc563642f7228c84684c898405d3a834799158c079b12880277a1d28e2ff6d"),
    ):
        (output,) = hash_many(suite, [b""], 10032, context=context)
        assert output[-32:].hex() == answer
    text = ptn(3 * LEAF)
    for length in (1, 31, 167, 168, 169, 400):
        assert hash_many("kt128", [text], length, context=context) == [wanted("kt128", text, length)]


@pytest.mark.parametrize("suite", ["kt128", "kt256"])
def test_lengths(leveled: Context, suite: str) -> None:
    """Each alone, then all in one burst."""
    text = random.Random(suite).randbytes(max(WAVES))
    answers = [wanted(suite, text[:length]) for length in LENGTHS + WAVES]
    assert [hash_many(suite, [text[:length]], context=leveled)[0] for length in LENGTHS + WAVES] == answers
    assert hash_many(suite, [memoryview(text)[:length] for length in LENGTHS + WAVES], context=leveled) == answers


@pytest.mark.parametrize("suite", TREES)
def test_other_trees(context: Context, suite: str) -> None:
    """The library reads sizes and domains of a tree from its row: leaves of 168 bytes to 8 KiB, digests of 1 to 64."""
    rng, leaf = random.Random(suite), TREES[suite].leaf_bytes
    text = rng.randbytes(200 * min(leaf, 300))
    around = [n * leaf + d - len(TREES[suite].behind) for n in (1, 2, 3, 128, 129) for d in (-1, 0, 1)]
    lengths = [*range(0, 1000, 7), *(n for n in around if 0 <= n <= len(text)), len(text)]
    texts = [memoryview(text)[:length] for length in lengths]
    assert hash_many(suite, texts, context=context) == [wanted(suite, bytes(some)) for some in texts]


@pytest.mark.parametrize("number", [1, 8, 17, 130])
def test_bursts_with_each_kernel(leveled: Context, number: int) -> None:
    """Messages of random lengths, in one piece and in several, with each kernel forced, and then with none."""
    rng = random.Random(number)
    texts = [rng.randbytes(rng.choice((rng.randrange(400), rng.randrange(5 * LEAF)))) for _ in range(number)]
    texts[0] = rng.randbytes(130 * LEAF + 5)
    key = leveled.suite("kt128").key()
    ran = []
    for kernel in (*(name for name in leveled.kernels() if name.startswith("turboshake_x")), None):
        try:
            leveled.force("kt128", kernel)
        except RuntimeFailure as failure:
            assert failure.code == runtime.ERR_UNSUPPORTED
            continue
        before = leveled.kernel(kernel).calls() if kernel else 0
        jobs = [Job(key, SEAL, data=text, tag=bytearray(32)) for text in texts]
        for job in jobs[::3]:
            job.data = pieces(bytes(job.data), rng)
        assert leveled.burst(jobs) == runtime.OK
        assert [bytes(job.tag) for job in jobs] == [wanted("kt128", text) for text in texts], kernel
        assert not kernel or leveled.kernel(kernel).calls() > before
        ran.append(kernel)
    assert len(ran) > 1


def test_many_pieces(context: Context) -> None:
    """A leaf begins in the middle of a piece."""
    rng = random.Random(5)
    text = rng.randbytes(9 * LEAF)
    for size in (80, 168, 5000):
        parts = [text[at : at + size] for at in range(0, len(text), size)]
        job = Job(context.suite("kt128").key(), SEAL, data=parts, tag=bytearray(32))
        assert context.burst([job]) == runtime.OK and bytes(job.tag) == wanted("kt128", text)


def test_opened(context: Context) -> None:
    """Digests are compared, of short messages and of nodes; one that is wrong does not disturb the others."""
    key = context.suite("kt128").key()
    texts = [ptn(n) for n in (0, 100, LEAF, 3 * LEAF, 200 * LEAF)]
    for wrong in range(-1, len(texts)):
        jobs = [Job(key, OPEN, data=text, tag=bytearray(wanted("kt128", text, 200))) for text in texts]
        if wrong >= 0:
            jobs[wrong].tag[wrong * 40] ^= 1
        assert context.burst(jobs) == (runtime.OK if wrong < 0 else runtime.ERR_AUTH)
        statuses = [runtime.ERR_AUTH if i == wrong else runtime.OK for i in range(len(texts))]
        assert [job.status for job in jobs] == statuses


def test_columns(context: Context) -> None:
    rng = random.Random(3)
    offsets = array("Q", [0])
    for _ in range(300):
        offsets.append(offsets[-1] + rng.choice((0, 8, 167, 168, 169, 3000, LEAF, 2 * LEAF + 1)))
    data, tags = rng.randbytes(offsets[-1]), bytearray(32 * 300)
    answers = b"".join(wanted("kt128", data[a:b]) for a, b in itertools.pairwise(offsets))
    context.suite("kt128").key().digest_column(data, offsets, tags)
    assert bytes(tags) == answers


class InParts:
    """A message that comes in parts."""

    def __init__(self, context: Context, suite: str, text: bytes) -> None:
        self.key, self.suite, self.text = context.suite(suite).key(), suite, text
        self.state = (ctypes.c_uint64 * (STATE_BYTES // 8))()
        self.tag = (ctypes.c_char * 50)()
        self.done = 0

    def part(self, size: int, last: bool) -> PartStruct:
        self.data = self.text[self.done : self.done + size]
        self.done += len(self.data)
        part = PartStruct(key=self.key.handle, state=ctypes.addressof(self.state), in_len=len(self.data))
        setattr(part, "in", ctypes.cast(ctypes.c_char_p(self.data), ctypes.c_void_p))
        if last:
            part.last, part.tag, part.tag_len = 1, ctypes.addressof(self.tag), len(self.tag)
        return part

    def is_right(self) -> bool:
        """Whether the digest is, and the state has been wiped."""
        return bytes(self.tag) == wanted(self.suite, self.text, 50) and bytes(self.state) == bytes(STATE_BYTES)


def take_in(context: Context, parts: list[PartStruct]) -> None:
    array_of_them = (PartStruct * len(parts))(*parts)
    assert context.lib.cst_digest_parts(context.handle, array_of_them, len(parts)) == runtime.OK


def test_parts(leveled: Context) -> None:
    """Messages of several trees side by side, cut anywhere; each call takes a part of every one that has not ended."""
    rng = random.Random(9)
    left = [
        InParts(leveled, suite, rng.randbytes(rng.choice((0, 100, LEAF - 1, LEAF, rng.randrange(40 * LEAF)))))
        for suite in ("kt128", "small", "kt128", "long-end", "kt128-41") * 4
    ]
    ended = []
    while left:
        parts, rest = [], []
        for message in left:
            size = rng.choice((0, 1, 100, LEAF, 3 * LEAF, rng.randrange(200), rng.randrange(30 * LEAF)))
            last = message.done + size >= len(message.text) and rng.random() < 0.5
            parts.append(message.part(size, last))
            (ended if last else rest).append(message)
        take_in(leveled, parts)
        left = rest
    assert len(ended) == 20 and all(message.is_right() for message in ended)


@pytest.mark.parametrize("first", [0, 1, LEAF - 1, LEAF, LEAF + 1, 2 * LEAF, 3 * LEAF - 1, 200 * LEAF + 3])
def test_two_parts(context: Context, first: int) -> None:
    """The second may be empty, or the end of a leaf, or more than a wave."""
    for second in (0, 1, LEAF - 1, LEAF, 2 * LEAF, 150 * LEAF):
        message = InParts(context, "kt128", ptn(first + second))
        take_in(context, [message.part(first, False)])
        take_in(context, [message.part(second, True)])
        assert message.is_right(), second


@pytest.mark.parametrize("target", LEVELS)
def test_nothing_is_left(pack: Path, target: str) -> None:
    """Neither of a message nor of the digests of its leaves."""
    suites = ["--suite", "small", "--suite", "long-end", "--suite", "kt128"]
    code, said = run_tool("cst-residue", "--pack", pack, *suites, "turboshake_x*", target=target)
    assert code == 0, said


def test_selftest(context: Context) -> None:
    assert context.selftest("kt128*")
    assert "turboshake" in context.suite("kt128").choice(1, 1 << 20, True, SEAL).kernel


def test_tools(build: Path, pack: Path, folder: Path) -> None:
    """`cst-sum` and `cst-bench` have the pack's suites, the bench after it has seen their known answers."""
    file = folder / "file"
    file.write_bytes(ptn(17**4))
    said = subprocess.run(
        [build / "cst-sum", "--pack", pack, "-a", "kt128", file], check=True, capture_output=True, text=True
    ).stdout
    assert said.split()[0] == KT128_RFC[3][2]
    rows = ["--rows", "kt128", "--sizes", "1024,65536", "--jobs", "1", "--peers", "none", "--repetitions", "3"]
    bench = subprocess.run([build / "cst-bench", "--pack", pack, *rows], capture_output=True, text=True)
    assert bench.returncode == 0 and "kt128" in bench.stdout, bench.stderr


def test_every_check_of_the_ladder(folder: Path, build: Path) -> None:
    """All kernels in one process, which computes the reference's answers once."""
    arguments = ["verify", "turboshake_x[128]@*", "--templates", str(folder), "--jobs", "1", "--format", "json"]
    kernels = json.loads(CliRunner().invoke(main, arguments).stdout)["kernels"]
    assert {kernel["kernel"] for kernel in kernels} == {
        *("turboshake_x1@scalar", "turboshake_x2@sse", "turboshake_x8@avx512")
    }
    for kernel in kernels:
        results = {result.partition(":")[0] for result in kernel["checks"].values()}  # a skip has its reason behind it
        assert {"pass"} <= results <= {"pass", "skip"}, kernel


def test_the_rows_are_right_by_themselves(root: Path) -> None:
    """The example's references, which its pack is compared with, against pycryptodome; and rows are records."""
    rows = {row.suite: row for row in own_rows(root / "examples/own_tree/algorithms.py")}
    for suite in ("kt128", "kt256"):
        for text in (b"", ptn(200), ptn(2 * LEAF)):
            assert rows[suite].reference and rows[suite].reference(text) == wanted(suite, text)
    found = {a.suite: a for a in read_pack(write_pack(algorithm_records(rows.values()), [])).algorithms}
    assert found["kt128"].tree == rows["kt128"].tree == KANGAROO and found["turboshake128"].tree is None


def record(root: Path, **changes: object) -> bytes:
    """A pack of the example's rows without kernels, whose tree is another: unchecked, as a damaged pack's."""
    first, *_ = rows = own_rows(root / "examples/own_tree/algorithms.py")
    tree = replace(KANGAROO)
    for name, value in changes.items():
        object.__setattr__(tree, name, value)
    records = algorithm_records([first, rows[2]])
    return write_pack([records[0], replace(records[1], tree=tree)], [])


@pytest.mark.parametrize(
    "changes, right",
    [
        ({}, True),
        ({"leaf_bytes": 168, "digest_bytes": 64, "behind": bytes(1 << 16), "end": b""}, True),
        ({"leaf_bytes": 167}, False),
        ({"leaf_bytes": (1 << 20) + 1}, False),
        ({"digest_bytes": 0}, False),
        ({"digest_bytes": 65}, False),
        ({"leaf_domain": 0}, False),
        ({"node_domain": 0x86}, False),
        ({"behind": bytes((1 << 16) + 1)}, False),
        ({"marker": bytes(9)}, False),
        ({"end": bytes(9)}, False),
    ],
)
def test_what_the_library_takes_of_a_record(root: Path, context: Context, changes: dict, right: bool) -> None:
    assert (context.why_refused(record(root, **changes)) == "") == right


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"base": ""}, "a row over a sponge"),
        ({"hmac": True}, "without HMAC"),
        ({"padding": "counted"}, "a row over a sponge"),
        ({"tree": replace(KANGAROO, leaf_bytes=100)}, "shorter than a block"),
    ],
)
def test_rows_that_cannot_be(root: Path, changes: dict, why: str) -> None:
    row: Algorithm = own_rows(root / "examples/own_tree/algorithms.py")[2]
    with pytest.raises(ValueError, match=why):
        replace(row, **changes)
    with pytest.raises(ValueError, match="at most"):
        replace(KANGAROO, marker=bytes(9))


def test_a_pack_that_says_otherwise_of_a_known_tree_is_refused(root: Path, pack: Path) -> None:
    """A context that has kt128 takes no pack in which it is another hash."""
    context = loaded(pack)
    context.load_pack(record(root))
    with pytest.raises(RuntimeFailure):
        context.load_pack(record(root, marker=b"\x04" + bytes(7)))
