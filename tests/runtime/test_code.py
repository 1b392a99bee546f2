"""Executable pages and the kernel cache, through a small C++ program; and the damage test on the pack that the library
ships."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from cryptostitch.core.ir import Constant
from cryptostitch.emit.pack import write_pack
from handmade import ALGORITHM, program, recipe, tool


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    step = Constant("step", b"".join(n.to_bytes(4, "little") for n in (1, 2, 3, 4)))
    count = program(
        "count_x4@sse#2",
        "paddd v0x, @step:128",
        enter="movdqa v0x, [g0+64]:128",
        leave="movdqa [g0+64]:128, v0x",
        constants=(step,),
        state_bytes=1024,
    )
    path = tmp_path / "count.pack"
    path.write_bytes(
        write_pack(
            [ALGORITHM],
            [recipe("count_x4@sse", count), recipe("count_x8@sse", count, count), recipe("other@sse", count)],
        )
    )
    return path


def test_pages_and_cache(pack: Path) -> None:
    run = subprocess.run([tool("cst-code-test"), pack], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and run.stdout == "ok\n", run.stdout + run.stderr
