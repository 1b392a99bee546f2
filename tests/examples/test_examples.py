"""The examples, run as their users would: against an installed prefix, checked by other implementations."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Example = Callable[[str], Path]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def demo(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo", root / "examples/demo/demo.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def needs_aes(cpu: set[str]) -> None:
    if "aes" not in cpu:
        pytest.skip("this CPU has no AES-NI, by which the example enciphers")


@pytest.mark.usefixtures("needs_aes")
@pytest.mark.parametrize("size", [0, 1, 16, 16383, 16384, 300_001])
def test_embed(example: Example, demo: ModuleType, tmp_path: Path, size: int) -> None:
    plain, sealed, keys = (tmp_path / name for name in ("plain file", "sealed", "keys"))
    plain.write_bytes(os.urandom(size))
    output = run(example("embed") / "embed", plain, sealed, keys)
    assert demo.check_records(plain.read_bytes(), sealed.read_bytes(), keys.read_bytes()) == size // 16384 + 1
    assert "kernel:" in output and "why:" in output


@pytest.mark.usefixtures("needs_aes")
def test_the_demo_notices_a_changed_record(example: Example, demo: ModuleType, tmp_path: Path) -> None:
    plain, sealed, keys = (tmp_path / name for name in ("plain", "sealed", "keys"))
    plain.write_bytes(os.urandom(100_000))
    run(example("embed") / "embed", plain, sealed, keys)
    data = bytearray(sealed.read_bytes())
    data[50_000] ^= 1
    with pytest.raises(SystemExit, match="the tag is not"):
        demo.check_records(plain.read_bytes(), bytes(data), keys.read_bytes())


@pytest.mark.usefixtures("needs_aes")
def test_demo(root: Path, build: Path, tmp_path: Path) -> None:
    file = tmp_path / "a file.bin"
    file.write_bytes(os.urandom(200_000))
    assert f'demo.py "{file}"' in run("make", "-n", "-C", root, "demo", f"FILE={file}", cwd=tmp_path)
    output = run(sys.executable, root / "examples/demo/demo.py", file, cwd=tmp_path)
    assert "13 of 13 records agree" in output
    for word in ("CPU:", "kernel:", "why:", "start:", "speed:"):
        assert word in output


@pytest.mark.skipif(not Path("/usr/include/zlib.h").exists(), reason="zlib's header is not installed")
@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 300_001])
def test_ride_along(example: Example, tmp_path: Path, size: int) -> None:
    """gzip's reader compares the CRC-32 and the length."""
    file, text = tmp_path / "file", bytes(i * i >> 7 & 0xFF for i in range(size))
    file.write_bytes(text)
    assert run(example("ride_along") / "ride_along", file) == f"{hashlib.sha256(text).hexdigest()}  {file}\n"
    assert gzip.decompress((tmp_path / "file.gz").read_bytes()) == text


@pytest.mark.parametrize("size", [0, 9, 1_000_003])
def test_erasure_code(example: Example, tmp_path: Path, size: int) -> None:
    file = tmp_path / "a file"
    file.write_bytes(os.urandom(size))
    output = run(example("erasure_code") / "erasure_code", file)
    assert output.endswith(f"10 blocks of {size // 10 + 1} bytes, 4 parities; 4 lost, all restored\n")


@pytest.mark.usefixtures("needs_aes")
def test_packets(example: Example) -> None:
    program = example("packets") / "packets"
    lines = run(program, "3000", "1", "16", "64:8").splitlines()
    assert lines[0] == "3000 packets of 1000 sessions" and lines[-1] == "all opened again"
    fills = [line.split()[:3:2] for line in lines[2:-1]]
    assert [fill for fill, _ in fills] == ["1", "16", "64:8"]
    packets = [float(of_a_burst) for _, of_a_burst in fills]
    assert packets[0] == 1.0 and packets[1] > 10 and packets[2] < 9, "packets of a burst"
    assert subprocess.run([program, "0"], capture_output=True).returncode == 2


@pytest.mark.usefixtures("needs_aes")
@pytest.mark.parametrize("size", [33, 1200, 1500])
def test_quic(example: Example, size: int) -> None:
    """The program compares the payloads that it opens, of its own packets and of OpenSSL's."""
    program = example("quic") / "quic"
    first, *lines, last = run(program, "400", size).splitlines()
    assert first.endswith(f"cycles a packet of {size} bytes") and last.startswith("sent with ")
    algorithms = ("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
    by = ("cryptostitch", "OpenSSL")
    assert [tuple(line.split()[:2]) for line in lines] == [(name, whose) for name in algorithms for whose in by]
    assert subprocess.run([program, "400", "20"], capture_output=True).returncode == 2


def test_columns(example: Example, tmp_path: Path) -> None:
    file, lines = tmp_path / "lines", [bytes([65 + i % 26]) * (i * 7 % 300) for i in range(2000)]
    file.write_bytes(b"\n".join(lines))
    for program, names in (("columns", ("sha256", "md5", "sha512")), ("static_columns", ("sha256", "md5"))):
        for name in names:
            found = run(example("columns") / program, name, file).split()
            assert found == [hashlib.new(name, line).hexdigest() for line in lines]
    assert "libcryptostitch" not in run("readelf", "-d", example("columns") / "static_columns")


def test_files(root: Path, build: Path, tmp_path: Path) -> None:
    """More than are open at once, an empty one, links; beside hashlib, in the order of names."""
    folder = tmp_path / "a folder"
    contents = {f"{i % 7}/{i:04}": os.urandom(i * 37 % 5000) for i in range(700)} | {"one file": b"x"}
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "link").symlink_to("one file")
    (folder / "nowhere").symlink_to("nothing")
    order = sorted(contents, key=lambda name: ("/" in name, name))
    for name in ("sha256", "md5"):
        wanted = "".join(f"{hashlib.new(name, contents[file]).hexdigest()}  {folder / file}\n" for file in order)
        program = root / "examples/files/files.py"
        assert run(sys.executable, program, *([] if name == "sha256" else [name]), folder) == wanted


def test_static_kernels(example: Example) -> None:
    folder = example("static_kernels")
    program = folder / "static_kernels"
    output = run(program)
    assert " ok" in output or "skipped" in output
    assert "wrong" not in output
    # No C++, no JIT, no library of ours.
    needed = run("readelf", "-d", program)
    assert "libstdc++" not in needed and "libcryptostitch" not in needed


CONSUMER = """
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>
int main(void) {
    cst_ctx *ctx;
    const cst_suite *suite;
    cst_key *key;
    unsigned char digest[32];
    if (cst_ctx_new(&ctx, NULL) || cst_suite_get(ctx, "sha256", &suite)) return 1;
    if (cst_key_new(suite, NULL, 0, NULL, 0, &key)) return 1;
    if (cst_digest(key, "abc", 3, digest, 32)) return 1;
    for (int i = 0; i < 32; i++) printf("%02x", digest[i]);
    cst_key_free(key);
    cst_ctx_free(ctx);
    return 0;
}
"""
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("target", ["cryptostitch", "static"])
def test_find_package_from_a_c_project(example: Example, build: Path, tmp_path: Path, target: str) -> None:
    example("embed")  # installs the prefix
    (tmp_path / "main.c").write_text(CONSUMER)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(consumer LANGUAGES C)\nfind_package(cryptostitch 0.1 REQUIRED)\n"
        f"add_executable(consumer main.c)\ntarget_link_libraries(consumer PRIVATE cryptostitch::{target})\n"
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={build / 'prefix'}")
    run("cmake", "--build", tmp_path / "b")
    assert run(tmp_path / "b/consumer") == ABC


def test_pkg_config(example: Example, build: Path, tmp_path: Path) -> None:
    example("embed")
    (tmp_path / "main.c").write_text(CONSUMER)
    folder = next((build / "prefix").rglob("cryptostitch.pc")).parent
    try:
        found = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "cryptostitch"],
            env={**os.environ, "PKG_CONFIG_PATH": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError:
        pytest.skip("no pkg-config here")
    run("cc", tmp_path / "main.c", "-o", tmp_path / "consumer", *found.stdout.split(), f"-Wl,-rpath,{folder.parent}")
    assert run(tmp_path / "consumer") == ABC


def test_only_the_api_is_exported(build: Path) -> None:
    listed = [line.split() for line in run("nm", "-D", "--defined-only", build / "libcryptostitch.so").splitlines()]
    names = {name.partition("@")[0] for _, kind, name in listed if kind != "A"}  # A: the node of the symbol versions
    header = Path(__file__).resolve().parents[2] / "include/cryptostitch/cryptostitch.h"
    declared = set(re.findall(r"^CST_API [^;(]*?\b(cst_\w+)\(", header.read_text(), re.M))
    assert names == declared | {"__jit_debug_descriptor", "__jit_debug_register_code"}  # gdb looks for these
    flags = run("readelf", "-dW", build / "libcryptostitch.so") + run("readelf", "-lW", build / "libcryptostitch.so")
    assert "GNU_RELRO" in flags and ("BIND_NOW" in flags or "NOW" in flags)
    assert "TEXTREL" not in flags and " RWE " not in flags
