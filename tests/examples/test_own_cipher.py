"""A cipher that the project does not have (ARIA, RFC 5794): proved, stitched with GHASH, and run as a raw kernel of an
own pack."""

from __future__ import annotations

import ctypes
import ctypes.util
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
from cryptostitch import Algorithm, Context, Generator
from cryptostitch.binding.runtime import ALLOW_PACKS
from cryptostitch.cli import main
from cryptostitch.core.own import own_rows
from cryptostitch.ladder.interpreter import ModelMachine
from cryptostitch.ladder.lanes import writer_of
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.scene import Scene, random_secrets

KEY = bytes(range(16))
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
CIPHERTEXT = bytes.fromhex("d718fbd6ab644c739da95f3be6451778")
"""RFC 5794, A.1."""
KERNELS = ("aria128_ctr_x1@sse_aesni", "aria128_ctr_x1_by8@avx2_vaes", "aria128_ctr_x1_by16@avx512_vaes")
SCHEDULE = "aria128_schedule_x1@sse_aesni"
PAIRS = (
    "aria128_ctr_x1+ghash_x1@sse_aesni",
    "aria128_ctr_x1_by8+ghash_x1_by8@avx2_vaes",
    "aria128_ctr_x1_by16+ghash_x1_by16@avx512_vaes",
)
GCM_KEY, GCM_IV = bytes.fromhex("e91e5e75da65554a48181f3846349562"), bytes.fromhex("000020e8f5eb00000000315e")
GCM_AAD = bytes.fromhex("8008315ebf2e6fe020e8f5eb")
GCM_TEXT = bytes.fromhex(
    "f57af5fd4ae19562976ec57a5a7ad55a5af5c5e5c5fdf5c55ad57a4a7272d57262e9729566ed66e97ac54a4a5a7ad5e1"
    "5ae5fdd5fd5ac5d56ae56ad5c572d54ae54ac55a956afd6aed5a4ac562957a9516991691d572fd14e97ae962ed7a9f4a"
    "955af572e162f57a956666e17ae1f54a95f566d54a66e16e4afd6a9f7ae1c5c55ae5d56afde916c5e94a6ec56695e14a"
    "fde1148416e94ad57ac5146ed59d1cc5"
)
GCM_SEALED = bytes.fromhex(
    "4d8a9a0675550c704b17d8c9ddc81a5cd6f7da34f2fe1b3db7cb3dfb9697102ea0f3c1fc2dbc873d44bceeae8e444297"
    "4ba21ff6789d3272613fb9631a7cf3f14bacbeb421633a90ffbe58c2fa6bdca534f10d0de0502ce1d531b6336e588782"
    "78531e5c22bc6c85bbd784d78d9e680aa19031aaf89101d669d7a3965c1f7e16229d7463e0535f4e253f5d18187d40b8"
    "ae0f564bd970b5e7e2adfb211e89a9535abace3f37f5a736f4be984bbffbedc1"
)
"""RFC 8269, A.2.1."""
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
    "stale",
    "abi",
    "residue",
    "trace",
}


GET_TAG = 0x10  # EVP_CTRL_AEAD_GET_TAG


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
    for name in ("encipher", "gcm", "raw_state", "algorithms"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def gcm(example: ModuleType) -> ModuleType:
    import gcm

    return gcm


@pytest.fixture(scope="module")
def context(folder: Path, build: Path) -> Context:
    made = CliRunner().invoke(main, ["pack", str(folder), "-o", str(folder / "aria.pack"), "--kernels", "aria*_x1*"])
    assert made.exit_code == 0, made.output
    context = Context(ALLOW_PACKS)
    context.load_pack((folder / "aria.pack").read_bytes())
    return context


def counter_row(folder: Path) -> Algorithm:
    (row,) = (row for row in own_rows(folder / "algorithms.py") if row.kind == "counter")
    return row


def needs(context: Context, kernel: str) -> None:
    features = {"sse": ["aes", "pclmul"], "avx2": ["avx2", "vaes", "vpclmulqdq"], "avx512": ["avx512bw", "vaes"]}
    for feature in features[kernel.partition("@")[2].partition("_")[0]]:
        if feature not in context.cpu()["features"]:
            pytest.skip(f"this CPU has no {feature}")


def test_the_published_vector_in_plain_python(folder: Path) -> None:
    row = counter_row(folder)
    assert row.cipher is not None
    assert row.cipher.enciphered(row.cipher.round_keys(KEY), PLAIN) == CIPHERTEXT


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_raw_kernel(context: Context, example: ModuleType, folder: Path, kernel: str) -> None:
    """The published vector, and what plain Python says of a longer text whose counter begins again."""
    needs(context, kernel)
    raw = context.kernel(kernel)
    assert example.encipher(raw, KEY, PLAIN, bytes(16)) == CIPHERTEXT
    noise = random.Random(5)
    row = counter_row(folder)
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


def openssl_gcm(key: bytes, iv: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
    """(ciphertext, tag) by libcrypto; the command `openssl` does no AEAD."""
    crypto, n = ctypes.CDLL(ctypes.util.find_library("crypto")), ctypes.c_int()
    crypto.EVP_CIPHER_CTX_new.restype = crypto.EVP_get_cipherbyname.restype = ctypes.c_void_p
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    cipher = ctypes.c_void_p(crypto.EVP_get_cipherbyname(b"ARIA-128-GCM"))
    out, tag = ctypes.create_string_buffer(len(text) + 16), ctypes.create_string_buffer(16)
    assert cipher and crypto.EVP_EncryptInit_ex(context, cipher, None, key, iv) == 1
    if aad:
        assert crypto.EVP_EncryptUpdate(context, None, ctypes.byref(n), aad, len(aad)) == 1
    assert crypto.EVP_EncryptUpdate(context, out, ctypes.byref(n), text, len(text)) == 1
    assert crypto.EVP_EncryptFinal_ex(context, out, ctypes.byref(n)) == 1
    assert crypto.EVP_CIPHER_CTX_ctrl(context, GET_TAG, 16, tag) == 1
    crypto.EVP_CIPHER_CTX_free(context)
    return out.raw[: len(text)], tag.raw


@pytest.mark.parametrize("kernel", PAIRS)
def test_gcm_by_a_pair_kernel(context: Context, gcm: ModuleType, kernel: str) -> None:
    """The published vector, and OpenSSL's answers for texts of many strides of the kernel."""
    needs(context, kernel)
    raw = context.kernel(kernel)
    assert b"".join(gcm.sealed(raw, GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT)) == GCM_SEALED
    noise = random.Random(8)
    for length in (0, 1, 127, 128, 511, 512, 513, 4096):
        key, iv, aad = noise.randbytes(16), noise.randbytes(12), noise.randbytes(length % 37)
        text = noise.randbytes(length)
        assert gcm.sealed(raw, key, iv, aad, text) == openssl_gcm(key, iv, aad, text), length


@pytest.mark.parametrize("kernels", ["aria128_ctr_x1*@sse_aesni", "aria128_ctr_x1_by16*@avx512_vaes"])
def test_the_evidence(folder: Path, build: Path, kernels: str) -> None:
    """Alone and with GHASH, in suites too."""
    arguments = ["verify", kernels, "--templates", str(folder), "--jobs", "2", "--format", "json"]
    found = json.loads(CliRunner().invoke(main, arguments).stdout)["kernels"]
    assert {"+ghash" in kernel["kernel"] for kernel in found} == {True, False}
    for kernel in found:
        checks = {check: result.partition(":")[0] for check, result in kernel["checks"].items()}
        assert set(checks.values()) <= {"pass", "skip"}, kernel
        passed = {check for check, result in checks.items() if result == "pass"}
        assert passed >= RAN or "avx512" in kernel["kernel"], kernel
        assert {"answers", "lengths", "fuzz"} <= passed or "avx512" in kernel["kernel"], kernel


@pytest.mark.parametrize(
    "file, right, wrong, kernel, said",
    [
        (
            "aria_ctr.j2",
            "substitute('x%d' % b, r % 2)",
            "substitute('x%d' % b, (r + 1) % 2)",
            KERNELS[0],
            "output of stream 0, lane 0 is wrong",
        ),
        ("aria_schedule.j2", "turns[r // 4]", "turns[0]", SCHEDULE, "round key 4 is wrong"),
    ],
)
def test_a_wrong_round_is_found(
    folder: Path, tmp_path: Path, build: Path, file: str, right: str, wrong: str, kernel: str, said: str
) -> None:
    """The even rounds' S-boxes where the odd ones belong; all round keys turned like the first four."""
    own = Path(shutil.copytree(folder, tmp_path / "wrong"))
    text = own / "streams" / file
    changed = text.read_text().replace(right, wrong)
    assert changed != text.read_text()
    text.write_text(changed)
    arguments = ["verify", kernel, "--templates", str(own), "--check", "model", "--check", "emulated", "--jobs", "1"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1 and said in done.output


def test_the_evidence_of_the_key_schedule(folder: Path, build: Path) -> None:
    arguments = ["verify", SCHEDULE, "--templates", str(folder), "--jobs", "2", "--format", "json"]
    (found,) = json.loads(CliRunner().invoke(main, arguments).stdout)["kernels"]
    checks = {check: result.partition(":")[0] for check, result in found["checks"].items()}
    assert {check for check, result in checks.items() if result == "pass"} >= RAN
    assert {check for check, result in checks.items() if result != "pass"} <= {
        "arithmetic",
        "answers",
        "lengths",
        "fuzz",
        "upper",
    }


def test_a_key_schedule_without_a_reference_is_skipped(folder: Path) -> None:
    row = replace(next(row for row in own_rows(folder / "algorithms.py") if row.kind == "schedule"), cipher=None)
    made = Generator([row], [folder])
    scene = Scene(made.recipe(SCHEDULE), [row], ModelMachine(), 1)
    with pytest.raises(Skip, match="give its row a `cipher`"):
        scene.fill(random_secrets(1))


def test_other_modes_are_skipped(folder: Path) -> None:
    row = counter_row(folder)
    with pytest.raises(Skip, match="not as xts_enc"):
        writer_of(replace(row, kind="xts_enc"))
    assert writer_of(Generator().algorithms["aes128_ctr"]).rows(KEY)[0] == KEY
