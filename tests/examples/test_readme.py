"""What the front page and the generator's page show runs as printed."""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.cli import main

PAGES = ("README.md", "generator/README.md")
MOST_LINES = 10


def snippet(root: Path, language: str, page: str = "README.md") -> str:
    """The first block of that language."""
    return re.search(rf"```{language}\n(.*?)```", (root / page).read_text(), re.S)[1]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_command_line(root: Path, needs_pair: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As written; one that times takes the second that is its default."""
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^\.venv/bin/cryptostitch (.*)$", (root / "README.md").read_text(), re.M)
    assert len(lines) >= 3
    for line in lines:
        result = CliRunner().invoke(main, shlex.split(line))
        assert result.exit_code == 0, f"{line}: {result.output}{result.stderr}"


def test_the_first_minute_is_short(root: Path) -> None:
    for language in ("sh", "c", "python", "cmake"):
        assert len(snippet(root, language).splitlines()) <= MOST_LINES, language


def test_digests_of_files(root: Path, build: Path, tmp_path: Path) -> None:
    if not (build / "cst-sum").exists():
        pytest.skip("cst-sum was not built")
    script = snippet(root, "sh").replace("/tmp/", f"{tmp_path}/")
    assert run("sh", "-e", "-c", script, cwd=root) == ""
    listed = (tmp_path / "list").read_text().splitlines()
    header = "include/cryptostitch/cryptostitch.h"
    assert f"{hashlib.md5((root / header).read_bytes()).hexdigest()}  {header}" in listed


def test_c(root: Path, build: Path, tmp_path: Path, cpu: set[str]) -> None:
    if "aes" not in cpu:
        pytest.skip("this CPU has no AES-NI")
    (tmp_path / "a.c").write_text(snippet(root, "c"))
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{root}/include")
    library = (f"-L{build}", "-lcryptostitch", f"-Wl,-rpath,{build}")
    run("cc", *flags, tmp_path / "a.c", *library, "-o", tmp_path / "a", cwd=tmp_path)
    run(tmp_path / "a", cwd=tmp_path)


def test_the_binding(root: Path, build: Path) -> None:
    """The program asserts for itself."""
    code = snippet(root, "python")
    assert "assert" in code and "hash_many" in code
    found: dict = {}
    exec(code, found)
    assert found["digests"][0] == hashlib.sha256(b"many").digest()


def test_kernels_in_a_build(root: Path, example: Callable[[str], Path], tmp_path: Path) -> None:
    example("static_kernels")  # installs the library
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(mine LANGUAGES C)\nadd_executable(my_program main.c)\n"
        + snippet(root, "cmake")
    )
    kernel = re.search(r"KERNELS (\w+)@(\w+)", snippet(root, "cmake"))
    symbol = f"cst_k_{kernel[1]}_{kernel[2]}"
    (tmp_path / "main.c").write_text(
        f"extern void {symbol}(const void *);\nint main(void) {{ return {symbol} == 0; }}\n"
    )
    prefix = f"-DCMAKE_PREFIX_PATH={root}/build/prefix"
    run("cmake", "-S", ".", "-B", "b", prefix, f"-DCST_PYTHON={sys.executable}", cwd=tmp_path)
    run("cmake", "--build", "b", cwd=tmp_path)
    run("b/my_program", cwd=tmp_path)


def test_a_pairing_from_python(root: Path, build: Path, tmp_path: Path, needs_pair: None) -> None:
    done = subprocess.run(
        [sys.executable, "-c", snippet(root, "python", "generator/README.md")],
        cwd=tmp_path,
        env={"PYTHONPATH": str(root / "generator")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "times as fast" in done.stdout


def test_the_table_names_every_command(root: Path) -> None:
    rows = "\n".join(re.findall(r"^\| (`cryptostitch .*?) \|", (root / "generator/README.md").read_text(), re.M))
    assert set(re.findall(r"`cryptostitch ([\w-]+)", rows)) == set(main.commands)


NOT_OURS = {
    *("build/bench.json", "newest/PEER.sh", "column_kernels.S", "learned.txt", "store.json"),  # made by commands
    *("intel-ipsec-mb.h", "openssl/core_dispatch.h", "vendor/include/cryptostitch/cryptostitch.h"),
}
"""Files that pages name and that are in no checkout."""
FILE = re.compile(r"`((?:[\w-]+/|\.\./)*[\w.-]+\.(?:py|cpp|hpp|c|h|j2|S|sh|cmake|md|json|txt|js|css))`")


def missing_files(page: Path, files: list[str]) -> list[str]:
    """Returns the files that a page names in code marks and that are not in the checkout, by the end of their path."""
    named = set(FILE.findall(page.read_text())) - NOT_OURS
    return sorted(n for n in named if not any(f"/{f}".endswith("/" + n.replace("../", "")) for f in files))


def test_pages_name_files_that_exist(root: Path, tmp_path: Path) -> None:
    listed = run("git", "ls-files", "-co", "--exclude-standard", cwd=root).splitlines()
    pages = [name for name in listed if name.endswith(".md") and name != "CHANGELOG.md" and (root / name).exists()]
    assert len(pages) > 30 and not {name: gone for name in pages if (gone := missing_files(root / name, listed))}
    (tmp_path / "page.md").write_text("`pipeline.py` makes it, as `runtime/nothing.cpp` and `../no/pipeline.py` do")
    assert missing_files(tmp_path / "page.md", listed) == ["../no/pipeline.py", "runtime/nothing.cpp"]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(root: Path, page: str) -> None:
    text = (root / page).read_text()
    found = re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r'(?:src|srcset)="([^":]+)"', text)
    assert len(found) > 0 or page != "README.md"
    assert not [link for link in found if not (root / page).parent.joinpath(link).exists()]
