"""The wheel: built of this build's library, installed where nothing else is, used as whoever downloads it would."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from cryptostitch.extras import how_to_install
from jobs.samples import LONG

SCRIPT = """
import hashlib, hmac, os, sys
from array import array
from itertools import accumulate

import cryptostitch as c

data = [os.urandom(i * 37 % 2000) for i in range(600)]
assert c.hash_many("sha256", data) == [hashlib.sha256(each).digest() for each in data]
assert c.hmac_many("sha1", b"key", data) == [hmac.digest(b"key", each, "sha1") for each in data]
offsets = array("q", accumulate(map(len, data), initial=0))
assert c.hash_column("md5", b"".join(data), offsets) == b"".join(hashlib.md5(each).digest() for each in data)
suite = c.suite("aes-128-ctr+hmac-sha256-etm")
key, ivs = suite.key(bytes(16), bytes(32)), [os.urandom(16) for _ in data]
sealed = suite.seal_many(key, ivs, data)
assert suite.open_many(key, ivs, sealed) == data
assert key.open(*sealed[5], iv=ivs[5]) == data[5] and key.seal(data[5], iv=ivs[5]) == sealed[5]
try:
    key.open(sealed[5][0], bytes(32), iv=ivs[5])
except c.RuntimeFailure as failure:
    assert "authentication" in str(failure), failure
else:
    raise AssertionError("a forged message was opened")
foreign = {"click", "iced_x86", "jinja2", "llvmlite", "elftools", "rich", "zstandard"} & sys.modules.keys()
assert not foreign, foreign
print(c.binding.capi.library_path())
"""


def run(*command: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("CRYPTOSTITCH", "PYTHON"))}
    env = {**clean, "PATH": f"{Path(sys.executable).parent}:{clean['PATH']}", **more.pop("env", {})}  # type: ignore
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env=env, **more)


def made(root: Path, folder: Path, *more: str, **options: object) -> Path:
    done = run(sys.executable, "-m", "pip", "wheel", root, "--no-deps", "-w", folder, *more, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def installed(wheel: Path, folder: Path) -> Path:
    """An environment with the wheel and nothing else, not even pip."""
    python = folder / "bin/python"
    for command in (
        (sys.executable, "-m", "venv", "--without-pip", folder),
        (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index", wheel),
    ):
        done = run(*command)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(root: Path, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return made(root, folder, "--no-build-isolation", "-C", f"cmake.define.CST_PREBUILT={build}")


@pytest.fixture(scope="module")
def home(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(wheel, tmp_path_factory.mktemp("home") / "env")


def works(home: Path, folder: Path) -> None:
    done = run(home / "bin/python", "-I", "-c", SCRIPT, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(home), "another library was loaded"


def test_what_is_in_it(wheel: Path) -> None:
    assert re.fullmatch(r"cryptostitch-0\.1\.0-py3-none-linux_x86_64\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        metadata = archive.read("cryptostitch-0.1.0.dist-info/METADATA").decode()
        library = archive.read("cryptostitch/lib/libcryptostitch.so.0")
    shared = {f"cryptostitch/lib/lib{name}" for name in ("cryptostitch.so.0", "cst-python.so")}
    assert {name for name in sizes if re.search(r"\.so(\.|$)", name)} == shared
    assert b"_ZN3cst" not in library, "not stripped"
    licenses = {f"cryptostitch/licenses/LICENSE.{name}" for name in ("asmjit", "sodium", "zstd")}
    assert licenses | {"cryptostitch/py.typed", "cryptostitch/bin/cst-sum"} <= sizes.keys()
    assert any(name.startswith("cryptostitch/templates/") for name in sizes)
    emitted = {f"cryptostitch/emit/column_{name}.h" for name in ("cpu", "driver")}
    assert emitted <= sizes.keys()
    foreign = r"\.(h|a|cmake|pc)$|/\.learning/|__pycache__"
    assert not [name for name in sizes.keys() - emitted if re.search(foreign, name)]
    needs = re.findall(r"^Requires-Dist: (.*)$", metadata, re.M)
    assert needs and all("extra ==" in need for need in needs), "the binding needs nothing"


def test_its_tag_says_the_oldest_glibc(root: Path, build: Path, tmp_path: Path) -> None:
    """`make wheel` gives this platform; cst-sum wants nothing newer of libstdc++ than the library does."""
    tool = root / "packaging/manylinux.py"
    files = {name: build / name for name in ("libcryptostitch.so", "libcst-python.so", "cst-sum")}
    told = run(sys.executable, tool, *files.values()).stdout.strip()
    assert (found := re.fullmatch(r"manylinux_2_(\d+)-x86_64", told)), told
    assert int(found[1]) <= int(os.confstr("CS_GNU_LIBC_VERSION").split(".")[1])  # type: ignore[union-attr]
    spec = importlib.util.spec_from_file_location("manylinux", tool)
    assert spec and spec.loader
    manylinux = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(manylinux)
    newest = {name: max(v for kind, v in manylinux.wanted(file) if kind == "GLIBCXX") for name, file in files.items()
              if name != "libcst-python.so"}  # fmt: skip
    assert newest["cst-sum"] <= newest["libcryptostitch.so"]
    prebuilt = ("--no-build-isolation", "-C", f"cmake.define.CST_PREBUILT={build}")
    wheel = made(root, tmp_path, *prebuilt, env={"_PYTHON_HOST_PLATFORM": told})
    assert wheel.name == f"cryptostitch-0.1.0-py3-none-{told.replace('-', '_')}.whl"
    works(installed(wheel, tmp_path / "env"), tmp_path)


def test_in_an_empty_environment(home: Path, tmp_path: Path) -> None:
    works(home, tmp_path)


def test_commands_say_what_they_need(home: Path, root: Path, tmp_path: Path) -> None:
    """And where it is there, they run, with the templates of the wheel."""
    done = run(home / "bin/cryptostitch", "list", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert how_to_install("generator") in done.stderr and "Traceback" not in done.stderr
    packages = next((root / ".venv/lib").glob("python3.*/site-packages"))
    done = run(home / "bin/cryptostitch", "show", "md5_x1@scalar", cwd=tmp_path, env={"PYTHONPATH": str(packages)})
    assert done.returncode == 0 and "md5" in done.stdout, done.stderr
    where = "import cryptostitch.frontend.render as r; print(r.TEMPLATES)"
    done = run(home / "bin/python", "-c", where, cwd=tmp_path, env={"PYTHONPATH": str(packages)})
    assert Path(done.stdout.strip()).is_relative_to(home), done.stderr


def test_cst_sum(home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "sha1sum").symlink_to(home / "bin/cst-sum")
    for program, name in ((home / "bin/cst-sum", "sha256"), (tmp_path / "sha1sum", "sha1")):
        done = run(program, *(["-a", name] if program.name == "cst-sum" else []), "file", cwd=tmp_path)
        assert done.stdout == f"{hashlib.new(name, b'abc').hexdigest()}  file\n", done.stderr
    assert run(home / "bin/cst-sum", "-a", "md5", "missing", cwd=tmp_path).returncode == 1


def test_types(home: Path, tmp_path: Path) -> None:
    """A type checker sees the annotations of the installed package, and finds what is wrong."""
    (tmp_path / "right.py").write_text(
        "import cryptostitch as c\n"
        "digests: list[bytes] = c.hash_many('md5', [b'', bytearray(2), memoryview(b'')])\n"
        "sealed = c.suite('aes-128-gcm').seal_many(c.suite('aes-128-gcm').key(b''), [b''], [b''])\n"
        "tag: bytes = sealed[0][1]\n"
    )
    (tmp_path / "wrong.py").write_text("import cryptostitch as c\nc.hash_many('md5', ['text'])\nc.hash_many(1, [])\n")
    mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "--python-executable")
    done = run(*mypy, home / "bin/python", "right.py", "wrong.py", cwd=tmp_path)
    assert re.findall(r"^(\w+\.py:\d+): error", done.stdout, re.M) == ["wrong.py:2", "wrong.py:3"], done.stdout


def test_build_requirements(root: Path) -> None:
    """Pinned as `make` pins them, and all that the generator needs."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    pinned = set((root / "requirements.txt").read_text().splitlines())
    requires = project["build-system"]["requires"]
    assert set(requires) <= pinned
    names = {re.split("[=<>]", need)[0].lower() for need in requires}
    extra = project["project"]["optional-dependencies"]["generator"]
    assert names == {re.split("[=<>]", need)[0].lower() for need in extra} | {"scikit-build-core"}


def test_pip_install(root: Path, build: Path, tmp_path: Path) -> None:
    """`pip install .` into a fresh environment, and then the front page's Python: what is built is built of what pip
    isolates. The library alone is this build's; test_from_the_source_distribution builds it too."""
    home = tmp_path / "env"
    prebuilt = f"cmake.define.CST_PREBUILT={build}"
    for command in (
        (sys.executable, "-m", "venv", home),
        (home / "bin/pip", "install", "-C", prebuilt, root),
    ):
        done = run(*command)
        assert done.returncode == 0, done.stdout + done.stderr
    code = re.search(r"```python\n(.*?)```", (root / "README.md").read_text(), re.S)[1]
    done = run(home / "bin/python", "-I", "-c", code + "print(cryptostitch.binding.capi.library_path())", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(home), "another library was loaded"


def test_a_wheel_of_another_source(root: Path, build: Path, tmp_path: Path) -> None:
    """Its generator would not know the library's instructions."""
    (tmp_path / "generated").mkdir()
    table = (build / "generated/instruction_table.inc").read_text()
    (tmp_path / "generated/instruction_table.inc").write_text(table.replace('FORM("aesenc"', 'FORM("other"'))
    command = (sys.executable, "-m", "pip", "wheel", root, "--no-deps", "--no-build-isolation", "-w", tmp_path)
    done = run(*command, "-C", f"cmake.define.CST_PREBUILT={tmp_path}")
    assert done.returncode != 0 and f"Comparing this generator with that of {tmp_path}" in done.stdout + done.stderr


@pytest.mark.skipif(not LONG, reason="builds everything anew: CRYPTOSTITCH_LONG=1")
def test_from_the_source_distribution(root: Path, tmp_path: Path) -> None:
    """As `pip install cryptostitch` would where there is no wheel: what pip isolates, and nothing of this build."""
    code = "from scikit_build_core.build import build_sdist; print(build_sdist(__import__('sys').argv[1]))"
    done = run(sys.executable, "-c", code, tmp_path, cwd=root)
    assert done.returncode == 0, done.stderr
    wheel = made(next(tmp_path.glob("*.tar.gz")), tmp_path / "wheel")
    works(installed(wheel, tmp_path / "env"), tmp_path)
