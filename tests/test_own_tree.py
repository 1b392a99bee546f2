"""TurboSHAKE128 and KT128 (RFC 9861) as an own pack: rows without a template, and the tree over them."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch import Context, hash_many
from cryptostitch.binding.runtime import ALLOW_PACKS
from cryptostitch.cli import main
from cryptostitch.core.own import own_rows

Tree = Callable[..., list[bytes]]


def ptn(n: int) -> bytes:
    """RFC 9861, 5: 00 to FA, again and again."""
    return bytes(i % 251 for i in range(n))


TURBOSHAKE128 = [
    (3, "d4976eb56bcf118520582b709f73e1d6853e001fdaf80e1b13e0d0599d5fb372"),
    (4, "da67c7039e98bf530cf7a37830c6664e14cbab7f540f58403b1b82951318ee5c"),
    (5, "b97a906fbf83ef7c812517abf3b2d0aea0c4f60318ce11cf103925127f59eecd"),
]
"""RFC 9861, 5: of ptn(17**i) bytes, D = 1F. Shorter ones are known answers of the row."""
KT128 = [
    (b"", b"", "1ac2d450fc3b4205d19da7bfca1b37513c0803577ac7167f06fe2ce1f0ef39e5"),
    (ptn(17**2), b"", "0c315ebcdedbf61426de7dcf8fb725d1e74675d7f5327a5067f367b108ecb67c"),
    (ptn(17**3), b"", "cb552e2ec77d9910701d578b457ddf772c12e322e4ee7fe417f92c758f0d59d0"),
    (ptn(17**4), b"", "8701045e22205345ff4dda05555cbb5c3af1a771c2b89baef37db43d9998b9fe"),
    (ptn(17**5), b"", "844d610933b1b9963cbdeb5ae3b6b05cc7cbd67ceedf883eb678a0a8e0371682"),
    (b"", ptn(1), "fab658db63e94a246188bf7af69a133045f46ee984c56e3c3328caaf1aa1a583"),
    (b"\xff", ptn(41), "d848c5068ced736f4462159b9867fd4c20b808acc3d5bc48e0b06ba0a3762ec4"),
    (b"\xff" * 3, ptn(41**2), "c389e5009ae57120854c2e8c64670ac01358cf4c1baf89447a724234dc7ced74"),
    (b"\xff" * 7, ptn(41**3), "75d2f86a2e644566726b4fbcfc5657b9dbcf070c7b0dca06450ab291d7443bcf"),
    (ptn(8191), b"", "1b577636f723643e990cc7d6a659837436fd6a103626600eb8301cd1dbe553d6"),
    (ptn(8192), b"", "48f256f6772f9edfb6a8b661ec92dc93b95ebd05a08a17b39ae3490870c926c3"),
    (ptn(8192), ptn(8189), "3ed12f70fb05ddb58689510ab3e4d23c6c6033849aa01e1d8c220a297fedcd0b"),
    (ptn(8192), ptn(8190), "6a7c1b6a5cd0d8c9ca943a4a216cc64604559a2ea45f78570a15253d67ba00ae"),
]
"""RFC 9861, 5: message, customization, the first 32 bytes."""


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, away from the checkout."""
    to = tmp_path_factory.mktemp("own") / "my tree"
    return Path(shutil.copytree(root / "examples/own_tree", to, ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture(scope="module")
def context(folder: Path, build: Path) -> Context:
    result = CliRunner().invoke(main, ["pack", str(folder), "-o", str(folder / "kt128.pack")])
    assert result.exit_code == 0, result.output
    assert "turboshake128: 4 known answers are right" in result.stdout
    context = Context(ALLOW_PACKS)
    context.load_pack((folder / "kt128.pack").read_bytes())
    return context


@pytest.fixture(scope="module")
def kt128(folder: Path) -> Iterator[Tree]:
    sys.path.insert(0, str(folder))
    import kt128 as module

    yield module.kt128_many
    sys.path.remove(str(folder))
    del sys.modules["kt128"]


def test_turboshake128(context: Context) -> None:
    texts = [ptn(17**i) for i, _ in TURBOSHAKE128]
    digests = hash_many("turboshake128", texts, context=context)
    assert [digest.hex() for digest in digests] == [wanted for _, wanted in TURBOSHAKE128]


def test_output_of_any_length(context: Context) -> None:
    """RFC 9861, 5: the last 32 of 10,032 bytes."""
    (output,) = hash_many("turboshake128", [b""], 10032, context=context)
    assert output[-32:].hex() == "a3b9b0385900ce761f22aed548e754da10a5242d62e8c658e3f3a923a7555607"


@pytest.mark.parametrize("message, customization, wanted", KT128, ids=lambda x: str(len(x)))
def test_kt128(context: Context, kt128: Tree, message: bytes, customization: bytes, wanted: str) -> None:
    assert kt128([message], customization, context=context)[0].hex() == wanted


def test_many_messages_by_one_call(context: Context, kt128: Tree) -> None:
    """Short and long ones mixed; a wrong order of leaves or of results would show."""
    some = [(message, wanted) for message, customization, wanted in KT128 if not customization]
    found = kt128([message for message, _ in some], context=context)
    assert [digest.hex() for digest in found] == [wanted for _, wanted in some]
    assert len(set(found)) == len(found)


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


def test_the_rows_differ_in_one_byte(folder: Path) -> None:
    rows = own_rows(folder / "algorithms.py")
    assert [row.domain for row in rows] == [0x1F, 0x07, 0x0B, 0x06] and not any(row.base for row in rows[:1])
    assert {row.base for row in rows[1:]} == {"turboshake128"}
    assert len({row.reference(b"abc") for row in rows if row.reference}) == len(rows)
