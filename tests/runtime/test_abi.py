"""Hand-made kernels that use every register, under both calling conventions: what must come back does, nothing else
stays.

The kernels of the default pack: the check `abi` of `cryptostitch verify`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from cryptostitch.core.ir import Window
from cryptostitch.emit.pack import write_pack
from handmade import ALGORITHM, Part, program, recipe, tool


def run(pack: Path) -> str:
    done = subprocess.run([tool("cst-abi-probe"), pack], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_hand_made_kernels(tmp_path: Path) -> None:
    """All registers of each file in use, one and four streams, with and without lag."""
    dirty = "\n".join(f"mov g{i}, g0" for i in range(1, 14))
    sse = program("all@sse#16", "\n".join(f"pcmpeqd v{i}x, v{i}x" for i in range(16)) + "\n" + dirty)
    avx = program("all@avx2#16", "\n".join(f"vpcmpeqd v{i}y, v{i}y, v{i}y" for i in range(16)), features="avx2")
    wide = program(
        "all@avx512#32",
        "\n".join(f"vpternlogd v{i}z, v{i}z, v{i}z, 255" for i in range(32))
        + "\n"
        + "\n".join(f"kxnorq k{i}, k{i}, k{i}" for i in range(7)),
        features="avx512f,avx512bw",
    )
    small = program("small@sse#4", "pcmpeqd v3x, v3x\nmov g2, g0", window=Window(4, 3, 0))
    recipes = [
        recipe("sse@sse", sse),
        recipe("avx@avx2", avx),
        recipe("wide@avx512", wide),
        recipe("one@sse", small),
        recipe("four@sse", Part(small), Part(small, lag=2), Part(small, lag=1), Part(small, ratio=2)),
    ]
    path = tmp_path / "abi.pack"
    path.write_bytes(write_pack([ALGORITHM], recipes))
    assert run(path).endswith(" 0 failed\n")
