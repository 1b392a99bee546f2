"""cst-sum -a blake3 beside BLAKE3's own implementation: modes, lengths, files in parts on threads."""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from blake3 import blake3

MIB = 1 << 20
SIZES = (0, 1, 1024, 65536, 65537, 100_000, MIB - 1, MIB, MIB + 1, 2 * MIB, 5 * MIB + 77)
KEY = bytes(range(32))
CONTEXT = "cst-sum 2026 \u2713"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, rng = tmp_path_factory.mktemp("blake3"), random.Random(9)
    for size in SIZES:
        (made / f"size{size}").write_bytes(rng.randbytes(size))
    return made


def run(program: Path, folder: Path, *arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    done = subprocess.run([program, *arguments], cwd=folder, input=stdin, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def lines(folder: Path, digest: Callable[[bytes], bytes]) -> str:
    names = [f"size{size}" for size in SIZES]
    return "".join(f"{digest((folder / name).read_bytes()).hex()}  {name}\n" for name in names)


MODES: dict[str, tuple[list[str], bytes, Callable[[bytes, int], bytes]]] = {
    "hash": ([], b"", lambda text, n: blake3(text).digest(n)),
    "keyed": (["--keyed"], KEY, lambda text, n: blake3(text, key=KEY).digest(n)),
    "derive": ([f"--derive-key={CONTEXT}"], b"", lambda text, n: blake3(text, derive_key_context=CONTEXT).digest(n)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [0, 1, 32, 64, 65, 1000])
@pytest.mark.parametrize("threads", [1, 4])
def test_modes(program: Path, folder: Path, mode: str, length: int, threads: int) -> None:
    options, key, digest = MODES[mode]
    options = ["-a", "blake3", f"-j{threads}", *options, *([f"--length={length}"] if length else [])]
    code, out, err = run(program, folder, *options, *(f"size{size}" for size in SIZES), stdin=key)
    assert (code, out, err) == (0, lines(folder, lambda text: digest(text, length or 32)), "")


def test_lists_are_checked(program: Path, folder: Path) -> None:
    for mode, (options, key, _) in MODES.items():
        names = [f"size{size}" for size in SIZES]
        for tag in ([], ["--tag"]):
            options_and_hash = ["-a", "blake3", *options]
            (folder / "list").write_text(run(program, folder, *options_and_hash, *tag, *names, stdin=key)[1])
            code, out, _ = run(program, folder, "-c", *options_and_hash, "list", stdin=key)
            assert (code, out) == (0, "".join(f"{name}: OK\n" for name in names)), mode
    (folder / "list").write_text(lines(folder, lambda text: blake3(text).digest()).replace("0", "1", 1))
    code, out, err = run(program, folder, "-a", "blake3", "-c", "list")
    assert code == 1 and out.count("FAILED") == 1 and "1 computed checksum did NOT match" in err


def test_beside_others(program: Path, folder: Path) -> None:
    """In a list of hashes files are digested whole."""
    code, out, _ = run(program, folder, "-a", "sha256,blake3", f"size{SIZES[-1]}")
    wanted = blake3((folder / f"size{SIZES[-1]}").read_bytes()).hexdigest()
    assert code == 0 and f"BLAKE3 (size{SIZES[-1]}) = {wanted}" in out


def test_standard_input(program: Path, folder: Path) -> None:
    text = (folder / f"size{SIZES[-1]}").read_bytes()
    assert run(program, folder, "-a", "blake3", stdin=text)[1] == f"{blake3(text).hexdigest()}  -\n"


def test_shake_of_any_length(program: Path, folder: Path) -> None:
    text = (folder / "size1024").read_bytes()
    _, out, _ = run(program, folder, "-a", "shake128", "--length=300", "size1024")
    assert out.split()[0] == hashlib.shake_128(text).hexdigest(300)


def test_its_name(program: Path, folder: Path) -> None:
    (folder / "b3sum").symlink_to(program)
    done = subprocess.run([folder / "b3sum", "size1"], cwd=folder, capture_output=True, text=True)
    assert done.stdout == f"{blake3((folder / 'size1').read_bytes()).hexdigest()}  size1\n"


def test_a_missing_file_and_a_folder(program: Path, folder: Path) -> None:
    (folder / "inner").mkdir()
    code, out, err = run(program, folder, "-a", "blake3", "missing", f"size{5 * MIB + 77}", "inner")
    assert code == 1 and out.count("\n") == 1 and err.count("\n") == 2


@pytest.mark.parametrize(
    "arguments,key,wrong",
    [
        (["-a", "blake3", "--keyed", "size1"], KEY[:31], "not a key of 32 bytes"),
        (["-a", "blake3", "--keyed", "size1"], KEY + b"\n", "not a key of 32 bytes"),
        (["-a", "blake3", "--keyed"], KEY, "not a file"),
        (["-a", "blake3", "--keyed", "--derive-key=x", "size1"], KEY, "only one of"),
        (["-a", "sha256", "--keyed", "size1"], KEY, "modes of blake3"),
        (["-a", "sha256", "--length=5", "size1"], b"", "is for one of"),
        (["-a", "blake3", "--length=0", "size1"], b"", "invalid size"),
        (["-a", "blake3", "--length=2M", "size1"], b"", "invalid length"),
        (["-a", "blake3", "--length=64", "--chunks=1K", "size1"], b"", "does not support"),
    ],
)
def test_what_is_refused(program: Path, folder: Path, arguments: list[str], key: bytes, wrong: str) -> None:
    code, out, err = run(program, folder, *arguments, stdin=key)
    assert code == 1 and not out and wrong in err
