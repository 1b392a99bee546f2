"""CRYPTOSTITCH_CPU: the library, the commands and the tests take this CPU for a lesser one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import Context, RuntimeFailure
from cryptostitch.cli import main
from jobs.samples import runs

CPU = "CRYPTOSTITCH_CPU"


def names() -> list[str]:
    return Context().names(runtime.NAME_CPU)


@pytest.mark.parametrize("name", ["zen2", "zen3", "haswell", "westmere", "nehalem", "unknown_sse", "unknown_avx2"])
def test_it_decides(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CPU, raising=False)
    real = Context().cpu()
    monkeypatch.setenv(CPU, name)
    try:
        context = Context()
    except RuntimeFailure as failure:
        assert failure.code == runtime.ERR_UNSUPPORTED
        pytest.skip(f"this CPU lacks features of {name}")
    lesser = context.cpu()
    features = set(lesser["features"])
    assert features <= set(real["features"]) and lesser["brand"] != real["brand"] and name in lesser["brand"]
    assert ("zen3" in lesser["microarchitecture"]) == (name == "zen3")
    assert "avx512f" not in features and ("aes" in features) == (name != "nehalem")
    assert Context(target="host").cpu() == lesser
    results = context.selftest()
    assert results and set(results.values()) <= {runtime.OK, runtime.ERR_UNSUPPORTED}
    cannot = {suite for suite in context.suites() if not runs(context, suite)}
    by_aes_ni_or_pclmulqdq = {suite for suite in context.suites() if re.match(r"aes-|a\d+cbc-|(sha256\+)?crc", suite)}
    assert by_aes_ni_or_pclmulqdq and cannot == (by_aes_ni_or_pclmulqdq if name == "nehalem" else set())


def test_an_unknown_name_is_an_error_that_lists_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CPU, "zen33")
    with pytest.raises(RuntimeFailure, match="there is no such CPU, only .*haswell.*zen3") as failure:
        Context()
    assert failure.value.code == runtime.ERR_NAME
    result = CliRunner().invoke(main, ["cpu"])
    assert result.exit_code == 1 and "there is no such CPU, only" in result.stderr and result.stderr.count("\n") == 1


def test_more_than_this_cpu_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CPU, "nehalem,westmere")
    with pytest.raises(RuntimeFailure, match="this CPU lacks some of its features") as failure:
        Context()
    assert failure.value.code == runtime.ERR_UNSUPPORTED


def test_the_names() -> None:
    context = Context()
    assert {"zen2", "zen3", "zen4", "haswell", "westmere", "sapphire_rapids", "unknown", "unknown_sse"} <= set(names())
    assert "zen3" in context.nearest(runtime.NAME_CPU, "zen33")


@pytest.mark.parametrize("name,says", [("zen33", "there is no such CPU, only"), ("nehalem", f"{CPU}: nehalem")])
def test_the_suite_says_so(name: str, says: str, root: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", "--collect-only", "tests/vectors"]
    done = subprocess.run(command, cwd=root, env=os.environ | {CPU: name}, capture_output=True, text=True)
    assert says in done.stdout + done.stderr and (done.returncode == 0) == (name == "nehalem")
