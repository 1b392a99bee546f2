"""examples/backup: out comes what went in, after losses and damage; what cannot be restored leaves nothing behind."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

DISKS = 14


def run(root: Path, *arguments: str | Path, key: Path, code: int = 0) -> str:
    program = root / "examples/backup/backup.py"
    done = subprocess.run(
        [sys.executable, program, "--key", key, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def listed(folder: Path) -> dict[str, tuple[int, int, str | bytes | None]]:
    """Mode, time and content of everything below a folder."""
    found: dict[str, tuple[int, int, str | bytes | None]] = {}
    for path in folder.rglob("*"):
        info = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = stat.S_IMODE(info.st_mode), info.st_mtime_ns, content
    return found


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_bytes(os.urandom(32))
    return path


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stripes' worth, some of it twice; what a folder can have besides."""
    folder, rng = tmp_path_factory.mktemp("source"), random.Random(1)
    (folder / "below/deeper").mkdir(parents=True)
    (folder / "void").mkdir()
    large = rng.randbytes(12_000_000)
    (folder / "large").write_bytes(large)
    (folder / "below/copy with more").write_bytes(large[:5_000_000] + b"inserted" + large[5_000_000:])
    for size in (0, 1, 1000, 300_000):
        (folder / f"below/deeper/size{size}").write_bytes(rng.randbytes(size))
    (folder / "below/deeper/size1").chmod(0o400)
    (folder / "below/link").symlink_to("../large")
    (folder / "broken").symlink_to("nowhere")
    (folder / "below").chmod(0o550)
    return folder


@pytest.fixture
def store(root: Path, source: Path, key: Path, tmp_path: Path) -> Path:
    run(root, "save", source, tmp_path / "store", key=key)
    return tmp_path / "store"


def disk(store: Path, number: int) -> Path:
    return store / f"disk{number:02}"


def damage(path: Path, rng: random.Random) -> None:
    text = bytearray(path.read_bytes())
    how = rng.randrange(3)
    if how == 0:
        text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
    path.write_bytes(text if how == 0 else text[: rng.randrange(len(text))] if how == 1 else text + b"x")


def test_equal_chunks_are_stored_once(root: Path, source: Path, key: Path, tmp_path: Path) -> None:
    said = run(root, "save", source, tmp_path / "store", key=key)
    held = int(said.split()[-2])
    assert 12_000_000 < held < 13_500_000
    taken = sum(path.stat().st_size for path in (tmp_path / "store").rglob("*.block"))
    assert taken < 2 * 14 * ((1 << 20) + 64) + 1
    large = (source / "large").read_bytes()
    assert not any(large[:64] in path.read_bytes() for path in (tmp_path / "store").rglob("*.block"))


def test_losses_and_damage(root: Path, source: Path, store: Path, key: Path, tmp_path: Path) -> None:
    """Two folders lost, and in every stripe two more blocks damaged: others in each."""
    rng = random.Random(2)
    lost = rng.sample(range(DISKS), 2)
    for number in lost:
        shutil.rmtree(disk(store, number))
    rest = [number for number in range(DISKS) if number not in lost]
    for stripe in (0, 1):
        for number in rng.sample(rest, 2):
            damage(disk(store, number) / f"{stripe:08}.block", rng)
    for number in rest[:5]:
        damage(disk(store, number) / "store.json", rng)
    run(root, "restore", store, tmp_path / "out", key=key)
    assert listed(tmp_path / "out") == listed(source)


@pytest.mark.parametrize("seed", range(3))
def test_any_four_folders(root: Path, source: Path, store: Path, key: Path, tmp_path: Path, seed: int) -> None:
    for number in random.Random(seed).sample(range(DISKS), 4):
        shutil.rmtree(disk(store, number))
    run(root, "restore", store, tmp_path / "out", key=key)
    assert listed(tmp_path / "out") == listed(source)


def test_repair(root: Path, source: Path, store: Path, key: Path, tmp_path: Path) -> None:
    """Losses that together are too many, with a repair between them."""
    before = {path.relative_to(store): path.read_bytes() for path in store.rglob("*") if path.is_file()}
    for some in (range(4), range(4, 8), range(8, 12)):
        for number in some:
            shutil.rmtree(disk(store, number))
        assert "8 blocks restored, of 28" in run(root, "repair", store, key=key)
    assert {path.relative_to(store): path.read_bytes() for path in store.rglob("*") if path.is_file()} == before
    run(root, "restore", store, tmp_path / "out", key=key)
    assert listed(tmp_path / "out") == listed(source)


def test_too_many_losses(root: Path, store: Path, key: Path, tmp_path: Path) -> None:
    for number in range(4):
        shutil.rmtree(disk(store, number))
    damage(disk(store, 9) / "00000000.block", random.Random(3))
    said = run(root, "restore", store, tmp_path / "out", key=key, code=1)
    assert said == "backup: 5 of 14 blocks of stripe 0 are lost; 4 can be restored\n"
    assert not list(tmp_path.glob("out*"))


def test_a_block_in_another_place_is_damage(root: Path, source: Path, store: Path, key: Path, tmp_path: Path) -> None:
    """Blocks of right tags, which are another disk's or another stripe's."""
    blocks = [disk(store, 0) / f"{stripe:08}.block" for stripe in (0, 1)]
    texts = [block.read_bytes() for block in blocks]
    for block, text in zip(blocks, reversed(texts)):
        block.write_bytes(text)
    (disk(store, 1) / "00000000.block").write_bytes((disk(store, 2) / "00000000.block").read_bytes())
    run(root, "restore", store, tmp_path / "out", key=key)
    assert listed(tmp_path / "out") == listed(source)


def test_another_key(root: Path, store: Path, tmp_path: Path) -> None:
    for size, why in ((32, "the key is another"), (31, "a key has 32")):
        (tmp_path / "other").write_bytes(bytes(size))
        assert why in run(root, "restore", store, tmp_path / "out", key=tmp_path / "other", code=1)
        assert not list(tmp_path.glob("out*"))


INTERRUPTED = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
import backup
how, whole = sys.argv.pop(1), backup.Store.chunk
def chunk(self, place, name):
    if name != b"index" and place.at > 1_000_000:
        if how == "killed":
            os._exit(9)
        raise KeyboardInterrupt
    return whole(self, place, name)
backup.Store.chunk = chunk
backup.main()
"""


@pytest.mark.parametrize("how", ["killed", "interrupted"])
def test_an_interrupted_restore(root: Path, source: Path, store: Path, key: Path, tmp_path: Path, how: str) -> None:
    """The target's name appears with all of it; what a killed one leaves beside it does not hinder the next."""
    arguments = [root / "examples/backup", how, "--key", key, "restore", store, tmp_path / "out"]
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, *arguments], capture_output=True, text=True)
    assert done.returncode == (9 if how == "killed" else 1), done.stderr
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "out.partial").exists() == (how == "killed")
    assert how == "killed" or done.stderr == "backup: interrupted\n"
    run(root, "restore", store, tmp_path / "out", key=key)
    assert listed(tmp_path / "out") == listed(source)


def test_what_is_refused(root: Path, source: Path, store: Path, key: Path, tmp_path: Path) -> None:
    for arguments, why in (
        (("save", tmp_path / "none", tmp_path / "new"), "is not a folder"),
        (("save", source, store), "exists already"),
        (("restore", store, source), "exists already"),
        (("restore", source, tmp_path / "new"), "it is no store"),
        (("save", source, tmp_path / "new", "--hash", "md6"), "md6"),
    ):
        assert why in run(root, *arguments, key=key, code=1)


def test_a_store_that_was_not_finished(root: Path, store: Path, key: Path, tmp_path: Path) -> None:
    for path in store.rglob("store.json"):
        path.unlink()
    assert "was not finished" in run(root, "restore", store, tmp_path / "out", key=key, code=1)


def test_sha256_names_chunks_too(root: Path, source: Path, key: Path, tmp_path: Path) -> None:
    run(root, "save", source, tmp_path / "store", "--hash", "sha256", key=key)
    run(root, "restore", tmp_path / "store", tmp_path / "out", key=key)
    assert listed(tmp_path / "out") == listed(source)
