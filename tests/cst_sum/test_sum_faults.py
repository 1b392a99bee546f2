"""cst-sum where the system refuses what it is asked for. Whatever fails, a run ends with all lines, all of them right,
and status 0; or with a message and status 1, and then the lines that are there are right. It never aborts, nor hangs.

The quick form samples the calls that fail; the long one (CRYPTOSTITCH_LONG=1) takes each in turn."""

from __future__ import annotations

import hashlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jobs.samples import LONG

SIZES = {"empty": 0, "one": 1, "short": 300, "new\nline": 77, "piece": 65536, "long": 200_000}
SLOW = 30
"""Seconds after which a run counts as hanging."""
RUNS = 120
"""Of a scene, in the quick form."""
SCENES = ("files", "several", "check", "folder", "etag", "chunks", "verity")
Outcome = tuple[int, bytes, bytes]


@dataclass
class Scene:
    """A command, its folder, and what it must write."""

    program: Path
    folder: Path
    arguments: list[str]
    wanted: bytes = b""
    also: Callable[[bytes], bool] = field(default=lambda line: False)
    """Lines that may stand there beside the wanted ones where something has failed."""

    def __post_init__(self) -> None:
        if self.wanted:
            return
        code, self.wanted, err = self.run()
        assert (code, err) == (0, b"") and self.wanted

    def run(
        self, environment: dict[str, str] | None = None, *, before: Sequence[str | Path] = (), **more: Any
    ) -> Outcome:
        """``before``: a program that runs it. ``more``: of subprocess.run."""
        done = subprocess.run(
            [*before, self.program, *self.arguments],
            cwd=self.folder,
            env=os.environ | (environment or {}),
            timeout=SLOW,
            **({"stdout": subprocess.PIPE} | more),
            stderr=subprocess.PIPE,
            check=False,
        )
        return done.returncode, done.stdout or b"", done.stderr

    def judge(self, what: str, code: int, out: bytes, err: bytes) -> None:
        place = f"{what}, {' '.join(self.arguments)}: status {code}, {err[:300]!r}"
        if code == 0:
            assert out == self.wanted, f"{place}: other lines"
            assert not err, place
            return
        assert code == 1 and err.startswith(bytes(self.program) + b": ") and err.endswith(b"\n"), place
        assert not out or out.endswith(b"\n"), f"{place}: a line is cut"
        right = iter(self.wanted.split(b"\n"))
        for line in out.split(b"\n"):
            assert self.also(line) or line in right, f"{place}: {line!r} is wrong or not in its place"


@pytest.fixture(scope="module")
def scenes(program: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    folder, rng = tmp_path_factory.mktemp("scenes"), random.Random(4)
    (folder / "tree/below/deeper").mkdir(parents=True)
    for place in ("tree", "tree/below/deeper"):
        for name, size in SIZES.items():
            (folder / place / name).write_bytes(rng.randbytes(size))
    os.mkfifo(folder / "tree/pipe")
    (folder / "tree/below/link").symlink_to("deeper")
    names = [f"tree/{name}" for name in SIZES]
    make = partial(Scene, program, folder)
    whole = make(["-a", "md5", "-j", "2", "-r", "tree"])
    (folder / "list").write_bytes(whole.wanted)
    cannot_read = re.compile(rb"\\?tree/.*: FAILED open or read")
    return {
        "files": make(["-a", "sha1", "-j", "3", *names]),
        "several": make(["-a", "crc32c,md5,sha256", "-j", "3", *names]),
        "check": make(["-a", "md5", "-j", "2", "-c", "list"], also=lambda line: bool(cannot_read.fullmatch(line))),
        "folder": whole,
        "etag": make(["-j", "2", "--s3-etag=64K", "tree/long", "tree/piece", "tree/one"]),
        "chunks": make(["-j", "2", "--chunks=70000", "-r", "tree"]),
        "verity": make(["-j", "2", "--fs-verity", "--salt=11", *names]),
    }


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    source = Path(__file__).with_suffix("").with_name("sum_faults.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-Wall", "-o", library, source], check=True)
    return library


def spread(most: int, n: int, rng: random.Random) -> Iterator[int]:
    """Up to n of 1 ... most: the last ones, which come when the work is done, and a sample of the others."""
    last = list(range(max(1, most - n // 2 + 1), most + 1))
    yield from last
    yield from rng.sample(range(1, most - len(last) + 1), min(n - len(last), most - len(last)))


def counts(scene: Scene, faults: Path, folder: Path) -> dict[str, int]:
    """The calls of each kind in a run that goes well."""
    file = folder / "counts"
    code, out, _ = scene.run({"LD_PRELOAD": str(faults), "FAULT_COUNTS": str(file)})
    assert (code, out) == (0, scene.wanted)
    return {kind: int(n) for kind, n in (line.split() for line in file.read_text().splitlines())}


@pytest.mark.parametrize("name", SCENES)
def test_every_call_fails_in_turn(scenes: dict[str, Scene], faults: Path, tmp_path: Path, name: str) -> None:
    """And in turn every call from some one on."""
    rng, runs, scene = random.Random(name), [], scenes[name]
    for kind, most in counts(scene, faults, tmp_path).items():
        if kind in ("lost", "shrink", "untyped"):
            continue
        several = most + 3  # threads do not always divide the work in the same way
        some: Iterable[int] = range(1, several + 1) if LONG or several < 40 else spread(several, 60, rng)
        runs += [f"{kind}:{n}{onwards}" for n in some for onwards in ("", "+")]
    rng.shuffle(runs)
    failed = 0
    for fault in runs if LONG else runs[:RUNS]:
        outcome = scene.run({"LD_PRELOAD": str(faults), "FAULT": fault})
        scene.judge(fault, *outcome)
        failed += outcome[0] != 0
    assert failed > 10


def test_lost_lines_are_seen(scenes: dict[str, Scene], faults: Path) -> None:
    """The check can fail: folders that end early in silence."""
    scene = scenes["folder"]
    with pytest.raises(AssertionError, match="other lines"):
        scene.judge("lost", *scene.run({"LD_PRELOAD": str(faults), "FAULT": "lost:4"}))
    with pytest.raises(AssertionError, match="is wrong or not in its place"):
        scene.judge("swapped", 1, b"".join(reversed(scene.wanted.splitlines(True))), bytes(scene.program) + b": x\n")


def test_folders_without_types(scenes: dict[str, Scene], faults: Path) -> None:
    scene = scenes["folder"]
    for fault in ("untyped:1+", "untyped:3", "untyped:7+"):
        assert scene.run({"LD_PRELOAD": str(faults), "FAULT": fault}) == (0, scene.wanted, b"")


@pytest.mark.parametrize("option", ("--s3-etag", "--chunks"))
@pytest.mark.parametrize("left", (0, 1000, 65536, 2 * 65536))
@pytest.mark.parametrize("opened", (1, 2, 4))
def test_a_file_that_shrinks(program: Path, faults: Path, tmp_path: Path, option: str, left: int, opened: int) -> None:
    """After it was cut into chunks, and before all of them are read."""
    data = random.Random(3).randbytes(3 * 65536 + 7)
    (tmp_path / "file").write_bytes(data)
    (tmp_path / "small").write_bytes(data[:2000])
    environment = os.environ | {"LD_PRELOAD": str(faults), "FAULT": f"shrink:{opened}", "SHRINK_TO": str(left)}

    def run(name: str) -> Outcome:
        done = subprocess.run(
            [program, "-a", "md5", "-j1", f"{option}=64K", name], cwd=tmp_path, env=environment, capture_output=True
        )
        return done.returncode, done.stdout, done.stderr

    code, out, err = run("file")
    assert (code, err) == (1, bytes(program) + b": file: file shrank while it was read\n")
    for line in out.splitlines():  # of chunks that were there
        digest, place, _ = line.split(b"  ")
        start, size = map(int, place.split(b"+"))
        assert option == "--chunks" and size == 65536
        assert digest.decode() == hashlib.md5(data[start : start + size]).hexdigest()
    if opened == 1 and left < 2000:  # of one chunk: the digest is of what was read
        code, out, err = run("small")
        assert (code, err) == (0, b"") and out.startswith(hashlib.md5(data[:left]).hexdigest().encode())


SYSTEM_CALLS = {
    "getdents64": "EIO", "openat": "EMFILE", "read": "EIO", "newfstatat": "EIO", "close": "EIO", "mmap": "ENOMEM",
    "munmap": "ENOMEM", "mprotect": "ENOMEM", "clone3,clone": "EAGAIN",
    "memfd_create": "EMFILE", "sched_getaffinity": "EPERM",
}  # fmt: skip
"""What libraries ask for too."""


@pytest.fixture(scope="module")
def strace() -> str:
    found = shutil.which("strace")
    if not found or subprocess.run([found, "-f", "-qq", "-e", "trace=none", "true"], check=False).returncode:
        pytest.skip("no strace here, or it may not trace")
    return found


@pytest.mark.parametrize("name", SCENES)
def test_system_calls_of_libraries(scenes: dict[str, Scene], strace: str, name: str, tmp_path: Path) -> None:
    """From the first of the program on: before it the system loads libraries. strace counts by thread: these are the
    main one's."""
    scene, failed = scenes[name], 0
    for call, error in SYSTEM_CALLS.items():
        scene.run(before=[strace, "-f", "-qq", "-o", tmp_path / "calls", "-e", f"trace={call},rt_sigaction"])
        loading, _, rest = (tmp_path / "calls").read_text().partition("rt_sigaction(SIGXFSZ")
        assert rest
        its = re.compile(rf"^{loading.split()[0]} +({call.replace(',', '|')})\(", re.M)
        first, most = (len(its.findall(text)) for text in (loading, rest))
        some = range(1, most + 1) if LONG or most <= 3 else spread(most, 3, random.Random(call))
        for when in (f"{first + n}{onwards}" for n in some for onwards in ("", "+")):
            tracer = [strace, "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:error={error}:when={when}"]
            outcome = scene.run(before=tracer)
            scene.judge(f"{call} {when}", *outcome)
            failed += outcome[0] != 0
    assert failed > 3


def started(code: int, err: bytes) -> bool:
    """False: the system could not load the program."""
    return not (code == 127 and b"error while loading shared libraries" in err)


def limited(what: int, most: int) -> Callable[[], None]:
    return partial(resource.setrlimit, what, (most, most))


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("threads", ("1", "8"))
def test_little_memory(scenes: dict[str, Scene], name: str, threads: str) -> None:
    """Of address space; from what suffices for nothing to what suffices for all."""
    scene, codes = scenes[name], set()
    scene = replace(scene, arguments=["-j", threads, *scene.arguments])
    for mebibytes in range(4, 200, 1 if LONG else 13):
        code, out, err = scene.run(preexec_fn=limited(resource.RLIMIT_AS, mebibytes << 20))
        if code == -signal.SIGSEGV and not out and not err and mebibytes < 8:
            continue  # the kernel could not even map it
        if started(code, err):
            scene.judge(f"{mebibytes} MiB", code, out, err)
            codes.add(code)
    assert 0 in codes


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("threads", ("1", "8"))
def test_few_descriptors(scenes: dict[str, Scene], name: str, threads: str) -> None:
    """One beside the standard streams and a list is enough."""
    scene = scenes[name]
    scene = replace(scene, arguments=["-j", threads, *scene.arguments])
    for most in (3, 4, 5, 6, 7, 8, 12, 20):
        outcome = scene.run(preexec_fn=limited(resource.RLIMIT_NOFILE, most))
        if started(outcome[0], outcome[2]):
            scene.judge(f"{most} descriptors", *outcome)
            assert outcome[0] == 0 or most < 4 + (name == "check"), outcome


@pytest.mark.parametrize("name", SCENES)
def test_outputs_that_take_nothing(scenes: dict[str, Scene], tmp_path: Path, name: str) -> None:
    scene = scenes[name]
    said = bytes(scene.program) + b": write error: "
    with open("/dev/full", "wb") as full:
        assert scene.run(stdout=full) == (1, b"", said + b"No space left on device\n")
    with open(tmp_path / "out", "wb") as file:
        assert scene.run(stdout=file, preexec_fn=limited(resource.RLIMIT_FSIZE, 50)) == (
            1,
            b"",
            said + b"File too large\n",
        )
    shell = ["sh", "-c", 'exec "$0" "$@" >&-']
    assert scene.run(before=shell) == (1, b"", said + b"Bad file descriptor\n")
    both = ["sh", "-c", 'exec "$0" "$@" >&- 2>&-']
    assert scene.run(before=both) == (1, b"", b"")


def test_a_closed_standard_input_is_no_other_file(scenes: dict[str, Scene], tmp_path: Path) -> None:
    """What is opened next would have its number."""
    scene = scenes["files"]
    (tmp_path / "list").write_bytes(b"0" * 40 + b"  -\n")
    scene = replace(scene, arguments=["-a", "sha1", "-c", str(tmp_path / "list")], wanted=b"-: FAILED open or read\n")
    code, out, err = scene.run(before=["sh", "-c", 'exec "$0" "$@" <&-'])
    assert (code, out) == (1, scene.wanted) and b": -: Bad file descriptor\n" in err
