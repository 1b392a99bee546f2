#!/usr/bin/env python3
"""A backup store in 14 folders, of which any four may be lost.

A folder's files are cut where their content says so (FastCDC), each chunk is stored once, sealed with AES-256-GCM, and
protected by 10 + 4 parity (Reed-Solomon). Every block has a keyed BLAKE3 tag, which finds damage.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hmac
import json
import os
import shutil
import stat
import struct
import sys
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from cryptostitch import ErasureCode, RuntimeFailure, chunks, suite
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

DATA, PARITY = 10, 4
DISKS = DATA + PARITY
AVERAGE = 1 << 16  # bytes of a chunk; at most eight times as many
BLOCK = 1 << 20  # bytes; a stripe has DATA blocks, and PARITY parities
PIECE = 1 << 22  # bytes that are read of a file at a time
TAG = 16  # bytes, of a sealed chunk
HEAD = 64  # bytes of a block's file before the block: its tag, stripe and disk
CODE, TASK = ErasureCode(DATA, PARITY), TaskID(0)


class BackupError(Exception):
    """A failure that the user is told of, in a sentence."""


class Keys:
    """The keys of one store, derived from the user's: a store has a random salt, so that no IV is used twice."""

    def __init__(self, master: bytes, salt: bytes):
        derive = suite("blake3-derive-key").key(mac_key=b"Cryptostitch 2026 examples/backup keys of a store")
        keys = derive.digest(master + salt, 64)
        self.chunks, self.blocks = suite("aes-256-gcm").key(keys[:32]), suite("blake3-keyed").key(mac_key=keys[32:])


class Place(NamedTuple):
    """Where a sealed chunk is, and the number that is its IV."""

    stripe: int
    at: int
    size: int
    number: int


def place_of(store: Path, number: int, name: int | str) -> Path:
    """A stripe's block, or another file, on a disk."""
    return store / f"disk{number:02}" / (name if isinstance(name, str) else f"{name:08}.block")


def framed(keys: Keys, number: int, stripe: int, block: Any) -> bytearray:
    """A block as its file has it; the tag covers where it belongs, too."""
    whole = bytearray(HEAD) + block
    struct.pack_into("<QQ", whole, 32, stripe, number)
    whole[:32] = keys.blocks.digest(memoryview(whole)[32:])
    return whole


class Writer:
    """Fills stripes with sealed chunks; threads protect and write them."""

    def __init__(self, store: Path, keys: Keys, pool: ThreadPoolExecutor):
        self.store, self.keys, self.pool = store, keys, pool
        self.stripe = self.filled = self.number = 0
        self.text, self.written = bytearray(DATA * BLOCK), deque[Future[None]]()

    def add(self, chunk: bytes | memoryview, name: bytes) -> Place:
        """Seals a chunk under its name (AAD) and stores it."""
        if self.filled + len(chunk) + TAG > len(self.text):
            self.end_stripe()
        place = Place(self.stripe, self.filled, len(chunk), self.number)
        self.number += 1
        sealed, tag = self.keys.chunks.seal(chunk, iv=place.number.to_bytes(12, "big"), aad=name)
        self.text[self.filled : self.filled + len(chunk) + TAG] = sealed + tag
        self.filled += len(chunk) + TAG
        return place

    def end_stripe(self, most: int = 3) -> None:
        """``most``: stripes that may be in the making afterwards."""
        self.written.append(self.pool.submit(self.write, self.stripe, self.text))
        while len(self.written) > most:
            self.written.popleft().result()
        self.stripe, self.filled, self.text = self.stripe + 1, 0, bytearray(DATA * BLOCK)

    def write(self, stripe: int, text: bytearray) -> None:
        data = [memoryview(text)[at : at + BLOCK] for at in range(0, DATA * BLOCK, BLOCK)]
        for number, block in enumerate([*data, *CODE.encode(data)]):
            place_of(self.store, number, stripe).write_bytes(framed(self.keys, number, stripe, block))


def cut(path: Path, hash_: str) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a file, each with its digest. The file is read once, and little of it held."""
    kept, begin = bytearray(), 0  # bytes that the chunker has been given; where they begin in the file

    def pieces() -> Iterator[bytes]:
        with open(path, "rb", buffering=0) as file:
            while piece := file.read(PIECE):
                kept.extend(piece)
                yield piece

    for chunk in chunks(pieces(), hash=hash_, average=AVERAGE):
        at = chunk.offset - begin
        yield chunk.digest, bytes(memoryview(kept)[at : at + chunk.length])
        if at > PIECE:
            del kept[:at]
            begin = chunk.offset


def bar(what: str, total: int) -> Progress:
    """The progress bar, on a terminal; its one task counts bytes."""
    columns = TextColumn(what), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    made = Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty())
    made.add_task(what, total=total)
    return made


def write_heads(store: Path, keys: Keys, head: str) -> None:
    text = json.dumps({"head": head, "tag": keys.blocks.digest(head.encode()).hex()})
    for number in range(DISKS):
        place_of(store, number, "store.json").write_text(text, encoding="utf-8")


def save(folder: Path, store: Path, master: bytes, hash_: str) -> str:
    """Makes a store. It is one only when its heads are written, which happens last."""
    if not folder.is_dir():
        raise BackupError(f"{folder} is not a folder")
    if store.exists():
        raise BackupError(f"{store} exists already")
    found = [(path, path.lstat()) for path in sorted(folder.rglob("*"))]
    total = sum(info.st_size for _, info in found if stat.S_ISREG(info.st_mode))
    salt, progress = os.urandom(32), bar("saving", total)
    keys, known, files = Keys(master, salt), dict[bytes, Place](), list[dict[str, Any]]()
    for number in range(DISKS):
        place_of(store, number, "").mkdir(parents=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool, progress:
        writer = Writer(store, keys, pool)
        for path, info in found:
            its: dict[str, Any] = {"name": path.relative_to(folder).as_posix(), "mode": info.st_mode}
            its["mtime"] = info.st_mtime_ns
            if stat.S_ISLNK(info.st_mode):
                its["link"] = os.readlink(path)
            elif stat.S_ISREG(info.st_mode):
                its["chunks"] = []
                for digest, chunk in cut(path, hash_):
                    if digest not in known:
                        known[digest] = writer.add(chunk, digest)
                    its["chunks"].append(digest.hex())
                    progress.advance(TASK, len(chunk))
            elif not stat.S_ISDIR(info.st_mode):
                continue  # a pipe, a socket, a device
            files.append(its)
        places = {digest.hex(): place for digest, place in known.items()}
        index = zlib.compress(json.dumps({"files": files, "places": places}).encode())
        pieces = [writer.add(index[at : at + BLOCK], b"index") for at in range(0, len(index), BLOCK)]
        writer.end_stripe(0)
    head = json.dumps({"salt": salt.hex(), "index": pieces, "stripes": writer.stripe})
    write_heads(store, keys, head)
    held = sum(place.size for place in known.values())
    return f"{len(files)} entries, {total} bytes; {len(known)} different chunks, {held} bytes"


class Store:
    """A store that is read: lost and damaged blocks are restored on the way."""

    def __init__(self, path: Path, master: bytes):
        self.path, self.damaged = path, set[tuple[int, int]]()
        heads = 0
        for number in range(DISKS):
            with contextlib.suppress(OSError, ValueError, KeyError):
                whole = json.loads(place_of(path, number, "store.json").read_text(encoding="utf-8"))
                heads += 1
                head = json.loads(whole["head"])
                self.keys = Keys(master, bytes.fromhex(head["salt"]))
                if hmac.compare_digest(self.keys.blocks.digest(whole["head"].encode()).hex(), whole["tag"]):
                    self.head, self.stripes = whole["head"], head["stripes"]
                    break
        else:
            why = "the key is another, or all heads are damaged" if heads else "it is no store, or was not finished"
            raise BackupError(f"{path} cannot be read: {why}")
        self.stripe = functools.lru_cache(maxsize=8)(self.read_stripe)
        pieces = [self.chunk(Place(*piece), b"index") for piece in head["index"]]
        self.index = json.loads(zlib.decompress(b"".join(pieces)))

    def block(self, number: int, stripe: int) -> memoryview | None:
        """A block; None if it is lost or damaged."""
        with contextlib.suppress(OSError, struct.error):
            whole = memoryview(place_of(self.path, number, stripe).read_bytes())
            right = struct.unpack_from("<QQ", whole, 32) == (stripe, number) and len(whole) == HEAD + BLOCK
            if right and hmac.compare_digest(self.keys.blocks.digest(whole[32:]), whole[:32]):
                return whole[HEAD:]
        self.damaged.add((number, stripe))
        return None

    def blocks(self, stripe: int) -> list[Any]:
        """All blocks of a stripe, restored where they are lost."""
        found = [self.block(number, stripe) for number in range(DISKS)]
        lost = found.count(None)
        if lost > PARITY:
            raise BackupError(f"{lost} of {DISKS} blocks of stripe {stripe} are lost; {PARITY} can be restored")
        return CODE.decode(found) if lost else found

    def read_stripe(self, stripe: int) -> bytes:
        data: list[Any] = [self.block(number, stripe) for number in range(DATA)]
        return b"".join(self.blocks(stripe)[:DATA] if None in data else data)

    def chunk(self, place: Place, name: bytes) -> bytes:
        sealed = memoryview(self.stripe(place.stripe))[place.at : place.at + place.size + TAG]
        return self.keys.chunks.open(sealed[:-TAG], sealed[-TAG:], iv=place.number.to_bytes(12, "big"), aad=name)

    def repair(self) -> str:
        """Writes lost and damaged blocks anew."""
        for stripe in range(self.stripes):
            whole = self.blocks(stripe)
            for number in [number for number, its in self.damaged if its == stripe]:
                place_of(self.path, number, "").mkdir(parents=True, exist_ok=True)
                place_of(self.path, number, stripe).write_bytes(framed(self.keys, number, stripe, whole[number]))
        write_heads(self.path, self.keys, self.head)
        return f"{len(self.damaged)} blocks restored, of {DISKS * self.stripes}"


def restore(store: Path, target: Path, master: bytes) -> str:
    """Writes the files to a folder beside the target, which gets its name when all of them are there."""
    if target.exists():
        raise BackupError(f"{target} exists already")
    source = Store(store, master)
    files, places = source.index["files"], source.index["places"]
    total = sum(Place(*places[digest]).size for its in files for digest in its.get("chunks", ()))
    partial, progress = target.with_name(target.name + ".partial"), bar("restoring", total)
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        with progress:
            for its in files:
                path = partial / its["name"]
                if "link" in its:
                    path.symlink_to(its["link"])
                elif "chunks" not in its:
                    path.mkdir()
                else:
                    with open(path, "xb") as file:
                        for digest in its["chunks"]:
                            file.write(source.chunk(Place(*places[digest]), bytes.fromhex(digest)))
                            progress.advance(TASK, Place(*places[digest]).size)
        for its in reversed(files):  # folders behind what is in them
            if not stat.S_ISLNK(its["mode"]):
                (partial / its["name"]).chmod(stat.S_IMODE(its["mode"]))
            os.utime(partial / its["name"], ns=(its["mtime"], its["mtime"]), follow_symlinks=False)
        partial.rename(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return f"{len(files)} entries, {total} bytes; {len(source.damaged)} blocks were lost or damaged"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--key", type=Path, required=True, metavar="FILE", help="the key: a file of 32 bytes")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, paths, what in (
        ("save", "folder store", "make STORE, a new folder, of the files in FOLDER"),
        ("restore", "store target", "write the files of STORE to TARGET, a new folder"),
        ("repair", "store", "restore lost and damaged blocks of STORE"),
    ):
        command = commands.add_parser(name, help=what, description=what)
        for path in paths.split():
            command.add_argument(path, metavar=path.upper(), type=Path)
    commands.choices["save"].add_argument("--hash", default="blake3", help="names chunks (default: blake3)")
    given = parser.parse_args()
    try:
        if len(master := given.key.read_bytes()) != 32:
            raise BackupError(f"{given.key} has {len(master)} bytes; a key has 32")
        if given.command == "save":
            print(save(given.folder, given.store, master, given.hash))
        elif given.command == "restore":
            print(restore(given.store, given.target, master))
        else:
            print(Store(given.store, master).repair())
    except (BackupError, OSError, RuntimeFailure, KeyboardInterrupt) as error:
        sys.exit(f"backup: {str(error) or 'interrupted'}")


if __name__ == "__main__":
    main()
