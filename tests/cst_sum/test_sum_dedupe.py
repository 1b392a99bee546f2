"""cst-sum --dedupe: chunks where FastCDC cuts, beside its definition, and the summary."""

from __future__ import annotations

import hashlib
import random
import re
from pathlib import Path

import pytest
from fastcdc import lengths
from sums import run


def lines(data: bytes, name: str, average: int, hash_: str = "sha256") -> list[tuple[str, int]]:
    """A line for each chunk, and its length."""
    found, at = [], 0
    for length in lengths(data, average // 4, average, min(average * 8, 1 << 24), 1):
        digest = hashlib.new(hash_, data[at : at + length]).hexdigest()
        found.append((f"{digest}  {at}+{length}  {name}\n", length))
        at += length
    return found


@pytest.mark.parametrize(
    ("option", "average"),
    (
        ("--dedupe", 8192),
        ("--dedupe=256", 256),
        ("--dedupe=1000", 1000),
        ("--dedupe=64K", 65536),
        ("--dedupe=4M", 4 << 20),
    ),
)
@pytest.mark.parametrize("threads", ("1", "3"))
def test_chunks_and_summary(program: Path, tmp_path: Path, option: str, average: int, threads: str) -> None:
    rng, texts = random.Random(average), {}
    for n in (0, 1, 700, 100_000, 1_300_001):
        texts[f"{n}"] = rng.randbytes(n)
    texts["again"] = texts["100000"]
    texts["moved"] = b"in front" + texts["1300001"]
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    wanted = [line for name, data in texts.items() for line in lines(data, name, average)]
    code, out, said = run(program, "-j", threads, option, *texts, cwd=tmp_path)
    assert (code, out) == (0, "".join(line for line, _ in wanted))
    different = {line.split()[0]: length for line, length in wanted}
    total, stored = sum(map(len, texts.values())), sum(different.values())
    assert re.search(
        rf": {len(wanted)} chunks, {len(different)} different; stored once they take {stored} of {total} bytes, "
        rf"which saves {100 * (total - stored) / total:.1f} %\n$",
        said,
    )
    piped = run(program, option, "-a", "md5", cwd=tmp_path, stdin=texts["1300001"])
    assert piped[:2] == (0, "".join(line for line, _ in lines(texts["1300001"], "-", average, "md5")))


def test_what_cannot_be_read(program: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    code, out, said = run(program, "--dedupe", "missing", "file", cwd=tmp_path)
    assert code == 1 and out == f"{hashlib.sha256(b'text').hexdigest()}  0+4  file\n"
    assert "missing: No such file or directory" in said and "1 chunk, 1 different" in said


@pytest.mark.parametrize(
    "arguments", (["--dedupe=255"], ["--dedupe=8M"], ["--dedupe=300"], ["--dedupe=x"], ["--dedupe", "-c"],
                  ["--dedupe", "--chunks=1M"], ["--dedupe", "--tag"], ["--dedupe", "-a", "md5,sha1"])
)  # fmt: skip
def test_what_is_refused(program: Path, tmp_path: Path, arguments: list[str]) -> None:
    code, out, said = run(program, *arguments, "file", cwd=tmp_path)
    assert code == 1 and not out and "Try '" in said
