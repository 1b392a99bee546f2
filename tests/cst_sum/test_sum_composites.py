"""Digests that cst-sum makes of others: of chunks, of S3's parts, of fs-verity's Merkle tree; beside plain Python and
`fsverity digest`."""

from __future__ import annotations

import base64
import hashlib
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from sums import run

SIZES = (0, 1, 100, 1023, 1024, 1025, 4095, 4096, 4097, 65536, 131_072, 131_073, 524_288, 528_384, 1_048_577, 5_000_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found, rng = tmp_path_factory.mktemp("sizes"), random.Random(8)
    for size in SIZES:
        (found / f"{size}").write_bytes(rng.randbytes(size))
    (found / "new\nline").write_bytes(b"new")
    return found


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)] or [b""]


@pytest.mark.parametrize("hash_", ("md5", "sha256", "sha512"))
@pytest.mark.parametrize("size", (1000, 1024, 65536, 100_000, 1 << 30))
@pytest.mark.parametrize("threads", ("1", "3"))
def test_chunks(program: Path, folder: Path, hash_: str, size: int, threads: str) -> None:
    names = [str(each) for each in SIZES]
    wanted = ""
    for name in names:
        at = 0
        for chunk in cut((folder / name).read_bytes(), size):
            wanted += f"{hashlib.new(hash_, chunk).hexdigest()}  {at}+{len(chunk)}  {name}\n"
            at += len(chunk)
    arguments = ("-a", hash_, "-j", threads, f"--chunks={size}")
    assert run(program, *arguments, *names, cwd=folder) == (0, wanted, "")
    for name in names:
        piped = run(program, *arguments, "-", cwd=folder, stdin=(folder / name).read_bytes())
        lines = [line.rsplit("  ", 1) for line in wanted.splitlines()]
        ours = "".join(f"{line}  -\n" for line, its in lines if its == name)
        assert piped == (0, ours, "")


def etag(data: bytes, part: int, hash_: str) -> str:
    def text(digest: bytes) -> str:
        return digest.hex() if hash_ == "md5" else base64.b64encode(digest).decode()

    if len(data) < part:
        return text(hashlib.new(hash_, data).digest())
    parts = [hashlib.new(hash_, each).digest() for each in cut(data, part)]
    return f"{text(hashlib.new(hash_, b''.join(parts)).digest())}-{len(parts)}"


@pytest.mark.parametrize("hash_", ("md5", "sha1", "sha256"))
@pytest.mark.parametrize(("said", "part"), (("1024", 1024), ("64K", 65536), ("1MiB", 1 << 20), ("5M", 5 << 20)))
def test_s3(program: Path, folder: Path, hash_: str, said: str, part: int) -> None:
    arguments = (*(() if hash_ == "md5" else ("-a", hash_)), f"--s3-etag={said}")
    for name in map(str, SIZES):
        data = (folder / name).read_bytes()
        assert run(program, *arguments, name, cwd=folder) == (0, f"{etag(data, part, hash_)}  {name}\n", "")
        assert run(program, *arguments, cwd=folder, stdin=data) == (0, f"{etag(data, part, hash_)}  -\n", "")


def test_s3_takes_ten_thousand_parts(program: Path, tmp_path: Path) -> None:
    """Of a file that has more, nothing is read."""
    data = random.Random(1).randbytes(10_001 << 10)
    (tmp_path / "most").write_bytes(data[:-1024])
    (tmp_path / "more").write_bytes(data[:-1023])
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(1 << 40)
    line = etag(data[:-1024], 1024, "md5")
    refused = "more than 10000 parts, which S3 does not take"
    names = ("more", "most", "huge")
    code, out, err = run(program, "--s3-etag=1K", *names, cwd=tmp_path)
    assert (code, out) == (1, f"{line}  most\n") and line.endswith("-10000")
    assert err == f"{program}: more: {refused}\n{program}: huge: {refused}\n"
    assert run(program, "--s3-etag=1K", cwd=tmp_path, stdin=data[:-1024]) == (0, f"{line}  -\n", "")
    assert run(program, "--s3-etag=1K", cwd=tmp_path, stdin=data[:-1023]) == (1, "", f"{program}: -: {refused}\n")
    assert run(program, "--chunks=1K", "more", cwd=tmp_path)[1].count("\n") == 10_001


def verity(data: bytes, hash_: str, block: int, salt: bytes) -> str:
    """Documentation/filesystems/fsverity.rst of Linux."""
    unit = {"sha256": 64, "sha512": 128}[hash_]
    padded = salt + bytes(-len(salt) % unit)
    level = [part + bytes(block - len(part)) for part in cut(data, block)] if data else []
    root = b""
    while level:
        digests = [hashlib.new(hash_, padded + part).digest() for part in level]
        root = digests[0] if len(digests) == 1 else b""
        level = [] if root else [part + bytes(block - len(part)) for part in cut(b"".join(digests), block)]
    number = {"sha256": 1, "sha512": 2}[hash_]
    descriptor = bytes([1, number, block.bit_length() - 1, len(salt), 0, 0, 0, 0]) + len(data).to_bytes(8, "little")
    descriptor += root.ljust(64, b"\0") + salt.ljust(32, b"\0") + bytes(144)
    return f"{hash_}:{hashlib.new(hash_, descriptor).hexdigest()}"


@pytest.mark.parametrize("hash_", ("sha256", "sha512"))
@pytest.mark.parametrize("block", (1024, 4096, 65536))
@pytest.mark.parametrize("salt", ("", "01", "00ff" * 16))
def test_verity(program: Path, folder: Path, hash_: str, block: int, salt: str) -> None:
    arguments = ["-a", hash_, "--fs-verity", f"--block-size={block}", *([f"--salt={salt}"] if salt else [])]
    names = [str(size) for size in SIZES]
    wanted = [f"{verity((folder / name).read_bytes(), hash_, block, bytes.fromhex(salt))} {name}\n" for name in names]
    for threads in ("1", "2"):
        assert run(program, *arguments, "-j", threads, *names, cwd=folder) == (0, "".join(wanted), "")
    data = (folder / names[-1]).read_bytes()
    assert run(program, *arguments, cwd=folder, stdin=data)[1].split()[0] == wanted[-1].split()[0]


@pytest.mark.parametrize("hash_", ("sha256", "sha512"))
def test_verity_beside_the_usual_tool(program: Path, folder: Path, hash_: str) -> None:
    tool = shutil.which("fsverity")
    if tool is None:
        pytest.skip("no fsverity here (Debian: fsverity)")
    names = [str(size) for size in SIZES]
    for more in (["--block-size=4096"], ["--block-size=1024", "--salt=0123456789abcdef"]):
        done = subprocess.run(
            [tool, "digest", f"--hash-alg={hash_}", *more, *names], cwd=folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert run(program, "-a", hash_, "--fs-verity", *more, *names, cwd=folder) == (0, done.stdout, "")


def test_a_large_sparse_file(program: Path, tmp_path: Path) -> None:
    """More levels, and more blocks at once than are held."""
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(40_000_001)
    data = (tmp_path / "sparse").read_bytes()
    code, out, _ = run(program, "--fs-verity", "--block-size=1024", "sparse", cwd=tmp_path)
    assert (code, out) == (0, f"{verity(data, 'sha256', 1024, b'')} sparse\n")
    assert run(program, "--s3-etag=8M", "sparse", cwd=tmp_path)[1] == f"{etag(data, 8 << 20, 'md5')}  sparse\n"


@pytest.mark.parametrize("mode", ("--chunks=1K", "--s3-etag=1K", "--fs-verity"))
def test_names_and_failures(program: Path, folder: Path, mode: str) -> None:
    code, out, err = run(program, mode, "new\nline", "missing", "1025", ".", cwd=folder)
    assert code == 1 and err.count("missing: No such file") == 1 and err.count(".: Is a directory") == 1
    lines = out.splitlines()
    assert lines[0].startswith("\\") and lines[0].endswith("new\\nline") and lines[-1].endswith("1025")
    code, out, _ = run(program, mode, "-z", "new\nline", cwd=folder)
    assert code == 0 and out.endswith(" new\nline\0") and out[0] != "\\"
    assert run(program, mode, "-r", ".", cwd=folder)[1].count("./1024") == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    (
        (["--chunks=0"], "invalid size"), (["--chunks=x"], "invalid size"), (["--chunks=-1"], "invalid size"),
        (["--chunks=1KB"], "invalid size"), (["--chunks=99999999999999999999"], "invalid size"),
        (["--chunks=16777216T"], "invalid size"), (["--s3-etag="], "invalid size"),
        (["--chunks=1K", "--fs-verity"], "only one of"), (["--chunks=1K", "-c"], "meaningless when verifying"),
        (["--s3-etag=1K", "--tag"], "--tag does not support"), (["--fs-verity", "-a", "md5"], "not md5"),
        (["--fs-verity", "--block-size=512"], "invalid block size"), (["--salt=00"], "only with --fs-verity"),
        (["--fs-verity", "--block-size=5000"], "invalid block size"), (["--fs-verity", "--salt=0"], "invalid salt"),
        (["--fs-verity", "--salt=" + "00" * 33], "invalid salt"), (["--fs-verity", "--salt=0g"], "invalid salt"),
        (["--fs-verity", "--block-size=128K"], "invalid block size"),
    ),
)  # fmt: skip
def test_options(program: Path, folder: Path, arguments: list[str], why: str) -> None:
    code, out, err = run(program, *arguments, "1", cwd=folder)
    assert (code, out) == (1, "") and why in err and "--help" in err
