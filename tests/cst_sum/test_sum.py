"""cst-sum beside coreutils: the same output, messages and exit status; and what it has more."""

from __future__ import annotations

import functools
import hashlib
import os
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from cryptostitch.binding.program import cst_sum
from cryptostitch.ladder import oracle
from jobs.samples import LONG

HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
NAMES = (
    "plain", "with space", "new\nline", "carriage\rreturn", "back\\slash", "\\n", "tab\t", "quote'", 'double"',
    "both'\"",
    "dollar$", "colon:x", "*star", " leading", "trailing ", "(paren)", "= x", "#hash", "~tilde", "é", "\x01control",
    "a'b\nc", "-dash", "日本", "x" * 200,
)  # fmt: skip
SIZES = (0, 1, 55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 129, 1000, 65535, 65536, 65537, 131072, 300_000)
NUL_BEHIND = re.compile(rb"([0-9a-f]{32})\0", re.I)
"""A digest and no blank. coreutils from 9.2 on take the NUL for one; to ours it is no such line, as to 9.1."""
FAILING = ("missing", "folder", "broken", "loop", "/proc/self/mem")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of all kinds of names and lengths, and what cannot be read."""
    folder, rng = tmp_path_factory.mktemp("tree"), random.Random(5)
    for at, name in enumerate(NAMES):
        (folder / name).write_bytes(rng.randbytes(SIZES[at % len(SIZES)]))
    for size in SIZES:
        (folder / f"size{size}").write_bytes(rng.randbytes(size))
    (folder / b"not\xffutf8".decode("utf-8", "surrogateescape")).write_bytes(b"x")
    (folder / "folder").mkdir()
    (folder / "folder" / "inside").write_bytes(b"inside")
    (folder / "folder" / "link").symlink_to("inside")
    (folder / "broken").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "link").symlink_to("plain")
    with open(folder / "sparse", "wb") as file:
        file.truncate(3_000_001)
    return folder


Outcome = tuple[int, bytes, bytes]


def run(
    name: str, arguments: Sequence[str | Path | bytes], cwd: Path, program: Path | None = None, stdin: bytes = b""
) -> Outcome:
    """``program``: what runs under that name; None: the system's own."""
    executable = str(program) if program else shutil.which(name)
    if executable is None:
        pytest.skip(f"no {name} here")
    done = subprocess.run(
        [name, *arguments], executable=executable, cwd=cwd, input=stdin, capture_output=True, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


@functools.cache
def from_9_4() -> bool:
    """Whether the system's coreutils are of 9.4 or later."""
    said = subprocess.run(["md5sum", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"coreutils\) (\d+)\.(\d+)", said)
    return not version or (int(version[1]), int(version[2])) >= (9, 4)


def as_before(out: bytes) -> bytes:
    """Rewrites the lines that -c prints to those of coreutils before 9.4, which escape only names with a newline."""

    def plain(line: re.Match[bytes]) -> bytes:
        name = re.sub(rb"\\(.)", lambda each: {b"n": b"\n", b"r": b"\r"}.get(each[1], each[1]), line[1])
        return line[0] if b"\n" in name else name + line[2]

    return re.sub(rb"^\\(.*)(: (?:OK|FAILED|FAILED open or read))$", plain, out, flags=re.M)


def same(program: Path, name: str, arguments: Sequence[str | Path | bytes], cwd: Path, stdin: bytes = b"") -> Outcome:
    theirs = run(name, arguments, cwd, stdin=stdin)
    code, out, err = run(name, arguments, cwd, program, stdin)
    ours = code, out if from_9_4() else as_before(out), err
    assert ours == theirs, (name, arguments)
    return ours


def everything(tree: Path) -> list[bytes]:
    names = sorted(name for name in os.listdir(os.fsencode(tree)) if not name.startswith(b"-"))
    return [*names, b"missing", b"/proc/self/mem", b"no\nsuch", b"no such'"]


def test_names_are_quoted_as_by_coreutils(program: Path, tmp_path: Path) -> None:
    """Names of files that are not there, with every printable character of ASCII before, behind and beside a quote."""
    names = [form.replace("c", chr(n)) for n in range(0x20, 0x7F) for form in ("'c", "c'", "x'cx", "cx", "xc", "c")]
    lines = [f"{'0' * 32}  {name}\n" for name in names if "\\" not in name and name.strip(" ./")]
    same(program, "md5sum", ["-c"], tmp_path, "".join(lines).encode())


@pytest.mark.parametrize("hash_", HASHES)
@pytest.mark.parametrize("options", ([], ["--tag"], ["-b"], ["-t"], ["-z"], ["--tag", "-z"], ["--tag", "-b"]))
def test_writing(program: Path, tree: Path, hash_: str, options: list[str]) -> None:
    code, out, _ = same(program, f"{hash_}sum", [*options, "--", *everything(tree), b"-dash"], tree)
    assert code == 1 and len(out) > 1000


@pytest.mark.parametrize("name", FAILING)
def test_a_file_that_cannot_be_read(program: Path, tree: Path, name: str) -> None:
    assert same(program, "md5sum", [name], tree)[0] == 1
    assert same(program, "md5sum", ["plain", name, "plain"], tree)[1].count(b"plain") == 2


def unreadable(folder: Path) -> Path:
    """A file that only root may read."""
    file = folder / "secret"
    file.write_bytes(b"x")
    file.chmod(0)
    return file


def test_a_file_that_may_not_be_read(program: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:  # may read everything: be somebody else, who may not enter the checkout
        drop = [shutil.which("setpriv") or "setpriv", "--reuid=65534", "--clear-groups"]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            for file in (program, program.with_name("libcryptostitch.so.0")):
                shutil.copy(file, folder)
            secret, env = unreadable(Path(folder)), {**os.environ, "LD_LIBRARY_PATH": folder}
            ours, theirs = (
                subprocess.run([*drop, *tool, secret], capture_output=True, cwd="/", env=env)
                for tool in ((f"{folder}/{program.name}", "-a", "md5"), ("md5sum",))
            )
        assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout) == (1, b"")
        assert ours.stderr.partition(b": ")[2] == theirs.stderr.partition(b": ")[2] != b""
        return
    assert same(program, "md5sum", [unreadable(tmp_path)], tmp_path)[0] == 1


@pytest.mark.parametrize("hash_", HASHES)
def test_a_real_tree(program: Path, tmp_path: Path, hash_: str) -> None:
    """What the machine's /usr holds."""
    most = 20_000 if LONG else 1500
    files = []
    for folder, _, names in os.walk("/usr/share"):
        files += [os.path.join(folder, name) for name in names if len(name) < 100]
        if len(files) > 20 * most:
            break
    chosen = random.Random(hash_).sample(sorted(files), min(most, len(files)))
    _, out, _ = same(program, f"{hash_}sum", chosen, tmp_path)
    (tmp_path / "list").write_bytes(out)
    assert same(program, f"{hash_}sum", ["-c", "--quiet", "list"], tmp_path)[:2] == (0, b"")


@pytest.mark.parametrize(
    "hash_",
    (
        "sm3",
        "sha512_256",
        "sha3-224",
        "sha3-256",
        "sha3-384",
        "sha3-512",
        "shake128",
        "shake256",
        "blake2b-512",
        "blake2s-256",
        "blake3",
    ),
)
def test_hashes_that_coreutils_lacks(program: Path, tree: Path, hash_: str) -> None:
    if hash_ in ("sm3", "sha512_256") and hash_ not in hashlib.algorithms_available:
        pytest.skip(f"hashlib has no {hash_} here")
    for size in SIZES:
        _, out, _ = run("cst-sum", ["-a", hash_, f"size{size}"], tree, program)
        assert out.split()[0].decode() == oracle.digest(hash_, (tree / f"size{size}").read_bytes()).hex()
    _, tagged, _ = run("cst-sum", ["-a", hash_, "--tag", "plain", "link"], tree, program)
    assert run("cst-sum", ["-c"], tree, program, tagged) == (0, b"plain: OK\nlink: OK\n", b"")


def test_the_name_decides(program: Path, tree: Path, tmp_path: Path) -> None:
    for hash_ in HASHES:
        link = tmp_path / f"{hash_}sum"
        link.symlink_to(program)
        done = subprocess.run([link, "plain"], cwd=tree, capture_output=True)
        assert done.stdout == run(f"{hash_}sum", ["plain"], tree)[1]
    assert run("cst-sum", ["plain"], tree, program) == run("sha256sum", ["plain"], tree)


@pytest.mark.parametrize("threads", (1, 2, 7))
def test_threads_change_nothing(program: Path, tree: Path, threads: int) -> None:
    names = [b"--", *everything(tree) * 9]
    assert run("cst-sum", [f"-j{threads}", *names], tree, program) == run("cst-sum", names, tree, program)


def test_tags_of_all_hashes_in_one_list(program: Path, tree: Path) -> None:
    lines = b"".join(run("cst-sum", ["-a", hash_, "--tag", "plain", "sparse"], tree, program)[1] for hash_ in HASHES)
    assert run("cst-sum", ["-c"], tree, program, lines) == (0, b"plain: OK\nsparse: OK\n" * len(HASHES), b"")
    code, out, _ = run("cst-sum", ["-c", "-a", "sha1"], tree, program, lines)
    assert (code, out) == (0, b"plain: OK\nsparse: OK\n"), "-a leaves lines of other hashes out"


class TestStandardInput:
    @pytest.mark.parametrize("name", ("-", "/dev/stdin", "/proc/self/fd/0"))
    @pytest.mark.parametrize("size", (0, 100, 65536, 1_000_000))
    def test_by_its_names(self, program: Path, tree: Path, name: str, size: int) -> None:
        data = random.Random(size).randbytes(size)
        _, out, _ = same(program, "sha256sum", [name], tree, data)
        assert out == f"{hashlib.sha256(data).hexdigest()}  {name}\n".encode()
        same(program, "sha256sum", ["plain", name, "with space", name], tree, data)

    def test_no_name(self, program: Path, tree: Path) -> None:
        same(program, "sha1sum", [], tree, b"abc")
        same(program, "sha1sum", ["--tag"], tree, b"abc")

    def test_a_file(self, program: Path, tree: Path) -> None:
        for name in ("-", "/dev/stdin"):
            found = []
            for executable in (str(program), shutil.which("md5sum")):
                with open(tree / "size300000", "rb") as file:
                    done = subprocess.run(["md5sum", name], executable=executable, stdin=file, capture_output=True)
                found.append((done.returncode, done.stdout, done.stderr))
            assert found[0] == found[1]

    def test_closed(self, program: Path, tree: Path) -> None:
        for arguments in ("-", "plain", "plain - with\\ space"):
            theirs, ours = (
                subprocess.run(["sh", "-c", f"exec {tool} {arguments} <&-"], cwd=tree, capture_output=True)
                for tool in ("md5sum", f"{program} -a md5")
            )
            assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)

    def test_pipes_one_after_the_other(self, program: Path, tmp_path: Path) -> None:
        """Whoever writes the second waits until the first has been read."""
        first, second = tmp_path / "first", tmp_path / "second"
        os.mkfifo(first)
        os.mkfifo(second)

        def write() -> None:
            for path in (first, second):
                path.write_bytes(b"x" * 300_000)

        thread = threading.Thread(target=write)
        thread.start()
        code, out, _ = run("cst-sum", ["-a", "md5", first, second, first.parent / "none"], tmp_path, program)
        thread.join()
        digest = hashlib.md5(b"x" * 300_000).hexdigest()
        assert code == 1 and out == f"{digest}  {first}\n{digest}  {second}\n".encode()


@pytest.fixture(scope="module")
def lists(tree: Path) -> list[bytes]:
    """Returns the lists that coreutils write, in every form."""
    names = [name for name in everything(tree) if (tree / os.fsdecode(name)).is_file() and name[:1] != b"/"]
    forms: tuple[list[str], ...] = ([], ["-b"], ["--tag"])
    return [run("md5sum", [*form, "--", *names], tree)[1] for form in forms]


class TestChecking:
    OPTIONS = ([], ["--quiet"], ["--status"], ["-w"], ["--strict"], ["--ignore-missing"], ["--ignore-missing", "-w"])

    @pytest.mark.parametrize("options", OPTIONS)
    def test_lists(self, program: Path, tree: Path, lists: list[bytes], options: list[str]) -> None:
        for text in lists:
            assert same(program, "md5sum", ["-c", *options], tree, text)[0] == 0
            same(program, "md5sum", ["-c", *options], tree, text.replace(b"\n", b"\r\n"))
            same(program, "md5sum", ["-c", *options], tree, text.upper())
            same(program, "md5sum", ["-c", *options], tree, text.rstrip(b"\n"))

    def test_names_are_escaped(self, program: Path, tree: Path) -> None:
        """In what is said of files as in lists; otherwise a name that begins with a backslash looks like another."""
        text = b"".join(b"%032d  %s\n" % (0, name) for name in (b"\\n", b"a\\b", b"carriage\rreturn", b"plain"))
        text += b"\\%032d  new\\nline\n" % 0
        names = [line.rpartition(b": ")[0] for line in run("md5sum", ["-c"], tree, program, text)[1].splitlines()]
        assert names == [rb"\\\n", rb"\a\\b", rb"\carriage\rreturn", b"plain", rb"\new\nline"]

    @pytest.mark.parametrize("options", OPTIONS)
    def test_lines(self, program: Path, tree: Path, options: list[str]) -> None:
        good = hashlib.md5((tree / "plain").read_bytes()).hexdigest()
        bad = good[:-1] + ("0" if good[-1] != "0" else "1")
        lines = [
            f"{good}  plain", f"{good} *plain", f"{good} plain", f"{good}\tplain", f"{good}   plain", f"{good}  ",
            f"{good} ", good, f" {good}  plain", f"\t{good}  plain", f"{good.upper()}  plain", f"{bad}  plain",
            f"{bad}  missing", f"{good}  missing", f"{good}  folder", f"{good}  broken", f"{good}  -",
            f"{good}  /dev/null",
            f"MD5 (plain) = {good}", f"MD5(plain) = {good}", f"MD5(plain)={good}", f"MD5 (plain)= {good}",
            f"MD5 (plain) = {bad}", f"MD5  (plain) = {good}", f"md5 (plain) = {good}", f"MD5 ((paren)) = {good}",
            f"MD5 (plain) = {good} ", f"MD5 (plain) = {good}0", f"MD5 (plain) {good}", f"MD5 plain = {good}", "MD5 (",
            "MD5 (plain)", "MD5 ()", f"MD5 () = {good}", "MD5", f"SHA1 (plain) = {good}", "# a comment", "", " ", "x",
            f"\\{good}  new\\nline", f"{good}  new\\nline", f"\\{good}  plain\\", f"\\{good}  pl\\ain",
            f"\\{good}  plain",
            f"\\MD5 (new\\nline) = {good}", f"\\MD5 (plain\\) = {good}", f"\\\\{good}  plain", "\\", f"\\{good}",
            f"{good[:-1]}  plain", f"{good}0  plain", f"{good[:-1]}g  plain", f"{good}  plain\0behind",
            f"{good}\0  plain",
            f"{good}  plain  ", "\0", f"{good} \x0bplain", f"{good}\x0b plain",
        ]  # fmt: skip
        for line in lines:
            if from_9_4() and NUL_BEHIND.match(line.encode()):
                continue
            same(program, "md5sum", ["-c", *options], tree, line.encode())
            for other in (f"{good}  plain", f"{good} plain", f"MD5 (plain) = {good}"):
                same(program, "md5sum", ["-c", *options], tree, f"{line}\n{other}\n".encode())
                same(program, "md5sum", ["-c", *options], tree, f"{other}\n{line}\n".encode())

    @pytest.mark.parametrize("seed", range(200 if LONG else 40))
    def test_damaged_lists(self, program: Path, tree: Path, lists: list[bytes], seed: int) -> None:
        rng = random.Random(seed)
        text = bytearray(rng.choice(lists))
        for _ in range(rng.randrange(1, 30)):
            at = rng.randrange(len(text))
            if rng.random() < 0.5:
                text[at : at + rng.randrange(3)] = rng.choice((b"", b" ", b"*", b"\\", b"\n", b"(", b")", b"0", b"\t"))
            else:
                text[at] = rng.choice(b" \\\n*()=0aG\0#")
        same(program, "md5sum", ["-c", *rng.choice(self.OPTIONS)], tree, NUL_BEHIND.sub(rb"\1#", bytes(text)))

    def test_several_lists(self, program: Path, tree: Path, tmp_path: Path, lists: list[bytes]) -> None:
        for at, text in enumerate(lists):
            (tmp_path / f"list {at}").write_bytes(text)
        (tmp_path / "empty").write_bytes(b"")
        (tmp_path / "junk").write_bytes(b"junk\n")
        (tmp_path / "lost").write_bytes(b"0" * 32 + b"  missing\n")
        paths = [tmp_path / name for name in ("list 0", "none", "empty", "junk", "lost", "list 1", "lost", "list 2")]
        for options in self.OPTIONS:
            same(program, "md5sum", ["-c", *options, *paths], tree)
            same(program, "md5sum", ["-c", *options, paths[0], "-", paths[4]], tree, lists[1])
            for path in paths:
                same(program, "md5sum", ["-c", *options, path], tree)

    @pytest.mark.parametrize("hash_", HASHES)
    def test_each_hash(self, program: Path, tree: Path, hash_: str) -> None:
        for form in ([], ["--tag"]):
            text = run(f"{hash_}sum", [*form, "plain", "with space", "new\nline"], tree)[1]
            assert same(program, f"{hash_}sum", ["-c"], tree, text)[0] == 0
            for other in HASHES:
                same(program, f"{other}sum", ["-c", "-w"], tree, text)


@pytest.mark.parametrize(
    "arguments",
    (
        ["--foo"], ["-x"], ["--tag", "-c"], ["-c", "--tag"], ["--quiet"], ["--status"], ["-w"], ["--warn"],
        ["--strict"],
        ["--ignore-missing"], ["-z", "-c"], ["-b", "-c"], ["-t", "-c"], ["--tag", "-t"], ["--tag=1"],
        ["-t", "--tag", "-b"],
        ["--quiet", "--status"], ["--status", "--quiet"], ["-c", "--quiet", "--status", "none"], ["--che", "none"],
        ["-cw", "--status", "none"], ["-c", "--str", "--quiet", "none"], ["plain", "--tag"], ["--", "--tag"],
    ),
)  # fmt: skip
def test_options(program: Path, tree: Path, arguments: list[str]) -> None:
    same(program, "md5sum", arguments, tree)


def test_options_of_its_own(program: Path, tree: Path) -> None:
    code, out, err = run("cst-sum", ["-a", "sha3", "plain"], tree, program)
    assert (code, out) == (1, b"") and b"no hash 'sha3'; there are md5, sha1" in err
    for threads in ("0", "-1", "x", "", "1x", "999999999999999999999"):
        code, out, err = run("cst-sum", ["-j", threads, "plain"], tree, program)
        assert (code, out) == (1, b"") and b"invalid number of threads" in err
    help_ = run("cst-sum", ["--help"], tree, program)[1]
    assert b"--recursive" in help_
    code, out, err = run("cst-sum", ["-a", "none", "plain"], tree, program)
    named = err.splitlines()[0].partition(b"there are ")[2].split(b", ")
    assert len(named) > 10 and all(re.search(rb"\b%s\b" % re.escape(name), help_) for name in named)
    assert run("cst-sum", ["--version"], tree, program)[1].startswith(b"cst-sum (Cryptostitch)")


def refused(program: Path, arguments: Sequence[str | Path | bytes], cwd: Path, **environment: str) -> bytes:
    """The message, of one line, with which it ends at once."""
    done = subprocess.run(
        [program, *arguments], cwd=cwd, env=os.environ | environment, input=b"", capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, b""), (arguments, done)
    assert done.stderr.startswith(bytes(program) + b": ")
    return done.stderr.splitlines()[0].partition(b": ")[2]


@pytest.mark.parametrize("option", (["-a", ""], ["--algorithm="], ["--algorithm", "", "-c", "list"]))
def test_a_hash_without_a_name(program: Path, tmp_path: Path, option: list[str]) -> None:
    """It is not the usual one."""
    assert refused(program, option, tmp_path) == b"the --algorithm option wants the name of a hash, not ''"
    assert refused(program, ["-a", "md5,"], tmp_path).startswith(b"no hash ''; there are md5, ")


def test_packs_that_are_no_files(program: Path, tmp_path: Path) -> None:
    """Only regular files of a sensible length are read."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_bytes(b"no pack")
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(1 << 40)
    reader, writer = os.pipe()
    os.close(writer)
    for name, said in (
        (".", b".: Is a directory"),
        ("/dev/zero", b"/dev/zero: a pack is a regular file"),
        ("fifo", b"fifo: a pack is a regular file"),
        (f"/proc/self/fd/{reader}", b": No such file or directory"),  # closed in the program
        ("/proc/self/fd/0", b"/proc/self/fd/0: a pack is a regular file"),
        ("/proc/self/mem", b"/proc/self/mem: Input/output error"),
        ("huge", b"huge: File too large"),
        ("missing", b"missing: No such file or directory"),
        ("", b"'': No such file or directory"),
        ("empty", b"empty: "),
        ("text", b"text: "),
    ):
        message = refused(program, [f"--pack={name}", "-a", "md5"], tmp_path)
        assert said in message and len(message) > len(said) - 1, name
    os.close(reader)


def test_a_name_writes_nothing_raw_to_the_terminal(program: Path, tmp_path: Path) -> None:
    assert b"\33" not in refused(program, ["-a", "sh\33[31ma"], tmp_path)
    assert b"\33" not in refused(program, ["-a", "md5"], tmp_path, CRYPTOSTITCH_CPU="\33[31m")


@pytest.mark.parametrize("setting", ("CRYPTOSTITCH_CPU=zen9", "CRYPTOSTITCH_TARGET=avx1024"))
def test_a_setting_that_is_wrong_is_named(program: Path, tmp_path: Path, setting: str) -> None:
    """Behind the CPU that the library takes this one for, where that is set."""
    name, value = setting.split("=")
    settings = {name: value, **({} if name == "CRYPTOSTITCH_CPU" else {"CRYPTOSTITCH_CPU": ""})}
    message = refused(program, ["-a", "md5"], tmp_path, **settings)
    assert message.startswith(setting.encode() + b": ")
    what = (
        b"no CPU of that name; near it are zen" if name == "CRYPTOSTITCH_CPU" else b"no target or feature of that name"
    )
    assert what in message and b"kernel" not in message


def test_folders(program: Path, tree: Path, tmp_path: Path) -> None:
    """Regular files, sorted by name; symbolic links only where they are named."""
    shutil.copytree(tree, tmp_path / "copy", symlinks=True)
    (tmp_path / "copy" / "folder" / "deeper").mkdir()
    (tmp_path / "copy" / "folder" / "deeper" / "x").write_bytes(b"x")
    (tmp_path / "other").symlink_to("copy")
    os.mkfifo(tmp_path / "copy" / "pipe")
    found = subprocess.run(["find", "copy", "-type", "f", "-print0"], cwd=tmp_path, capture_output=True).stdout
    names = [name for name in found.split(b"\0") if name]
    wanted = sorted(run("md5sum", names, tmp_path)[1].splitlines())
    code, out, err = run("md5sum", ["-r", "copy"], tmp_path, program)
    assert (code, err) == (0, b"") and sorted(out.splitlines()) == wanted
    assert run("md5sum", ["-r", "copy"], tmp_path, program)[1] == out
    linked = run("md5sum", ["-r", "other"], tmp_path, program)[1]
    assert linked.replace(b"  other/", b"  copy/") == out
    assert run("md5sum", ["-r"], tmp_path / "copy", program)[1] == out.replace(b"  copy/", b"  ./")
    code, mixed, err = run("md5sum", ["-r", "copy/plain", "copy/folder", "none"], tmp_path, program)
    assert code == 1 and [line.split(b"  ")[1] for line in mixed.splitlines()] == [
        b"copy/plain", b"copy/folder/deeper/x", b"copy/folder/inside",
    ]  # fmt: skip
    assert err == b"md5sum: none: No such file or directory\n"


PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A small process between: what a child has before it becomes another program counts too."""


def peak(program: Path, arguments: Sequence[str | Path], cwd: Path) -> tuple[int, int]:
    """(exit status, KiB)."""
    done = subprocess.run([sys.executable, "-c", PEAK, program, *arguments], cwd=cwd, capture_output=True, check=True)
    code, most = done.stdout.split()
    return int(code), int(most)


def test_memory_is_bounded(program: Path, tmp_path: Path) -> None:
    """Whatever the number and the size of files: many in a folder, and a large one in front of them."""
    (tmp_path / "many").mkdir()
    with open(tmp_path / "many" / "0", "wb") as file:
        file.truncate(1 << 30)
    for i in range(100_000 if LONG else 15_000):
        (tmp_path / "many" / f"{i:06}x").write_bytes(b"%d" % i)
    code, most = peak(program, ["-a", "md5", "-r", "-j2", "many"], tmp_path)
    assert code == 0 and most < 64 * 1024


def test_files_that_change(program: Path, tmp_path: Path) -> None:
    """Shrinking and growing meanwhile, they have some digest; nothing breaks."""
    files = [tmp_path / f"file{i}" for i in range(8)]
    for file in files:
        file.write_bytes(bytes(2_000_000))
    stop = threading.Event()

    def change() -> None:
        rng = random.Random(1)
        while not stop.is_set():
            os.truncate(rng.choice(files), rng.randrange(3_000_000))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(20):
            code, out, err = run("cst-sum", ["-a", "sha1", *files], tmp_path, program)
            assert (code, err) == (0, b"") and len(re.findall(rb"^[0-9a-f]{40}  .*/file\d$", out, re.M)) == 8
    finally:
        stop.set()
        thread.join()


def test_a_full_disk(program: Path, tree: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            ["md5sum", "plain", "link"], executable=program, cwd=tree, stdout=full, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (1, b"md5sum: write error: No space left on device\n")


def test_interrupted(program: Path, tmp_path: Path) -> None:
    """What was written are whole lines."""
    for i in range(300):
        (tmp_path / f"f{i}").write_bytes(bytes(200_000))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with open(tmp_path / "out", "wb") as out:
        names = [f"f{i}" for i in range(300)]
        # Where whoever started the tests has the signal ignored, children inherit that.
        child = subprocess.Popen(
            [program, *names, "pipe", *names],
            cwd=tmp_path,
            stdout=out,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        with open(pipe, "wb"):  # it waits here
            child.send_signal(signal.SIGINT)
            assert child.wait(30) == -signal.SIGINT
    text = (tmp_path / "out").read_bytes()
    assert text.count(b"\n") == 300 and re.fullmatch(rb"([0-9a-f]{64}  f\d+\n)*", text)


def test_progress(program: Path, tmp_path: Path) -> None:
    """On a terminal, from the first second on; it leaves nothing behind, and is nowhere else."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [program, "-a", "md5", pipe], stderr=slave, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    os.close(slave)
    with open(pipe, "wb") as file:
        file.write(b"x" * 100_000)
        file.flush()
        time.sleep(1.6)
    out, _ = child.communicate(timeout=30)
    shown = b""
    while select.select([master], [], [], 0.2)[0]:
        try:
            some = os.read(master, 4096)
        except OSError:
            break
        if not some:
            break
        shown += some
    os.close(master)
    assert b"0 files, " in shown and b"/s" in shown and shown.endswith(b"\r\x1b[K")
    assert out == f"{hashlib.md5(b'x' * 100_000).hexdigest()}  {pipe}\n".encode()


def test_the_command_of_a_checkout(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """.venv/bin/cst-sum runs what `make` built, and says so when nothing is built."""
    (tmp_path / "file").write_bytes(b"abc")
    call = "from cryptostitch.binding.program import cst_sum; cst_sum()"
    arguments = ("-a", "md5", tmp_path / "file")
    done = [
        subprocess.run((*command, *arguments), capture_output=True, text=True)
        for command in ((program,), (sys.executable, "-c", call))
    ]
    assert done[0].returncode == done[1].returncode == 0 and done[0].stdout == done[1].stdout != ""
    monkeypatch.setattr("cryptostitch.binding.program.PROGRAMS", (tmp_path / "missing",))
    with pytest.raises(SystemExit, match="run `make`"):
        cst_sum()
