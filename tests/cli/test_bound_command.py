"""`cryptostitch probe` and `cryptostitch bound` as a user calls them, and the measurement of a few instructions on this
CPU."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptostitch.binding import runtime
from cryptostitch.cli import main
from cryptostitch.instruction_probe.measurement import probe
from cryptostitch.model.forms import all_forms
from cryptostitch.model.table import median_table, read_table, table_of, tables
from drawn_cpu import CPU

KERNEL = "sha1_x4@sse"
PAIR = "aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"
FORMS = (
    "add r64 i",
    "rol r64 i",
    "mov r64 m64",
    "mov m64 r64",
    "paddd xmm xmm",
    "pslld xmm i",
    "pshufb xmm m128",
    "movdqa xmm xmm",
    "movd xmm r32",
    "aesenc xmm xmm",
)


def run(*arguments: str, code: int = 0) -> Any:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture(scope="module")
def measured(build: Path) -> Any:
    if not runtime.Context().cpu()["jit"]:
        pytest.skip("no executable memory here")
    forms = {str(f): f for f in all_forms()}
    return probe(forms=[forms[text] for text in FORMS])


@pytest.mark.parametrize("command", ["probe", "bound"])
def test_help_has_an_example(command: str) -> None:
    text = run(command, "--help").output
    assert f"cryptostitch {command}" in text and "Example" in text


def test_probe_of_a_few_forms(measured: Any) -> None:
    """No figure is known beforehand: what is checked holds on every CPU, however busy it is."""
    features = set(runtime.Context().cpu()["features"])
    wanted = {f for f in FORMS if "aes" in features or not f.startswith("aes")}
    assert set(measured.rows) == {f for f in wanted if "ssse3" in features or not f.startswith("pshufb")}
    for row in measured.rows.values():
        assert row.throughput > 0 and set(row.uses) <= set(measured.resources), row
        assert all(0 < use <= row.throughput * 1.01 for name, use in row.uses.items() if " or " not in name), row
        assert all(latency is None or latency >= 0 for latency in row.latency), row
    # What a core cycle is. (An addition of a constant takes none on cores that fold it, such as Golden Cove.)
    assert measured.rows["rol r64 i"].latency[0] == pytest.approx(1, abs=0.3)
    assert measured.load >= 2 and all(f > 0 for f in measured.forward.values())


def test_a_table_is_read_back(measured: Any, tmp_path: Path) -> None:
    (tmp_path / "here.json").write_text(measured.text())
    assert read_table(tmp_path / "here.json").text() == measured.text() == table_of(str(tmp_path / "here.json")).text()
    assert median_table([measured] * 3).text() == measured.text()


def test_bound_as_text() -> None:
    text = run("bound", PAIR, "--cpu", "zen5", "--no-measure").stdout
    assert "what binds: chain" in text and "not measured: --no-measure" in text
    assert "chain of stream 0: 162.0 cycles through 36 aesenc, 4 aesenclast, 1 pxor" in text
    assert "chain of stream 1:" in text and "64 bytes of data per iteration" in text


def test_bound_as_json() -> None:
    arguments = ("bound", PAIR, "--cpu", "zen4", "--no-measure", "--format", "json")
    data = json.loads(run(*arguments).stdout)
    assert run(*arguments).stdout == json.dumps(data, indent=1) + "\n"
    assert data["bound"]["binds"] == data["limits"][0]["name"] == "chain" and data["measured"] is None
    cycles = [limit["cycles_per_iteration"] for limit in data["limits"]]
    assert cycles == sorted(cycles, reverse=True) and data["bound"]["cycles_per_iteration"] == cycles[0]
    assert all(limit["streams"] is None or len(limit["streams"]) == 2 for limit in data["limits"])
    assert data["loop"]["code_bytes"] > 3 * data["loop"]["instructions"] > 0


def test_bound_measures_by_default(build: Path) -> None:
    """Where the table is this CPU's, and where the nearest one stands in. Only the table of a lesser CPU may be wrong:
    the kernel runs on a faster one then."""
    here = runtime.Context().cpu()["microarchitecture"]
    result = CliRunner().invoke(main, ["bound", KERNEL, "--seconds", "0.05", "--format", "json"])
    data = json.loads(result.stdout)
    assert (data["stand_in"] is None) == (data["microarchitecture"] == here) == (here in tables())
    measured = data["measured"]
    assert measured["disturbed"] or measured["of_bound"] == pytest.approx(
        measured["cycles_per_iteration"] / data["bound"]["cycles_per_iteration"], rel=0.01
    )
    is_beaten = bool(measured["table_is_wrong"]) and not data["stand_in"]
    assert result.exit_code == is_beaten and (not is_beaten or os.environ.get(CPU)), result.output


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("bound", "sha1_x17@avx512", "--cpu", "zen4"), "no kernel named 'sha1_x17@avx512'; nearest: sha1_x16@avx512"),
        (("bound", "sha1_x16", "--cpu", "zen4"), "write e.g. sha1_x16@avx512"),
        (("bound", KERNEL, "--cpu", "zen9"), "cryptostitch probe -o zen9.json"),
        (("bound", KERNEL, "--cpu", "nowhere/zen9.json"), "there is no file nowhere/zen9.json"),
    ],
)
def test_errors_say_what_to_do(arguments: tuple[str, ...], message: str) -> None:
    error = run(*arguments, code=1).stderr
    assert message in error and len(error.strip().splitlines()) == 1
