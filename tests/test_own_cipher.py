"""A cipher that the project does not have (ARIA, RFC 5794): proved, stitched with GHASH, and run as a raw kernel of an
own pack."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from cryptostitch import Context, Generator
from cryptostitch.binding.runtime import ALLOW_PACKS
from cryptostitch.cli import main
from cryptostitch.core.own import own_rows
from cryptostitch.ladder.lanes import writer_of
from cryptostitch.ladder.result import Skip

KEY = bytes(range(16))
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
CIPHERTEXT = bytes.fromhex("d718fbd6ab644c739da95f3be6451778")
"""RFC 5794, A.1."""
KERNELS = ("aria128_ctr_x1@sse_aesni", "aria128_ctr_x1_by8@avx2_vaes", "aria128_ctr_x1_by16@avx512_vaes")
RAN = {
    "values",
    "bounds",
    "taint",
    "weave",
    "decoder",
    "bytes",
    "model",
    "emulated",
    "guards",
    "abi",
    "residue",
    "trace",
}


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, away from the checkout."""
    to = tmp_path_factory.mktemp("own") / "my cipher"
    return Path(shutil.copytree(root / "examples/own_cipher", to, ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture(scope="module")
def example(folder: Path) -> Iterator[ModuleType]:
    sys.path.insert(0, str(folder))
    import encipher

    yield encipher
    sys.path.remove(str(folder))
    del sys.modules["encipher"], sys.modules["algorithms"]


@pytest.fixture(scope="module")
def context(folder: Path, build: Path) -> Context:
    made = CliRunner().invoke(main, ["pack", str(folder), "-o", str(folder / "aria.pack"), "--kernels", "aria*_x1*"])
    assert made.exit_code == 0, made.output
    context = Context(ALLOW_PACKS)
    context.load_pack((folder / "aria.pack").read_bytes())
    return context


def needs(context: Context, kernel: str) -> None:
    features = {"sse": ["aes"], "avx2": ["avx2", "vaes"], "avx512": ["avx512bw", "vaes"]}
    for feature in features[kernel.partition("@")[2].partition("_")[0]]:
        if feature not in context.cpu()["features"]:
            pytest.skip(f"this CPU has no {feature}")


def test_the_published_vector_in_plain_python(folder: Path) -> None:
    (row,) = own_rows(folder / "algorithms.py")
    assert row.cipher is not None
    assert row.cipher.enciphered(row.cipher.round_keys(KEY), PLAIN) == CIPHERTEXT


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_raw_kernel(context: Context, example: ModuleType, folder: Path, kernel: str) -> None:
    """The published vector, and what plain Python says of a longer text whose counter begins again."""
    needs(context, kernel)
    raw = context.kernel(kernel)
    assert example.encipher(raw, KEY, PLAIN, bytes(16)) == CIPHERTEXT
    noise = random.Random(5)
    (row,) = own_rows(folder / "algorithms.py")
    for length in (1, 15, 16, 255, 256, 257, 1000):
        key, counter, text = noise.randbytes(16), noise.randbytes(12) + b"\xff\xff\xff\xfe", noise.randbytes(length)
        assert example.encipher(raw, key, counter, text) == writer_of(row).run(key, counter, text)


def test_the_same_as_openssl(context: Context, example: ModuleType, folder: Path) -> None:
    needs(context, KERNELS[0])
    text = (folder / "README.md").read_bytes()
    command = ["openssl", "enc", "-aria-128-ctr", "-K", KEY.hex(), "-iv", PLAIN.hex()]
    done = subprocess.run(command, input=text, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert example.encipher(context.kernel(KERNELS[0]), KEY, PLAIN, text) == done.stdout


@pytest.mark.parametrize("kernels", ["aria128_ctr_x1*@sse_aesni", "aria128_ctr_x1_by16*@avx512_vaes"])
def test_the_evidence(folder: Path, build: Path, kernels: str) -> None:
    """Alone and with GHASH: all but what goes through suites."""
    arguments = ["verify", kernels, "--templates", str(folder), "--jobs", "2", "--format", "json"]
    found = json.loads(CliRunner().invoke(main, arguments).stdout)["kernels"]
    assert {"+ghash" in kernel["kernel"] for kernel in found} == {True, False}
    for kernel in found:
        checks = {check: result.partition(":")[0] for check, result in kernel["checks"].items()}
        assert set(checks.values()) <= {"pass", "skip"}, kernel
        passed = {check for check, result in checks.items() if result == "pass"}
        assert passed >= RAN or "avx512" in kernel["kernel"], kernel
        assert all("its kernels are raw" in kernel["checks"][check] for check in ("answers", "lengths", "fuzz"))


def test_a_wrong_round_is_found(folder: Path, tmp_path: Path, build: Path) -> None:
    """The even rounds' S-boxes where the odd ones belong."""
    own = Path(shutil.copytree(folder, tmp_path / "wrong"))
    text = own / "streams/aria_ctr.j2"
    changed = text.read_text().replace("substitute('x%d' % b, r % 2)", "substitute('x%d' % b, (r + 1) % 2)")
    assert changed != text.read_text()
    text.write_text(changed)
    arguments = [
        "verify",
        KERNELS[0],
        "--templates",
        str(own),
        "--check",
        "model",
        "--check",
        "emulated",
        "--jobs",
        "1",
    ]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1 and "output of stream 0, lane 0 is wrong" in done.output


def test_other_modes_are_skipped(folder: Path) -> None:
    (row,) = own_rows(folder / "algorithms.py")
    with pytest.raises(Skip, match="not as xts_enc"):
        writer_of(replace(row, kind="xts_enc"))
    assert writer_of(Generator().algorithms["aes128_ctr"]).rows(KEY)[0] == KEY


def test_the_library_makes_no_suite_of_it(context: Context) -> None:
    """What templates/README.md says is missing."""
    assert not [name for name in context.suites() if "aria" in name]
