"""cst-sum -a with several hashes: a line with a tag for each, from one reading of a file."""

from __future__ import annotations

import os
import random
import subprocess
import zlib
from pathlib import Path

import pytest
from cryptostitch.ladder import oracle
from sums import run

TAGS = {
    "md5": "MD5",
    "sha1": "SHA1",
    "sha256": "SHA256",
    "sha512": "SHA512",
    "sha512_256": "SHA512/256",
    "sha3-256": "SHA3-256",
    "blake2b-512": "BLAKE2b",
    "crc32c": "CRC32C",
    "crc32": "CRC32",
    "crc64-nvme": "CRC64NVME",
    "adler32": "ADLER32",
}
SIZES = (0, 1, 63, 64, 65, 1000, 65535, 65536, 65537, 300_000)
LISTS = (
    "md5,sha256",
    "sha256,md5",
    "sha1,sha256",
    "crc32c,sha256",
    "md5,sha1,sha256,crc32c",
    "sha512,sha512_256,sha3-256,blake2b-512",
    "crc32,crc32c,crc64-nvme",
    "adler32,md5",
    ",".join(TAGS),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found, rng = tmp_path_factory.mktemp("several"), random.Random(39)
    for size in SIZES:
        (found / f"{size}").write_bytes(rng.randbytes(size))
    (found / "new\nline").write_bytes(b"new")
    return found


def written(name: str, data: bytes) -> str:
    """The digest as its line has it: a checksum is a number."""
    digest = oracle.digest(name, data)
    return (digest[::-1] if name.startswith("crc") else digest).hex()


def lines(names: str, folder: Path, files: list[str]) -> str:
    return "".join(
        f"{TAGS[name]} ({file}) = {written(name, (folder / file).read_bytes())}\n"
        for file in files
        for name in names.split(",")
    )


@pytest.mark.parametrize("names", LISTS)
def test_lines_and_back(program: Path, folder: Path, names: str) -> None:
    files = [str(size) for size in SIZES]
    wanted = lines(names, folder, files)
    for threads in ("1", "3"):
        assert run(program, "-a", names, "-j", threads, *files, cwd=folder) == (0, wanted, "")
    right = "".join(f"{file}: OK\n" * len(names.split(",")) for file in files)
    assert run(program, "-c", cwd=folder, stdin=wanted.encode()) == (0, right, "")
    assert run(program, "-c", "-a", names, cwd=folder, stdin=wanted.encode()) == (0, right, "")


def test_a_checksum_is_written_as_a_number(program: Path, folder: Path) -> None:
    (folder / "check").write_bytes(b"123456789")
    assert run(program, "-a", "crc32,crc32c", "check", cwd=folder)[1] == (
        "CRC32 (check) = cbf43926\nCRC32C (check) = e3069283\n"
    )
    assert run(program, "-a", "crc32", "1000", cwd=folder)[1] == (
        f"{zlib.crc32((folder / '1000').read_bytes()):08x}  1000\n"
    )


def test_what_differs_is_found(program: Path, folder: Path) -> None:
    """In any of the digests, and in a file."""
    text = lines("md5,sha1,sha256", folder, ["1000"]).splitlines()
    for at, line in enumerate(text):
        wrong = [*text]
        wrong[at] = line[:-1] + ("0" if line[-1] != "0" else "1")
        code, out, _ = run(program, "-c", cwd=folder, stdin="\n".join(wrong).encode())
        assert code == 1 and out.splitlines() == [f"1000: {'FAILED' if i == at else 'OK'}" for i in range(3)]


def test_only_the_hashes_that_were_asked_for_are_checked(program: Path, folder: Path) -> None:
    text = lines("md5,sha1,sha512,sha512_256,sha256", folder, ["1000"])
    for names in ("md5,sha256", "sha512_256,sha512", "sha512,sha512_256"):
        code, out, _ = run(program, "-c", "-a", names, cwd=folder, stdin=text.encode())
        assert (code, out) == (0, "1000: OK\n" * 2), names
    bare = "".join(f"{written(name, (folder / '64').read_bytes())}  64\n" for name in ("sha1", "md5"))
    code, out, err = run(program, "-c", "-a", "md5,sha256", cwd=folder, stdin=bare.encode())
    assert (code, out) == (0, "64: OK\n") and "1 line is improperly formatted" in err, "told by the number of digits"


def test_names_endings_and_the_standard_input(program: Path, folder: Path) -> None:
    md5, sha = (oracle.digest(name, b"new").hex() for name in ("md5", "sha256"))
    arguments = ("-a", "md5,sha256", "new\nline")
    assert run(program, *arguments, cwd=folder)[1] == f"\\MD5 (new\\nline) = {md5}\n\\SHA256 (new\\nline) = {sha}\n"
    assert run(program, *arguments, "-z", cwd=folder)[1] == f"MD5 (new\nline) = {md5}\0SHA256 (new\nline) = {sha}\0"
    assert run(program, "-a", "md5,sha256", cwd=folder, stdin=b"new")[1] == f"MD5 (-) = {md5}\nSHA256 (-) = {sha}\n"


def test_a_name_that_is_repeated_counts_once(program: Path, folder: Path) -> None:
    assert run(program, "-a", "md5,sha256,md5", "64", cwd=folder) == run(program, "-a", "md5,sha256", "64", cwd=folder)
    assert run(program, "-a", "md5,md5", "64", cwd=folder) == run(program, "-a", "md5", "64", cwd=folder)


def test_what_is_refused(program: Path, folder: Path) -> None:
    for names, unknown in (("md5,none", "none"), ("md5,", ""), (",", ""), ("md5+sha256", "md5+sha256")):
        code, out, err = run(program, "-a", names, "64", cwd=folder)
        assert (code, out) == (1, "") and f"no hash '{unknown}'; there are md5, sha1" in err
    for option in ("--chunks=1M", "--s3-etag=8M", "--fs-verity"):
        code, out, err = run(program, "-a", "sha256,sha512", option, "64", cwd=folder)
        assert (code, out) == (1, "") and "take one hash" in err


def test_a_file_is_read_once(program: Path, folder: Path) -> None:
    """A pipe can be read once only."""
    fifo = folder / "pipe"
    os.mkfifo(fifo)
    data = (folder / "300000").read_bytes()
    started = subprocess.Popen([program, "-a", "md5,sha1,sha256", "pipe"], cwd=folder, stdout=subprocess.PIPE)
    fifo.write_bytes(data)
    out, _ = started.communicate(timeout=60)
    fifo.unlink()
    wanted = [f"{TAGS[name]} (pipe) = {written(name, data)}" for name in ("md5", "sha1", "sha256")]
    assert out.decode().splitlines() == wanted
