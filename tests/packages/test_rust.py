"""`make crates`: formatted, without warnings of clippy, tested by cargo; and used by a program on a machine that has
neither Python nor CMake."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from jobs.samples import LONG
from packages.consumer import ABC, make_once, run

MAIN = """
fn main() {
    let digests = cryptostitch::hash_many("sha256", &["abc"]).unwrap();
    for byte in &digests[0] {
        print!("{byte:02x}");
    }
}
"""
SINCE = {
    r'\bc"': "1.77",
    r"\bconst \{": "1.79",
    r"(?<![:\w])size_of::<": "1.80",
    r"&raw (mut|const)\b": "1.82",
    r'\bunsafe extern "C" \{': "1.82",
    r"\b(if|while) let [^{]*&& let\b": "1.88",
}
"""What the language has since which version of Rust; of the standard library clippy knows it."""
TOOLS = ("cc", "c++", "gcc", "g++", "ar", "ld", "as", "cargo", "rustc", "rustup")


def needed(sources: Iterable[Path]) -> tuple[int, ...]:
    """The oldest version of Rust whose language the sources are written in."""
    text = "\n".join(source.read_text() for source in sources)
    return max(version(since) for pattern, since in SINCE.items() if re.search(pattern, text))


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def stated(folder: Path) -> tuple[int, ...]:
    """Returns the oldest version of Rust that Cargo.toml allows."""
    return version(tomllib.loads((folder / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"])


def test_the_oldest_rust(root: Path) -> None:
    """The sources want what Cargo.toml says, neither less nor more."""
    folder = root / "packaging/rust"
    assert needed((folder / "cryptostitch").rglob("*.rs")) == stated(folder) > (1, 77)


@pytest.fixture(scope="module")
def crates(root: Path, build: Path, testrun_uid: str) -> Path:
    if not LONG:
        pytest.skip("Cargo compiles the library twice more: CRYPTOSTITCH_LONG=1")
    if not shutil.which("cargo"):
        pytest.skip("no Cargo here")
    return make_once(build, "crate", testrun_uid, lambda: run(root / "packaging/rust/crate.sh")) / "rust"


def test_the_sources(crates: Path) -> None:
    run("cargo", "fmt", "--check", cwd=crates)
    lints = ("-D", "warnings", "-D", "clippy::incompatible_msrv")
    for features in ((), ("--features", "digest"), ("--features", "aead"), ("--all-features",)):
        run("cargo", "clippy", "--quiet", "--all-targets", *features, "--", *lints, cwd=crates)
    run("cargo", "doc", "--quiet", "--no-deps", "--all-features", cwd=crates, RUSTDOCFLAGS="-D warnings")
    assert needed(crates.glob("cryptostitch*/src/*.rs")) <= stated(crates)


def test_the_oldest_rust_compiles_it(crates: Path) -> None:
    """The compiler that Cargo.toml names; `rustup toolchain install` brings it."""
    oldest = ".".join(map(str, stated(crates))) + ".0"
    if oldest not in run("rustup", "toolchain", "list"):
        pytest.skip(f"no Rust {oldest} here: rustup toolchain install {oldest} --profile minimal")
    target = str(crates / "target" / oldest)
    check = ("rustup", "run", oldest, "cargo", "check", "--all-targets", "--all-features", "--quiet")
    run(*check, cwd=crates, CARGO_TARGET_DIR=target)


def test_cargo_test(crates: Path) -> None:
    """The integration tests, and the examples in the documentation."""
    out = run("cargo", "test", "--all-features", cwd=crates)
    assert out.count("test result: ok.") >= 4 and "\ntest a_burst_is_its_jobs ... ok" in out and "src/burst.rs" in out
    assert "\ntest the_next_call_tries_again ... ok" in out and "\ntest parts_of_messages ... ok" in out
    assert "\ntest texts_are_those_of_rustcrypto ... ok" in out and "src/lib.rs - Page (line" in out
    assert out.count(" - compile fail ... ok") == 3


def test_a_program_needs_a_compiler_alone(crates: Path, tmp_path: Path) -> None:
    """Cargo builds a program with the packed crates, offline, and with only a compiler's programs in the path."""
    archives = sorted((crates / "target/package").glob("*.crate"))
    assert len(archives) == 2 and all(each.stat().st_size < 10 << 20 for each in archives), "crates.io takes 10 MiB"
    for each in archives:
        with tarfile.open(each) as tar:
            tar.extractall(tmp_path, filter="data")
    safe, sys = sorted(tmp_path.glob("cryptostitch*"), key=lambda path: "sys" in path.name)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        if there := shutil.which(tool):
            (tmp_path / "bin" / tool).symlink_to(there)
    run("cargo", "new", "--quiet", "--vcs", "none", "consumer", cwd=tmp_path)
    consumer = tmp_path / "consumer"
    (consumer / "src/main.rs").write_text(MAIN)
    with (consumer / "Cargo.toml").open("a") as file:
        file.write(f'cryptostitch = {{ path = "{safe}" }}\n[patch.crates-io]\n')
        file.write(f'cryptostitch-sys = {{ path = "{sys}" }}\n')
    run("cargo", "fetch", "--quiet", cwd=consumer)
    command = ("env", f"PATH={tmp_path / 'bin'}", "cargo", "run", "--quiet", "--offline")
    assert run(*command, cwd=consumer, CARGO_TARGET_DIR=str(tmp_path / "target")) == ABC
    assert not os.access(tmp_path / "bin/python3", os.F_OK)
