"""`cryptostitch openssl-config`, and lines of a configuration that are wrong."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.binding.openssl import CIPHERS, SLOWER, ask, configuration
from cryptostitch.cli import main

from integrations.openssl import configured, module


def written(build: Path, folder: Path, **lines: str) -> Path:
    return Path(configured(build, folder, **lines)["OPENSSL_CONF"])


def test_the_lines_that_are_printed_work(build: Path, tmp_path: Path) -> None:
    file = tmp_path / "openssl.cnf"
    printed = CliRunner().invoke(main, ["openssl-config", "--module", str(module(build))])
    assert printed.exit_code == 0, printed.output
    file.write_text(printed.output)
    checked = CliRunner().invoke(main, ["openssl-config", str(file), "--format", "json"])
    assert checked.exit_code == 0, checked.output
    found = json.loads(checked.output)
    assert found["providers"] == ["cryptostitch", "default"]
    assert {found["ciphers"][name] for name in CIPHERS} == {"cryptostitch"}
    assert {found["ciphers"][name] for name in SLOWER} == {"default"}


def test_a_file_without_default_is_told_of(build: Path, tmp_path: Path) -> None:
    file = tmp_path / "openssl.cnf"
    file.write_text(configuration(module(build)).replace("default = default_sect\n", ""))
    checked = CliRunner().invoke(main, ["openssl-config", str(file)])
    assert checked.exit_code == 1
    assert "`default` is not active" in checked.output


def test_a_file_without_the_provider_is_told_of(build: Path, tmp_path: Path) -> None:
    module(build)
    file = tmp_path / "openssl.cnf"
    file.write_text("")
    checked = CliRunner().invoke(main, ["openssl-config", str(file)])
    assert checked.exit_code == 1
    assert "`cryptostitch` is not active" in checked.output


def test_what_is_slower_comes_when_asked_for(build: Path, tmp_path: Path) -> None:
    found = ask(written(build, tmp_path, slower="yes"))
    assert {found.ciphers[name] for name in (*CIPHERS, *SLOWER)} == {"cryptostitch"}


@pytest.mark.parametrize(
    "line, value, said",
    [
        ("jit", "perhaps", "jit: yes or no"),
        ("slower", "1", "slower: yes or no"),
        ("cmac", "on", "cmac: yes or no"),
        ("async", "8", "async: yes or no"),
        ("target", "z80", "target: no such"),
    ],
)
def test_a_wrong_line_is_on_the_error_queue(build: Path, tmp_path: Path, line: str, value: str, said: str) -> None:
    """As `openssl` prints it when it is told to load the provider; of one that a file activates it says nothing."""
    file = written(build, tmp_path, **{line: value})
    assert "cryptostitch" not in ask(file).providers
    before, _, own = file.read_text().partition("[cryptostitch_sect]")
    file.write_text(before + "[cryptostitch_sect]" + own.replace("activate = 1\n", ""))
    done = subprocess.run(
        ["openssl", "list", "-providers", "-provider", "cryptostitch"],
        capture_output=True,
        text=True,
        env=os.environ | {"OPENSSL_CONF": str(file)},
        check=False,
    )
    assert done.returncode != 0
    assert said in done.stdout + done.stderr


def test_without_jit_kernels_are_static(build: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["openssl", "list", "-providers", "-verbose"],
        capture_output=True,
        text=True,
        env=configured(build, tmp_path, jit="no"),
        check=True,
    )
    assert "static kernels" in done.stdout
