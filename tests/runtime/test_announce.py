"""CRYPTOSTITCH_ANNOUNCE: perf and gdb know kernels that were assembled at run time."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cryptostitch.binding.runtime import Context
from drawn_cpu import CPU

PROGRAM = """
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>
int main(void) {
    cst_ctx *ctx;
    const cst_suite *suite;
    cst_key *key;
    unsigned char digest[64];
    if (cst_ctx_new(&ctx, NULL) || cst_suite_get(ctx, "SUITE", &suite)) return 1;
    if (cst_key_new(suite, NULL, 0, NULL, 0, &key) || cst_digest(key, "abc", 3, digest, LENGTH)) return 1;
    cst_key_free(key);
    cst_ctx_free(ctx);
    puts("done");
    return 0;
}
"""
# One kernel that saves no register, and some that save more and more: what `host` has, and what CPUs without have.
CASES = (("sha256", 32, "host"), ("sha256", 32, "host-sha"), ("md5", 16, "host"), ("sha512", 64, "host-avx2"))


def run(*command: object, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CRYPTOSTITCH_") or name == CPU}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env={**clean, **env})


def needs(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")


@pytest.fixture(scope="module")
def stripped(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stripped, as packages have it."""
    needs("strip")
    folder = tmp_path_factory.mktemp("stripped")
    done = run("strip", "-o", folder / "libcryptostitch.so.0", build / "libcryptostitch.so")
    assert done.returncode == 0, done.stderr
    return folder / "libcryptostitch.so.0"


@pytest.mark.parametrize(("suite", "length", "target"), CASES, ids=str)
def test_gdb(root: Path, stripped: Path, tmp_path: Path, suite: str, length: int, target: str) -> None:
    """At every instruction of a kernel: its name, the same way back to main, the same registers of its caller."""
    needs("gdb")
    kernel = Context(target=target).suite(suite).choice(1, 3).kernel
    (tmp_path / "main.c").write_text(PROGRAM.replace("SUITE", suite).replace("LENGTH", str(length)))
    program = tmp_path / "main"
    done = run("cc", f"-I{root}/include", tmp_path / "main.c", "-o", program, stripped, f"-Wl,-rpath,{stripped.parent}")
    assert done.returncode == 0, done.stderr
    script = root / "tests/runtime/announce_gdb.py"
    env = {"KERNEL": kernel, "CRYPTOSTITCH_TARGET": target, "CRYPTOSTITCH_ANNOUNCE": "perf,gdb"}
    done = run("timeout", "100", "gdb", "-q", "-nx", "-batch", "-x", script, program, **env)
    line = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
    assert line, done.stdout[-2000:] + done.stderr[-2000:]
    found = json.loads(line)
    assert found["names"] == [kernel] and found["steps"] > 50
    assert len(found["callers"]) == 1 and len(found["traces"]) == 1, found
    assert found["traces"][0][-1] == "main" and found["gone"] and kernel in found["map"]
    assert (found["depths"] > 1) == ("_ni_" not in kernel), "registers are saved, or none is"


LOOK = """
import os, sys
from cryptostitch import hash_many
path = f"/tmp/perf-{os.getpid()}.map"
if len(sys.argv) > 1:
    os.symlink(sys.argv[1], path)
hash_many("sha256", [bytes(1000)] * 64)
print(open(path).read() if os.path.exists(path) else "nothing")
if os.path.lexists(path):
    print(oct(os.stat(path).st_mode & 0o777))
    os.unlink(path)
"""


def test_the_map_of_perf(tmp_path: Path) -> None:
    said = run(sys.executable, "-c", LOOK, CRYPTOSTITCH_ANNOUNCE="perf")
    assert said.returncode == 0, said.stderr
    *lines, mode = said.stdout.split("\n")[:-1]
    names = [re.fullmatch(r"[0-9a-f]{9,} [0-9a-f]+ (\S+)", line)[1] for line in lines if line]
    assert mode == "0o600" and names and set(names) <= set(Context().kernels())
    for quiet in ({}, {"CRYPTOSTITCH_ANNOUNCE": "gdb"}, {"CRYPTOSTITCH_ANNOUNCE": ""}):
        assert run(sys.executable, "-c", LOOK, **quiet).stdout == "nothing\n", "it is off by default"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    assert run(sys.executable, "-c", LOOK, victim, CRYPTOSTITCH_ANNOUNCE="perf").stdout.startswith("mine\n")
    assert victim.read_text() == "mine"


def test_perf_report(tmp_path: Path) -> None:
    needs("perf")
    code = "from cryptostitch import hash_many\nfor _ in range(40): hash_many('sha256', [bytes(100_000)] * 64)"
    code += "\nimport os; print(os.getpid())"
    data = tmp_path / "perf.data"
    record = ("perf", "record", "-q", "-e", "cpu-clock", "-o", data)
    done = run(*record, sys.executable, "-c", code, CRYPTOSTITCH_ANNOUNCE="perf")
    if done.returncode != 0 or not data.exists():
        pytest.skip(f"perf cannot record here: {done.stderr.strip().splitlines()[-1:]}")
    report = run("perf", "report", "-i", data, "--stdio").stdout
    Path(f"/tmp/perf-{done.stdout.split()[-1]}.map").unlink()
    kernel = Context().suite("sha256").choice(64, 100_000).kernel
    assert re.search(rf"^ +\d+\.\d+%.*\[\.\] {re.escape(kernel)} *$", report, re.M), report[:3000]
