"""Digests of all files below a folder, many side by side: `files.py [HASH] FOLDER` writes the lines of sha256sum.

What `cryptostitch.hash_many` is for: files are mapped, not read, and hashed some hundred at a time, which fills the
lanes of the CPU. The same from the command line, for files of any size: `cst-sum -a sha256 -r FOLDER`.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import cryptostitch

AT_ONCE = 512
"""Files that are open at a time."""


def files(folder: Path) -> Iterator[Path]:
    """Regular files below the folder, in the order of their names; links are not followed."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (path for name in sorted(names) if (path := Path(place, name)).is_file() and not path.is_symlink())


def mapped(path: Path, until: ExitStack) -> mmap.mmap | bytes:
    """The file's bytes, where they lie."""
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return b""
        return until.enter_context(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))


def digests(name: str, paths: Iterator[Path]) -> Iterator[tuple[bytes, Path]]:
    while some := list(islice(paths, AT_ONCE)):
        with ExitStack() as until:
            found = cryptostitch.hash_many(name, [mapped(path, until) for path in some])
        yield from zip(found, some)


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: files.py [HASH] FOLDER")
    name, folder = ("sha256", *sys.argv[1:])[-2:]
    for digest, path in digests(name, files(Path(folder))):
        print(f"{digest.hex()}  {path}")


if __name__ == "__main__":
    main()
