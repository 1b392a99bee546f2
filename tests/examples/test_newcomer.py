"""The newcomer's way: from an empty folder, by the pages' own files and commands, to a proved and timed pair and to a
hash in the library; and no file outside of that folder is touched.

Each page is drawn by one commit in SHARE, and all run in the long form; what the examples do is asserted each time by
test_own_hash, test_new_pair, test_own_tree, test_own_cipher, test_own_mac, test_own_aead and
test_examples."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import pytest
from commit_draw import is_drawn
from cryptostitch import Context
from cryptostitch.core.own import own_rows

LONG = bool(os.environ.get("CRYPTOSTITCH_LONG"))
SHARE = 5
LIMIT = 300  # seconds that the machine may take for a command: the five minutes for all, on a loaded machine
BLOCK = re.compile(r"(?:^`([\w./-]+)`:\n)?^```(\w*)\n(.*?)^```$", re.M | re.S)  # file, language, text
OWN_ANSWERS = {"own_mac": "siphash-2-4: 5", "own_aead": "ascon-aead128: 13", "own_aegis": "aegis-128l: 5"}
"""The suite and the number of known answers that `cryptostitch pack` reports for each example."""
PROGRAMS = ("cryptostitch", "cst-sum", "cst-bench", "python", "own_hash", "own_cipher")
# What the short form does less of: options of a command that are added to the page's, and texts that are replaced.
QUICKLY = {
    "verify": ["--check", "values", "--check", "lengths", "--check", "trace", "--jobs", "1"],
    "stitch": ["--seconds", "0.05"],
    "matrix": ["--seconds", "0.02"],
    "calibrate": ["--kernels", "*_x[12]@s*"],
}
FEWER = {
    "'ascon_x*'": "ascon_x2@sse",
    "sha256_ni,sha512,crc32c": "sha256_ni",
    "'aria128_ctr_x1*' --templates": "aria128_ctr_x1@sse_aesni --templates",
    "'turboshake_x2@*'": "turboshake_x2@sse",
    "'siphash*' --templates": "siphash_x1@scalar --templates",
    "'ascon_*' --templates": "ascon_duplex_x1@scalar --templates",
    "'aegis_*' --templates": "aegis_duplex_x1@sse_aesni --templates",
    "pack algorithms.py --costs": "pack algorithms.py --kernels 'ascon_x[12]@s*' --costs",
    "--seconds 20": "--seconds 1",
    "--seconds 5": "--seconds 1",
}


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Returns time and size of every file of the checkout that git does not ignore."""
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=folder, capture_output=True, text=True, check=True
    )
    stats = {name: (folder / name).lstat() for name in names.stdout.splitlines() if os.path.lexists(folder / name)}
    return {name: (stat.st_mtime_ns, stat.st_size) for name, stat in stats.items()}


def touched(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


@dataclass
class Newcomer:
    """Somebody with an empty folder, an empty home, an empty folder for temporary files, and the checkout's programs in
    PATH. ``said``: what each command printed."""

    root: Path
    folder: Path
    home: Path
    temporary: Path
    programs: list[str]
    said: dict[str, str] = field(default_factory=dict)

    def write(self, page: Path) -> list[str]:
        """The page's files into the folder; returns their names."""
        found = files(page)
        for name, text in found.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)
        return list(found)

    def run(self, command: str) -> None:
        environment = {
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PATH": ":".join([*self.programs, os.environ["PATH"]]),
            "PYTHONPATH": str(self.root / "generator"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            shlex.split(command if LONG else shortened(command)),
            cwd=self.folder,
            env=environment,
            capture_output=True,
            timeout=LIMIT,
        )
        said = done.stdout.decode(errors="replace")
        assert done.returncode == 0, f"{command}: {said}{done.stderr.decode(errors='replace')}"
        self.said[command] = said


def shortened(command: str) -> str:
    for text, fewer in FEWER.items():
        command = command.replace(text, fewer)
    words = command.split()
    more = QUICKLY.get(words[1], []) if words[0] == "cryptostitch" else []
    return " ".join([command, *map(shlex.quote, more)])


def files(page: Path) -> dict[str, str]:
    """The blocks that a line with a file's name stands before."""
    return {name: text for name, _, text in BLOCK.findall(page.read_text()) if name}


def commands(page: Path) -> list[str]:
    """Every line of the blocks without a language that is a command, as the page has them in turn."""
    lines = [
        line for _, language, text in BLOCK.findall(page.read_text()) if not language for line in text.splitlines()
    ]
    return [line for line in lines if line.split(" ", 1)[0] in PROGRAMS]


@pytest.fixture
def newcomer(root: Path, build: Path, tmp_path: Path) -> Newcomer:
    places = [tmp_path / name for name in ("my folder", "home", "tmp")]
    for place in places:
        place.mkdir()
    return Newcomer(root, *places, [str(build), str(Path(sys.executable).parent)])


@pytest.fixture(autouse=True)
def nothing_outside_is_touched(newcomer: Newcomer) -> Iterator[None]:
    before = snapshot(newcomer.root)
    assert len(before) > 1000
    yield
    assert touched(before, snapshot(newcomer.root)) == set()
    cache = newcomer.home / ".cache"  # of commands that list texts (frontend/kept_features.py)
    assert not [p for p in newcomer.home.rglob("*") if p != cache and cache / "cryptostitch" not in (p, *p.parents)]
    assert not list(newcomer.temporary.rglob("*"))


def when_drawn(page: str) -> None:
    """Skips a page's test where it is not the commit's turn."""
    if not (LONG or is_drawn(f"newcomer {page}", SHARE)):
        pytest.skip(f"one commit in {SHARE} follows the page, and CRYPTOSTITCH_LONG=1")


def test_a_hash_from_its_page(newcomer: Newcomer, example: Callable[[str], Path]) -> None:
    """Ascon: proved, paired, and in the library."""
    when_drawn("a hash")
    if not {"avx2", "sha", "bmi2"} <= set(Context().cpu()["features"]):
        pytest.skip("this CPU lacks AVX2 or the SHA extensions, which the page's pair is made of")
    page = newcomer.root / "examples/own_hash/README.md"
    newcomer.programs.append(str(example("own_hash")))
    assert set(newcomer.write(page)) >= {"streams/ascon.j2", "algorithms.py", "ascon-hash256.txt", "digests.py"}
    todo = commands(page)
    assert {line.split()[1] for line in todo if line.startswith("cryptostitch")} == {
        *("show", "verify", "bound", "stitch", "report", "matrix", "tune", "calibrate", "pack")
    }
    for command in todo:
        newcomer.run(command)
    said = {" ".join(command.split()[:2]): text for command, text in newcomer.said.items()}
    assert "no check failed" in said["cryptostitch verify"] and "fail:" not in said["cryptostitch verify"]
    assert "verified: the same values as the templates" in said["cryptostitch stitch"]
    assert "known answers are right" in said["cryptostitch pack"]
    for index in ("pairs/index.html", "search/index.html"):
        text = (newcomer.folder / index).read_text()
        links = [unquote(link) for link in re.findall(r'href="([^":]+\.html)"', text)]
        assert links and all("ascon" in (newcomer.folder / index).with_name(link).read_text() for link in links)
    rows = {row.suite: row for row in own_rows(newcomer.folder / "algorithms.py")}
    digest = rows["ascon-hash256"].reference(Path(newcomer.folder / "algorithms.py").read_bytes()).hex()
    assert digest in said["cst-sum --pack"] and digest in said["python digests.py"]
    assert rows["ascon-hash256"].reference(b"one text").hex() + "  one text" in said["own_hash ascon.pack"]
    assert "ascon-hash256" in said["cst-bench --pack"] and "ascon-xof128" in said["cst-bench --pack"]


def test_the_steps_of_the_language_page(newcomer: Newcomer) -> None:
    """`templates/README.md`, "Adding an algorithm", for Ascon."""
    when_drawn("language")
    if not {"vaes", "avx512f"} <= set(Context().cpu()["features"]):
        pytest.skip("this CPU lacks AVX-512 with VAES, which some of the commands time")
    newcomer.write(newcomer.root / "examples/own_hash/README.md")
    page = (newcomer.root / "templates/README.md").read_text()
    section = page[page.index("## Adding an algorithm") :].partition("\n## ")[0]
    found = re.findall(r"`(cryptostitch [^`]*)`", section)
    assert len(found) >= 4
    for command in found:
        own = command.replace("<name>", "ascon")
        newcomer.run(own if own.startswith("cryptostitch pack") else f"{own} --templates .")
    assert "ascon_x8" in newcomer.said["cryptostitch list --templates ."]
    assert (newcomer.folder / "own.pack").stat().st_size


def test_a_pair_from_its_page(newcomer: Newcomer) -> None:
    """Fletcher's checksum beside AES-128-CBC."""
    when_drawn("a pair")
    if not {"aes", "vaes", "avx512f"} <= set(Context().cpu()["features"]):
        pytest.skip("this CPU lacks AVX-512 with VAES, which some of the commands time")
    page = newcomer.root / "examples/new_pair/README.md"
    assert newcomer.write(page) == ["streams/fletcher.j2", "algorithms.py", "pair.py"]
    todo = commands(page)
    assert len(todo) >= 10
    for command in todo:
        newcomer.run(command)
    assert "4 lanes agree with plain Python" in newcomer.said["python pair.py"]
    assert (newcomer.folder / "pair.o").read_bytes()[:4] == b"\x7fELF"
    assert all("fletcher" in (newcomer.folder / name).read_text() for name in ("matrix.html", "pair.html"))


@pytest.mark.parametrize("page", ["own_tree", "own_cipher", *OWN_ANSWERS])
def test_the_commands_of_another_example(newcomer: Newcomer, example: Callable[[str], Path], page: str) -> None:
    """Its files are copied; they are not all on the page."""
    when_drawn(page)
    if not {"aes", "pclmul", "avx2"} <= set(Context().cpu()["features"]):
        pytest.skip("this CPU lacks AES-NI, PCLMUL or AVX2")
    shutil.copytree(
        newcomer.root / "examples" / page,
        newcomer.folder,
        ignore=shutil.ignore_patterns("__pycache__"),
        dirs_exist_ok=True,
    )
    if page == "own_cipher":
        newcomer.programs.append(str(example(page)))
    todo = commands(newcomer.folder / "README.md")
    assert len(todo) >= 5
    for command in todo:
        newcomer.run(command)
    said = "".join(newcomer.said.values())
    assert "no check failed" in said and ("kt128: 5 known answers are right" in said) == (page == "own_tree")
    assert ("aria-128-gcm: 1 known answers are right" in said) == (page == "own_cipher")
    for example_of, answers in OWN_ANSWERS.items():
        assert (f"{answers} known answers are right" in said) == (page == example_of)


@pytest.mark.parametrize("example_", ["own_hash", "new_pair"])
def test_a_page_shows_the_files_of_its_folder(root: Path, example_: str) -> None:
    folder = root / "examples" / example_
    found = files(folder / "README.md")
    assert len(found) >= 3
    for name, text in found.items():
        whole = (folder / name).read_text()
        if name.endswith(".txt"):  # the first answers of a longer file
            assert whole.startswith(text.rstrip() + "\n")
        else:
            assert text == whole


def test_what_is_touched_is_found(tmp_path: Path) -> None:
    """The snapshot itself: a file that is written, one that is added, one that is removed."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in "abc":
        (tmp_path / name).write_text(name)
    before = snapshot(tmp_path)
    os.utime(tmp_path / "a", (1, 1))
    (tmp_path / "b").unlink()
    (tmp_path / "d").write_text("d")
    assert touched(before, snapshot(tmp_path)) == {"a", "b", "d"}
