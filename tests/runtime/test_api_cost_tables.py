"""Cost tables as files of costs: a context that begins with one chooses as on the CPU whose table it is."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from cost_files import fnv1a, refused, table
from cryptostitch.binding.cost_file import table_file, write_table
from cryptostitch.binding.runtime import CALIBRATE, ERR_COSTS, Context
from handmade import tool
from targets import runs

FOUR, EIGHT = "sha1_x4@sse", "sha1_x8@sse"
LOW = "sse"  # few kernels: quick to measure
ROWS = {EIGHT: [1.0, 0.0], FOUR: [9000.0, 0.0]}


def context(folder: Path, name: str, rows: dict[str, list[float]], target: str = LOW) -> Context:
    return Context(target=target, costs=write_table(folder / "table", name, rows))


def test_the_table_decides(tmp_path: Path) -> None:
    cheap = context(tmp_path, "zen9", ROWS)
    assert table(cheap) == "zen9" and not cheap.calibrated
    choice = cheap.suite("sha1").choice(64)
    assert choice.kernel == EIGHT and "by the table for zen9" in choice.why
    assert choice.cycles_per_byte == pytest.approx(1 / 8 / 64, rel=0.5), "and what loading takes"
    dear = context(tmp_path, "zen9", {EIGHT: [9000.0, 0.0], FOUR: [1.0, 0.0], "rot13_x4@sse": [1.0, 1.0]})
    assert dear.suite("sha1").choice(64).kernel == FOUR


def test_without_rows_estimates_decide(tmp_path: Path) -> None:
    none = context(tmp_path, "generic", {}, "host")
    assert table(none) == "generic"
    for suite in ("sha1", "sha256", "aes-128-cbc"):
        choice = none.suite(suite).choice(64)
        assert "estimate" in choice.why and choice.cycles_per_byte == 0


def test_a_derived_figure_and_the_estimate_meet_in_the_middle(tmp_path: Path) -> None:
    def cost(name: str, rows: dict[str, list[float]]) -> float:
        made = context(tmp_path, name, rows)
        made.force("sha1", FOUR)
        figure = re.search(r"([0-9.e+-]+) cycles per byte", made.suite("sha1").choice(64).why)
        assert figure
        return float(figure[1])

    rows = {FOUR: [9000.0, 0.0]}
    measured, estimated, derived = cost("zen9", rows), cost("zen9", {}), cost("~zen9", rows)
    assert derived == pytest.approx((measured * estimated) ** 0.5, rel=0.1)
    assert table(context(tmp_path, "~zen9", rows)) == "zen9"


def test_measuring_leaves_a_table_aside(tmp_path: Path) -> None:
    path = write_table(tmp_path / "table", "zen9", ROWS)
    assert table(Context(CALIBRATE, target=LOW, costs=path)) == "calibrated on this machine"
    assert path.read_text().splitlines()[1].startswith("brand ")


def test_figures_out_of_range_are_limited(tmp_path: Path) -> None:
    text = table_file("zen9", {"a": [0.0, -1.0], "b": [1e12, 1e12]}, 1e12)
    assert "\nmessage 1000000000\n" in text and "kernel a 10 0\nkernel b 1000000000 1000000000\n" in text
    (tmp_path / "table").write_text(text)
    assert table(Context(target=LOW, costs=tmp_path / "table")) == "zen9"


CHACHA = {"chacha_poly_enc_short_x1@": 100.0, "chacha20_x1_by16@sse": 10.0, "poly1305_serial_x1@": 10.0}


@pytest.mark.parametrize("message, whole", [(1.0, False), (9999.0, True), (0.0, True)])
def test_a_message_in_steps_costs_more_than_its_calls(tmp_path: Path, message: float, whole: bool) -> None:
    """What, the table says; else an estimate of some hundred cycles."""
    here = Context()
    kernels = [name for name in here.kernels() if name.startswith(("chacha", "poly1305")) and runs(here, name)]
    if not any(name.startswith("chacha_poly_enc_short_x1@") for name in kernels):
        pytest.skip("this CPU has no kernel of whole ChaCha20-Poly1305 messages")
    rows = {name: [9e6, 9e6] for name in kernels}
    for name in kernels:
        for start, call in CHACHA.items():
            if name.startswith(start):
                rows[name] = [0.1, call]
    path = write_table(tmp_path / "table", "zen9", rows, message)
    choice = Context(costs=path).suite("chacha20-poly1305").choice(1, 64)
    assert choice.kernel.startswith("chacha_poly_enc_short_x1@") == whole, choice.why


@pytest.mark.parametrize(
    "head, row",
    [
        ("table", "kernel a 10 0"),
        ("table a b", "kernel a 10 0"),
        ("table " + "a" * 32, "kernel a 10 0"),
        ("table zen9", "kernel a 0123456789abcdef 10 0"),
        ("table zen9", "kernel a 9 0"),
        ("table zen9\ntable zen9", "kernel a 10 0"),
        ("table zen9\nmessage 0", "kernel a 10 0"),
        ("table zen9\nmessage 1.5", "kernel a 10 0"),
        ("table zen9\nmessage 1\nmessage 1", "kernel a 10 0"),
        ("table zen9\nkernel b 10 0", "message 1"),
    ],
)
def test_damaged_tables(head: str, row: str, tmp_path: Path) -> None:
    text = f"cryptostitch costs 1\n{head}\n{row}\n"
    path = tmp_path / "table"
    path.write_text(f"{text}end {fnv1a(text.encode()):016x}\n")
    refused(ERR_COSTS, target=LOW, costs=path)


def test_many_damaged_tables(tmp_path: Path) -> None:
    path = write_table(tmp_path / "table", "zen9", ROWS, 457.01)
    done = subprocess.run([tool("cst-cost-damage"), path], capture_output=True, text=True)
    assert done.returncode == 0 and "0 wrong" in done.stdout, done.stdout + done.stderr
