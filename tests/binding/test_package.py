"""The package: what it shows, what its errors say, and what it loads."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import cryptostitch
import pytest
from cryptostitch import (
    Context,
    RuntimeFailure,
)
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import file_of


@pytest.fixture(scope="module")
def context() -> Context:
    return Context()


def python(code: str, *blocked: str, **more: Any) -> str:
    """Runs code in a process that lacks these modules, and returns what it prints."""
    missing = f"import sys; sys.modules.update(dict.fromkeys({blocked!r}))\n"
    done = subprocess.run([sys.executable, "-c", missing + code], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_shows_itself() -> None:
    """Without the generator's packages, too."""
    code = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "jinja2" else find(name, *rest)
from cryptostitch import *
import cryptostitch, pydoc
assert hash_many("sha256", [b"abc"])[0].hex().startswith("ba7816bf")
assert {"hash_many", "suite", "Protection"} <= set(dir(cryptostitch)), dir(cryptostitch)
assert "Generator" not in dir(cryptostitch)
print(pydoc.render_doc(cryptostitch, renderer=pydoc.plaintext))
"""
    shown = python(code, "jinja2", "click", "llvmlite")
    for name in ("hash_many(", "seal(", "class Protection", "rolling_cuts("):
        assert name in shown
    assert {"Generator", "hash_many", "Tree"} <= set(dir(cryptostitch))
    assert all(isinstance(getattr(cryptostitch, name), (type, types.FunctionType)) for name in ("Generator", "suite"))


def test_the_cause_is_an_attribute(context: Context) -> None:
    with pytest.raises(RuntimeFailure) as failure:
        context.suite("aes-128-gcm").key(bytes(15))
    for error in (failure.value, copy.copy(failure.value), pickle.loads(pickle.dumps(failure.value))):
        assert error.cause == "a key of 15 bytes, where the suite takes 16" and error.subject == "aes-128-gcm"


@pytest.mark.parametrize("setting", ("CRYPTOSTITCH_CPU=zen9", "CRYPTOSTITCH_TARGET=avx1024"))
def test_a_setting_that_is_wrong_is_named(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*setting.split("="))
    with pytest.raises(RuntimeFailure, match=f"^{setting}: there is no such"):
        Context()


def test_nothing_is_loaded_from_the_working_directory(tmp_path: Path, root: Path) -> None:
    """Where the loader finds the library, what belongs to it is beside that, wherever the process runs."""
    lib = file_of(cryptostitch.suite("md5").lib)
    assert lib and lib.is_absolute() and lib.samefile(runtime.library_path())
    (tmp_path / "lib").mkdir()
    (tmp_path / "here").mkdir()
    shutil.copy(lib, tmp_path / "lib/libcryptostitch.so.0")
    source = tmp_path / "trap.c"
    source.write_text("#include <unistd.h>\n__attribute__((constructor)) static void trap(void) { _exit(9); }\n")
    trap = tmp_path / "here/libcst-python.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", trap, source], check=True)
    code = "import cryptostitch; print(cryptostitch.hash_many('md5', [b'']) [0].hex())"
    environment = os.environ | {
        "PYTHONPATH": str(root / "generator"),
        "CRYPTOSTITCH_LIBRARY": "libcryptostitch.so.0",
        "LD_LIBRARY_PATH": str(tmp_path / "lib"),
    }
    beside = tmp_path / "lib/libcst-python.so"
    for _ in range(2):
        assert python(code, cwd=tmp_path / "here", env=environment).startswith("d41d8cd9")
        beside.exists() or shutil.copy(lib.with_name("libcst-python.so"), beside)
    shutil.copy(trap, beside)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "here", env=environment, check=False)
    assert done.returncode == 9, "what is beside the library is loaded"
