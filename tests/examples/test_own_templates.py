"""Every command that takes `--templates`, for a folder whose rows have a reference of their own; and what else a user
meets who works in a copy."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cryptostitch.binding.runtime import Context
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.core.own import own_rows
from own_example import copied, run

PAIR = "aes128_cbc_enc_x4+fletcher_x4@sse_aesni"


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """A copy of the example, away from the checkout."""
    return copied(root / "examples/new_pair", tmp_path / "my pair")


COMMANDS: dict[str, list[str]] = {
    "show": ["show", PAIR],
    "bound": ["bound", PAIR, "--seconds", "0.02"],
    "predict": ["predict", "fletcher_x[14]@*", "--jobs", "2"],
    "mutate": ["mutate", "fletcher_x4@sse", "--mutants", "2", "--level", "program", "--least", "0", "--jobs", "1"],
    "report": ["report", PAIR, "--no-measure", "-o", "page.html"],
    "emit": ["emit", "fletcher_x4@sse", "--object", "own.o"],
    "tune": ["tune", "aes128_cbc_enc_x4", "fletcher_x4", "--isa", "sse", "--seconds", "1"],
    "matrix": ["matrix", "--ciphers", "aes128_cbc_enc", "--hashes", "fletcher", "--isa", "sse", "--seconds", "0.02"],
    "verify": ["verify", "fletcher_x1@scalar", "--jobs", "1"],
    "stitch": ["stitch", "aes128_cbc_enc_x4", "fletcher_x4", "--isa", "sse", "--seconds", "0.05"],
    "calibrate": ["calibrate", "--kernels", "fletcher_x[14]@*", "-o", "costs.json"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command(command: str, folder: Path, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "aes" not in Context().cpu()["features"]:
        pytest.skip("this CPU has no AES-NI")
    monkeypatch.chdir(folder)
    arguments = COMMANDS[command]
    if command in ("bound", "predict", "report") and Context().cpu()["microarchitecture"] == "generic":
        arguments = [*arguments, "--cpu", "zen4"]
    said = run(*arguments, "--templates", ".")
    if command == "calibrate":
        assert set(json.loads(Path("costs.json").read_text())["kernels"]) == {"fletcher_x1@scalar", "fletcher_x4@sse"}
    elif command == "report":
        assert "streams/fletcher.j2" in Path("page.html").read_text()
    elif command == "emit":
        assert Path("own.o").read_bytes()[:4] == b"\x7fELF"
    elif command == "mutate":
        assert "2 mutants of 1 kernels" in said
    else:
        assert "fletcher" in said


def _name(rows: list) -> str:
    return rows[0].name + rows[0].reference(b"abcd").hex()


def test_rows_reach_a_process_that_is_no_copy(folder: Path) -> None:
    """As workers are from Python 3.14 on."""
    rows = own_rows(folder / "algorithms.py")
    script = "import pickle, sys; r = pickle.load(sys.stdin.buffer); print(r[0].name + r[0].reference(b'abcd').hex())"
    done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(rows), capture_output=True)
    assert done.stdout.decode().strip() == _name(rows), done.stderr
    with multiprocessing.get_context("fork").Pool(1) as pool:  # and a row alone to a copy
        assert pool.apply(_name, ([rows[0]],)) == _name(rows)


def test_a_changed_file_is_read_again(folder: Path) -> None:
    file = folder / "algorithms.py"
    assert own_rows(file)[0].name == "fletcher"
    file.write_text(file.read_text().replace('    "fletcher",\n', '    "gletcher",\n'))
    assert own_rows(file)[0].name == "gletcher"


def test_what_is_no_row_is_named(folder: Path) -> None:
    (folder / "algorithms.py").write_text("ALGORITHMS = ['fletcher']\n")
    with pytest.raises(CryptostitchError, match="'fletcher' is no Algorithm"):
        own_rows(folder / "algorithms.py")


def test_two_hashes_are_tuned(build: Path) -> None:
    """Nothing writes, so nothing is handed over."""
    if "avx2" not in Context().cpu()["features"]:
        pytest.skip("this CPU has no AVX2")
    found = json.loads(run("tune", "md5_x8", "sha1_x8", "--isa", "avx2", "--seconds", 2, "--format", "json"))
    assert found["recipe"]["lags"] == [0, 0] and found["tried"]


def test_a_copied_checkout_is_refused(root: Path, tmp_path: Path) -> None:
    """Its .venv runs the code of the first checkout."""
    copy = tmp_path / "copy"
    (copy / "generator/cryptostitch").mkdir(parents=True)
    shutil.copy(root / "generator/cryptostitch/__main__.py", copy / "generator/cryptostitch")
    (copy / ".venv/bin").mkdir(parents=True)
    (copy / ".venv/pyvenv.cfg").write_text("home = /usr/bin\n")
    script = copy / ".venv/bin/cryptostitch"
    script.write_text("from cryptostitch.__main__ import main\nmain()\n")
    environment = {"PYTHONPATH": str(root / "generator")}
    done = subprocess.run([sys.executable, script, "--version"], capture_output=True, text=True, env=environment)
    assert done.returncode != 0 and f"{copy} is a copy of a checkout" in done.stderr
    assert done.stderr.strip().endswith("makes it anew")


def test_a_copied_build_is_refused(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (copy / "build").mkdir(parents=True)
    for name in ("Makefile", "cmake"):
        done = shutil.copytree if (root / name).is_dir() else shutil.copy
        done(root / name, copy / name)
    (copy / "build/CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={root}\n")
    for script in ("venv.sh", "tools.sh"):
        (copy / "cmake" / script).write_text("#!/bin/sh\n")
    done = subprocess.run(["make", "-C", copy, "build"], capture_output=True, text=True)
    assert done.returncode != 0 and "build/ was made in another checkout" in done.stderr
